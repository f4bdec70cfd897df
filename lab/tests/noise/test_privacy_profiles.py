"""Privacy profiles of noise: against multiple precision, in logarithms, where floats underflow and peaks are narrow."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from textveil.errors import ParameterError
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.distribution import BoundedSupport, LineNoise, ProfiledNoise, l1_over, l2_times
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.spherical_profile import SphericalProfile
from textveil_lab.noise.truncated_laplace import TruncatedLaplace

NOISE = [
    Gaussian(dim=3, sigma=0.7),
    SphericalLaplace(dim=3, rate=1.3),
    CoordinateLaplace(dim=3, scale=0.7),
    TruncatedLaplace(dim=3, scale=0.7, bound=4.0),
]
SHIFT = [0.4, -0.9, 0.2]


@pytest.mark.parametrize("noise", NOISE, ids=lambda one: type(one).__name__)
def test_profiles_fall_between_bounds_that_hold(noise) -> None:
    assert isinstance(noise, ProfiledNoise)
    assert isinstance(noise, LineNoise)
    assert isinstance(noise, BoundedSupport) is isinstance(noise, TruncatedLaplace)
    profile = noise.privacy_profile(SHIFT)
    bounds = [profile.log_delta(epsilon) for epsilon in np.linspace(0, 3, 13)]
    for bound in bounds:
        assert bound.lower <= bound.estimate <= bound.upper <= 0
    for first, second in itertools.pairwise(bounds):
        assert second.lower <= first.upper
    for bad in ([0.0, 0.0, 0.0], [1.0, 2.0], [math.nan, 0.0, 0.0], [math.inf, 0.0, 0.0]):
        with pytest.raises(ParameterError, match="shift"):
            noise.privacy_profile(bad)
    with pytest.raises(ParameterError, match="epsilon"):
        profile.log_delta(-1.0)


@pytest.mark.parametrize("noise", NOISE, ids=lambda one: type(one).__name__)
def test_the_worst_of_all_shifts_bounds_each(noise, rng) -> None:
    for shift in rng.normal(size=(6, 3)) * 0.6:
        reach = float(np.linalg.norm(shift, noise.norm)) * (1 + 1e-12)
        widest = float(np.abs(shift).max())
        for epsilon in (0.0, 0.5, 5.0):
            found = noise.privacy_profile(shift).log_delta(epsilon)
            assert found.lower <= noise.worst_log_delta(epsilon, reach, widest) + 1e-12


def direct(dim: int, reach: float, epsilon: float) -> mp.mpf:
    """ln delta of spherical Laplace noise by its definition: over losses, radii (gamma) and angles (beta)."""
    top, start, half = mp.mpf(reach), mp.mpf(epsilon), mp.mpf(dim - 1) / 2

    def above(loss: mp.mpf) -> mp.mpf:
        def density(radius: mp.mpf) -> mp.mpf:
            cosine = (top * top - loss * loss - 2 * radius * loss) / (2 * radius * top)
            share = mp.betainc(half, half, 0, (1 + max(-1, min(1, cosine))) / 2, regularized=True)
            return mp.exp((dim - 1) * mp.log(radius) - radius - mp.loggamma(dim)) * share

        kink = (top - loss) / 2
        return mp.quad(density, [mp.mpf(10) ** -20, kink, kink + dim, kink + 4 * dim + 30], maxdegree=4)

    return mp.log(mp.quad(lambda loss: mp.exp(start - loss) * above(loss), [start, top], maxdegree=3))


@pytest.mark.slow
@pytest.mark.parametrize(("dim", "reach", "epsilon"), [(2, 1.7, 0.3), (3, 4.0, 1.0), (6, 5.0, 3.0)])
def test_spherical_profile_against_its_definition(dim: int, reach: float, epsilon: float) -> None:
    with mp.workdps(15):
        exact = float(direct(dim, reach, epsilon))
    found = SphericalProfile(dim=dim, largest_loss=reach).log_delta(epsilon)
    assert found.lower - 1e-6 <= exact <= found.upper + 1e-6
    assert found.upper - found.lower < 1e-5
    assert found.estimate == pytest.approx(exact, abs=1e-6)


def one_integral(dim: int, reach: float, epsilon: float) -> float:
    """ln delta from the density of the loss, in 30 digits, normalized by its own integral."""
    top, start = mp.mpf(reach), mp.mpf(epsilon)
    order, ratio = (
        (mp.mpf(-1) / 2, mp.mpf(1)) if dim % 2 else (mp.mpf(0), mp.besselk(1, top / 2) / mp.besselk(0, top / 2))
    )
    while order < mp.mpf(dim) / 2 - 1:
        order += 1
        ratio = 4 * order / top + 1 / ratio
    k = 2 * top * (dim - 1) * ratio

    def density(t: mp.mpf) -> mp.mpf:
        wide = top * mp.sin(t)
        return (wide**dim + k * wide ** (dim - 2)) * mp.exp(top * mp.cos(t) / 2)

    def around_the_peak(f, stop: mp.mpf) -> mp.mpf:
        grid = [stop * i / 200 for i in range(201)]
        peak = max(grid[1:-1], key=f)
        near = {min(stop, max(mp.mpf(0), peak + stop * i / 400)) for i in range(-20, 21)}
        return mp.quad(f, sorted({mp.mpf(0), stop, *near}), maxdegree=4)

    gain = around_the_peak(lambda t: density(t) * -mp.expm1(start - top * mp.cos(t)), mp.acos(start / top))
    return float(mp.log(gain / around_the_peak(density, mp.pi)))


@pytest.mark.parametrize(
    ("dim", "reach", "epsilon"),
    [(2000, 1e4, 9500.0), (300, 8.0, 4.0), (300, 8.0, 7.9), (1000, 1e-3, 5e-4), (301, 50.0, 49.999999), (50, 4.0, 0.0)],
)
def test_spherical_profile_in_high_dimension(dim: int, reach: float, epsilon: float) -> None:
    with mp.workdps(30):
        exact = one_integral(dim, reach, epsilon)
    found = SphericalProfile(dim=dim, largest_loss=reach).log_delta(epsilon)
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 1e-3


def test_spherical_profile_at_the_ends_of_the_floats() -> None:
    for dim, reach, epsilon in [(2, 5e-324, 0.0), (3, 1e-310, 0.0), (10, 1e300, 1.0), (3, 1.0, 1 - 2.0**-53)]:
        found = SphericalProfile(dim=dim, largest_loss=reach).log_delta(epsilon)
        assert found.lower == -math.inf < found.upper <= 0
    assert SphericalProfile(dim=3, largest_loss=1.0).log_delta(1.0) == (-math.inf, -math.inf, -math.inf, 1.0)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 100.0, 1e4])
def test_gaussian_profile_below_the_floats(epsilon: float) -> None:
    noise = Gaussian(dim=2, sigma=2.0)
    found = noise.privacy_profile([3.0, 4.0]).log_delta(epsilon)
    with mp.workdps(60):
        center = mp.mpf(5) / 4
        low, high = center - 2 * mp.mpf(epsilon) / 5, -center - 2 * mp.mpf(epsilon) / 5
        # In the far tail Phi needs its complement.
        tail = [mp.erfc(-one / mp.sqrt(2)) / 2 for one in (low, high)]
        exact = mp.log(tail[0] - mp.exp(mp.mpf(epsilon)) * tail[1])
        assert found.lower <= exact <= found.upper
    assert found.upper - found.lower <= 1e-10 * max(1.0, abs(found.upper))
    assert noise.privacy_profile([3.0, 4.0]).largest_loss == math.inf
    assert noise.privacy_profile([3.0, 4.0]).log_delta(1e200).upper > -math.inf


@pytest.mark.parametrize("bound", [3.0, 800.0, 1e5])
def test_truncation_below_the_floats(bound: float) -> None:
    noise = TruncatedLaplace(dim=2, scale=1.0, bound=bound)
    profile = noise.privacy_profile([1.0, 0.25])
    with mp.workdps(60):

        def strip(width: mp.mpf) -> mp.mpf:
            return mp.expm1(width) * mp.exp(-mp.mpf(bound)) / (2 * -mp.expm1(-mp.mpf(bound)))

        with mp.extradps(60):
            exact = mp.log(strip(mp.mpf(1)) + strip(mp.mpf("0.25")) - strip(mp.mpf(1)) * strip(mp.mpf("0.25")))
        found = profile.log_outside
        assert found.lower <= exact <= found.upper
    assert profile.largest_loss == 1.25
    assert profile.log_delta(1.25) == profile.log_delta(9.0) == found


def test_many_coordinates_below_the_floats() -> None:
    """On the event that all coordinates lie on one side: 2^-1700 (1 - e^-beyond) at least, and little more."""
    profile = CoordinateLaplace(dim=1700, scale=1.0).privacy_profile(np.full(1700, 2.0**-10))
    assert profile.largest_loss == 1700 / 1024
    found = profile.log_delta(profile.largest_loss * (1 - 1e-6))
    least = -1700 * math.log(2) + math.log(-math.expm1(-1e-6 * profile.largest_loss))
    assert found.lower == pytest.approx(least, abs=1e-2)
    assert least <= found.upper <= math.log(1e-6 * profile.largest_loss) + 1e-3
    assert profile.log_delta(profile.largest_loss).upper == -math.inf


def test_largest_losses_are_the_least_floats_above(rng) -> None:
    for _ in range(50):
        shift, scale = rng.normal(size=7), float(rng.uniform(0.1, 3))
        exact = sum((Fraction(abs(one)) for one in shift.tolist()), Fraction(0)) / Fraction(scale)
        found = l1_over(shift, scale)
        assert Fraction(math.nextafter(found, 0.0)) < exact <= Fraction(found)
        square = Fraction(scale) ** 2 * sum((Fraction(one) ** 2 for one in shift.tolist()), Fraction(0))
        found = l2_times(shift, scale)
        assert Fraction(math.nextafter(found, 0.0)) ** 2 < square <= Fraction(found) ** 2
    assert l1_over(np.array([1e308, 1e308]), 0.5) == math.inf


@pytest.mark.parametrize("noise", NOISE[:2], ids=lambda one: type(one).__name__)
def test_tails_along_any_direction_against_draws(noise, rng) -> None:
    """Hoeffding at alpha 1e-6; a distance 5 % off must die."""
    direction = np.array([2.0, -1.0, 2.0]) / 3
    drawn = noise.sample(400_000, rng, np.float64) @ direction
    margin = math.sqrt(math.log(2e6) / (2 * len(drawn)))
    lower, upper = noise.log_tail(direction, np.array([0.5, 0.525]))
    assert (upper - lower < 1e-4).all()
    seen = (drawn > 0.5).mean()
    assert abs(seen - math.exp(upper[0])) < margin < abs(seen - math.exp(upper[1]))


def test_tails_along_an_axis_are_exact() -> None:
    axis, distance = np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 3.5])
    for noise in NOISE[2:]:
        assert noise.log_tail(np.array([0.6, 0.8, 0.0]), distance) is None
    found = NOISE[2].log_tail(axis, distance)
    np.testing.assert_allclose(found[0], -math.log(2) - distance / 0.7, rtol=1e-13)
    cut = NOISE[3].log_tail(axis, np.array([0.0, 3.5, 4.0, 5.0]))
    mass = (math.exp(-3.5 / 0.7) - math.exp(-4 / 0.7)) / (2 * -math.expm1(-4 / 0.7))
    np.testing.assert_allclose(cut[1][:2], [math.log(0.5), math.log(mass)], rtol=1e-12)
    assert (cut[1][2:] == -math.inf).all()
    line = SphericalLaplace(dim=1, rate=2.0).log_tail(np.ones(1), np.array([1.5]))
    np.testing.assert_allclose(line, -math.log(2) - 3.0, rtol=1e-13)
