"""Senses that the document decides: exact losses on a line, of other words too; lengths that do not show."""

import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.errors import ParameterError
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import seeded_generator
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.document.sense_laplace import SenseLaplace, sense_laplace

ALPHA = 1e-6
SENSES = ("money", "bank|money", "bank|river", "river")
POINTS = (-3.0, -1.0, 1.0, 3.0)
LINE = Vocabulary(list(SENSES), np.array(POINTS, dtype=np.float32)[:, None], "line")
WORD_OF = np.array([0, 1, 1, 2])
TEXTS = [" ".join(words) for words in itertools.product(("money", "bank", "river"), repeat=2)]


def law(sense: int, rate: float) -> np.ndarray:
    """P(word released) for one-dimensional Laplace noise on the sense: money, bank, river."""

    def below(point: float) -> float:
        gap = point - POINTS[sense]
        return 0.5 * math.exp(rate * gap) if gap < 0 else 1 - 0.5 * math.exp(-rate * gap)

    cells = np.diff([0.0, below(-2.0), below(0.0), below(2.0), 1.0])
    return np.bincount(WORD_OF, cells)


def document_law(made: SenseLaplace, text: str) -> np.ndarray:
    rate = made.parameters["rate"]
    return np.multiply.outer(*(law(int(sense), rate) for sense in made.senses([text])[0])).reshape(-1)


def test_the_document_decides_the_sense() -> None:
    made = sense_laplace(LINE, epsilon=4.0, bag_size=2, clip=None)
    named = {text: [SENSES[one] for one in made.senses([text])[0]] for text in TEXTS}
    assert named["bank money"] == ["bank|money", "money"]
    assert named["bank river"] == ["bank|river", "river"]


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_any_two_documents_lose_epsilon_at_most(epsilon: float) -> None:
    made = sense_laplace(LINE, epsilon=epsilon, bag_size=2, clip=None)
    laws = {text: document_law(made, text) for text in TEXTS}
    losses = {pair: float(np.log(laws[pair[0]] / laws[pair[1]]).max()) for pair in itertools.permutations(TEXTS, 2)}
    assert max(losses.values()) <= epsilon
    assert max(losses.values()) > 0.8 * epsilon
    # A word that stays pays: the claim per word, the rate times the distance of the one pair of words that differs.
    rate = made.parameters["rate"]
    claimed = rate * 6.0
    marginal = [law(int(made.senses([text])[0, 0]), rate) for text in ("bank money", "bank river")]
    assert float(np.log(marginal[0] / marginal[1]).max()) > 0.1 * rate
    assert losses["bank river", "bank money"] > claimed * 0.9


@pytest.mark.slow
def test_draws_follow_the_law_of_the_sense(rng) -> None:
    made, count = sense_laplace(LINE, epsilon=6.0, bag_size=2, clip=None), 30_000
    drawn = [text.lower().split()[0] for text in made.privatize_texts(["bank river"] * count, rng)]
    seen = [drawn.count(word) for word in ("money", "bank", "river")]
    assert chisquare(seen, law(2, made.parameters["rate"]) * count).pvalue > ALPHA
    assert chisquare(seen, law(1, made.parameters["rate"]) * count).pvalue < ALPHA  # the mutant: the other sense


def test_lengths_do_not_show_and_copies_draw_the_same() -> None:
    made = sense_laplace(LINE, epsilon=5.0, bag_size=3)
    assert made.guarantee.adjacency == ANY_DOCUMENT and made.guarantee.epsilon == 5.0
    texts = ["", "river", "river bank money money money", "unheardof"]
    drawn = made.privatize_texts(texts, seeded_generator(3))
    assert all(len(text.split()) == 3 for text in drawn)
    assert pickle.loads(pickle.dumps(made)).privatize_texts(texts, seeded_generator(3)) == drawn


def test_a_vocabulary_without_senses_has_one_for_each_word(tiny) -> None:
    assert sense_laplace(tiny, epsilon=1.0).parameters["words"] == len(tiny)
    with pytest.raises(ParameterError, match="bag_size must be an integer >= 1; got 0"):
        sense_laplace(LINE, epsilon=1.0, bag_size=0)
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0"):
        sense_laplace(LINE, epsilon=0.0)
