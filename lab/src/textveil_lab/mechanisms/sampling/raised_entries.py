"""All raised entries of weighted neighborhoods, in any order, for columns and for audits over base weights."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.raised_rows import (
    NeighborRows,
    NestedOrder,
    RaisedEntries,
    made_rows,
    rows_of_tables,
    unordered,
)
from textveil.mechanisms.raised_table import ExcessRows, WholeRows, spans, whole_rows
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Ids
from textveil.vocabulary.public_tables import OpenTable

_BLOCK: Final = 256  # words whose scores are made at once: 33 MB at 33,000 words
_BINS: Final = 1024  # of the scores of a row, to find where it ends: only those in one bin are sorted
_SAMPLED: Final = 32  # every so many scores tell where bins lie; which they are changes nothing but time
_TOGETHER: Final = 32  # words whose entries are one part: a million at 33,000 words at most
_EXACT: Final = 2.0**53  # sums of integers below this are exact in float64


def raised_entries(
    order: NestedOrder, weights: BaseWeights, words: Ids, tables: Sequence[OpenTable] = ()
) -> Iterator[RaisedEntries]:
    """Yield the entries that ``made_rows`` raises for distinct ``words``, in any order, without sorting.

    All entries of a word are in one part; gains are in units.
    """
    if float(weights.gains.sum(dtype=np.float64)) >= _EXACT:
        yield from map(unordered, made_rows(order, weights, words, tables))
        return
    resolved = rows_of_tables(weights, words, tables)
    left = words
    while True:
        try:
            yield unordered(next(resolved))
        except StopIteration as stop:
            left = stop.value
            break
    for start in range(0, len(left), _BLOCK):
        block = left[start : start + _BLOCK]
        scores = order.scores(block, len(left))
        for first in range(0, len(block), _TOGETHER):
            part = slice(first, first + _TOGETHER)
            yield _ended(weights, block[part], scores[part])


def _ended(weights: BaseWeights, words: Ids, scores: NDArray[Any]) -> RaisedEntries:
    """Return the entries of a block by its scores: words before a row's end gain all they may, the last the rest."""
    gains, floats, n = weights.gains, weights.gains.astype(np.float64), weights.size
    raised = np.empty(scores.shape, dtype=np.bool_)
    lasts = np.empty(len(words), dtype=np.int64)
    left = np.empty(len(words), dtype=np.int64)
    for number, row in enumerate(scores):
        scaled = _scaled(row)
        above = np.bincount(scaled.astype(np.intp), weights=floats, minlength=_BINS)[::-1].cumsum()
        edge = _BINS - 1 - int(above.searchsorted(weights.row_gain))
        before = int(above[_BINS - 2 - edge]) if edge < _BINS - 1 else 0
        mask = np.greater_equal(scaled, edge + 1, out=raised[number])
        here = ((scaled >= edge) ^ mask).nonzero()[0]
        here = here[np.argsort(-row[here], kind="stable")]  # ties to the lower id
        reached = before + gains[here].cumsum()
        last = int(reached.searchsorted(weights.row_gain))
        mask[here[: last + 1]] = True
        lasts[number], left[number] = here[last], weights.row_gain - (reached[last - 1] if last else before)
    if not gains.all():
        raised &= gains > 0
    flat, rows = np.flatnonzero(raised), np.arange(len(words)) * n
    lengths = [np.count_nonzero(mask) for mask in raised]
    outputs = flat - np.repeat(rows, lengths)
    added = gains[outputs]
    added[flat.searchsorted(rows + lasts)] = left
    return RaisedEntries(np.repeat(words, lengths), outputs, added)


def _scaled(row: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in [0, ``_BINS`` - 1] that are monotone in the scores; all 0 if scores have no finite range."""
    seen = row[::_SAMPLED]
    seen = seen[np.isfinite(seen)]
    low, high = (seen.min(), seen.max()) if len(seen) else (row.dtype.type(0), row.dtype.type(0))
    scale = row.dtype.type((_BINS - 1) / (float(high) - float(low))) if high > low else row.dtype.type(0)
    if not 0 < scale < np.inf:
        return np.zeros_like(row)
    with np.errstate(over="ignore"):
        scaled = row - low
    scaled *= scale
    return np.clip(scaled, 0, _BINS - 1, out=scaled)


def excess_entries(rows: ExcessRows) -> RaisedEntries:
    """Return all raised words of all rows, with their gains in units.

    If they fit the budget, they come from their table, which is built if missing. All of them are requested for any
    text, so the table's existence reveals nothing.
    """
    whole = rows.whole()
    if whole is None and rows.fits:
        whole = whole_rows(rows.table.build().table, rows.weights)
    if whole is not None:
        return _whole_entries(whole)
    kind = np.min_scalar_type(rows.weights.size - 1)
    inputs, outputs, gains = [], [], []
    for part in rows.entries_of(np.arange(rows.weights.size)):
        inputs.append(part.inputs.astype(kind))
        outputs.append(part.outputs.astype(kind))
        gains.append(part.gains.astype(np.min_scalar_type(rows.weights.row_gain)))
    return RaisedEntries(np.concatenate(inputs), np.concatenate(outputs), np.concatenate(gains))


def excess_parts(rows: ExcessRows) -> Iterator[RaisedEntries]:
    """Yield the entries of ``excess_entries``, made on demand; nothing is kept, and no table is built."""
    if (whole := rows.whole()) is not None:
        return _whole_parts(whole)
    return raised_entries(rows.order, rows.weights, np.arange(rows.weights.size), rows.opened)


def _whole_entries(whole: WholeRows) -> RaisedEntries:
    words = np.arange(len(whole.starts) - 1).astype(whole.outputs.dtype)
    gains = np.diff(whole.keys, prepend=whole.keys.dtype.type(0)).astype(np.min_scalar_type(whole.row_gain))
    return RaisedEntries(np.repeat(words, np.diff(whole.starts)), whole.outputs, gains)


def _whole_parts(whole: WholeRows) -> Iterator[RaisedEntries]:
    for first, last in spans(whole.starts):
        words, part = np.arange(first, last), slice(whole.starts[first], whole.starts[last])
        gains = np.diff(whole.keys[part].astype(np.int64), prepend=first * whole.row_gain)
        lengths = np.diff(whole.starts[first : last + 1])
        yield RaisedEntries(np.repeat(words, lengths), whole.outputs[part].astype(np.int64), gains)


def neighbor_entries(rows: NeighborRows, count: int) -> RaisedEntries:
    """Return all words of all ``count`` sets, each with a gain of one; nothing is kept."""
    every, kind = np.arange(rows.size), np.min_scalar_type(count - 1)
    members = np.empty((count, rows.size), dtype=kind)
    for start in range(0, count, _BLOCK):
        words = np.arange(start, min(start + _BLOCK, count))
        neighbors = rows.members(np.repeat(words, rows.size), np.tile(every, len(words)))
        members[words] = neighbors.reshape(len(words), rows.size)
    owners = np.repeat(np.arange(count).astype(kind), rows.size)
    return RaisedEntries(owners, members.reshape(-1), np.ones(len(owners), dtype=np.uint8))
