"""Hyperbolic mechanisms: distances, the exact sampler against quadrature, the profile, and the exact channel."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from tests.helpers.exactness import p_value, worst_integer_ratio
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.privacy.guarantees import MetricDP
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import audit_states
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.mechanisms.additive.hyperbolic_laplace import HyperbolicResponse
from textveil_lab.noise.hyperbolic_laplace import HyperbolicLaplace, HyperbolicProfile
from textveil_lab.vocabulary.hyperbolic import (
    distances,
    farthest_points,
    least_distance,
    on_hyperboloid,
    popularity_points,
    rounding,
)

ALPHA = 1e-6


def in_ball(count: int, dim: int, rng: np.random.Generator) -> np.ndarray:
    directions = rng.normal(size=(count, dim))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True) * rng.random(count)[:, None] * 0.95


def ball_vocabulary(count: int = 12, dim: int = 3) -> Vocabulary:
    points = in_ball(count, dim, np.random.default_rng(2)).astype(np.float32)
    return Vocabulary([f"w{chr(97 + i)}" for i in range(count)], points, "ball")


def test_distances_are_those_of_the_hyperboloid_and_obey_the_triangle(rng) -> None:
    points = in_ball(40, 3, rng)
    found = distances(points, np.arange(40))
    lifted = on_hyperboloid(points)
    products = lifted[:, :1] * lifted[:, 0] - lifted[:, 1:] @ lifted[:, 1:].T
    np.testing.assert_allclose(np.cosh(found), products, rtol=1e-9)
    np.testing.assert_allclose(lifted[:, 0] ** 2 - (lifted[:, 1:] ** 2).sum(axis=1), 1.0, rtol=1e-9)
    assert (found[:, :, None] <= found[:, None, :] + found.T[None] + 1e-9).all()
    far = farthest_points(points)
    assert far.distance == found[far.first, far.second]
    assert np.minimum(found, found.T).max() <= far.distance <= found.max()  # the last bit hangs on the order of two
    off = found[~np.eye(40, dtype=bool)]
    assert least_distance(points) <= off.min()
    assert rounding(points, far.distance) < 1e-10


def test_the_diameter_is_exact_across_blocks(rng, monkeypatch) -> None:
    monkeypatch.setattr("textveil_lab.vocabulary.hyperbolic._BLOCK", 7)
    points = in_ball(60, 2, rng)
    found = distances(points, np.arange(60))
    assert np.minimum(found, found.T).max() <= farthest_points(points).distance <= found.max()


def test_made_points_have_the_frequent_words_within(tiny: Vocabulary) -> None:
    points = popularity_points(tiny, 3, 2.0)
    radii = 2 * np.arctanh(np.linalg.norm(points, axis=1))
    assert radii[0] == 0 and radii[-1] == pytest.approx(2.0)
    assert (np.diff(radii) > 0).all()
    np.testing.assert_array_equal(points, popularity_points(tiny, 3, 2.0))


@pytest.mark.parametrize(("dim", "rate"), [(2, 1.2), (2, 4.0), (3, 2.5), (8, 30.0)])
def test_the_density_integrates_to_one_and_radii_follow_it(dim: int, rate: float, rng) -> None:
    """Massart's bound at alpha 1e-6; the mutant has the Euclidean radius of the same rate."""
    noise = HyperbolicLaplace(dim=dim, rate=rate)
    surface = 2 * math.pi ** (dim / 2) / math.gamma(dim / 2)

    def radial(r: float) -> float:
        return surface * math.sinh(r) ** (dim - 1) * math.exp(float(noise.log_density(np.array(r))))

    end = 60 / (rate - dim + 1)
    parts = [0, 0.5, 2, 6, 20, 60, 300, end]
    edges = [one for one in parts if one < min(end, 600)] + [min(end, 600)]
    total = sum(quad(radial, a, b, epsabs=1e-12, limit=200)[0] for a, b in itertools.pairwise(edges))
    assert total == pytest.approx(1.0, abs=1e-8)
    draws = noise.radii(30_000, rng)
    grid = np.linspace(0, min(end, 300.0), 12_000)
    heights = np.array([radial(one) for one in grid])
    sums = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2 * np.diff(grid))])
    assert p_value(draws, lambda r: np.interp(r, grid, sums / max(1.0, sums[-1]))) > ALPHA
    euclidean = rng.gamma(dim, 1 / rate, 30_000)
    assert p_value(euclidean, lambda r: np.interp(r, grid, sums / max(1.0, sums[-1]))) < ALPHA


def test_noisy_points_have_those_distances_from_their_word_and_every_direction(rng) -> None:
    """The boost is an isometry: distances from x are the radii, whatever x is. Hoeffding at alpha 1e-6."""
    noise = HyperbolicLaplace(dim=3, rate=4.0)
    places = on_hyperboloid(np.repeat(in_ball(1, 3, rng), 20_000, axis=0))
    seed = 7
    found = noise.sample(places, np.random.default_rng(seed))
    found /= np.sqrt(found[:, :1] ** 2 - (found[:, 1:] ** 2).sum(axis=1, keepdims=True))
    measured = np.arccosh(found[:, 0] * places[:, 0] - (found[:, 1:] * places[:, 1:]).sum(axis=1))
    origin = np.repeat(np.array([[1.0, 0, 0, 0]]), 20_000, axis=0)
    same = noise.sample(origin, np.random.default_rng(seed))
    radii = np.arctanh(np.linalg.norm(same[:, 1:], axis=1) / same[:, 0])
    np.testing.assert_allclose(measured, radii, rtol=1e-5, atol=1e-6)
    units = same[:, 1:] / np.linalg.norm(same[:, 1:], axis=1, keepdims=True)
    assert np.abs(units.mean(axis=0)).max() < math.sqrt(2 * math.log(6e6) / 20_000)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.5])
def test_the_profile_is_the_integral_over_the_plane(epsilon: float) -> None:
    noise, apart = HyperbolicLaplace(dim=2, rate=2.0), 1.2

    def excess(turn: float, r: float) -> float:
        there = math.cosh(apart) * math.cosh(r) - math.sinh(apart) * math.sinh(r) * math.cos(turn)
        loss = noise.rate * (math.acosh(max(1.0, there)) - r)
        density = math.exp(float(noise.log_density(np.array(r)))) * math.sinh(r)
        return 2 * density * max(0.0, 1 - math.exp(epsilon - loss))

    delta = dblquad(excess, 0, 25, 0, math.pi, epsabs=1e-6)[0]
    found = HyperbolicProfile(noise=noise, distance=apart).log_delta(epsilon)
    assert found.lower - 1e-4 <= math.log(delta) <= found.upper + 1e-4
    assert found.upper - found.lower < 0.05
    wider = HyperbolicProfile(noise=noise, distance=1.5).log_delta(epsilon)
    assert wider.upper > found.upper
    top = HyperbolicProfile(noise=noise, distance=apart).largest_loss
    assert HyperbolicProfile(noise=noise, distance=apart).log_delta(top).upper == -math.inf


@pytest.mark.parametrize("options", [{"epsilon": 0.5}, {"epsilon": 8.0, "hyperbolic_dim": 4}, {"epsilon": 30.0}])
def test_audits_prove_the_noise_and_refute_a_fifth_less(tiny: Vocabulary, options: dict[str, float]) -> None:
    found = mechanism("hyperbolic-laplace", tiny, **options)
    assert isinstance(found, HyperbolicResponse)
    assert found.noise.rate > found.noise.dim - 1
    assert found.guarantee.worst_case().epsilon <= options["epsilon"]
    assert audit_states(found).verdict is Verdict.PROVED
    assert audit_states(found, Claim(epsilon=options["epsilon"] / 1.2)).verdict is Verdict.REFUTED


def test_sampled_outputs_keep_the_guarantee_of_a_pair(rng) -> None:
    """Clopper-Pearson is not needed: the margin is Hoeffding's at alpha 1e-6 on both frequencies."""
    vocabulary, draws = made_vocabulary(5, 3), 40_000
    found = mechanism("hyperbolic-laplace", vocabulary, epsilon=4.0)
    assert isinstance(found, HyperbolicResponse)
    gaps = distances(found.points.ball, np.arange(5))
    margin = math.sqrt(math.log(4e6) / (2 * draws))
    shares = np.stack([np.bincount(found.privatize(np.full(draws, one), rng), minlength=5) for one in range(5)]) / draws
    for one, other in itertools.permutations(range(5), 2):
        bound = math.exp(found.noise.rate * gaps[one, other]) * (shares[other] + margin)
        assert (shares[one] - margin <= bound).all()
    assert (np.diag(shares) == shares.max(axis=1)).sum() >= 3


def test_the_exponential_form_keeps_epsilon_in_its_very_integers(tiny: Vocabulary) -> None:
    for epsilon in (0.2, 3.0, 12.0):
        found = mechanism("hyperbolic-exponential", tiny, epsilon=epsilon)
        assert isinstance(found, IntegerChannel)
        weights = found.integer_weights(np.arange(40))
        worst = math.log(worst_integer_ratio(weights))
        assert epsilon / 4 < worst <= epsilon


@pytest.mark.parametrize("given", [False, True])
def test_the_metric_form_keeps_its_rate_for_every_pair(given: bool) -> None:
    vocabulary = ball_vocabulary()
    options = {"points": "given"} if given else {}
    found = mechanism("hyperbolic-exponential", vocabulary, epsilon_per_distance=1.5, **options)
    assert isinstance(found, IntegerChannel) and isinstance(found.guarantee, MetricDP)
    ball = vocabulary.vectors.astype(np.float64) if given else popularity_points(vocabulary, 2, 3.0)
    gaps = distances(ball, np.arange(12))
    rows = np.log(found.integer_weights(np.arange(12)).astype(np.float64))
    rows -= np.log(found.integer_weights(np.arange(12)).sum(axis=1))[:, None]
    worst = max((rows[a] - rows[b]).max() / gaps[a, b] for a, b in itertools.permutations(range(12), 2))
    assert 0.7 < worst <= 1.5
    assert found.parameters["points"] == ("given" if given else "made")


def test_draws_of_the_exponential_form_are_those_of_its_integers(rng) -> None:
    """Hoeffding at alpha 1e-6, and the same draws after a copy."""
    found = mechanism("hyperbolic-exponential", made_vocabulary(8, 3), epsilon=4.0)
    assert isinstance(found, IntegerChannel)
    draws = 60_000
    shares = np.bincount(found.privatize(np.full(draws, 3), rng), minlength=8) / draws
    margin = math.sqrt(math.log(16e6) / (2 * draws))
    assert np.abs(shares - found.probabilities(3)).max() < margin
    assert np.abs(shares - found.probabilities(4)).max() > margin


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("hyperbolic-laplace", {"epsilon": 1.0, "radius": 3.0}, r"epsilon must be above \d.*, the diameter times"),
        ("hyperbolic-laplace", {"epsilon_per_distance": 1.0}, "epsilon_per_distance must be above 1, the dimension"),
        (
            "hyperbolic-laplace",
            {"epsilon": 1.0, "hyperbolic_dim": 9},
            "hyperbolic_dim must be between 2 and 8, that of",
        ),
        ("hyperbolic-laplace", {"epsilon": 1.0, "points": "given"}, "points must be made, or vectors of norm below 1"),
        ("hyperbolic-exponential", {"epsilon": 1.0, "radius": 40.0}, "radius must be between 0.001 and 20; got 40"),
        ("hyperbolic-exponential", {"hyperbolic_dim": 1}, "hyperbolic_dim must be an integer >= 2; got 1"),
        ("hyperbolic-exponential", {"epsilon_per_distance": 99.0}, "epsilon_per_distance must be at most"),
    ],
)
def test_options_outside_their_domains(tiny: Vocabulary, name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mechanism(name, tiny, **options)


def test_given_points_take_no_options_of_made_ones() -> None:
    with pytest.raises(ParameterError, match="hyperbolic_dim and radius must be left out where points are given"):
        mechanism("hyperbolic-laplace", ball_vocabulary(), epsilon=90.0, points="given", radius=2.0)
    with pytest.raises(ParameterError, match="rate must be finite and above 2"):
        HyperbolicLaplace(dim=3, rate=2.0)
