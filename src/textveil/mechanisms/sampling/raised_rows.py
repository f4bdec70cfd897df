"""Rows of a weighted neighborhood made: for every word, its nearest words and what each of them gains.

The row of x lists its nearest words in a nested order (x first, then by falling cosine, unless another order is given),
and for each the units of gain handed out up to and with it; the last of them takes what is left, so every row ends at
the same number.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.output_columns import RaisedEntries
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Ids, Integers
from textveil.vocabulary.grid import by_falling_score, integer_grid, nested_limit
from textveil.vocabulary.tables.neighbor_order import NEIGHBORS, neighbor_order
from textveil.vocabulary.tables.public import OpenTable, PublicTable
from textveil.vocabulary.vocabulary import Vocabulary


class NestedOrder(Protocol):
    """Words are raised by falling score, ties to the lower id.

    Scores are a function of the two words and of public data, whatever else is asked for beside them. Guarantees hold
    for any order; that a row is one row, and the same wherever it is made, rests on this.
    """

    @property
    def size(self) -> int:
        """Number of words."""

    @property
    def rule(self) -> str:
        """What tells it from other orders of the same vocabulary, for the keys of tables."""

    def scores(self, words: Ids, wanted: int) -> NDArray[Any]:
        """Of every word for these, no NaN, shape (batch, n); ``wanted`` rows will be asked for in all."""

    def neighbors(self, size: int) -> PublicTable | None:
        """The table of at least the first ``size`` words of every order, if there is such a table."""


@runtime_checkable
class ReadByColumns(NestedOrder, Protocol):
    """An order whose scores are had as cheaply for one output and all words as for one word and all outputs."""

    def scores_in(self, columns: Ids, wanted: int) -> NDArray[Any]:
        """What ``scores`` of all words hold in these columns, bit for bit, shape (batch, n)."""

    def scores_of_pairs(self, columns: Ids) -> NDArray[Any]:
        """What ``scores`` of all words hold in one column each, bit for bit; both shapes (n,)."""


@dataclass(frozen=True, slots=True)
class ByCosine:
    """The word itself, then the others by falling cosine on the integer grid."""

    vocabulary: Vocabulary

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.vocabulary)

    @property
    def rule(self) -> str:
        return "greatest cosine on the integer grid, the word first, ties to the lower id, until row_gain is spent; 1"

    def scores(self, words: Ids, wanted: int) -> NDArray[np.float32]:
        return integer_grid(self.vocabulary).cosines(words, wanted)

    def scores_in(self, columns: Ids, wanted: int) -> NDArray[np.float32]:
        return integer_grid(self.vocabulary).cosines_with(columns, wanted)

    def scores_of_pairs(self, columns: Ids) -> NDArray[np.float32]:
        return integer_grid(self.vocabulary).cosines_of_pairs(columns)

    def neighbors(self, size: int) -> PublicTable:
        return neighbor_order(self.vocabulary, size)


TABLED: Final = 4096  # words whose rows are read from a table at once
_BLOCK: Final = 256
"""Words whose rows are made at once: their scores take 33 MB at 33,000 words; a quarter where rows are long."""

_BINS: Final = 1024  # of the scores of a row, to find where it ends: only those in one bin are sorted
_SAMPLED: Final = 32  # every so many scores tell where bins lie; which they are changes nothing but time
_TOGETHER: Final = 32  # words whose entries are one part: a million at 33,000 words at most
_EXACT: Final = 2.0**53  # sums of integers below this are exact in float64


class Rows(NamedTuple):
    """Rows of several words, one behind another."""

    words: Ids  # whose rows they are
    lengths: Integers  # of each row
    outputs: Ids  # ids of the raised words, each row in its order
    reached: Integers  # the units handed out up to and with each of them, rising strictly in every row up to `row_gain`


def expected_length(weights: BaseWeights) -> int:
    """About how many words a row raises, as if it met words at random; up to ten times as many where rows are long."""
    able = weights.gains[weights.gains > 0].astype(np.float64)
    typical = math.exp(float(np.log(able).mean())) * len(able) / weights.size
    return min(weights.size, math.ceil(weights.row_gain / typical))


def made_rows(order: NestedOrder, weights: BaseWeights, words: Ids, tables: Sequence[OpenTable] = ()) -> Iterator[Rows]:
    """The rows of distinct ``words``, each raised in its order; in parts, the words in any order.

    A row is a function of its word alone: so are the scores, and tables of neighbors hold what they give.
    """
    words = yield from _from_tables(weights, words, tables)
    size, block = max(1, nested_limit(order.size)), _BLOCK
    if (typical := expected_length(weights)) > 4 * size:
        size, block = typical, _BLOCK // 4
    for start in range(0, len(words), block):
        yield from _from_scores(order, weights, words[start : start + block], len(words), size)


def raised_entries(
    order: NestedOrder, weights: BaseWeights, words: Ids, tables: Sequence[OpenTable] = ()
) -> Iterator[RaisedEntries]:
    """What ``made_rows`` raises for distinct ``words``, in any order: where a row ends is found without sorting it.

    All entries of a word are in one part; gains are in units.
    """
    if float(weights.gains.sum(dtype=np.float64)) >= _EXACT:
        yield from map(unordered, made_rows(order, weights, words, tables))
        return
    resolved = _from_tables(weights, words, tables)
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


def unordered(rows: Rows) -> RaisedEntries:
    """The entries of finished rows."""
    gains = np.diff(rows.reached, prepend=0)
    firsts = np.cumsum(rows.lengths) - rows.lengths
    gains[firsts] = rows.reached[firsts]
    return RaisedEntries(np.repeat(rows.words, rows.lengths), rows.outputs, gains)


def _ended(weights: BaseWeights, words: Ids, scores: NDArray[Any]) -> RaisedEntries:
    """The entries of a block by its scores: words before a row's end gain all that they may, the last what is left."""
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
    """Numbers in [0, ``_BINS`` - 1] that never fall where scores rise; all 0 if scores have no finite range."""
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


def _from_tables(weights: BaseWeights, words: Ids, tables: Sequence[OpenTable]) -> Generator[Rows, None, Ids]:
    """The rows for which tables hold enough neighbors; returns the words that are left."""
    for table in tables:
        left = [words[:0]]
        for start in range(0, len(words), TABLED):
            part = words[start : start + TABLED]
            whole, row = _raised(weights, part, table[NEIGHBORS][part].astype(np.int64))
            left.append(part[~whole])
            yield row
        words = np.concatenate(left)
    return words


def _from_scores(order: NestedOrder, weights: BaseWeights, words: Ids, wanted: int, size: int) -> Iterator[Rows]:
    """Rows of a block by its scores, of the first ``size`` words and more until every row is whole."""
    scores = order.scores(words, wanted)
    while len(words):
        whole, row = _raised(weights, words, by_falling_score(scores, size))
        yield row
        words, scores = words[~whole], scores[~whole]
        size = min(4 * size, order.size)


def _raised(weights: BaseWeights, words: Ids, order: Ids) -> tuple[NDArray[np.bool_], Rows]:
    gains = weights.gains[order]
    reached = np.minimum(np.cumsum(gains, axis=1), weights.row_gain)  # n times row_gain is far below 2^63
    whole = reached[:, -1] == weights.row_gain
    order, reached = order[whole], reached[whole]
    # A word gains if the units before it fall short of the row's, and it can take some.
    rises = np.diff(reached, axis=1, prepend=0) > 0
    return whole, Rows(words[whole], rises.sum(axis=1), order[rises], reached[rises])


def raised_row(weights: BaseWeights, order: Ids) -> tuple[Ids, Integers]:
    """The raised words of a row whose words come in this order, and the units handed out up to and with each."""
    _, row = _raised(weights, order[:1], order[None])
    return row.outputs, row.reached
