"""One place of each of several documents: the weights that hold there, and draws by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.nearest_in_order import NearestInOrder
from textveil.numerics.growing_weights import GrowingWeights, Lent
from textveil.types import Ids, Integers, Reals

_FIRST: Final = 8
"""Nearest words that are looked at first: most draws need no more."""

_WHOLE: Final = 32
"""Orders of all words that are made at once."""


@final
class DocumentPlaces:
    """The places at which several documents stand, side by side.

    Args:
        weights: what holds at every place.
        order: the nearest words of each.
        find: where words of documents stand among those that are lent slots, -1 for others; shapes of the words.
    """

    def __init__(self, weights: GrowingWeights, order: NearestInOrder, find: Callable[[Any, Ids], Integers]) -> None:
        self.weights, self._order, self._find = weights, order, find
        self._slots: Integers = np.zeros(1, dtype=np.int64)
        self.lent = weights.lent(*(np.empty(0, dtype=np.int64),) * 3, 0)

    def move(self, lent: Lent) -> None:
        """Go on to the places where these slots are lent."""
        self._slots = np.append(lent.slots, 0)
        self.lent = lent

    def counts(self, documents: Any, words: Ids) -> Integers:
        """Slots of words at the documents' places, lent ones included; shapes of ``words``."""
        lent = self._slots.take(self._find(documents, words), mode="wrap")
        return self.weights.fixed.counts.take(words) + lent

    def gains(self, documents: Any, words: Ids) -> Integers:
        """What words may gain there, in units; shapes of ``words``."""
        return self.weights.gains(self.counts(documents, words))

    def draw(self, inputs: Ids, rng: np.random.Generator) -> Ids:
        """An output for the word of each document, shape (documents,)."""
        out, raised = self.weights.draw(self.lent, rng)
        left = (raised >= 0).nonzero()[0]
        for count in (min(_FIRST, self._order.near), *self._order.steps):
            left = self._drawn(out, left, raised, self._order.first(inputs[left], count))
        for start in range(0, len(left), _WHOLE):  # few
            part = left[start : start + _WHOLE]
            self._drawn(out, part, raised, self._order.whole(inputs[part]))
        return out

    def _drawn(self, out: Ids, documents: Ids, raised: Integers, order: Ids) -> Ids:
        """Write the outputs of the documents whose unit lies in these beginnings of their rows; the other documents."""
        reached = np.cumsum(self.gains(documents[:, None], order), axis=1)
        places = (reached <= raised[documents, None]).sum(axis=1)
        done = places < order.shape[1]
        out[documents[done]] = order[done, places[done]]
        return documents[~done]

    def raised(self, inputs: Ids, ranks: NDArray[np.integer[Any]], outputs: Ids) -> Reals:
        """How much more than the least each input gives its document's output, as a ratio: P(y | x) / least - 1.

        Args:
            inputs: other words than the output, shape (documents, inputs).
            ranks: at which place of each one's order the output stands, below ``NearestInOrder.near``; 0 for no input,
                whose ratio is 0.
            outputs: one for each document, shape (documents,).
        """
        ahead = ranks.reshape(-1).astype(np.int64)
        which = np.repeat(np.arange(len(ahead)), ahead)
        ends = np.cumsum(ahead)
        columns = np.arange(len(which)) - np.repeat(ends - ahead, ahead)
        some = ahead.nonzero()[0]
        words = self._order.members(inputs.reshape(-1)[which], columns)
        left = np.zeros(ranks.shape, dtype=np.int64)
        if len(some):
            before = np.add.reduceat(self.gains(which // ranks.shape[1], words), (ends - ahead)[some])
            left.reshape(-1)[some] = np.maximum(self.weights.fixed.row_gain - before, 0)
        counts = self.counts(np.arange(len(outputs)), outputs)
        left = np.minimum(left, self.weights.gains(counts)[:, None])
        return left * float(self.weights.fixed.unit) / (counts << self.weights.fixed.shift)[:, None]

    def kept(self, outputs: Ids) -> Reals:
        """The same for the output itself as input, shape (documents,)."""
        counts = self.counts(np.arange(len(outputs)), outputs)
        return self.weights.gains(counts) * float(self.weights.fixed.unit) / (counts << self.weights.fixed.shift)
