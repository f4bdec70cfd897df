"""Reservations of many requests in one transaction: each has its own answer, and one fault is nobody else's."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from typing import Any

import pytest

from textveil.budget.account import Account
from textveil.errors import Amount, BudgetExhausted, LedgerError, UnsupportedGuarantee
from textveil.privacy.accountant import Accountant
from textveil.server.budgets import Reserving

ONE = Account("tenant", "maria")
COST = Accountant()


class BrokenEntries(LedgerError):
    """Of one tenant alone."""


class SlowLedger:
    """Writes when it is told to, and remembers who asked together."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.go = threading.Event()
        self.refused: dict[str, Exception] = {}

    def reserve_all(self, wanted: Sequence[tuple[Account, Accountant]]) -> list[Any]:
        names = [str(account.unit) for account, _ in wanted]
        self.batches.append(names)
        assert self.go.wait(10)
        for name in names:
            error = self.refused.get(name)
            if error is not None and not isinstance(error, BudgetExhausted | BrokenEntries):
                raise error
        return [self.refused.get(name, name) for name in names]

    def commit(self, reservation: Any) -> None:
        raise NotImplementedError

    def balance(self, account: Account) -> Any:
        raise NotImplementedError


@pytest.fixture
def books() -> SlowLedger:
    return SlowLedger()


@pytest.fixture
def reserving(books: SlowLedger) -> Iterator[Reserving]:
    made = Reserving(books)
    yield made
    books.go.set()
    made.close()


def asked(reserving: Reserving, *units: str) -> list[Future[Any]]:
    return [reserving.reserve(Account("tenant", unit), COST) for unit in units]


def first_is_under_way(reserving: Reserving, books: SlowLedger) -> Future[Any]:
    (first,) = asked(reserving, "first")
    while not books.batches:
        pass
    return first


def test_what_comes_while_one_is_written_goes_together(reserving: Reserving, books: SlowLedger) -> None:
    first = first_is_under_way(reserving, books)
    others = asked(reserving, "a", "b", "c")
    books.go.set()
    assert [one.result(10) for one in (first, *others)] == ["first", "a", "b", "c"]
    assert books.batches == [["first"], ["a", "b", "c"]]


def test_an_exhausted_budget_is_its_own(reserving: Reserving, books: SlowLedger) -> None:
    first = first_is_under_way(reserving, books)
    nothing = Amount(0.0, 0.0)
    books.refused["b"] = BudgetExhausted("none is left.", remaining=nothing, needed=nothing, scope="person")
    others = asked(reserving, "a", "b", "c")
    books.go.set()
    assert first.result(10) == "first" and others[0].result(10) == "a" and others[2].result(10) == "c"
    with pytest.raises(BudgetExhausted):
        others[1].result(10)


def test_a_cost_that_cannot_be_counted_is_refused_alone(reserving: Reserving, books: SlowLedger) -> None:
    first_is_under_way(reserving, books)
    books.refused["b"] = UnsupportedGuarantee("it promises nothing.")
    others = asked(reserving, "a", "b", "c")
    books.go.set()
    wait(others, 10)
    assert [type(one.exception()).__name__ for one in others] == ["NoneType", "UnsupportedGuarantee", "NoneType"]


@pytest.mark.parametrize("error", [LedgerError("the disk is full."), RuntimeError("unforeseen")])
def test_where_the_database_fails_nobody_has_anything(
    reserving: Reserving, books: SlowLedger, error: Exception
) -> None:
    first_is_under_way(reserving, books)
    books.refused["b"] = error
    others = asked(reserving, "a", "b")
    books.go.set()
    wait(others, 10)
    assert [one.exception() for one in others] == [error, error]
    assert books.batches == [["first"], ["a", "b"]], "what may have been taken is not asked for again"
    assert asked(reserving, "later")[0].result(10) == "later"


def test_who_has_gone_away_takes_nothing(reserving: Reserving, books: SlowLedger) -> None:
    first_is_under_way(reserving, books)
    gone, stays = asked(reserving, "gone", "stays")
    assert gone.cancel()
    books.go.set()
    assert stays.result(10) == "stays" and books.batches[1] == ["stays"]


def test_what_is_wrong_with_one_tenants_entries_is_told_to_it_alone(reserving: Reserving, books: SlowLedger) -> None:
    books.refused["broken"] = BrokenEntries("not sealed.")
    found = asked(reserving, "first", "maria", "broken", "tom")
    books.go.set()
    wait(found, 10)
    assert [one.exception() for one in found] == [None, None, books.refused["broken"], None]
    assert found[3].result() == "tom"
