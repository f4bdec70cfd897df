"""Builder of the tables of ``textveil.models.ngram``: every key gets a cell in one of its two buckets."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.models.ngram import CELLS, TAG_BITS, PairTable, TripleTable, bucket, positions, sides, tagged
from textveil.types import Bytes, Ids

_LOAD: Final = 0.95  # share of cells that are used at most, if there are many
_ROUNDS: Final = 400  # rounds of moving keys before more room is given to those without a place


def pair_table(size: int, contexts: Ids, words: Ids, codes: Bytes, count: int) -> tuple[PairTable, Ids]:
    """Return a table of pairs, and the cell of each.

    Args:
        size: words are ids in [0, size).
        contexts: ascending, in [0, count), shape (m,).
        words: distinct within a context, shape (m,).
        codes: 1 or more, shape (m,).
    """
    held = np.bincount(contexts, minlength=count)
    buckets = np.ceil(held / (CELLS * _LOAD)).astype(np.int64)
    buckets[0] = max(1, buckets[0])  # a look-up reads some bucket even if there is no pair
    kind = np.uint16 if size < np.iinfo(np.uint16).max else np.uint32
    while True:
        starts = np.concatenate([[0], np.cumsum(buckets)])
        first, second = sides(words.astype(np.uint64), buckets[contexts].astype(np.uint64))
        cells = _placed(starts[contexts] + first, starts[contexts] + second, int(starts[-1]))
        if (cells >= 0).all():
            break
        buckets[np.unique(contexts[cells < 0])] += 1
    table = np.full((int(starts[-1]), CELLS), np.iinfo(kind).max, dtype=kind)
    kept = np.zeros(table.size, dtype=np.uint8)
    table.reshape(-1)[cells], kept[cells] = words, codes
    return PairTable(starts, table, kept), cells


def triple_table(size: int, contexts: Ids, words: Ids, codes: Bytes, count: int) -> TripleTable:
    """Return a table of words after numbered contexts in [0, count); each pair is unique.

    Raises:
        ParameterError: more contexts than the table's cells can distinguish.
    """
    bits = max(1, (count * size - 1).bit_length())
    buckets = max(1, -(-(1 << bits) // ((1 << TAG_BITS) - 1)) + 1, int(np.ceil(len(words) / (CELLS * _LOAD))))
    need(bits + buckets.bit_length() <= 64, "contexts", count, "few enough for 64-bit positions", "Prune more.")
    first, second = positions((contexts * size + words).astype(np.uint64), bits)
    while True:
        cells = _placed(bucket(first, buckets, bits), bucket(second, buckets, bits), buckets)
        if (cells >= 0).all():
            break
        buckets += buckets // 50 + 1
    table = np.repeat(_nobody(buckets, bits), CELLS)
    in_first = cells // CELLS == bucket(first, buckets, bits)
    tags = np.where(in_first, tagged(first, 0), tagged(second, 1))
    table[cells] = tags | codes
    return TripleTable(table.reshape(-1, CELLS), bits, size)


def _nobody(buckets: int, bits: int) -> NDArray[np.uint32]:
    many = np.uint64(buckets)
    firsts = ((np.arange(buckets, dtype=np.uint64) << np.uint64(bits)) + many - np.uint64(1)) // many
    return tagged(firsts - np.uint64(1), 0)


def _placed(first: Ids, second: Ids, buckets: int) -> Ids:
    """Return a cell for each key in one of its two buckets, -1 if none was found; the same on every machine.

    A key without a free cell moves another one out, which then tries its other bucket.
    """
    held = np.full(buckets * CELLS, -1, dtype=np.int64)
    filled = np.zeros(buckets, dtype=np.int64)
    moved = np.zeros(len(first), dtype=bool)
    waiting = np.arange(len(first))
    for turn in range(_ROUNDS):
        if not len(waiting):
            break
        target = np.where(moved[waiting], second[waiting], first[waiting])
        order = np.argsort(target, kind="stable")
        waiting, target = waiting[order], target[order]
        rank = np.arange(len(target)) - np.searchsorted(target, target)
        room = CELLS - filled[target]
        fits, pushes = rank < room, rank == room
        held[target[fits] * CELLS + filled[target[fits]] + rank[fits]] = waiting[fits]
        np.add.at(filled, target[fits], 1)
        cells = target[pushes] * CELLS + (turn + target[pushes]) % CELLS
        out, held[cells] = held[cells], waiting[pushes]
        waiting = np.concatenate([out, waiting[~fits & ~pushes]])
        moved[waiting] ^= True
    cells_of = np.full(len(first), -1, dtype=np.int64)
    used = np.flatnonzero(held >= 0)
    cells_of[held[used]] = used
    return cells_of
