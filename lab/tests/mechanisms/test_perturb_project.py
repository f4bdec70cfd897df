"""Perturb and project: calibration to exact diameters, fresh noise, post-processing that sees no input."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import chisquare, norm
from tests.helpers.catalog import CATALOG, taking
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.mechanisms.kinds import Channel, Mechanism
from textveil.privacy.composition import gaussian_delta
from textveil.privacy.guarantees import MetricDP, Status
from textveil.randomness import seeded_generator
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace
from textveil_lab.noise.truncation import truncated_delta

ALPHA = 1e-6

NOISY = [name for name, one in CATALOG.items() if one.family == "perturb and project" and not one.needs]

NEAREST = [
    name
    for name in NOISY
    if CATALOG[name].status is Status.PROVED and name not in ("vickrey", "brr", "hyperbolic-laplace")
]
"""Those that release the nearest word itself."""


def _diameters(vocabulary: Vocabulary, clip: float | None) -> dict[str, float]:
    points = vocabulary.vectors.astype(np.float64)
    if clip is not None:
        points = points * np.minimum(1, clip / np.linalg.norm(points, axis=1, keepdims=True))
    return {"l1": float(pdist(points, "cityblock").max()), "l2": float(pdist(points).max())}


@pytest.mark.parametrize("clip", [None, 1.0, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 8.0])
def test_noise_is_calibrated_to_the_exact_diameter_and_no_less(
    tiny: Vocabulary, epsilon: float, clip: float | None
) -> None:
    size = _diameters(tiny, clip)

    def distribution(name: str, **options: float) -> object:
        return mechanism(name, tiny, epsilon=epsilon, clip=clip, **options).distribution  # type: ignore[attr-defined]

    laplace = distribution("laplace")
    assert isinstance(laplace, CoordinateLaplace)
    assert size["l1"] / laplace.scale <= epsilon
    assert size["l1"] / laplace.scale == pytest.approx(epsilon, rel=1e-5)

    spherical = distribution("spherical-laplace")
    assert isinstance(spherical, SphericalLaplace)
    assert spherical.rate * size["l2"] <= epsilon
    assert spherical.rate * size["l2"] == pytest.approx(epsilon, rel=1e-5)

    gaussian = distribution("gaussian", delta=1e-6)
    assert isinstance(gaussian, Gaussian)
    assert gaussian_delta(epsilon, gaussian.sigma, size["l2"]) <= 1e-6

    truncated = distribution("truncated-laplace", delta=1e-6)
    assert isinstance(truncated, TruncatedLaplace)
    points = tiny.vectors.astype(np.float64)
    if clip is not None:
        points = points * np.minimum(1, clip / np.linalg.norm(points, axis=1, keepdims=True))
    shifts = points[:, None] - points[None]
    assert float(truncated_delta(shifts, truncated.scale, truncated.bound).max()) <= 1e-6


def test_the_published_truncation_does_not_keep_its_claim(tiny: Vocabulary) -> None:
    made = mechanism("truncated-laplace-published", tiny, epsilon=1.0)
    assert made.guarantee.status is Status.REFUTED
    distribution = made.distribution  # type: ignore[attr-defined]
    points = made.points.astype(np.float64)  # type: ignore[attr-defined]
    worst = float(truncated_delta(points[:, None] - points[None], distribution.scale, distribution.bound).max())
    assert worst > 1000 * made.guarantee.delta  # type: ignore[union-attr]


def test_the_published_form_meets_the_paper_in_one_dimension() -> None:
    line = Vocabulary(["a", "b", "c"], np.array([[0.5], [2.0], [-3.0]], dtype=np.float32), "line")
    made = mechanism("truncated-laplace-published", line, epsilon=0.1)
    assert made.guarantee.status is Status.CLAIMED
    distribution = made.distribution  # type: ignore[attr-defined]
    assert float(truncated_delta(np.array([2.0]), distribution.scale, distribution.bound)) <= made.guarantee.delta  # type: ignore[union-attr]


def test_dummy_dimensions_are_added_for_a_large_epsilon(tiny: Vocabulary) -> None:
    made = mechanism("truncated-laplace-published", tiny, epsilon=10.0)
    assert made.parameters["noise_dim"] == 401
    assert made.distribution.dim == 8  # type: ignore[attr-defined]
    assert mechanism("truncated-laplace-published", tiny, epsilon=10.0, noise_dim=500).parameters["noise_dim"] == 500


@pytest.mark.parametrize("name", NOISY)
def test_it_is_a_mechanism_and_no_channel(tiny: Vocabulary, name: str) -> None:
    made = mechanism(name, tiny, epsilon=1.0)
    assert isinstance(made, Mechanism)
    assert not isinstance(made, Channel)
    assert made.vocabulary is tiny


@pytest.mark.parametrize("name", NOISY)
def test_every_token_has_noise_of_its_own(tiny: Vocabulary, name: str, rng) -> None:
    """One vector broadcast over a batch would give one output; random state that repeats, equal batches."""
    made = mechanism(name, tiny, epsilon=1.0)
    first = made.privatize(np.full(300, 5), rng)
    second = made.privatize(np.full(300, 5), rng)
    assert len(np.unique(first)) > 5
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", sorted({*taking(5000.0)} & {*NEAREST}))
def test_with_next_to_no_privacy_words_stay(tiny: Vocabulary, name: str, rng) -> None:
    ids = np.arange(40)
    np.testing.assert_array_equal(mechanism(name, tiny, epsilon=5000.0).privatize(ids, rng), ids)


def test_outputs_follow_the_distribution_on_a_line_and_a_mutant_is_noticed(rng) -> None:
    """In one dimension the cells of the words are intervals, so the output distribution is exact."""
    points = np.array([-1.0, -0.2, 0.4, 1.0])
    line = Vocabulary(list("abcd"), points[:, None].astype(np.float32), "line")
    made = mechanism("gaussian", line, epsilon=1.0, delta=1e-3, clip=None)
    sigma = made.distribution.sigma  # type: ignore[attr-defined]
    draws = 200_000
    counts = np.bincount(made.privatize(np.full(draws, 1), rng), minlength=4)
    edges = np.concatenate([[-np.inf], (points[1:] + points[:-1]) / 2, [np.inf]])

    def distribution(spread: float) -> np.ndarray:
        return np.diff(norm.cdf(edges, loc=points[1], scale=spread))

    assert chisquare(counts, distribution(sigma) * draws).pvalue > ALPHA
    assert chisquare(counts, distribution(sigma * 0.9) * draws).pvalue < ALPHA


def test_metric_parameters(tiny: Vocabulary) -> None:
    by_rate = mechanism("spherical-laplace", tiny, epsilon_per_distance=7.0, clip=None)
    assert isinstance(by_rate.guarantee, MetricDP)
    assert by_rate.guarantee.epsilon_per_distance == 7.0
    assert by_rate.guarantee.metric == "euclidean"
    assert by_rate.distribution.rate == 7.0  # type: ignore[attr-defined]
    by_epsilon = mechanism("spherical-laplace", tiny, epsilon=3.0)
    assert by_epsilon.guarantee.pure().epsilon <= 3.0
    assert by_epsilon.guarantee.pure().epsilon == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"epsilon": math.nan}, "epsilon must be"),
        ({"epsilon": math.inf}, "epsilon must be"),
        ({"epsilon": 1.0, "clip": 0.0}, "clip must be"),
        ({"epsilon": 1.0, "clip": math.nan}, "clip must be"),
        ({"epsilon": 1.0, "rank_constant": 0.0}, "rank_constant must be"),
    ],
)
@pytest.mark.parametrize("name", NOISY)
def test_options_have_domains(tiny: Vocabulary, name: str, options: dict[str, float], message: str) -> None:
    if not options.keys() <= CATALOG[name].options().keys():
        pytest.skip("the mechanism has no such option")
    with pytest.raises(ParameterError, match=message):
        mechanism(name, tiny, **options)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-5, math.nan])
@pytest.mark.parametrize("name", [name for name in NOISY if "delta" in CATALOG[name].options()])
def test_delta_has_a_domain(tiny: Vocabulary, name: str, delta: float) -> None:
    with pytest.raises(ParameterError, match="delta must be"):
        mechanism(name, tiny, epsilon=1.0, delta=delta)


def test_the_classical_gaussian_is_refused_above_one(tiny: Vocabulary) -> None:
    mechanism("gaussian", tiny, epsilon=1.0, calibration="classical")
    with pytest.raises(ParameterError, match="analytic"):
        mechanism("gaussian", tiny, epsilon=1.5, calibration="classical")
    with pytest.raises(ParameterError, match="calibration must be"):
        mechanism("gaussian", tiny, epsilon=1.0, calibration="other")


def test_resampled_ranks_follow_their_distribution_around_the_nearest_word(rng) -> None:
    """Noise that never leaves the word's cell: ranks are then those of the word's own neighbors."""
    vocabulary = made_vocabulary(60)
    made = mechanism("spherical-laplace", vocabulary, epsilon_per_distance=1e7, rank_constant=3e-8, clip=None)
    decay, word, draws = 0.3, 17, 120_000
    drawn = made.privatize(np.full(draws, word), rng)
    rows = vocabulary.vectors.astype(np.float64)
    order = np.argsort(np.linalg.norm(rows - rows[word], axis=1), kind="stable")
    counts = np.bincount(np.argsort(order)[drawn], minlength=60)

    def distribution(rate: float) -> np.ndarray:
        weights = np.exp(-rate * np.arange(60))
        return weights / weights.sum()

    pooled = np.append(counts[:20], counts[20:].sum())
    for rate, holds in ((decay, True), (decay * 1.05, False)):
        expected = np.append(distribution(rate)[:20], distribution(rate)[20:].sum()) * draws
        assert bool(chisquare(pooled, expected).pvalue > ALPHA) is holds


def test_resampling_sees_the_nearest_word_and_never_the_input(rng) -> None:
    """Two inputs whose noise lands on one word get one distribution: the regression test of selection on the truth."""
    vocabulary = made_vocabulary(50)
    made = mechanism("spherical-laplace", vocabulary, epsilon=1.0, rank_constant=0.5)
    landed = np.full(4000, 9)
    twin = np.random.default_rng(5)
    first = made.resampling(landed, np.random.default_rng(5))  # type: ignore[attr-defined]
    np.testing.assert_array_equal(first, made.resampling(landed, twin))  # type: ignore[attr-defined]
    assert "ids" in made.resampling.__call__.__annotations__  # type: ignore[attr-defined]
    assert set(made.resampling.__call__.__annotations__) == {"ids", "rng", "return"}  # type: ignore[attr-defined]


def test_rank_0_is_the_word_itself_even_beside_a_twin(rng) -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 3.0]], dtype=np.float32)
    twins = Vocabulary(list("abcd"), vectors, "twins")
    resampling = mechanism("spherical-laplace", twins, epsilon=1.0, rank_constant=1.0).resampling  # type: ignore[attr-defined]
    drawn = resampling(np.full(30_000, 2), rng)
    ranks = resampling.ranks(300_000, rng)
    assert np.mean(drawn == 2) == pytest.approx(np.mean(ranks == 0), abs=0.02)
    assert np.mean(drawn == 3) == pytest.approx(np.mean(ranks == 3), abs=0.02)


def test_noise_is_added_in_double_precision_and_rounded_once(tiny: Vocabulary, rng: np.random.Generator) -> None:
    """So the search's float32 is a function of the noisy vector: rounding before the sum would not be."""
    made = mechanism("laplace", tiny, epsilon=0.01)
    assert isinstance(made, PerturbProject)
    asked: list[np.ndarray] = []

    def search(points: np.ndarray) -> np.ndarray:
        asked.append(points)
        return np.zeros(len(points), dtype=np.int64)

    ids = rng.integers(0, len(tiny), 3000)
    replace(made, projection=search).privatize(ids, seeded_generator(4))  # type: ignore[arg-type]
    noise = made.distribution.sample(3000, seeded_generator(4), np.float64)
    wanted = (noise + made.points[ids]).astype(np.float32)
    np.testing.assert_array_equal(asked[0], wanted)
    assert not np.array_equal(wanted, noise.astype(np.float32) + made.points[ids])


def test_noise_that_float32_cannot_hold_is_refused_in_one_line(tiny: Vocabulary) -> None:
    made = replace(mechanism("gaussian", tiny, epsilon=1.0, delta=1e-5), distribution=Gaussian(dim=8, sigma=1e38))  # type: ignore[type-var]
    with pytest.raises(ParameterError, match="sigma must be within"):
        made.privatize(np.zeros(3, dtype=np.int64))  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["spherical-laplace", "vickrey", "vickrey-published", "earth-mover", "mahalanobis"])
def test_vectors_too_long_for_float32_are_refused_with_what_is_admissible(name: str) -> None:
    vectors = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    words = [f"w{one}" for one in range(9)]
    with pytest.raises(ParameterError, match=r"^vectors must be of norms up to 1e\+15; got a norm of .*e\+30. Rescale"):
        mechanism(name, Vocabulary(words, vectors * 1e30, "long"), clip=None)
    assert mechanism(name, Vocabulary(words, vectors * 1e14, "less long"), clip=None).name == name
