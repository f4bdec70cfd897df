"""Channels that are nothing but their rows of integer weights: what several constructors make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import checked_ids, checked_word_id, stated_distances
from textveil.privacy.guarantees import MetricDP, PureDP
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals, WordDistances
from textveil.vocabulary.vocabulary import Vocabulary


class DrawnRows(Protocol):
    """Rows of integer weights, and draws by them; ids are checked already."""

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """One draw for each id: y with probability w(x, y) / sum over y of w(x, y)."""

    def weights(self, words: Ids) -> Integers:
        """The integers w(x, y), int64, shape (batch, n); a row's sum is below 2^62."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class IntegerChannel:
    """P(y | x) = w(x, y) / Z(x) for integers w(x, y) >= 0, Z(x) their sum; drawn by the very same integers.

    Attributes:
        distances: the metric of a guarantee per distance, which cannot do without it.
    """

    vocabulary: Vocabulary
    name: str
    parameters: Mapping[str, Any]
    guarantee: PureDP | MetricDP  # what the weights give; its proof is its `source`
    _rows: DrawnRows = field(repr=False)
    distances: WordDistances | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        stated = self.distances is not None or not isinstance(self.guarantee, MetricDP)
        need(stated, "distances", "none", "stated by a channel that promises something per distance")

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return self._rows.draw(checked_ids(ids, len(self.vocabulary)), resolve(rng))

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        word = checked_word_id(word_id, len(self.vocabulary))
        row = self._rows.weights(np.array([word]))[0]
        return row / float(row.sum())

    def integer_weights(self, ids: Ids) -> Integers:
        return self._rows.weights(checked_ids(ids, len(self.vocabulary)))

    def word_distances(self, ids: Ids) -> Reals:
        return stated_distances(self.distances)(checked_ids(ids, len(self.vocabulary)))


@dataclass(frozen=True, slots=True, eq=False)
class GroupedChannel(IntegerChannel):
    """A channel whose guarantee compares words of one public group alone; its adjacency says what a group is.

    ``word_distances`` of words of different groups are not compared, however near.
    """

    groups: Integers = field(kw_only=True)  # the group of every word, shape (n,); -1 is a word that nothing protects
