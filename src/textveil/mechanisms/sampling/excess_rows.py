"""Rows of a weighted neighborhood: for every word, its nearest words and what each of them gains.

The row of x lists its nearest words, x first, and for each the units of gain handed out up to and with it; the last
of them takes what is left, so every row ends at the same number. Rows have different lengths and lie one behind the
other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.columns import RaisedEntries
from textveil.mechanisms.sampling.row_lock import RowLock
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Ids, Integers
from textveil.vocabulary.grid import integer_grid, largest, nested_limit
from textveil.vocabulary.tables.neighbor_order import NEIGHBORS, neighbor_order
from textveil.vocabulary.tables.public import OpenTable, PublicTable, builds
from textveil.vocabulary.vocabulary import Vocabulary

ROW_BYTES: Final = 256 * 2**20
"""Byte budget of the rows that are kept; past it all are dropped and made again when needed."""

_BLOCK: Final = 256
"""Words whose rows are made at once: their scores take 33 MB at 33,000 words."""

_FIRST: Final = 64
"""Nearest words that a table holds at least."""

_TABLED: Final = 4096
"""Words whose rows are read from a table at once."""


class Rows(NamedTuple):
    """Rows of several words, one behind another.

    Attributes:
        words: whose rows they are.
        lengths: of each row.
        outputs: ids of the raised words, each row by falling cosine, the word itself first.
        reached: the units handed out up to and with each of them, rising strictly in every row up to ``row_gain``.
    """

    words: Ids
    lengths: Integers
    outputs: Ids
    reached: Integers


def made_rows(
    vocabulary: Vocabulary, weights: BaseWeights, words: Ids, tables: Sequence[OpenTable] = ()
) -> Iterator[Rows]:
    """The rows of distinct ``words``, from their nearest words by cosine, ties to the lower id; in parts, in any order.

    A row is a function of its word alone: scores are elementwise in exact inner products (see ``vocabulary.grid``), and
    tables of neighbors hold what they give.
    """
    for table in tables:
        left = [words[:0]]
        for start in range(0, len(words), _TABLED):
            part = words[start : start + _TABLED]
            whole, made = _raised(weights, part, table[NEIGHBORS][part].astype(np.int64))
            left.append(part[~whole])
            yield made
        words = np.concatenate(left)
    for start in range(0, len(words), _BLOCK):
        yield from _from_scores(vocabulary, weights, words[start : start + _BLOCK], len(words))


def _from_scores(vocabulary: Vocabulary, weights: BaseWeights, words: Ids, wanted: int) -> Iterator[Rows]:
    """Rows of a block by its cosines, of more and more nearest words until every row is whole."""
    scores = integer_grid(vocabulary).cosines(words, wanted)
    size = max(1, nested_limit(len(vocabulary)))
    while len(words):
        order = largest(scores, size)
        if size > nested_limit(len(vocabulary)):  # in no order yet
            found = np.take_along_axis(scores, order, axis=1)
            order = np.take_along_axis(order, np.lexsort((order, -found)), axis=1)
        whole, made = _raised(weights, words, order)
        yield made
        words, scores = words[~whole], scores[~whole]
        size = min(4 * size, len(vocabulary))


def _raised(weights: BaseWeights, words: Ids, order: Ids) -> tuple[NDArray[np.bool_], Rows]:
    """Which rows these nearest words are enough for, and those rows."""
    gains = weights.gains[order]
    reached = np.minimum(np.cumsum(gains, axis=1), weights.row_gain)  # n times row_gain is far below 2^63
    whole = reached[:, -1] == weights.row_gain
    order, reached = order[whole], reached[whole]
    # A word gains if the units before it fall short of the row's, and it can take some.
    rises = np.diff(reached, axis=1, prepend=0) > 0
    return whole, Rows(words[whole], rises.sum(axis=1), order[rises], reached[rises])


def raised_row(weights: BaseWeights, order: Ids) -> tuple[Ids, Integers]:
    """The raised words of a row whose words come in this order, and the units handed out up to and with each."""
    _, made = _raised(weights, order[:1], order[None])
    return made.outputs, made.reached


@final
class ExcessRows:
    """Rows by word, made in blocks when words first appear and kept within a byte budget.

    The order of arrival, the batch, the thread and what was dropped before change nothing but time. A pickled copy
    starts empty: which rows are kept tells which words were seen. Safe to use from several threads at once.
    """

    __slots__ = (
        "_budget",
        "_kept",
        "_keys",
        "_lock",
        "_looked",
        "_number",
        "_open",
        "_outputs",
        "_starts",
        "_used",
        "_vocabulary",
        "_weights",
    )

    def __init__(self, vocabulary: Vocabulary, weights: BaseWeights, budget: int = ROW_BYTES) -> None:
        self._vocabulary, self._weights, self._budget = vocabulary, weights, budget
        self._lock = RowLock()
        self._open: tuple[OpenTable, ...] = ()
        self._looked = -1
        size = len(vocabulary)
        # Row number r holds the keys r * row_gain + reached: rising over all rows, so that one search serves all.
        self._keys: NDArray[Any] = np.empty(0, dtype=np.min_scalar_type(size * weights.row_gain))
        self._outputs: NDArray[Any] = np.empty(0, dtype=np.min_scalar_type(size - 1))
        self._starts = np.zeros(size + 1, dtype=np.int64)
        self._number = np.full(size, -1, dtype=np.int64)
        self._kept = self._used = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return ExcessRows, (self._vocabulary, self._weights, self._budget)

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        """Tables of nearest words from which most rows can be made without a matrix product."""
        size = len(self._vocabulary)
        typical = self._weights.row_gain * size // sum(self._weights.gains.tolist()) + 1
        longest = max(1, min(typical, nested_limit(size)))
        first = min(_FIRST, longest)
        # A longer one pays only where the mean row is more than twice as long as the first: else most is unread.
        sizes = (first, longest) if longest > 2 * _FIRST else (first,)
        return tuple(neighbor_order(self._vocabulary, one) for one in sizes)

    @property
    def kept(self) -> Ids:
        """The words whose rows are kept, by id."""
        return np.flatnonzero(self._number >= 0)

    def row(self, word: int) -> tuple[Ids, Integers]:
        """The raised words of one row and what each of them gains, in units."""
        made = list(made_rows(self._vocabulary, self._weights, np.array([word]), self._opened()))
        reached = np.concatenate([rows.reached for rows in made])
        return np.concatenate([rows.outputs for rows in made]), np.diff(reached, prepend=0)

    def entries(self) -> RaisedEntries:
        """All raised words of all rows, with their gains in units; some seconds, and nothing of them is kept."""
        inputs, outputs, gains = [], [], []
        kind = self._outputs.dtype
        for rows in made_rows(self._vocabulary, self._weights, np.arange(len(self._vocabulary)), self._opened()):
            firsts = np.cumsum(rows.lengths) - rows.lengths
            gained = np.diff(rows.reached, prepend=0)
            gained[firsts] = rows.reached[firsts]
            inputs.append(np.repeat(rows.words.astype(kind), rows.lengths))
            outputs.append(rows.outputs.astype(kind))
            gains.append(gained.astype(np.min_scalar_type(self._weights.row_gain)))
        return RaisedEntries(np.concatenate(inputs), np.concatenate(outputs), np.concatenate(gains))

    def drawn(self, ids: Ids, raised: Integers) -> Ids:
        """For each word, the output whose part of what the row adds holds ``raised``, in [0, row_gain)."""
        out = np.empty(len(ids), dtype=np.int64)
        with self._lock:
            try:
                for share in self._shares(ids):
                    out[share] = self._found(ids[share], raised[share])
            except BaseException:  # an interrupt: what is kept is no longer known
                self._forget()
                raise
        return out

    def _opened(self) -> tuple[OpenTable, ...]:
        if self._looked != builds():
            self._looked = builds()
            self._open = tuple(found for table in self.tables if (found := table.opened()) is not None)
        return self._open

    def _shares(self, ids: Ids) -> Iterator[Any]:
        """Places of ``ids`` in parts whose rows fit the budget; the rows of each are made when it is asked for."""
        unmade = ids[self._number[ids] < 0]
        if len(unmade) == 0:  # as nearly always, and np.unique of nothing takes as long as some draws
            yield slice(None)
            return
        new = np.unique(unmade)
        if self._make(new) == len(new):
            yield slice(None)
            return
        words, which = np.unique(ids, return_inverse=True)
        order = np.argsort(which, kind="stable")
        edges = np.searchsorted(which[order], np.arange(len(words) + 1))
        done = 0
        while done < len(words):
            self._forget()
            made = self._make(words[done:])
            yield order[edges[done] : edges[done + made]]
            done += made

    def _make(self, words: Ids) -> int:
        """Make and keep rows of ``words`` while the budget lasts, some at least where none is kept; how many."""
        done = 0
        entry = self._keys.itemsize + self._outputs.itemsize
        while done < len(words) and (self._used == 0 or self._used * entry < self._budget):
            block = words[done : done + _TABLED]
            for rows in made_rows(self._vocabulary, self._weights, block, self._opened()):
                self._keep(rows)
            done += len(block)
        return done

    def _keep(self, rows: Rows) -> None:
        numbers = np.arange(self._kept, self._kept + len(rows.words))
        keys = np.repeat(numbers, rows.lengths) * self._weights.row_gain + rows.reached
        self._keys = _written(self._keys, self._used, keys)
        self._outputs = _written(self._outputs, self._used, rows.outputs)
        self._starts[numbers] = self._used + np.cumsum(rows.lengths) - rows.lengths
        # In this order: whatever moment a fork comes at, numbers that the copy gives out lie above all keys it has.
        self._kept += len(rows.words)
        self._used += len(rows.outputs)
        self._number[rows.words] = numbers

    def _forget(self) -> None:
        self._number.fill(-1)
        self._used = 0
        self._kept = 0

    def _found(self, ids: Ids, raised: Integers) -> Ids:
        """One search in the keys of all rows, after a look at the first word of the row, which has most of it."""
        numbers = self._number[ids]
        wanted = (numbers * self._weights.row_gain + raised).astype(self._keys.dtype)
        at = self._starts[numbers]
        beyond = np.flatnonzero(self._keys[at] <= wanted)
        at[beyond] = np.searchsorted(self._keys[: self._used], wanted[beyond], side="right")
        return self._outputs[at].astype(np.int64)


def _written(table: NDArray[Any], used: int, rows: NDArray[Any]) -> NDArray[Any]:
    """``table`` with ``rows`` behind the first ``used`` entries, in more memory where there was too little."""
    if used + len(rows) > len(table):
        grown = np.empty(max(2 * len(table), used + len(rows), 1 << 14), dtype=table.dtype)
        grown[:used] = table[:used]
        table = grown
    table[used : used + len(rows)] = rows
    return table
