"""The true deltas of the truncated Laplace paper's settings: against second methods, and the verdicts that follow."""

import math

import mpmath
import numpy as np
import pytest

from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.audit.report.report import Verdict
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.papers.report import paper
from textveil_lab.papers.setting import StudySetting
from textveil_lab.papers.truncated_laplace.facts import DIM, EPSILONS
from textveil_lab.papers.truncated_laplace.verdicts import (
    VALID_DELTA,
    PaperSetting,
    clips_that_matter,
    delta_of_words,
    padded_gaussian_settings,
    paper_settings,
    shift_verdict,
    truncated_delta_at,
    valid_settings,
)

BY_NAME = {(one.mechanism, one.claim.epsilon): one for one in paper_settings()}


def outside(setting: PaperSetting, shift: list[float]) -> mpmath.mpf:
    """1 - prod (1 - F(|v_i|)) for truncated Laplace noise, in 60 digits."""
    noise = setting.noise
    with mpmath.workdps(60):
        scale, bound = mpmath.mpf(noise.scale), mpmath.mpf(noise.bound)
        stays = mpmath.mpf(1)
        for width in map(mpmath.mpf, shift):
            stays *= 1 - (mpmath.exp(width / scale) - 1) / (2 * (mpmath.exp(bound / scale) - 1))
        return 1 - stays


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_truncated_laplace_is_refuted_with_the_exact_delta(epsilon) -> None:
    setting = BY_NAME["truncated-laplace", epsilon]
    found = shift_verdict(setting)
    assert found.verdict is Verdict.REFUTED
    spread = outside(setting, [2 / math.sqrt(DIM)] * DIM)
    assert math.exp(found.spread.estimate) == pytest.approx(float(spread), rel=1e-9)
    assert math.exp(found.one_coordinate.estimate) == pytest.approx(float(outside(setting, [2.0])), rel=1e-9)
    assert truncated_delta_at(epsilon, 2.0) == pytest.approx(float(spread), rel=1e-9)


@pytest.mark.parametrize(("epsilon", "spread", "single"), [(0.05, 0.98692, 0.24892), (1.0, 0.97896, 0.22764)])
def test_known_deltas(epsilon, spread, single) -> None:
    found = shift_verdict(BY_NAME["truncated-laplace", epsilon])
    assert math.exp(found.spread.estimate) == pytest.approx(spread, abs=1e-5)
    assert math.exp(found.one_coordinate.estimate) == pytest.approx(single, abs=1e-5)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_gaussian_is_judged_by_its_exact_delta(epsilon) -> None:
    setting = BY_NAME["gaussian", epsilon]
    with mpmath.workdps(60):
        ratio = mpmath.mpf(2) / mpmath.mpf(setting.noise.sigma)
        half, center = ratio / 2, epsilon / ratio
        exact = mpmath.ncdf(half - center) - mpmath.exp(epsilon) * mpmath.ncdf(-half - center)
        claimed = mpmath.mpf(4) ** -DIM
    found = shift_verdict(setting)
    assert found.verdict is (Verdict.REFUTED if exact > claimed else Verdict.PROVED)
    assert found.verdict is (Verdict.REFUTED if epsilon == 20 else Verdict.PROVED)
    assert found.spread.estimate == pytest.approx(float(mpmath.log(exact)), rel=1e-9)


@pytest.mark.parametrize("setting", padded_gaussian_settings(), ids=lambda setting: f"{setting.claim.epsilon:g}")
def test_gaussian_claims_hold_with_the_delta_of_the_dummy_dimensions(setting) -> None:
    with mpmath.workdps(1100):
        ratio = mpmath.mpf(2) / mpmath.mpf(setting.noise.sigma)
        half, center = ratio / 2, setting.claim.epsilon / ratio
        exact = mpmath.ncdf(half - center) - mpmath.exp(setting.claim.epsilon) * mpmath.ncdf(-half - center)
        assert exact < mpmath.mpf(4) ** -setting.noise_dim
    found = shift_verdict(setting)
    assert found.verdict is Verdict.PROVED
    assert found.spread.estimate == pytest.approx(float(mpmath.log(exact)), rel=1e-9)


def test_laplace_and_the_valid_bound_are_proved() -> None:
    for epsilon in EPSILONS:
        found = shift_verdict(BY_NAME["laplace", epsilon])
        assert found.verdict is Verdict.PROVED
        assert found.spread.upper == -math.inf
    for setting in valid_settings():
        found = shift_verdict(setting)
        assert found.verdict is Verdict.PROVED
        assert found.spread.upper <= math.log(VALID_DELTA)


def test_dummy_dimensions_are_those_of_the_paper() -> None:
    dims = {epsilon: BY_NAME["truncated-laplace", epsilon].noise_dim for epsilon in EPSILONS}
    assert dims == {**dict.fromkeys(EPSILONS[:6], 300), 10.0: 500, 20.0: 1700}
    assert BY_NAME["truncated-laplace", 20.0].claim.log_delta == pytest.approx(-1700 * math.log(4))


def test_below_the_shortest_vector_the_clip_does_not_matter() -> None:
    vocabulary = first_words(load_vocabulary(), 200)
    least, greatest = clips_that_matter(vocabulary)
    every = [delta_of_words(vocabulary, 1.0, clip, pairs=300) for clip in (0.005, least, greatest)]
    assert every[0].median == pytest.approx(every[1].median, rel=1e-4)
    assert every[2].median < 0.99 * every[1].median
    assert 0.1 < every[1].least < every[1].median < every[1].largest < shift_delta(1.0)


def shift_delta(epsilon: float) -> float:
    return math.exp(shift_verdict(BY_NAME["truncated-laplace", epsilon]).spread.estimate)


def test_the_item_says_what_was_found() -> None:
    pytest.importorskip("matplotlib", exc_type=ImportError)
    (item,) = paper("truncated-laplace").chosen(["verdicts"])
    vocabulary = first_words(load_vocabulary(), 300)
    outcome = item.run(StudySetting(vocabularies=(vocabulary,), origin="embedded", quick=True))
    assert outcome.findings[0].startswith("Truncated Laplace, as the text says: 8 of 8 claims are refuted.")
    assert "refuted at 20, where the true delta is 5.5 times the claimed one" in outcome.findings[3]
    rows = outcome.tables[""].rows
    assert len(rows) == 34
    assert {row[0]: row[4] for row in rows if row[1] == 20} == {
        "gaussian": "refuted",
        "gaussian, with dummy dimensions": "proved",
        "laplace": "proved",
        "truncated-laplace": "refuted",
        "truncated-laplace, valid": "proved",
    }
    assert len(outcome.tables["public-code"].rows) == 6
    lengths = np.array([row[8] for row in rows if row[0] == "truncated-laplace"])
    assert (np.diff(lengths) > 0).all()
