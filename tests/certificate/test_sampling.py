"""The draw of pages: exact laws on small corpora, and what a file of marks must record of it."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.certificate import sampling
from textveil.certificate.sampling import EVEN, MEAN, Draw, Sample, draw_pages
from textveil.errors import ParameterError

ALPHA = 1e-6


def test_orders_have_the_law_of_drawing_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chi-square test over all orders of three pages at alpha 1e-6; an even draw is refuted by it.

    Weights differ by more than they do outside of this test, so that few draws show it.
    """
    monkeypatch.setattr(sampling, "EVEN", 9_500)
    draws = [draw_pages([0, 0, 4], np.random.default_rng(number)) for number in range(6000)]
    weights = dict(zip(draws[0].pages, draws[0].weights, strict=True))
    law = {}
    for order in permutations(weights):
        left, law[order] = sum(weights.values()), 1.0
        for page in order:
            law[order] *= weights[page] / left
            left -= weights[page]
    seen = Counter(draw.pages for draw in draws)
    counts = [seen[order] for order in law]
    assert chisquare(counts, [len(draws) * share for share in law.values()]).pvalue > ALPHA
    first = [sum(draw.pages[0] == page for draw in draws) for page in (1, 2, 3)]
    heavy = [len(draws) * weights[page] / sum(weights.values()) for page in (1, 2, 3)]
    assert chisquare(first, heavy).pvalue > ALPHA
    assert heavy[2] > heavy[0] * 1.1


@pytest.mark.parametrize("guesses", [[0] * 50, [1] * 50, [9] + [0] * 49, list(range(50))])
def test_no_page_is_much_less_likely_than_in_an_even_draw(guesses: list[int]) -> None:
    draw = draw_pages(guesses)
    assert sorted(draw.pages) == list(range(1, 51))
    assert min(draw.weights) >= EVEN / MEAN * draw.total / 50
    unsure = {page: min(count, 4) for page, count in enumerate(guesses, 1)}
    ordered = sorted(zip(draw.pages, draw.weights, strict=True), key=lambda each: unsure[each[0]])
    assert [weight for _, weight in ordered] == sorted(draw.weights)


def test_the_recorded_sample_is_that_of_all_weights() -> None:
    draw = draw_pages([number % 5 for number in range(40)], np.random.default_rng(1))
    weights = np.zeros(40)
    weights[np.array(draw.pages) - 1] = draw.weights
    for read in (0, 1, 17, 40):
        whole = Sample.of(40, np.array(draw.pages[:read], dtype=np.int64) - 1, weights)
        recorded = draw.sample(40, read)
        np.testing.assert_allclose(recorded.probabilities, whole.probabilities, rtol=1e-12)
        np.testing.assert_allclose(recorded.smallest, whole.smallest, rtol=1e-12)


def test_the_recorded_sample_knows_pages_outside_the_order() -> None:
    recorded = Draw(pages=(3, 1), weights=(20, 20), total=47, least=7).sample(3, 2)
    np.testing.assert_allclose(recorded.probabilities, [20 / 47, 20 / 27])
    np.testing.assert_allclose(recorded.smallest, [7 / 47, 7 / 27])


@pytest.mark.parametrize(
    "draw",
    [
        {"pages": (1, 1), "weights": (1, 1), "total": 2, "least": 0},
        {"pages": (0, 1), "weights": (1, 1), "total": 2, "least": 0},
        {"pages": (1, 2), "weights": (1,), "total": 1, "least": 0},
        {"pages": (1,), "weights": (0,), "total": 0, "least": 0},
        {"pages": (1,), "weights": (1,), "total": 3, "least": 0},
        {"pages": (1,), "weights": (1,), "total": 3, "least": 3},
        {"pages": (1,), "weights": (1,), "total": 1, "least": 1},
    ],
)
def test_impossible_draws_are_refused(draw: dict) -> None:
    with pytest.raises(ParameterError):
        Draw(**draw)


def test_a_corpus_without_pages_is_refused() -> None:
    with pytest.raises(ParameterError, match="one page or more"):
        draw_pages([])
