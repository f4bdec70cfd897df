"""The ASGI application around all routes: callers, limits, headers, the shape of errors, counters, a line in the log.

The caller is read from the headers alone, before a body is read or a place taken: strangers have places of their
own, by address, so however many connections they open, they take none of a caller's.

No exception leaves it: whoever runs the application would log the message, which may hold text.
"""

import asyncio
import ipaddress
import logging
import random
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from textveil.server.config import Config
from textveil.server.errors import ApiError, as_api_error
from textveil.server.keys import Caller, Callers, sent_key
from textveil.server.monitoring import ServerMetrics

logger = logging.getLogger("textveil.server.requests")

LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")  # names of a server that only this machine can reach
# of every answer that sets no other value itself
_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}

# of requests, in the log and in answers: they tell requests apart, and keep nothing secret
_NUMBERS: Final = random.Random(secrets.randbits(256))
_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))

_HEALTH: Final = "/healthz"
# routes that answer however busy the server is: they read no body and wait for nothing
_WITHOUT_PLACES: Final = frozenset((_HEALTH, "/metrics"))
_VERIFIED_AT_ONCE: Final = 8  # keys of one address that are verified at one time; others of it wait
# wait for a body that nobody reads: a client that is cut off while it sends may not read its answer
_DRAINED_SECONDS: Final = 1.0
# headers that say one thing, with those that begin with ``X-Textveil-``
_ONCE: Final = frozenset(
    (b"host", b"origin", b"authorization", b"x-api-key", b"content-type", b"content-length", b"anthropic-version")
)
_STRANGER: Final = frozenset((401, 403))  # statuses of a key that is missing or is not taken


class ClientGone(Exception):
    """The client went away before its request was whole."""


class _Reply:
    """Passes an answer on with the headers of every answer; ``status`` is 0 before it."""

    def __init__(self, send: Send, request: str, *, closes: bool) -> None:
        self._send = send
        self._request = request
        self.status = 0
        self.closes = closes  # the connection, with the answer: a body is still to come

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message.setdefault("headers", [])
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers["x-request-id"] = self._request
            if self.closes:
                headers["connection"] = "close"
        await self._send(message)


class Guard:
    """An ASGI application around another: it holds requests to the limits of the configuration, and counts them."""

    def __init__(self, app: ASGIApp, *, config: Config, metrics: ServerMetrics) -> None:
        self._app = app
        self._config = config
        self._metrics = metrics
        self._places = _Places(config.concurrent_requests)
        self._strangers = _Places(config.concurrent_requests)
        self._verifying: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        names = [*(LOCAL_NAMES if config.loopback else ()), *config.hosts]
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = f"{_NUMBERS.getrandbits(64):016x}"
        scope.setdefault("state", {})["request"] = request
        started, reply, problem = time.perf_counter(), _Reply(send, request, closes=_announces_body(scope)), None
        try:
            await self._answer(scope, receive, reply)
        except ClientGone:
            pass
        except Exception as error:
            problem = as_api_error(error)
            if reply.status == 0:
                await problem.response(scope)(scope, receive, reply)
        self._note(scope, reply.status, time.perf_counter() - started, problem)

    async def _answer(self, scope: Scope, receive: Receive, reply: _Reply) -> None:
        _need_single_headers(scope)
        self._need_own_name(scope)
        _need_plain(scope)
        if scope["path"] == _HEALTH:
            await self._app(scope, replayed(b"", receive), reply)
            return
        who = await self._who(scope)
        if isinstance(who, ApiError) and (reply.closes or scope["method"] not in ("GET", "HEAD")):
            await _drained(receive, self._config.body_bytes)
            raise who
        with self._admitted(scope, who):
            body = b""
            if not isinstance(who, ApiError) and scope["path"] not in _WITHOUT_PLACES:
                body, reply.closes = await self._body(scope, receive), False
            await self._app(scope, replayed(body, receive), reply)

    async def _who(self, scope: Scope) -> Caller | ApiError:
        """Return the caller by the headers, or the error of a stranger. Routes find it in the request's state.

        Raises ApiError: the key sends too much, or too many are verified; LedgerError: the database fails.
        """
        state = scope["state"]
        callers: Callers = scope["app"].state.callers
        address = _address(scope)
        verifying = self._verifying.setdefault(address, asyncio.Semaphore(_VERIFIED_AT_ONCE))
        who: Caller | ApiError
        try:
            async with verifying:
                who = await callers.of(sent_key(Headers(scope=scope)))
        except ApiError as error:
            if error.status not in _STRANGER:
                raise
            who = error
        state["caller"] = who
        if isinstance(who, Caller) and who.key_id is not None:
            state["key"] = who.key_id  # for the log
        return who

    @contextmanager
    def _admitted(self, scope: Scope, who: Caller | ApiError) -> Iterator[None]:
        with ExitStack() as held:
            if scope["path"] not in _WITHOUT_PLACES:
                if isinstance(who, ApiError):
                    held.enter_context(self._strangers.held(_address(scope), self._config.stranger_requests))
                else:
                    name = _address(scope) if who.key_id is None else who.key_id
                    held.enter_context(self._places.held(name, self._config.key_requests))
                self._metrics.under_way.inc()
                held.callback(self._metrics.under_way.dec)
            yield

    def _need_own_name(self, scope: Scope) -> None:
        """Refuse requests of a page of another origin, and those by a name that is not the server's.

        A browser sends both on behalf of pages of strangers: a request to another origin, and one to a name of theirs
        that they let point at this machine.
        """
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._names and _name_in(host) not in self._names:
            message = "`host` of the request must be a name of this server. Add it to `hosts` of its configuration."
            raise ApiError(421, "unknown_host", message)
        if (origin := headers.get("origin")) is not None and urlsplit(origin).netloc.lower() != host.lower():
            raise ApiError(403, "other_origin", "pages of another origin may not call this server.", "permission_error")

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        most, hint = self._config.body_bytes, ", or raise `body_bytes`"
        told = Headers(scope=scope).get("content-length", "")
        if told.isdigit() and int(told) > most:
            raise _too_large(most, hint)
        try:
            async with asyncio.timeout(self._config.body_seconds):
                return await whole_body(receive, most, hint)
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
        facts |= state.get("inspected", {})
        if "key" in state:
            facts["key"] = state["key"]
        logger.info("request", extra=facts)


class _Places:
    """Places of requests that are answered at one time, ``most`` of all together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._all = 0
        self._of: Counter[str] = Counter()

    @contextmanager
    def held(self, name: str, most: int) -> Iterator[None]:
        """Hold one of the ``most`` places of a key or an address.

        Raises ApiError: it holds as many, or none is free.
        """
        if self._of[name] >= most:
            message = f"this key or address may have {most} requests at one time; got more. Wait for an answer first."
            raise ApiError(429, "rate_limit_exceeded", message, "rate_limit_error", headers={"retry-after": "1"})
        if self._all >= self._most:
            message = "the server has as much to do as it takes at one time. Try again soon."
            raise ApiError(503, "overloaded", message, "server_error", headers={"retry-after": "1"})
        self._all += 1
        self._of[name] += 1
        try:
            yield
        finally:
            self._all -= 1
            self._of[name] -= 1
            if not self._of[name]:
                del self._of[name]


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receiver of the body, then of what comes after it."""
    left = [body]

    async def again() -> Message:
        return {"type": "http.request", "body": left.pop(), "more_body": False} if left else await receive()

    return again


async def _drained(receive: Receive, most: int) -> None:
    """Let a body come that nobody reads, for a while and up to a size; ClientGone if the client went away."""
    size = 0
    try:
        async with asyncio.timeout(_DRAINED_SECONDS):
            while size <= most:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def _address(scope: Scope) -> str:
    """Return the address of a connection: of IPv6 the network, of which one machine has all addresses."""
    client = scope.get("client")
    host = client[0] if client else ""
    if ":" not in host:
        return str(host)
    address = ipaddress.IPv6Address(host)
    return str(address.ipv4_mapped or ipaddress.IPv6Network((int(address), 64), strict=False))


def _announces_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return headers.get("content-length", "0").strip() != "0" or "transfer-encoding" in headers


def _need_single_headers(scope: Scope) -> None:
    """Refuse headers that occur twice and may once: a proxy and this server may read different ones."""
    seen: set[bytes] = set()
    for raw, _ in scope["headers"]:
        if (name := raw.lower()) not in _ONCE and not name.startswith(b"x-textveil-"):
            continue
        if name in seen:
            shown = name.decode("latin-1") if name in _ONCE else "a header that begins with x-textveil-"
            raise ApiError(400, "invalid_header", f"{shown} must occur once in a request; got it twice. Send it once.")
        seen.add(name)


async def whole_body(receive: Receive, most: int, hint: str = "") -> bytes:
    """Return the whole body of a request.

    Raises:
        ClientGone: the client went away.
        ApiError: it has more than ``most`` bytes; ``hint`` ends the message.
    """
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise _too_large(most, hint)
        if not message.get("more_body", False):
            return b"".join(parts)


def _too_large(most: int, hint: str) -> ApiError:
    message = f"the body must have at most {most} bytes; got more. Send less at a time{hint}."
    return ApiError(413, "body_too_large", message, headers={"connection": "close"})


def _need_plain(scope: Scope) -> None:
    """Refuse an encoded body: it would be read as something else, or grow without a limit when it is decoded."""
    encodings = Headers(scope=scope).getlist("content-encoding")
    if any(encoding.strip().lower() not in ("", "identity") for said in encodings for encoding in said.split(",")):
        message = "the body must come without a content-encoding; got an encoded one. Send it as it is."
        headers = {"accept-encoding": "identity", "connection": "close"}
        raise ApiError(415, "unsupported_encoding", message, headers=headers)


def _name_in(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
