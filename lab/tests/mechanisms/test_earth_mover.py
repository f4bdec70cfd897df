"""Bags under the earth mover's distance: exact losses on a line, the law of a bag, hidden lengths."""

import itertools
import math
import pickle
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.errors import InputError, ParameterError
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import seeded_generator
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.document.earth_mover import EarthMover, earth_mover

ALPHA = 1e-6
POINTS = (0.0, 1.0, 3.0)
WORDS = ("cat", "dog", "fever")
LINE = Vocabulary(list(WORDS), np.array(POINTS, dtype=np.float32)[:, None], "line")


def word_law(word: int, rate: float) -> np.ndarray:
    """P(nearest) for Laplace noise on the line: cells end halfway between words."""

    def below(point: float) -> float:
        gap = point - POINTS[word]
        return 0.5 * math.exp(rate * gap) if gap < 0 else 1 - 0.5 * math.exp(-rate * gap)

    return np.diff([0.0, below(0.5), below(2.0), 1.0])


def bag_law(bag: tuple[int, ...], rate: float) -> dict[tuple[int, ...], float]:
    """The exact law of the released bag."""
    out: Counter[tuple[int, ...]] = Counter()
    for drawn in itertools.product(range(3), repeat=len(bag)):
        out[tuple(sorted(drawn))] += math.prod(word_law(x, rate)[y] for x, y in zip(bag, drawn, strict=True))
    return out


def distance(first: tuple[int, ...], second: tuple[int, ...]) -> float:
    """The earth mover's distance by trying all bijections."""
    return min(
        sum(abs(POINTS[x] - POINTS[y]) for x, y in zip(first, order, strict=True)) / len(first)
        for order in itertools.permutations(second)
    )


@pytest.mark.parametrize("length", [1, 2, 3])
def test_any_two_bags_lose_epsilon_times_their_distance_and_no_more(length: int) -> None:
    made = earth_mover(LINE, epsilon_per_distance=1.5, bag_size=length, clip=None)
    rate = made.parameters["rate"]
    assert rate * length <= 1.5 and rate * length == pytest.approx(1.5, rel=1e-12)
    bags = list(itertools.combinations_with_replacement(range(3), length))
    laws = {bag: bag_law(bag, rate) for bag in bags}
    worst = 0.0
    for first, second in itertools.permutations(bags, 2):
        loss = max(math.log(laws[first][out] / laws[second][out]) for out in bags)
        assert loss <= made.guarantee.epsilon_per_distance * distance(first, second) * (1 + 1e-12)
        worst = max(worst, loss / distance(first, second))
    assert worst > 0.9 * 1.5
    # The mutant: the rate of one word for the whole bag, which forgets that N words are drawn.
    if length > 1:
        double = {bag: bag_law(bag, 1.5) for bag in bags}
        losses = [
            max(math.log(double[a][out] / double[b][out]) for out in bags) / distance(a, b)
            for a, b in itertools.permutations(bags, 2)
        ]
        assert max(losses) > 1.5


def test_draws_follow_the_law_of_bags(rng) -> None:
    made, count = earth_mover(LINE, epsilon_per_distance=3.0, bag_size=2, clip=None), 40_000
    seen = Counter(made.privatize_texts(["dog fever"] * count, rng))
    for rate, fits in ((1.5, True), (1.8, False)):
        law = bag_law((1, 2), rate)
        expected = np.array([law[bag] for bag in sorted(law)])
        drawn = [seen[" ".join(WORDS[one] for one in bag)] for bag in sorted(law)]
        assert (chisquare(drawn, expected / expected.sum() * count).pvalue > ALPHA) == fits


def test_lengths_and_order_and_unknown_words_do_not_show() -> None:
    made = earth_mover(LINE, epsilon=200.0, bag_size=3, clip=None)
    texts = ["", "fever dog", "dog, fever!", "fever dog dog cat cat", "unheardof fever"]
    drawn = made.privatize_texts(texts, seeded_generator(1))
    assert all(len(text.split()) == 3 for text in drawn)
    assert drawn == ["cat cat cat", "cat dog fever", "cat dog fever", "dog dog fever", "cat cat fever"]
    again = pickle.loads(pickle.dumps(made))
    assert isinstance(again, EarthMover) and again.privatize_texts(texts, seeded_generator(1)) == drawn


def test_the_guarantee_is_of_any_two_documents() -> None:
    made = earth_mover(LINE, epsilon=8.0, bag_size=32, clip=None)
    assert made.guarantee.adjacency == ANY_DOCUMENT
    assert made.guarantee.worst_case().epsilon <= 8.0
    assert made.guarantee.worst_case().epsilon == pytest.approx(8.0, rel=1e-9)
    assert str(made.guarantee).endswith("; 8-DP for any two documents)")


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="bag_size must be an integer >= 1; got 0"):
        earth_mover(LINE, epsilon=1.0, bag_size=0)
    with pytest.raises(ParameterError, match="exactly one of"):
        earth_mover(LINE, epsilon=1.0, epsilon_per_distance=1.0)
    with pytest.raises(InputError, match="document 2 must be a str; got int"):
        earth_mover(LINE, epsilon=1.0).privatize_texts(["cat", 3])
