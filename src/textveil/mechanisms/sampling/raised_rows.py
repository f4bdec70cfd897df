"""Rows of a weighted neighborhood made: for every word, its nearest words and what each of them gains.

The row of x lists its nearest words in a nested order (x first, then by falling cosine, unless another order is given),
and for each the units of gain handed out up to and with it; the last of them takes what is left, so every row ends at
the same number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.nested_order import NestedOrder
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Ids, Integers
from textveil.vocabulary.grid import by_falling_score, nested_limit
from textveil.vocabulary.tables.neighbor_order import NEIGHBORS
from textveil.vocabulary.tables.public import OpenTable

TABLED: Final = 4096
"""Words whose rows are read from a table at once."""

_BLOCK: Final = 256
"""Words whose rows are made at once: their scores take 33 MB at 33,000 words; a quarter where rows are long."""


class Rows(NamedTuple):
    """Rows of several words, one behind another.

    Attributes:
        words: whose rows they are.
        lengths: of each row.
        outputs: ids of the raised words, each row in its order.
        reached: the units handed out up to and with each of them, rising strictly in every row up to ``row_gain``.
    """

    words: Ids
    lengths: Integers
    outputs: Ids
    reached: Integers


def expected_length(weights: BaseWeights) -> int:
    """About how many words a row raises, as if it met words at random; up to ten times as many where rows are long."""
    able = weights.gains[weights.gains > 0].astype(np.float64)
    typical = math.exp(float(np.log(able).mean())) * len(able) / weights.size
    return min(weights.size, math.ceil(weights.row_gain / typical))


def made_rows(order: NestedOrder, weights: BaseWeights, words: Ids, tables: Sequence[OpenTable] = ()) -> Iterator[Rows]:
    """The rows of distinct ``words``, each raised in its order; in parts, the words in any order.

    A row is a function of its word alone: so are the scores, and tables of neighbors hold what they give.
    """
    for table in tables:
        left = [words[:0]]
        for start in range(0, len(words), TABLED):
            part = words[start : start + TABLED]
            whole, row = _raised(weights, part, table[NEIGHBORS][part].astype(np.int64))
            left.append(part[~whole])
            yield row
        words = np.concatenate(left)
    size, block = max(1, nested_limit(order.size)), _BLOCK
    if (typical := expected_length(weights)) > 4 * size:
        size, block = typical, _BLOCK // 4
    for start in range(0, len(words), block):
        yield from _from_scores(order, weights, words[start : start + block], len(words), size)


def _from_scores(order: NestedOrder, weights: BaseWeights, words: Ids, wanted: int, size: int) -> Iterator[Rows]:
    """Rows of a block by its scores, of the first ``size`` words and more until every row is whole."""
    scores = order.scores(words, wanted)
    while len(words):
        whole, row = _raised(weights, words, by_falling_score(scores, size))
        yield row
        words, scores = words[~whole], scores[~whole]
        size = min(4 * size, order.size)


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
    _, row = _raised(weights, order[:1], order[None])
    return row.outputs, row.reached
