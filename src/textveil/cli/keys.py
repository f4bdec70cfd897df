"""``textveil keys``: the API keys of a server."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from textveil.cli import options as opt
from textveil.cli.serve import needs_server, settled
from textveil.errors import ParameterError, need
from textveil.json_text import json_text

if TYPE_CHECKING:
    from textveil.budget.account import Limit
    from textveil.server.config import Config
    from textveil.server.key_store import ApiKeys, KeyFacts

keys_app = typer.Typer(no_args_is_help=True, help="Make, list, rotate and revoke the API keys of a server.")


@dataclass(frozen=True, kw_only=True)
class _DatabaseOptions:
    database: str | None = opt.value("URL", "As for: textveil serve.  [default: the server's]")
    config: Path | None = opt.value("FILE", "The server's: its database is taken.")

    def settled(self) -> Config:
        """Return what the server is told."""
        return settled(self.config, {"database": self.database})

    @contextlib.contextmanager
    def keys(self, *, make: bool = False) -> Iterator[tuple[ApiKeys, str]]:
        """Yield the keys and the database's place; make one that is not there only if ``make``."""
        config = self.settled()
        with needs_server():
            from textveil.budget.ledger import need_database
            from textveil.server.key_store import ApiKeys
        place = config.prepared_database()
        if not make:
            need_database(place)
        keys = ApiKeys(place)
        try:
            yield keys, place
        finally:
            keys.close()


_Identity: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="Of the key: textveil keys list.")]


_MOST_DAYS: Final = 36_500  # a hundred years


@keys_app.command("create")
@opt.grouped
def create_command(
    *,
    tenant: str = opt.value("T", "Who gets the key.", default=...),
    unit: str | None = opt.value("PERSON", "Whose texts it is for.  [default: each request may name a person]"),
    budget: str | None = opt.value(
        "B", 'What the person, else the key, may spend: "20" nats, "40 messages", "40 messages a day".'
    ),
    delta: float = opt.value("D", "With --budget: the delta.", default=0.0),
    period: str | None = opt.value("P", "With --budget: renewed every day, week or month."),
    policies: str | None = opt.value(
        "A,B", "Its requests may name these, the first by default.  [default: its tenant's]"
    ),
    expires_days: float | None = opt.value("N", "Ends after so many days."),
    admin: bool = opt.switch("A key that may ask about others, and releases nothing."),
    database: _DatabaseOptions,
) -> None:
    """Make a key and print it: it is shown this once."""
    if budget is None and (delta or period is not None):
        raise ParameterError("--delta and --period need --budget; got none.")
    if budget is not None and admin:
        raise ParameterError("--budget must be left out for an admin's key, which releases nothing; got one.")
    named = [] if policies is None else [name.strip() for name in policies.split(",")]
    settings = database.settled()
    with needs_server():
        from textveil.server.app import check_settings
    for name in named:
        check_settings(settings.model_copy(update={"policy": name}))
    limit = (
        None
        if budget is None
        else _limit(budget, settings, [*named, *settings.tenant_policies.get(tenant, ())], delta, period)
    )
    expires = None
    if expires_days is not None:
        range_of_days = f"> 0 and at most {_MOST_DAYS}"
        need(0 < expires_days <= _MOST_DAYS, "expires_days", expires_days, range_of_days, "Leave it out for no end.")
        expires = round((datetime.now(UTC).timestamp() + expires_days * 86_400) * 1e6)
    with database.keys(make=True) as (keys, place):
        facts, key = keys.create(tenant, unit, admin=admin, expires=expires, policies=named)
        if limit is not None:
            _set_limit(place, facts, limit)
    if limit is not None:
        every = f" a {limit.period}" if limit.period else ""
        sys.stderr.write(f"budget: epsilon {limit.epsilon:g}{every}\n")
    sys.stderr.write(f"key {facts.identity}; keep it now, for it is not shown again\n")
    sys.stdout.write(f"{key}\n")


@keys_app.command("list")
@opt.grouped
def list_command(*, database: _DatabaseOptions, as_json: opt.AsJson = False) -> None:
    """List the keys, without their secrets."""
    import time

    with database.keys() as (keys, _):
        rows = [_as_data(row, time.time_ns() // 1000) for row in keys.all()]
    if as_json:
        sys.stdout.write(json_text(rows))
        return
    for row in rows:
        ends = f", until {row['expires']}" if row["expires"] and row["state"] == "valid" else ""
        person = "" if row["unit"] is None else f", for {row['unit']}"
        role = ", admin" if row["admin"] else ""
        sys.stdout.write(f"{row['id']}  {row['state']:<7}  {row['tenant']}{person}{role}{ends}\n")


@keys_app.command("rotate")
@opt.grouped
def rotate_command(
    *,
    identity: _Identity,
    grace_seconds: float = opt.value("S", "The secret before is taken for so long.", default=0.0),
    database: _DatabaseOptions,
) -> None:
    """Give a key another secret, and print the key: its budgets stay."""
    with database.keys() as (keys, _):
        key = keys.rotate(identity, grace_seconds=grace_seconds)
    sys.stdout.write(f"{key}\n")


@keys_app.command("revoke")
@opt.grouped
def revoke_command(identity: _Identity, *, database: _DatabaseOptions) -> None:
    """Take a key no more; a server that runs notices within seconds."""
    with database.keys() as (keys, _):
        keys.revoke(identity)


def _limit(budget: str, config: Config, policies: list[str], delta: float, period: str | None) -> Limit:
    from textveil.server.app import message_costs
    from textveil.server.budgets import limit_of

    policy = policies[0] if policies else None
    return limit_of(budget, partial(message_costs, config, policy), delta=delta, period=period)


def _set_limit(place: str, facts: KeyFacts, limit: Limit) -> None:
    """Limit the person, so that a second key is no second budget; the key if no person is named."""
    from textveil.budget.account import Account
    from textveil.budget.ledger import Ledger

    person = Account(facts.tenant, facts.unit)
    with Ledger(place) as ledger:
        ledger.set_limit(person if facts.unit is not None else Account(facts.tenant, key=facts.identity), limit)


def _as_data(facts: KeyFacts, now: int) -> dict[str, Any]:
    return {
        "id": facts.identity,
        "state": facts.ends(now) or "valid",
        "tenant": facts.tenant,
        "unit": facts.unit,
        "admin": facts.admin,
        "policies": list(facts.policies),
        "created": _shown(facts.created),
        "expires": _shown(facts.expires),
        "revoked": _shown(facts.revoked),
    }


def _shown(time: int | None) -> str | None:
    return None if time is None else datetime.fromtimestamp(time / 1e6, UTC).isoformat(timespec="seconds")
