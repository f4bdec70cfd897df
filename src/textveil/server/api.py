"""The routes of textveil's own API."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from textveil.sanitize.release import Report, Tally
from textveil.server.keys import Caller, caller
from textveil.server.service import PaidReleases, SanitizingService

router = APIRouter()

CallerNow = Annotated[Caller, Depends(caller)]


def _encodable(text: str) -> str:
    """Refuse halves of surrogate pairs, which JSON can spell and UTF-8 cannot."""
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("string_unicode", "lone surrogates")
    return text


Text = Annotated[str, AfterValidator(_encodable)]


class _Body(BaseModel):
    """A request: fields that nobody reads are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SanitizeRequest(_Body):
    """What to sanitize, by which policy, and whose texts it is."""

    text: Text | list[Text] = Field(description="One text or several, all of one person.")
    policy: str | None = Field(None, description="A name from /v1/policies; the server's default if left out.")
    unit: Text | None = Field(None, description="The person whose budget pays, where the key is not one person's.")
    report: bool = Field(False, description="Whether the answer holds the whole report.")


class SanitizeAnswer(BaseModel):
    """What may be passed on, and what it cost."""

    text: str | list[str]
    guarantee: dict[str, Any]
    budget: dict[str, Any]
    report: dict[str, Any] | None = None


def service_of(request: Request) -> SanitizingService:
    """The service of the application that a request came to."""
    return cast(SanitizingService, request.app.state.service)


@router.post("/v1/sanitize", response_model_exclude_none=True)
async def sanitize(body: SanitizeRequest, request: Request, who: CallerNow) -> SanitizeAnswer:
    """Sanitize a text or several; what it costs is taken from the budget before anything is drawn."""
    texts = [body.text] if isinstance(body.text, str) else body.text
    made = await service_of(request).release(texts, policy=body.policy, account=who.account(body.unit))
    released = [one.text for one in made.releases]
    return SanitizeAnswer(
        text=released[0] if isinstance(body.text, str) else released,
        guarantee=made.guarantee,
        budget=budget_data(made.balance),
        report=_report(made) if body.report else None,
    )


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Whether the process runs."""
    return {"status": "ok"}


def _report(made: PaidReleases) -> dict[str, Any] | None:
    """The report of all texts of a call together."""
    if not made.releases:
        return None
    tally = Tally()
    for one in made.releases:
        tally.add_document([one])
    return Report(setting=made.releases[0].setting, tally=tally).as_dict()


def budget_data(balance: Any) -> dict[str, Any]:
    """A balance as JSON data."""
    return balance.as_data()
