"""HTTP on one connection, with an end to everything that a peer could draw out."""

import asyncio
import json
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from textveil.server.config import Config

_MOST_HEADER_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How long a peer may take.

    Attributes:
        head_seconds: until the head of a request must have come, from the first byte or the connection on.
        send_seconds: for which an answer may wait to be taken.
    """

    head_seconds: float
    send_seconds: float


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits for slow writers of a head, for slow readers, and for the size of a head.

    A connection that passes one of them is cut: it has no answer that its peer would read.
    """

    def __init__(self, *arguments: Any, limits: ConnectionLimits, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._limits = limits
        self._head: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._forget("_head")
        self._forget("_stalled")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what belongs to a head that has not ended: the parser tells of a header when it is whole."""
        super().data_received(data)
        if self._head is not None:
            self._count(len(data))

    def on_message_begin(self) -> None:
        """The first byte of a request came."""
        super().on_message_begin()
        self._head_bytes = 0
        if self._head is None:
            self._expect_head()

    def on_url(self, url: bytes) -> None:
        """A piece of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._forget("_head")
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """The peer does not take what is sent."""
        super().pause_writing()
        self._forget("_stalled")
        self._stalled = self.loop.call_later(self._limits.send_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It does again."""
        self._forget("_stalled")
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more came: close, and drop what the peer has not taken."""
        self.transport.abort() if self.transport.get_write_buffer_size() else super().timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP is answered in the shape of all errors."""
        error = {"message": "this is no HTTP request.", "type": "invalid_request_error", "param": None}
        body = json.dumps({"error": {**error, "code": "invalid_http"}}).encode("ascii")
        head = f"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        self.transport.write(head.encode("ascii") + b"connection: close\r\n\r\n" + body)
        self.transport.close()

    def _expect_head(self) -> None:
        self._head = self.loop.call_later(self._limits.head_seconds, self.transport.abort)

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > _MOST_HEADER_BYTES:
            self.transport.abort()

    def _forget(self, name: str) -> None:
        timer = getattr(self, name)
        if timer is not None:
            timer.cancel()
            setattr(self, name, None)


def protocol_of(config: Config) -> type[asyncio.Protocol]:
    """The protocol with the limits of a server, as uvicorn takes it."""
    limits = ConnectionLimits(config.body_seconds, config.send_seconds)
    return cast(type[asyncio.Protocol], partial(BoundedProtocol, limits=limits))
