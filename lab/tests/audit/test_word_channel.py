"""The word channel of noise on a line: against integrals of the density, and verdicts that name what they speak of."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from tests.helpers.catalog import CATALOG
from tests.helpers.exactness import hockey_stick, worst_log_ratio

from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.word_channel import audit_cells, cell_table
from textveil_lab.audit.report.report import Claim, Subject, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism

NAMES = ["gaussian", "laplace", "spherical-laplace", "truncated-laplace"]


def made(name: str, points, **options):
    points = np.asarray(points, dtype=np.float32)
    words = [f"w{index}" for index in range(len(points))]
    return CATALOG[name].constructor()(Vocabulary(words, points, "line"), **{"epsilon": 1.0, "clip": None, **options})


def test_a_true_claim_of_the_word_is_certified_where_the_vector_refutes_it() -> None:
    report = audit_mechanism(made("gaussian", [[1, 0], [-1, 0]]), claim=Claim(epsilon=0.321), attacks=False)
    vector, word = report.findings[:2]
    assert (vector.subject, vector.verdict) == (Subject.NOISY_VECTOR, Verdict.REFUTED)
    assert (word.subject, word.verdict, word.method) == (Subject.WORD_CHANNEL, Verdict.CERTIFIED, "exact cells")
    assert report.verdict is Verdict.CERTIFIED
    assert report.subject is Subject.WORD_CHANNEL
    assert word.epsilon.estimate == pytest.approx(0.214, abs=5e-4)
    below = audit_mechanism(made("gaussian", [[1, 0], [-1, 0]]), claim=Claim(epsilon=0.21), attacks=False)
    assert (below.verdict, below.subject) == (Verdict.REFUTED, Subject.WORD_CHANNEL)
    assert "'w0' and 'w1'" in below.sentence() or "'w1' and 'w0'" in below.sentence()


def by_integration(mechanism, places) -> np.ndarray:
    """P(y | x) on the real line by quadrature of the noise's own density."""
    order = np.argsort(places)
    edges = (places[order][:-1] + places[order][1:]) / 2
    out = np.zeros((len(places), len(places)))
    for x, center in enumerate(places):
        bounds = np.concatenate([[center - 60], edges, [center + 60]])
        for cell, y in enumerate(order):
            low, high = bounds[cell], bounds[cell + 1]
            out[x, y] = quad(
                lambda z, center=center: math.exp(float(mechanism.distribution.log_density([[z - center]])[0])),
                low,
                high,
                points=sorted({min(max(center, low), high)}),
                limit=300,
                epsabs=1e-13,
            )[0]
    return out


@pytest.mark.parametrize("name", NAMES)
def test_cells_on_the_real_line_against_quadrature(name: str) -> None:
    places = np.array([0.5, -1.0, 2.0, 0.25])
    mechanism = made(name, places[:, None], epsilon=2.0)
    table = cell_table(mechanism)
    assert (table.lower <= table.upper).all()
    expected = by_integration(mechanism, places)
    np.testing.assert_allclose(np.exp(table.lower), expected, atol=1e-7)
    np.testing.assert_allclose(np.exp(table.upper), expected, atol=1e-7)
    exact = np.exp((table.lower + table.upper) / 2)
    np.testing.assert_allclose(exact.sum(axis=1), 1.0, rtol=1e-12)
    loss = worst_log_ratio(exact)
    for epsilon, log_delta in ((0.3, -math.inf), (0.3, math.log(0.01)), (1.9, math.log(1e-3))):
        found = audit_cells(mechanism, Claim(epsilon=epsilon, log_delta=log_delta))
        assert found.delta.lower <= hockey_stick(exact, epsilon) * (1 + 1e-9) + 1e-15
        assert found.delta.upper >= hockey_stick(exact, epsilon) * (1 - 1e-9) - 1e-15
        if log_delta == -math.inf:
            assert found.epsilon.lower <= loss * (1 + 1e-12)
            assert found.epsilon.upper >= loss * (1 - 1e-12)
        else:
            assert hockey_stick(exact, found.epsilon.upper) <= math.exp(log_delta) * (1 + 1e-6)
            assert hockey_stick(exact, found.epsilon.lower * (1 - 1e-6)) >= math.exp(log_delta) * (1 - 1e-6) or (
                found.epsilon.lower == 0
            )


@pytest.mark.parametrize("name", NAMES)
def test_what_the_catalog_promises_holds_for_the_word(name: str, rng) -> None:
    mechanism = made(name, rng.normal(size=(12, 1)), epsilon=3.0)
    report = audit_mechanism(mechanism, attacks=False)
    assert [one.verdict for one in report.findings[:2]] == [Verdict.PROVED, Verdict.CERTIFIED]
    assert not any(one.verdict.fails for one in report.findings)
    vector, word = report.findings[:2]
    assert word.epsilon.upper <= vector.epsilon.upper * (1 + 1e-9)


@pytest.mark.parametrize("name", ["gaussian", "spherical-laplace"])
def test_two_words_in_many_dimensions_against_draws(name: str, rng) -> None:
    """Hoeffding at alpha 1e-6."""
    mechanism = made(name, rng.normal(size=(2, 60)), epsilon=20.0)
    table = cell_table(mechanism)
    assert (table.upper - table.lower < 1e-3).all()
    drawn = mechanism.privatize(np.zeros(40_000, dtype=np.int64), rng)
    margin = math.sqrt(math.log(2e6) / (2 * len(drawn)))
    assert abs((drawn == 1).mean() - math.exp(table.upper[0, 1])) < margin


def test_far_cells_are_rare_and_not_impossible() -> None:
    mechanism = made("gaussian", [[0.0], [1.0], [400.0]], epsilon=500.0)
    table = cell_table(mechanism)
    sigma = mechanism.distribution.sigma
    assert table.upper[0, 1] == pytest.approx(float(np.log(norm.sf(0.5 / sigma) - norm.sf(200.5 / sigma))), rel=1e-9)
    assert math.isfinite(table.lower[0, 2])
    near = made("gaussian", [[0.0], [1e-3], [1.0]], epsilon=5000.0, delta=1e-300)
    found = audit_cells(near, Claim(epsilon=1e9))
    assert found.verdict is Verdict.CERTIFIED  # 1 and 0 lie many sigmas apart, and the loss is finite all the same
    assert 700 < found.epsilon.upper < 1e9


def test_equal_points_and_cells_out_of_reach() -> None:
    twin = made("laplace", [[0.0], [1.0], [1.0], [3.0]])
    table = cell_table(twin)
    assert (table.upper[:, 2] == -math.inf).all()
    assert audit_cells(twin, Claim(epsilon=1.0)).verdict is Verdict.CERTIFIED
    cut = CATALOG["truncated-laplace-published"].constructor()(
        Vocabulary(["a", "b"], np.array([[1.0], [-1.0]], dtype=np.float32), "line"), epsilon=0.4
    )
    assert audit_cells(cut, Claim(epsilon=0.4, log_delta=cut.guarantee.log_delta)).verdict is Verdict.CERTIFIED


def test_where_the_word_is_not_known_the_verdict_speaks_of_the_vector() -> None:
    corner = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert cell_table(made("gaussian", corner)) is None
    assert cell_table(made("laplace", [[0.0, 0.0], [1.0, 1.0]])) is None  # a sum of two Laplace coordinates
    assert cell_table(made("laplace", [[0.0, 0.0], [1.0, 0.0]])) is not None
    assert cell_table(made("gaussian", np.arange(300.0)[:, None])) is None
    assert cell_table(made("gaussian", [[0.0, 0.0], [1.0, 3.0], [2.0, 6.0], [-1.0, -3.0]])) is not None
    assert cell_table(made("gaussian", [[0.0, 0.0], [1.0, 3.0], [2.0, 6.0000005]])) is None
    report = audit_mechanism(made("gaussian", corner), claim=Claim(epsilon=1.0), attacks=False)
    assert [one.subject for one in report.findings] == [Subject.NOISY_VECTOR]


def test_resampling_keeps_what_is_certified_and_hides_what_is_refuted() -> None:
    mechanism = made("gaussian", [[1, 0], [-1, 0]], rank_constant=1.0)
    assert audit_cells(mechanism, Claim(epsilon=0.321)).verdict is Verdict.CERTIFIED
    assert audit_cells(mechanism, Claim(epsilon=0.1)) is None
