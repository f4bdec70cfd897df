"""The service behind the gateway: one base URL, no redirects, no unchecked address, no header but ours.

A host is looked up once, and the connection goes to an address that was checked.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import anyio
import httpcore

from textveil.errors import ParameterError, need
from textveil.server.config import Config
from textveil.server.errors import ApiError
from textveil.server.gateway.ahead import ConnectionsAhead
from textveil.server.gateway.json_text import answer_data
from textveil.version import VERSION

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
LookUp: TypeAlias = Callable[[str, int], Awaitable[list[str]]]

# IPv6 addresses whose last 32 bits are an IPv4 address (RFC 6052, RFC 8215)
_TRANSLATED: Final = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
# private addresses at which clouds tell a machine its credentials: of Amazon, Google and Oracle
_METADATA: Final = frozenset(map(ipaddress.IPv6Address, ("fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe")))


class ForbiddenAddress(Exception):
    """A host has an address that may not be connected to."""


async def look_up(host: str, port: int) -> list[str]:
    """Return all addresses of a host, in the order of the system's resolver; OSError if it has none."""
    answers = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in answers))


def literal(host: str) -> Address | None:
    """Return the address that a host is written as; None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Tell whether an address lies in the public Internet, and so do the IPv4 addresses that it carries."""
    if isinstance(address, ipaddress.IPv6Address):
        for carried in _carried(address):
            if not is_public(carried):
                return False
        if address.ipv4_mapped is not None:
            return True
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _carried(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """Return IPv4 addresses that packets to an IPv6 address may be handed on to."""
    carried = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in _TRANSLATED):
        carried.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [address for address in carried if address is not None]


def is_near(address: Address) -> bool:
    """Tell whether an address is of this machine or of a private network, as an operator may name it.

    Link-local addresses are not, nor the others at which clouds tell a machine's credentials.
    """
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_near(address.ipv4_mapped)
        if address in _METADATA or _carried(address):
            return False
    far = address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved
    return address.is_loopback or (address.is_private and not far)


class CheckedConnections(httpcore.AsyncNetworkBackend):
    """Connects to checked addresses alone.

    A host is looked up here and nowhere else, all of its addresses are checked, and the connection goes to one of
    those: a later answer of a name server makes no difference. Certificates are checked against the name.

    Args:
        private: whether addresses of private networks and of this machine are allowed; link-local ones never are.
        addresses: looks up a host.
    """

    def __init__(self, *, private: bool, addresses: LookUp = look_up) -> None:
        self._private = private
        self._addresses = addresses
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of a host that answers.

        Raises:
            ForbiddenAddress: one of its addresses may not be connected to.
            httpcore.ConnectError: it has none, or none answers.
            httpcore.ConnectTimeout: not in time.
        """
        try:
            with anyio.fail_after(timeout):
                return await self._connected(await self._checked(host, port), port, local_address, socket_options)
        except TimeoutError:
            raise httpcore.ConnectTimeout("no connection in time") from None

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Refuse: an upstream is a host."""
        raise ForbiddenAddress

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    async def _checked(self, host: str, port: int) -> list[str]:
        written = literal(host)
        try:
            addresses = [str(written)] if written is not None else await self._addresses(host, port)
        except (OSError, UnicodeError):
            raise httpcore.ConnectError("the host has no address") from None
        if not addresses:
            raise httpcore.ConnectError("the host has no address")
        for written_address in addresses:
            address = literal(written_address)
            if address is None or not (is_public(address) or (self._private and is_near(address))):
                raise ForbiddenAddress
        return addresses

    async def _connected(
        self, addresses: list[str], port: int, local_address: str | None, socket_options: Iterable[Any] | None
    ) -> httpcore.AsyncNetworkStream:
        for place, address in enumerate(addresses):
            try:
                return await self._network.connect_tcp(address, port, None, local_address, socket_options)
            except httpcore.ConnectError:
                if place == len(addresses) - 1:
                    raise
        raise httpcore.ConnectError("the host has no address")


ANSWER_BYTES: Final = 64 * 2**20  # of an answer, at most
# of the upstream's answer that the client gets
KEPT_HEADERS: Final = re.compile(
    r"retry-after(-ms)?|openai-processing-ms|x-upstream-request-id|request-id|(x|anthropic)-ratelimit-[a-z-]{1,40}"
)
_HEADER_VALUE: Final = re.compile(r"[A-Za-z0-9 ._:,-]{1,200}")
_IDLE_SECONDS: Final = 4.0  # servers mostly close idle connections after five seconds: ours are closed before
_KEY_PIECE: Final = 6  # characters of the key in a row that no message repeats


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the upstream: its status, headers that may be handed on, and content type in small letters."""

    status: int
    headers: Mapping[str, str]
    kind: str
    _pieces: AsyncIterator[bytes] = field(repr=False)
    _whole_by: float = field(repr=False)
    _streamed_by: float = field(repr=False)
    _stream_bytes: int = field(repr=False)

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield its body as it comes.

        Raises ApiError: it breaks off, has another length than it says, does not go on or end in time, or is too long.
        """
        size = 0
        async for piece in self._until(self._streamed_by):
            size += len(piece)
            if size > self._stream_bytes:
                raise invalid_answer(f"it is longer than {self._stream_bytes} bytes (`upstream_stream_bytes`)")
            yield piece

    async def data(self) -> dict[str, Any]:
        """Return its body as a JSON object. Raises ApiError: it is something else; or as ``pieces``."""
        body = bytearray()
        async for piece in self._until(self._whole_by):
            body += piece
            if len(body) > ANSWER_BYTES:
                raise invalid_answer("it is too long")
        try:
            data = answer_data(body)
        except ValueError:
            raise invalid_answer("it is no JSON, or nested too deep") from None
        if not isinstance(data, dict):
            raise invalid_answer("it is no JSON object")
        return data

    async def _until(self, end: float) -> AsyncIterator[bytes]:
        """Yield its body until a time of the loop's clock: a peer that sends a byte a minute would never end."""
        with _told():
            while True:
                async with asyncio.timeout_at(end):
                    piece = await anext(self._pieces, None)
                if piece is None:
                    return
                yield piece


class Upstream:
    """Sends to one base URL.

    Args:
        url: as ``https://api.openai.com/v1``; without a path ``/v1`` is taken.
        key: sent as a bearer token; None sends none.
        hosts: that may be sent to; empty allows that of ``url``.
        private: whether its name may have addresses of private networks; an address that ``url`` itself names may be
            one, and so may localhost.
        connect_seconds: until a connection must stand.
        seconds: between two pieces of an answer, at most.
        answer_seconds: until an answer must be whole, or the head of a streamed one.
        stream_seconds: until a streamed answer must have ended.
        stream_bytes: of a streamed answer, at most.
        connections: at one time, at most.
        kept: whether a connection is used again: faster, but bytes that something between here and the upstream sends
            after an answer would be taken for the next one.
        addresses: looks up a host.

    Raises ParameterError: ``url`` is none, holds a user or a query, is of a host that is not allowed, or would send the
    key unencrypted to another network.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        hosts: tuple[str, ...] = (),
        private: bool = False,
        connect_seconds: float = 10.0,
        seconds: float = 120.0,
        answer_seconds: float = 600.0,
        stream_seconds: float = 3600.0,
        stream_bytes: int = ANSWER_BYTES,
        connections: int = 256,
        kept: bool = False,
        addresses: LookUp = look_up,
    ) -> None:
        host, named = _checked(url, hosts)
        need(
            url.startswith("https:") or named or private or key is None,
            "upstream",
            "http with a key",
            "an https URL",
            "The key would be sent unencrypted.",
        )
        self._base = base_of(url)
        self._key = key
        self._timeout = {"connect": connect_seconds, "read": seconds, "write": seconds, "pool": connect_seconds}
        # Made once, not for each connection: to read all certificates takes a tenth of a second.
        context = httpcore.default_ssl_context() if urlsplit(url).scheme == "https" else None
        network: httpcore.AsyncNetworkBackend = CheckedConnections(private=private or named, addresses=addresses)
        self._ahead = None
        if context is not None and not kept:
            self._ahead = network = ConnectionsAhead(network, context, connect_seconds)
        self._pool = httpcore.AsyncConnectionPool(
            max_connections=connections,
            ssl_context=context,
            # Used once: what an upstream sends behind an answer would be taken for the next one.
            max_keepalive_connections=None if kept else 0,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=network,
        )
        self._answer_seconds, self._stream_seconds = answer_seconds, stream_seconds
        self._stream_bytes = stream_bytes
        self._host = host

    @classmethod
    def of(cls, config: Config) -> Upstream | None:
        if config.upstream is None:
            return None
        key = config.upstream_key
        return cls(
            config.upstream,
            key=None if key is None else key.get_secret_value(),
            hosts=config.upstream_hosts,
            private=config.upstream_private_addresses,
            connect_seconds=config.upstream_connect_seconds,
            seconds=config.upstream_seconds,
            answer_seconds=config.upstream_answer_seconds,
            stream_seconds=config.upstream_stream_seconds,
            stream_bytes=config.upstream_stream_bytes,
            connections=config.concurrent_requests,
            kept=config.upstream_connections == "kept",
        )

    def __repr__(self) -> str:
        return f"Upstream({self._host})"

    @asynccontextmanager
    async def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        api: Mapping[str, str] | None = None,
        sent: Callable[[], None] | None = None,
    ) -> AsyncIterator[Answer]:
        """Send a request; its connection is held until the context ends.

        Args:
            method: of HTTP.
            path: below the base URL, with its first slash.
            body: JSON; None for no body.
            api: headers of Anthropic's API, which has another one for its key; None is the OpenAI API.
            sent: called when the request is on its way.

        Raises ApiError: it cannot be reached, does not answer in time, or answers with something else than HTTP, a
        redirect, or an encoding that was not asked for.
        """
        headers = [("Accept", "application/json, text/event-stream"), ("Accept-Encoding", "identity")]
        headers.append(("User-Agent", f"textveil/{VERSION}"))
        if body is not None:
            headers.append(("Content-Type", "application/json"))
        if self._key is not None:
            headers.append(("Authorization", f"Bearer {self._key}") if api is None else ("x-api-key", self._key))
        headers += (api or {}).items()
        extensions = {"timeout": self._timeout} | ({} if sent is None else {"trace": _when_sent(sent)})
        asked = self._pool.stream(method, self._base + path, headers=headers, content=body, extensions=extensions)
        now = asyncio.get_running_loop().time()
        whole_by, streamed_by = now + self._answer_seconds, now + self._stream_seconds
        with _told():
            async with asyncio.timeout_at(whole_by):
                answer = await asked.__aenter__()
        try:
            yield _answered(answer, whole_by, streamed_by, self._stream_bytes)
        finally:
            await asked.__aexit__(None, None, None)
            if self._ahead is not None:
                self._ahead.open_one()

    def hides(self, text: str) -> bool:
        """Tell whether a text holds no piece of the key that is worth anything."""
        if self._key is None:
            return True
        size = _KEY_PIECE
        pieces = (self._key[at : at + size] for at in range(max(1, len(self._key) - size + 1)))
        return not any(piece in text for piece in pieces)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._ahead is not None:
            await self._ahead.aclose()
        await self._pool.aclose()


def base_of(url: str) -> str:
    """Return the URL before the paths of an API; without a path ``/v1`` is taken."""
    plain = url.rstrip("/")
    return plain if urlsplit(url).path.strip("/") else f"{plain}/v1"


def _checked(url: str, hosts: tuple[str, ...]) -> tuple[str, bool]:
    """Check a base URL; return its host, and whether the URL itself names a place of this machine or network."""
    try:
        parts = urlsplit(url)
        host, _ = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise ParameterError("upstream must be a URL as https://api.openai.com/v1; got something else.") from None
    plain = parts.scheme in ("http", "https") and host and not (parts.query or parts.fragment)
    need(
        bool(plain),
        "upstream",
        "something else",
        "a URL with http:// or https://, as https://api.openai.com/v1, and no query",
    )
    need(
        parts.username is None and parts.password is None,
        "upstream",
        "one with a user",
        "a URL without a user or password",
        "Give the key by `upstream_key`.",
    )
    allowed = {host.lower().rstrip(".") for host in hosts}
    need(not allowed or host in allowed, "upstream", host, "of a host that `upstream_hosts` names")
    address = literal(host)
    return host, host == "localhost" or (address is not None and is_near(address))


def _when_sent(sent: Callable[[], None]) -> Callable[[str, Any], Awaitable[None]]:
    async def trace(event: str, facts: Any) -> None:
        if event == "http11.send_request_body.complete":
            sent()

    return trace


@contextmanager
def _told() -> Iterator[None]:
    """Tell failures between here and the upstream, without its text."""
    try:
        yield
    except ForbiddenAddress:
        raise ApiError(
            502,
            "upstream_forbidden",
            "the upstream's host has an address in a private network. Set upstream_private_addresses if it should.",
            "upstream_error",
        ) from None
    except httpcore.TimeoutException as error:
        what = "be connected to" if isinstance(error, httpcore.ConnectTimeout) else "answer"
        raise ApiError(
            504, "upstream_timeout", f"the upstream did not {what} in time. Try again later.", "upstream_error"
        ) from None
    except TimeoutError:
        message = "the upstream's answer did not come to its end in time. Ask for less, or try again later."
        raise ApiError(504, "upstream_timeout", message, "upstream_error") from None
    except (httpcore.NetworkError, httpcore.RemoteProtocolError) as error:
        if isinstance(error, httpcore.ConnectError):
            raise ApiError(
                502, "upstream_unreachable", "the upstream cannot be connected to. Try again later.", "upstream_error"
            ) from None
        raise invalid_answer("the connection broke, or it was no HTTP") from None


def _answered(answer: httpcore.Response, whole_by: float, streamed_by: float, stream_bytes: int) -> Answer:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers}
    if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise invalid_answer("it is compressed, which was not asked for")
    if 300 <= answer.status < 400:
        raise invalid_answer("it points to another place, where nothing is sent")
    if "x-request-id" in headers:  # the server's own has that name
        headers["x-upstream-request-id"] = headers["x-request-id"]
    kept = {
        name: value
        for name, value in headers.items()
        if KEPT_HEADERS.fullmatch(name) and _HEADER_VALUE.fullmatch(value)
    }
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return Answer(answer.status, kept, kind, aiter(answer.aiter_stream()), whole_by, streamed_by, stream_bytes)


def invalid_answer(what: str) -> ApiError:
    """Return the error for an invalid answer of the upstream; it has the request."""
    message = f"the request was sent on and is paid, but the upstream's answer cannot be used: {what}. Try again later."
    return ApiError(502, "upstream_invalid", message, "upstream_error")
