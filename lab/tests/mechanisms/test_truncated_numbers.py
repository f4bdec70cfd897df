"""Truncated noise on one number: delta by enumeration in exact fractions, draws, the optimum, the page's numbers."""

import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

import textveil_lab
from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.vectors.dpnr import STEPS, NoisyCube
from textveil_lab.noise.block_noise import BlockNoise, geng_bound, geng_noise, least_variance_noise, worst_delta

PAGE = Path(textveil_lab.__file__).parent / "proofs/truncated_noise.md"
NAMES = ("geng", "optimal-noise")
ALPHA = 1e-6


def made(name: str, vocabulary: Vocabulary, **options: Any) -> tuple[NoisyCube, BlockNoise]:
    found = mechanism(name, vocabulary, **options)
    assert isinstance(found, NoisyCube) and isinstance(found.noise, BlockNoise)
    return found, found.noise


def exact_delta(noise: BlockNoise, epsilon: float, shift: int) -> Fraction:
    """The least delta over single integers, in fractions; e^epsilon as the float that it is."""
    end = noise.last * noise.width + noise.width // 2
    total = int(2 * noise.weights[1:].sum() + noise.weights[0]) * noise.width

    def mass(z: int) -> Fraction:
        block = (abs(z) + noise.width // 2) // noise.width
        return Fraction(int(noise.weights[block]), total) if block <= noise.last else Fraction(0)

    factor = Fraction(math.exp(epsilon))
    places = range(-end, end + shift + 1)
    return sum((max(Fraction(0), mass(z) - factor * mass(z - shift)) for z in places), Fraction(0))


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_every_shift_keeps_delta_and_profiles_are_exact(epsilon: float) -> None:
    reach, delta = 20, 1e-2
    for noise in (geng_noise(epsilon, delta, reach, 1), least_variance_noise(epsilon, delta, reach, 4)):
        for shift in range(1, reach + 1):
            true = exact_delta(noise, epsilon, shift)
            assert true <= Fraction(delta) * (1 + Fraction(1, 2**40))
            found = noise.profile([shift]).log_delta(epsilon)
            assert math.exp(found.lower) <= float(true) * (1 + 1e-9)
            assert float(true) <= math.exp(found.upper) * (1 + 1e-9)
        assert worst_delta(noise, epsilon, reach) > 0.7 * delta  # the last block is whole
        assert worst_delta(noise, epsilon * 0.8, reach) > delta  # and a fifth less is not kept


def test_the_optimum_is_below_geng_and_below_every_level_noise(rng) -> None:
    """Random symmetric tables that keep the guarantee have no smaller variance."""
    epsilon, delta, reach = 1.0, 0.05, 8
    best = least_variance_noise(epsilon, delta, reach, 2)
    assert best.variance <= geng_noise(epsilon, delta, reach, best.width).variance * (1 + 1e-6)
    for _ in range(3000):
        heights = np.sort(rng.gamma(0.7, size=int(rng.integers(2, best.last + 2))))[::-1]
        table = BlockNoise(weights=1 + (heights / heights.sum() * 2**40).astype(np.int64), width=best.width)
        if worst_delta(table, epsilon, reach) <= delta:
            assert table.variance >= best.variance * (1 - 1e-3)
    uniform = BlockNoise(weights=np.ones(60, dtype=np.int64), width=best.width)
    assert worst_delta(uniform, epsilon, reach) <= delta and uniform.variance > best.variance


def test_draws_follow_the_table_and_a_mutant_is_noticed(rng) -> None:
    """Chi-square at alpha 1e-6; the mutant is a table with a seventh more in its middle."""
    noise = geng_noise(1.0, 1e-2, 9, 3)
    drawn = noise.sample(80_000, rng)
    end = noise.last * noise.width + noise.width // 2
    values = np.arange(-end, end + 1)
    chances = np.exp(noise.log_mass(values.astype(np.float64)))
    chances /= chances.sum()
    counts = np.bincount(drawn + end, minlength=len(values))
    assert drawn.min() >= -end and drawn.max() <= end
    assert chisquare(counts, chances * counts.sum()).pvalue > ALPHA
    chances[end - 4 : end + 5] *= 1.15
    assert chisquare(counts, chances / chances.sum() * counts.sum()).pvalue < ALPHA
    assert noise.variance == pytest.approx(float(np.mean(drawn.astype(np.float64) ** 2)), rel=0.05)
    assert noise.log_mass(np.array([end + 1.0]))[0] == -math.inf


@pytest.mark.parametrize("name", NAMES)
def test_audits_prove_the_claim_and_refute_a_tenth_of_delta(tiny: Vocabulary, name: str) -> None:
    found, noise = made(name, tiny, epsilon=1.0, delta=1e-3, lowest=-2.0, highest=6.0)
    assert audit_mechanism(found, attacks=False).verdict is Verdict.PROVED
    small = Claim(epsilon=1.0, log_delta=math.log(1e-4))
    assert audit_mechanism(found, claim=small, attacks=False).verdict is Verdict.REFUTED
    out = found.privatize_vectors(np.array([[-9.0], [6.0]]), np.random.default_rng(1))
    again = found.privatize_vectors(np.array([[-2.0], [99.0]]), np.random.default_rng(1))
    np.testing.assert_array_equal(out, again)  # cut to the range
    assert found.parameters["bound"] == pytest.approx((noise.last + 0.5) * noise.width / STEPS)


def test_in_one_dimension_the_noise_of_words_is_gengs() -> None:
    line = Vocabulary(["a", "b"], np.array([[0.0], [1.0]], dtype=np.float32), "line")
    words = mechanism("truncated-laplace", line, epsilon=2.0, delta=1e-4, clip=None).distribution  # type: ignore[union-attr]
    found, _ = made("geng", line, epsilon=2.0, delta=1e-4)
    assert found.parameters["bound"] == pytest.approx(words.bound, rel=0.02)
    assert found.parameters["standard_deviation"] == pytest.approx(math.sqrt(words.variance), rel=0.01)
    assert geng_bound(2.0, 1e-4, 1.0) == pytest.approx(words.bound, rel=1e-5)


def test_the_page_has_the_standard_deviations(tiny: Vocabulary) -> None:
    rows = re.findall(
        r"^\| ([\d.]+), (1e-\d) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) == 4
    for epsilon, delta, *printed in rows:
        options = {"epsilon": float(epsilon), "delta": float(delta)}
        found = [made(name, tiny, **options)[0].parameters["standard_deviation"] for name in NAMES]
        for value, shown in zip([*found, math.sqrt(2) / float(epsilon)], printed, strict=True):
            assert value == pytest.approx(float(shown), rel=5e-3)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("geng", {"epsilon": 1.0, "delta": 1e-12}, r"delta must be in \[1e-10, 1\); got 1e-12"),
        ("geng", {"epsilon": 1e-6}, "epsilon must be larger, or delta, for the noise to fit"),
        ("geng", {"epsilon": 1.0, "lowest": 2.0}, "lowest must be below `highest`, 1; got 2"),
        ("optimal-noise", {"epsilon": 0.1}, "epsilon must be between 0.25 and 12; got 0.1. Or use geng"),
        ("optimal-noise", {"epsilon": 1.0, "delta": 1e-9}, r"delta must be in \[1e-07, 1\); got 1e-09"),
        ("optimal-noise", {"epsilon": 1.0, "blocks": 100}, "blocks must be between 1 and 32; got 100"),
    ],
)
def test_options_outside_their_domains(tiny: Vocabulary, name: str, options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mechanism(name, tiny, **options)


def test_an_epsilon_beyond_the_exponential_of_floats_has_a_delta() -> None:
    noise = BlockNoise(weights=np.array([9, 3, 1]), width=129)
    for blocks in (1, 2, 6):
        assert noise.delta_of_blocks(1e6, blocks) == pytest.approx(noise.outside(blocks), rel=1e-12)
