"""Encrypted connections that stand before a request needs one: it then waits for no handshake with the upstream."""

import asyncio
import contextlib
import ssl
from collections import deque
from collections.abc import Iterable
from typing import Any, Final

import httpcore

MOST: Final = 8  # connections that wait at one time
SECONDS: Final = 10.0
"""Seconds that a connection waits: servers give a client longer for its first request, as a rule."""


class ConnectionsAhead(httpcore.AsyncNetworkBackend):
    """Opens a connection when an answer has ended, for a later request; each still carries one request alone.

    The upstream knows when an answer ends: when a connection was opened tells it nothing about the request that comes
    over it. One that is opened when a request comes would tell how long its texts were read. ``network``: connects;
    ``context``: checks the certificate, by the name of the host; ``timeout``: seconds to connect in.
    """

    def __init__(self, network: httpcore.AsyncNetworkBackend, context: ssl.SSLContext, timeout: float) -> None:
        context.set_alpn_protocols(["http/1.1"])  # as httpcore does before a handshake
        self._network, self._context, self._timeout = network, context, timeout
        self._place: tuple[str, int] | None = None
        self._ready: deque[_Waiting] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    def open_one(self) -> None:
        """Open a connection to where the last one went, for a later request, unless enough wait."""
        if self._place is not None and len(self._tasks) < MOST:
            task = asyncio.create_task(self._wait(*self._place))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return the connection that has waited longest, or a new one; raises what the network does."""
        if self._place != (host, port):  # of one upstream it is always the same
            self._place = (host, port)
            return await self._network.connect_tcp(host, port, timeout, local_address, socket_options)
        while self._ready:
            waiting = self._ready.popleft()
            waiting.taken = True
            waiting.task.cancel()
            try:
                await asyncio.wait([waiting.task])
                if waiting.task.cancelled():  # else it has just ended
                    return _Encrypted(waiting.stream)
            except asyncio.CancelledError:
                await waiting.stream.aclose()
                raise
            await waiting.stream.aclose()
        return await self._network.connect_tcp(host, port, timeout, local_address, socket_options)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        return await self._network.connect_unix_socket(path, timeout, socket_options)

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)

    async def aclose(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _wait(self, host: str, port: int) -> None:
        """Open a connection, and hold it until it is taken or too old, or ends, or says something unasked."""
        with contextlib.suppress(Exception):  # the request that needs a connection is told why there is none
            plain = await self._network.connect_tcp(host, port, self._timeout)
            stream = await plain.start_tls(self._context, host, self._timeout)
            task = asyncio.current_task()
            assert task is not None
            waiting = _Waiting(stream, task)
            self._ready.append(waiting)
            try:
                await stream.read(1, SECONDS)
            finally:
                if not waiting.taken:
                    self._ready.remove(waiting)
                    await stream.aclose()


class _Waiting:
    def __init__(self, stream: httpcore.AsyncNetworkStream, task: asyncio.Task[None]) -> None:
        self.stream = stream
        self.task = task
        self.taken = False


class _Encrypted(httpcore.AsyncNetworkStream):
    """A stream that is encrypted already, where httpcore expects one that is not."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        return self._stream

    async def aclose(self) -> None:
        await self._stream.aclose()
