"""``textveil mcp``: a server of the Model Context Protocol on standard input and output."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from textveil.errors import need


def mcp_command(
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="NAME|FILE",
            help="A policy that clients may ask for; may be repeated, and the first is the default.  "
            "[default: prompts]",
        ),
    ] = None,
    tools: Annotated[
        list[str] | None,
        typer.Option(
            "--tool",
            metavar="NAME",
            help="sanitize, restore, detect or audit: offer this one; may be repeated.  [default: all]",
        ),
    ] = None,
    forget_after: Annotated[
        float, typer.Option(metavar="S", help="Forget a conversation that was not used for so many seconds.")
    ] = 3600.0,
) -> None:
    """Offer sanitize, restore, detect and audit to a client of the Model Context Protocol, which starts this command.

    What restore and detect answer goes to the client, and in most of them to its model: leave these two out where the
    model must not see originals.
    """
    need(forget_after > 0, "forget_after", forget_after, "above 0")
    import anyio

    from textveil.integrations.dialogues import Dialogues
    from textveil.integrations.mcp_server import TOOLS, TextTools, make_server, serve_stdio
    from textveil.sanitize.policy.choice import policy as policy_of
    from textveil.sanitize.sanitizer import Sanitizer

    policies = [policy_of(one) for one in policy or ["prompts"]]
    dialogues = {one.name: Dialogues(Sanitizer(one), seconds=forget_after) for one in policies}
    need(len(dialogues) == len(policies), "policy", "two of one name", "of different names")
    server = make_server(TextTools(dialogues), tuple(tools or TOOLS))
    logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)  # its tracebacks may quote what it was sent
    anyio.run(serve_stdio, server)
