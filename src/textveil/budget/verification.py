"""Replays a ledger's entries from the first: whether they are whole, their sums, and whether the ledger agrees.

The replay reads nothing that a ledger keeps beside its entries, so a verification compares two computations. Accounts
are told apart by the digests that entries have; without the key nothing more can be known of them. An export as
lines of JSON needs neither key nor database.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from textveil.budget.account import Limit
from textveil.budget.chain import BEFORE_ALL, Chain, Entry, Names
from textveil.budget.charge import Charge, canonical
from textveil.budget.database import CHAINS, ENTRIES, LEVELS, OPEN
from textveil.budget.standing import Standing
from textveil.errors import InputError
from textveil.json_text import FILE_BYTES, json_data

# returns the entries of all tenants from the first; it is called again if sums must be counted again
Source: TypeAlias = Callable[[], Iterable[Entry]]
_MOST_PROBLEMS = 100


class Who(NamedTuple):
    """An account by its digests; ``each`` is "unit" or "key" for the rule for each person or key of a tenant."""

    tenant: bytes
    unit: bytes | None
    key: bytes | None
    each: str = ""

    @property
    def holders(self) -> list[Who]:
        """The accounts that a release of it is charged to."""
        units, keys = dict.fromkeys((None, self.unit)), dict.fromkeys((None, self.key))
        return [Who(self.tenant, unit, key) for key in keys for unit in units]

    @property
    def rule(self) -> Who | None:
        """The rule that holds for it if it has no limit of its own."""
        if (self.unit is None) == (self.key is None):
            return None
        return Who(self.tenant, None, None, "unit" if self.key is None else "key")

    def owns(self, entry: Entry) -> bool:
        return (
            entry.tenant == self.tenant
            and (self.unit is None or entry.unit == self.unit)
            and (self.key is None or entry.key == self.key)
        )


class Replay:
    """Goes through entries in order, and lists problems.

    ``source``: returns the entries; ``noted``: digests of entries that were noted before, in hexadecimal digits: they
    must be there.

    Attributes:
        problems: a line each; of very many the first hundred.
        entries: how many were read.
        ends: of each tenant the last entry.
        standings: the sums of the entries.
        open: charges and times of reservations that nobody committed, by tenant and number.
    """

    def __init__(self, source: Source, noted: Collection[str] = ()) -> None:
        self._source = source
        self._noted = set(noted)
        self.problems: list[str] = []
        self.entries = 0
        self.ends: dict[bytes, Entry] = {}
        self.standings: dict[Who, Standing] = {}
        self.open: dict[tuple[bytes, int], tuple[Who, Charge, int]] = {}

    def run(self) -> None:
        """Read all of them."""
        for entry in self._source():
            self.entries += 1
            self._link(entry)
            try:
                self._apply(entry, json_data(entry.data))
            except (ValueError, KeyError, TypeError, IndexError, OverflowError):
                self.tell(entry, "cannot be read")
            self.ends[entry.tenant] = entry
            self._noted.discard(entry.digest.hex())
        self.problems += [f"a head that was noted before is gone: {head[:12]}" for head in sorted(self._noted)]

    def tell(self, entry: Entry, what: str) -> None:
        """Note a problem of an entry."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(f"tenant {entry.tenant.hex()[:12]}, entry {entry.number}: {what}")

    def standing(self, who: Who) -> Standing:
        """Return the sums of an account's entries; from now on it is counted."""
        if (standing := self.standings.get(who)) is None:
            standing = self.standings[who] = Standing(b"", who.tenant, "")
            if who.unit is not None and who.key is not None:  # counted on demand: from here, and what was before
                for entry, charge in self._charges(who, 0):
                    standing.add(charge, entry.at, None)
        return standing

    def _link(self, entry: Entry) -> None:
        before = self.ends.get(entry.tenant)
        number, at, digest = (0, 0, BEFORE_ALL) if before is None else (before.number, before.at, before.digest)
        if entry.number != number + 1:
            self.tell(entry, f"{number + 1} is missing before it")
        if entry.at < at:
            self.tell(entry, "is older than the one before it")
        if entry.chained(digest) != entry.digest:
            self.tell(entry, "was changed, or one before it was")

    def _apply(self, entry: Entry, data: Any) -> None:
        who = Who(entry.tenant, entry.unit, entry.key)
        if entry.what == "reserve":
            self._reserve(entry, who, data)
        elif entry.what == "commit":
            if self.open.pop((entry.tenant, data["of"]), None) is None:
                self.tell(entry, f"commits {data['of']}, which is not reserved")
        elif entry.what == "cancel":
            self._cancel(entry, data)
        elif entry.what == "limit":
            each = data["each"]
            standing = self.standing(who._replace(each=each or ""))
            standing.limit = None if data["limit"] is None else Limit.of_data(data["limit"])
        elif entry.what != "unprotected":  # earlier versions could send a text as it was, and noted it
            self.tell(entry, "is of an unknown kind")

    def _reserve(self, entry: Entry, who: Who, data: Any) -> None:
        charge = Charge.of_data(data)
        if charge.to_data() != data:
            self.tell(entry, "its draws come to something else than it says")
        for holder in who.holders:
            if holder.unit is not None and holder.key is not None and holder not in self.standings:
                continue
            standing = self.standing(holder)
            if (limit := self._limit(holder, standing)) is not None:
                self._count(holder, standing, limit, entry)
                if not standing.admits(limit, charge):
                    self.tell(entry, "takes more than was left")
            standing.add(charge, entry.at, limit)
        self.open[entry.tenant, entry.number] = (who, charge, entry.at)

    def _cancel(self, entry: Entry, data: Any) -> None:
        if (reserved := self.open.pop((entry.tenant, data["of"]), None)) is None:
            self.tell(entry, f"takes {data['of']} back, which is not reserved")
            return
        who, charge, at = reserved
        if who != Who(entry.tenant, entry.unit, entry.key):
            self.tell(entry, f"takes {data['of']} back, which is of another account")
        for holder in who.holders:
            if holder in self.standings:
                standing = self.standings[holder]
                limit = self._limit(holder, standing)
                if limit is not None:
                    self._count(holder, standing, limit, entry)
                standing.take_back(charge, at, limit)

    def _limit(self, who: Who, standing: Standing) -> Limit | None:
        if standing.limit is not None or who.rule is None:
            return standing.limit
        each = self.standings.get(who.rule)
        return None if each is None else each.limit

    def _count(self, who: Who, standing: Standing, limit: Limit, entry: Entry) -> None:
        if not standing.is_counted(limit, entry.at) and standing.begin(limit, entry.at):
            for _, charge in self._charges(who, standing.period_start):
                standing.count(limit, charge)

    def _charges(self, who: Who, since: int) -> Iterator[tuple[Entry, Charge]]:
        if (end := self.ends.get(who.tenant)) is None:
            return
        before = [entry for entry in self._source() if entry.what == "cancel" and who.owns(entry)]
        cancelled = {json_data(entry.data)["of"] for entry in before if entry.number <= end.number}
        for entry in self._source():
            counted = who.owns(entry) and entry.what == "reserve" and entry.number not in cancelled
            if counted and since <= entry.at and entry.number <= end.number:
                yield entry, Charge.of_data(json_data(entry.data))


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification."""

    entries: int  # how many were read
    # of each tenant, by its digest in hexadecimal digits, number and digest of the last entry. Keep them elsewhere:
    # only they show entries that were cut off at the end.
    heads: dict[str, tuple[int, str]]
    problems: tuple[str, ...]  # a line each; none if everything fits

    @property
    def sound(self) -> bool:
        return not self.problems

    def to_data(self) -> dict[str, Any]:
        heads = {tenant: {"number": number, "digest": digest} for tenant, (number, digest) in self.heads.items()}
        return {"sound": self.sound, "entries": self.entries, "heads": heads, "problems": list(self.problems)}


def stored_entries(connection: Connection, *wanted: sa.ColumnElement[bool]) -> Iterator[Entry]:
    """Yield the entries of a database, by tenant and number, in constant memory."""
    statement = sa.select(ENTRIES).where(*wanted).order_by(ENTRIES.c.tenant, ENTRIES.c.number)
    with connection.execution_options(yield_per=1000).execute(statement) as rows:
        yield from (Entry(*row) for row in rows)


def verified(connection: Connection, names: Names, noted: Collection[str] = ()) -> Verification:
    """Verify a whole database, in a transaction that sees one state of it."""
    replay = Replay(lambda: stored_entries(connection), noted)
    replay.run()
    kept = (*_ends(connection, names, replay), *_levels(connection, names, replay), *_open(connection, replay))
    return Verification(replay.entries, heads_of(replay), (*replay.problems, *kept))


def heads_of(replay: Replay) -> dict[str, tuple[int, str]]:
    """Return number and digest of the last entry, of each tenant."""
    return {tenant.hex(): (end.number, end.digest.hex()) for tenant, end in sorted(replay.ends.items())}


def _ends(connection: Connection, names: Names, replay: Replay) -> Iterator[str]:
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
    wanted = {where: (charge.epsilon, charge.delta) for where, (_, charge, _) in replay.open.items()}
    rows = {
        (row["tenant"], row["number"]): (int(row["epsilon"]), int(row["delta"]))
        for row in connection.execute(sa.select(OPEN)).mappings()
    }
    for tenant, number in sorted({key for key in wanted.keys() | rows.keys() if wanted.get(key) != rows.get(key)}):
        yield f"tenant {tenant.hex()[:12]}, entry {number}: it is not known rightly whether it was committed"


TITLE: Final = {"textveil": "ledger of budgets", "form": 1}  # the first line


def write_export(entries: Iterable[Entry], stream: BinaryIO) -> int:
    """Write a title, a line for each entry, and a line with the last entry of each tenant; return their number."""
    stream.write(_line(TITLE))
    heads: dict[str, list[Any]] = {}
    count = 0
    for entry in entries:
        stream.write(_line(to_data(entry)))
        heads[entry.tenant.hex()] = [entry.number, entry.digest.hex()]
        count += 1
    stream.write(_line({"entries": count, "heads": heads}))
    return count


def to_data(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON data; ``data`` stays the text that its digest was made of."""
    hexed = {name: None if value is None else value.hex() for name, value in entry.digests().items()}
    return {**entry._asdict(), **hexed}


def verified_export(path: Path, noted: Collection[str] = ()) -> Verification:
    """Verify an exported ledger: chain, sums and limits, but no seal and no key.

    ``path``: of the export; ``noted``: heads that were noted before, which must be there.
    Raises InputError: the file cannot be read, or is no export.
    """
    replay = Replay(lambda: _read(path), noted)
    replay.run()
    _, last = max(_lines(path), key=lambda line: line[0], default=(0, None))
    heads = heads_of(replay)
    ends = {"entries": replay.entries, "heads": {tenant: list(head) for tenant, head in heads.items()}}
    cut = [] if last == ends else ["the export ends elsewhere than it says; entries were cut off or added"]
    return Verification(replay.entries, heads, (*replay.problems, *cut))


def _line(data: dict[str, Any]) -> bytes:
    return canonical(data).encode("ascii") + b"\n"


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    number = 0
    try:
        with path.open("rb") as stream:
            while line := stream.readline(FILE_BYTES):
                number += 1
                yield number, json_data(line)
    except OSError as error:
        reason = f"it cannot be read: {error.strerror}"
    except ValueError:
        reason = f"line {number} is no JSON"
    else:
        return
    raise InputError(f"the input must be an exported ledger; {reason}.")


def _read(path: Path) -> Iterator[Entry]:
    for number, data in _lines(path):
        if number == 1:
            if data != TITLE:
                raise InputError("the input must be an exported ledger; its first line says something else.")
            continue
        if "heads" in data:
            return
        try:
            yield Entry.of_hex(data)
        except (KeyError, TypeError, ValueError):
            raise InputError(f"the input must be an exported ledger; line {number} is no entry.") from None
