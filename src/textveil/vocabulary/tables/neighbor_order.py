"""The nearest words of every word, in order: the table that neighborhoods, their weights and word metrics read."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from textveil.errors import need
from textveil.types import Progress
from textveil.vocabulary.embedded import DATA
from textveil.vocabulary.grid import integer_grid, nested_limit
from textveil.vocabulary.tables.files import Arrays, ArrayShape, TableKey
from textveil.vocabulary.tables.public import PublicTable, distinct_rows
from textveil.vocabulary.vocabulary import Vocabulary

KIND: Final = "neighbor-order"
NEIGHBORS: Final = "neighbors"  # the array: ids, shape (n, k), row x begins with x

SHIPPED: Final = DATA / "neighbors.table"
SHIPPED_SIZE: Final = 67
"""Words in a row of the table that comes with the embedded vocabulary: the neighborhood at epsilon 8."""

_BLOCK: Final = 256  # words whose rows are made at once: their scores take 33 MB at 33,000 words

_RULE: Final = "greatest cosine on the integer grid, the word first, ties to the lower id; 1"  # changes when rows do

_SCALES: WeakKeyDictionary[Vocabulary, str] = WeakKeyDictionary()


def neighbor_order(vocabulary: Vocabulary, size: int) -> PublicTable:
    """The table that holds the ``size`` nearest words of every word at least; see ``IntegerGrid.neighborhoods``.

    The lengths of its rows are few, so that few tables serve all sizes: the first m words of a row are the row of
    length m. Rows longer than ``nested_limit`` are not so: their tables have just the length asked for.

    Args:
        size: between 1 and the number of words.
    """
    n = len(vocabulary)
    need(1 <= size <= n, "size", size, f"between 1 and the {n} words of the vocabulary")
    length = row_length(size, n)
    return PublicTable(
        key=TableKey(
            kind=KIND,
            made_from={"vocabulary": vocabulary.digest, "grid": grid_digest(vocabulary), "rule": _RULE},
            arrays=(ArrayShape(NEIGHBORS, np.min_scalar_type(n - 1).newbyteorder("<").str, (n, length)),),
        ),
        describe=f"the table of the {length:,} nearest words of each of {n:,}",
        make=partial(_made, vocabulary, length),
        sound=partial(_sound, n),
        shipped=SHIPPED if length == SHIPPED_SIZE else None,
    )


def row_length(size: int, words: int) -> int:
    """The length of the rows in which the ``size`` nearest of so many words are kept."""
    limit = nested_limit(words)
    if size > limit:
        return size
    return min(limit, SHIPPED_SIZE if size <= SHIPPED_SIZE else 1 << (size - 1).bit_length())


def _made(vocabulary: Vocabulary, length: int, progress: Progress | None) -> Arrays:
    grid = integer_grid(vocabulary)
    n = grid.size
    rows = np.empty((n, length), dtype=np.min_scalar_type(n - 1))
    for start in range(0, n, _BLOCK):
        ids = np.arange(start, min(start + _BLOCK, n), dtype=np.int64)
        rows[ids] = grid.neighborhoods(ids, length, n)
        if progress is not None:
            progress(start + len(ids), n)
    return {NEIGHBORS: rows}


def _sound(words: int, arrays: Arrays) -> bool:
    """Every row is a set of words: all that the guarantee of neighborhood response asks (its proof, section 1)."""
    return distinct_rows(arrays[NEIGHBORS], words)


def grid_digest(vocabulary: Vocabulary) -> str:
    """What the integers of a vocabulary are, beyond its vectors: its own scales tell them, else the grid's rule."""
    if vocabulary.grid is None:
        return "rounded to a power of two a row; 1"
    known = _SCALES.get(vocabulary)
    if known is None:
        scales = np.ascontiguousarray(vocabulary.grid.scales, dtype="<f4")
        known = _SCALES[vocabulary] = hashlib.sha256(scales.data).hexdigest()
    return known
