"""What the catalog calls proved is accused by sampling in no more runs than the confidence allows.

200 seeds for each mechanism at 99.9 %, at the farthest pair of a small vocabulary. With accusations of
probability at most 0.001 a run, more than 5 in 200 have probability below 1e-7 (alpha).
"""

import numpy as np
import pytest
from scipy.stats import binom
from tests.helpers.catalog import CATALOG, usual
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.privacy.guarantees import Status
from textveil.vocabulary.grid import integer_grid
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.sampled.draws import audit_mechanism_sampled
from textveil_lab.audit.whole_audit import claim_of
from textveil_lab.mechanisms.capabilities import WithinGroups
from textveil_lab.vocabulary.grid_distances import distances_on

PROVED = [name for name, one in CATALOG.items() if one.words_alone and one.status is Status.PROVED and not one.needs]
RUNS, SAMPLES, CONFIDENCE = 200, 1200, 0.999
MOST = 5

SMALL = made_vocabulary(6, dim=2)


def _farthest() -> tuple[int, int]:
    distances = distances_on(integer_grid(SMALL), np.arange(6), 1.0)
    first, second = np.unravel_index(int(distances.argmax()), distances.shape)
    return int(first), int(second)


def test_the_number_of_accusations_allowed_is_what_the_confidence_says() -> None:
    assert binom.sf(MOST, RUNS, 1 - CONFIDENCE) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("name", PROVED)
def test_a_proved_mechanism_is_hardly_ever_accused(name: str, rng) -> None:
    made = mechanism(name, SMALL, **usual(name))
    accused = 0
    pairs = None if isinstance(made, WithinGroups) else [_farthest()]  # of others, random ones of their groups
    for seed in rng.integers(0, 2**32, RUNS):
        found = audit_mechanism_sampled(
            made, pairs=pairs, samples=SAMPLES, confidence=CONFIDENCE, rng=np.random.default_rng(int(seed))
        )
        accused += found.verdict is Verdict.REFUTED
    assert accused <= MOST


@pytest.mark.parametrize("name", ["neighborhood", "randomized-response"])
def test_a_claim_of_half_the_epsilon_is_found(name: str, rng) -> None:
    """The same test would notice: these two spend their whole budget on a pair."""
    made = mechanism(name, SMALL, epsilon=2.0)
    claim = Claim(epsilon=claim_of(made.guarantee).epsilon / 2)
    found = audit_mechanism_sampled(made, claim, samples=20_000, confidence=CONFIDENCE, rng=rng)
    assert found.verdict is Verdict.REFUTED
