"""Text to vectors: clipping, the law of the noise, the exact loss at the ends, and what is released of it."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import gamma, kstest

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.privacy.guarantees import MetricDP
from textveil.privacy.units import ONE_TOKEN
from textveil.randomness import seeded_generator
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.vectors.text_to_vectors import STEPS

ALPHA = 1e-6
WORDS = Vocabulary(["one", "two"], np.eye(2, dtype=np.float32), "tiny")


def made(**options: Any) -> Any:
    if not options.keys() & {"epsilon", "epsilon_per_distance"}:
        options["epsilon"] = 3.0
    return mechanism("text-to-vectors", WORDS, **options)


def test_the_rate_is_epsilon_over_the_diameter_of_the_ball() -> None:
    found = made(epsilon=3.0, clip=0.5)
    assert found.parameters["rate"] == pytest.approx(3.0, rel=1e-5)
    assert isinstance(found.guarantee, MetricDP)
    assert found.guarantee.worst_case().epsilon <= 3.0
    assert found.guarantee.adjacency == ONE_TOKEN
    assert made(epsilon_per_distance=7.0).guarantee.epsilon_per_distance == 7.0
    assert found.worst_profile().largest_loss <= 3.0
    assert found.worst_profile().largest_loss == pytest.approx(3.0, rel=1e-5)


def test_longer_vectors_are_shortened_before_the_noise() -> None:
    found = made(epsilon_per_distance=1e9, clip=0.5)
    released = found.privatize_vectors([[3.0, 4.0], [0.1, 0.2], [0.0, 0.0], [1e300, 0.0]], seeded_generator(1))
    assert released == pytest.approx(np.array([[0.3, 0.4], [0.1, 0.2], [0.0, 0.0], [0.5, 0.0]]), abs=1e-6)


def test_the_noise_has_its_law_and_is_on_the_grid() -> None:
    """Alpha 1e-6: norms are Gamma(d, 1 / rate), angles uniform; a rate 5 percent off is told apart."""
    found = made(epsilon_per_distance=2.0)
    noise = found.privatize_vectors(np.zeros((20_000, 2)), seeded_generator(2))
    assert (noise * STEPS == np.rint(noise * STEPS)).all()
    norms = np.linalg.norm(noise, axis=1)
    assert kstest(norms, gamma(2, scale=0.5).cdf).pvalue > ALPHA
    assert kstest(norms, gamma(2, scale=0.5 * 1.05).cdf).pvalue < ALPHA
    assert kstest(np.arctan2(*noise.T) / (2 * math.pi) + 0.5, "uniform").pvalue > ALPHA


def test_cells_of_a_line_lose_what_is_stated() -> None:
    """In one dimension the mass of each grid cell is exact: the ratio of any two cells of one release is within."""
    found = made(epsilon=2.0, vector_dim=1)
    rate = found.parameters["rate"]
    edges = np.linspace(-4, 4, 161)

    def masses(center: float) -> np.ndarray:
        below = np.where(
            edges < center, 0.5 * np.exp(rate * (edges - center)), 1 - 0.5 * np.exp(-rate * (edges - center))
        )
        return np.diff(below)

    worst = np.abs(np.log(masses(1.0) / masses(-1.0))).max()
    assert worst <= 2.0
    assert worst == pytest.approx(2.0, rel=1e-4)


def test_audits_prove_it_and_refute_less() -> None:
    found = made(epsilon=3.0)
    report = audit_mechanism(found, samples=4000, seed=1)
    assert [one.verdict for one in report.findings] == [Verdict.PROVED, Verdict.NOT_REFUTED]
    less = audit_mechanism(found, claim=Claim(epsilon=0.5), samples=20_000, seed=1)
    assert [one.verdict for one in less.findings] == [Verdict.REFUTED, Verdict.REFUTED]
    assert audit_mechanism(found, claim=Claim(epsilon=3.0, log_delta=-20.0)).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 1.0, "epsilon_per_distance": 1.0}, "exactly one of `epsilon` or `epsilon_per_distance`"),
        ({"clip": 0.0}, "clip must be finite and > 0; got 0"),
        ({"vector_dim": 0}, "vector_dim must be an integer >= 1; got 0"),
    ],
)
def test_bad_options_are_told_what_is_admissible(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        made(**options)


def test_bad_vectors_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"vectors must be of shape \(batch, 2\)"):
        made().privatize_vectors(np.zeros((1, 3)))


@pytest.mark.filterwarnings("error")
def test_no_vector_is_told_by_a_warning() -> None:
    extremes = np.array([[1e-320, 0.0], [1e300, -1e300], [0.0, 0.0]])
    released = made(epsilon=5.0, vector_dim=2).privatize_vectors(extremes, seeded_generator(1))
    assert np.isfinite(released).all()
