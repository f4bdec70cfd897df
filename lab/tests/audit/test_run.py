"""Audits put together: the catalog keeps its promises, foreign code is judged, and fails without words in messages."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from tests.helpers.catalog import CATALOG, as_listed
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.privacy.guarantees import NoGuarantee, Status
from textveil_lab.audit.report.report import Claim, Subject, Verdict
from textveil_lab.audit.sampled.bounds import Interrupted
from textveil_lab.audit.whole_audit import audit_callable, audit_mechanism, claim_of
from textveil_lab.mechanisms.capabilities import NearestSearch, WithinGroups

SEEDS, CONFIDENCE = 100, 0.999
ALLOWED = int(binom.isf(1e-6, SEEDS, 1 - CONFIDENCE))
"""More accusations than this in as many runs at 99.9 % have probability below 1e-6."""

FOREIGN = """
import random

def clean(words):
    return [random.choice(["red", "blue"]) for _ in words]

def identity(words):
    return list(words)

def late(words):
    if "secretword" in words:
        raise ValueError("secretword")
    return [random.choice(["red", "blue"]) for _ in words]
"""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "foreign_run.py").write_text(FOREIGN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "foreign_run", raising=False)
    return "foreign_run"


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOG)
def test_the_catalog_keeps_what_it_promises(tiny, name: str) -> None:
    few = {"dp-fusion": 300, "sense-laplace": 2000}.get(name, 0)  # texts that take long; as many as are needed else
    entry, mechanism = CATALOG[name], tv.mechanism(name, tiny, **as_listed(name))
    if isinstance(mechanism, NearestSearch) and not mechanism.projection.exact:
        with pytest.raises(UnsupportedGuarantee, match="exact search"):
            tv.audit(mechanism)
        return
    report = tv.audit(mechanism, samples=few, seed=1)
    if not entry.words_alone:
        computed = report.subject is Subject.NOISY_CODE or not entry.draws_text
        sound = Verdict.PROVED if computed else Verdict.NOT_REFUTED
        expected = Verdict.REFUTED if entry.status is Status.REFUTED else sound
        assert (report.verdict, report.attacks) == (expected, ())
        return
    if entry.status is Status.REFUTED:
        assert report.verdict is Verdict.REFUTED
    else:
        sampled = isinstance(mechanism, WithinGroups) and entry.family != "channel"  # no closed form within groups
        exact = Verdict.CERTIFIED if entry.family == "channel" else Verdict.PROVED
        assert report.verdict is (Verdict.NOT_REFUTED if sampled else exact)
    (attack,) = report.attacks
    success = attack["success"]
    assert 0 <= success["lower"] <= success["estimate"] <= success["upper"] <= 1
    assert (success["confidence"] == 1.0) == (entry.family == "channel")
    assert report.vocabulary["words"] == len(mechanism.vocabulary)
    json.loads(report.to_json(), parse_constant=pytest.fail)


@pytest.mark.parametrize("name", ["randomized-response", "gaussian", "laplace"])
def test_a_claim_below_the_truth_is_refuted(tiny, name: str) -> None:
    made = tv.mechanism(name, tiny, epsilon=2.0)
    claim = Claim(epsilon=1.0, log_delta=claim_of(made.guarantee).log_delta)
    report = audit_mechanism(made, claim=claim, attacks=False)
    assert report.verdict is Verdict.REFUTED
    assert report.leading.epsilon.lower > 1.0
    assert report.attacks == ()


def test_samples_add_a_finding_that_does_not_hide_the_exact_one(tiny) -> None:
    made = tv.mechanism("neighborhood", tiny, epsilon=1.0)
    report = audit_mechanism(made, samples=4000, seed=5, attacks=False)
    assert [one.method for one in report.findings] == ["exact channel", "sampled"]
    assert report.verdict is Verdict.CERTIFIED
    assert report.findings[1].samples > 0
    again = audit_mechanism(made, samples=4000, seed=5, attacks=False)
    assert again.findings == report.findings


@pytest.mark.slow
def test_sampling_accuses_no_more_often_than_its_confidence_allows() -> None:
    made = tv.mechanism("randomized-response", made_vocabulary(3, 4), epsilon=1.0)
    accused = found = 0
    for seed in range(SEEDS):
        report = audit_mechanism(made, samples=400, confidence=CONFIDENCE, seed=seed, attacks=False)
        accused += report.verdict is Verdict.REFUTED
    for seed in range(10):  # what it must tell apart: a claim that is false by far
        report = audit_mechanism(
            made, claim=Claim(epsilon=0.2), samples=4000, confidence=CONFIDENCE, seed=seed, attacks=False
        )
        found += report.findings[1].verdict is Verdict.REFUTED
    assert accused <= ALLOWED
    assert found == 10


def test_what_claims_nothing_needs_a_claim() -> None:
    with pytest.raises(UnsupportedGuarantee, match="State a claim"):
        claim_of(NoGuarantee(reason="none"))


@pytest.mark.parametrize("options", [{"samples": -1}, {"confidence": 1.0}, {"confidence": math.nan}, {"seed": -1}])
def test_arguments_outside_their_domain(tiny, options) -> None:
    with pytest.raises(ParameterError):
        audit_mechanism(tv.mechanism("neighborhood", tiny, epsilon=1.0), **options)


@pytest.mark.parametrize(("name", "verdict"), [("clean", Verdict.NOT_REFUTED), ("identity", Verdict.REFUTED)])
def test_foreign_code(foreign: str, name: str, verdict: Verdict) -> None:
    report = audit_callable(
        f"{foreign}:{name}", Claim(epsilon=1.0), words=["red", "blue"], samples=600, batch=50, hygiene=False
    )
    assert report.verdict is verdict
    assert report.vocabulary == {}
    assert report.leading.samples == 1200


@pytest.mark.slow
def test_hygiene_stands_in_the_report(foreign: str) -> None:
    report = audit_callable(f"{foreign}:identity", Claim(epsilon=1.0), words=["red", "blue"], samples=600, batch=50)
    assert {check["check"] for check in report.hygiene if not check["passed"]} >= {"unknown words", "input word"}
    assert "FAILED" in report.summary()


def test_a_failure_late_keeps_the_evidence_and_no_word(foreign: str) -> None:
    words = ["red", "blue", "secretword"]
    with pytest.raises(Interrupted) as caught:
        audit_callable(f"{foreign}:late", Claim(epsilon=1.0), words=words, samples=600, batch=50, hygiene=False)
    assert caught.value.partial is not None
    assert "Until then" in str(caught.value)
    assert "secretword" not in str(caught.value)


@pytest.mark.parametrize(
    "first", ["", "import textveil_lab.audit.channels.exact; import textveil_lab.audit.whole_audit;"]
)
def test_the_package_can_be_called(first: str) -> None:
    program = (
        f"{first}import textveil as tv, numpy as np; from textveil.vocabulary.vocabulary import Vocabulary;"
        "v = Vocabulary(['one', 'two', 'three'], np.eye(3, dtype=np.float32), 'made');"
        "m = tv.mechanism('randomized-response', v, epsilon=1.0);"
        "print(tv.audit(m).verdict.value); import textveil_lab.audit.sampled.bounds; print(tv.audit(m).verdict.value)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.split() == ["certified", "certified"]


def test_a_shared_distribution_is_not_mistaken_for_noise(tiny) -> None:
    """Channels and noise take different routes; both give a profile that falls."""
    for name in ("neighborhood", "gaussian"):
        profile = np.array(tv.audit(tv.mechanism(name, tiny, epsilon=1.0), attacks=False).leading.profile)
        assert (np.diff(profile[:, 0]) > 0).all()
        assert (np.diff(profile[:, 1]) <= 1e-12).all()


class Unprofiled:
    """Noise of which only draws and a density are known."""

    def __init__(self, distribution) -> None:
        self.dim, self.variance = distribution.dim, distribution.variance
        self.sample, self.log_density = distribution.sample, distribution.log_density


def test_noise_that_offers_no_profile_is_sampled(tiny) -> None:
    made = tv.mechanism("laplace", tiny, epsilon=2.0)
    unknown = replace(made, distribution=Unprofiled(made.distribution))
    report = audit_mechanism(unknown, samples=2000, seed=1, attacks=False)
    assert [one.method for one in report.findings] == ["sampled"]
    assert report.verdict is Verdict.NOT_REFUTED
