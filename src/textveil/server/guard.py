"""What stands around every route: limits, headers, the shape of errors, counters, a line in the log.

Nothing that is raised inside leaves it: whoever runs the application would log the message, which may hold text.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from textveil.server.config import Config
from textveil.server.errors import ApiError, as_api_error
from textveil.server.metrics import ServerMetrics

logger = logging.getLogger("textveil.server.requests")

LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")
"""By which names a server that only this machine can reach may be asked for."""

_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Of every answer that does not say otherwise itself."""

_NUMBERS: Final = random.Random(secrets.randbits(256))
"""Of requests, in the log and in answers: they tell requests apart, and nothing is kept secret by them."""

_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


class _Gone(Exception):
    """The client went away before its request was whole."""


@final
class _Reply:
    """Passes an answer on, with the headers that every answer has, and remembers how far it came."""

    def __init__(self, send: Send, request: str) -> None:
        self._send = send
        self._request = request
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message.setdefault("headers", [])
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers["x-request-id"] = self._request
        await self._send(message)


@final
class Guard:
    """An ASGI application around another.

    Args:
        app: the routes.
        config: limits.
        metrics: counts what is answered.
    """

    def __init__(self, app: ASGIApp, *, config: Config, metrics: ServerMetrics) -> None:
        self._app = app
        self._config = config
        self._metrics = metrics
        self._under_way = 0
        names = [*(LOCAL_NAMES if config.loopback else ()), *config.hosts]
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = f"{_NUMBERS.getrandbits(64):016x}"
        scope.setdefault("state", {})["request"] = request
        started, reply, problem = time.perf_counter(), _Reply(send, request), None
        try:
            with self._admitted():
                self._need_own_name(scope)
                _need_plain(scope)
                body = await self._body(scope, receive)
                await self._app(scope, replayed(body, receive), reply)
        except _Gone:
            pass
        except Exception as error:
            problem = as_api_error(error)
            if reply.status == 0:
                await problem.response(scope)(scope, receive, reply)
        self._note(scope, reply.status, time.perf_counter() - started, problem)

    @contextmanager
    def _admitted(self) -> Iterator[None]:
        """Refuse what is more than can be answered at one time."""
        if self._under_way >= self._config.concurrent_requests:
            message = "the server has as much to do as it takes at one time. Try again soon."
            raise ApiError(503, "overloaded", message, "server_error", headers={"retry-after": "1"})
        self._under_way += 1
        self._metrics.under_way.inc()
        try:
            yield
        finally:
            self._under_way -= 1
            self._metrics.under_way.dec()

    def _need_own_name(self, scope: Scope) -> None:
        """Refuse what a page of another origin sends, and what came by a name that is not the server's.

        A browser sends both on behalf of pages of strangers: a request to another origin, and one to a name of theirs
        that they let point at this machine.
        """
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._names and _name_in(host) not in self._names:
            message = "`host` of the request must be a name of this server. Add it to `hosts` of its configuration."
            raise ApiError(421, "unknown_host", message)
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            raise ApiError(403, "other_origin", "pages of another origin may not call this server.", "permission_error")

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body, within its limits of size and time."""
        most = self._config.body_bytes
        told = Headers(scope=scope).get("content-length", "")
        if told.isdigit() and int(told) > most:
            raise _too_large(most)
        parts, size = [], 0
        try:
            async with asyncio.timeout(self._config.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _Gone
                    part = message.get("body", b"")
                    size += len(part)
                    if size > most:
                        raise _too_large(most)
                    parts.append(part)
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            text = f"the request did not come whole within {self._config.body_seconds:g} s. Send it again, at once."
            raise ApiError(408, "request_timeout", text, headers={"connection": "close"}) from None

    def _note(self, scope: Scope, status: int, seconds: float, problem: ApiError | None) -> None:
        """Count the request and write its line; a status of 0 is a client that went away."""
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.labels(route, method, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        state = scope["state"]
        facts = {
            "request": state["request"],
            "method": method,
            "route": route,
            "status": status,
            "milliseconds": round(seconds * 1000, 1),
        }
        code = problem.counted if problem is not None else state.get("code")
        if code:
            facts["code"] = code
            self._metrics.refused.labels(code).inc()
        if "key" in state:
            facts["key"] = state["key"]
        logger.info("request", extra=facts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Gives the body once, then what comes after it."""
    left = [body]

    async def again() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return again


def _too_large(most: int) -> ApiError:
    message = f"the body must have at most {most} bytes; got more. Send less at a time, or raise `body_bytes`."
    return ApiError(413, "body_too_large", message, headers={"connection": "close"})


def _need_plain(scope: Scope) -> None:
    """Refuse a body that is encoded: it would be read as what it is not, or grow without a limit when it is decoded."""
    encodings = Headers(scope=scope).getlist("content-encoding")
    if any(encoding.strip().lower() not in ("", "identity") for said in encodings for encoding in said.split(",")):
        message = "the body must come without a content-encoding; got an encoded one. Send it as it is."
        headers = {"accept-encoding": "identity", "connection": "close"}
        raise ApiError(415, "unsupported_encoding", message, headers=headers)


def _name_in(host: str) -> str:
    """The name in ``name:port`` or ``[address]:port``."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
