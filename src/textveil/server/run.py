"""The server in a process of its own: uvicorn on one socket, one process."""

from __future__ import annotations

import socket
import sys
from typing import Final

import uvicorn
from fastapi import FastAPI

from textveil.errors import OutputError
from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.logs import log_as_json
from textveil.server.protocol import protocol_of

GRACE_SECONDS: Final = 20
"""How long requests that are under way may still take when the server is told to stop."""


def run_server(config: Config) -> None:
    """Serve until the process is told to stop; prints where.

    Raises:
        ParameterError: a policy cannot be read.
        OutputError: the address cannot be listened on.
    """
    app = make_app(config)
    listening = _listening(config)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"textveil listens on http://{shown}:{port}\n")
    log_as_json(requests=config.log)
    server = uvicorn.Server(settings(app, config))
    server.run(sockets=[listening])


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
    """The socket, bound before anything is told."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError as error:
        raise OutputError(
            f"{config.host} port {config.port} cannot be listened on: {error.strerror}. Choose another `port`."
        ) from None
    return made
