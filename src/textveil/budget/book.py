"""One transaction of a ledger: entries are decided one after another, and written together.

Many threads share one transaction: the first writes for all who wait.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from textveil.budget import database
from textveil.budget.account import Account, Limit
from textveil.budget.chain import BudgetLevel, Chain, Entry, Names, What
from textveil.budget.charge import Charge, canonical, delta_up, epsilon_down, epsilon_up, guarantee_of
from textveil.budget.standing import Balance, CountedSums, Reservation, Standing, balance_of, costs_of, time_of
from textveil.errors import Amount, BudgetExhausted, LedgerError
from textveil.json_text import json_data
from textveil.privacy.guarantees import Guarantee


class Book:
    """The accounts of some tenants in a transaction; nobody else can change them before it ends.

    Args:
        connection: in a transaction that will write.
        names: under the ledger's key.
        now: microseconds since 1970.
        accounts: for which something may be written.
        commits: reservations that will be committed, by account and number.
        reads: accounts of which only a balance is asked: nothing is written for them, known or not.

    Every method raises LedgerError if the tenant's entries do not end as they must; then nothing is written.
    """

    def __init__(
        self,
        connection: Connection,
        names: Names,
        now: int,
        accounts: Iterable[Account],
        commits: Iterable[tuple[Account, int]],
        reads: Iterable[Account] = (),
    ) -> None:
        self._connection = connection
        self._names = names
        self._now = now
        self._entries: list[Entry] = []
        self._opened: list[dict[str, Any]] = []
        self._closed: list[tuple[bytes, int]] = []
        self._changed: set[bytes] = set()
        digests = [names.of(account) for account in accounts]
        written = {named.tenant for named in digests}
        digests += [names.of(account) for account in reads]
        self._chains = _locked(connection, names, sorted({named.tenant for named in digests}), written)
        levels = [level for named in digests for level in named.levels]
        wanted = {level.digest for level in levels} | {level.each for level in levels if level.each is not None}
        open_now = database.open_rows(connection, {(names.of(account).tenant, number) for account, number in commits})
        self._open = {(row["tenant"], row["number"]) for row in open_now}
        # No clock goes back: what is decided is decided at the time that its entry has.
        self._nows = {tenant: now if end is None else max(now, end.at) for tenant, end in self._chains.items()}
        self._standings = {row["level"]: Standing.of_row(row) for row in database.level_rows(connection, wanted)}

    def reserve(self, account: Account, charge: Charge) -> Reservation:
        """Take a charge from every level of an account.

        Raises BudgetExhausted: it is more than is left at one of them; nothing is taken.
        """
        self._chain(account)
        levels = list(self._levels(account, keep=True))
        for _, standing, limit in levels:
            if limit is not None and not standing.admits(limit, charge):
                raise _exhausted(standing, limit, charge, self._nows[standing.tenant])
        entry = self._append(account, "reserve", charge.to_data())
        named = {name: getattr(entry, name) for name in ("tenant", "number", "unit", "key")}
        self._opened.append({**named, "epsilon": str(charge.epsilon), "delta": str(charge.delta)})
        for _, standing, limit in levels:
            standing.add(charge, entry.at, limit)
            self._changed.add(standing.level)
        return Reservation(account, entry.number, charge, self.balance(account))

    def reserve_together(self, wanted: Sequence[tuple[Account, Charge]]) -> list[Reservation]:
        """Reserve for several accounts, or for none.

        Raises BudgetExhausted: it is more than is left to one of them; nothing is taken.
        """
        for account, _ in wanted:
            self._chain(account)
            for _ in self._levels(account, keep=True):  # whatever sums must be counted again are now
                pass
        standings = {level: replace(standing) for level, standing in self._standings.items()}
        chains = {tenant: None if chain is None else replace(chain) for tenant, chain in self._chains.items()}
        entries, opened, changed = len(self._entries), len(self._opened), set(self._changed)
        try:
            return [self.reserve(account, charge) for account, charge in wanted]
        except BudgetExhausted as error:
            self._standings, self._chains, self._changed = standings, chains, changed
            del self._entries[entries:], self._opened[opened:]
            if error.scope != "tenant" or len(wanted) == 1:
                raise
            told = f"{len(wanted):,} accounts are charged; this is what those before would leave. Limit each person."
            raise error.told_with(told) from None

    def commit(self, account: Account, number: int) -> None:
        """Note that a reservation was drawn, if it is open."""
        where = (self._names.of(account).tenant, number)
        if where not in self._open:
            return
        self._open.remove(where)
        entry = self._append(account, "commit", {"of": number})
        self._closed.append((entry.tenant, number))

    def draws_again(self, wanted: Sequence[tuple[Account, Charge]], numbers: Sequence[int]) -> bool:
        """Commit reservations of these numbers, unless one is of something else or was taken back; return whether."""
        reserved = [(self._names.of(account), number) for (account, _), number in zip(wanted, numbers, strict=True)]
        missing = {
            ("reserve", canonical(charge.to_data()), names.tenant, number, names.unit, names.key)
            for (_, charge), (names, number) in zip(wanted, reserved, strict=True)
        }
        self._flush()
        table = database.ENTRIES.c
        columns = (table.what, table.data, table.tenant, table.number, table.unit, table.key)
        for tenant in {names.tenant for names, _ in reserved}:
            own = {number for names, number in reserved if names.tenant == tenant}
            among = ((table.what == "reserve") & table.number.between(min(own), max(own))) | (table.what == "cancel")
            found = self._connection.execute(sa.select(*columns).where(table.tenant == tenant, among))
            for entry in map(tuple, found):
                if entry[0] == "cancel" and json_data(entry[1])["of"] in own:
                    return False
                missing.discard(entry)
        if not missing:
            for (account, _), number in zip(wanted, numbers, strict=True):
                self.commit(account, number)
        return not missing

    def cancel(self, account: Account, number: int) -> None:
        """Take back a reservation of which nothing was drawn, if it is open."""
        where = (self._names.of(account).tenant, number)
        if where not in self._open:
            return
        self._chain(account)
        levels = list(self._levels(account, keep=True))
        self._flush()
        own = (database.ENTRIES.c.tenant == where[0], database.ENTRIES.c.number == number)
        columns = (database.ENTRIES.c.at, database.ENTRIES.c.data)
        at, data = self._connection.execute(sa.select(*columns).where(*own)).one()
        charge = Charge.of_data(json_data(data))
        self._open.remove(where)
        entry = self._append(account, "cancel", {"of": number})
        self._closed.append((entry.tenant, number))
        for _, standing, limit in levels:
            standing.take_back(charge, at, limit)
            self._changed.add(standing.level)

    def set_limit(self, account: Account, limit: Limit | None, each: str | None) -> None:
        """Set or lift the limit of an account, or of each person or key of a tenant that has none of its own."""
        self._chain(account)
        data = {"each": each, "limit": None if limit is None else limit.to_data()}
        digests = self._names.of(account)
        if each is None:
            level = digests.levels[-1]
            standing = self._standings.get(level.digest) or self._from_entries(level)
        else:
            every = self._names.every(account, each)
            standing = self._standings.setdefault(every, Standing(every, digests.tenant, f"each {each}"))
        standing.limit = limit
        self._changed.add(standing.level)
        self._append(account, "limit", data)

    def balance(self, account: Account, *, reserved: bool = False) -> Balance:
        """Return what is left at the level that leaves least; ``reserved`` adds up what is not committed."""
        now = self._nows[self._names.of(account).tenant]
        levels = list(self._levels(account))
        counted = tuple(standing.counted(limit) for _, standing, limit in levels if limit is not None)
        balances = [(level, balance_of(standing, limit, now, counted)) for level, standing, limit in levels]
        tightest, balance = min(reversed(balances), key=lambda pair: pair[1].tightness())
        return replace(balance, reserved=self._reserved(tightest)) if reserved else balance

    def _reserved(self, level: BudgetLevel) -> Guarantee:
        self._flush()
        wanted = sa.select(database.OPEN.c.epsilon, database.OPEN.c.delta).where(*own_rows(database.OPEN, level))
        charges = [(int(epsilon), int(delta)) for epsilon, delta in self._connection.execute(wanted)]
        status = self._standings[level.digest].status
        return guarantee_of(sum(charge[0] for charge in charges), sum(charge[1] for charge in charges), status)

    def write(self) -> None:
        """Write all changes; the caller ends the transaction."""
        self._flush()
        rows = [self._standings[level].as_row() for level in sorted(self._changed)]
        database.set_rows(self._connection, database.LEVELS, rows)
        self._changed.clear()

    def _flush(self) -> None:
        if not self._entries:
            return
        database.add_rows(self._connection, database.ENTRIES, [entry._asdict() for entry in self._entries])
        ends = [self._chains[tenant] for tenant in sorted({entry.tenant for entry in self._entries})]
        database.set_rows(
            self._connection, database.CHAINS, [chain.as_row(self._names) for chain in ends if chain is not None]
        )
        database.add_rows(self._connection, database.OPEN, self._opened)
        database.close_open(self._connection, self._closed)
        self._entries, self._opened, self._closed = [], [], []

    def _append(self, account: Account, what: What, data: Mapping[str, Any]) -> Entry:
        digests = self._names.of(account)
        entry = self._chain(account).append(self._now, what, digests.unit, digests.key, data)
        self._entries.append(entry)
        return entry

    def _chain(self, account: Account) -> Chain:
        chain = self._chains[self._names.of(account).tenant]
        if chain is None:
            raise LedgerError(
                "the end of this tenant's entries is not sealed under the ledger's key. Run `textveil ledger verify`."
            )
        return chain

    def _new(self, level: BudgetLevel) -> Standing:
        standing = self._standings[level.digest] = Standing(level.digest, level.tenant, level.account.scope)
        return standing

    def _from_entries(self, level: BudgetLevel) -> Standing:
        standing = self._new(level)
        for at, charge in self._charges(level, 0):
            standing.add(charge, at, None)
        return standing

    def _levels(self, account: Account, *, keep: bool = False) -> Iterator[tuple[BudgetLevel, Standing, Limit | None]]:
        """Yield where an account stands at each level, counted for its limit; ``keep`` writes sums counted anew."""
        for level in self._names.of(account).levels:
            standing = self._standings.get(level.digest)
            if standing is None:
                if level.kept_on_demand:
                    continue
                standing = self._new(level)
            limit = self._limit(level, standing)
            if limit is not None:
                self._count(level, standing, limit, keep=keep)
            yield level, standing, limit

    def _limit(self, level: BudgetLevel, standing: Standing) -> Limit | None:
        if standing.limit is not None or level.each is None:
            return standing.limit
        each = self._standings.get(level.each)
        return None if each is None else each.limit

    def _count(self, level: BudgetLevel, standing: Standing, limit: Limit, *, keep: bool) -> None:
        if standing.is_counted(limit, self._nows[level.tenant]):
            return
        if keep:
            self._changed.add(standing.level)
        if not standing.begin(limit, self._nows[level.tenant]):
            return
        for _, charge in self._charges(level, standing.period_start):
            standing.count(limit, charge)

    def _charges(self, level: BudgetLevel, since: int) -> Iterator[tuple[int, Charge]]:
        self._flush()
        own = own_rows(database.ENTRIES, level)
        ended = self._connection.execute(
            sa.select(database.ENTRIES.c.data).where(*own, database.ENTRIES.c.what == "cancel")
        )
        cancelled = {json_data(data)["of"] for (data,) in ended}
        columns = (database.ENTRIES.c.number, database.ENTRIES.c.at, database.ENTRIES.c.data)
        wanted = sa.select(*columns).where(*own, database.ENTRIES.c.what == "reserve", database.ENTRIES.c.at >= since)
        for number, at, data in self._connection.execute(wanted):
            if number not in cancelled:
                yield at, Charge.of_data(json_data(data))


def own_rows(table: sa.Table, level: BudgetLevel) -> list[sa.ColumnElement[bool]]:
    """Return the conditions on rows of an account."""
    own = [table.c.tenant == level.tenant]
    own += [] if level.unit is None else [table.c.unit == level.unit]
    return own + ([] if level.key is None else [table.c.key == level.key])


def _locked(
    connection: Connection, names: Names, tenants: list[bytes], written: set[bytes]
) -> dict[bytes, Chain | None]:
    """Lock the ends of the tenants' chains until the transaction ends, None for broken ones; begin ``written`` ones."""
    if len(tenants) > 1 and connection.dialect.name != "sqlite":  # which locks all at once
        # Chains begin before any is locked: of two transactions none then holds what comes behind what it waits for.
        there = {row["tenant"] for row in database.chain_rows(connection, tenants, locked=False)}
        begun = [Chain(tenant).as_row(names) for tenant in tenants if tenant in written - there]
        database.begin_rows(connection, database.CHAINS, begun)
    chains = dict(_chains(connection, names, tenants))
    absent = [tenant for tenant in tenants if tenant not in chains]
    new = [tenant for tenant in absent if tenant in written]
    if new:
        database.begin_rows(connection, database.CHAINS, [Chain(tenant).as_row(names) for tenant in new])
        chains.update(_chains(connection, names, new))
    return {**{tenant: Chain(tenant) for tenant in absent}, **chains}


def _chains(connection: Connection, names: Names, tenants: list[bytes]) -> Iterator[tuple[bytes, Chain | None]]:
    for row in database.chain_rows(connection, tenants):
        chain = Chain(row["tenant"], row["number"], row["at"], row["head"])
        yield chain.tenant, chain if chain.seal(names) == row["seal"] else None


def _exhausted(standing: Standing, limit: Limit, charge: Charge, now: int) -> BudgetExhausted:
    left = Amount(*standing.remaining(limit))
    cost, held, kind = costs_of(charge, limit), standing.counted(limit).left, ""
    needed = Amount(epsilon_up(charge.epsilon), delta_up(cost.delta))
    if limit.composition == "gaussian" and cost.epsilon > held.epsilon:
        left = left._replace(epsilon=epsilon_down(held.epsilon))
        needed = needed._replace(epsilon=epsilon_up(cost.epsilon))
        kind = " for releases without Gaussian noise"

    def told(amount: Amount) -> str:
        delta = f", delta {max(0.0, amount.delta):.3g}" if needed.delta > 0 else ""
        return f"epsilon {max(0.0, amount.epsilon):.6g}{delta}"

    renews = limit.period_end(time_of(max(now, standing.last_at)))
    wait = f"The budget is renewed on {renews:%Y-%m-%d at %H:%M} UTC: wait" if renews else "Release less"
    if renews and not CountedSums(limit, 0, 0, 0).fits(charge):
        wait, renews = "It is more than a whole period's budget: release less", None
    return BudgetExhausted(
        f"the budget of this {standing.scope} has {told(left)} left{kind}; this release needs {told(needed)}. {wait}, "
        "or raise the limit.",
        remaining=left,
        needed=needed,
        scope=standing.scope,
        renews=renews,
    )


T = TypeVar("T")


class Ask(Generic[T]):
    """A request of one thread; ``result`` is there once some thread has written it.

    Args:
        account: that it is about.
        work: does it in a transaction's book.
        others: further accounts that the work asks for.
        commits: numbers of the account's reservations that it commits.
        reads: whether it only looks, so that nothing is written for its accounts.
    """

    def __init__(
        self,
        account: Account,
        work: Callable[[Book], T],
        *,
        others: Sequence[Account] = (),
        commits: Sequence[int] = (),
        reads: bool = False,
    ) -> None:
        self.accounts = (account, *others)
        self.commits = [(account, number) for number in commits]
        self.work = work
        self.reads = reads
        self.done = False
        self.value: T | None = None
        self.error: BaseException | None = None

    def result(self) -> T:
        """Return the work's result, or raise the error of the work or of the transaction."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # set before it is done


class Turns:
    """Gathers requests of threads while a transaction is under way, and gives all of them to the next one.

    ``write``: does all requests in one transaction, and sets their results; if it raises, nothing was done.
    """

    def __init__(self, write: Callable[[Sequence[Ask[Any]]], None]) -> None:
        self._write = write
        self._turn = threading.Lock()
        self._waiting: list[Ask[Any]] = []
        self._gathering = threading.Lock()

    def ask(self, asked: Sequence[Ask[Any]]) -> None:
        """Have requests written; returns once they are, by this thread or another."""
        self.leave(asked)
        with self._turn:
            if not all(request.done for request in asked):
                self._write_waiting()

    def leave(self, asked: Sequence[Ask[Any]]) -> None:
        """Leave requests to whoever writes next."""
        with self._gathering:
            self._waiting += asked

    def settle(self) -> None:
        """Write what was left to others, if anything was."""
        with self._turn:
            self._write_waiting()

    def _write_waiting(self) -> None:
        with self._gathering:
            batch, self._waiting = self._waiting, []
        if not batch:
            return
        try:
            self._write(batch)
        except BaseException as error:
            # What was drawn is noted by the next one: nobody waits for it, and to note it twice changes nothing.
            self.leave([request for request in batch if request.commits])
            for request in batch:
                request.error = request.error or error
            if not isinstance(error, Exception):
                raise
        finally:
            for request in batch:
                request.done = True
