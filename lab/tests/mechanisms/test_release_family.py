"""Every mechanism of the catalog that releases vectors or sets: fresh draws, a cut domain, fitting audits."""

from typing import Any

import numpy as np
import pytest
from tests.helpers.catalog import CATALOG
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.privacy.guarantees import Status
from textveil.randomness import seeded_generator
from textveil_lab.audit.report.report import Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.capabilities import LikelihoodRatio, WorstInputs, released

WORDS = made_vocabulary(30, 6)
EVERY = [name for name, one in CATALOG.items() if not one.draws_text]
NOT_FRESH = ("cape-published",)
"""One noise vector for all texts is its published fault."""


def made(name: str, **options: Any) -> Any:
    return mechanism(name, WORDS, **{"epsilon": 4.0, **options})


@pytest.mark.parametrize("name", EVERY)
def test_every_input_of_a_batch_gets_noise_of_its_own(name: str) -> None:
    found = made(name, epsilon=1.0)
    one = np.zeros(()) if CATALOG[name].family == "sets" else np.linspace(-0.5, 0.5, found.dim)
    rows = released(found, one, 40, seeded_generator(1))
    distinct = len(np.unique(rows, axis=0))
    assert (distinct == 1) if name in NOT_FRESH else (distinct > 3)
    again = released(found, one, 40, seeded_generator(2))
    assert np.array_equal(rows, again) == (name in NOT_FRESH)


@pytest.mark.parametrize("name", EVERY)
def test_an_exact_audit_and_a_sampled_one_fit_the_status(name: str) -> None:
    found = made(name)
    assert isinstance(found, WorstInputs) and isinstance(found, LikelihoodRatio)
    exact, sampled = audit_mechanism(found, samples=6000, seed=5).findings
    refuted = found.guarantee.status is Status.REFUTED
    assert exact.verdict is (Verdict.REFUTED if refuted else Verdict.PROVED)
    assert sampled.verdict is (Verdict.REFUTED if refuted else Verdict.NOT_REFUTED)
    assert exact.delta.lower <= sampled.delta.upper
    assert sampled.epsilon.lower <= exact.epsilon.upper


@pytest.mark.parametrize("name", ["dpnr", "cape", "dptext-published"])
def test_numbers_beyond_the_ends_count_as_the_ends(name: str) -> None:
    found = made(name, lowest=-2.0, highest=3.0)
    beyond = [[-1e9, 1e300, 3.5, -2.0, 3.0, -7.0]]
    ends = [[-2.0, 3.0, 3.0, -2.0, 3.0, -2.0]]
    far, near = (found.privatize_vectors(one, seeded_generator(1)) for one in (beyond, ends))
    assert np.array_equal(far, near)
    assert found.cube.scaled(ends)[0].tolist() == [0.0, 1.0, 1.0, 0.0, 1.0, 0.0]
    middle = found.privatize_vectors([[0.5] * 6], seeded_generator(1))
    assert not np.array_equal(middle, near)
