"""What fails before anything was drawn costs nothing, and what fails after it says what was charged."""

import io
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.budget.test_ledger import ANN, pure
from tests.budget.test_verify import KEY, Clock, clock

from textveil.budget.account import Account, Limit
from textveil.budget.book import Book
from textveil.budget.ledger import Ledger, paying
from textveil.budget.verification import verified_export
from textveil.errors import BudgetExhausted, InputError, LedgerError

__all__ = ["clock"]

BOTH = Account("acme", unit="ann@example.org", key="k")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as made:
        yield made


def sound(ledger: Ledger, folder: Path) -> bool:
    """Whether the ledger and its export say what their entries come to."""
    stream = io.BytesIO()
    ledger.export(stream)
    (folder / "export.jsonl").write_bytes(stream.getvalue())
    return ledger.verify().sound and verified_export(folder / "export.jsonl").sound


def spent(ledger: Ledger, account: Account) -> tuple[int, float]:
    balance = ledger.balance(account)
    return balance.releases, balance.spent.approximate().epsilon


def test_what_fails_before_a_draw_is_taken_back(ledger: Ledger, tmp_path: Path) -> None:
    ledger.set_limit(ANN, Limit(epsilon=3.0))
    ledger.commit(ledger.reserve(ANN, pure(1.0)))
    for error in (InputError, KeyboardInterrupt):
        with (
            pytest.raises(error, match=r"^no record$"),
            paying(ledger, [(ANN, pure(2.0)), (Account("acme"), pure(1.0))]),
        ):
            raise error("no record")
        assert spent(ledger, ANN) == (1, 1.0)
        assert spent(ledger, Account("acme")) == (1, 1.0)
    with paying(ledger, [(ANN, pure(2.0))]) as drawing:  # the whole rest is there
        drawing.begin()
    with pytest.raises(BudgetExhausted):
        ledger.reserve(ANN, pure(0.5))
    assert [entry.what for entry in ledger.entries()].count("cancel") == 4 and sound(ledger, tmp_path)


def test_what_fails_after_a_draw_is_charged_and_says_so(ledger: Ledger, tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"^none\. The release is charged in full, because its noise was drawn\.$"),
        paying(ledger, [(ANN, pure(2.0))]) as drawing,
    ):
        drawing.begin()
        raise InputError("none.")
    assert spent(ledger, ANN) == (1, 2.0)
    assert [entry.what for entry in ledger.entries()] == ["reserve", "commit"] and sound(ledger, tmp_path)


@pytest.mark.parametrize(
    "limit",
    [
        Limit(epsilon=4.0),
        Limit(epsilon=4.0, delta=1e-6, composition="optimal"),
        Limit(epsilon=4.0, period="month"),
    ],
    ids=["sum", "optimal", "month"],
)
@pytest.mark.parametrize("each", [None, "unit"])
def test_every_level_and_every_limit_forget_it(
    ledger: Ledger, tmp_path: Path, limit: Limit, each: str | None, clock: Clock
) -> None:
    ledger.set_limit(Account("acme") if each else ANN, limit, each=each)  # type: ignore[arg-type]
    ledger.set_limit(BOTH, limit)
    ledger.reserve(ANN, pure(0.1))
    before = ledger.balance(BOTH), ledger.balance(ANN)
    reserved = ledger.reserve(BOTH, pure(0.1, 9))
    ledger.reserve(BOTH, pure(0.1))
    ledger.cancel_entries([(BOTH, reserved.number)])
    ledger.set_limit(Account("acme", key="k"), limit)  # counted from the entries
    assert spent(ledger, Account("acme", key="k"))[0] == 1 and sound(ledger, tmp_path)
    ledger.reserve(BOTH, pure(0.1, 9))
    after = ledger.balance(ANN)
    assert after.releases == before[1].releases + 2 and sound(ledger, tmp_path)
    ledger.reserve(ANN, pure(0.1))
    assert sound(ledger, tmp_path)


def test_what_is_taken_back_is_not_found_by_reading_all_entries(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others wait meanwhile: at 100,000 entries for eight seconds."""
    ledger.set_limit(ANN, Limit(epsilon=4.0, period="month"))
    first, second = ledger.reserve(ANN, pure(1.0)), ledger.reserve(ANN, pure(3.0))
    with monkeypatch.context() as patch:
        patch.setattr(Book, "_charges", lambda *_: pytest.fail("it reads them"))
        ledger.cancel_entries([(ANN, first.number), (ANN, second.number)])
        ledger.reserve(ANN, pure(4.0))
    assert ledger.balance(ANN).remaining == (0.0, 0.0) and ledger.verify().sound


def test_nothing_is_taken_back_twice_or_after_it_was_drawn(ledger: Ledger, tmp_path: Path) -> None:
    first, second = ledger.reserve(ANN, pure(1.0)), ledger.reserve(ANN, pure(2.0))
    ledger.commit(first)
    ledger.balance(ANN)
    for _ in range(2):
        ledger.cancel_entries([(ANN, first.number), (ANN, second.number), (ANN, 99)])
        ledger.commit(second)
        assert spent(ledger, ANN) == (1, 1.0)
    assert [entry.what for entry in ledger.entries()] == ["reserve", "reserve", "commit", "cancel"]
    assert sound(ledger, tmp_path)


def test_a_ledger_that_fails_keeps_what_was_reserved(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise LedgerError("full")

    monkeypatch.setattr(ledger, "cancel_entries", fails)
    with pytest.raises(InputError, match=r"^no record$"), paying(ledger, [(ANN, pure(2.0))]):
        raise InputError("no record")
    assert spent(ledger, ANN) == (1, 2.0)


def test_reservations_alone_and_of_their_accounts_and_amounts_are_drawn_again(ledger: Ledger) -> None:
    wanted = [(ANN, pure(1.0)), (Account("acme"), pure(1.0)), (Account("other"), pure(1.0))]
    first = ledger.reserve_together(wanted)
    assert ledger.draws_again(wanted[:1], [1]) and ledger.draws_again([], [])
    ledger.cancel_entries([(one.account, one.number) for one in first])  # the first one may have been drawn
    assert len([entry for entry in ledger.entries() if entry.what == "cancel"]) == 2
    assert ledger.draws_again(wanted[:1], [1])  # a run may die between this and its output
    numbers = [one.number for one in ledger.reserve_together(wanted)]
    for who, number, cost in [
        (ANN, numbers[1], 1.0),
        (Account("acme"), numbers[0], 1.0),
        (ANN, 4, 1.0),
        (ANN, 9, 1.0),
        (BOTH, numbers[0], 1.0),
        (ANN, numbers[0], 2.0),
        (ANN, numbers[0], 0.5),
    ]:
        assert not ledger.draws_again([*wanted, (who, pure(cost))], [*numbers, number])
    reserved = ledger.balance(ANN).reserved
    assert reserved is not None and reserved.approximate().epsilon == 1.0
    assert ledger.draws_again(wanted, numbers)


def test_what_was_taken_back_pays_for_nothing(ledger: Ledger) -> None:
    """A copy of a job's folder still has its receipt; the run that it was copied from may fail before or after."""
    ledger.set_limit(ANN, Limit(epsilon=2.0))
    receipt, copy = Remembered(), Remembered()
    with pytest.raises(InputError), paying(ledger, [(ANN, pure(2.0))], receipt):
        copy.kept = receipt.kept
        raise InputError("no record")
    with paying(ledger, [(ANN, pure(2.0))], copy) as drawing:
        drawing.begin()
    assert spent(ledger, ANN) == (1, 2.0)
    ledger.set_limit(ANN, Limit(epsilon=4.0))
    with pytest.raises(InputError), paying(ledger, [(ANN, pure(2.0))], receipt):
        copy.kept = receipt.kept
        with paying(ledger, [(ANN, pure(2.0))], copy) as drawing:
            drawing.begin()
        raise InputError("no record")
    assert spent(ledger, ANN) == (2, 4.0)


def test_a_clock_that_stands_at_the_first_second_counts_too(ledger: Ledger, clock: Clock) -> None:
    clock.now = datetime(1970, 1, 1, tzinfo=UTC)
    ledger.reserve(ANN, pure(1.0))
    ledger.set_limit(ANN, Limit(epsilon=1.5, period="month"))
    with pytest.raises(BudgetExhausted):
        ledger.reserve(ANN, pure(1.0))


@pytest.mark.parametrize("forged", ['{"of":1}', '{"of":7}'])
def test_an_entry_that_takes_back_what_it_may_not_is_seen(tmp_path: Path, forged: str) -> None:
    """Whoever can write to the database and lacks the key takes back what was spent."""
    place = tmp_path / "budget.db"
    with Ledger(str(place), key=KEY) as ledger:
        ledger.commit(ledger.reserve(ANN, pure(1.0)))
    with sqlite3.connect(place) as database:
        database.execute(
            "INSERT INTO ledger_entries SELECT tenant, 3, at, 'cancel', unit, key, ?, digest FROM ledger_entries "
            "WHERE number = 2",
            (forged,),
        )
    with Ledger(str(place), key=KEY) as ledger:
        assert any("which is not reserved" in problem for problem in ledger.verify().problems)


class Remembered:
    """A receipt that remembers in memory."""

    kept: list[int] | None = None

    def numbers(self) -> list[int] | None:
        return self.kept

    def keep(self, numbers: Sequence[int]) -> None:
        self.kept = list(numbers)

    def forget(self) -> None:
        self.kept = None


def test_a_run_is_told_where_it_leaves_the_account_with_the_least_left(ledger: Ledger) -> None:
    """A run that goes on is told the same, though it pays nothing; without limits it is who has spent most."""
    ann, bob, eve = (Account("acme", unit=name) for name in ("ann", "bob", "eve"))
    ledger.commit(ledger.reserve(eve, pure(1.5)))
    with paying(ledger, [(ann, pure(0.5)), (eve, pure(0.5)), (bob, pure(1.0))]) as drawing:
        assert drawing.charged is not None
        assert drawing.charged.accounts == 3 and drawing.charged.balance.spent.approximate().epsilon == 2.0
    ledger.set_limit(bob, Limit(epsilon=4.0))
    ledger.set_limit(ann, Limit(epsilon=3.0))
    receipt, told = Remembered(), []
    for _ in range(2):
        with paying(ledger, [(ann, pure(0.5)), (eve, pure(0.5)), (bob, pure(2.0))], receipt) as drawing:
            told.append(drawing.charged)
    assert told[0] is not None and told[0] == told[1] and told[0].balance.remaining == (1.0, 0.0)
    with paying(ledger, []) as drawing:
        assert drawing.charged is None
