"""Candidates that the language proposes: what follows the likeliest words before, whatever was released there."""

from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.output_columns import Columns
from textveil.models.language_model import ContinuationModel
from textveil.types import Ids, Integers, Vectors
from textveil_lab.decoding.candidates import NONE, Candidates

KEPT: Final = 16  # Words that are kept as those which follow a word
_CONTEXTS: Final = 1 << 12  # Contexts whose continuations are asked for at once


class Proposes(Protocol):
    """Gives more candidates of places, by the words before them."""

    def __call__(self, at: Integers, before: Ids, known: NDArray[np.int32]) -> Candidates:
        """Candidates for each place, none of them known.

        Args:
            at: places, shape (batch,).
            before: ids of contexts before each, shape (batch, b).
            known: candidates that the place has, shape (batch, k).
        """


class Successors(NamedTuple):
    """The likeliest words after each id of contexts."""

    words: NDArray[np.int32]  # the likeliest first, or NONE, int32, shape (n + 2, ``KEPT``)
    log_chances: Vectors  # of each after that id, float32, shape as ``words``


def successors(model: ContinuationModel) -> Successors:
    """The likeliest words after each id, by the model's probabilities after one id alone."""
    size = model.size + 2
    words = np.full((size, KEPT), NONE, dtype=np.int32)
    chances = np.full((size, KEPT), -np.inf, dtype=np.float32)
    for start in range(0, size, _CONTEXTS):
        contexts = np.arange(start, min(start + _CONTEXTS, size))
        starts, listed, probabilities, _ = model.continuations(contexts[:, None])
        rows = np.repeat(np.arange(len(contexts)), np.diff(starts))
        order = np.lexsort((-probabilities, rows))
        rank = np.arange(len(order)) - starts[rows]
        kept = rank < KEPT
        words[contexts[rows[kept]], rank[kept]] = listed[order[kept]]
        chances[contexts[rows[kept]], rank[kept]] = np.log(probabilities[order[kept]])
    return Successors(words, chances)


class ColumnRatios:
    """Log ratios of any words in columns."""

    def __init__(self, columns: Columns, size: int) -> None:
        self._size = size
        self._keys = columns.places * size + columns.inputs
        self._ratios = columns.log_ratios.astype(np.float32)

    def __call__(self, columns: Integers, words: NDArray[np.int32]) -> Vectors:
        """The log ratios of words, shape (batch, k), in columns, (batch,); 0 where a column does not list them."""
        if len(self._keys) == 0:
            return np.zeros(words.shape, dtype=np.float32)
        keys = columns[:, None] * self._size + words
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._ratios[places], np.float32(0))


class Continued:
    """Proposes the successors that language and channel make likeliest.

    Args:
        which: for each place the column that it has, shape (places,).
        share: what is added to the score of each word, from the prior, float32, shape (n,).
        model_weight: of the model's log probabilities, beside the channel's.
    """

    def __init__(
        self, follows: Successors, columns: Columns, which: Integers, share: Vectors, count: int, model_weight: float
    ) -> None:
        self._follows, self._which, self._share, self._count = follows, which, share, count
        self._ratios = ColumnRatios(columns, len(share))
        self._weight = np.float32(model_weight)

    def __call__(self, at: Integers, before: Ids, known: NDArray[np.int32]) -> Candidates:
        batch = len(at)
        words = self._follows.words[before].reshape(batch, -1)
        scores = self._weight * self._follows.log_chances[before].reshape(batch, -1)
        words = np.where((words[:, :, None] == known[:, None, :]).any(axis=2), NONE, words)
        ratios = self._ratios(self._which[at], words) + self._share[words]
        scores = np.where(words == NONE, -np.inf, scores + ratios)
        order = np.argsort(-scores, axis=1, kind="stable")[:, : 2 * self._count]
        words, ratios = np.take_along_axis(words, order, 1), np.take_along_axis(ratios, order, 1)
        again = (words[:, :, None] == words[:, None, :]) & np.tri(words.shape[1], k=-1, dtype=np.bool_)
        words = np.where(again.any(axis=2), NONE, words)
        first = np.argsort(words == NONE, axis=1, kind="stable")[:, : self._count]
        return Candidates(np.take_along_axis(words, first, 1), np.take_along_axis(ratios, first, 1))
