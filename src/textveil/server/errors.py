"""Errors in the shape of the OpenAI API, ``{"error": {"message", "type", "param", "code"}}``, or of Anthropic's.

No message holds text of a request: a validator's quotes are left out, and unforeseen errors have no message at all.
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

from textveil import errors
from textveil.server.foreign import TooManyForeignValues
from textveil.server.kept_data import ForgottenConversation

logger = logging.getLogger("textveil.server")

# names of fields that a message may repeat; others may be text
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,39}")
_OF_HTTP: Final = {
    400: ("invalid_json", "the request cannot be read: its body must be JSON in UTF-8."),
    401: ("invalid_api_key", "the request cannot be answered."),
    404: ("not_found", "no such route. See /docs for those there are."),
    405: ("method_not_allowed", "this route does not take this method. See /docs."),
    413: ("body_too_large", "the body is larger than this server takes. Send less at a time."),
}
"""Code and message of an error that the framework raises, by status."""

# groups of errors in Anthropic's API, by status
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


class ApiError(Exception):
    """A request cannot be answered.

    Args:
        status: of HTTP.
        code: for programs, as ``budget_exhausted``.
        message: one line for people, without text of the request.
        type: the group of errors in the OpenAI API.
        param: the wrong field of the request.
        headers: of the answer, as ``Retry-After``.
        counted: the code in logs and metrics, if somebody else wrote ``code``.
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
        """Return the body of the answer to the request of a scope; None is of the OpenAI API."""
        facts = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        if scope is None or not speaks_anthropic(scope):
            return {"error": facts}
        unnamed = "api_error" if self.status >= 500 else "invalid_request_error"
        return {"type": "error", "error": {**facts, "type": _ANTHROPIC_TYPES.get(self.status, unnamed)}}

    def response(self, scope: Scope | None = None) -> JSONResponse:
        """Return the answer; ``scope`` as for ``to_data``."""
        return JSONResponse(self.to_data(scope), status_code=self.status, headers=self.headers)


def speaks_anthropic(scope: Scope) -> bool:
    """Tell whether a request is of Anthropic's API: by its path, or by the header of all of its clients."""
    return scope["path"].startswith("/v1/messages") or any(name == b"anthropic-version" for name, _ in scope["headers"])


def as_api_error(error: Exception) -> ApiError:
    """Return the answer to an error; of an unforeseen one, only the place is logged."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, RequestValidationError):
        return _of_validation(error)
    if isinstance(error, HTTPException):
        code, message = _OF_HTTP.get(error.status_code, ("invalid_request", "the request cannot be answered."))
        return ApiError(error.status_code, code, message, headers=error.headers)
    if isinstance(error, errors.ParameterError):
        return ApiError(400, "invalid_parameter", str(error), param=error.parameter or None)
    if isinstance(error, errors.BudgetExhausted):
        # OpenAI's clients ask again after 429 unless they are told that it is of no use.
        headers = {"x-should-retry": "false"}
        if error.renews is not None:
            wait = (error.renews - datetime.now(UTC)).total_seconds()
            headers["retry-after"] = str(max(1, math.ceil(wait)))
        return ApiError(429, "budget_exhausted", str(error), "insufficient_quota", headers=headers)
    if isinstance(error, errors.LedgerError):
        return ApiError(503, "ledger_unavailable", str(error), "server_error")
    if isinstance(error, ForgottenConversation):
        return ApiError(409, "conversation_forgotten", str(error))
    if isinstance(error, TooManyForeignValues):
        return ApiError(400, "too_many_foreign_values", str(error))
    if isinstance(error, errors.SlowText):
        return ApiError(413, "texts_too_slow", str(error))
    if isinstance(error, errors.InputError | errors.UnsupportedGuarantee):
        return ApiError(400, "invalid_input", str(error))
    if isinstance(error, errors.InternalError):  # has a code of its own: such a request is never sent unprotected
        logger.error("a release was refused", extra={"place": place_of(error)})
        return ApiError(500, "release_refused", str(error), "server_error")
    if not isinstance(error, errors.TextveilError):
        logger.error("internal error", extra={"place": place_of(error)})
    return ApiError(500, "internal_error", "the server failed; nothing was sent on. See its log.", "server_error")


def place_of(error: BaseException) -> str:
    """Return type and place of an error, without its message, which may hold text."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def _of_validation(error: RequestValidationError) -> ApiError:
    """Tell the first fault of a body by its field, never by its value."""
    first = error.errors()[0]
    if (kind := str(first.get("type", ""))) == "json_invalid":
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

# the key of a validator's bound, which is the API's and no text
_BOUNDS: Final = {
    "too_short": "min_length",
    "too_long": "max_length",
    "greater_than_equal": "ge",
    "less_than_equal": "le",
}


async def refuse_unread_query(request: Request) -> None:
    """Refuse parameters of a query that the route does not read, as a dependency of routes.

    Raises ApiError: a parameter is none of the route's.
    """
    route = request.scope["route"]
    if not route.path.startswith("/v1/"):
        return  # what looks whether a process lives may add what it likes
    known = {parameter.alias for parameter in route.dependant.query_params}
    for name in request.query_params:
        if name not in known:
            raise unknown_field(repeatable(name), "of this route's query")


def unknown_field(name: str, place: str = "of this request") -> ApiError:
    """Return the error for a field that nobody reads."""
    return ApiError(400, "unknown_field", f"{name} is no field {place}. Leave it out.", param=name)


def too_many_texts(most: int) -> ApiError:
    """Return the error for a request with too many texts."""
    message = f"a request must hold at most {most} texts (`request_texts`); got more. Send several requests."
    return ApiError(413, "too_many_texts", message)


def repeatable(name: str) -> str:
    """Return a field's name as a message may repeat it."""
    return name if _PLAIN_NAME.fullmatch(name) else "(a field)"


def add_handlers(app: FastAPI) -> None:
    """Answer every error of every route in one shape."""

    async def handler(request: Request, error: Exception) -> JSONResponse:
        problem = as_api_error(error)
        request.state.code = problem.counted  # for the log and the counters
        return problem.response(request.scope)

    for kind in (ApiError, RequestValidationError, HTTPException, errors.TextveilError):
        app.add_exception_handler(kind, handler)
