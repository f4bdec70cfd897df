"""One place of each of several documents: the weights that hold there, and draws by them."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.nearest_in_order import NearestInOrder
from textveil.numerics.growing_weights import GrowingWeights, Lent
from textveil.types import Ids, Integers, Reals

_FIRST: Final = 8
"""Nearest words that are looked at first: most draws need no more."""


@final
class DocumentPlaces:
    """The places at which several documents stand, side by side.

    Args:
        weights: what holds at every place.
        order: the nearest words of each.
        documents: how many at most.
    """

    def __init__(self, weights: GrowingWeights, order: NearestInOrder, documents: int) -> None:
        self.weights, self._order = weights, order
        self._size = weights.fixed.size
        self._slots: NDArray[np.int32] = np.zeros(documents * self._size, dtype=np.int32)
        self._keys: Integers = np.empty(0, dtype=np.int64)
        self.lent = weights.lent(*(np.empty(0, dtype=np.int64),) * 3, documents)

    def move(self, lent: Lent) -> None:
        """Go on to the places where these slots are lent."""
        self._slots[self._keys] = 0
        self._keys = lent.documents * self._size + lent.words
        self._slots[self._keys] = lent.slots
        self.lent = lent

    def counts(self, documents: Any, words: Ids) -> Integers:
        """Slots of words at the documents' places, lent ones included; shapes of ``words``."""
        return self.weights.fixed.counts[words] + self._slots[documents * self._size + words]

    def gains(self, documents: Any, words: Ids) -> Integers:
        """What words may gain there, in units; shapes of ``words``."""
        return self.weights.gains(self.counts(documents, words))

    def draw(self, inputs: Ids, rng: np.random.Generator) -> Ids:
        """An output for the word of each document, shape (documents,)."""
        out, raised = self.weights.draw(self.lent, rng)
        left = (raised >= 0).nonzero()[0]
        for count in (min(_FIRST, self._order.near), *self._order.steps):
            order = self._order.first(inputs[left], count)
            reached = np.cumsum(self.gains(left[:, None], order), axis=1)
            places = (reached <= raised[left, None]).sum(axis=1)
            done = places < count
            out[left[done]] = order[done, places[done]]
            left = left[~done]
        for document in left.tolist():  # hardly any
            order = self._order.whole(inputs[document : document + 1])[0]
            reached = np.cumsum(self.gains(document, order))
            out[document] = order[np.searchsorted(reached, raised[document], side="right")]
        return out

    def raised(self, inputs: Ids, ranks: Integers, outputs: Ids) -> Reals:
        """How much more than the least each input gives its document's output, as a ratio: P(y | x) / least - 1.

        Args:
            inputs: other words than the output, shape (documents, inputs).
            ranks: at which place of each one's order the output stands, from 1 and below ``NearestInOrder.near``.
            outputs: one for each document, shape (documents,).
        """
        every, fixed = np.arange(len(outputs)), self.weights.fixed
        width = int(ranks.max(initial=0)) + 1
        order = self._order.first(inputs.reshape(-1), width).reshape(*inputs.shape, width)
        gains = self.gains(every[:, None, None], order)
        reached = np.cumsum(gains, axis=2)
        before = np.take_along_axis(reached, ranks[:, :, None] - 1, 2)[:, :, 0]
        counts = self.counts(every, outputs)
        left = np.minimum(np.maximum(fixed.row_gain - before, 0), self.weights.gains(counts)[:, None])
        return left * float(fixed.unit) / (counts << fixed.shift)[:, None]

    def kept(self, outputs: Ids) -> Reals:
        """The same for the output itself as input, shape (documents,)."""
        counts = self.counts(np.arange(len(outputs)), outputs)
        return self.weights.gains(counts) * float(self.weights.fixed.unit) / (counts << self.weights.fixed.shift)
