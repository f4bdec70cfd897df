"""Mahalanobis noise with the direction scaled too late: its density, its losses near a word, and the verdict."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import dblquad
from tests.helpers.exactness import p_value

import textveil_lab
from textveil.catalog import mechanism
from textveil.errors import ParameterError, RefutedGuarantee
from textveil.privacy.guarantees import Status
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import audit_noise
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.sampled.draws import audit_noise_sampled
from textveil_lab.mechanisms.published.mahalanobis import RenormalizedLaplace
from textveil_lab.noise.elliptical_laplace import EllipticalLaplace

NAME = "mahalanobis-published"
PAGE = Path(textveil_lab.__file__).parent / "proofs/mahalanobis_published.md"
ALPHA = 1e-6
PLANE = RenormalizedLaplace(root=np.array([[2.0, 0.5], [0.5, 1.0]]), rate=1.5)


def test_the_density_integrates_to_one_in_the_plane() -> None:
    def at(turn: float, length: float) -> float:
        point = length * np.array([[math.cos(turn), math.sin(turn)]])
        return length * math.exp(float(PLANE.log_density(point)[0]))

    assert dblquad(at, 0, 30, 0, 2 * math.pi, epsabs=1e-6)[0] == pytest.approx(1.0, abs=1e-4)


def test_draws_follow_it_and_those_of_the_sound_noise_do_not(rng) -> None:
    """Massart's bound at alpha 1e-6, on the angle; the mutant is noise that is not scaled, on the length."""
    grid = np.linspace(-math.pi, math.pi, 4001)
    units = np.stack([np.cos(grid), np.sin(grid)], axis=1)
    heights = np.exp(PLANE.log_density(units) + PLANE.rate)
    sums = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2)])
    drawn = PLANE.sample(40_000, rng, np.float64)
    angles = np.arctan2(drawn[:, 1], drawn[:, 0])
    assert p_value(angles, lambda t: np.interp(t, grid, sums / sums[-1])) > ALPHA
    assert p_value(rng.uniform(-math.pi, math.pi, 40_000), lambda t: np.interp(t, grid, sums / sums[-1])) < ALPHA
    sound = EllipticalLaplace(root=PLANE.root, rate=PLANE.rate).sample(40_000, rng, np.float64)
    lengths = [PLANE.rate * np.linalg.norm(one, axis=1) for one in (drawn, sound)]
    gamma = [p_value(one, lambda r: 1 - (1 + r) * np.exp(-r)) for one in lengths]
    assert gamma[0] > ALPHA > gamma[1]


def test_the_page_says_what_the_losses_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", text, flags=re.MULTILINE)
    assert len(rows) == 4
    for m, ratio, loss, claimed in rows:
        scales = np.ones(int(m))
        scales[-1] = 1 / math.sqrt(int(ratio))
        noise = RenormalizedLaplace(root=np.diag(scales), rate=1.0)
        shift = np.eye(int(m))[-1]
        found = noise.privacy_profile(shift).largest_loss
        assert found == pytest.approx(float(loss), rel=5e-3)
        assert float(noise.stretch(shift[None])[0]) == pytest.approx(float(claimed), rel=5e-3)
        near = 1e-7 * np.eye(int(m))[:1]  # a noisy vector beside v(x); seen from x' it is the shift away
        there = float((noise.log_density(near) - noise.log_density(near + shift))[0])
        assert there == pytest.approx(found, abs=1e-4)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_lower_bound_of_delta_is_below_the_true_one_and_above_zero(epsilon: float) -> None:
    shift = np.array([0.2, -0.4])

    lengths, turns = np.meshgrid((np.arange(1500) + 0.5) * 0.008, (np.arange(720) + 0.5) * math.pi / 360)
    points = np.stack([lengths * np.cos(turns), lengths * np.sin(turns)], axis=-1).reshape(-1, 2)
    near, far = PLANE.log_density(points), PLANE.log_density(points + shift)
    cells = lengths.reshape(-1) * 0.008 * math.pi / 360
    delta = float((cells * np.exp(near) * np.maximum(0.0, -np.expm1(epsilon - near + far))).sum())
    found = PLANE.privacy_profile(shift).log_delta(epsilon)
    assert -math.inf < found.lower <= math.log(delta)


def test_in_the_plane_sampling_refutes_the_claim_and_clears_the_sound_noise(rng) -> None:
    shift = np.array([0.0, 1.0])
    root = np.diag([6.0, 1.0])
    claim = Claim(epsilon=1.0)  # the rate times the Mahalanobis length of the shift
    run = {"samples": 20_000, "confidence": 1 - ALPHA, "rng": rng}
    broken = audit_noise_sampled(RenormalizedLaplace(root=root, rate=1.0), shift, claim, **run)
    assert broken.verdict is Verdict.REFUTED
    sound = audit_noise_sampled(EllipticalLaplace(root=root, rate=1.0), shift, claim, **run)
    assert sound.verdict is Verdict.NOT_REFUTED


def test_the_status_is_computed_and_the_audit_agrees(tiny: Vocabulary) -> None:
    broken = mechanism(NAME, tiny, epsilon=1.0, covariance_weight=0.9)
    assert broken.guarantee.status is Status.REFUTED
    assert audit_noise(broken).verdict is Verdict.REFUTED  # type: ignore[arg-type]
    with pytest.raises(RefutedGuarantee, match="Use mahalanobis"):
        Sanitizer(broken)
    sound = mechanism(NAME, tiny, epsilon=1.0, covariance_weight=0.0)
    assert sound.guarantee.status is Status.PROVED
    line = Vocabulary(list("abc"), np.array([[0.0], [1.0], [3.0]], dtype=np.float32), "line")
    assert mechanism(NAME, line, epsilon=1.0).guarantee.status is Status.PROVED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariance_weight": 1.5}, "covariance_weight must be between 0 and 1; got 1.5"),
        ({"epsilon": 1.0, "epsilon_per_distance": 1.0}, "exactly one of `epsilon` or"),
        ({"epsilon": 0.0}, "epsilon must be finite and > 0"),
    ],
)
def test_options_outside_their_domains(tiny: Vocabulary, options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mechanism(NAME, tiny, **options)
