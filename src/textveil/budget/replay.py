"""Entries gone through again from the first: whether they are whole, and what they come to.

Nothing here reads what a ledger keeps beside its entries, so a verification compares two computations. Accounts are
told apart by the digests that entries have; without the key nothing more can be known of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from textveil.budget.chain import BEFORE_ALL, Entry
from textveil.budget.charge import Charge
from textveil.budget.limit import Limit
from textveil.budget.standing import Standing
from textveil.json_text import json_data

Source: TypeAlias = Callable[[], Iterable[Entry]]
"""Gives the entries of all tenants from the first; it is asked again where sums must be counted again."""

_MOST_PROBLEMS = 100


class Who(NamedTuple):
    """An account by its digests; ``each`` is "unit" or "key" for the rule that holds for each of a tenant's."""

    tenant: bytes
    unit: bytes | None
    key: bytes | None
    each: str = ""

    @property
    def holders(self) -> list[Who]:
        """What a release of it is charged to."""
        units, keys = dict.fromkeys((None, self.unit)), dict.fromkeys((None, self.key))
        return [Who(self.tenant, unit, key) for key in keys for unit in units]

    @property
    def rule(self) -> Who | None:
        """The rule that holds for it where it has no limit of its own."""
        if (self.unit is None) == (self.key is None):
            return None
        return Who(self.tenant, None, None, "unit" if self.key is None else "key")

    def owns(self, entry: Entry) -> bool:
        """Whether an entry is one of its own."""
        return (
            entry.tenant == self.tenant
            and (self.unit is None or entry.unit == self.unit)
            and (self.key is None or entry.key == self.key)
        )


class Replay:
    """Goes through entries in order, and says what is wrong with them.

    Args:
        source: gives the entries.
        noted: digests of entries that were noted before, in hexadecimal digits: they must be there.

    Attributes:
        problems: what is wrong, a line each; of very many the first hundred.
        entries: how many were read.
        ends: of each tenant the last entry.
        standings: what the entries come to.
        open: charges of reservations that nobody committed, by tenant and number.
    """

    def __init__(self, source: Source, noted: Collection[str] = ()) -> None:
        self._source = source
        self._noted = set(noted)
        self.problems: list[str] = []
        self.entries = 0
        self.ends: dict[bytes, Entry] = {}
        self.standings: dict[Who, Standing] = {}
        self.open: dict[tuple[bytes, int], tuple[Who, Charge]] = {}

    def run(self) -> None:
        """Read all of them."""
        for entry in self._source():
            self.entries += 1
            self._link(entry)
            try:
                self._apply(entry, json_data(entry.data))
            except (ValueError, KeyError, TypeError, IndexError):
                self.tell(entry, "cannot be read")
            self.ends[entry.tenant] = entry
            self._noted.discard(entry.digest.hex())
        self.problems += [f"a head that was noted before is gone: {head[:12]}" for head in sorted(self._noted)]

    def tell(self, entry: Entry, what: str) -> None:
        """Note a problem of an entry."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(f"tenant {entry.tenant.hex()[:12]}, entry {entry.number}: {what}")

    def standing(self, who: Who) -> Standing:
        """What an account's entries come to; from now on it is counted."""
        standing = self.standings.get(who)
        if standing is None:
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
        elif entry.what == "unprotected":
            if any(self._limit(holder, self.standing(holder)) is not None for holder in who.holders):
                self.tell(entry, "sends a text without protection under a limit")
        else:
            self.tell(entry, "is of an unknown kind")

    def _reserve(self, entry: Entry, who: Who, data: Any) -> None:
        charge = Charge.of_data(data)
        if charge.to_data() != data:
            self.tell(entry, "its draws come to something else than it says")
        for holder in who.holders:
            if holder.unit is not None and holder.key is not None and holder not in self.standings:
                continue
            standing = self.standing(holder)
            limit = self._limit(holder, standing)
            if limit is not None:
                self._count(holder, standing, limit, entry)
                if not standing.admits(limit, charge):
                    self.tell(entry, "takes more than was left")
            standing.add(charge, entry.at, limit)
        self.open[entry.tenant, entry.number] = (who, charge)

    def _cancel(self, entry: Entry, data: Any) -> None:
        reserved = self.open.pop((entry.tenant, data["of"]), None)
        if reserved is None:
            self.tell(entry, f"takes {data['of']} back, which is not reserved")
            return
        who, charge = reserved
        if who != Who(entry.tenant, entry.unit, entry.key):
            self.tell(entry, f"takes {data['of']} back, which is of another account")
        for holder in who.holders:
            if holder in self.standings:
                self.standings[holder].take_back(charge)

    def _limit(self, who: Who, standing: Standing) -> Limit | None:
        if standing.limit is not None or who.rule is None:
            return standing.limit
        each = self.standings.get(who.rule)
        return None if each is None else each.limit

    def _count(self, who: Who, standing: Standing, limit: Limit, entry: Entry) -> None:
        """As ``Book`` does it, from the entries before this one."""
        if not standing.is_counted(limit, entry.at) and standing.begin(limit, entry.at):
            for _, charge in self._charges(who, standing.period_start):
                standing.count(limit, charge)

    def _charges(self, who: Who, since: int) -> Iterator[tuple[Entry, Charge]]:
        """The reservations of an account among the entries that were read before, without those taken back."""
        end = self.ends.get(who.tenant)
        if end is None:
            return
        before = [entry for entry in self._source() if entry.what == "cancel" and who.owns(entry)]
        cancelled = {json_data(entry.data)["of"] for entry in before if entry.number <= end.number}
        for entry in self._source():
            counted = who.owns(entry) and entry.what == "reserve" and entry.number not in cancelled
            if counted and since <= entry.at and entry.number <= end.number:
                yield entry, Charge.of_data(json_data(entry.data))
