"""CAPE and DPText as published: what their releases show, and with which probability."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, kstest

from textveil.catalog import mechanism
from textveil.errors import ParameterError, RefutedGuarantee, UnsupportedGuarantee
from textveil.privacy.guarantees import Status
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.vectors.dpnr import STEPS

ALPHA = 1e-6
WORDS = Vocabulary(["one", "two"], np.eye(2, dtype=np.float32), "tiny")


def made(name: str, **options: Any) -> Any:
    return mechanism(name, WORDS, **{"epsilon": 1.0, "vector_dim": 3, **options})


def test_cape_adds_one_vector_to_all_texts() -> None:
    found = made("cape-published")
    vectors = np.array([[0.0, 1.0, 0.5], [0.25, 0.5, 0.0]])
    released = [found.privatize_vectors(vectors, seeded_generator(seed)) for seed in (1, 2)]
    assert np.array_equal(released[0], released[1])
    assert released[0][0] - released[0][1] == pytest.approx(vectors[0] - vectors[1])
    other = made("cape-published").privatize_vectors(vectors)
    assert not np.allclose(other, released[0])  # another model, another vector
    assert np.array_equal(pickle.loads(pickle.dumps(found)).privatize_vectors(vectors), released[0])
    moved = found.privatize_vectors(np.vstack([vectors, [[0, 2.0, 0]]]))[0]
    assert moved - found.offset == pytest.approx(vectors[0] / 2)  # the batch's ends: it tells of other texts
    assert found.privatize_vectors(np.zeros((0, 3))).shape == (0, 3)
    assert "offset" not in repr(found)


def test_the_sound_cape_draws_anew() -> None:
    released = made("cape").privatize_vectors(np.zeros((2, 3)), seeded_generator(1))
    assert not np.allclose(released[0], released[1])


def test_dptext_keeps_half_of_the_numbers_and_raises_the_others() -> None:
    """Alpha 1e-6 each: the share that stays, and the law of the others; a rate 5 percent off is told apart."""
    found, count = made("dptext-published", epsilon=2.0), 20_000
    noise = found.privatize_vectors(np.full((count, 3), -1.0), seeded_generator(4))
    kept = int((noise == 0).sum())
    assert 2 * min(binom.cdf(kept, 3 * count, 0.5), binom.sf(kept - 1, 3 * count, 0.5)) > ALPHA
    assert (noise >= 0).all()
    raised = noise[noise > 0]
    assert found.scale == 1.5
    assert kstest(raised, "expon", args=(0, found.scale)).pvalue > ALPHA
    assert kstest(raised, "expon", args=(0, found.scale * 1.05)).pvalue < ALPHA


@pytest.mark.parametrize(("dim", "epsilon"), [(1, 1.0), (2, 0.5), (50, 3.0)])
def test_dptext_shows_its_input_with_the_probability_of_the_page(dim: int, epsilon: float) -> None:
    found = made("dptext-published", vector_dim=dim, epsilon=epsilon)
    exact = 1 - 2.0**-dim * math.exp(-epsilon)
    assert math.exp(found.worst_profile().log_outside.lower) == pytest.approx(exact, rel=1e-12)
    count = 20_000
    low, high = (found.privatize_vectors(np.tile(one, (count, 1)), seeded_generator(6)) for one in found.worst_inputs())
    assert (high >= 1).all()
    seen = int((low < 1).any(axis=1).sum())
    assert 2 * min(binom.cdf(seen, count, exact), binom.sf(seen - 1, count, exact)) > ALPHA


def test_the_sound_form_has_both_signs_at_the_same_scale() -> None:
    found = made("dpnr", epsilon=2.0)
    assert found.noise.scale / STEPS == pytest.approx(1.5)
    released = found.privatize_vectors(np.full((500, 3), -1.0), seeded_generator(4))
    assert 0.4 < (released < 0).mean() < 0.6


@pytest.mark.parametrize("name", ["cape-published", "dptext-published"])
def test_audits_refute_it_both_ways(name: str) -> None:
    found = made(name)
    assert found.guarantee.status is Status.REFUTED
    report = audit_mechanism(found, samples=2000, seed=1)
    assert [one.verdict for one in report.findings] == [Verdict.REFUTED, Verdict.REFUTED]
    assert report.leading.epsilon.lower == math.inf


def test_likelihood_ratios_of_what_neither_gives_are_zero() -> None:
    found = made("dptext-published", vector_dim=1)
    first, second = found.worst_inputs()
    ratios = found.log_ratio(first, second, np.array([[-1.0], [0.0], [0.5], [1.0], [2.0]]))
    assert ratios.tolist() == [0.0, math.inf, math.inf, -math.inf, -1.0]


@pytest.mark.parametrize("name", ["cape-published", "dpnr-published"])
def test_one_number_is_too_few(name: str) -> None:
    with pytest.raises(ParameterError, match=r"vector_dim must be an integer >= 2; got 1"):
        made(name, vector_dim=1)


def test_a_sanitizer_says_first_that_no_text_comes_out() -> None:
    with pytest.raises((UnsupportedGuarantee, RefutedGuarantee), match="releases vectors"):
        Sanitizer(made("dptext-published"))
