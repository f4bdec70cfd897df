"""``textveil mcp``: a server of the Model Context Protocol on standard input and output."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from textveil.cli import options as opt
from textveil.errors import need

if TYPE_CHECKING:
    from textveil.budget.account import Account
    from textveil.server.policies import OfferedPolicies

_THREADS: Final = 8
"""That sanitize long texts, restore, detect and audit."""

_MOST_BYTES: Final = 256 * 2**20
"""Of text that all conversations may take, about; the least used are then forgotten."""


@dataclass(frozen=True, kw_only=True)
class _PayerOptions:
    ledger: str | None = opt.value(
        "URL", "Take what each release costs from the budgets of this ledger: a path, or a URL."
    )
    unit: str | None = opt.value("PERSON", "With --ledger: whose texts these are; any identifier.")
    tenant: str = opt.value("T", "With --ledger: who runs this.", default="local")

    def account(self) -> Account:
        """Return the account that pays; without a ledger nobody is named."""
        from textveil.budget.account import Account

        need(self.ledger is not None or self.unit is None, "unit", "one", "left out where there is no `ledger`")
        return Account(self.tenant, self.unit)


@opt.grouped
def mcp_command(
    *,
    policy: list[str] | None = opt.value(
        "NAME|FILE",
        "A policy that clients may ask for; may be repeated, and the first is the default.  [default: prompts]",
    ),
    tools: list[str] | None = opt.value(
        "NAME", "sanitize, restore, detect or audit: offer this one; may be repeated.  [default: all]"
    ),
    payer: _PayerOptions,
    forget_after: float = opt.value(
        "S", "Forget a conversation that was not used for so many seconds.", default=3600.0
    ),
    foreign_values: str = opt.value(
        "apart|shared",
        "shared: one value has one surrogate in all texts of a conversation, so whoever calls sanitize and "
        "sees its releases can test guesses.",
        default="apart",
    ),
    foreign_values_limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="Values that a conversation may have.")
    ] = 2000,
) -> None:
    """Offer sanitize, restore, detect and audit to a client of the Model Context Protocol, which starts this command.

    What restore and detect answer goes to the client, and in most of them to its model: leave these two out where the
    model must not see originals.
    """
    import asyncio  # a twentieth of a second, which other commands do not need

    need(forget_after > 0, "forget_after", forget_after, "above 0")
    from textveil.server.budgets import ledger_of
    from textveil.server.conversations import Conversations
    from textveil.server.finding import FindingProcesses
    from textveil.server.foreign import ForeignValues
    from textveil.server.mcp_server import TOOLS, TextTools, make_server, serve_stdio
    from textveil.server.service import SECONDS, SanitizingService

    account = payer.account()
    foreign = ForeignValues.of(foreign_values, foreign_values_limit)
    offered = _offered(policy or ["prompts"])
    conversations = Conversations(seconds=forget_after, most_bytes=_MOST_BYTES)
    logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)  # its tracebacks may quote what it was sent
    with contextlib.ExitStack() as held:
        books = held.enter_context(contextlib.closing(ledger_of(payer.ledger)))
        finding = FindingProcesses(0, offered.ready, offered.all, SECONDS)
        service = SanitizingService(offered, books, threads=_THREADS, foreign=foreign, finding=finding, shares=False)
        held.callback(service.close)
        texts = TextTools(service, conversations, account, counted=payer.ledger is not None, shared=foreign.shared)
        asyncio.run(serve_stdio(make_server(texts, tuple(tools or TOOLS)), conversations, finding))


def _offered(names: Sequence[str]) -> OfferedPolicies:
    """Make the sanitizers of policies; what cannot be served is told before a client comes."""
    from textveil.sanitize.policy.choice import policy
    from textveil.server.policies import OfferedPolicies

    policies = [policy(offer) for offer in names]
    by_name = {offer.name: offer for offer in policies}
    need(len(by_name) == len(policies), "policy", "two of one name", "of different names")
    offered = OfferedPolicies(policies[0].name, policies=by_name)
    for name in by_name:
        offered.sanitizer(name)
    return offered
