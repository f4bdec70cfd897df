"""``textveil serve``: the server, from one file, the environment and options."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textveil.cli import options as opt
from textveil.errors import MissingExtra

if TYPE_CHECKING:
    from textveil.server.config import Config


def serve_command(
    host: str | None = opt.value("H", "Address to listen on.  [default: 127.0.0.1]"),
    port: int | None = opt.value("P", "Port; 0 takes a free one.  [default: 8000]"),
    database: str | None = opt.value(
        "URL", "Of budgets and keys: sqlite:///FILE, postgresql://... or a path.  [default: a file of yours]"
    ),
    upstream: str | None = opt.value("URL", "Base URL of an OpenAI or Anthropic API: sanitized text is sent there."),
    policy: str | None = opt.value("NAME", "Used where a request names none.  [default: identifiers]"),
    policies: Path | None = opt.value("FOLDER", "Policies of your own: NAME.toml is used by its name."),
    budget: str | None = opt.value("B", 'Without API keys: as "40" nats, "40 messages", "40 messages a day".'),
    config: Path | None = opt.value("FILE", "TOML; see docs/server.md."),
    check: Annotated[
        bool, opt.flag("--check", "Print what the server would run with, secrets masked, and stop.")
    ] = False,
) -> None:
    """Sanitize over HTTP, with a budget for each person, in front of an OpenAI or Anthropic API."""
    told = settled(
        config,
        {
            "host": host,
            "port": port,
            "database": database,
            "upstream": upstream,
            "policy": policy,
            "policies": policies,
            "budget": budget,
        },
    )
    with needs_server():
        from textveil.server.app import check_settings
        from textveil.server.process import run_server
    if not check:
        run_server(told)
        return
    check_settings(told)
    sys.stdout.write(told.shown())


def settled(file: Path | None, overrides: dict[str, Any]) -> Config:
    """What a server is told, by a file, the environment and options.

    Raises:
        ParameterError: something is unknown or of another type.
        MissingExtra: the packages of the server are not installed.
    """
    with needs_server():
        from textveil.server.config import load_config
    return load_config(file, os.environ, overrides)


@contextlib.contextmanager
def needs_server() -> Iterator[None]:
    """Imports of the block need the extra of the server.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("textveil"):
            raise
        raise MissingExtra(error.name or "fastapi", "server") from None
