"""Budgets in a database: reserved before anything is drawn, committed after it, and never overdrawn.

``paying`` reserves, then lets its block draw: a failure before the first draw costs nothing, a later one says that
the release was charged.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, Protocol, TypeAlias, TypeVar

from sqlalchemy import select

from textveil.budget.account import Account, Limit
from textveil.budget.book import Ask, Book, Turns, own_rows
from textveil.budget.chain import Entry, Names
from textveil.budget.charge import Charge
from textveil.budget.database import ENTRIES, FACTS, begin_rows, opened, reading, told, url_of, writing
from textveil.budget.standing import Balance as Balance
from textveil.budget.standing import Charged
from textveil.budget.standing import Reservation as Reservation
from textveil.budget.verification import Verification, stored_entries, verified, write_export
from textveil.environment import LEDGER_KEY, LEDGER_KEY_FILE
from textveil.errors import BudgetExhausted, InputError, LedgerError, OutputError, ParameterError, TextveilError, need
from textveil.privacy.accountant import Accountant
from textveil.whole_files import decoded_key, read_key, read_or_made_key

T = TypeVar("T")

Each: TypeAlias = Literal["unit", "key"]

_KEY_CHECK = "key"
_SETTLE_SECONDS: Final = 0.1  # how long commits wait for another transaction before they have one of their own


class Ledger:
    """Keeps what accounts have spent and may spend, in an SQLite or a PostgreSQL database.

    Budget is taken before randomness is drawn. From the first draw on it stays taken whatever happens, and a crash
    between ``reserve`` and ``commit`` counts as spent. Names are kept as digests under a secret key, amounts as whole
    numbers, and entries as a chain that nobody changes unseen. Proof of what is counted: privacy/proofs/ledger.md.

    Args:
        url: an SQLAlchemy URL, ``sqlite:///budget.db`` or ``postgresql://...``, or the path of an SQLite file. A new
            database is made.
        key: 32 secret bytes. None takes the environment's ``TEXTVEIL_LEDGER_KEY``; else the file that
            ``TEXTVEIL_LEDGER_KEY_FILE`` names; else, for SQLite, the file beside the database whose name ends in
            ``.key``. With a new SQLite database its file is made (mode 0600).

    Raises:
        LedgerError: the database cannot be opened, or is of another form, or of another key. Every method raises it if
            the database fails.
        ParameterError: the url or the key cannot be read, or there is no key.
        MissingExtra: the extra ``ledger`` is not installed.

    Safe to use from several threads at once, which share one transaction; and from several processes, each with a
    ``Ledger`` of its own: one that was opened before a fork must not be used after it.
    """

    def __init__(self, url: str, *, key: bytes | None = None) -> None:
        place = url_of(url)
        self._names = Names(_key(place.database if place.get_backend_name() == "sqlite" else None, key))
        self._engine = opened(place)
        self._turns = Turns(self._write)
        # A thread that lasts: to start one for each commit would hold up the thread that commits.
        self._settling = ThreadPoolExecutor(1, thread_name_prefix="textveil-settle")
        self._settles = threading.Lock()
        self._closing = threading.Event()
        self._closed = False
        try:
            self._check_key()
        except BaseException:
            self._settling.shutdown()
            self._engine.dispose()
            raise

    @classmethod
    def upgrade(cls, url: str) -> None:
        """Bring the tables of an older database into today's form; copy it before. A newer form raises LedgerError."""
        opened(url_of(url), upgrade=True).dispose()

    def set_limit(self, account: Account, limit: Limit | None, *, each: Each | None = None) -> None:
        """Set the limit of an account, or lift it by None.

        ``account``: a tenant, a person, a key, or a person by a key; ``limit``: None: no limit; ``each``: "unit" or
        "key" sets it for each person or key of the tenant that has none of its own.

        Raises:
            ParameterError: ``each`` is given beside a person or a key.
            LedgerError: the database fails; nothing was set.
        """
        need(each in (None, "unit", "key"), "each", each, '"unit" or "key"')
        alone = account.unit is None and account.key is None
        need(each is None or alone, "each", each, "left out for a limit of one person or key alone")
        self._ask(account, lambda book: book.set_limit(account, limit, each))

    def reserve(self, account: Account, cost: Accountant) -> Reservation:
        """Take the cost of a release from all levels of an account, before anything is drawn.

        It is on the disk when this returns.

        ``account``: whose texts they are; ``cost``: of the release: ``Sanitizer.prepare(texts).accountant``.

        Raises:
            BudgetExhausted: it is more than is left at one of the levels; nothing was taken.
            UnsupportedGuarantee: a draw promises nothing; nothing was taken.
            LedgerError: the database fails; it may have been taken, and nothing may be drawn.
        """
        charge = Charge.of(cost)
        return self._ask(account, lambda book: book.reserve(account, charge))

    def reserve_all(
        self, wanted: Sequence[tuple[Account, Accountant]]
    ) -> list[Reservation | BudgetExhausted | LedgerError]:
        """Reserve several costs in one transaction, in order; if a budget does not reach, its error is in the list."""
        asked = [Ask(account, methodcaller("reserve", account, Charge.of(cost))) for account, cost in wanted]
        self._need_open()
        self._turns.ask(asked)
        if all(isinstance(request.error, LedgerError) for request in asked):
            return [request.result() for request in asked]
        # What is wrong with one tenant's entries is told to those alone who ask for it: the others have paid.
        return [
            request.error if isinstance(request.error, BudgetExhausted | LedgerError) else request.result()
            for request in asked
        ]

    def reserve_together(self, wanted: Sequence[tuple[Account, Accountant]]) -> list[Reservation]:
        """Reserve the costs of several accounts in one transaction, all of them or none; see ``reserve``."""
        if not wanted:
            return []
        self._need_open()
        charged = [(account, Charge.of(cost)) for account, cost in wanted]
        first, *others = [account for account, _ in charged]
        asked = Ask(first, lambda book: book.reserve_together(charged), others=others)
        self._turns.ask([asked])
        return asked.result()

    def commit(self, reservation: Reservation) -> None:
        """Note that what was reserved has been drawn.

        It is written with the next transaction, soon: to lose it in a crash changes nothing but what ``reserved`` says.
        """
        self.commit_entry(reservation.account, reservation.number)

    def commit_entry(self, account: Account, number: int) -> None:
        """Note the same, if it is not noted yet, by account and number, perhaps for another process."""
        self._need_open()
        self._turns.leave([Ask(account, lambda book: book.commit(account, number), commits=[number])])
        self._settle_soon()

    def draws_again(self, wanted: Sequence[tuple[Account, Accountant]], numbers: Sequence[int]) -> bool:
        """Commit entries of these numbers, unless one reserves something else or was taken back.

        Returns whether it did; then nobody takes them back later.
        """
        self._need_open()
        if not wanted:
            return True
        first, *others = [account for account, _ in wanted]
        charged = [(account, Charge.of(cost)) for account, cost in wanted]
        asked = Ask(first, lambda book: book.draws_again(charged, numbers), others=others)
        asked.commits = [(account, number) for (account, _), number in zip(wanted, numbers, strict=True)]
        self._turns.ask([asked])
        return asked.result()

    def cancel_entries(self, reserved: Sequence[tuple[Account, int]]) -> None:
        """Take back open reservations of which nothing was drawn, by account and number, in one transaction.

        Only for callers who know that no randomness was drawn for them: see ``paying``. If the database fails, they
        count as spent.
        """
        self._need_open()
        asked = [
            Ask(account, methodcaller("cancel", account, number), commits=[number]) for account, number in reserved
        ]
        self._turns.ask(asked)
        for request in asked:
            request.result()

    def balance(self, account: Account) -> Balance:
        """Return where an account stands, at the one of its levels that leaves least."""
        return self._ask(account, lambda book: book.balance(account, reserved=True), reads=True)

    def balances(self, accounts: Sequence[Account]) -> list[Balance]:
        """Return where accounts stand, without what is not committed."""
        if not accounts:
            return []
        self._need_open()
        first, *others = accounts
        asked = Ask(first, lambda book: [book.balance(account) for account in accounts], others=others, reads=True)
        self._turns.ask([asked])
        return asked.result()

    def affords(self, account: Account, cost: Accountant) -> int | None:
        """Return how many more releases of this cost the account can pay, in turn; None if nothing limits them.

        Raises UnsupportedGuarantee: a draw promises nothing.
        """
        return self._ask(account, lambda book: book.balance(account), reads=True).affords(cost)

    def entries(self, account: Account | None = None) -> Iterator[Entry]:
        """Yield the entries of an account or of all, by tenant and number, in constant memory; names are digests."""
        self._settled()
        own = [] if account is None else own_rows(ENTRIES, self._names.of(account).levels[-1])
        with told(), reading(self._engine) as connection:
            yield from stored_entries(connection, *own)

    def verify(self, noted: Collection[str] = ()) -> Verification:
        """Verify all entries: their chain and its seal, their sums, and that no limit was exceeded.

        ``noted``: heads that were noted elsewhere before, in hexadecimal digits: only they show entries that were cut
        off at the end, by whoever holds the key or brings an old copy back.
        """
        self._settled()
        with told(), reading(self._engine) as connection:
            return verified(connection, self._names, noted)

    def export(self, stream: BinaryIO) -> int:
        """Write all entries as lines of JSON, for an auditor without key and database; return how many there are."""
        return write_export(self.entries(), stream)

    def close(self) -> None:
        """Write what is left to write, and close the database; closing again does nothing."""
        if self._closed:
            return
        self._closed = True
        self._closing.set()
        self._settling.shutdown(wait=True)
        try:
            self._turns.settle()
        finally:
            self._engine.dispose()

    def __enter__(self) -> Ledger:
        """Return the ledger, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, account: Account, work: Callable[[Book], T], *, reads: bool = False) -> T:
        self._need_open()
        asked = Ask(account, work, reads=reads)
        self._turns.ask([asked])
        return asked.result()

    def _write(self, batch: Sequence[Ask[Any]]) -> None:
        with told(), writing(self._engine) as connection:
            accounts = [account for request in batch if not request.reads for account in request.accounts]
            read = [account for request in batch if request.reads for account in request.accounts]
            commits = [pair for request in batch for pair in request.commits]
            book = Book(connection, self._names, time.time_ns() // 1000, accounts, commits, read)
            for request in batch:
                try:
                    request.value = request.work(book)
                except TextveilError as error:
                    request.error = error
            book.write()

    def _settled(self) -> None:
        self._need_open()
        self._turns.settle()

    def _settle_soon(self) -> None:
        if self._settles.acquire(blocking=False):
            with contextlib.suppress(RuntimeError):  # it is being closed, which writes what is left
                self._settling.submit(self._settle)

    def _settle(self) -> None:
        self._closing.wait(_SETTLE_SECONDS)
        self._settles.release()
        with contextlib.suppress(LedgerError):  # what is lost was counted as spent before
            self._turns.settle()

    def _need_open(self) -> None:
        if self._closed:
            raise LedgerError("the ledger is closed. Open it again: Ledger(url).")

    def _check_key(self) -> None:
        with told(), writing(self._engine) as connection:
            wanted = select(FACTS.c.value).where(FACTS.c.name == _KEY_CHECK)
            if connection.execute(wanted).scalar() is None:  # another process may write it at the same time
                begin_rows(connection, FACTS, [{"name": _KEY_CHECK, "value": self._names.check}])
            if not hmac.compare_digest(connection.execute(wanted).scalar_one(), self._names.check):
                raise LedgerError(
                    f"the ledger's database has another key. Give the one that it was made with, by {LEDGER_KEY} or "
                    "the file beside it."
                )


def need_database(url: str) -> None:
    """Refuse a file that is not there, if asking about it would make an empty ledger.

    Raises LedgerError: there is no such file.
    """
    place = url_of(url)
    if place.get_backend_name() == "sqlite" and place.database and not Path(place.database).exists():
        raise LedgerError(
            "there is no such database. One is made where a limit is set, a key is made or a text is paid."
        )


def ledger_key(url: str) -> bytes:
    """Return the key of a ledger, for what else is kept in its database; see ``Ledger``.

    Raises ParameterError: the url or the key cannot be read, or there is no key.
    """
    place = url_of(url)
    return _key(place.database if place.get_backend_name() == "sqlite" else None, None)


def _key(file: str | None, given: bytes | None) -> bytes:
    if given is not None:
        return given
    said = os.environ.get(LEDGER_KEY)
    if said is not None:
        return decoded_key(said.strip().encode("utf-8", "replace"), LEDGER_KEY)
    named = os.environ.get(LEDGER_KEY_FILE)
    if file is None and named:
        return read_key(Path(named), LEDGER_KEY_FILE)
    if file is None:
        raise ParameterError(
            f"key must be given for a database that is no file, by {LEDGER_KEY} or as `key`; got none. Make one: "
            'python -c "import secrets; print(secrets.token_hex(32))".'
        )
    path = Path(named or f"{file}.key")
    database = Path(file)
    old = database.is_file() and database.stat().st_size > 0  # a new key would fit nothing that is in it
    if old or database.is_dir():
        _need_sqlite(database)
    try:
        return read_key(path, "key") if old else read_or_made_key(path, "key")
    except (InputError, OutputError) as error:
        reason = str(error).rpartition(": ")[2]
        if not old:
            raise LedgerError(f"no ledger can be made there: {reason} Its folder must exist and be writable.") from None
        raise LedgerError(
            f"the key of the ledger, the file beside its database whose name ends in .key or that {LEDGER_KEY_FILE} "
            f"names, cannot be read: {reason} Put it back, or give the key by {LEDGER_KEY}."
        ) from None


def _need_sqlite(file: Path) -> None:
    """Refuse a folder or another file before its key is searched or made: the missing key is not what is wrong.

    SQLite itself looks: closing a file that one opened gives up all locks that the process has on it (POSIX), and
    another process would then delete the log that this one writes to.
    """
    what = "a folder" if file.is_dir() else ""
    if not what:
        try:
            with contextlib.closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True)) as connection:
                connection.execute("PRAGMA schema_version").close()
        except (OSError, sqlite3.OperationalError):
            pass  # what cannot be read is told when it is opened
        except sqlite3.DatabaseError:
            what = "no database"
    if what:
        raise LedgerError(f"the ledger's database could not be used: it is {what}. Name another file, or restore it.")


class Drawing:
    """Tells whether randomness may have been drawn for a release."""

    def __init__(self, charged: Charged | None = None) -> None:
        self.charged = charged  # None if nobody was
        self.begun = False

    def begin(self) -> None:
        """Say, before the first draw, that randomness is drawn from now on."""
        self.begun = True


class Receipt(Protocol):
    """Remembers what was paid for a run that may go on: its draws are the same ones then, and cost nothing more."""

    def numbers(self) -> list[int] | None:
        """Return the reservations that an earlier run made for just these draws; None if there are none."""

    def keep(self, numbers: Sequence[int]) -> None:
        """Remember reservations, before anything is drawn."""

    def forget(self) -> None:
        """Forget them: nothing was drawn, and they are taken back."""


@contextlib.contextmanager
def paying(
    ledger: Ledger, wanted: Sequence[tuple[Account, Accountant]], receipt: Receipt | None = None
) -> Iterator[Drawing]:
    """Reserve costs, all or none, for what the block draws, and note at its end that it was drawn.

    If the block fails before ``Drawing.begin``, the reservations are taken back. If it fails later, they stay: without
    a receipt its error says so, with one a later run goes on with them.

    ``receipt``: remembered reservations are not reserved again, if this ledger holds them and none was
    taken back.

    Raises:
        BudgetExhausted: a budget does not reach; nothing was taken from anybody.
        LedgerError: the ledger fails.
    """
    accounts = [account for account, _ in wanted]
    numbers = None if receipt is None else receipt.numbers()
    before = numbers is not None and len(numbers) == len(wanted)  # an earlier run may have drawn
    if numbers is None or not before or not ledger.draws_again(wanted, numbers):
        reservations = ledger.reserve_together(wanted)
        numbers, balances = ([each.number for each in reservations], [each.balance for each in reservations])
        if receipt is not None:
            receipt.keep(numbers)
    else:
        balances = ledger.balances(accounts)
    reserved = list(zip(accounts, numbers, strict=True))
    drawing = Drawing(Charged.of(balances) if balances else None)
    try:
        yield drawing
    except BaseException as error:
        if drawing.begun:
            _commit(ledger, reserved)
            if receipt is None:
                tell_charged(error)
        elif not before:
            if receipt is not None:
                receipt.forget()
            with contextlib.suppress(LedgerError):  # if the ledger fails, they count as spent
                ledger.cancel_entries(reserved)
        raise
    _commit(ledger, reserved)


def _commit(ledger: Ledger, reserved: Sequence[tuple[Account, int]]) -> None:
    for account, number in reserved:
        ledger.commit_entry(account, number)


def tell_charged(error: BaseException) -> None:
    """Add to an error of textveil's own that its release was charged."""
    if isinstance(error, TextveilError) and error.args:
        error.args = (f"{error.args[0]} The release is charged in full, because its noise was drawn.", *error.args[1:])
