"""DPNR and CAPE: the exact loss on small grids, the law of the noise, and what the published form shows."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.catalog import mechanism
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.mechanisms.kinds import Mechanism, VectorMechanism, words_alone
from textveil.privacy.units import ANY_VECTOR
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Claim, Subject, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.vectors.dpnr import STEPS, NoisyCube, least_scale
from textveil_lab.mechanisms.vectors.text_vectors import mean_word_vectors, word_vectors
from textveil_lab.noise.integer_noise import BoundedLoss, DiscreteLaplace, RoundedGaussian

ALPHA = 1e-6
TINY = Vocabulary(["one", "two", "three"], np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32), "tiny")
SOUND = ["dpnr", "cape"]


def made(name: str, **options: Any) -> Any:
    return mechanism(name, TINY, **{"epsilon": 1.0, **options})


@pytest.mark.parametrize("name", SOUND)
@pytest.mark.parametrize(("epsilon", "dim"), [(0.1, 1), (1.0, 3), (7.3, 768)])
def test_the_scale_is_the_least_that_any_two_corners_allow(name: str, epsilon: float, dim: int) -> None:
    found = made(name, epsilon=epsilon, vector_dim=dim)
    scale = found.noise.scale
    assert Fraction(dim * STEPS, scale) <= Fraction(epsilon) < Fraction(dim * STEPS, scale - 1)
    profile = found.worst_profile()
    assert profile.largest_loss <= epsilon  # sensitivity 1 in place of dim would give epsilon / dim
    assert profile.largest_loss == pytest.approx(epsilon, rel=1e-4)
    assert found.guarantee.adjacency == ANY_VECTOR


def test_the_loss_of_integers_is_what_the_profile_says() -> None:
    """Every vector of a small box against every other, by the masses themselves."""
    noise = DiscreteLaplace(scale=3)
    box = list(itertools.product(range(3), repeat=2))
    outputs = np.array(list(itertools.product(range(-6, 9), repeat=2)), dtype=np.float64)
    laws = [noise.log_mass(outputs - np.array(one)).sum(axis=1) for one in box]
    worst = max(float((a - b).max()) for a, b in itertools.product(laws, repeat=2))
    profile = noise.profile([2, 2])
    assert worst == pytest.approx(4 / 3)
    assert worst <= profile.largest_loss * (1 + 1e-12)
    mass = np.exp(laws[0]) / sum(math.exp(-abs(z) / 3) for z in range(-400, 400)) ** 2
    beyond = np.exp(laws[-1]) / np.exp(laws[0]) * mass
    for epsilon in (0.0, 0.5, 1.2):
        least = np.maximum(mass - math.exp(epsilon) * beyond, 0).sum()
        bound = profile.log_delta(epsilon)
        assert math.exp(bound.lower) <= least / 0.8  # the box of outputs holds most of the mass
        assert least <= math.exp(bound.upper)
    assert profile.log_delta(profile.largest_loss).upper == -math.inf


def p_value(noise: DiscreteLaplace, scale: float) -> float:
    drawn = noise.sample(40_000, seeded_generator(5))
    cells = np.arange(-12, 13)
    inside = np.exp(-np.abs(cells) / scale) * (1 - math.exp(-1 / scale)) / (1 + math.exp(-1 / scale))
    tail = (1 - inside.sum()) / 2
    expected = np.concatenate([[tail], inside, [tail]]) * len(drawn)
    counts = np.bincount(np.clip(drawn, -13, 13) + 13, minlength=27)
    return float(chisquare(counts, expected).pvalue)


def test_the_noise_has_its_law() -> None:
    """Alpha 1e-6; a scale that is 5 percent off, or a zero that is drawn twice, is found."""
    assert p_value(DiscreteLaplace(scale=4), 4) > ALPHA
    assert p_value(DiscreteLaplace(scale=4), 4 * 1.05) < ALPHA


def test_gaussian_noise_is_calibrated_at_the_diagonal_and_rounded_to_the_grid() -> None:
    found = made("dpnr", delta=1e-5, vector_dim=4)
    assert isinstance(found.noise, RoundedGaussian)
    released = found.privatize_vectors(np.zeros((500, 4)), seeded_generator(1))
    assert (released * STEPS == np.rint(released * STEPS)).all()
    assert released.std() == pytest.approx(found.parameters["sigma"], rel=0.1)
    assert audit_mechanism(found).verdict is Verdict.PROVED
    assert audit_mechanism(found, claim=Claim(epsilon=1.0)).verdict is Verdict.REFUTED  # never pure
    once = made("cape", delta=1e-5, vector_dim=1).parameters["sigma"]
    assert found.parameters["sigma"] == pytest.approx(2 * once, rel=1e-6)
    masses = RoundedGaussian(sigma=2.0).log_mass(np.arange(-40.0, 41.0))
    assert np.exp(masses).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("name", SOUND)
def test_an_audit_proves_it_and_refutes_less(name: str) -> None:
    found = made(name, epsilon=2.0, vector_dim=3)
    report = audit_mechanism(found, samples=4000, seed=3)
    assert [one.method for one in report.findings] == ["closed form", "sampled"]
    assert (report.verdict, report.subject) == (Verdict.PROVED, Subject.RELEASE)
    assert report.findings[1].verdict is Verdict.NOT_REFUTED
    assert report.leading.epsilon.upper <= 2.0
    assert "for any two inputs" in report.sentence()
    less = audit_mechanism(found, claim=Claim(epsilon=0.5), samples=20_000, seed=3)
    assert [one.verdict for one in less.findings] == [Verdict.REFUTED, Verdict.REFUTED]


class Unscaled:
    """The same noise, calibrated to a sensitivity of 1; it names no worst inputs and no law."""

    def __init__(self, sound: NoisyCube, scale: int) -> None:
        self.name, self.guarantee, self.parameters = "unscaled", sound.guarantee, sound.parameters
        self.dim, self.released_dim = sound.dim, sound.released_dim
        self._noise, self._cube = DiscreteLaplace(scale=scale), sound.cube

    def privatize_vectors(self, vectors, rng=None):
        places = np.rint(self._cube.scaled(vectors) * STEPS)
        return (places + self._noise.sample(places.size, rng).reshape(places.shape)) / STEPS


def test_foreign_noise_of_a_wrong_scale_is_found_by_sampling() -> None:
    sound = made("dpnr", epsilon=1.0, vector_dim=16)
    foreign: Mechanism = Unscaled(sound, least_scale(STEPS, 1.0))  # type: ignore[assignment]
    assert isinstance(foreign, VectorMechanism)
    assert audit_mechanism(foreign, seed=2).verdict is Verdict.REFUTED
    kept: Mechanism = Unscaled(sound, sound.noise.scale)  # type: ignore[assignment]
    assert audit_mechanism(kept, seed=2).verdict is Verdict.NOT_REFUTED


def test_the_published_form_shows_every_difference() -> None:
    found = made("dpnr-published", vector_dim=5)
    vectors = np.array([[0.1, 0.9, 0.3, 0.2, 0.5], [0.0, 0.0, 0.0, 0.0, 7.0]])
    released = found.privatize_vectors(vectors, seeded_generator(1))
    inside = (vectors - vectors.min(axis=1, keepdims=True)) / np.ptp(vectors, axis=1)[:, None]
    assert np.diff(released, axis=1) == pytest.approx(np.diff(inside, axis=1))
    assert len({round(one, 6) for one in (released - inside)[:, 0]}) == 2  # fresh for each example
    report = audit_mechanism(found, samples=2000, seed=1)
    assert [one.verdict for one in report.findings] == [Verdict.REFUTED, Verdict.REFUTED]
    assert report.leading.delta.lower == 1.0
    assert found.privatize_vectors([[3.0] * 5]).shape == (1, 5)


def test_dropout_costs_less_for_one_word() -> None:
    found = made("dpnr", epsilon=2.0, dropout=0.25)
    exact = math.log(0.75 * math.exp(2.0) + 0.25)
    assert exact <= found.parameters["epsilon_of_one_word"] <= exact + 1e-12
    assert found.guarantee.epsilon == 2.0
    assert made("dpnr").parameters["epsilon_of_one_word"] == 1.0
    assert made("dpnr", epsilon=900.0, dropout=0.5).parameters["epsilon_of_one_word"] == pytest.approx(
        900 + math.log(0.5)
    )
    # Three laws as in the proof: with one word dropped, and with either of the two.
    rng = seeded_generator(4)
    for _ in range(200):
        a, b, c = np.exp(rng.uniform(-1, 1, (3, 6)))
        loss = max(float(np.log(one / other).max()) for one, other in ((a, b), (b, a), (a, c), (b, c), (c, a), (c, b)))
        mixed = [0.25 * c + 0.75 * one for one in (a, b)]
        assert np.log(mixed[0] / mixed[1]).max() <= math.log(0.75 * math.exp(loss) + 0.25) + 1e-12


def test_vectors_of_texts_are_means_of_words() -> None:
    texts = ["One, two.", "nothing known", "three three one"]
    assert mean_word_vectors(texts, TINY) == pytest.approx(np.array([[0.5, 0.5], [0, 0], [1, 2 / 3]]))
    assert [len(one) for one in word_vectors(texts, TINY)] == [2, 0, 3]
    dropped = mean_word_vectors(["one"] * 400, TINY, dropout=0.5, rng=seeded_generator(1))
    assert 0.35 < dropped[:, 0].mean() < 0.65


def test_no_text_comes_out_of_it() -> None:
    with pytest.raises(UnsupportedGuarantee, match=r"a sanitizer needs .*; got dpnr, which releases vectors\."):
        Sanitizer(made("dpnr"))
    with pytest.raises(UnsupportedGuarantee, match=r"this use needs .*; got cape, which releases vectors\."):
        words_alone(made("cape"), "this use")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lowest": 1.0}, "lowest must be below `highest`, 1; got 1"),
        ({"lowest": -1e308, "highest": 1e308}, "highest must be at a finite distance"),
        ({"dropout": 1.0}, r"dropout must be in \[0, 1\); got 1"),
        ({"epsilon": 1e-12}, "epsilon must be >= 1.86e-09 for as many numbers"),
        ({"vector_dim": 0}, "vector_dim must be an integer >= 1"),
    ],
)
def test_bad_options_are_told_what_is_admissible(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        made("dpnr", **options)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.zeros((2, 3)), r"vectors must be of shape \(batch, 2\); got shape \(2, 3\)\. Set `vector_dim`"),
        (np.array([[0.5, np.nan]]), r"vectors must be finite; got a number that is not\."),
        (np.array([["a", "b"]]), "vectors must be real numbers"),
    ],
)
@pytest.mark.parametrize("name", [*SOUND, "dpnr-published"])
def test_bad_vectors_are_refused_and_not_shown(name: str, vectors: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        made(name).privatize_vectors(vectors)


def test_a_bounded_loss_lies_between_its_bounds() -> None:
    exact = BoundedLoss(largest_loss=1.0, log_probability=0.0).log_delta(0.0)
    assert exact.lower <= math.log(1 - math.exp(-1)) <= exact.upper
    assert exact.upper - exact.lower < 1e-11
