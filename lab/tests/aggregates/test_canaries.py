"""A person inserted into a corpus: an honest release is not refuted, one without noise is."""

import numpy as np
import pytest

from textveil.errors import ParameterError
from textveil.numerics.discrete_noise import DiscreteGaussian
from textveil_lab.audit.canaries import ATTACKS, SHORTCUTS, audit_aggregate
from textveil_lab.audit.report.report import Verdict


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(ATTACKS) - set(SHORTCUTS)))
def test_an_honest_release_is_not_refuted(name: str) -> None:
    """Confidence 1 - 1e-6."""
    report = audit_aggregate(name, epsilon=1.0, delta=0.01, samples=500, confidence=1 - 1e-6)
    assert report.leading.verdict is Verdict.NOT_REFUTED and report.leading.epsilon.lower < 1.0


@pytest.mark.slow
def test_a_release_without_noise_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: noise is left out."""
    monkeypatch.setattr(DiscreteGaussian, "sample", lambda _, count, __: np.zeros(count, dtype=np.int64))
    report = audit_aggregate("learn", epsilon=1.0, delta=0.01, copies=3, samples=500, confidence=1 - 1e-6)
    assert report.verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", SHORTCUTS)
def test_a_shortcut_is_refuted(name: str) -> None:
    """Confidence 1 - 1e-6; the bound of the largest person needs a canary that is much larger."""
    copies = 2_000 if name == "private-bound" else 1
    report = audit_aggregate(name, epsilon=1.0, delta=0.01, copies=copies, samples=120, confidence=1 - 1e-6, seed=1)
    assert report.verdict is Verdict.REFUTED


def test_bad_requests_are_one_line() -> None:
    with pytest.raises(ParameterError, match="aggregate must be one of count, learn, synthesize, unselected-words"):
        audit_aggregate("sum", epsilon=1.0, delta=0.01)
    with pytest.raises(ParameterError, match="delta must be in"):
        audit_aggregate("learn", epsilon=1.0, delta=0.0)
    with pytest.raises(ParameterError, match="copies must be >= 1"):
        audit_aggregate("learn", epsilon=1.0, delta=0.01, copies=0)
