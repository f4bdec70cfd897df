"""The server in a process of its own: uvicorn on one socket, one process."""

import contextlib
import socket
import sys
from functools import partial
from typing import Final

import uvicorn
from fastapi import FastAPI

from textveil.budget.account import Account
from textveil.budget.ledger import Ledger
from textveil.budget.limit import Limit
from textveil.errors import OutputError, need
from textveil.processors import cores
from textveil.server.app import make_app, message_costs, open_books
from textveil.server.budgets import limit_of
from textveil.server.config import Config
from textveil.server.keys import LOCAL_TENANT
from textveil.server.logs import log_as_json
from textveil.server.protocol import protocol_of

_PROCESSES: Final = 4
"""That find values, at the most, where the configuration does not say how many; each takes memory."""

BACKLOG: Final = 2048
"""Connections that may wait to be taken."""

GRACE_SECONDS: Final = 20
"""How long requests that are under way may still take when the server is told to stop."""


def run_server(config: Config) -> None:
    """Serve until the process is told to stop; says where, and who may call, on standard error.

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
        sys.stderr.write(f"textveil listens on http://{shown}:{port}, {who}\n")
        if config.on_error != "refuse":
            sys.stderr.write(
                'warning: on_error is "send-unprotected": if the policy\'s model reports that it fails, texts go to '
                "the upstream as they are, each request with a header, a count in /metrics and an entry in the ledger\n"
            )
        if config.upstream is not None and config.restore_in_urls == "everywhere":
            sys.stderr.write(
                'warning: restore_in_urls is "everywhere": whoever writes an answer can have originals sent to a host '
                "of theirs, by an image that a client loads\n"
            )
        if config.upstream is not None and config.maps == "memory":
            sys.stderr.write(
                'maps = "memory": a restart forgets conversations, and a history with answers of a forgotten one is '
                'refused (409, conversation_forgotten); with maps = "database" they go on\n'
            )
        sys.stderr.flush()
        log_as_json(requests=config.log)
        uvicorn.Server(settings(app, config)).run(sockets=[listening])


def _set_budget(ledger: Ledger, limit: Limit) -> None:
    """The limit of whoever calls without a key; nothing is entered where it stands."""
    everybody = Account(LOCAL_TENANT)
    if ledger.balance(everybody).limit != limit:
        ledger.set_limit(everybody, limit)


def settings(app: FastAPI, config: Config) -> uvicorn.Config:
    """How uvicorn runs the application: bounded connections, no logs of its own, nothing believed of proxies."""
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
