"""Bodies of requests: JSON by the standard, in which no object says a thing twice: readers differ in what it says."""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from functools import partial
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from textveil.json_text import json_data
from textveil.server.errors import ApiError, repeatable
from textveil.server.service import beside


class _SaidTwice(dict[str, Any]):
    """An object of which a key occurs twice.

    Attributes:
        key: the first such.
    """

    key: str


def parsed(
    text: str | bytes,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
    floats: Callable[[str], float] | None = None,
) -> Any:
    """What a JSON text says.

    Args:
        text: in UTF-8, where it is bytes.
        pairs: makes an object of its keys and values; None makes a dictionary.
        floats: makes a number of one with a point or an exponent; None is ``float``.

    Raises:
        ValueError: it is no JSON by the standard, or nested too deep.
    """
    return json_data(text, constants=_no_constant, pairs=pairs, floats=floats)


def request_json(body: bytes) -> Any:
    """What the body of a request says.

    Raises:
        ApiError: it is no JSON by the standard in UTF-8, nested too deep, or says a key of an object twice.
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
    """What the body of a request says, an object.

    Raises:
        ApiError: it says something else; or as ``request_json``.
    """
    asked = request_json(body)
    if not isinstance(asked, dict):
        raise ApiError(400, "invalid_json", "the body must be a JSON object; got something else.")
    return asked


def need_json(headers: Mapping[str, str]) -> None:
    """Refuse a body that does not say that it is JSON: a browser sends such for any page, without asking the server.

    Raises:
        ApiError: the content type is another one, or none.
    """
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        message = "content-type of the request must be application/json; got another, or none."
        raise ApiError(415, "unsupported_media_type", message)


class StrictRoute(APIRoute):
    """A route whose bodies are read by ``request_json``."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's own handler, of a request that reads its JSON so."""
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
    """Where keys occur twice, as ``messages[0].role``; keys that may be text are not repeated."""
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


def _no_constant(name: str) -> Any:
    raise ValueError
