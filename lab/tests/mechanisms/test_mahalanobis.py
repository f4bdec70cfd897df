"""Mahalanobis noise: its distance by brute force, its guarantee in its own metric and in the Euclidean one."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.privacy.guarantees import MetricDP
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import audit_noise, delta_over_pairs
from textveil_lab.audit.noise.word_channel import cell_table
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.noise.elliptical_laplace import EllipticalLaplace
from textveil_lab.noise.spherical_laplace import SphericalLaplace


def made(vocabulary: Vocabulary, **options: float | None) -> tuple[PerturbProject, EllipticalLaplace, MetricDP]:
    found = mechanism("mahalanobis", vocabulary, **options)
    assert isinstance(found, PerturbProject)
    assert isinstance(found.distribution, EllipticalLaplace)
    assert isinstance(found.guarantee, MetricDP)
    return found, found.distribution, found.guarantee


def shape(points: np.ndarray, weight: float) -> np.ndarray:
    covariance = np.cov(points.T.astype(np.float64))
    return weight * covariance * len(covariance) / np.trace(covariance) + (1 - weight) * np.eye(len(covariance))


@pytest.mark.parametrize("weight", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("clip", [None, 1.0])
def test_the_diameter_is_that_of_the_mahalanobis_distance(tiny: Vocabulary, weight: float, clip: float | None) -> None:
    found, noise, guarantee = made(tiny, epsilon=3.0, covariance_weight=weight, clip=clip)
    wanted = pdist(found.points.astype(np.float64), "mahalanobis", VI=np.linalg.inv(shape(found.points, weight)))
    assert wanted.max() <= guarantee.diameter == pytest.approx(wanted.max(), rel=1e-5)
    assert noise.rate * wanted.max() <= guarantee.pure().epsilon <= 3.0
    assert guarantee.pure().epsilon == pytest.approx(3.0, rel=1e-5)
    np.testing.assert_allclose(noise.root @ noise.root.T, shape(found.points, weight), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_audits_prove_it_and_a_fifth_less_is_refuted(tiny: Vocabulary, weight: float) -> None:
    found, _, _ = made(tiny, epsilon=2.0, covariance_weight=weight)
    assert audit_noise(found).verdict is Verdict.PROVED
    assert audit_noise(found, Claim(epsilon=2.0 / 1.2)).verdict is Verdict.REFUTED


def test_the_euclidean_form_holds_and_the_rate_alone_does_not(tiny: Vocabulary) -> None:
    found, noise, guarantee = made(tiny, epsilon_per_distance=4.0, covariance_weight=1.0)
    assert guarantee.epsilon_per_distance == noise.rate == 4.0
    points = found.points.astype(np.float64)
    own = pdist(noise.coordinates(points)) * noise.rate
    euclidean = found.parameters["euclidean_epsilon_per_distance"]
    assert (own <= euclidean * pdist(points)).all()
    least = math.sqrt(np.linalg.eigvalsh(noise.root @ noise.root.T)[0])
    assert euclidean == pytest.approx(4.0 / least, rel=1e-5)
    assert (own > 4.0 * pdist(points)).any()


def test_without_covariance_it_is_spherical_laplace(tiny: Vocabulary) -> None:
    found, noise, guarantee = made(tiny, epsilon=3.0, covariance_weight=0.0)
    same = mechanism("spherical-laplace", tiny, epsilon=3.0)
    assert isinstance(same.distribution, SphericalLaplace)  # type: ignore[attr-defined]
    assert noise.rate == pytest.approx(same.distribution.rate)  # type: ignore[attr-defined]
    assert guarantee.diameter == pytest.approx(same.guarantee.diameter)  # type: ignore[union-attr]
    ids = np.arange(40)
    drawn = [one.privatize(ids, np.random.default_rng(4)) for one in (found, same)]  # type: ignore[union-attr]
    np.testing.assert_array_equal(*drawn)


def test_the_exact_channel_of_words_on_a_line_keeps_the_claim(rng: np.random.Generator) -> None:
    """On a line in the plane the released word's probabilities are known. Hoeffding at alpha 1e-6 for the draws."""
    places = np.array([-1.0, -0.25, 0.125, 0.75])
    line = Vocabulary(list("abcd"), (places[:, None] * np.array([0.75, 1.0])).astype(np.float32), "line")
    found, noise, _ = made(line, epsilon=1.5, covariance_weight=0.75, clip=None)
    table = cell_table(found)
    assert table is not None
    own = noise.rate * squareform(pdist(noise.coordinates(found.points)))
    losses = (table.lower[:, None, :] - table.upper[None, :, :]).max(axis=2)
    assert (losses <= own + 1e-9).all()
    assert losses.max() > 0.5 * own.max()
    shares = np.bincount(found.privatize(np.ones(40_000, dtype=np.int64), rng), minlength=4) / 40_000
    margin = math.sqrt(math.log(8e6) / (2 * 40_000))
    np.testing.assert_allclose(shares, np.exp(table.upper[1]), atol=margin)


def test_deltas_over_pairs_are_those_of_the_own_distance() -> None:
    vocabulary = made_vocabulary(12, 3)
    found, noise, _ = made(vocabulary, epsilon=2.0)
    summary = delta_over_pairs(found, 0.3, words=12, pairs=None)
    points = found.points.astype(np.float64)
    shifts = [points[i] - points[j] for i in range(12) for j in range(i)]
    deltas = [math.exp(noise.privacy_profile(one).log_delta(0.3).estimate) for one in shifts]
    assert summary.largest == pytest.approx(max(deltas), rel=1e-4)
    assert summary.median == pytest.approx(np.median(deltas), rel=0.05)


def test_a_singular_covariance_is_refused_with_what_to_do() -> None:
    few = made_vocabulary(4, 6)
    with pytest.raises(ParameterError, match=r"^covariance_weight must be below 1 where .*; got 1.0. Give one such as"):
        mechanism("mahalanobis", few, epsilon=1.0, covariance_weight=1.0)
    assert made(few, epsilon=1.0)[2].pure().epsilon <= 1.0
