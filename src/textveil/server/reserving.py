"""Reservations of many requests in one transaction: whoever comes while one is written goes into the next."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Protocol

from textveil.budget.account import Account
from textveil.budget.balance import Balance
from textveil.budget.reservation import Reservation
from textveil.errors import BudgetExhausted, LedgerError, TextveilError
from textveil.privacy.accountant import Accountant


class BudgetLedger(Protocol):
    """What a server asks of a ledger; see ``budget.ledger.Ledger``."""

    def reserve_all(
        self, wanted: Sequence[tuple[Account, Accountant]]
    ) -> Sequence[Reservation | BudgetExhausted | LedgerError]:
        """Take costs from every budget of their accounts, durably."""

    def commit(self, reservation: Reservation) -> None:
        """Note that what was paid for was drawn."""

    def note_unprotected(self, account: Account) -> bool:
        """Note that texts are sent on as they are; returns whether it was noted: not under a limit."""

    def balance(self, account: Account) -> Balance:
        """What was spent and what is left."""


class _Waiting(NamedTuple):
    account: Account
    cost: Accountant
    answer: Future[Reservation]


class Reserving:
    """One thread that reserves for all requests, a transaction for all that wait.

    Args:
        ledger: of budgets.
    """

    def __init__(self, ledger: BudgetLedger) -> None:
        self._ledger = ledger
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="textveil-reserve")
        self._waiting: list[_Waiting] = []
        self._writes = False
        self._lock = threading.Lock()

    def reserve(self, account: Account, cost: Accountant) -> Future[Reservation]:
        """Take a cost, with those of other requests; it is on the disk when there is an answer.

        An answer that is not waited for any more is not asked for, where that is still in time.
        """
        answer: Future[Reservation] = Future()
        with self._lock:
            self._waiting.append(_Waiting(account, cost, answer))
            idle, self._writes = not self._writes, True
        if idle:
            self._thread.submit(self._write)
        return answer

    def close(self) -> None:
        """Answer what waits, and end."""
        self._thread.shutdown(wait=True)

    def _write(self) -> None:
        while True:
            with self._lock:
                batch, self._waiting = self._waiting, []
                if not batch:
                    self._writes = False
                    return
            wanted = [asked for asked in batch if asked.answer.set_running_or_notify_cancel()]
            if wanted:
                self._answer(wanted)

    def _answer(self, wanted: Sequence[_Waiting]) -> None:
        try:
            reservations = self._ledger.reserve_all([(asked.account, asked.cost) for asked in wanted])
        except Exception as error:
            if len(wanted) > 1 and isinstance(error, TextveilError) and not isinstance(error, LedgerError):
                for asked in wanted:  # nothing was taken, for one of them costs what cannot be added up
                    self._answer([asked])
                return
            for asked in wanted:
                asked.answer.set_exception(error)
            return
        for asked, reservation in zip(wanted, reservations, strict=True):
            if isinstance(reservation, BudgetExhausted | LedgerError):
                asked.answer.set_exception(reservation)
            else:
                asked.answer.set_result(reservation)
