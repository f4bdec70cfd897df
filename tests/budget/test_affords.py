"""How many more releases a budget pays for: counted at once, and the same as one after another."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from textveil.budget.account import Account, Limit
from textveil.budget.charge import Charge
from textveil.budget.ledger import Ledger
from textveil.budget.standing import CountedSums, Standing
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import PureDP

LIMITS = [Limit(5.0), Limit(5.0, 1e-3), Limit(5.0, 1e-3, "optimal"), Limit(0.01, 1e-9, "optimal")]
LIMITS += [Limit(5.0, 1e-3, "optimal", draw_delta=part) for part in (0.0, 5e-4)]


@given(
    st.sampled_from(LIMITS),
    st.sampled_from([0.0, 1e-3, 0.07, 0.5, 2.0, 5.0, 7.0]),
    st.sampled_from([None, -9.0, -7.0, -1.0]),
    st.integers(0, 3),
)
def test_the_count_is_that_of_one_after_another(
    limit: Limit, epsilon: float, log_delta: float | None, before: int
) -> None:
    charge = Charge.of_draws([(epsilon, log_delta, 1, "proved")])
    spent = Charge.of_draws([(0.3, -8.0, before, "proved")])
    standing = Standing(b"", b"", "person", limit)
    standing.count(limit, spent)
    most = standing.affords(limit, charge)
    if most is None:
        assert charge.epsilon == charge.delta == 0
        return
    for count in range(min(most, 200) + 1):
        if count >= most - 1 or count < 200:
            assert standing.counted(limit).fits(charge) == (count < most)
        standing.count(limit, charge)


def test_sums_beyond_a_limit_pay_for_nothing() -> None:
    over = CountedSums(Limit(1.0), 2 * 2**80, 0, 0)
    assert over.affords(Charge.of_draws([(0.5, None, 1, "proved")])) == 0


def test_a_balance_tells_what_could_be_paid_when_it_was_taken(tmp_path: Path) -> None:
    account, one = Account("ward", "p1", "k1"), Accountant().compose(PureDP(epsilon=0.5))
    with Ledger(str(tmp_path / "budgets.db")) as ledger:
        assert ledger.balance(account).affords(one) is None, "nothing limits it"
        ledger.set_limit(Account("ward", "p1"), Limit(40.0, 1e-6, "optimal"))
        ledger.set_limit(Account("ward"), Limit(100.0))
        first = ledger.reserve(account, one).balance
        many = first.affords(one)
        assert many is not None and many == ledger.affords(account, one) > int(39.5 / 0.5)
        assert ledger.reserve(account, one).balance.affords(one) == many - 1 and first.affords(one) == many
        ledger.set_limit(Account("ward", key="k1"), Limit(3.0))
        assert ledger.balance(account).affords(one) == ledger.affords(account, one) == 4, "the level that pays least"
