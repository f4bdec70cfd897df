"""``textveil ledger``: budgets of persons, tenants and keys; ``textveil keys``: the API keys of a server."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from textveil.cli import options as opt
from textveil.cli.serve import needs_server, settled
from textveil.errors import ParameterError, need
from textveil.json_text import json_data
from textveil.pages.messages import plain_row, said
from textveil.whole_files import atomic_writers, read_or_made_key

if TYPE_CHECKING:
    from textveil.budget.account import Account, Limit
    from textveil.budget.standing import Balance
    from textveil.budget.verification import Verification
    from textveil.corpora.payment import Payer
    from textveil.privacy.accountant import Accountant
    from textveil.server.config import Config
    from textveil.server.keys import ApiKeys, KeyFacts

ledger_app = typer.Typer(no_args_is_help=True, help="Budgets of persons, tenants and keys in a database.")
_COMPOSITION: Final = (
    "sum; optimal: more draws of a small epsilon; gaussian: more releases of `count`, `learn` and `synthesize`."
)
_Place: TypeAlias = Annotated[str, typer.Argument(metavar="URL|FILE", help="The ledger's database.")]


@dataclass(frozen=True, kw_only=True)
class _AccountOptions:
    tenant: str = opt.value("T", "Whose ledger it is.", default="local")
    unit: str | None = opt.value("ID", "The person.  [default: all of the tenant]")
    key: str | None = opt.value("ID", "The id of an API key.")

    def account(self) -> Account:
        from textveil.budget.account import Account

        return Account(self.tenant, self.unit, self.key)


@ledger_app.command("limit")
@opt.grouped
def limit_command(
    *,
    place: _Place,
    account: _AccountOptions,
    epsilon: float | None = opt.value("E", "Nats that may be spent."),
    delta: float = opt.value("D", "Delta that may be spent.", default=0.0),
    composition: str = opt.value("HOW", _COMPOSITION, default="sum"),
    draw_delta: float | None = opt.value(
        "D", "With optimal, gaussian: delta left to draws that have one; 0 admits most others.  [default: half]"
    ),
    pure_epsilon: float = opt.value(
        "E", "With gaussian: epsilon left to other releases, as of `topics` and `sanitize`.", default=0.0
    ),
    period: str | None = opt.value("P", "Renewed every day, week or month (UTC).  [default: never]"),
    each: str | None = opt.value("KIND", "unit or key: for each of the tenant's that has no limit of its own."),
    lift: bool = opt.switch("Take the limit away."),
) -> None:
    """Set what a tenant, a person or a key may spend."""
    from textveil.budget.account import Limit
    from textveil.budget.ledger import Ledger

    if lift == (epsilon is not None):
        raise ParameterError("a limit needs one of --epsilon and --lift; got both or none.")
    limit = None
    if epsilon is not None:
        limit = Limit(epsilon, delta, composition, period, draw_delta, pure_epsilon)  # type: ignore[arg-type]
    with Ledger(place) as ledger:
        ledger.set_limit(account.account(), limit, each=each)  # type: ignore[arg-type]


@ledger_app.command("show")
@opt.grouped
def show_command(
    *,
    place: _Place,
    account: _AccountOptions,
    policy: str | None = opt.value("NAME|FILE", "Say how much text is left under this policy.", None, "--policy"),
    entries: bool = opt.switch("Show every entry too."),
    as_json: opt.AsJson = False,
) -> None:
    """Say what was spent and what is left."""
    from textveil.budget.ledger import Ledger, need_database
    from textveil.budget.verification import to_data

    payer = account.account()
    need_database(place)
    with Ledger(place) as ledger:
        balance = ledger.balance(payer)
        left = {} if policy is None else {"left": _left(policy, partial(ledger.affords, payer))}
        rows = [to_data(entry) for entry in ledger.entries(payer)] if entries else []
    data = {**balance.to_data(), **left, **({"entries": rows} if entries else {})}
    left_lines = [f"           {said}, under {policy}" for said in left.values()]
    opt.show(data, [*_lines(balance), *left_lines, *map(_entry_line, rows)], as_json=as_json)


@ledger_app.command("verify")
def verify_command(
    place: Annotated[str, typer.Argument(metavar="URL|FILE", help="A ledger's database, or with --export a file.")],
    export: Annotated[bool, opt.flag("--export", "It is what textveil ledger export wrote.")] = False,
    head: list[str] | None = opt.value("DIGEST", "A head that was noted before, which must still be there; repeat it."),
    as_json: opt.AsJson = False,
) -> int:
    """Go through all entries again: chain, seal, sums, limits. Exit code 1 if something is wrong."""
    from textveil.budget.ledger import Ledger, need_database
    from textveil.budget.verification import verified_export

    if export:
        verification = verified_export(Path(place), head or ())
    else:
        need_database(place)
        with Ledger(place) as ledger:
            verification = ledger.verify(head or ())
    opt.show(verification.to_data(), _verified_lines(verification), as_json=as_json)
    return 0 if verification.sound else 1


@ledger_app.command("export")
def export_command(place: _Place, output: opt.Output = None) -> None:
    """Write all entries as lines of JSON, for an auditor who needs neither key nor database."""
    from textveil.budget.ledger import Ledger, need_database

    need_database(place)
    with Ledger(place) as ledger:
        output = opt.file_of(output)
        outputs = opt.Outputs(output)
        if output is None:
            count = ledger.export(opt.standard_output())
        else:
            with atomic_writers([output], private=[output]) as (stream,):
                count = ledger.export(stream)
    sys.stderr.write(f"{count} entries\n")
    outputs.tell()


@ledger_app.command("joint")
def joint_command(
    reports: Annotated[list[Path], typer.Argument(metavar="REPORT...", help="Files of `--report`.")],
    delta: Annotated[
        float | None, typer.Option(metavar="D", help="Delta of all together.  [default: the sum of theirs]")
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """Say what releases of `count`, `learn`, `synthesize` and `topics` cost one person together.

    It holds if all budgets were fixed before the first release, and all reports name persons by one column.
    """
    from textveil.aggregates.report import joint_guarantee

    guarantee = joint_guarantee(reports, delta)
    data = {"releases": len(reports), "guarantee": guarantee.to_data()}
    condition = "if all budgets were fixed before the first"
    told = f"{len(reports)} releases together: {guarantee}, {guarantee.adjacency}; {condition}"
    opt.show(data, [told], as_json=as_json)


@ledger_app.command("upgrade")
def upgrade_command(place: _Place) -> None:
    """Bring an older database into today's form; make a copy of it before."""
    from textveil.budget.ledger import Ledger

    Ledger.upgrade(place)


def _left(policy: str, affords: Callable[[Accountant], int | None]) -> str:
    from textveil.sanitize.costs import text_left
    from textveil.sanitize.policy.choice import policy as policy_of
    from textveil.sanitize.sanitizer import Sanitizer

    return text_left(Sanitizer(policy_of(policy)).setting, affords)


def _lines(balance: Balance) -> list[str]:
    limit = balance.limit
    renewed = "" if limit is None or limit.period is None else f", renewed every {limit.period}"
    how = "" if limit is None or limit.composition == "sum" else f", {limit.composition} composition"
    one = balance.scope == "person"
    paid = (
        f"releases   {balance.releases}" if one else f"payments   {balance.releases}, one for each person of a release"
    )
    lines = [paid, f"spent      {balance.spent}, of the {balance.scope}"]
    if balance.reserved is not None and balance.reserved.approximate().epsilon > 0:
        lines.append(f"           of which {balance.reserved} is reserved and not committed")
    if limit is None or balance.remaining is None:
        return [*lines, "limit      none"]
    delta = f", delta {limit.delta:g}" if limit.delta else ""
    draws = "" if limit.draw_delta is None else f" (of delta {limit.draw_delta:g} for draws)"
    pure = f" (epsilon {limit.pure_epsilon:g} for other releases)" if limit.pure_epsilon else ""
    lines.append(f"limit      epsilon {limit.epsilon:g}{delta}{how}{draws}{pure}{renewed}")
    lines.append(f"remaining  {_left_of(balance)}")
    if balance.period_end is not None:
        lines.append(f"until      {balance.period_end:%Y-%m-%d %H:%M} UTC")
    if balance.period_end is not None or balance.lifetime != balance.spent:
        lines.append(f"ever       {balance.lifetime}, by the sum")
    return lines


def _left_of(balance: Balance) -> str:
    """Return the most that one more release may cost."""
    if balance.limit is None or balance.remaining is None:
        return "no limit"
    delta = f", delta {balance.remaining.delta:.3g}" if balance.limit.delta else ""
    return f"epsilon {balance.remaining.epsilon:.6g}{delta}"


def charged_lines(payer: Payer | None) -> list[str]:
    """Say where a run left those whom it was charged to, in the numbers of ``textveil ledger show``."""
    if payer is None or not payer.charged:
        return []
    accounts, balance = payer.charged[-1]
    who = "the payer has" if accounts == 1 else "the payer with the least left has"
    told = [said(f"spent {balance.spent}")]
    if balance.lifetime != balance.spent:
        told.append(said(f"{balance.lifetime} ever, by the sum"))
    told.append(said(f"left: {_left_of(balance)}"))
    return plain_row("ledger", f"{said('for you alone')}: {said(who)} {'; '.join(told)}")


def _entry_line(entry: dict[str, Any]) -> str:
    from textveil.budget.standing import time_of

    data = json_data(entry["data"])
    if entry["what"] == "reserve":
        draws = ", ".join(f"{times} at epsilon {epsilon:g}" for epsilon, _, times, *_ in data["draws"])
        about = draws or "nothing drawn that costs"
    elif entry["what"] in ("commit", "cancel"):
        about = f"of {data['of']}"
    else:
        about = json.dumps(data)
    who = "".join(f" {name} {entry[name][:12]}" for name in ("unit", "key") if entry[name])
    return f"{entry['number']:>8}  {time_of(entry['at']):%Y-%m-%d %H:%M:%S}  {entry['what']:<7}{who}  {about}"


def _verified_lines(verification: Verification) -> list[str]:
    heads = [
        f"head       tenant {tenant[:12]}: {number} {digest}" for tenant, (number, digest) in verification.heads.items()
    ]
    verdict = "sound" if verification.sound else f"NOT SOUND: {len(verification.problems)} problems"
    return [
        f"entries    {verification.entries}",
        *heads,
        *(f"problem    {problem}" for problem in verification.problems),
        verdict,
    ]


keys_app = typer.Typer(no_args_is_help=True, help="Make, list, rotate and revoke the API keys of a server.")


@dataclass(frozen=True, kw_only=True)
class _DatabaseOptions:
    database: str | None = opt.value("URL", "As for: textveil serve.  [default: the server's]")
    config: Path | None = opt.value("FILE", "The server's: its database is taken.")

    def settled(self) -> Config:
        return settled(self.config, {"database": self.database})

    @contextlib.contextmanager
    def keys(self, *, make: bool = False) -> Iterator[tuple[ApiKeys, str]]:
        """Yield the keys and the database's place; make one that is not there only if ``make``."""
        config = self.settled()
        with needs_server():
            from textveil.budget.ledger import need_database
            from textveil.server.keys import ApiKeys
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
    limit = None
    if budget is not None:
        from textveil.server.app import message_costs
        from textveil.server.budgets import limit_of

        first = next(iter([*named, *settings.tenant_policies.get(tenant, ())]), None)
        limit = limit_of(budget, partial(message_costs, settings, first), delta=delta, period=period)
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
    opt.show(rows, map(_key_line, rows), as_json=as_json)


def _key_line(row: Mapping[str, Any]) -> str:
    ends = f", until {row['expires']}" if row["expires"] and row["state"] == "valid" else ""
    person = "" if row["unit"] is None else f", for {row['unit']}"
    return f"{row['id']}  {row['state']:<7}  {row['tenant']}{person}{', admin' if row['admin'] else ''}{ends}"


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


@keys_app.command("samples")
def samples_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File of the secret key; it is made if it does not exist.")
    ],
) -> None:
    """Make the key of the person who reads sampled conversations; print its public key for the server's samples_key."""
    from textveil.certificate.samples import public_key

    sys.stdout.write(f'samples_key = "{public_key(read_or_made_key(file, "file"))}"\n')


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
