"""The gate before LiteLLM's proxy: LiteLLM gets no text, field or header of a client that was not read.

LiteLLM has hundreds of routes, runs guardrails on some of them only, and each version reads other fields and headers.
So the gate lets in what it knows, and nothing else. Of a chat, a completion or an embedding LiteLLM gets a stand-in:
the model, numbers and switches, and a constant in place of the text. The request itself waits here. LiteLLM checks
the key, the guardrail releases the texts of the request, and these take the place of the constant. What LiteLLM
sends, quotes or logs before, or by a way that no guardrail sees, holds no text.
"""

import hmac
import json
import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from textveil.errors import need
from textveil.server.bodies import need_json, request_object
from textveil.server.errors import ApiError, as_api_error
from textveil.server.gateway.chat import CHAT, COMPLETION, EMBEDDING
from textveil.server.gateway.reading import MODEL, Reader, refuse
from textveil.server.guard import ClientGone, replayed, whole_body


class CallKind(NamedTuple):
    """A kind of request: its fields, the needed ones, and those by whose beginning a conversation is known."""

    readers: Mapping[str, Reader]
    needed: tuple[str, ...]
    begins: tuple[str, ...]


CHATS: Final = CallKind(CHAT, ("messages",), ("messages",))
COMPLETIONS: Final = CallKind(COMPLETION, ("prompt",), ("prompt", "suffix"))
EMBEDDINGS: Final = CallKind(EMBEDDING, ("input",), ("input",))

STAND_IN: Final = "withheld"  # in place of a text until the text is released
_BY_NAME: Final = {"chat/completions": CHATS, "completions": COMPLETIONS, "embeddings": EMBEDDINGS}
# paths of requests that the guardrail reads; a model's name in one, the shortest, is public
_CALLS: Final = re.compile(
    rf"/(?:v1/|(?:engines|openai/deployments)/{MODEL.pattern}?/)?(?P<name>{'|'.join(_BY_NAME)})", re.ASCII
)

# paths by which the proxy tells of itself: by GET, without a query, they hold nothing of a client's
_TEXTLESS: Final = frozenset(("/models", "/v1/models", "/health/liveliness", "/health/liveness", "/health/readiness"))
# who asks, and from where; LiteLLM may send others on
_HEADERS: Final = frozenset((
    "accept", "access-control-request-headers", "access-control-request-method", "api-key", "authorization",
    "host", "ocp-apim-subscription-key", "origin", "x-api-key", "x-forwarded-for", "x-forwarded-host",
    "x-forwarded-proto", "x-litellm-api-key", "x-litellm-customer-id", "x-litellm-end-user-id",
))  # fmt: skip

# fields of LiteLLM alone that go on if they are numbers
_NUMBERS: Final = ("max_retries", "num_retries", "request_timeout", "stream_timeout", "timeout")
_SESSION: Final = "litellm_session_id"
_LARGEST: Final = 2**53
_MOST_BYTES: Final = 32 * 2**20

_ROUTE: Final = re.compile(r"(?:/[A-Za-z0-9._-]+)+")
_HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,80}")


class Withheld(NamedTuple):
    """A request that waits until LiteLLM asks the guardrail for it: the client's body, and the one shown to LiteLLM."""

    kind: CallKind
    asked: dict[str, Any]
    shown: dict[str, Any]

    def body(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the client's body, with LiteLLM's own changes in ``data``: another model by an alias, more options."""
        taken = (_SESSION, *(name for name in _NUMBERS if name in self.shown))
        asked = {name: value for name, value in self.asked.items() if name not in taken}
        for name in self.kind.readers:
            if data.get(name) != self.shown.get(name):
                asked[name] = data.get(name)
        return asked


_WITHHELD: ContextVar[Withheld | None] = ContextVar("withheld", default=None)


def withheld() -> Withheld | None:
    """Return the request under way; None if it did not come through the gate."""
    return _WITHHELD.get()


def install(routes: Sequence[str], headers: Sequence[str]) -> None:
    """Put the gate before LiteLLM's proxy, if this process runs one; settings of an earlier gate are replaced.

    Raises ParameterError: as ``Gate``; or there are settings, and no proxy.
    """
    if (proxy := sys.modules.get("litellm.proxy.proxy_server")) is None:
        need(not routes and not headers, "unread_routes", "some", "left out where LiteLLM's proxy does not run")
        return
    inner = proxy.app.middleware_stack or proxy.app.build_middleware_stack()
    proxy.app.middleware_stack = Gate(inner.app if isinstance(inner, Gate) else inner, routes, headers)


class Gate:
    """An ASGI application around LiteLLM's ``app``.

    ``app``: LiteLLM's; ``unread_routes``: paths that are let through as they are, each with all below it;
    ``unread_headers``: names of further headers that are let through as they are.

    Raises:
        ParameterError: a route is no path, or all of them; or a header has no name.
    """

    def __init__(self, app: ASGIApp, unread_routes: Sequence[str] = (), unread_headers: Sequence[str] = ()) -> None:
        need(_all_match(_ROUTE, unread_routes), "unread_routes", "another value", "a list of paths such as /key")
        need(_all_match(_HEADER, unread_headers), "unread_headers", "another value", "a list of names of headers")
        self.app = app
        self._routes = tuple(unread_routes)
        self._headers = _HEADERS | {name.lower() for name in unread_headers}
        self._key = secrets.token_bytes(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, whole or as its stand-in, or refuse it."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", "").rstrip("/"))
        if scope["type"] == "lifespan" or any(path == route or path.startswith(f"{route}/") for route in self._routes):
            await self.app(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._answer(path, scope, receive, send)

    async def _answer(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        call, method = _CALLS.fullmatch(path), scope["method"]
        sent = Headers(raw=list(scope["headers"]))
        # In place: whoever serves the proxy logs the query that its scope has.
        scope["query_string"] = b""
        scope["headers"] = [header for header in sent.raw if header[0].decode("latin-1").lower() in self._headers]
        token, body = None, b""
        try:
            if call is not None and method == "POST":
                need_json(sent)
                asked = request_object(await whole_body(receive, _MOST_BYTES))
                request = self._shown(asked, _BY_NAME[call["name"]], sent)
                token, body = _WITHHELD.set(request), json.dumps(request.shown).encode()
                scope["headers"] += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
            elif not (method == "GET" and path in _TEXTLESS) and not (method == "OPTIONS" and call is not None):
                raise ApiError(
                    400,
                    "unsupported_call",
                    "only chats, completions and embeddings can be sanitized; this route is not read and was blocked. "
                    "Its operator can open routes that send no text to a model by `unread_routes`.",
                )
        except ClientGone:
            return
        except Exception as error:
            await as_api_error(error).response()(scope, receive, send)
            return
        try:
            await self.app(scope, replayed(body, receive), send)
        finally:
            if token is not None:
                _WITHHELD.reset(token)

    def _shown(self, asked: dict[str, Any], kind: CallKind, headers: Headers) -> Withheld:
        """Make the stand-in; a model without a model's name is refused, for LiteLLM would quote it."""
        shown = {name: asked[name] for name in (*kind.readers, *_NUMBERS) if _is_fact(asked.get(name))}
        model, options = asked.get("model"), asked.get("stream_options")
        if model is not None:
            if not isinstance(model, str) or not MODEL.fullmatch(model):
                refuse("model", "the name of a model: up to 128 letters, digits and ._:/@+-")
            shown["model"] = model
        if isinstance(options, dict) and "stream_options" in kind.readers:
            known = ("include_usage", "include_obfuscation")
            shown["stream_options"] = {name: options[name] for name in known if isinstance(options.get(name), bool)}
        for name in kind.needed:
            if name in asked:
                shown[name] = [{"role": "user", "content": STAND_IN}] if name == "messages" else STAND_IN
        if isinstance(asked.get("user"), str):
            shown["user"] = asked["user"]  # whom LiteLLM counts the request for; the guardrail takes it out
        if session := _session(asked, headers):
            said = session.encode("utf-8", "surrogatepass")
            shown[_SESSION] = hmac.digest(self._key, said, "sha256").hex()[:32]
        return Withheld(kind, asked, shown)


def _session(asked: Mapping[str, Any], headers: Headers) -> str:
    """Return a client's name of a session, as LiteLLM looks for it; empty if there is none."""
    named = [headers.get("x-litellm-session-id"), asked.get(_SESSION)]
    for place in ("metadata", "litellm_metadata"):
        metadata = asked.get(place)
        named.append(metadata.get("session_id") if isinstance(metadata, dict) else None)
    return next((name for name in named if isinstance(name, str) and name), "")


def _is_fact(value: Any) -> bool:
    return isinstance(value, int | float) and -_LARGEST <= value <= _LARGEST


def _all_match(form: re.Pattern[str], names: Any) -> bool:
    return isinstance(names, list | tuple) and all(isinstance(name, str) and form.fullmatch(name) for name in names)
