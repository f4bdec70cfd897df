"""A bigram model made for tests, and the channels of the reference cases."""

from typing import Any

import numpy as np
from tests.helpers.golden import release_reference

from textveil.models.language_model import Continuations
from textveil.privacy.guarantees import PureDP
from textveil.vocabulary.vocabulary import Vocabulary


class BigramModel:
    """P(word | word before) as tables; after a boundary and after other tokens by rows of their own.

    ``order`` above 2 looks at the word before alone, all the same: states are then told apart by more.
    """

    def __init__(self, counts: np.ndarray, start: np.ndarray, order: int = 2) -> None:
        rows = np.vstack([counts, start, start]).astype(np.float64)
        self.table = np.log(rows / rows.sum(axis=1, keepdims=True))
        self.name, self.digest, self.size, self.order = "bigrams", "made", len(start), order

    def log_probabilities(self, contexts: np.ndarray, words: np.ndarray) -> np.ndarray:
        return self.table[contexts[:, -1:], words].astype(np.float32)

    @property
    def unigram(self) -> np.ndarray:
        return np.full(self.size, -np.log(self.size), dtype=np.float32)

    def continuations(self, contexts: np.ndarray) -> Continuations:
        rows = np.exp(self.table[contexts[:, -1]]).astype(np.float32)
        words = np.tile(np.arange(self.size), len(contexts))
        starts = self.size * np.arange(len(contexts) + 1)
        return Continuations(starts, words, rows.reshape(-1), np.zeros(len(contexts), np.float32))


class TrigramModel:
    """Made-up probabilities given the two ids before."""

    def __init__(self, size: int, seed: int = 4) -> None:
        weights = np.random.default_rng(seed).gamma(0.5, size=(size + 2, size + 2, size)) + 1e-3
        self.table = np.log(weights / weights.sum(axis=2, keepdims=True))
        self.name, self.digest, self.size, self.order = "trigrams", "made", size, 3

    def log_probabilities(self, contexts: np.ndarray, words: np.ndarray) -> np.ndarray:
        return self.table[contexts[:, :1], contexts[:, 1:], words].astype(np.float32)


class TableChannel:
    """A channel of these integers."""

    def __init__(self, vocabulary: Vocabulary, rows: np.ndarray) -> None:
        self.vocabulary, self.rows = vocabulary, np.asarray(rows)
        self.name, self.parameters, self.guarantee = "table", {}, PureDP(epsilon=8.0)

    def integer_weights(self, ids: np.ndarray) -> np.ndarray:
        return self.rows[ids]

    def privatize(self, ids: np.ndarray, rng: Any = None) -> np.ndarray:
        chances = self.rows / self.rows.sum(axis=1, keepdims=True)
        return np.array([rng.choice(len(self.rows), p=chances[word]) for word in ids], dtype=np.int64)


def reference_vocabulary() -> Vocabulary:
    """The reference's words, with vectors of no meaning."""
    words = release_reference()["words"]
    return Vocabulary(words, np.random.default_rng(0).normal(size=(len(words), 4)).astype(np.float32), "reference")


def reference_model() -> BigramModel:
    """The reference's bigrams."""
    data = release_reference()
    return BigramModel(np.array(data["bigram"]), np.array(data["start"]))
