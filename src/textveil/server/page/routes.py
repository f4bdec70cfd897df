"""The page's routes: its files, what it shows without a text, and what it does with one.

Texts are released by the service's one function, as everywhere. Nothing is kept: what puts originals back goes to the
browser that sent the text, and comes from there again.
"""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from textveil.detection.kinds import GROUPS
from textveil.sanitize.costs import TextCosts
from textveil.sanitize.policy.choice import PRESETS, policy
from textveil.sanitize.policy.making import correctable, list_kinds
from textveil.sanitize.policy.policy import Policy
from textveil.server.api import CallerNow, report_data, service_of
from textveil.server.bodies import Body, Epsilon, Text, UnitName
from textveil.server.budgets import budget_data
from textveil.server.errors import ApiError
from textveil.server.page.examples import SAMPLE, PublicExamples, recovery
from textveil.server.page.files import HEADERS, PAGE, page_files
from textveil.surrogates.private_map import PrivateMap, Replaced
from textveil.surrogates.restoring import Restorer
from textveil.version import VERSION

PRIVATE = {"Cache-Control": "no-store"}
"""Of answers with text in them: no browser keeps them on its disk."""


class PageCaller(Body):
    """Whose texts these are, where the key is not one person's own, and the policy that is meant, at which epsilon."""

    unit: UnitName | None = None
    policy: str | None = None
    epsilon: Epsilon = None


class PageText(PageCaller):
    """A text of theirs."""

    text: Text


class ReleasedPiece(Body):
    """Characters of a release that do not stand in its text as they are, and what stood there: private."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    was: Text
    kind: Text


class HeldRelease(Body):
    """A release as the page holds it: private."""

    text: Text
    pieces: list[ReleasedPiece]

    def private_map(self) -> PrivateMap:
        """The map that was sent with the release.

        Raises:
            ApiError: its pieces do not lie in the text one behind the other.
        """
        at = 0
        for piece in self.pieces:
            if not at <= piece.start <= piece.end <= len(self.text):
                raise ApiError(400, "invalid_field", "maps must be those of releases, unchanged.", param="maps")
            at = piece.end
        pieces = tuple(Replaced(piece.start, piece.end, piece.was, piece.kind) for piece in self.pieces)
        return PrivateMap(released=self.text, replaced=pieces)


class PageAnswer(Body):
    """What came back, and the releases that it may speak of."""

    answer: Text
    maps: list[HeldRelease] = Field(min_length=1, max_length=100)


def add_files(router: APIRouter) -> None:
    """The page itself, and what it shows without anybody's text: for everybody who can reach the server."""
    examples = PublicExamples()

    @router.get("/", include_in_schema=False)
    def page() -> Response:
        return _sent(PAGE)

    @router.get("/page/start", include_in_schema=False)
    def start() -> dict[str, Any]:
        return {"version": VERSION, "sample": SAMPLE, "groups": dict(GROUPS), "recovery": recovery()}

    @router.get("/page/examples", include_in_schema=False)
    def drawn(epsilon: float, response: Response) -> dict[str, Any]:
        response.headers.update(PRIVATE)
        return examples.drawn(epsilon)

    @router.get("/page/files/{name}", include_in_schema=False)
    def file(name: str) -> Response:
        if name not in page_files() or name == PAGE:
            raise ApiError(404, "not_found", "the page has no such file.")
        return _sent(name)


def add_work(router: APIRouter) -> None:
    """What the page does with a text, for whoever may call."""

    @router.post("/page/account", include_in_schema=False)
    async def account(body: PageCaller, request: Request, who: CallerNow, response: Response) -> dict[str, Any]:
        response.headers.update(PRIVATE)
        service = service_of(request)
        name = service.policies.at(who.policy(body.policy), body.epsilon)
        balance = await service.balance(who.account(body.unit))
        setting = (await service.in_thread(partial(service.policies.sanitizer, name))).setting
        return {
            "policies": service.policies.to_data(who.policies),
            "budget": budget_data(balance, TextCosts.of(setting)),
        }

    @router.post("/page/release", include_in_schema=False)
    async def release(body: PageText, request: Request, who: CallerNow, response: Response) -> dict[str, Any]:
        response.headers.update(PRIVATE)
        service = service_of(request)
        policy = service.policies.at(who.policy(body.policy), body.epsilon)
        paid = await service.release([body.text], policy=policy, account=who.account(body.unit))
        (released,) = paid.releases
        report = report_data(paid) or {}
        return {
            "text": released.text,
            "pieces": _pieces(released.private_map),
            "policy": paid.policy,
            "guarantee": {
                **report["guarantee"],
                "not_covered": report.get("not_covered", []),
                "public": report["public"],
                "for_release": report["for_release"],
            },
            "budget": paid.budget,
            "corrections": corrections_of(service.policies.policy(paid.policy)),
        }

    @router.post("/page/restore", include_in_schema=False)
    def restore(body: PageAnswer, who: CallerNow, response: Response) -> dict[str, Any]:
        response.headers.update(PRIVATE)
        done = Restorer([written.private_map() for written in body.maps]).restore(body.answer)
        return {
            "text": done.text,
            "originals": _places(done.originals),
            "ambiguous": _places(done.ambiguous),
        }


def _sent(name: str) -> Response:
    file = page_files()[name]
    return Response(file.content, media_type=file.media_type, headers=dict(HEADERS))


def _pieces(private_map: PrivateMap | None) -> list[dict[str, Any]] | None:
    """What stands in a release in place of what; None where nothing can be undone."""
    if private_map is None:
        return None
    return [
        {"start": piece.start, "end": piece.end, "was": piece.original, "kind": piece.kind}
        for piece in private_map.replaced
    ]


def corrections_of(chosen: Policy) -> dict[str, Any] | None:
    """What the page needs to collect corrections as lists; None where a policy of an operator has no kinds for them.

    A policy of the package comes as a whole, an operator's with its kinds alone: its lists may be private.
    """
    kinds = list_kinds(chosen)
    if chosen.name in PRESETS and chosen == policy(chosen.name):
        return _extended(chosen.name)
    return {"extends": chosen.name, "toml": "", "kinds": kinds} if kinds else None


@cache
def _extended(name: str) -> dict[str, Any]:
    return correctable(name)


def _places(places: Sequence[tuple[int, int]]) -> list[dict[str, int]]:
    return [{"start": start, "end": end} for start, end in places]
