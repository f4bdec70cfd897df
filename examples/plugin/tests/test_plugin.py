"""Both mechanisms against their declarations and proofs, and through every command of textveil."""

import json
import math
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from textveil_plugin.frequency_window import FrequencyWindow, frequency_window
from textveil_plugin.logistic import Logistic, log_delta_of_tails, logistic

import textveil as tv
from textveil.errors import ParameterError
from textveil.testing import check_mechanism
from textveil_lab.audit.report.report import Claim
from textveil_lab.audit.whole_audit import audit_mechanism

NAMES = ("frequency-window", "logistic")
ALPHA = 1e-6


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty words in eight dimensions, as a file."""
    rows = np.random.default_rng(3).normal(size=(40, 8))
    path = tmp_path_factory.mktemp("vectors") / "words.txt"
    letters = (chr(97 + index // 26) + chr(97 + index % 26) for index in range(40))
    path.write_text("".join(f"word{end} {' '.join(map(str, row))}\n" for end, row in zip(letters, rows, strict=True)))
    return path


@pytest.fixture(scope="module")
def vocabulary(words: Path) -> tv.Vocabulary:
    """The words, read."""
    return tv.load_vocabulary(words)


def test_they_are_what_they_declare(vocabulary: tv.Vocabulary) -> None:
    check_mechanism(frequency_window, vocabulary)
    check_mechanism(frequency_window, vocabulary, epsilon=20.0, window=40)
    check_mechanism(logistic, vocabulary)
    check_mechanism(logistic, vocabulary, epsilon=3.0, clip=0.5, projection="numpy")


@pytest.mark.parametrize("window", [1, 7, 40])
def test_the_windows_guarantee_is_certified_and_a_smaller_claim_refuted(vocabulary: tv.Vocabulary, window: int) -> None:
    made = frequency_window(vocabulary, epsilon=2.0, window=window)
    assert audit_mechanism(made, attacks=False).verdict.value == "certified"
    claim = tv.PureDP(epsilon=1.9)
    smaller = FrequencyWindow(vocabulary, made.weights, claim)
    assert audit_mechanism(smaller, attacks=False).verdict.value == ("certified" if window == 40 else "refuted")


def test_every_window_has_its_word_and_one_size(vocabulary: tv.Vocabulary) -> None:
    weights = frequency_window(vocabulary, epsilon=2.0, window=7).integer_weights(np.arange(40))
    inside = weights == weights.max()
    assert inside.sum(axis=1).tolist() == [7] * 40
    assert inside[np.arange(40), np.arange(40)].all()
    assert [int(np.flatnonzero(row)[0]) for row in inside[[0, 3, 20, 39]]] == [0, 0, 17, 33]
    with pytest.raises(ParameterError, match="window must be at most 40"):
        frequency_window(vocabulary, epsilon=2.0, window=41)


def test_the_windows_draws_follow_its_rows(vocabulary: tv.Vocabulary) -> None:
    made, draws = frequency_window(vocabulary, epsilon=2.0, window=7), 40_000
    drawn = made.privatize(np.full(draws, 20), tv.seeded_generator(1))
    counts = np.bincount(drawn, minlength=40)
    assert stats.chisquare(counts, made.probabilities(20) * draws).pvalue > ALPHA
    assert stats.chisquare(counts, made.probabilities(23) * draws).pvalue < ALPHA


def test_the_noise_is_logistic() -> None:
    noise = Logistic(dim=3, scale=0.7)
    drawn = noise.sample(20_000, tv.seeded_generator(1), np.float64)
    assert stats.kstest(drawn.ravel(), stats.logistic(scale=0.7).cdf).pvalue > ALPHA
    assert stats.kstest(drawn.ravel(), stats.logistic(scale=0.7 * 1.05).cdf).pvalue < ALPHA
    assert drawn.var() == pytest.approx(noise.variance, rel=0.03)
    points = np.random.default_rng(2).normal(size=(50, 3)) * 5
    expected = stats.logistic(scale=0.7).logpdf(points).sum(axis=1)
    np.testing.assert_allclose(noise.log_density(points), expected, rtol=1e-12)


def test_the_log_density_is_no_steeper_than_the_proof_says() -> None:
    noise, rng = Logistic(dim=4, scale=0.3), np.random.default_rng(5)
    first, second = rng.normal(size=(2, 2000, 4)) * np.geomspace(1e-3, 30, 2000)[:, None]
    loss = np.abs(noise.log_density(first) - noise.log_density(second))
    bound = np.abs(first - second).sum(axis=1) / 0.3
    assert bool((loss <= bound * (1 + 1e-9) + 1e-9).all())
    assert float((loss / bound).max()) > 0.9


def test_delta_is_that_of_the_tails_and_too_large_ones_are_refused(vocabulary: tv.Vocabulary) -> None:
    made = logistic(vocabulary, epsilon=8.0)
    exact = math.log1p(math.exp(8.0)) + math.log(8) - 52 * math.log(2)
    assert isinstance(made.guarantee, tv.ApproximateDP)
    assert exact <= made.guarantee.log_delta <= exact * (1 - 1e-9)
    assert math.exp(log_delta_of_tails(8.0, 300)) == pytest.approx(2.0e-10, rel=0.01)
    last = math.log(2**53 - 1)
    assert 2 / (1 + math.exp(last)) == pytest.approx(2.0**-52)
    with pytest.raises(ParameterError, match=r"epsilon must be below .* in 8 dimensions"):
        logistic(vocabulary, epsilon=22.0)


@pytest.mark.parametrize("shift", [0.2, 1.0, 4.0, 15.0])
def test_the_profile_bounds_delta_in_one_dimension(shift: float) -> None:
    profile = Logistic(dim=1, scale=0.5).privacy_profile([shift])
    assert profile.largest_loss == shift / 0.5
    density = stats.logistic(scale=0.5)
    points = np.linspace(-40, 40 + shift, 2_000_001)
    here, moved = density.pdf(points), density.pdf(points - shift)
    for share in (0.0, 0.3, 0.8, 0.99):
        found = profile.log_delta(share * profile.largest_loss)
        exact = np.trapezoid(np.maximum(here - math.exp(share * profile.largest_loss) * moved, 0.0), points)
        assert -math.inf < found.lower <= math.log(exact) + 1e-4
        assert math.log(exact) - 1e-4 <= found.upper <= 0
    assert profile.log_delta(profile.largest_loss).upper == -math.inf


def test_an_audit_proves_the_noise_and_refutes_a_smaller_claim(vocabulary: tv.Vocabulary) -> None:
    made = logistic(vocabulary, epsilon=2.0)
    verdicts = {finding.verdict.value for finding in audit_mechanism(made, attacks=False).findings}
    assert verdicts == {"proved"}
    report = audit_mechanism(made, claim=Claim(epsilon=0.2, log_delta=-30.0), attacks=False)
    assert report.findings[0].verdict.value == "refuted"


needs_installation = pytest.mark.skipif(
    not {point.name for point in entry_points(group="textveil.mechanisms")} >= set(NAMES),
    reason="the package is not installed: pip install ./examples/plugin",
)


def _textveil(*arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", "textveil", *arguments], input=stdin, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_installation
@pytest.mark.parametrize("name", NAMES)
def test_every_command_knows_them(name: str, words: Path, tmp_path: Path) -> None:
    own = ("--vocabulary", str(words), "--mechanism", name, "--epsilon", "2")
    option = {"frequency-window": ("--window", "5"), "logistic": ("--clip", "2")}[name]
    catalog = {row["name"]: row for row in json.loads(_textveil("mechanisms", "--json"))}
    assert catalog[name]["status"] == "proved"
    assert option[0][2:] in catalog[name]["options"]
    explained = json.loads(_textveil("explain", *own, *option, "--json", "--word", "wordab"))
    assert explained["mechanism"]["parameters"][option[0][2:]] == float(option[1])
    report = tmp_path / "report.json"
    released = _textveil("sanitize", *own, *option, "--report", str(report), stdin="Worda, wordb and 12 more.")
    assert len(released.split()) == 5
    assert json.loads(report.read_text())["mechanism"]["name"] == name
    audited = json.loads(_textveil("audit", *own, *option, "--no-attacks", "--samples", "2000", "--json"))
    assert audited["verdict"] in ("certified", "not refuted", "proved")
    assert option[0] in _textveil("sanitize", "--help-all")
