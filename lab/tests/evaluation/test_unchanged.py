"""N_w and S_w: both ways of counting, by hand; single words under mechanisms, exactly and in draws."""

import math

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import word_mechanism
from textveil.errors import ParameterError
from textveil.randomness import seeded_generator
from textveil.statistics import clopper_pearson
from textveil_lab.evaluation.unchanged import Reading, essential_support, n_w, s_w, word_statistics


def test_n_w_by_hand() -> None:
    # "the" stays at one of three places, "cat" at its one, "dog" at none: 2 of 5 places, and (1/3 + 1 + 0)/3.
    found = n_w(["the cat", "the dog the"], ["the cat", "a cow a"])
    assert found == (2 / 5, pytest.approx(4 / 9), 5, 3)


def test_what_a_shorter_output_lacks_has_changed_and_more_words_are_no_places() -> None:
    assert n_w(["a b c d"], ["a b"]).by_place == 0.5
    assert n_w(["a b c d"], [""]).by_place == 0
    assert n_w(["a b"], ["a b c d"]).by_place == 1
    assert n_w(["a b"], ["b a"]).by_place == 0  # a word that moved is not at its place


def test_s_w_by_hand() -> None:
    # "the" became the, a: 2 different at 3 places; "cat" 1 at 1; "dog" 1 at 1.
    found = s_w(["the cat", "the dog the"], ["the cat", "a cow a"])
    assert found == ((3 * 2 + 1 + 1) / 5, pytest.approx(4 / 3))
    assert s_w(["a a"], ["b"]) == (2, 2)  # b, and nothing


@pytest.mark.parametrize("one", ["c a c", ("c", "a", "c"), np.array([2, 0, 2])])
@pytest.mark.parametrize("kind", ["same", "other"])
def test_texts_words_and_ids_count_alike(one, kind: str) -> None:
    other = {str: "c b b", tuple: ("c", "b", "b"), np.ndarray: np.array([2, 1, 1])}[type(one)]
    assert n_w([one], [one if kind == "same" else other]).by_place == (1 if kind == "same" else 1 / 3)


def test_bad_pairs_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^before must be one at least; got none\."):
        n_w([], [])
    with pytest.raises(ParameterError, match=r"^after must be as many as before, 1; got 2"):
        s_w(["a"], ["a", "b"])
    with pytest.raises(ParameterError, match=r"^before must be texts that hold a word at least; got an empty one at 1"):
        n_w([np.array([1]), np.array([], dtype=np.int64)], [np.array([1]), np.array([1])])


def test_the_two_readings_are_opposite() -> None:
    assert "better" in Reading.UTILITY.value
    assert "worse" in Reading.PRIVACY.value


def test_statistics_of_randomized_response_are_exact() -> None:
    # Four words: the own one has 1/2, each other 1/6, at epsilon ln 3.
    mechanism = word_mechanism("randomized-response", made_vocabulary(4), epsilon=math.log(3) * (1 + 1e-12))
    found = word_statistics(mechanism, np.array([0, 3]), draws=2)
    assert found.exact
    np.testing.assert_allclose(found.n_w, 0.5, atol=1e-6)
    # Two draws differ unless both are the same word: 1 + 1 - (1/4 + 3/36).
    np.testing.assert_allclose(found.s_w, 2 - (1 / 4 + 3 / 36), atol=1e-6)


def test_statistics_of_other_mechanisms_are_counted() -> None:
    vocabulary = made_vocabulary(6)
    channel = word_mechanism("randomized-response", vocabulary, epsilon=2.0)
    exact = word_statistics(channel, np.arange(6), draws=400)
    drawn = word_statistics(_Drawn(channel), np.arange(6), draws=400, rng=seeded_generator(1))
    assert (exact.exact, drawn.exact) == (True, False)
    hits = round(float(drawn.n_w.sum()) * 400)
    bound = clopper_pearson(hits, 2400, 1 - 1e-7)
    assert bound.lower < exact.n_w.mean() < bound.upper
    assert (drawn.s_w <= 6).all()
    assert drawn.s_w.mean() == pytest.approx(exact.s_w.mean(), abs=1e-3)  # 400 draws miss a word of 1/13 once in 1e14


class _Drawn:
    """A mechanism of which nothing but draws is known."""

    def __init__(self, channel) -> None:
        self.vocabulary, self._channel = channel.vocabulary, channel

    def privatize(self, ids, rng=None):
        return self._channel.privatize(ids, rng)


@pytest.mark.parametrize(("eta", "fewest"), [(0.0, 4), (0.05, 4), (0.1, 3), (0.2, 2), (0.21, 2), (0.5, 1), (0.9, 1)])
def test_the_essential_support_is_the_smallest(eta: float, fewest: int) -> None:
    assert essential_support(np.array([0.1, 0.5, 0.0, 0.3, 0.1]), eta) == fewest


def test_the_essential_support_forgives_rounding() -> None:
    tenths = np.full(10, 0.1)  # eight of them add up to less than 0.8 in floats
    assert essential_support(tenths, 0.2) == 8


def test_bad_requests_are_refused() -> None:
    mechanism = word_mechanism("randomized-response", made_vocabulary(4), epsilon=1.0)
    with pytest.raises(ParameterError, match=r"^draws must be >= 1"):
        word_statistics(mechanism, np.array([0]), draws=0)
    with pytest.raises(ParameterError, match=r"^ids must be one at least"):
        word_statistics(mechanism, np.array([], dtype=np.int64))
    with pytest.raises(ParameterError, match=r"^ids must be in"):
        word_statistics(mechanism, np.array([4]))
    with pytest.raises(ParameterError, match=r"^eta must be in"):
        essential_support(np.array([1.0]), 1.0)
    with pytest.raises(ParameterError, match=r"^probabilities must be with sum 1"):
        essential_support(np.array([0.5, 0.4]), 0.1)
    with pytest.raises(ParameterError, match=r"^probabilities must be >= 0"):
        essential_support(np.array([1.5, -0.5]), 0.1)
