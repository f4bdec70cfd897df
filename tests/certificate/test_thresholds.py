"""Thresholds keep their mean over every sample of small corpora; the test of exchangeability has its level."""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

from textveil.certificate.bounds import conformal_threshold, exchangeable, pages_for
from textveil.errors import ParameterError

ALPHA = 1e-6  # of each test by simulation
LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def corpora() -> Iterator[np.ndarray]:
    """Losses of seven pages: each page loses all from a threshold of its own on; counts of three, as shares."""
    yield np.tri(7, len(LEVELS), -1)[:, ::-1]
    for seed in range(20):
        yield np.sort(np.random.default_rng(seed).integers(0, 4, (7, len(LEVELS))), axis=1) / 3.0


def mean_loss(losses: np.ndarray, read: int, chosen: Callable[[np.ndarray], float | None]) -> float:
    """Mean loss of the next page over all samples and next pages of a corpus; a refusal loses nothing."""
    total, cases = 0.0, 0
    for sample in combinations(range(len(losses)), read):
        threshold = chosen(losses[list(sample)])
        for page in set(range(len(losses))) - set(sample):
            cases += 1
            total += 0.0 if threshold is None else losses[page, LEVELS.index(threshold)]
    return total / cases


@pytest.mark.parametrize("target", [0.2, 0.4, 0.6])
def test_mean_loss_of_every_small_corpus_is_at_most_the_target(target: float) -> None:
    def ours(losses: np.ndarray) -> float | None:
        try:
            return conformal_threshold(losses, LEVELS, target).threshold
        except ParameterError:
            return None

    def mutant(losses: np.ndarray) -> float | None:
        """Without the loss of the page to come: the mean of the pages read is at most the target."""
        kept = np.flatnonzero(losses.mean(axis=0) <= target)
        return LEVELS[kept[-1]] if len(kept) else None

    worst = worst_of_mutant = 0.0
    for losses in corpora():
        worst = max(worst, mean_loss(losses, 5, ours))
        worst_of_mutant = max(worst_of_mutant, mean_loss(losses, 5, mutant))
    assert worst <= target + 1e-12 < worst_of_mutant


def test_largest_threshold_that_keeps_the_target_is_chosen() -> None:
    losses = np.zeros((99, 3))
    losses[:1, 2] = 1
    chosen = conformal_threshold(losses, (0.2, 0.5, 0.8), 0.01)
    assert (chosen.threshold, chosen.pages) == (0.5, 99)
    assert chosen.expected == pytest.approx(0.01)
    assert conformal_threshold(np.tile(losses, (3, 1))[1:200], (0.2, 0.5, 0.8), 0.015).threshold == 0.8


def test_pages_that_a_target_takes() -> None:
    assert [pages_for(target) for target in (0.01, 0.05, 0.5)] == [99, 19, 1]
    assert pages_for(0.01, most=2) == 199
    for pages in range(1, 400):
        target = 1 / (pages + 1)
        assert 1 / (pages_for(target) + 1) <= target < 1 / pages_for(target)
    with pytest.raises(ParameterError, match=r"^pages must be at least 99 for a target of 0\.01; got 98\. Review more"):
        conformal_threshold(np.zeros((98, 1)), (0.5,), 0.01)


def test_test_of_exchangeability_has_its_level_and_sees_shifts() -> None:
    """Of 60 pairs of one kind at most three in ten are found unlike (alpha 1e-6); a shift is seen.

    The mutant that takes the smallest 30 pages for the release dies by the same count.
    """
    rng = np.random.default_rng(2)
    unlike = mutants = 0
    for _ in range(60):
        pages = np.column_stack([rng.geometric(0.2, 90), rng.random(90)]).astype(float)
        unlike += not exchangeable(pages[:30], pages[30:], 0.7, rng=rng).alike
        pages = pages[np.argsort(pages[:, 0])]
        mutants += not exchangeable(pages[30:], pages[:30], 0.7, rng=rng).alike
    assert unlike <= binom(60, 0.3).isf(ALPHA) < mutants
    for feature, shifted in enumerate((rng.normal(1, 1, (400, 1)), rng.normal(0, 3, (400, 1)))):
        other = rng.normal(0, 1, (200, 1))
        same = rng.random((600, 1))
        columns = [np.concatenate([other, shifted]), same]
        table = np.hstack(columns if feature == 0 else columns[::-1])
        found = exchangeable(table[:200], table[200:], 0.99, rng=rng)
        assert (found.alike, found.feature, found.p_value) == (False, feature, 0.001)


def test_identical_pages_are_alike() -> None:
    found = exchangeable(np.ones((20, 2)), np.ones((5000, 2)), rng=np.random.default_rng(0))
    assert (found.p_value, found.alike) == (1.0, True)


ONES = np.ones((20, 1))
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: conformal_threshold(ONES, (0.5,), 0.5),
        lambda: conformal_threshold(ONES * 0, (0.5,), 1.0),
        lambda: conformal_threshold(ONES * 0, (0.5,), 0.0),
        lambda: conformal_threshold(ONES * 0, (0.5, 0.4), 0.5),
        lambda: conformal_threshold(ONES * 0, (), 0.5),
        lambda: conformal_threshold(ONES * 2, (0.5,), 0.5),
        lambda: conformal_threshold(ONES * np.nan, (0.5,), 0.5),
        lambda: conformal_threshold(np.hstack([ONES, ONES * 0]), (0.4, 0.5), 0.5),
        lambda: conformal_threshold(ONES[:, 0], (0.5,), 0.5),
        lambda: conformal_threshold(ONES * 0, (0.5,), 0.5, most=0),
        lambda: exchangeable(ONES, ONES, 1.0, rng=RNG),
        lambda: exchangeable(ONES, ONES, 0.9999, rng=RNG),
        lambda: exchangeable(ONES[:0], ONES, rng=RNG),
        lambda: exchangeable(ONES, np.ones((20, 2)), rng=RNG),
        lambda: exchangeable(ONES, ONES * np.inf, rng=RNG),
        lambda: exchangeable(ONES[:, 0], ONES, rng=RNG),
    ],
)
def test_bad_arguments_are_refused_in_one_line(call: Callable[[], object]) -> None:
    with pytest.raises(ParameterError) as error:
        call()
    assert "\n" not in str(error.value) and "must be" in str(error.value)
