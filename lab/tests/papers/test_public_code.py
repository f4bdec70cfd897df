"""The public code's noises: each as that code draws it, and what it then guarantees."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import bernoulli, expon, truncexpon
from tests.helpers.exactness import p_value

from textveil.errors import ParameterError, UnknownNameError
from textveil.privacy.composition import gaussian_delta
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.papers.truncated_laplace.public_code import CLIP, PUBLIC_CODE, public_noise
from textveil_lab.papers.truncated_laplace.public_noises import (
    BatchMahalanobis,
    OneSidedTruncatedLaplace,
    SharedNoise,
    ThereAndBack,
    second_moment,
)

ALPHA = 1e-6
TABLE = np.random.default_rng(2).normal(0, 0.4, size=(50, 300)).astype(np.float32)


@pytest.mark.parametrize("name", PUBLIC_CODE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_noise_has_rows_and_the_size_that_it_states(name: str, dtype: type, rng: np.random.Generator) -> None:
    noise = public_noise(name, 2.0, TABLE)
    assert noise.dim == 300
    tokens = 400
    drawn = noise.sample(tokens, rng, dtype)  # type: ignore[arg-type]
    assert (drawn.shape, drawn.dtype) == ((tokens, 300), dtype)
    # The mean of 400 squared norms is within a tenth of its mean: six standard errors and more for each of them.
    assert np.square(drawn).sum(axis=1).mean() == pytest.approx(noise.size(tokens) ** 2, rel=0.1)
    # In single precision two of 80,000 pairs of numbers are equal once in some 300 runs; five are so by no chance.
    assert len(np.unique(drawn[:, 0])) > tokens - 5
    assert noise.sample(0, rng).shape == (0, 300)


def test_one_vector_a_batch_is_what_all_but_mahalanobis_add() -> None:
    shared = {name: public_noise(name, 1.0, TABLE).one_vector_a_batch for name in PUBLIC_CODE}
    assert [name for name, one in shared.items() if not one] == ["mahalanobis"]


def test_the_sign_of_the_truncated_noise_is_a_constant(rng: np.random.Generator) -> None:
    """bernoulli.rvs(1, 0.5, n) reads (p=1, loc=0.5): the code's sign never is -1, and no noise is negative."""
    assert set((2 * bernoulli.rvs(1, 0.5, 1000, random_state=rng) - 1).tolist()) == {1}
    noise = public_noise("truncated-laplace", 0.5, TABLE)
    assert isinstance(noise, OneSidedTruncatedLaplace)
    drawn = noise.sample(200, rng, np.float64)
    assert 0 <= drawn.min() <= drawn.max() <= noise.bound
    scale = 2 * CLIP * math.sqrt(300) / 0.5
    assert noise.bound == pytest.approx(-scale * math.log(1 - 2 * 0.5 / math.sqrt(300)))
    assert p_value(drawn, truncexpon(noise.bound / scale, scale=scale).cdf) > ALPHA
    assert p_value(drawn, expon(scale=noise.bound / 2).cdf) < ALPHA


@pytest.mark.parametrize(("epsilon", "dimension"), [(0.05, 300), (8.0, 300), (10.0, 500), (20.0, 1700)])
def test_the_formula_of_the_truncated_noise_takes_more_dimensions_where_it_must(epsilon: float, dimension: int) -> None:
    noise = public_noise("truncated-laplace", epsilon, TABLE)
    assert isinstance(noise, OneSidedTruncatedLaplace)
    assert noise.dim == 300
    assert noise.scale == pytest.approx(2 * CLIP * math.sqrt(dimension) / epsilon)


def test_truncated_noise_is_tiny_beside_the_others_where_epsilon_is_small() -> None:
    """Why its loss is near the non-private one: A stays near 4 C, while the others grow with 1 / epsilon."""
    sizes = {name: public_noise(name, 0.05, TABLE).size(1) for name in ("truncated-laplace", "gaussian", "laplace")}
    assert sizes["truncated-laplace"] < 4.05 * CLIP * math.sqrt(300)
    assert sizes["gaussian"] == pytest.approx(60.0)
    assert sizes["laplace"] == pytest.approx(60.0 * math.sqrt(2))


def test_equal_words_stay_equal_under_one_vector_a_batch(rng: np.random.Generator) -> None:
    """The event that refutes them: tokens 0 and 1 come out equal, surely for "w w" and never for "w v"."""
    for name in PUBLIC_CODE:
        noise = public_noise(name, 1.0, TABLE)
        for words, equal in (([3, 3], True), ([3, 4], False)):
            if isinstance(noise, ThereAndBack):
                first, second = noise.perturb(TABLE[words], rng)
            else:
                added = noise.sample(1 if noise.one_vector_a_batch else 2, rng)
                first, second = TABLE[words] + added
            assert bool(np.array_equal(first, second)) is (equal and noise.one_vector_a_batch)


@pytest.mark.parametrize("shift", [[0.6, -0.2], [-0.7, -0.5], [0.0, 0.9], [0.3, 0.0]])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.1])
def test_delta_of_one_sided_noise_against_a_sum_over_the_plane(shift: list[float], epsilon: float) -> None:
    noise = OneSidedTruncatedLaplace(dim=2, scale=0.8, bound=1.5)

    def density(points: np.ndarray) -> np.ndarray:
        inside = ((points >= 0) & (points <= 1.5)).all(axis=-1)
        peak = 1 / (0.8 * -math.expm1(-1.5 / 0.8))
        return np.where(inside, peak**2 * np.exp(-points.sum(axis=-1) / 0.8), 0.0)

    cells = 800
    axis = (np.arange(cells) + 0.5) / cells * 1.5
    plane = np.stack(np.meshgrid(axis, axis), axis=-1)
    found = [
        np.maximum(density(plane) - math.exp(epsilon) * density(plane - sign * np.array(shift)), 0).sum()
        for sign in (1, -1)
    ]
    assert noise.delta(shift, epsilon) == pytest.approx(max(found) * (1.5 / cells) ** 2, abs=4e-3)


def test_words_that_differ_by_more_than_the_bound_share_no_output() -> None:
    noise = public_noise("truncated-laplace", 1.0, TABLE)
    assert isinstance(noise, OneSidedTruncatedLaplace)
    pairs = itertools.combinations(TABLE[:6].astype(np.float64), 2)
    assert all(noise.delta(a - b, 100.0) == 1.0 for a, b in pairs)
    assert noise.delta(np.eye(300)[0] * noise.bound * 0.5, 1.0) < 0.9


def test_delta_of_one_token_is_that_of_its_distribution() -> None:
    gaussian = public_noise("gaussian", 2.0, TABLE)
    assert isinstance(gaussian, SharedNoise)
    shift = TABLE[0].astype(np.float64) - TABLE[1]
    sigma = 2 * CLIP * math.sqrt(300) / 2.0
    assert gaussian.delta(shift, 2.0) == pytest.approx(gaussian_delta(2.0, sigma, float(np.linalg.norm(shift))))
    assert gaussian.delta(shift, 2.0) > 0.999
    cmp_noise = public_noise("spherical-laplace", 2.0, TABLE)
    assert isinstance(cmp_noise, SharedNoise)
    assert cmp_noise.distribution == SphericalLaplace(dim=300, rate=2.0)
    assert cmp_noise.delta(shift, 2.0 * float(np.linalg.norm(shift)) * (1 + 1e-9)) == 0.0


def test_mahalanobis_noise_has_unit_columns_and_shrinks_with_the_batch(rng: np.random.Generator) -> None:
    noise = BatchMahalanobis(second_moment=np.zeros((3, 3)), rate=1.0, weight=0.0)
    assert noise.size(1) == pytest.approx(10 * noise.size(100))
    alone = np.abs(noise.sample(1, rng, np.float64))
    assert np.allclose(alone, alone[0, 0])  # on the lines of signs: a batch of one hides nothing across them
    vectors = rng.normal(size=(5, 4))
    assert np.allclose(second_moment(vectors), sum(np.outer(row, row) for row in vectors) / 5)


def test_there_and_back_shrinks_the_vector(rng: np.random.Generator) -> None:
    noise = public_noise("pte", 1.0, TABLE)
    assert isinstance(noise, ThereAndBack)
    assert noise.projected == 149
    quiet = ThereAndBack(dim=300, rate=1e9, projected=149)
    back = np.mean([quiet.perturb(TABLE[:1], rng)[0] for _ in range(200)], axis=0)
    # The component along the vector has mean ||x|| / 149, with a relative error near 1 % after 200 batches.
    along = float(back @ TABLE[0]) / float(TABLE[0] @ TABLE[0])
    assert along == pytest.approx(1 / 149, rel=0.1)


def test_bad_input_is_named() -> None:
    with pytest.raises(UnknownNameError, match="name must be one of gaussian"):
        public_noise("vickrey", 1.0, TABLE)
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0"):
        public_noise("laplace", 0.0, TABLE)
    with pytest.raises(ParameterError, match=r"epsilon must be < 20.6"):
        public_noise("truncated-laplace", 25.0, TABLE)
    with pytest.raises(ParameterError, match="second_moment must be of shape"):
        BatchMahalanobis(second_moment=np.zeros((3, 2)), rate=1.0)
    with pytest.raises(ParameterError, match="shift must be"):
        OneSidedTruncatedLaplace(dim=2, scale=1.0, bound=1.0).delta([0.0, 0.0], 1.0)
