"""RANTEXT: the exact law on a line, which refutes the claim; a witness in any vocabulary; draws that follow the law."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binomtest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.privacy.guarantees import Status
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.published.rantext import _log_tail, _radii, _sharpness, rantext_published

ALPHA = 1e-6
POINTS = (0.0, 1.0, 10.0)
LINE = Vocabulary(["a", "b", "c"], np.array(POINTS, dtype=np.float32)[:, None], "line")


def law(word: int, epsilon: float) -> list[float]:
    """P(y | word) on the line, by numerical integration over the radius."""
    rate = _sharpness(epsilon) / (max(POINTS) - min(POINTS))
    apart = [abs(point - POINTS[word]) for point in POINTS]
    edges = [*sorted(apart), math.inf]

    def given(radius: float, output: int) -> float:
        weights = [math.exp(-epsilon / 2 * one / radius) if one < radius else 0.0 for one in apart]
        return weights[output] / sum(weights) * rate * math.exp(-rate * radius)

    return [
        sum(quad(given, low, high, args=(output,))[0] for low, high in pairwise(edges)) for output in range(len(POINTS))
    ]


def test_the_exact_law_of_three_words_refutes_the_claim_and_the_witness_is_below_it() -> None:
    made = rantext_published(LINE, epsilon=3.0)
    true = math.log(law(2, 3.0)[2] / law(0, 3.0)[2])
    assert sum(law(0, 3.0)) == pytest.approx(1, rel=1e-9)
    assert true > 9.36
    assert made.guarantee.status is Status.REFUTED
    assert 3.0 < made.witness["loss_at_least"] <= true
    assert {made.witness["output"], made.witness["other"]} == {"a", "c"}
    assert [_sharpness(one) for one in (1.9, 2.0, 3.0, 14.0)] == pytest.approx([1.9, 9.1200, 9.3600, 9.4011], abs=5e-4)


@pytest.mark.parametrize("epsilon", [0.5, 3.0, 9.0, 12.0, 20.0, 60.0])
def test_the_witness_never_says_more_than_the_exact_law_and_comes_near_it(epsilon: float) -> None:
    """The share of far radii is bounded, not drawn: seven nats or so are all that draws could show."""
    found = rantext_published(LINE, epsilon=epsilon)
    true = math.log(law(2, epsilon)[2] / law(0, epsilon)[2])
    assert found.witness["loss_at_least"] <= true
    assert epsilon < 2 or found.witness["loss_at_least"] > max(8.0, 0.6 * true)
    assert (found.guarantee.status is Status.REFUTED) is (found.witness["loss_at_least"] > epsilon)


@pytest.mark.parametrize("dim", [1, 5, 60])
def test_tails_of_the_radius_are_bounded(dim: int, rng) -> None:
    scales = rng.uniform(0.2, 1.0, dim)
    radii = _radii(scales, 100_000, rng)
    typical = float(np.median(radii))
    for radius in (typical, 1.3 * typical, 2 * typical):
        seen = int((radii > radius).sum())
        assert binomtest(seen, len(radii), min(1.0, math.exp(_log_tail(scales, radius))), "greater").pvalue > ALPHA
    far = 40 * float(scales.max())  # one coordinate alone reaches it with probability e^-40
    assert -40 <= _log_tail(scales, far) < -30


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_draws_follow_the_published_law(epsilon: float, rng) -> None:
    """Exact binomial tests of each output, ALPHA together: some come out twice in 200,000 draws."""
    made, count = rantext_published(LINE, epsilon=epsilon), 200_000

    def fits(expected: list[float]) -> bool:
        pairs = zip(drawn.tolist(), expected, strict=True)
        return min(binomtest(seen, count, chance).pvalue for seen, chance in pairs) > ALPHA / 9

    for word in range(3):
        drawn = np.bincount(made.privatize(np.full(count, word), rng), minlength=3)
        assert fits(law(word, epsilon))
        if epsilon < 2:
            assert not fits(law(word, epsilon * 1.3))


def test_where_nothing_is_shown_nothing_is_accused() -> None:
    """Two words at epsilon 0.5: the claim is true there, by the exact law."""
    pair = Vocabulary(["a", "b"], np.array([[0.0], [1.0]], dtype=np.float32), "pair")
    made = rantext_published(pair, epsilon=0.5)
    assert made.guarantee.status is Status.CLAIMED
    assert made.witness["loss_at_least"] < 0.5


@pytest.mark.parametrize("dim", [1, 8, 50])
def test_witnesses_are_found_in_every_dimension(dim: int) -> None:
    made = rantext_published(made_vocabulary(40, dim=dim), epsilon=3.0)
    assert made.guarantee.status is Status.REFUTED


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_an_epsilon_outside_its_domain_is_refused(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0; got"):
        rantext_published(LINE, epsilon=epsilon)
    with pytest.raises(ParameterError, match="two different vectors at least"):
        rantext_published(Vocabulary(["a", "b"], np.ones((2, 3), dtype=np.float32), "one"), epsilon=1.0)
