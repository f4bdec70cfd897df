"""``textveil ledger``: budgets of persons, tenants and keys: set, shown, verified, exported."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from textveil.cli import options as opt
from textveil.errors import ParameterError
from textveil.json_text import json_data, json_text

if TYPE_CHECKING:
    from textveil.budget.account import Account
    from textveil.budget.balance import Balance
    from textveil.budget.verification import Verification
    from textveil.privacy.accountant import Accountant

ledger_app = typer.Typer(no_args_is_help=True, help="Budgets of persons, tenants and keys in a database.")

_Place: TypeAlias = Annotated[str, typer.Argument(metavar="URL|FILE", help="The ledger's database.")]


@dataclass(frozen=True, kw_only=True)
class _AccountOptions:
    tenant: str = opt.value("T", "Whose ledger it is.", default="local")
    unit: str | None = opt.value("ID", "The person.  [default: all of the tenant]")
    key: str | None = opt.value("ID", "The id of an API key.")

    def account(self) -> Account:
        """Return the account that they name."""
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
    composition: str = opt.value("HOW", "sum; or optimal, which admits more draws of a small epsilon.", default="sum"),
    draw_delta: float | None = opt.value(
        "D", "With optimal: delta left to draws that have one; 0 admits most pure ones.  [default: half]"
    ),
    period: str | None = opt.value("P", "Renewed every day, week or month (UTC).  [default: never]"),
    each: str | None = opt.value("KIND", "unit or key: for each of the tenant's that has no limit of its own."),
    lift: bool = opt.switch("Take the limit away."),
) -> None:
    """Set what a tenant, a person or a key may spend."""
    from textveil.budget.ledger import Ledger
    from textveil.budget.limit import Limit

    if lift == (epsilon is not None):
        raise ParameterError("a limit needs one of --epsilon and --lift; got both or none.")
    limit = None if epsilon is None else Limit(epsilon, delta, composition, period, draw_delta)  # type: ignore[arg-type]
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
    from textveil.budget.exports import to_data
    from textveil.budget.ledger import Ledger, need_database

    payer = account.account()
    need_database(place)
    with Ledger(place) as ledger:
        balance = ledger.balance(payer)
        unprotected = ledger.unprotected(payer)
        left = {} if policy is None else {"left": _left(policy, partial(ledger.affords, payer))}
        rows = [to_data(entry) for entry in ledger.entries(payer)] if entries else []
    if as_json:
        data = {**balance.to_data(), "unprotected": unprotected, **left, **({"entries": rows} if entries else {})}
        sys.stdout.write(json_text(data))
        return
    left_lines = [f"           {said}, under {policy}" for said in left.values()]
    if unprotected:
        left_lines.append(
            f"beside it  {unprotected} requests were sent without protection: nothing is promised of them"
        )
    sys.stdout.writelines(f"{line}\n" for line in [*_lines(balance), *left_lines, *map(_entry_line, rows)])


@ledger_app.command("verify")
def verify_command(
    place: Annotated[str, typer.Argument(metavar="URL|FILE", help="A ledger's database, or with --export a file.")],
    export: Annotated[bool, opt.flag("--export", "It is what textveil ledger export wrote.")] = False,
    head: list[str] | None = opt.value("DIGEST", "A head that was noted before, which must still be there; repeat it."),
    as_json: opt.AsJson = False,
) -> int:
    """Go through all entries again: chain, seal, sums, limits. Exit code 1 where something is wrong."""
    from textveil.budget.exports import verified_export
    from textveil.budget.ledger import Ledger, need_database

    if export:
        verification = verified_export(Path(place), head or ())
    else:
        need_database(place)
        with Ledger(place) as ledger:
            verification = ledger.verify(head or ())
    if as_json:
        sys.stdout.write(json_text(verification.to_data()))
    else:
        sys.stdout.writelines(f"{line}\n" for line in _verified_lines(verification))
    return 0 if verification.sound else 1


@ledger_app.command("export")
def export_command(place: _Place, output: opt.Output = None) -> None:
    """Write all entries as lines of JSON, for an auditor who needs neither key nor database."""
    from textveil.budget.ledger import Ledger, need_database
    from textveil.whole_files import atomic_writers

    need_database(place)
    with Ledger(place) as ledger:
        output = opt.file_of(output)
        if output is None:
            count = ledger.export(opt.standard_output())
        else:
            with atomic_writers([output], private=[output]) as (stream,):
                count = ledger.export(stream)
    sys.stderr.write(f"{count} entries\n")


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
    if as_json:
        sys.stdout.write(json_text({"releases": len(reports), "guarantee": guarantee.to_data()}))
    else:
        condition = "if all budgets were fixed before the first"
        sys.stdout.write(f"{len(reports)} releases together: {guarantee}, {guarantee.adjacency}; {condition}\n")


@ledger_app.command("upgrade")
def upgrade_command(place: _Place) -> None:
    """Bring an older database into today's form; make a copy of it before."""
    from textveil.budget.ledger import Ledger

    Ledger.upgrade(place)


def _left(policy: str, affords: Callable[[Accountant], int | None]) -> str:
    from textveil.sanitize.left import text_left
    from textveil.sanitize.policy.choice import policy as policy_of
    from textveil.sanitize.sanitizer import Sanitizer

    return text_left(Sanitizer(policy_of(policy)).setting, affords)


def _lines(balance: Balance) -> list[str]:
    limit = balance.limit
    renewed = "" if limit is None or limit.period is None else f", renewed every {limit.period}"
    how = "" if limit is None or limit.composition == "sum" else ", optimal composition"
    lines = [f"releases   {balance.releases}", f"spent      {balance.spent}, of the {balance.scope}"]
    if balance.reserved is not None and balance.reserved.approximate().epsilon > 0:
        lines.append(f"           of which {balance.reserved} is reserved and not committed")
    if limit is None or balance.remaining is None:
        return [*lines, "limit      none"]
    delta = f", delta {limit.delta:g}" if limit.delta else ""
    draws = "" if limit.draw_delta is None else f" (of delta {limit.draw_delta:g} for draws)"
    lines.append(f"limit      epsilon {limit.epsilon:g}{delta}{how}{draws}{renewed}")
    left = balance.remaining
    lines.append(f"remaining  epsilon {left.epsilon:.6g}{f', delta {left.delta:.3g}' if limit.delta else ''}")
    if balance.period_end is not None:
        lines += [f"until      {balance.period_end:%Y-%m-%d %H:%M} UTC", f"ever       {balance.lifetime}"]
    return lines


def _entry_line(entry: dict[str, Any]) -> str:
    from textveil.budget.standing import time_of

    data = json_data(entry["data"])
    if entry["what"] == "reserve":
        draws = ", ".join(f"{times} at epsilon {epsilon:g}" for epsilon, _, times, _ in data["draws"])
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
