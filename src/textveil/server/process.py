"""The server in a process of its own: uvicorn on one socket, with an end to everything that a peer could draw out."""

import asyncio
import contextlib
import json
import socket
import sys
from functools import partial
from typing import Any, Final, cast

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
from textveil.environment import cores
from textveil.errors import OutputError, need
from textveil.pages.messages import row
from textveil.server.app import make_app, message_costs, open_books
from textveil.server.budgets import limit_of
from textveil.server.config import Config
from textveil.server.gateway.upstream import base_of
from textveil.server.keys import LOCAL_TENANT
from textveil.server.monitoring import log_as_json

_PROCESSES: Final = 4  # maximum that find values, unless configured; each takes memory
BACKLOG: Final = 2048  # connections that may wait to be taken
GRACE_SECONDS: Final = 20  # how long requests under way may still take when the server is told to stop


def run_server(config: Config) -> None:
    """Serve until the process is told to stop; tells its address, and who may call, on standard error.

    Raises:
        ParameterError: a policy cannot be read; or others could reach a server that has no API keys.
        LedgerError: the database cannot be opened.
        OutputError: the address cannot be listened on.
    """
    with open_books(config) as (ledger, keys):
        closed = keys.exist()
        hint = "Make one: textveil keys create. It is needed for every request then."
        need(closed or config.loopback, "host", config.host, "of this machine while there are no API keys", hint)
        if config.budget is not None:
            hint = "Give each key its own: `textveil keys create` takes a budget."
            need(not closed, "budget", "one", "left out where there are API keys", hint)
            _set_budget(ledger, limit_of(config.budget, partial(message_costs, config)))
        if config.processes is None:
            processors = cores()
            config = config.model_copy(update={"processes": min(processors, _PROCESSES) if processors > 1 else 0})
        app = make_app(config, ledger=ledger, keys=keys)
        listening = _listening(config)
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        open_ = not closed and config.units != "bound"
        who = "without API keys: whoever uses this machine may call it" if open_ else "every request needs an API key"
        sys.stderr.writelines(line + "\n" for line in _told(config, f"http://{shown}:{port}, {who}"))
        if config.upstream is not None and config.restore_in_urls == "everywhere":
            warning = (
                'restore_in_urls is "everywhere": whoever writes an answer can have originals sent to a host '
                "of theirs, by an image that a client loads"
            )
            sys.stderr.writelines(line + "\n" for line in row("WARNING", warning))
        sys.stderr.flush()
        log_as_json(requests=config.log)
        uvicorn.Server(settings(app, config)).run(sockets=[listening])


def _told(config: Config, where: str) -> list[str]:
    """Return what a server does, for whoever starts it."""
    lines = row("listens", where)
    if config.upstream is None:
        lines += row("to", "nobody: without an upstream texts are sanitized, and sent nowhere")
    else:
        unset = "" if config.upstream_key else "; without a key: TEXTVEIL_UPSTREAM_KEY is not set"
        lines += row("to", f"{base_of(config.upstream)}{unset}")
    lines += row("policy", f"{config.policy}, where a request names none")
    if config.upstream is not None and config.maps == "memory":
        lost = "forgets conversations, whose histories are then refused (409)"
        lines += row("restart", f'{lost}; with maps = "database" they go on')
    if config.samples is not None:
        drawn = f"a person may read each conversation with probability {config.samples_share:g}"
        lines += row("samples", f"{drawn}; it is kept sealed in {config.samples} for {config.samples_days} days")
    return [*lines, *row("text", "as a whole none has a guarantee: what the policy leaves in it stays")]


def _set_budget(ledger: Ledger, limit: Limit) -> None:
    """The limit of whoever calls without a key; nothing is entered where it stands."""
    everybody = Account(LOCAL_TENANT)
    if ledger.balance(everybody).limit != limit:
        ledger.set_limit(everybody, limit)


def settings(app: FastAPI, config: Config) -> uvicorn.Config:
    """Return the settings of uvicorn: bounded connections, no logs of its own, no trust in proxies."""
    return uvicorn.Config(
        app,
        http=protocol_of(config),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _listening(config: Config) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)[0]
        with contextlib.ExitStack() as unless_it_listens:
            listening = unless_it_listens.enter_context(socket.socket(family, kind, protocol))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(BACKLOG)  # whoever comes before the application runs waits
            unless_it_listens.pop_all()
    except OSError as error:
        raise OutputError(
            f"{config.host} port {config.port} cannot be listened on: {error.strerror}. Choose another `port`."
        ) from None
    return listening


_MOST_HEADER_BYTES: Final = 64 * 1024


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits for slow writers of a head, for slow readers, and for the size of a head.

    A connection that passes a limit is cut: its peer would not read an answer. The head of a request must have come
    within ``head_seconds`` of the first byte or the connection; an answer waits ``send_seconds`` to be taken.
    """

    def __init__(self, *arguments: Any, head_seconds: float, send_seconds: float, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head_seconds, self._send_seconds = head_seconds, send_seconds
        self._head: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a head."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._forget("_head")
        self._forget("_stalled")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count bytes of an unfinished head: the parser tells of a header when it is whole."""
        super().data_received(data)
        if self._head is not None:
            self._count(len(data))

    def on_message_begin(self) -> None:
        """Note the first byte of a request."""
        super().on_message_begin()
        self._head_bytes = 0
        if self._head is None:
            self._expect_head()

    def on_url(self, url: bytes) -> None:
        """Count a piece of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Stop waiting for the head."""
        self._forget("_head")
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """Wait for a peer that does not take what is sent."""
        super().pause_writing()
        self._forget("_stalled")
        self._stalled = self.loop.call_later(self._send_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop waiting for the peer."""
        self._forget("_stalled")
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, and drop what the peer has not taken."""
        self.transport.abort() if self.transport.get_write_buffer_size() else super().timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP in the shape of all errors."""
        error = {"message": "this is no HTTP request.", "type": "invalid_request_error", "param": None}
        body = json.dumps({"error": {**error, "code": "invalid_http"}}).encode("ascii")
        head = f"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        self.transport.write(head.encode("ascii") + b"connection: close\r\n\r\n" + body)
        self.transport.close()

    def _expect_head(self) -> None:
        self._head = self.loop.call_later(self._head_seconds, self.transport.abort)

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > _MOST_HEADER_BYTES:
            self.transport.abort()

    def _forget(self, name: str) -> None:
        if (timer := getattr(self, name)) is not None:
            timer.cancel()
            setattr(self, name, None)


def protocol_of(config: Config) -> type[asyncio.Protocol]:
    """Return the protocol with the limits of a server, as uvicorn takes it."""
    bounded = partial(BoundedProtocol, head_seconds=config.body_seconds, send_seconds=config.send_seconds)
    return cast(type[asyncio.Protocol], bounded)
