"""Many threads, one transaction: whoever comes first writes for all who wait."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from textveil.budget.account import Account
from textveil.budget.book import Book

T = TypeVar("T")


class Ask(Generic[T]):
    """What one thread asks for; ``result`` is there once somebody has written it.

    Args:
        account: for whose account.
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
        """What came of it.

        Raises:
            BaseException: what the work or the transaction raised.
        """
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # set before it is done


class Turns:
    """Gathers what threads ask for while a transaction is under way, and gives all of it to the next one.

    Args:
        write: does everything in one transaction, and sets what came of each; where it raises, nothing was done.
    """

    def __init__(self, write: Callable[[Sequence[Ask[Any]]], None]) -> None:
        self._write = write
        self._turn = threading.Lock()
        self._waiting: list[Ask[Any]] = []
        self._gathering = threading.Lock()

    def ask(self, asked: Sequence[Ask[Any]]) -> None:
        """Have it written; returns when it is, by this thread or another."""
        self.leave(asked)
        with self._turn:
            if not all(request.done for request in asked):
                self._write_waiting()

    def leave(self, asked: Sequence[Ask[Any]]) -> None:
        """Leave it to whoever writes next."""
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
