"""Bodies of requests: strict JSON in which no object has a key twice, since readers differ in what that says.

The API's requests and answers are pydantic models: fields that nobody reads are refused by name.
"""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Final

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError
from starlette.exceptions import HTTPException

from textveil.json_text import json_data, no_constant
from textveil.server.errors import ApiError, repeatable
from textveil.server.service import beside


class _SaidTwice(dict[str, Any]):
    """An object with a key that occurs twice: the first such."""

    key: str


def parsed(
    text: str | bytes,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
    floats: Callable[[str], float] | None = None,
) -> Any:
    """Read a JSON text.

    Args:
        text: in UTF-8, if it is bytes.
        pairs: makes an object of its keys and values; None makes a dictionary.
        floats: makes a number of one with a point or an exponent; None is ``float``.

    Raises ValueError: it is no JSON by the standard, or nested too deep.
    """
    return json_data(text, constants=no_constant, pairs=pairs, floats=floats)


def request_json(body: bytes) -> Any:
    """Read the body of a request.

    Raises ApiError: it is no JSON by the standard in UTF-8, nested too deep, or has a key of an object twice.
    """
    twice: list[str] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) == len(pairs):
            return data
        said = _SaidTwice(data)
        seen: set[str] = set()
        said.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        twice.append(said.key)
        return said

    try:
        data = parsed(body.decode("utf-8-sig"), made)
    except ValueError:
        raise ApiError(400, "invalid_json", "the body must be JSON in UTF-8; got something else.") from None
    if twice:
        place = next(_said_twice(data, ""))
        raise ApiError(400, "duplicate_field", f"{place} occurs twice in its object. Send it once.", param=place)
    return data


def request_object(body: bytes) -> dict[str, Any]:
    """Read the body of a request that must be an object.

    Raises ApiError: it is something else; or as ``request_json``.
    """
    asked = request_json(body)
    if not isinstance(asked, dict):
        raise ApiError(400, "invalid_json", "the body must be a JSON object; got something else.")
    return asked


def need_json(headers: Mapping[str, str]) -> None:
    """Refuse a body that is not declared as JSON: a browser sends such for any page, without asking the server.

    Raises ApiError: the content type is another one, or none.
    """
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        message = "content-type of the request must be application/json; got another, or none."
        raise ApiError(415, "unsupported_media_type", message)


class StrictRoute(APIRoute):
    """A route whose bodies are read by ``request_json``."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the route's own handler, of a request that reads its JSON so."""
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            try:
                return await handler(_StrictRequest(request.scope, request.receive))
            except HTTPException as error:  # in whose place FastAPI puts whatever is raised while a body is read
                if isinstance(error.__cause__, ApiError):
                    raise error.__cause__ from None
                raise

        return strict


class _StrictRequest(Request):
    async def json(self) -> Any:
        body = await self.body()
        return await beside(len(body), partial(request_json, body))


def _said_twice(data: Any, place: str) -> Iterator[str]:
    """Yield places of keys that occur twice, as ``messages[0].role``; keys that may be text are not repeated."""
    if isinstance(data, _SaidTwice):
        yield _below(place, data.key)
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _said_twice(value, _below(place, key))
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from _said_twice(value, f"{place}[{at}]")


def _below(place: str, key: str) -> str:
    return f"{place}.{repeatable(key)}" if place else repeatable(key)


def _encodable(text: str) -> str:
    """Refuse halves of surrogate pairs, which JSON can spell and UTF-8 cannot."""
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("string_unicode", "lone surrogates")
    return text


Text = Annotated[str, AfterValidator(_encodable)]  # a string of Unicode characters
Texts = Annotated[list[Text], Field(min_length=1, max_length=10_000)]
"""Several."""

NAME_CHARACTERS: Final = 256  # of a person's name and of an id, at most
# a person, by a name that is unique within the tenant
UnitName = Annotated[Text, Field(min_length=1, max_length=NAME_CHARACTERS)]
Epsilon = Annotated[
    float | None,
    Field(
        description="Nats of one word, where the policy draws words: one of its `epsilons` in /v1/policies, of which "
        "its own is the most. It is public: choose it without looking at the text."
    ),
]
"""What is asked for in place of a policy's own."""


class Body(BaseModel):
    """A request: fields that nobody reads are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SanitizeRequest(Body):
    """What to sanitize, by which policy, and whose texts it is."""

    text: Text | Texts = Field(description="One text or several, all of one person.")
    policy: str | None = Field(None, description="A name from /v1/policies; the server's default if left out.")
    unit: UnitName | None = Field(None, description="The person whose budget pays, where the key is not one person's.")
    epsilon: Epsilon = None
    report: bool = Field(False, description="Whether the answer holds the whole report.")
    restorable: bool = Field(False, description="Whether the server keeps, for a while, what /v1/restore needs.")


class SanitizeAnswer(BaseModel):
    """The released texts, and their cost."""

    text: str | list[str]
    guarantee: dict[str, Any]
    budget: dict[str, Any]
    report: dict[str, Any] | None = None
    release: str | None = Field(None, description="For /v1/restore, where it was asked for and something was replaced.")


class RestoreRequest(Body):
    """A text in which originals are put back."""

    text: Text | Texts = Field(description="What was released, or what somebody wrote with it.")
    release: str = Field(max_length=NAME_CHARACTERS, description="Of the answer of /v1/sanitize.")


class RestoreAnswer(BaseModel):
    """The text with originals in it: private."""

    text: str | list[str]  # the text
    replaced: int  # how many mentions of surrogates were replaced
    ambiguous: int  # how many stay, since they do not tell for what they stand


class DetectRequest(Body):
    """A text in which spans are looked for."""

    text: Text
    policy: str | None = Field(None, description="Whose detectors look; the server's default if left out.")


class FoundSpan(BaseModel):
    """The characters ``text[start:end]``, of this kind."""

    start: int
    end: int
    kind: str
    score: float


class DetectAnswer(BaseModel):
    """What was found, by start, none overlapping."""

    policy: str
    spans: list[FoundSpan]


class ExplainRequest(Body):
    """What to explain."""

    policy: str | None = None
    epsilon: Epsilon = None
    word: Annotated[Text, Field(min_length=1, max_length=NAME_CHARACTERS)] | None = Field(
        None, description="A word, under a policy that draws words: what it becomes, and how probably."
    )
    top: int = Field(10, ge=0, le=1000, description="How many of the likeliest outputs are listed.")
