"""No sampler's tail ends, and every tail has its exact distribution, however far out.

A scripted generator puts a whole batch beyond the edges of ``noise.unbounded``; what comes back must have the
conditional distribution there, where NumPy's own samplers never come (44.4 scales, 12.2 standard deviations).
"""

import math

import numpy as np
import pytest
from scipy import special, stats
from tests.helpers.exactness import p_value

from textveil.catalog import mechanism
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace
from textveil_lab.noise.unbounded import exponentials, gammas, normals

ALPHA = 1e-6
"""Probability that one statistical test of this file accuses a correct sampler."""

FAR, ON = True, False
TO_EIGHT = [FAR, FAR, ON, FAR, ON]
"""Normal numbers beyond 8: an excess beyond 4, and the second number, which must be beyond 8 to accept it, beyond 8."""

ACCEPTING = [FAR, FAR, ON]
"""At shape 1 a normal number beyond 8 is accepted only by an exponential number beyond 16.19: that one beyond 16."""

NUMPY_EXPONENTIAL, NUMPY_NORMAL = 44.44, 12.23
"""Where NumPy's samplers end in float64."""


class Scripted(np.random.Generator):
    """Where a whole batch is drawn, ``exponential`` says whether to put it 8 further out, ``normal`` to size 5."""

    def __init__(self, rng, batch, exponential=(), normal=()):
        super().__init__(rng.bit_generator)
        self.batch, self.exponential, self.normal = batch, list(exponential), list(normal)

    def standard_exponential(self, size):
        draws = super().standard_exponential(size)
        far = size == self.batch and self.exponential and self.exponential.pop(0)
        return draws + 8 if far else draws

    def standard_normal(self, size):
        draws = super().standard_normal(size)
        far = size == self.batch and self.normal and self.normal.pop(0)
        return np.copysign(5.0, draws) if far else draws


def normal_tail_cdf(edge):
    return lambda z: -np.expm1(special.log_ndtr(-z) - special.log_ndtr(-edge))


@pytest.mark.parametrize("steps", [1, 2, 6, 50])
def test_exponential_tails_have_no_memory_at_any_distance(steps, rng):
    draws = exponentials(150_000, Scripted(rng, 150_000, [FAR] * steps))
    assert draws.min() >= 8 * steps
    assert p_value(draws - 8 * steps, lambda x: -np.expm1(-x)) > ALPHA
    assert p_value(1.05 * (draws - 8 * steps), lambda x: -np.expm1(-x)) < ALPHA


def test_normal_tails_from_their_edge(rng):
    draws = normals(100_000, Scripted(rng, 100_000, normal=[FAR]))
    assert np.abs(draws).min() >= 4
    assert stats.binomtest(int((draws > 0).sum()), draws.size).pvalue > ALPHA
    assert p_value(np.abs(draws), normal_tail_cdf(4.0)) > ALPHA
    assert p_value(1.05 * np.abs(draws), normal_tail_cdf(4.0)) < ALPHA


def test_normal_tails_beyond_the_end_of_numpys(rng):
    """The excess is put beyond 10, where only a second exponential number beyond 50 accepts it: that one beyond 48."""
    count = 200_000
    script = [FAR] * 5 + [ON] + [FAR] * 6 + [ON]
    draws = np.abs(normals(count, Scripted(rng, count, script, normal=[FAR])))
    far = draws[draws >= 14]
    assert far.size > 5000 and far.min() > NUMPY_NORMAL
    assert p_value(far, normal_tail_cdf(14.0)) > ALPHA
    assert p_value(14 + 1.3 * (far - 14), normal_tail_cdf(14.0)) < ALPHA


@pytest.mark.parametrize(("shape", "edge"), [(1.0, 4.0), (2.0, 4.0), (300.0, 4.0), (1.0, 8.0), (300.0, 8.0)])
def test_gamma_tails(shape, edge, rng):
    """Only normal numbers beyond an edge lead to gamma numbers beyond (shape - 1/3) (1 + c edge)^3."""
    count = 100_000
    script = (TO_EIGHT + ACCEPTING if shape == 1 else TO_EIGHT) if edge == 8 else []
    draws = gammas(shape, count, Scripted(rng, count, script, normal=[FAR]))
    d = shape - 1 / 3
    least = d * (1 + edge / math.sqrt(9 * d)) ** 3
    far = draws[draws >= least]
    assert far.size > 5000
    if shape == 1 and edge == 8:
        assert far.min() > NUMPY_EXPONENTIAL

    def cdf(x):
        return 1 - special.gammaincc(shape, x) / special.gammaincc(shape, least)

    assert p_value(far, cdf) > ALPHA
    assert p_value(least + 1.3 * (far - least), cdf) < ALPHA


@pytest.mark.parametrize("shape", [1, 2, 3, 10, 300])
def test_gamma_numbers_have_their_distribution(shape, rng):
    draws = gammas(shape, 200_000, rng)
    assert p_value(draws, lambda x: special.gammainc(shape, x)) > ALPHA
    assert p_value(gammas(1.05 * shape, 200_000, rng), lambda x: special.gammainc(shape, x)) < ALPHA


def test_coordinate_laplace_beyond_the_end_of_numpys(rng):
    draws = CoordinateLaplace(dim=2, scale=0.7).sample(20_000, Scripted(rng, 40_000, [FAR] * 6), np.float64)
    sizes = np.abs(draws).ravel() / 0.7
    assert sizes.min() >= 48 > NUMPY_EXPONENTIAL
    assert p_value(sizes - 48, lambda x: -np.expm1(-x)) > ALPHA


def test_gaussian_noise_keeps_its_tail(rng):
    draws = Gaussian(dim=2, sigma=0.3).sample(30_000, Scripted(rng, 60_000, normal=[FAR]), np.float64)
    assert p_value(np.abs(draws).ravel() / 0.3, normal_tail_cdf(4.0)) > ALPHA


def test_spherical_noise_keeps_its_tail(rng):
    """In one dimension the norm is exponential; both its parts, sign and length, come from the same source."""
    count = 60_000  # the first batch of normal numbers makes the directions, the second the lengths
    script = Scripted(rng, count, TO_EIGHT + ACCEPTING, normal=[ON, FAR])
    norms = 2.5 * np.abs(SphericalLaplace(dim=1, rate=2.5).sample(count, script, np.float64)).ravel()
    least = 2 / 3 * (1 + 8 / math.sqrt(6)) ** 3
    far = norms[norms >= least]
    assert far.size > 2000 and least > NUMPY_EXPONENTIAL
    assert p_value(far - least, lambda x: -np.expm1(-x)) > ALPHA


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_truncated_noise_reaches_its_bound(dtype, rng):
    """At epsilon 30 and delta 1e-5 the bound is 40.8 scales; a sampler that ends at 36.7 has a delta of 5.9e-4."""
    distribution = TruncatedLaplace(dim=1, scale=1.0, bound=40.82)
    draws = distribution.sample(40_000, Scripted(rng, 40_000, [FAR] * 5), dtype)
    sizes = np.abs(draws.astype(np.float64)).ravel()
    assert sizes.max() <= 40.82
    far = sizes[sizes >= 40]
    assert far.size > 10_000

    def cdf(x):
        return np.expm1(40 - x) / np.expm1(-0.82)

    # Single precision rounds by 2^-19 here, far below what the test can see.
    assert p_value(far, cdf) > ALPHA
    assert p_value(40 + 0.95 * (far - 40), cdf) < ALPHA


def test_pure_privacy_holds_on_a_line_at_a_large_budget(rng):
    """Words -1, -0.245 and 1 at epsilon 30: the far word is 24.3 scales away, and float32 numbers ended there."""
    vocabulary = Vocabulary(["a", "b", "c"], np.array([[-1.0], [-0.245], [1.0]], dtype=np.float32))
    laplace = mechanism("laplace", vocabulary, epsilon=30.0, projection="numpy")
    count, needed = 4000, 1.6225 / laplace.distribution.scale
    assert needed == pytest.approx(24.34, abs=0.01)
    found = laplace.privatize(np.full(count, 2), Scripted(rng, count, [FAR] * 3))
    # All noise is beyond 24 scales, half of it to the left; exp(24 - needed) of that reaches the far word.
    share = 0.5 * math.exp(24 - needed)
    assert stats.binomtest(int((found == 0).sum()), count, share).pvalue > ALPHA
    # P(far | near) against P(far | far), which is nearly 1: within e^30.
    assert math.log(0.5) - needed >= -30
