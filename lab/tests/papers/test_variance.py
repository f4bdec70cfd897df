"""Theorem 4 of the truncated Laplace paper: variances by integration, and the region where the comparison holds."""

import math

import pytest
from scipy.integrate import quad

from textveil.errors import ParameterError
from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.noise.truncation import published_truncation
from textveil_lab.papers.report import paper
from textveil_lab.papers.setting import StudySetting
from textveil_lab.papers.truncated_laplace.facts import DIM, EPSILONS, LOG_DELTA
from textveil_lab.papers.truncated_laplace.variance import (
    compare,
    gaussian_variance,
    laplace_variance,
    published_holds_below,
    published_limit,
    published_variance,
    valid_holds_below,
    valid_variance,
)


def integrated(scale: float, bound: float) -> float:
    """Variance of Laplace noise of this scale, cut off at the bound."""
    mass, _ = quad(lambda x: math.exp(-x / scale), 0, bound)
    square, _ = quad(lambda x: x * x * math.exp(-x / scale), 0, bound)
    return square / mass


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0, 10.0, 20.0])
def test_the_published_variance_is_that_of_the_density(epsilon) -> None:
    padded = {10.0: 500, 20.0: 1700}.get(epsilon, DIM)
    scale = 2 * math.sqrt(padded) / epsilon
    bound = -scale * math.log(1 - epsilon / (2 * 0.25 * math.sqrt(padded)))
    assert published_variance(epsilon) == pytest.approx(integrated(scale, bound), rel=1e-9)


def test_at_small_epsilon_the_published_noise_is_uniform_whatever_epsilon_is() -> None:
    """On [-4 C, 4 C]: variance 16 / 3, to first order in epsilon."""
    assert published_variance(1e-6) == pytest.approx(16 / 3, rel=1e-6)
    lengths = [published_variance(one) for one in EPSILONS]
    assert lengths == sorted(lengths)


def test_laplace_beats_the_gaussian_exactly_below_the_theorem_s_delta() -> None:
    edge = math.log(1.25) - DIM
    for epsilon in (0.05, 1.0, 20.0):
        assert laplace_variance(epsilon) == pytest.approx(gaussian_variance(epsilon, edge), rel=1e-12)
        assert laplace_variance(epsilon) < gaussian_variance(epsilon, edge - 1)
        assert laplace_variance(epsilon) > gaussian_variance(epsilon, edge + 1)
    assert gaussian_variance(1.0, LOG_DELTA) / laplace_variance(1.0) == pytest.approx(1.387, abs=1e-3)


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.7, 1.0, 1.4])
def test_the_region_of_the_published_bound_ends_where_the_variances_meet(rate) -> None:
    log_delta = -rate * DIM
    top, edge = published_limit(DIM, log_delta), published_holds_below(DIM, log_delta)
    assert 0 < edge <= top
    for epsilon in (0.5 * edge, 0.999 * edge):
        assert published_variance(epsilon, DIM, log_delta) < gaussian_variance(epsilon, log_delta)
    if rate >= 1:
        assert edge == top
    else:
        above = edge + 1e-6 * top
        assert above >= top or published_variance(above, DIM, log_delta) > gaussian_variance(above, log_delta)


@pytest.mark.parametrize("dim", [30, DIM])
def test_the_region_of_the_valid_bound(dim) -> None:
    edge = valid_holds_below(1.0, dim)
    inside, outside = compare(1.0, edge / 2, dim), compare(1.0, edge * 2, dim)
    assert inside.valid < inside.analytic
    assert outside.valid > outside.analytic
    assert valid_holds_below(1.0, 1) == 0.1


def test_the_comparison_in_one_place() -> None:
    found = compare(1.0, 1e-5)
    known = published_truncation(dim=DIM, epsilon=1.0, clip=1.0, log_delta=math.log(1e-5))
    assert found.published == pytest.approx(integrated(known.scale, known.bound), rel=1e-9)
    assert found.valid == valid_variance(1.0, 1e-5) < found.laplace
    assert found.analytic < found.classical < found.laplace
    assert compare(1000.0, 1e-5).published is None
    with pytest.raises(ParameterError, match="delta"):
        compare(1.0, 0.0)


def test_the_item_says_what_was_found() -> None:
    pytest.importorskip("matplotlib", exc_type=ImportError)
    (item,) = paper("truncated-laplace").chosen(["variance"])
    vocabulary = first_words(load_vocabulary(), 50)
    outcome = item.run(StudySetting(vocabularies=(vocabulary,), origin="embedded", quick=True))
    assert "1.39 times the variance" in outcome.findings[0]
    assert "2.0 times as long as plain Laplace noise" in outcome.findings[2]
    rows = outcome.tables[""].rows
    assert [row[0] for row in rows] == list(EPSILONS)
    # The sentence on valid Gaussian noise: longer from epsilon 5 on, and not before.
    assert [row[1] > row[5] for row in rows] == [False] * 5 + [True] * 3
