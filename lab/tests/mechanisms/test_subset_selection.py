"""Subset selection: every set of a small vocabulary by exact fractions, the law of the draws, the protocol of sets."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.catalog import mechanism
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.mechanisms.kinds import SetMechanism, VectorMechanism, WordMechanism
from textveil.privacy.units import ONE_TOKEN
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism

ALPHA = 1e-6
WORDS = Vocabulary(["one", "two", "three", "four", "five"], np.eye(5, dtype=np.float32), "tiny")


def made(**options: Any) -> Any:
    return mechanism("subset-selection", WORDS, **{"epsilon": 1.0, **options})


def law(found: Any, word: int) -> list[Fraction]:
    sets = itertools.combinations(range(5), found.weights.members)
    return [found.probability(np.array(one), word) for one in sets]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.3, 2.0, 9.0])
def test_every_set_of_every_word_is_within_epsilon(size: int, epsilon: float) -> None:
    found = made(epsilon=epsilon, subset_size=size)
    laws = [law(found, word) for word in range(5)]
    assert all(sum(one) == 1 for one in laws)
    worst = max(max(column) / min(column) for column in zip(*laws, strict=True))
    assert worst == Fraction(found.weights.inside, found.weights.outside)
    assert math.log(worst) <= epsilon * (1 + 1e-12)
    assert math.log(worst) == pytest.approx(epsilon, rel=1e-9)
    for at in (0.0, epsilon / 2):
        least = sum(max(Fraction(0), p - Fraction(math.exp(at)) * q) for p, q in zip(laws[0], laws[1], strict=True))
        bound = found.worst_profile().log_delta(at)
        assert math.exp(bound.lower) <= float(least) * (1 + 1e-9)
        assert float(least) <= math.exp(bound.upper)
        assert float(least) == pytest.approx(math.exp(bound.lower), rel=1e-9)  # where it is attained


def p_value(found: Any, other: Any) -> float:
    count = 20_000
    drawn = found.privatize_sets(np.full(count, 3), seeded_generator(1))
    sets = list(itertools.combinations(range(5), found.weights.members))
    places = {one: place for place, one in enumerate(sets)}
    counts = np.bincount([places[tuple(row)] for row in drawn.tolist()], minlength=len(sets))
    return float(chisquare(counts, np.array(law(other, 3), dtype=np.float64) * count).pvalue)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_draws_follow_the_exact_law(size: int) -> None:
    """Alpha 1e-6; an epsilon that is 20 percent larger is told apart."""
    found = made(epsilon=1.5, subset_size=size)
    assert p_value(found, found) > ALPHA
    assert p_value(found, made(epsilon=1.8, subset_size=size)) < ALPHA


def test_the_size_is_the_best_for_counting() -> None:
    sizes = [made(epsilon=epsilon).parameters["subset_size"] for epsilon in (0.01, 0.3, 1.0, 3.0, 800.0)]
    assert sizes == [2, 2, 1, 1, 1]
    alone = made(epsilon=2.0, subset_size=1)
    same = mechanism("randomized-response", WORDS, epsilon=2.0)
    assert [float(one) for one in law(alone, 2)] == pytest.approx(same.probabilities(2).tolist())  # type: ignore[union-attr]


def test_sets_are_rising_and_of_fresh_words() -> None:
    found = made(subset_size=3)
    drawn = found.privatize_sets([0, 4, 0, 0], seeded_generator(2))
    assert drawn.dtype == np.int64 and drawn.shape == (4, 3)
    assert (np.diff(drawn, axis=1) > 0).all()
    assert len({tuple(row) for row in found.privatize_sets(np.zeros(60, dtype=int)).tolist()}) > 3
    assert found.guarantee.adjacency == ONE_TOKEN
    assert isinstance(found, SetMechanism)
    assert not isinstance(found, WordMechanism | VectorMechanism)


def test_audits_prove_it_and_refute_less() -> None:
    found = made(epsilon=2.0)
    report = audit_mechanism(found, samples=4000, seed=1)
    assert [one.verdict for one in report.findings] == [Verdict.PROVED, Verdict.NOT_REFUTED]
    assert report.leading.witness["pair"] == ["one", "two"]
    less = audit_mechanism(found, claim=Claim(epsilon=1.0), samples=20_000, seed=1)
    assert [one.verdict for one in less.findings] == [Verdict.REFUTED, Verdict.REFUTED]


class Bare:
    """The same draws, and nothing that audits could compute from; where that is planted, the word is in every set."""

    def __init__(self, sound: Any, *, leaks: bool) -> None:
        self.name, self.guarantee, self.parameters, self.vocabulary = "bare", sound.guarantee, {}, sound.vocabulary
        self._sound, self._leaks = sound, leaks

    def privatize_sets(self, ids: Any, rng: Any = None) -> Any:
        drawn = self._sound.privatize_sets(ids, rng)
        return np.sort(np.column_stack([ids, drawn[:, 1:]]), axis=1) if self._leaks else drawn


@pytest.mark.parametrize(("leaks", "verdict"), [(False, Verdict.NOT_REFUTED), (True, Verdict.REFUTED)])
def test_a_foreign_mechanism_of_sets_is_sampled(leaks: bool, verdict: Verdict) -> None:
    foreign: Any = Bare(made(epsilon=0.5, subset_size=2), leaks=leaks)
    report = audit_mechanism(foreign, seed=3)
    assert [one.method for one in report.findings] == ["sampled"]
    assert report.verdict is verdict


@pytest.mark.parametrize("size", [5, 6])
def test_a_set_of_all_words_is_refused(size: int) -> None:
    with pytest.raises(ParameterError, match="subset_size must be between 1 and 4, below the 5 words; got"):
        made(subset_size=size)


def test_no_text_comes_out_of_it() -> None:
    with pytest.raises(
        UnsupportedGuarantee, match=r"got subset-selection, which releases sets of words\..*privatize_sets"
    ):
        Sanitizer(made())
