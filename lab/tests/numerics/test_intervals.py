"""Shares of trials that come in groups, with intervals."""

import numpy as np
import pytest
from scipy.stats import binom

from textveil.errors import ParameterError
from textveil_lab.numerics.intervals import ratio_of_sums


def test_the_share_is_that_of_all_trials() -> None:
    bound = ratio_of_sums(np.array([1, 9, 5]), np.array([10, 10, 5]))
    assert bound.estimate == 15 / 25
    assert 0 <= bound.lower < bound.estimate < bound.upper <= 1


def test_groups_that_agree_leave_no_doubt() -> None:
    bound = ratio_of_sums(np.array([2, 4, 8]), np.array([4, 8, 16]))
    assert bound.lower == bound.estimate == bound.upper == 0.5


def test_by_hand() -> None:
    # Shares 0 and 1 of ten trials each: residuals -5 and 5, variance 50 * 2 / 1, so an error of 10 / 20.
    bound = ratio_of_sums(np.array([0, 10]), np.array([10, 10]), confidence=0.5)
    assert bound.upper == pytest.approx(1.0)  # Student's quantile with one degree of freedom at .75 is 1
    assert bound.lower == pytest.approx(0.0)


def test_intervals_cover_dependent_trials(rng: np.random.Generator) -> None:
    # Trials of one group succeed together; 1,000 intervals at 95 %. An interval that took trials as independent
    # would hold the share in about 40 % of the cases. The test fails wrongly less often than once in 10^6.
    covered = 0
    for _ in range(1000):
        trials = rng.integers(5, 40, size=60)
        hits = rng.binomial(trials, rng.beta(1, 2, size=60))
        bound = ratio_of_sums(hits, trials)
        covered += bound.lower <= 1 / 3 <= bound.upper
    assert covered >= binom.ppf(1e-6, 1000, 0.93)


@pytest.mark.parametrize("groups", [0, 1])
def test_too_few_groups_are_refused(groups: int) -> None:
    with pytest.raises(ParameterError, match="at least two"):
        ratio_of_sums(np.ones(groups, dtype=np.int64), np.ones(groups, dtype=np.int64))
