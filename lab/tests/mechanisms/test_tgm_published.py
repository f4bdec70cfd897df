"""The truncated Gumbel mechanism: its law against its draws, the pair that refutes it, and the domain of epsilon."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare, poisson
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.catalog import mechanism
from textveil.errors import ParameterError, RefutedGuarantee
from textveil.privacy.guarantees import Status
from textveil.randomness import seeded_generator
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Verdict
from textveil_lab.mechanisms.channels.tgm import GumbelNoise
from textveil_lab.mechanisms.published.tgm import TruncatedGumbel


def made(vocabulary: Vocabulary, **options) -> TruncatedGumbel:
    found = mechanism("tgm-published", vocabulary, **options)
    assert isinstance(found, TruncatedGumbel)
    return found


@pytest.mark.parametrize("size", [3, 6, 12])
def test_the_farthest_word_refutes_it(size: int) -> None:
    channel = made(made_vocabulary(size))
    assert channel.guarantee.status is Status.REFUTED
    far = channel.word_distances(np.arange(size))
    x = 1
    y = int(far[x].argmax())
    assert channel.probabilities(x)[y] == 0.0
    assert channel.probabilities(y)[y] >= (1 + math.log(size - 1)) / (size - 1) * (1 - 1e-9)
    report = tv.audit(channel)
    assert report.verdict is Verdict.REFUTED
    assert math.isinf(report.leading.epsilon.lower)
    with pytest.raises(RefutedGuarantee, match="Use tgm, the valid form"):
        tv.Sanitizer(channel)


def test_rows_are_the_distribution_of_the_draws() -> None:
    """Chi-squared at alpha 1e-6; the rows of a noise that is half as wide are the mutant that it kills."""
    vocabulary = made_vocabulary(6)
    channel = made(vocabulary)
    counts = np.bincount(channel.privatize(np.full(40_000, 2), seeded_generator(4)), minlength=6)

    def p_value(scale: float) -> float:
        noise = GumbelNoise(scale=scale, limit=channel.noise.limit)
        other = TruncatedGumbel(vocabulary, channel.parameters, channel.guarantee, noise, channel.clip)
        expected = other.probabilities(2) * counts.sum()
        assert counts[expected == 0].sum() == 0
        return float(chisquare(counts[expected > 0], expected[expected > 0]).pvalue)

    assert p_value(channel.noise.scale) > 1e-6
    assert p_value(channel.noise.scale / 2) < 1e-6


def test_noise_is_within_its_limits_and_of_its_distribution() -> None:
    noise = GumbelNoise(scale=2.0, limit=3.0)
    drawn = noise.sample(20_000, seeded_generator(1))
    assert np.abs(drawn).max() <= 3.0
    at = np.array([-2.0, 0.0, 1.5])
    assert noise.survival(at) == pytest.approx([(drawn > one).mean() for one in at], abs=0.02)
    assert noise.survival(np.array([-3.0, 3.0, 9.0])).tolist() == [1.0, 0.0, 0.0]


def test_the_numbers_of_the_refutation_are_those_of_the_formula() -> None:
    n = 10_000
    for rank, nats in ((100, 143.9), (200, 421.4)):
        loss = math.log((1 + math.log(n)) / n) - float(poisson.logsf(rank - 1, math.log(n)))
        assert loss == pytest.approx(nats, abs=0.1)


def test_an_epsilon_outside_the_domain_is_refused_with_the_domain(tiny) -> None:
    least = made(tiny).parameters["least_distance"]
    domain = (2 * (1 + math.log(40)) + 3) / least
    with pytest.raises(ParameterError, match=rf"epsilon_per_distance must be above {domain:.6g} here"):
        made(tiny, epsilon_per_distance=domain)
    assert made(tiny, epsilon_per_distance=domain * 1.001).noise.scale > 0
    with pytest.raises(ParameterError, match="different vectors"):
        made(Vocabulary(["a", "b", "c"], np.array([[0.0], [0.0], [1.0]], dtype=np.float32), "twice"))
