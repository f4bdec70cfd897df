"""Truncated Laplace: the distribution function, its inverse, and the support in both precisions."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError
from textveil.randomness import seeded_generator
from textveil_lab.noise.truncated_laplace import TruncatedLaplace

lengths = st.floats(1e-20, 1e20)
shares = st.floats(0, 1)


def exact_cdf(x, scale, bound):
    """P(X <= x) from the definition, in enough digits for any ratio of bound to scale."""
    with mpmath.workdps(120):
        x, s, b = (mpmath.mpf(float(v)) for v in (x, scale, bound))
        half = (mpmath.exp(-abs(x) / s) - mpmath.exp(-b / s)) / (2 * -mpmath.expm1(-b / s))
        return half if x < 0 else 1 - half


def exact_variance(scale, bound):
    with mpmath.workdps(120):
        s, b = mpmath.mpf(scale), mpmath.mpf(bound)
        t = b / s
        return s * s * (2 - mpmath.exp(-t) * (t * t + 2 * t + 2)) / -mpmath.expm1(-t)


@settings(deadline=None, max_examples=150)
@given(scale=lengths, bound=lengths, share=shares)
def test_cdf_and_variance_match_multiple_precision_at_any_ratio(scale, bound, share):
    distribution = TruncatedLaplace(dim=1, scale=scale, bound=bound)
    x = -min(share * bound, 600 * scale, bound)
    expected = float(exact_cdf(x, scale, bound))
    assert float(distribution.cdf(x)) == pytest.approx(expected, rel=1e-11, abs=1e-300)
    assert float(distribution.cdf(-x)) == pytest.approx(1 - expected, rel=1e-11)
    assert distribution.variance == pytest.approx(float(exact_variance(scale, bound)), rel=1e-11)


@settings(deadline=None, max_examples=150)
@given(scale=lengths, bound=lengths, probability=shares)
def test_the_inverse_undoes_the_cdf(scale, bound, probability):
    distribution = TruncatedLaplace(dim=1, scale=scale, bound=bound)
    x = distribution.inverse_cdf(probability)
    assert x.shape == ()
    assert -bound <= x <= bound
    assert float(distribution.cdf(x)) == pytest.approx(probability, abs=1e-13)


def test_a_ratio_that_no_float_holds_is_uniform():
    distribution = TruncatedLaplace(dim=1, scale=1e308, bound=1e-20)
    np.testing.assert_allclose(distribution.inverse_cdf([0.25, 0.75]), [-0.5e-20, 0.5e-20])
    np.testing.assert_allclose(distribution.cdf([-0.5e-20, 0.5e-20]), [0.25, 0.75])
    assert distribution.variance == pytest.approx(1e-40 / 3)
    assert distribution.log_density([[0.0]])[0] == pytest.approx(-math.log(2e-20))


def test_the_ends_of_the_distribution():
    distribution = TruncatedLaplace(dim=1, scale=1.0, bound=2.0)
    np.testing.assert_allclose(distribution.inverse_cdf([0.0, 0.5, 1.0]), [-2.0, 0.0, 2.0], rtol=1e-14)
    np.testing.assert_array_equal(distribution.cdf([-9.0, -2.0, 0.0, 2.0, 9.0]), [0, 0, 0.5, 1, 1])
    endless = TruncatedLaplace(dim=1, scale=1.0, bound=1e300)
    np.testing.assert_array_equal(endless.inverse_cdf([0.0, 1.0]), [-1e300, 1e300])
    for outside in (-0.1, 1.1, math.nan):
        with pytest.raises(ParameterError, match="probability"):
            distribution.inverse_cdf(outside)


@settings(deadline=None, max_examples=60)
@given(
    scale=st.floats(1e-12, 1e12),
    bound=st.floats(1e-12, 1e12),
    inversion=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_no_draw_lies_beyond_the_bound_or_at_zero(scale, bound, inversion, dtype):
    distribution = TruncatedLaplace(dim=20, scale=scale, bound=bound)
    draw = distribution.sample_by_inversion if inversion else distribution.sample
    draws = draw(200, seeded_generator(3), dtype)
    assert draws.shape == (200, 20)
    assert draws.dtype == dtype
    assert np.abs(draws.astype(np.float64)).max() <= bound
    assert np.isfinite(distribution.log_density(draws)).all()


class Ends(np.random.Generator):
    """A generator whose uniform numbers are the outermost and the innermost that there are."""

    lattice = np.array([0.0, 2.0**-53, 0.5 - 2.0**-53, 0.5, 1 - 2.0**-52, 1 - 2.0**-53])

    def random(self, size):
        return np.resize(self.lattice, size)


@pytest.fixture
def ends():
    return Ends(np.random.PCG64(0))


@pytest.mark.parametrize("bound", [1 + 2.0**-25, 1 + 2.0**-24, 1 + 2.0**-23 - 2.0**-50])
def test_single_precision_never_passes_a_bound_that_it_cannot_hold(bound, ends):
    draws = TruncatedLaplace(dim=6, scale=1e6, bound=bound).sample(1, ends).astype(np.float64)
    assert draws.max() == 1.0  # the next float32 is 1 + 2^-23
    assert draws.min() == -1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bound", [1.0, 20.0, 1e9])
def test_draws_are_symmetric_and_nonzero_down_to_the_last_uniform_number(bound, dtype, ends):
    draws = TruncatedLaplace(dim=6, scale=1.0, bound=bound).sample_by_inversion(1, ends, dtype)[0]
    np.testing.assert_array_equal(draws, -draws[::-1])
    assert (draws != 0).all()
    assert np.isfinite(draws).all()
    assert np.abs(draws).max() == pytest.approx(min(bound, 53 * math.log(2)), rel=1e-6)
