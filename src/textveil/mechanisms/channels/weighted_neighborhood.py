"""Weighted neighborhood response: public base weights, and a gain that every word spends on its nearest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from textveil.mechanisms.kinds import checked_ids, checked_word_id
from textveil.mechanisms.sampling.excess_rows import ExcessRows
from textveil.mechanisms.sampling.nested_order import ByCosine, NestedOrder, ReadByColumns
from textveil.mechanisms.sampling.output_columns import Columns, OverBase, RaisedColumns
from textveil.mechanisms.sampling.raised_ends import EndColumns
from textveil.numerics.base_weights import BaseWeights
from textveil.numerics.integer_weights import stated_epsilon
from textveil.privacy.guarantees import PureDP, Status
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.tables.public import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/weighted_neighborhood.md"


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class WeightedNeighborhood:
    """P(y | x) = w(x, y) / T with b(y) <= w(x, y) <= b(y) e^epsilon, the same total T for every x.

    Starting from x and going on by falling cosine, words are raised from b(y) to at most b(y) e^epsilon until what
    every row adds is spent; the last one takes what is left. The loss is epsilon for any two words, whatever the base
    weights and the order are. All weights are integers. Proof: privacy/proofs/weighted_neighborhood.md.

    Attributes:
        vocabulary: the public words.
        weights: the integers that are sampled.
        guarantee: pure DP for any two words.
        parameters: public parameters, for reports.
    """

    name: ClassVar[str] = "neighborhood"
    vocabulary: Vocabulary
    weights: BaseWeights
    guarantee: PureDP
    parameters: Mapping[str, Any]
    _rows: ExcessRows = field(repr=False)
    _columns: RaisedColumns | EndColumns = field(repr=False)

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        """See ``capabilities.Tabulated``."""
        return self._rows.tables

    @property
    def column_tables(self) -> tuple[PublicTable, ...]:
        """See ``capabilities.TabulatedColumns``."""
        return (self._columns.table,) if isinstance(self._columns, EndColumns) else self.tables

    @property
    def base_mass(self) -> float:
        """See ``capabilities.BaseDraws``."""
        return self.weights.base_mass

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``Mechanism.privatize``."""
        words = checked_ids(ids, len(self.vocabulary))
        out, above, raised = self.weights.draw(len(words), resolve(rng))
        out[above] = self._rows.drawn(words[above], raised)
        return out

    def integer_weights(self, ids: Ids) -> Integers:
        """See ``capabilities.IntegerWeights``; every row has the same sum."""
        words = checked_ids(ids, len(self.vocabulary))
        distinct, places = np.unique(words, return_inverse=True)
        out = np.tile(self.weights.base, (len(distinct), 1))
        for entries in self._rows.entries_of(distinct):
            out[distinct.searchsorted(entries.inputs), entries.outputs] += entries.gains * self.weights.unit
        return out if np.array_equal(distinct, words) else out[places]

    def over_base(self) -> OverBase:
        """See ``capabilities.WeightsOverBase``."""
        return OverBase(self.weights.base, self.weights.unit, self._rows.parts())

    def columns(self, outputs: Ids) -> Columns:
        """See ``capabilities.ChannelColumns``; the first call builds a table where it is not there."""
        words = checked_ids(outputs, len(self.vocabulary))
        starts, inputs, gains = self._columns.of(words)
        base = self.weights.base[words]
        ratios = np.log1p(gains * float(self.weights.unit) / np.repeat(base, np.diff(starts)))
        return Columns(starts, inputs, ratios, np.log(base / float(self.weights.total)))

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        word = checked_word_id(word_id, len(self.vocabulary))
        return self.integer_weights(np.array([word]))[0] / float(self.weights.total)


def weighted_neighborhood(
    vocabulary: Vocabulary,
    weights: BaseWeights,
    *,
    epsilon: float,
    parameters: Mapping[str, Any],
    order: NestedOrder | None = None,
    proof: str = PROOF,
) -> WeightedNeighborhood:
    """The mechanism with these weights; less than ``epsilon`` is stated where the weights spend less.

    Words are raised by falling cosine, or in the ``order`` that is given.
    """
    promise = PureDP(epsilon=stated_epsilon(weights.epsilon, epsilon), status=Status.PROVED, source=proof)
    public = {"epsilon": promise.epsilon, **parameters}
    order = ByCosine(vocabulary) if order is None else order
    rows = ExcessRows(vocabulary, weights, order=order)
    columns: RaisedColumns | EndColumns = RaisedColumns(len(vocabulary), rows.entries)
    if not rows.fits and isinstance(order, ReadByColumns):
        columns = EndColumns(vocabulary, weights, order)
    return WeightedNeighborhood(vocabulary, weights, promise, public, rows, columns)
