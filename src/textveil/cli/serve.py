"""``textveil serve``: the server, from one file, the environment and options."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from textveil.errors import MissingExtra


def serve_command(
    host: Annotated[str | None, typer.Option(metavar="H", help="Address to listen on.  [default: 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(metavar="P", help="Port; 0 takes a free one.  [default: 8000]")] = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Of budgets and keys: sqlite:///FILE, postgresql://... or a path.  [default: a file of yours]",
        ),
    ] = None,
    upstream: Annotated[
        str | None, typer.Option(metavar="URL", help="Base URL of an OpenAI API: sanitized text is sent there.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Used where a request names none.  [default: identifiers]"),
    ] = None,
    policies: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Policies of your own: NAME.toml is used by its name.")
    ] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="TOML; see docs/server.md.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Print what the server would run with, secrets masked, and stop.")
    ] = False,
) -> None:
    """Sanitize over HTTP, with a budget for each person, in front of any OpenAI API."""
    settled = _config(
        config,
        {
            "host": host,
            "port": port,
            "database": database,
            "upstream": upstream,
            "policy": policy,
            "policies": policies,
        },
    )
    if check:
        sys.stdout.write(settled.shown())
        return
    from textveil.server.run import run_server

    run_server(settled)


def _config(file: Path | None, overrides: dict[str, Any]) -> Any:
    import os

    try:
        from textveil.server.config import load_config
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "fastapi", "server") from None
    return load_config(file, os.environ, overrides)
