"""Errors as the OpenAI API has them, ``{"error": {"message", "type", "param", "code"}}``, or as Anthropic's has them.

No message holds text of a request: what a validator quotes is left out, and what nobody foresaw has no message at all.
"""

import logging
import math
import re
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import Scope

from textveil.errors import (
    BudgetExhausted,
    InputError,
    InternalError,
    LedgerError,
    ParameterError,
    SlowText,
    TextveilError,
    UnsupportedGuarantee,
)
from textveil.server.foreign import TooManyForeignValues
from textveil.server.written_answers import ForgottenConversation

logger = logging.getLogger("textveil.server")

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,39}")
"""Names of fields that a message may repeat; others may be text."""

_CODES: Final = {
    400: "invalid_json",
    401: "invalid_api_key",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
}

_ANTHROPIC_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""The groups of errors as Anthropic's API names them, by status."""


class ApiError(Exception):
    """A request cannot be answered.

    Args:
        status: of HTTP.
        code: for programs, as ``budget_exhausted``.
        message: one line for people, without text of the request.
        type: the group of errors, as the OpenAI API names them.
        param: the field of the request that is wrong.
        headers: of the answer, as ``Retry-After``.
        counted: the code in logs and metrics, where ``code`` is of somebody else's making; None is ``code``.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        type: str = "invalid_request_error",
        *,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
        counted: str | None = None,
    ) -> None:
        super().__init__(message)
        self.counted = counted or code
        self.status = status
        self.code = code
        self.message = message
        self.type = type
        self.param = param
        self.headers = dict(headers or {})

    def to_data(self, scope: Scope | None = None) -> dict[str, Any]:
        """The body of the answer.

        Args:
            scope: of the request, which may be of Anthropic's API; None is of the OpenAI API.
        """
        facts = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        if scope is None or not speaks_anthropic(scope):
            return {"error": facts}
        unnamed = "api_error" if self.status >= 500 else "invalid_request_error"
        return {"type": "error", "error": {**facts, "type": _ANTHROPIC_TYPES.get(self.status, unnamed)}}

    def response(self, scope: Scope | None = None) -> JSONResponse:
        """The answer; ``scope`` as for ``to_data``."""
        return JSONResponse(self.to_data(scope), status_code=self.status, headers=self.headers)


def speaks_anthropic(scope: Scope) -> bool:
    """Whether a request is of Anthropic's API: by its path, or by the header that all of its clients send."""
    return scope["path"].startswith("/v1/messages") or any(name == b"anthropic-version" for name, _ in scope["headers"])


def as_api_error(error: Exception) -> ApiError:
    """What is answered where this was raised; of an error that nobody foresaw, only where it was raised is logged."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, RequestValidationError):
        return _of_validation(error)
    if isinstance(error, HTTPException):
        status = error.status_code
        code = _CODES.get(status, "invalid_request")
        return ApiError(status, code, _sentence(status), headers=error.headers)
    if isinstance(error, ParameterError):
        return ApiError(400, "invalid_parameter", str(error), param=error.parameter or None)
    if isinstance(error, BudgetExhausted):
        # OpenAI's clients ask again after 429 unless they are told that it is of no use.
        headers = {"x-should-retry": "false"}
        if error.renews is not None:
            wait = (error.renews - datetime.now(UTC)).total_seconds()
            headers["retry-after"] = str(max(1, math.ceil(wait)))
        return ApiError(429, "budget_exhausted", str(error), "insufficient_quota", headers=headers)
    if isinstance(error, LedgerError):
        return ApiError(503, "ledger_unavailable", str(error), "server_error")
    if isinstance(error, ForgottenConversation):
        return ApiError(409, "conversation_forgotten", str(error))
    if isinstance(error, TooManyForeignValues):
        return ApiError(400, "too_many_foreign_values", str(error))
    if isinstance(error, SlowText):
        return ApiError(413, "texts_too_slow", str(error))
    if isinstance(error, InputError | UnsupportedGuarantee):
        return ApiError(400, "invalid_input", str(error))
    if isinstance(error, InternalError):  # has a code of its own: such a request is never sent unprotected
        logger.error("a release was refused", extra={"place": place_of(error)})
        return ApiError(500, "release_refused", str(error), "server_error")
    if not isinstance(error, TextveilError):
        logger.error("internal error", extra={"place": place_of(error)})
    return ApiError(500, "internal_error", "the server failed; nothing was sent on. See its log.", "server_error")


def place_of(error: BaseException) -> str:
    """Type and place of an error, without its message, which may hold text."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def _sentence(status: int) -> str:
    known = {
        404: "no such route. See /docs for those there are.",
        405: "this route does not take this method. See /docs.",
        400: "the request cannot be read: its body must be JSON in UTF-8.",
        413: "the body is larger than this server takes. Send less at a time.",
    }
    return known.get(status, "the request cannot be answered.")


def _of_validation(error: RequestValidationError) -> ApiError:
    """The first thing that is wrong with a body, by its field; never its value."""
    first = error.errors()[0]
    kind = str(first.get("type", ""))
    if kind == "json_invalid":
        return ApiError(400, "invalid_json", "the body must be JSON in UTF-8; got something else.")
    named = [str(part) for part in first.get("loc", ()) if part != "body"]
    places = [part for part in named if part != "str" and "[" not in part]  # types that were tried in turn
    name = ".".join(part if part.isdigit() else repeatable(part) for part in places)
    if kind == "missing" and not places:
        return ApiError(400, "invalid_json", "the body must be JSON with content-type application/json; got none.")
    if kind == "extra_forbidden":
        return unknown_field(name)
    several = [fault for fault in error.errors() if fault.get("type") in ("too_short", "too_long")]
    if len(named) > len(places) and several:  # a list, of which it was told first that it is no string
        kind, first = str(several[0]["type"]), several[0]
    wanted = _WANTED.get(kind, "of another type or value; see /docs")
    facts = first.get("ctx", {})
    bound = facts.get(_BOUNDS.get(kind, ""))
    if kind in ("too_short", "too_long"):
        what, counted = ("list", "elements") if facts.get("field_type") == "List" else ("string", "characters")
        wanted = f"a {what} of {wanted} {bound} {counted}"
    elif bound is not None:
        wanted = f"{wanted} {bound}"
    elif len(named) > len(places) and kind.endswith("_type"):
        wanted = "a string or a list of strings"
    return ApiError(400, "invalid_field", f"{name or 'the body'} must be {wanted}.", param=name or None)


_WANTED: Final = {
    "missing": "given",
    "string_type": "a string",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
    "int_type": "an integer",
    "float_type": "a number",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "too_short": "at least",
    "too_long": "at most",
    "greater_than_equal": "at least",
    "less_than_equal": "at most",
    "string_unicode": "a string of Unicode characters, without lone surrogates",
}


_BOUNDS: Final = {
    "too_short": "min_length",
    "too_long": "max_length",
    "greater_than_equal": "ge",
    "less_than_equal": "le",
}
"""Where a validator tells the bound, which is the API's and no text."""


async def refuse_unread_query(request: Request) -> None:
    """A dependency of routes: what is asked for in a URL and read by nobody is refused, not ignored.

    Raises:
        ApiError: a parameter of the query is none of the route's.
    """
    route = request.scope["route"]
    if not route.path.startswith("/v1/"):
        return  # what looks whether a process lives may add what it likes
    known = {parameter.alias for parameter in route.dependant.query_params}
    for name in request.query_params:
        if name not in known:
            raise unknown_field(repeatable(name), "of this route's query")


def unknown_field(name: str, place: str = "of this request") -> ApiError:
    """Nobody reads this field."""
    return ApiError(400, "unknown_field", f"{name} is no field {place}. Leave it out.", param=name)


def too_many_texts(most: int) -> ApiError:
    """A request holds more texts than it may."""
    message = f"a request must hold at most {most} texts (`request_texts`); got more. Send several requests."
    return ApiError(413, "too_many_texts", message)


def repeatable(name: str) -> str:
    """A field's name where a message may repeat it."""
    return name if _PLAIN_NAME.fullmatch(name) else "(a field)"


def add_handlers(app: FastAPI) -> None:
    """Answer every error of every route in one shape."""

    async def handler(request: Request, error: Exception) -> JSONResponse:
        problem = as_api_error(error)
        request.state.code = problem.counted  # for the log and the counters
        return problem.response(request.scope)

    for kind in (ApiError, RequestValidationError, HTTPException, TextveilError):
        app.add_exception_handler(kind, handler)
