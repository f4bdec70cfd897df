"""Claims near the largest float: an infinite loss refutes them, and nothing overflows on the way to the report."""

import sys

import numpy as np
import pytest
from tests.helpers.catalog import as_listed

import textveil as tv
from textveil.statistics import Bound
from textveil_lab.audit.channels.exact import audit_channel
from textveil_lab.audit.limits import check_unchanged
from textveil_lab.audit.report.page import to_html
from textveil_lab.audit.report.report import Claim, Verdict

HUGE = (800.0, 1e308, sys.float_info.max)


@pytest.mark.parametrize("epsilon", HUGE)
@pytest.mark.parametrize("log_delta", [-np.inf, -1.0])
def test_disjoint_rows_are_refuted_at_every_finite_epsilon(epsilon: float, log_delta: float) -> None:
    claim = Claim(epsilon=epsilon, log_delta=log_delta)
    finding = audit_channel(np.eye(3), claim)
    assert finding.verdict is Verdict.REFUTED
    assert finding.delta.lower == pytest.approx(1.0)
    assert all(np.isfinite(one) for one, _ in finding.profile)
    shared = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    assert audit_channel(shared, Claim(epsilon=epsilon)).verdict is Verdict.REFUTED
    assert audit_channel(shared, Claim(epsilon=epsilon, log_delta=float(np.log(0.5)))).verdict is Verdict.CERTIFIED
    assert audit_channel(np.full((2, 2), 0.5), claim).verdict is Verdict.CERTIFIED


@pytest.mark.parametrize("epsilon", HUGE)
@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("exponential", Verdict.CERTIFIED),
        ("custext-published", Verdict.REFUTED),
        ("laplace", Verdict.PROVED),
        ("gaussian", Verdict.REFUTED),
        ("truncated-laplace", Verdict.REFUTED),
        ("dpnr-published", Verdict.REFUTED),
        ("mahalanobis-published", None),
    ],
)
def test_every_method_and_its_page_take_a_huge_claim(tiny, epsilon: float, name: str, verdict: Verdict | None) -> None:
    mechanism = tv.mechanism(name, tiny, **as_listed(name))
    report = tv.audit(mechanism, claim=Claim(epsilon=epsilon), attacks=False, seed=1)
    assert verdict in (None, report.verdict)
    page = to_html(report)
    assert "inf," not in page and "nan" not in page
    assert report.summary()


@pytest.mark.parametrize("epsilon", HUGE)
def test_the_limit_of_unchanged_words_takes_a_huge_claim(epsilon: float) -> None:
    kept = Bound(0.9, 0.95, 1.0, 0.999)
    for finding in (
        check_unchanged(kept, Claim(epsilon=epsilon), words=1000),
        check_unchanged(kept, Claim(epsilon=epsilon), max_prior=0.01),
    ):
        assert finding.verdict is Verdict.NOT_REFUTED
        assert finding.delta.lower == 0.0
