"""Truncated Gumbel noise among all words: its integers, its law by a second method and by draws, and its domain."""

import math
import pickle

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chisquare
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.randomness import seeded_generator
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Verdict
from textveil_lab.mechanisms.channels.tgm import STEPS, GumbelNoise, GumbelRows, least_sum, step_counts
from textveil_lab.vocabulary.grid_distances import distances_on

ALPHA = 1e-6
LINE = Vocabulary(list("abcdef"), np.array([[0], [0.3], [0.5], [1], [1.4], [2]], dtype=np.float32), "line")


def made(vocabulary: Vocabulary, **options) -> IntegerChannel:
    found = mechanism("tgm", vocabulary, clip=None, **options)
    assert isinstance(found, IntegerChannel)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 40, 300])
@pytest.mark.parametrize("more", [0.0, 3.0, 40.0])
def test_all_rows_have_one_sum_and_no_two_weights_are_farther_apart_than_is_stated(size: int, more: float) -> None:
    vocabulary = made_vocabulary(size)
    least = made(vocabulary).parameters["least_epsilon"]
    channel = made(vocabulary, epsilon=least + more)
    weights = channel.integer_weights(np.arange(size))
    assert {int(row.sum()) for row in weights} == {1 << 61}
    stated = channel.guarantee.epsilon
    assert stated == min(least + more, max(least, 26.0))
    worst = math.log(int(weights.max()) / int(weights.min()))
    assert stated - 0.2 < worst <= stated
    assert tv.audit(channel).verdict in {Verdict.PROVED, Verdict.CERTIFIED}


def law(places: np.ndarray, word: int, noise: GumbelNoise) -> list[float]:
    """P(y | word) by adaptive quadrature of the integral over the least sum."""
    far = np.abs(places - places[word])

    def below(at: float) -> float:
        low, high = (math.exp(-math.exp(-end / noise.scale)) for end in (-noise.limit, noise.limit))
        return float(np.clip((math.exp(-math.exp(-at / noise.scale)) - low) / (high - low), 0.0, 1.0))

    def density(at: float) -> float:
        low, high = (math.exp(-math.exp(-end / noise.scale)) for end in (-noise.limit, noise.limit))
        scaled = math.exp(-at / noise.scale)
        return scaled * math.exp(-scaled) / noise.scale / (high - low)

    def won(t: float, y: int) -> float:
        return density(t - far[y]) * math.prod(1 - below(t - one) for z, one in enumerate(far) if z != y)

    return [quad(won, far[y] - noise.limit, noise.limit, args=(y,), limit=200)[0] for y in range(len(places))]


def test_the_integers_are_the_law_by_a_second_method() -> None:
    """Adaptive quadrature at the rounded distances; the words lie on steps, so that rounding moves nothing."""
    channel = made(LINE, epsilon=6.0)
    noise = GumbelNoise(scale=channel.parameters["scale"], limit=channel.parameters["limit"])
    places = np.rint(LINE.vectors[:, 0].astype(np.float64) * STEPS / noise.limit) * noise.limit / STEPS
    for word in range(6):
        expected = law(places, word, noise)
        assert sum(expected) == pytest.approx(1.0, abs=1e-6)
        assert channel.probabilities(word) == pytest.approx(expected, rel=2e-3, abs=1e-7)


def test_draws_are_those_of_the_noise_itself() -> None:
    """Chi-squared at alpha 1e-6 against argmin(d + g); noise of a scale 1.2 times as large is the mutant."""
    channel, count = made(LINE, epsilon=6.0), 40_000
    scale, limit = channel.parameters["scale"], channel.parameters["limit"]
    far = distances_on(integer_grid(LINE), np.array([2]))[0]

    def p_value(factor: float) -> float:
        noise = GumbelNoise(scale=factor * scale, limit=limit).sample(6 * count, seeded_generator(1)).reshape(count, 6)
        counts = np.bincount((far + noise).argmin(axis=1), minlength=6)
        return float(chisquare(counts, channel.probabilities(2) * count).pvalue)

    assert p_value(1.0) > ALPHA
    assert p_value(1.2) < ALPHA
    drawn = np.bincount(channel.privatize(np.full(count, 2), seeded_generator(2)), minlength=6)
    assert chisquare(drawn, channel.probabilities(2) * count).pvalue > ALPHA


def test_a_smaller_epsilon_than_any_scale_gives_is_refused_with_the_least(tiny) -> None:
    least = made(tiny).parameters["least_epsilon"]
    with pytest.raises(ParameterError, match=rf"^epsilon must be at least {least:.7g} here, the domain of truncated"):
        made(tiny, epsilon=least * 0.999)
    counted = step_counts(tiny, None)
    for scale in np.geomspace(0.03, 3.0, 60) * counted.diameter:
        assert least_sum(scale, counted.diameter).loss(counted, np.arange(len(tiny))).nats > least - 3e-5
    with pytest.raises(ParameterError, match="one vector for all words"):
        made(Vocabulary(["a", "b"], np.ones((2, 2), dtype=np.float32), "one"))


def test_the_scale_is_the_smallest_that_keeps_epsilon() -> None:
    vocabulary = made_vocabulary(60)
    counted, every = step_counts(vocabulary, None), np.arange(60)
    channel = made(vocabulary, epsilon=12.0)
    scale = channel.parameters["scale"]
    assert least_sum(scale, counted.diameter).loss(counted, every).nats <= 12.0
    assert least_sum(scale * 0.999, counted.diameter).loss(counted, every).nats > 12.0
    assert made(vocabulary, epsilon=16.0).parameters["scale"] < scale


def test_a_row_is_a_function_of_its_word_alone_and_copies_draw_alike() -> None:
    channel = made(made_vocabulary(30), epsilon=12.0)
    together = channel.integer_weights(np.arange(30))
    for word in range(30):
        assert (channel.integer_weights(np.array([word]))[0] == together[word]).all()
    again = pickle.loads(pickle.dumps(channel))
    ids = np.arange(30).repeat(5)
    assert (again.privatize(ids, seeded_generator(1)) == channel.privatize(ids, seeded_generator(1))).all()


def test_a_row_that_cannot_be_brought_to_the_total_is_no_draw() -> None:
    vocabulary = made_vocabulary(30)
    counted = step_counts(vocabulary, None)
    rows = GumbelRows(vocabulary, None, counted.diameter, 0.1 * counted.diameter, 1.0, 1 << 50)
    with pytest.raises(ArithmeticError, match="off its total"):
        rows(np.array([0]))
