"""Elliptical Laplace noise: spherical noise in coordinates of its own, by sums over the plane and by draws."""

import math
import pickle

import numpy as np
import pytest
from scipy.stats import gamma
from tests.helpers.exactness import p_value

from textveil.errors import ParameterError
from textveil_lab.noise.distribution import LineNoise, OwnCoordinates, PairwiseDensity, ProfiledNoise
from textveil_lab.noise.elliptical_laplace import EllipticalLaplace
from textveil_lab.noise.spherical_laplace import SphericalLaplace

ALPHA = 1e-6
ROOT = np.array([[1.0, 0.3], [0.3, 0.7]])
NOISE = EllipticalLaplace(root=ROOT, rate=2.0)
STEP = 0.04
PLANE = np.stack(np.meshgrid(*[np.arange(-14, 14, STEP)] * 2), axis=-1).reshape(-1, 2)


def test_it_offers_what_audits_ask_for() -> None:
    assert isinstance(NOISE, ProfiledNoise)
    assert isinstance(NOISE, LineNoise)
    assert isinstance(NOISE, OwnCoordinates)
    assert (NOISE.dim, NOISE.norm) == (2, 2)


def test_densities_of_many_differences_are_those_of_each(rng: np.random.Generator) -> None:
    assert isinstance(NOISE, PairwiseDensity)
    points, centers = rng.normal(size=(5, 2)), rng.normal(size=(8, 2))
    expected = np.stack([NOISE.log_density(one - centers) for one in points])
    np.testing.assert_allclose(NOISE.log_densities(points, centers), expected, rtol=1e-12)


def test_the_density_integrates_to_one_and_has_the_variance() -> None:
    density = np.exp(NOISE.log_density(PLANE)) * STEP**2
    assert density.sum() == pytest.approx(1.0, abs=1e-3)
    assert (density[:, None] * PLANE**2).sum() / 2 == pytest.approx(NOISE.variance, rel=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_draws_have_gamma_norms_and_a_uniform_direction_in_own_coordinates(
    dtype: type, rng: np.random.Generator
) -> None:
    drawn = NOISE.sample(60_000, rng, dtype)  # type: ignore[arg-type]
    assert (drawn.shape, drawn.dtype) == ((60_000, 2), dtype)
    own = NOISE.coordinates(drawn)
    norms = np.linalg.norm(own, axis=1)
    angles = (np.arctan2(own[:, 1], own[:, 0]) / (2 * np.pi)) % 1
    assert p_value(norms, gamma(2, scale=1 / 2.0).cdf) > ALPHA
    assert p_value(norms, gamma(2, scale=1 / 2.1).cdf) < ALPHA
    assert p_value(angles, lambda x: np.clip(x, 0, 1)) > ALPHA
    # The mutant: a direction that is normalized after the root was applied is not uniform in own coordinates.
    wrong = rng.standard_normal((60_000, 2)) @ ROOT
    wrong /= np.linalg.norm(wrong, axis=1, keepdims=True)
    turned = (np.arctan2(*(wrong @ np.eye(2)).T[::-1]) / (2 * np.pi)) % 1
    assert p_value(turned, lambda x: np.clip(x, 0, 1)) < ALPHA


@pytest.mark.parametrize("shift", [[0.8, -0.5], [0.1, 0.9]])
def test_losses_are_bounded_by_the_distance_and_delta_is_the_profile(shift: list[float]) -> None:
    first, second = NOISE.log_density(PLANE), NOISE.log_density(PLANE - np.array(shift))
    distance = 2.0 * float(np.linalg.norm(np.linalg.solve(ROOT, shift)))
    assert (first - second).max() <= distance * (1 + 1e-12)
    assert (first - second).max() > 0.999 * distance
    profile = NOISE.privacy_profile(shift)
    assert profile.largest_loss == pytest.approx(distance, rel=1e-7)
    assert profile.largest_loss >= distance
    for epsilon in (0.0, 0.7, 1.5):
        exact = np.maximum(np.exp(first) - math.exp(epsilon) * np.exp(second), 0).sum() * STEP**2
        assert math.exp(profile.log_delta(epsilon).estimate) == pytest.approx(exact, abs=1e-3)
        assert NOISE.worst_log_delta(epsilon, distance / 2.0, 1.0) == pytest.approx(
            profile.log_delta(epsilon).upper, abs=1e-5
        )


def test_a_direction_normalized_after_the_root_has_no_bound_per_distance() -> None:
    """Density g(direction) exp(-rate r), g of the normalized S u: at the origin a tiny shift costs ln of g's range."""
    inverse = np.linalg.inv(ROOT)

    def log_density(z: np.ndarray) -> np.ndarray:
        lengths = np.linalg.norm(z, axis=1)
        own = np.linalg.norm(z / lengths[:, None] @ inverse, axis=1)
        return -2 * np.log(own) - 2.0 * lengths  # the direction's density on the circle is 1 / own^2

    tiny = 1e-9
    values, directions = np.linalg.eigh(ROOT)
    near = np.array([directions[:, 1] * tiny, directions[:, 0] * tiny])
    loss = float(np.diff(log_density(near))[0])
    assert abs(loss) == pytest.approx(2 * math.log(values[1] / values[0]), rel=1e-6)
    assert abs(loss) > 1e6 * 2.0 * 2 * tiny / values[0]


def test_tails_along_a_direction_against_draws(rng: np.random.Generator) -> None:
    """Hoeffding at alpha 1e-6."""
    direction = np.array([0.6, 0.8])
    lower, upper = NOISE.log_tail(direction, np.array([0.9, 2.0])) or (np.zeros(2), np.zeros(2))
    products = NOISE.sample(100_000, rng, np.float64) @ direction
    margin = math.sqrt(math.log(2e6) / (2 * 100_000))
    for at, low, high in zip((0.9, 2.0), lower, upper, strict=True):
        assert math.exp(low) - margin < (products > at).mean() < math.exp(high) + margin


def test_with_the_identity_as_root_it_is_spherical() -> None:
    plain = EllipticalLaplace(root=np.eye(3), rate=1.5)
    spherical = SphericalLaplace(dim=3, rate=1.5)
    points = np.random.default_rng(1).normal(size=(20, 3))
    np.testing.assert_allclose(plain.log_density(points), spherical.log_density(points), rtol=1e-12)
    np.testing.assert_array_equal(
        plain.sample(5, np.random.default_rng(3)), spherical.sample(5, np.random.default_rng(3))
    )
    assert plain.variance == pytest.approx(spherical.variance)


def test_it_is_frozen_and_pickled_whole() -> None:
    again = pickle.loads(pickle.dumps(NOISE))
    np.testing.assert_array_equal(again.sample(4, np.random.default_rng(0)), NOISE.sample(4, np.random.default_rng(0)))
    with pytest.raises(ValueError, match="read-only"):
        NOISE.root[0, 0] = 2.0


@pytest.mark.parametrize(
    ("root", "rate", "message"),
    [
        (np.ones((2, 3)), 1.0, "root must be a finite matrix"),
        (np.array([[math.nan]]), 1.0, "root must be a finite matrix"),
        (np.ones((2, 2)), 1.0, "root must be invertible"),
        (np.diag([1.0, 1e-300]) @ np.array([[1, 1], [1, 1 + 1e-15]]), 1.0, "root must be invertible"),
        (np.eye(2), 0.0, "rate must be finite and > 0"),
        (np.eye(2), math.inf, "rate must be finite and > 0"),
    ],
)
def test_parameters_have_domains(root: np.ndarray, rate: float, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        EllipticalLaplace(root=root, rate=rate)


def test_a_root_whose_inverse_does_not_give_lengths_is_refused() -> None:
    # Badly scaled columns: root @ inverse is 1 to all digits, inverse @ root is not, and that one bounds lengths.
    root = np.random.default_rng(0).normal(size=(4, 4)) * 10.0 ** np.array([-8.0, 8.0, -7.0, 6.0])
    inverse = np.linalg.inv(root)
    assert np.linalg.norm(root @ inverse - np.eye(4)) < 2.0**-40
    assert np.linalg.norm(inverse @ root - np.eye(4)) > 2.0**-20
    with pytest.raises(ParameterError, match="invertible"):
        EllipticalLaplace(root=root, rate=1.0)
