"""Identical rows of a table: the search returns the first of them.

Otherwise the matrix product decides which of two identical rows wins: the rounding of a score depends on the row's
position in the product, on the processor and on the number of threads.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids, Vectors

_BLOCK = 2**20  # Number of entries in one pass
_SEED = 20_261  # Of the multipliers of the hash, on which no answer depends


@dataclass(frozen=True, slots=True, eq=False)
class FirstRows:
    """Map from the id of a row to the lowest id of an equal row, entry by entry (0 equals -0)."""

    first: Ids | None  # for each row that id, int64, shape (n,); None if no two rows are equal, as in most tables

    def __call__(self, ids: Ids) -> Ids:
        """Return ids of the first equal rows; any shape."""
        return ids if self.first is None else self.first[ids]


def first_rows(table: Vectors) -> FirstRows:
    """Return the map of a table of shape (n, dim), by a hash of each row; rows with equal hashes are compared."""
    hashes = _hashes(table)
    order = np.argsort(hashes, kind="stable")  # within equal hashes by id
    first = np.arange(len(table), dtype=np.int64)
    repeated = hashes[order[1:]] == hashes[order[:-1]]
    doubtful = order[np.append(repeated, False) | np.append(False, repeated)]
    while len(doubtful):  # more than once only if different rows share a hash
        _, start, which = np.unique(hashes[doubtful], return_index=True, return_inverse=True)
        leader = doubtful[start][which]
        equal = _equal(table, doubtful, leader)
        first[doubtful[equal]] = leader[equal]
        doubtful = doubtful[~equal]
    return FirstRows(first if bool((first != np.arange(len(table))).any()) else None)


def _hashes(table: Vectors) -> NDArray[np.uint64]:
    count, dim = table.shape
    multipliers = np.random.default_rng(_SEED).integers(2**64, size=dim, dtype=np.uint64) | np.uint64(1)
    hashes = np.empty(count, dtype=np.uint64)
    rows = max(1, _BLOCK // dim)
    for start in range(0, count, rows):
        block = table[start : start + rows] + np.float32(0)  # -0 becomes 0
        hashes[start : start + rows] = block.view(np.uint32).astype(np.uint64) @ multipliers
    return hashes


def _equal(table: Vectors, left: Ids, right: Ids) -> NDArray[np.bool_]:
    rows = max(1, _BLOCK // table.shape[1])
    parts = [
        (table[left[start : start + rows]] == table[right[start : start + rows]]).all(axis=1)
        for start in range(0, len(left), rows)
    ]
    return np.concatenate(parts)
