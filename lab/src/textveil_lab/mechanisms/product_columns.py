"""textveil's own channels read by their outputs, and as integers over base weights, for decoding and audits."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.contextual_neighborhood import ContextualNeighborhood
from textveil.mechanisms.kinds import checked_bounds, checked_ids
from textveil.mechanisms.neighborhood import ConsistentNeighborhood, Neighborhood, Recent, WeightedNeighborhood
from textveil.mechanisms.raised_rows import ByCosine, RaisedEntries
from textveil.mechanisms.randomized_response import RandomizedResponse
from textveil.numerics.base_weights import GrowingWeights, Lent
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.public_tables import PublicTable
from textveil_lab.mechanisms.capabilities import ChannelColumns, SequenceColumns, WeightsOverBase
from textveil_lab.mechanisms.sampling.end_columns import EndColumns
from textveil_lab.mechanisms.sampling.output_columns import Columns, OverBase, RaisedColumns, above_least
from textveil_lab.mechanisms.sampling.raised_entries import excess_entries, excess_parts, neighbor_entries


class WeightedColumns:
    """Columns of a weighted neighborhood; the first call builds a missing table."""

    def __init__(self, channel: WeightedNeighborhood) -> None:
        self.vocabulary, self._weights, rows = channel.vocabulary, channel.weights, channel.rows
        self._tables = channel.tables
        self._columns: RaisedColumns | EndColumns
        if not rows.fits and isinstance(rows.order, ByCosine):
            self._columns = EndColumns(channel.vocabulary, channel.weights)
        else:
            self._columns = RaisedColumns(len(channel.vocabulary), partial(excess_entries, rows))

    @property
    def column_tables(self) -> tuple[PublicTable, ...]:
        """Tables of the columns."""
        return (self._columns.table,) if isinstance(self._columns, EndColumns) else self._tables

    def columns(self, outputs: Ids) -> Columns:
        words = checked_ids(outputs, len(self.vocabulary))
        starts, inputs, gains = self._columns.of(words)
        base = self._weights.base[words]
        ratios = np.log1p(gains * float(self._weights.unit) / np.repeat(base, np.diff(starts)))
        return Columns(starts, inputs, ratios, np.log(base / float(self._weights.total)))


class FlatColumns:
    """Columns of a neighborhood over flat weights; the first call makes all rows."""

    def __init__(self, channel: Neighborhood) -> None:
        self.vocabulary, self._weights = channel.vocabulary, channel.weights
        size = len(channel.vocabulary)
        self._columns = RaisedColumns(size, partial(neighbor_entries, channel.rows, size))

    def columns(self, outputs: Ids) -> Columns:
        weights = self._weights
        words = checked_ids(outputs, weights.size)
        starts, inputs, _ = self._columns.of(words)
        ratios = np.full(len(inputs), math.log(weights.inside / weights.outside))
        return Columns(starts, inputs, ratios, np.full(len(words), math.log(weights.outside / weights.total)))


class ResponseColumns:
    """Columns of randomized response."""

    def __init__(self, channel: RandomizedResponse) -> None:
        self.vocabulary, self._weights = channel.vocabulary, channel.weights

    def columns(self, outputs: Ids) -> Columns:
        weights = self._weights
        words = checked_ids(outputs, weights.size)
        ratios = np.full(len(words), math.log(weights.inside / weights.outside))
        least = np.full(len(words), math.log(weights.outside / weights.total))
        return Columns(np.arange(len(words) + 1), words, ratios, least)


class ConsistentColumns:
    """Columns of a consistent neighborhood; the first call makes all neighborhoods."""

    def __init__(self, mechanism: ConsistentNeighborhood) -> None:
        self.vocabulary, self._mechanism = mechanism.vocabulary, mechanism
        size = len(mechanism.vocabulary)
        self._columns = RaisedColumns(size, partial(neighbor_entries, mechanism.rows, size))

    def columns_of_documents(self, outputs: Ids, bounds: Integers) -> Columns:
        words = checked_ids(outputs, len(self.vocabulary))
        edges = checked_bounds(bounds, len(words)).tolist()
        drawn, weights = self._mechanism, self._mechanism.weights
        starts, inputs, _ = self._columns.of(words)
        raised, least = np.empty(len(inputs)), np.empty(len(words))
        for first, last in pairwise(edges):
            recent = Recent(1, drawn.recent)
            for place in range(first, last):
                output, here = words[place], slice(starts[place], starts[place + 1])
                held = recent.words[0, : recent.held[0]]
                copies = 1 + drawn.copies * int((held == output).any())
                listed = len(self.vocabulary) + drawn.copies * len(held)
                total = listed * weights.outside + weights.members * (weights.inside - weights.outside)
                least[place] = math.log(copies * weights.outside / total)
                members, ends = drawn.raised(inputs[here], np.repeat(recent.words, len(inputs[here]), axis=0))
                lifted = np.diff(np.minimum(ends, weights.members), prepend=0, axis=1)[members == output]
                raised[here] = np.log1p(lifted / copies * (weights.inside / weights.outside - 1))
                recent.add(words[place : place + 1])
        return above_least(starts, inputs, raised, least)


class ContextualColumns:
    """Columns of a contextual neighborhood; inputs that are no near neighbors of an output are left out."""

    def __init__(self, mechanism: ContextualNeighborhood) -> None:
        self.vocabulary, self._mechanism = mechanism.vocabulary, mechanism

    def columns_of_documents(self, outputs: Ids, bounds: Integers) -> Columns:
        mechanism = self._mechanism
        words = checked_ids(outputs, len(self.vocabulary))
        edges = checked_bounds(bounds, len(words))
        known = mechanism.filter.tables.inputs
        least = np.empty(len(words))
        parts = []
        for step in mechanism.steps(edges):
            here, places = words[step.at], step.places
            inputs, ranks = known.words[here].astype(np.int64), known.ranks[here]
            ratios = places.raised(inputs, ranks, here)
            inputs, ratios = np.hstack([here[:, None], inputs]), np.hstack([places.kept(here)[:, None], ratios])
            some = (ratios > 0).nonzero()
            parts.append((step.at[some[0]], inputs[some], np.log1p(ratios[some])))
            every = np.arange(len(here))
            least[step.at] = _log_least(places.weights, places.lent, places.counts(every, here))[: len(here)]
            step.followed.released(here, places)
        if not parts:
            nothing = np.empty(0, dtype=np.int64)
            return Columns(np.zeros(1, dtype=np.int64), nothing, np.empty(0), least, complete=False)
        whose, whom, logs = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((whom, whose))
        starts = np.searchsorted(whose[order], np.arange(len(words) + 1))
        return Columns(starts, whom[order], logs[order], least, complete=False)


def own_columns(mechanism: object) -> ChannelColumns | None:
    """Return the column source of a channel with columns of its own; keep it, since the first call reads all rows."""
    if isinstance(mechanism, ChannelColumns):
        return mechanism
    if isinstance(mechanism, WeightedNeighborhood):
        return WeightedColumns(mechanism)
    if isinstance(mechanism, Neighborhood):
        return FlatColumns(mechanism)
    return ResponseColumns(mechanism) if isinstance(mechanism, RandomizedResponse) else None


def sequence_columns(mechanism: object) -> SequenceColumns | None:
    """Return the column source of a sequence mechanism; None if its outputs cannot be read back."""
    if isinstance(mechanism, SequenceColumns):
        return mechanism
    if isinstance(mechanism, ConsistentNeighborhood):
        return ConsistentColumns(mechanism)
    return ContextualColumns(mechanism) if isinstance(mechanism, ContextualNeighborhood) else None


def over_base(mechanism: object) -> Callable[[], OverBase] | None:
    """Return a function to the integers of a channel over base weights; None if it states none."""
    if isinstance(mechanism, WeightsOverBase):
        return mechanism.over_base
    for kind, stated in _OVER_BASE.items():
        if type(mechanism) is kind:
            return partial(stated, mechanism)
    return None


def _of_weighted(channel: WeightedNeighborhood) -> OverBase:
    return OverBase(channel.weights.base, channel.weights.unit, excess_parts(channel.rows))


def _of_flat(channel: Neighborhood) -> OverBase:
    weights = channel.weights
    entries = (neighbor_entries(channel.rows, weights.size),) if weights.inside > weights.outside else ()
    return OverBase(np.full(weights.size, weights.outside), weights.inside - weights.outside, iter(entries))


def _of_response(channel: RandomizedResponse) -> OverBase:
    weights, words = channel.weights, np.arange(channel.weights.size)
    extra = weights.inside - weights.outside
    entries = iter([RaisedEntries(words, words, np.ones_like(words))] if extra else [])
    return OverBase(np.full(weights.size, weights.outside), extra, entries)


_OVER_BASE: Mapping[type, Callable[[Any], OverBase]] = {
    WeightedNeighborhood: _of_weighted,
    Neighborhood: _of_flat,
    RandomizedResponse: _of_response,
}


def _log_least(weights: GrowingWeights, lent: Lent, counts: Integers) -> Reals:
    """Return ln of the smallest weight that every input gives a word with so many slots, shape (documents,)."""
    total = weights.fixed.total + (lent.sums << weights.fixed.shift)
    least: NDArray[np.float64] = np.log((counts << weights.fixed.shift) / total)
    return least


def log_chances(mechanism: ContextualNeighborhood, ids: Ids, outputs: Ids, bounds: Integers) -> Reals:
    """Return log probabilities that the filter gave words at their positions, given earlier releases.

    Args:
        ids: words, shape (positions,).
        outputs: released words, shape (positions,).
        bounds: start of each document in both and end of the last, shape (documents + 1,).
    """
    words, released = (checked_ids(ids_given, len(mechanism.vocabulary)) for ids_given in (ids, outputs))
    out = np.empty(len(words))
    for step in mechanism.steps(checked_bounds(bounds, len(words))):
        out[step.at] = np.log(step.followed.chance(np.arange(len(step.at)), words[step.at]))
        step.followed.released(released[step.at], step.places)
    return out
