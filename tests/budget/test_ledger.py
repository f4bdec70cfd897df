"""Budget is taken before a draw, from every level, and never more than there is."""

import os
import secrets
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import textveil as tv
from textveil.budget.account import Account, Limit
from textveil.budget.charge import Charge, delta_down, epsilon_down
from textveil.budget.ledger import Balance, Ledger, Reservation
from textveil.budget.standing import Standing
from textveil.errors import BudgetExhausted, LedgerError, ParameterError, UnsupportedGuarantee
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import ApproximateDP, NoGuarantee, PureDP, Status
from textveil.sanitize.sanitizer import Sanitizer

ANN = Account("acme", unit="ann@example.org")


def pure(epsilon: float, times: int = 1) -> Accountant:
    return Accountant().compose(PureDP(epsilon=epsilon, status=Status.PROVED), times)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(str(tmp_path / "budget.db")) as made:
        yield made


def test_a_release_is_paid_before_it_is_drawn(ledger: Ledger) -> None:
    sanitizer = Sanitizer(tv.policy("all-words"))
    prepared = sanitizer.prepare(["Maria has 2 cats."])
    ledger.set_limit(ANN, Limit(epsilon=100.0))
    reservation = ledger.reserve(ANN, prepared.accountant)
    assert isinstance(reservation, Reservation)
    release = prepared.release()[0]
    assert reservation.guarantee.approximate().epsilon == release.guarantee.approximate().epsilon == 32.0
    before = ledger.balance(ANN)
    assert before.reserved is not None and before.reserved.approximate().epsilon == 32.0
    ledger.commit(reservation)
    after = ledger.balance(ANN)
    assert isinstance(after, Balance)
    assert after.reserved is not None and after.reserved.approximate().epsilon == 0
    assert (after.spent.approximate().epsilon, after.remaining) == (32.0, (68.0, 0.0))
    assert (after.scope, after.releases, after.period_end) == ("person", 1, None)
    assert after.spent.status is Status.PROVED


def test_what_is_too_much_is_refused_and_takes_nothing(ledger: Ledger) -> None:
    ledger.set_limit(ANN, Limit(epsilon=10.0))
    ledger.reserve(ANN, pure(8.0))
    with pytest.raises(BudgetExhausted, match=r"person has epsilon 2 left; this release needs epsilon 2") as caught:
        ledger.reserve(ANN, pure(2.5))
    assert (caught.value.remaining, caught.value.needed, caught.value.scope) == ((2.0, 0.0), (2.5, 0.0), "person")
    assert "ann" not in str(caught.value) and "acme" not in str(caught.value)
    ledger.reserve(ANN, pure(2.0))
    ledger.reserve(ANN, pure(0.0, 5))  # what costs nothing is never refused
    with pytest.raises(BudgetExhausted):
        ledger.reserve(ANN, pure(1e-9))
    assert ledger.balance(ANN).spent.approximate().epsilon == 10.0


def test_every_level_is_charged_and_the_tightest_answers(ledger: Ledger) -> None:
    tenant, key, both = Account("acme"), Account("acme", key="k1"), Account("acme", unit=ANN.unit, key="k1")
    ledger.set_limit(tenant, Limit(epsilon=10.0))
    ledger.set_limit(key, Limit(epsilon=5.0))
    ledger.reserve(ANN, pure(4.0))
    ledger.reserve(both, pure(4.0))
    assert (ledger.balance(both).scope, ledger.balance(both).remaining) == ("key", (1.0, 0.0))
    assert ledger.balance(ANN).scope == "tenant"
    with pytest.raises(BudgetExhausted, match="budget of this key"):
        ledger.reserve(both, pure(2.0))
    with pytest.raises(BudgetExhausted, match="budget of this tenant"):
        ledger.reserve(Account("acme", unit="bob"), pure(3.0))
    ledger.set_limit(both, Limit(epsilon=4.5))  # set late: what was spent counts
    with pytest.raises(BudgetExhausted, match="budget of this person by this key"):
        ledger.reserve(both, pure(0.75))
    assert ledger.reserve(Account("other", unit=ANN.unit), pure(1000.0)).balance.limit is None


def test_each_person_may_have_a_limit_of_one_rule(ledger: Ledger) -> None:
    ledger.set_limit(Account("acme"), Limit(epsilon=3.0), each="unit")
    ledger.set_limit(ANN, Limit(epsilon=9.0))
    for name in ("bob", "cy"):
        ledger.reserve(Account("acme", unit=name), pure(3.0))
        with pytest.raises(BudgetExhausted):
            ledger.reserve(Account("acme", unit=name), pure(0.5))
    ledger.reserve(ANN, pure(9.0))
    ledger.reserve(Account("acme"), pure(100.0))
    ledger.set_limit(ANN, None)
    assert ledger.balance(ANN).remaining == (-6.0, 0.0)
    with pytest.raises(ParameterError, match="each must be left out"):
        ledger.set_limit(ANN, Limit(epsilon=1.0), each="unit")


def test_deltas_add_up_and_no_delta_rounds_to_none(ledger: Ledger) -> None:
    ledger.set_limit(ANN, Limit(epsilon=100.0, delta=1e-6))
    cost = Accountant().compose(ApproximateDP(epsilon=1.0, log_delta=-14.5, status=Status.CLAIMED), 1)
    ledger.reserve(ANN, cost)
    with pytest.raises(BudgetExhausted, match="delta"):
        ledger.reserve(ANN, cost)
    balance = ledger.balance(ANN)
    assert 5e-7 < balance.spent.approximate().delta < 5.1e-7 and balance.spent.status is Status.CLAIMED
    ledger.set_limit(ANN, Limit(epsilon=100.0))
    tiny = Accountant().compose(ApproximateDP(epsilon=1.0, log_delta=-3000.0), 1)
    with pytest.raises(BudgetExhausted):
        ledger.reserve(Account("acme", unit=ANN.unit), tiny)


def test_what_promises_nothing_cannot_be_counted(ledger: Ledger) -> None:
    with pytest.raises(UnsupportedGuarantee, match="a ledger counts what is promised"):
        ledger.reserve(ANN, Accountant().compose(NoGuarantee(reason="refuted"), 1))
    assert ledger.balance(ANN).releases == 0


def test_several_at_once_are_decided_in_order(ledger: Ledger) -> None:
    ledger.set_limit(ANN, Limit(epsilon=5.0))
    bob = Account("acme", unit="bob")
    found = ledger.reserve_all([(ANN, pure(3.0)), (ANN, pure(3.0)), (bob, pure(3.0)), (ANN, pure(2.0))])
    assert [type(one) for one in found] == [Reservation, BudgetExhausted, Reservation, Reservation]


def test_more_accounts_than_one_statement_names_are_one_transaction(ledger: Ledger) -> None:
    many_in_one_transaction(ledger)


def many_in_one_transaction(ledger: Ledger) -> None:
    """1,100 persons of 550 tenants reserve together, all are committed together, and nothing is open or lost."""
    wanted = [(Account(f"tenant {number % 550}", f"person {number}"), pure(0.5)) for number in range(1100)]
    for reservation in ledger.reserve_all(wanted):
        assert isinstance(reservation, Reservation)
        ledger.commit(reservation)
    found = [ledger.balance(account) for account, _ in (wanted[0], wanted[499], wanted[500], wanted[-1])]
    assert [one.releases for one in found] == [1] * 4
    assert all(one.reserved is not None and one.reserved.approximate().epsilon == 0 for one in found)
    checked = ledger.verify()
    assert (checked.problems, checked.entries) == ((), 2200)


def test_many_threads_never_overdraw(ledger: Ledger) -> None:
    ledger.set_limit(ANN, Limit(epsilon=50.0))

    def ask(number: int) -> int:
        try:
            ledger.commit(ledger.reserve(ANN, pure(0.75)))
        except BudgetExhausted:
            return 0
        return 1

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(ask, range(200))) == 66
    balance = ledger.balance(ANN)
    assert (balance.spent.approximate().epsilon, balance.releases) == (49.5, 66)
    assert balance.reserved is not None and balance.reserved.approximate().epsilon == 0


def test_what_was_spent_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    place = tmp_path / "budget.db"
    with Ledger(str(place)) as ledger:
        ledger.set_limit(ANN, Limit(epsilon=10.0))
        ledger.reserve(ANN, pure(8.0))
    with Ledger(f"sqlite:///{place}") as again:
        assert again.balance(ANN).remaining == (2.0, 0.0)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["budget.db", "budget.db.key"]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in tmp_path.iterdir())
    with pytest.raises(LedgerError, match="closed"):
        ledger.reserve(ANN, pure(1.0))


def test_the_key_lies_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "keys").mkdir()
    key = tmp_path / "keys" / "ledger.key"
    monkeypatch.setenv("TEXTVEIL_LEDGER_KEY_FILE", str(key))
    database = tmp_path / "data" / "budget.db"
    for _ in range(2):  # made, then read
        with Ledger(str(database)) as ledger:
            ledger.set_limit(Account("clinic"), Limit(epsilon=1.0))
    assert key.stat().st_mode & 0o777 == 0o600 and not list((tmp_path / "data").glob("*.key"))
    key.unlink()
    with pytest.raises(LedgerError, match="TEXTVEIL_LEDGER_KEY_FILE names, cannot be read"):
        Ledger(str(database))


def test_another_key_is_refused_and_a_lost_one_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "budget.db")
    Ledger(place).close()
    with pytest.raises(LedgerError, match="has another key"):
        Ledger(place, key=secrets.token_bytes(32))
    with pytest.raises(ParameterError, match="key must be 32 bytes long; got 3"):
        Ledger(place, key=b"abc")
    monkeypatch.setenv("TEXTVEIL_LEDGER_KEY", secrets.token_hex(32))
    with pytest.raises(LedgerError, match="has another key"):
        Ledger(place)
    monkeypatch.delenv("TEXTVEIL_LEDGER_KEY")
    (tmp_path / "budget.db.key").unlink()
    with pytest.raises(tv.TextveilError, match="the key of the ledger, the file beside its database"):
        Ledger(place)
    assert not (tmp_path / "budget.db.key").exists()


def test_no_name_is_in_the_database(tmp_path: Path) -> None:
    place = tmp_path / "budget.db"
    with Ledger(str(place)) as ledger:
        account = Account("canary-tenant", unit="canary-person", key="canary-key")
        ledger.set_limit(account, Limit(epsilon=10.0))
        ledger.commit(ledger.reserve(account, pure(8.0)))
        assert "canary" not in repr(account) + repr(ledger.balance(account))
        found = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"canary" not in found and b"canary" not in place.read_bytes()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        ("mysql://host/name", "got mysql"),
        ("nonsense://", "PostgreSQL|cannot be read"),
    ],
)
def test_other_databases_are_refused(url: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Ledger(url, key=bytes(32))


def test_what_is_no_ledger_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "budget.db").write_bytes(b"canary " * 1000)
    with pytest.raises(LedgerError, match="it is no database") as caught:
        Ledger(str(tmp_path / "budget.db"), key=bytes(32))
    assert "canary" not in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(LedgerError, match="cannot be opened"):
        Ledger(str(tmp_path / "nowhere" / "budget.db"), key=bytes(32))


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    Ledger(str(tmp_path / "budget.db")).close()
    (tmp_path / "budget.db.key").chmod(0o644)
    with pytest.raises(ParameterError, match="only you can open"):
        Ledger(str(tmp_path / "budget.db"))


def test_entries_that_a_database_reads_in_another_order_count_in_their_period() -> None:
    """The last one is the latest, and a period in which it lies is not taken for a new one."""
    standing, day = Standing(b"level", b"tenant", "person"), 86_400 * 10**6
    for at in (2 * day + 5, day):
        standing.add(Charge.of_draws([(1.0, None, 1, "proved")]), at, None)
    limit = Limit(1.0, period="day")
    assert standing.last_at == 2 * day + 5
    assert standing.begin(limit, 2 * day + 9), "there are entries of this day to be counted"
    assert not standing.begin(limit, 3 * day)


def test_nothing_left_is_no_number_below_zero() -> None:
    assert (str(epsilon_down(0)), str(delta_down(0)), epsilon_down(2**80), epsilon_down(-1) < 0) == (
        "0.0",
        "0.0",
        1.0,
        True,
    )


@pytest.mark.parametrize("named", [{"unit": "Zoe\u0308"}, {"key": "Zoe\u0308"}])
def test_a_name_in_another_unicode_spelling_is_no_second_account(named: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="composed form") as told:
        Account("acme", **named)
    assert "Zo" not in str(told.value)
    assert Account("acme", unit="Zo\u00eb").unit == "Zo\u00eb"
