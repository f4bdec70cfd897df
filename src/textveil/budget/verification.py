"""Whether a ledger says what its entries come to, and whether they are those that were written."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from textveil.budget.chain import Chain, Entry
from textveil.budget.names import Names
from textveil.budget.replay import Replay, Who
from textveil.budget.schema import CHAINS, ENTRIES, LEVELS, OPEN
from textveil.budget.standing import Standing


@dataclass(frozen=True, slots=True)
class Verification:
    """What a verification found.

    Attributes:
        entries: how many were read.
        heads: of each tenant, by its digest in hexadecimal digits, number and digest of the last entry. Keep them
            elsewhere: entries that were cut off at the end are seen by them alone.
        problems: what is wrong, a line each; none where everything fits.
    """

    entries: int
    heads: dict[str, tuple[int, str]]
    problems: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def to_data(self) -> dict[str, Any]:
        """JSON data."""
        heads = {tenant: {"number": number, "digest": digest} for tenant, (number, digest) in self.heads.items()}
        return {"sound": self.sound, "entries": self.entries, "heads": heads, "problems": list(self.problems)}


def stored_entries(connection: Connection, *wanted: sa.ColumnElement[bool]) -> Iterator[Entry]:
    """The entries of a database, by tenant and number, in constant memory."""
    statement = sa.select(ENTRIES).where(*wanted).order_by(ENTRIES.c.tenant, ENTRIES.c.number)
    with connection.execution_options(yield_per=1000).execute(statement) as rows:
        for row in rows:
            yield Entry(*row)


def verified(connection: Connection, names: Names, noted: Collection[str] = ()) -> Verification:
    """The verification of a whole database, in a transaction that sees one state of it."""
    replay = Replay(lambda: stored_entries(connection), noted)
    replay.run()
    kept = (*_ends(connection, names, replay), *_levels(connection, names, replay), *_open(connection, replay))
    return Verification(replay.entries, heads_of(replay), (*replay.problems, *kept))


def heads_of(replay: Replay) -> dict[str, tuple[int, str]]:
    """Of each tenant, number and digest of the last entry."""
    return {tenant.hex(): (end.number, end.digest.hex()) for tenant, end in sorted(replay.ends.items())}


def _ends(connection: Connection, names: Names, replay: Replay) -> Iterator[str]:
    """Ends of chains that are not those of the entries, or not sealed."""
    ends = set()
    for row in connection.execute(sa.select(CHAINS)).mappings():
        chain = Chain(row["tenant"], row["number"], row["at"], row["head"])
        ends.add(chain.tenant)
        end, name = replay.ends.get(chain.tenant), f"tenant {chain.tenant.hex()[:12]}"
        if chain.seal(names) != row["seal"]:
            yield f"{name}: the end of its entries is not sealed under this key"
        if (chain.number, chain.head) != ((0, Chain(b"").head) if end is None else (end.number, end.digest)):
            yield f"{name}: its entries end elsewhere than they must; some were cut off or added"
    for tenant in sorted(replay.ends.keys() - ends):
        yield f"tenant {tenant.hex()[:12]}: its entries have no end"


def _levels(connection: Connection, names: Names, replay: Replay) -> Iterator[str]:
    """Sums that are not those of the entries."""
    wanted = {_digest(names, who): (who, standing) for who, standing in replay.standings.items()}
    for row in connection.execute(sa.select(LEVELS)).mappings():
        kept = Standing.of_row(dict(row))
        name = f"{kept.scope} {kept.level.hex()[:12]}"
        if kept.level not in wanted:
            if kept.releases or kept.limit is not None:
                yield f"{name}: it has sums and no entries"
            continue
        _, counted = wanted.pop(kept.level)
        if not _same(kept, counted):
            yield f"{name}: its sums are not those of its entries"
    for level, (_, standing) in wanted.items():
        if standing.releases or standing.limit is not None:
            yield f"account {level.hex()[:12]}: it has entries and no sums"


def _same(kept: Standing, counted: Standing) -> bool:
    """Whether two standings are equal; sums of a period only where both count the same one."""
    same = (kept.basis, kept.period_start) == (counted.basis, counted.period_start)
    return _comparable(kept, periods=same) == _comparable(counted, periods=same)


def _comparable(standing: Standing, *, periods: bool) -> Standing:
    bare = replace(standing, level=b"", scope="")
    if periods:
        return bare
    # A balance that was asked for begins a period without an entry, and the next release counts it again.
    return replace(bare, basis="", period_start=0, period_epsilon=0, period_delta=0, period_moment=0)


def _digest(names: Names, who: Who) -> bytes:
    if who.each:
        return names.of_each(who.tenant, who.each)
    if who.unit is not None and who.key is not None:
        return names.of_both(who.unit, who.key)
    return who.unit or who.key or who.tenant


def _open(connection: Connection, replay: Replay) -> Iterator[str]:
    """Reservations that are open in one place and not in the other."""
    wanted = {where: (charge.epsilon, charge.delta) for where, (_, charge) in replay.open.items()}
    rows = {
        (row["tenant"], row["number"]): (int(row["epsilon"]), int(row["delta"]))
        for row in connection.execute(sa.select(OPEN)).mappings()
    }
    for tenant, number in sorted({key for key in wanted.keys() | rows.keys() if wanted.get(key) != rows.get(key)}):
        yield f"tenant {tenant.hex()[:12]}, entry {number}: it is not known rightly whether it was committed"
