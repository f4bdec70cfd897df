"""``textveil mcp``: a server of the Model Context Protocol on standard input and output."""

from __future__ import annotations

import logging
from typing import Annotated, Any

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
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Take what each release costs from the budgets of this ledger: a path, or a URL."
        ),
    ] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="PERSON", help="With --ledger: whose texts these are; any identifier.")
    ] = None,
    tenant: Annotated[str, typer.Option(metavar="T", help="With --ledger: who runs this.")] = "local",
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

    from textveil.integrations.dialogues import Dialogues, paying
    from textveil.integrations.mcp_server import TOOLS, TextTools, make_server, serve_stdio
    from textveil.sanitize.policy.choice import policy as policy_of
    from textveil.sanitize.sanitizer import Sanitizer

    if ledger is None:
        need(unit is None, "unit", "one", "left out where there is no `ledger`")
    policies = [policy_of(one) for one in policy or ["prompts"]]
    names = {one.name for one in policies}
    need(len(names) == len(policies), "policy", "two of one name", "of different names")
    draw = budget = None
    if ledger is not None:
        from textveil.budget.account import Account
        from textveil.budget.ledger import Ledger

        books, account = Ledger(ledger), Account(tenant, unit)
        draw = paying(books, account)

        def budget() -> dict[str, Any]:
            return books.balance(account).as_data()

    dialogues = {one.name: Dialogues(Sanitizer(one), draw, seconds=forget_after) for one in policies}
    server = make_server(TextTools(dialogues, budget), tuple(tools or TOOLS))
    logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)  # its tracebacks may quote what it was sent
    anyio.run(serve_stdio, server)
