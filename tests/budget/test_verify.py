"""Whatever is changed in a ledger's database or in its export is seen; and a ledger nobody touched is sound."""

import io
import itertools
import json
import random
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.budget.test_ledger import ANN, pure

from textveil.budget import ledger as module
from textveil.budget.account import Account, Limit
from textveil.budget.chain import Chain, Entry, Names
from textveil.budget.ledger import Ledger
from textveil.budget.standing import Reservation, microseconds
from textveil.budget.verification import to_data, verified_export
from textveil.errors import BudgetExhausted, InputError, LedgerError

KEY = bytes(range(32))


class Clock:
    """The ledger's time, set by a test."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 30, 23, tzinfo=UTC)

    def time_ns(self) -> int:
        return 1000 * microseconds(self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def filled(place: Path) -> None:
    """Two tenants; limits of all kinds, exhausted ones and open reservations."""
    with Ledger(str(place), key=KEY) as ledger:
        ledger.set_limit(ANN, Limit(epsilon=10.0))
        ledger.set_limit(Account("acme"), Limit(epsilon=4.0, delta=1e-6, composition="optimal"), each="unit")
        ledger.set_limit(Account("acme", key="k"), Limit(epsilon=8.0, period="month"))
        for epsilon in (4.0, 4.0):
            ledger.commit(ledger.reserve(ANN, pure(epsilon)))
        ledger.reserve(Account("acme", unit="bob", key="k"), pure(0.5, 6))
        ledger.set_limit(Account("acme", unit="bob", key="k"), Limit(epsilon=7.0))
        with pytest.raises(BudgetExhausted):
            ledger.reserve(ANN, pure(4.0))
        ledger.reserve(Account("other"), pure(1.0))


def test_a_ledger_that_nobody_touched_is_sound(tmp_path: Path) -> None:
    filled(tmp_path / "budget.db")
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        found = ledger.verify()
        assert found.problems == () and found.sound and found.entries == 10
        assert sorted(number for number, _ in found.heads.values()) == [1, 9]
        entries = list(ledger.entries())
        own = sorted(one.what for one in ledger.entries(ANN))
        assert own == ["commit", "commit", "limit", "reserve", "reserve"]
        assert {one.what for one in entries} == {"limit", "reserve", "commit"}
        assert all(json.loads(one.data)["epsilon"].isdigit() for one in entries if one.what == "reserve")


def test_an_entry_of_a_version_that_could_send_texts_unprotected_is_read(tmp_path: Path) -> None:
    filled(tmp_path / "budget.db")
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        ledger._ask(ANN, lambda book: book._append(ANN, "unprotected", {}))
        assert ledger.verify().sound and ledger.verify().entries == 11
        ledger._ask(ANN, lambda book: book._append(ANN, "other", {}))
        assert not ledger.verify().sound


def exercised(ledger: Ledger, seed: int, steps: int, clock: Clock | None = None) -> None:
    """Limits, releases, balances and commits of several accounts, and what is taken back, in any order."""
    choose = random.Random(seed)
    accounts = [Account("t", *who) for who in itertools.product((None, "a", "b"), (None, "k"))]
    limits = [
        Limit(epsilon=3.0),
        Limit(epsilon=2.0, period="day"),
        Limit(epsilon=5.0, period="week"),
        Limit(epsilon=6.0, delta=1e-3, composition="optimal", period="month"),
        Limit(epsilon=6.0, delta=1e-3, composition="optimal", draw_delta=0.0),
        None,
    ]
    open_ones = []
    for _ in range(steps):
        if clock is not None:
            clock.now += timedelta(hours=choose.choice([0, 1, 5, 30, -3]))
        account = choose.choice(accounts)
        match choose.randrange(8):
            case 0:
                ledger.set_limit(account, choose.choice(limits))
            case 1:
                each = choose.choice(["unit", "key"])
                ledger.set_limit(Account("t"), choose.choice(limits), each=each)  # type: ignore[arg-type]
            case 2:
                ledger.balance(account)
            case 3 if open_ones:
                ledger.commit(open_ones.pop())
            case 4 if open_ones:
                reserved = open_ones.pop(choose.randrange(len(open_ones)))
                ledger.cancel_entries([(reserved.account, reserved.number)])
            case _:
                try:
                    open_ones.append(ledger.reserve(account, pure(choose.choice([0.0, 0.1, 0.5, 1.0]))))
                except BudgetExhausted:
                    continue


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_limits_releases_and_periods_is_sound(seed: int, tmp_path: Path, clock: Clock) -> None:
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        exercised(ledger, seed, 120, clock)
        assert ledger.verify().problems == ()
        with (tmp_path / "out.jsonl").open("wb") as stream:
            ledger.export(stream)
    assert verified_export(tmp_path / "out.jsonl").problems == ()


TAMPERED = {
    "an entry's amounts": "UPDATE ledger_entries SET data = replace(data, '4.0', '1.0') WHERE number = 4",
    "whose an entry is": "UPDATE ledger_entries SET unit = NULL WHERE number = 4",
    "an entry's time": "UPDATE ledger_entries SET at = at - 5 WHERE number = 4",
    "an entry is gone": "DELETE FROM ledger_entries WHERE number = 4",
    "the last entry is gone": "DELETE FROM ledger_entries WHERE number = 9",
    "all entries are gone": "DELETE FROM ledger_entries",
    "two entries changed places": "UPDATE ledger_entries SET number = 1000 WHERE number = 2",
    "the sum of an account": "UPDATE ledger_levels SET epsilon = '0' WHERE releases > 1",
    "the sum of a period": "UPDATE ledger_levels SET period_epsilon = '0' WHERE period_epsilon != '0'",
    "a limit": "UPDATE ledger_levels SET limit_data = replace(limit_data, '10.0', '99.0')",
    "an account is gone": "DELETE FROM ledger_levels WHERE releases > 1",
    "an open reservation": "DELETE FROM ledger_open",
    "what is open": "UPDATE ledger_open SET epsilon = '1'",
    "the end of a chain": "UPDATE ledger_chains SET number = number - 1",
    "the seal": "UPDATE ledger_chains SET seal = zeroblob(32)",
    "a chain is gone": "DELETE FROM ledger_chains",
}


@pytest.mark.parametrize("what", TAMPERED)
def test_what_was_changed_is_seen(what: str, tmp_path: Path) -> None:
    filled(tmp_path / "budget.db")
    with sqlite3.connect(tmp_path / "budget.db") as connection:
        assert connection.execute(TAMPERED[what]).rowcount > 0
    connection.close()
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        found = ledger.verify()
    assert not found.sound and all("\n" not in line for line in found.problems)
    assert "ann" not in "".join(found.problems) and "acme" not in "".join(found.problems)


def test_nobody_goes_on_where_the_end_was_forged(tmp_path: Path) -> None:
    filled(tmp_path / "budget.db")
    with sqlite3.connect(tmp_path / "budget.db") as connection:
        connection.execute("UPDATE ledger_chains SET at = at + 1 WHERE number = 9")
    connection.close()
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        with pytest.raises(LedgerError, match="not sealed under the ledger's key"):
            ledger.reserve(ANN, pure(0.5))
        ledger.reserve(Account("other"), pure(0.5))  # another tenant's entries are whole
        before = ledger.balance(ANN).limit
        with pytest.raises(LedgerError, match="not sealed under the ledger's key"):
            ledger.set_limit(ANN, Limit(1000.0))
        assert ledger.balance(ANN).limit == before, "what has no entry is not set"


def test_whose_end_was_forged_is_told_alone(tmp_path: Path) -> None:
    filled(tmp_path / "budget.db")
    with sqlite3.connect(tmp_path / "budget.db") as connection:
        connection.execute("UPDATE ledger_chains SET at = at + 1 WHERE number = 9")
    connection.close()
    other = Account("other")
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        before = ledger.balance(other).reserved
        paid, refused = ledger.reserve_all([(other, pure(0.5)), (ANN, pure(0.5))])
        assert isinstance(paid, Reservation) and isinstance(refused, LedgerError)
        ledger.commit(paid)
        assert ledger.balance(other).reserved == before
        with pytest.raises(LedgerError, match="not sealed under the ledger's key"):
            ledger.reserve_all([(ANN, pure(0.5))])


def test_who_holds_the_key_cannot_overdraw_unseen(tmp_path: Path) -> None:
    filled(tmp_path / "budget.db")
    names = Names(KEY)
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        last = next(one for one in reversed(list(ledger.entries())) if one.number == 9)
        first = next(one for one in ledger.entries(ANN) if one.what == "reserve")
    forged = last._replace(number=10, what="reserve", unit=first.unit, key=None, data=first.data)
    forged = forged._replace(digest=forged.chained(last.digest))
    with sqlite3.connect(tmp_path / "budget.db") as connection:
        connection.execute("INSERT INTO ledger_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", forged)
        row = Chain(forged.tenant, forged.number, forged.at, forged.digest).as_row(names)
        connection.execute(
            "UPDATE ledger_chains SET number = :number, head = :head, seal = :seal WHERE tenant = :tenant", row
        )
    connection.close()
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        assert any("takes more than was left" in line for line in ledger.verify().problems)


def exported(tmp_path: Path) -> list[bytes]:
    filled(tmp_path / "budget.db")
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        stream = io.BytesIO()
        assert ledger.export(stream) == 10
    return stream.getvalue().splitlines(keepends=True)


def test_an_export_is_checked_without_key_or_database(tmp_path: Path) -> None:
    lines = exported(tmp_path)
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"".join(lines))
    found = verified_export(path)
    assert found.problems == () and found.entries == 10
    assert b"acme" not in path.read_bytes() and b"ann@" not in path.read_bytes()
    changes: list[Callable[[list[bytes]], list[bytes]]] = [
        lambda all_lines: all_lines[:4] + all_lines[5:],
        lambda all_lines: all_lines[:-2] + all_lines[-1:],
        lambda all_lines: all_lines[:-1],
        lambda all_lines: [one.replace(b"4.0", b"1.0") for one in all_lines],
        lambda all_lines: [*all_lines[:4], all_lines[5], all_lines[4], *all_lines[6:]],
    ]
    for change in changes:
        path.write_bytes(b"".join(change(lines)))
        assert not verified_export(path).sound
    for wrong, message in ((b"{\n", "line 1 is no JSON"), (b"{}\n", "first line"), (lines[0] + b"{}\n", "no entry")):
        path.write_bytes(wrong)
        with pytest.raises(InputError, match=message):
            verified_export(path)
    with pytest.raises(InputError, match="cannot be read"):
        verified_export(tmp_path / "none")


def test_a_limit_is_renewed_by_the_calendar_and_never_by_a_clock_that_goes_back(tmp_path: Path, clock: Clock) -> None:
    with Ledger(str(tmp_path / "budget.db"), key=KEY) as ledger:
        ledger.set_limit(ANN, Limit(epsilon=2.0, period="day"))
        ledger.reserve(ANN, pure(2.0))
        with pytest.raises(BudgetExhausted, match=r"renewed on \d{4}-\d\d-\d\d at 00:00 UTC: wait"):
            ledger.reserve(ANN, pure(1.0))
        clock.now += timedelta(hours=2)
        balance = ledger.reserve(ANN, pure(1.5)).balance
        assert (balance.remaining, balance.period_end) == ((0.5, 0.0), datetime(2026, 2, 1, tzinfo=UTC))
        assert balance.lifetime.approximate().epsilon == 3.5
        clock.now -= timedelta(days=20)
        with pytest.raises(BudgetExhausted):
            ledger.reserve(ANN, pure(1.0))
        ledger.set_limit(ANN, Limit(epsilon=4.0, period="month"))
        assert ledger.balance(ANN).remaining == (0.5, 0.0)
        assert ledger.verify().sound


@pytest.mark.parametrize(
    ("period", "start", "end"),
    [
        ("day", datetime(2028, 2, 29), datetime(2028, 3, 1)),
        ("week", datetime(2028, 2, 28), datetime(2028, 3, 6)),
        ("month", datetime(2028, 2, 1), datetime(2028, 3, 1)),
    ],
)
def test_periods_are_those_of_the_calendar_in_utc(period: str, start: datetime, end: datetime) -> None:
    limit = Limit(epsilon=1.0, period=period)  # type: ignore[arg-type]
    now = datetime(2028, 2, 29, 13, 5, 7, 9, tzinfo=UTC)
    assert (limit.period_start(now), limit.period_end(now)) == (start.replace(tzinfo=UTC), end.replace(tzinfo=UTC))
    assert Limit(epsilon=1.0).period_start(now) is Limit(epsilon=1.0).period_end(now) is None


def test_entries_survive_their_json_form() -> None:
    one = Entry(b"t" * 16, 3, 5, "reserve", None, b"k" * 16, "{}", b"d" * 32)
    assert Entry.of_hex(json.loads(json.dumps(to_data(one)))) == one
