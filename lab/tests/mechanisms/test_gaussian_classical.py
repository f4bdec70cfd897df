"""The classical Gaussian: proved up to epsilon 1 and refused above it; at any epsilon, a claim that is computed."""

import math
import re
from pathlib import Path

import mpmath
import pytest

import textveil_lab
from textveil.catalog import mechanism
from textveil.errors import ParameterError, RefutedGuarantee
from textveil.privacy.composition import gaussian_log_delta
from textveil.privacy.guarantees import ApproximateDP, Status
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import audit_noise
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.noise.gaussian import Gaussian

PUBLISHED = "gaussian-classical-published"
PAGE = Path(textveil_lab.__file__).parent / "proofs/gaussian_classical_published.md"


def made(name: str, vocabulary: Vocabulary, **options: float | None) -> tuple[PerturbProject, ApproximateDP, float]:
    found = mechanism(name, vocabulary, **options)
    assert isinstance(found, PerturbProject)
    assert isinstance(found.distribution, Gaussian)
    assert isinstance(found.guarantee, ApproximateDP)
    return found, found.guarantee, found.distribution.sigma


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0])
def test_it_is_the_formula_at_the_exact_diameter(tiny: Vocabulary, epsilon: float) -> None:
    found, guarantee, sigma = made("gaussian-classical", tiny, epsilon=epsilon, delta=1e-6)
    same = mechanism("gaussian", tiny, epsilon=epsilon, delta=1e-6, calibration="classical")
    assert sigma == same.distribution.sigma  # type: ignore[attr-defined]
    assert guarantee == same.guarantee
    assert sigma > made("gaussian", tiny, epsilon=epsilon, delta=1e-6)[2]
    assert audit_noise(found).verdict is Verdict.PROVED


@pytest.mark.parametrize("epsilon", [math.nextafter(1.0, 2.0), 8.0, math.inf])
def test_above_one_it_is_refused_with_what_to_use(tiny: Vocabulary, epsilon: float) -> None:
    with pytest.raises(ParameterError, match=r"^epsilon must be in \(0, 1\]; .*Use gaussian: it holds at any epsilon"):
        mechanism("gaussian-classical", tiny, epsilon=epsilon)


def _exact(epsilon: float, log_delta: mpmath.mpf) -> mpmath.mpf:
    """The least delta of the formula, divided by the claimed one."""
    c = mpmath.sqrt(2 * (mpmath.log(mpmath.mpf("1.25")) - log_delta))
    half = epsilon / c / 2
    least = mpmath.ncdf(half - c) - mpmath.exp(epsilon) * mpmath.ncdf(-half - c)
    return least / mpmath.exp(log_delta)


@pytest.mark.slow
def test_the_exact_delta_of_the_formula_is_what_the_page_says() -> None:
    rows = re.findall(r"^\| (1e-5|4\^-\d+) \| (\d+) \| ([\d.]+) \| (holds|false) \|$", PAGE.read_text(), re.MULTILINE)
    assert len(rows) == 11
    with mpmath.workdps(1200):
        for delta, epsilon, printed, verdict in rows:
            log_delta = mpmath.log(mpmath.mpf(10) ** -5) if delta == "1e-5" else -int(delta[3:]) * mpmath.log(4)
            ratio = _exact(int(epsilon), log_delta)
            assert float(ratio) == pytest.approx(float(printed), rel=6e-3)
            assert (ratio <= 1) == (verdict == "holds")
            sigma = math.sqrt(2 * (math.log(1.25) - float(log_delta))) / int(epsilon)
            ours = gaussian_log_delta(int(epsilon), sigma, 1.0) - float(log_delta)
            assert ours == pytest.approx(float(mpmath.log(ratio)), abs=1e-6)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"epsilon": 0.5, "delta": 1e-5}, Status.PROVED),
        ({"epsilon": 5.0, "delta": 1e-5}, Status.PROVED),
        ({"epsilon": 40.0, "delta": 1e-5}, Status.REFUTED),
        ({"epsilon": 40.0}, Status.REFUTED),
        ({"epsilon": 20.0, "noise_dim": 1700}, Status.PROVED),
    ],
)
def test_the_published_use_is_judged_by_its_exact_delta(
    tiny: Vocabulary, options: dict[str, float], status: Status
) -> None:
    found, guarantee, sigma = made(PUBLISHED, tiny, **options)
    assert guarantee.status is status
    verdict = Verdict.PROVED if status is Status.PROVED else Verdict.REFUTED
    assert audit_noise(found, Claim(epsilon=guarantee.epsilon, log_delta=guarantee.log_delta)).verdict is verdict
    log_delta = math.log(options["delta"]) if "delta" in options else -options.get("noise_dim", 8) * math.log(4)
    assert guarantee.log_delta == pytest.approx(log_delta)
    assert sigma**2 == pytest.approx(8 * (math.log(1.25) - log_delta) / options["epsilon"] ** 2)


def test_a_refuted_use_is_refused_for_release(tiny: Vocabulary) -> None:
    with pytest.raises(RefutedGuarantee, match=r"gaussian_classical_published.md\). Use gaussian"):
        Sanitizer(mechanism(PUBLISHED, tiny, epsilon=40.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 2.0, "clip": None}, "clip must be a norm"),
        ({"epsilon": 2.0, "delta": 1e-5, "noise_dim": 300}, "noise_dim must be left out where delta is given"),
    ],
)
def test_options_that_the_formula_cannot_take(tiny: Vocabulary, options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mechanism(PUBLISHED, tiny, **options)
