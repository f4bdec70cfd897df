"""Tables in which a key stands in one of two buckets of four cells, so that a look-up reads two places and no more.

Cuckoo hashing with buckets (Dietzfelbinger and Weidling, Balanced allocation and cuckoo hashing with bins of bounded
size, 2007). What a cell holds tells its key exactly, not up to a fingerprint: absent keys are never found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Bytes, Flags, Ids, Integers

CELLS: Final = 4  # cells of a bucket
_LOAD: Final = 0.95  # share of cells that are used at most, where there are many
_ROUNDS: Final = 400  # rounds of moving keys before more room is given to those without a place
_FIRST, _SECOND, _THIRD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0xD6E8FEB86659FD93)
_HALF: Final = np.uint64(32)
_TAG_BITS: Final = 23
"""Bits of a position that a cell of ``TripleTable`` holds; a bit beside them says which of the two buckets it is in."""

_CODE_BITS: Final = np.uint32(8)
_CODES: Final = np.uint32(1 << 8)
_SIDE: Final = np.uint32(1 << 31)


class Hits(NamedTuple):
    """What a look-up found: indices of the queries, and the cell of each."""

    found: Ids
    cells: Ids


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """The words that follow each of some contexts: each context has buckets of its own."""

    starts: Integers  # each context's first bucket and the last one's end, shape (contexts + 1,)
    words: NDArray[Any]  # word in each cell; the largest value where there is none, shape (buckets, 4)
    codes: Bytes  # 0 where there is no word, shape (4 * buckets,)

    def find(self, contexts: Ids, words: Ids) -> Hits:
        """Look up words (rows, k) after contexts (rows,); the hits count queries row by row."""
        begin = self.starts[contexts]
        counts = (self.starts[contexts + 1] - begin).astype(np.uint64)
        some = counts > 0
        first, second = _sides(words.astype(np.uint64), np.maximum(counts, 1)[:, None])
        begin = np.where(some, begin, 0)[:, None]  # what a context without words reads is judged below
        first, second = begin + first, begin + second
        wanted = words.astype(self.words.dtype)[..., None]
        in_first = self.words.take(first, axis=0) == wanted
        in_second = self.words.take(second, axis=0) == wanted
        hits = _hits(first, second, in_first, in_second)
        if some.all() or not len(hits.found):
            return hits
        fine = some[hits.found // words.shape[1]]
        return Hits(hits.found[fine], hits.cells[fine])

    def listed(self, contexts: Ids) -> tuple[Ids, Ids]:
        """Cells with the words after contexts (rows,), and where each context's begin among them, (rows + 1,)."""
        begin, end = self.starts[contexts] * CELLS, self.starts[contexts + 1] * CELLS
        lengths = end - begin
        ends = np.cumsum(lengths)
        cells = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - (ends - lengths), lengths)
        used = self.codes[cells] > 0
        before = np.zeros(len(used) + 1, dtype=np.int64)
        np.cumsum(used, out=before[1:])
        return cells[used], before[np.concatenate([[0], ends])]


@dataclass(frozen=True, slots=True, eq=False)
class TripleTable:
    """Words after numbered contexts, all in one set of buckets.

    A key is turned into a position by two bijections, each of which names a bucket by the position's leading part; a
    cell keeps the low bits of the position, which within a bucket differ for different keys.

    ``cells``: side (1 bit), low bits of the position (23), code (8; 0 where there is none), uint32 (buckets, 4).
    """

    cells: NDArray[np.uint32]
    bits: int  # keys lie in [0, 2^bits)
    size: int  # words; the key of word w after context c is c * size + w

    def find(self, contexts: Ids, words: Ids) -> Hits:
        """Look up words (rows, k) after contexts (rows,); the hits count queries row by row."""
        keys = (contexts[:, None] * self.size + words).astype(np.uint64)
        first, second = _positions(keys, self.bits)
        buckets = [_bucket(positions, len(self.cells), self.bits) for positions in (first, second)]
        in_first = (self.cells.take(buckets[0], axis=0) ^ _tagged(first, 0)[..., None]) < _CODES
        in_second = (self.cells.take(buckets[1], axis=0) ^ _tagged(second, 1)[..., None]) < _CODES
        return _hits(buckets[0], buckets[1], in_first, in_second)

    def codes(self, cells: Ids) -> Bytes:
        """The codes in cells that were found."""
        return self.cells.reshape(-1)[cells].astype(np.uint8)


def pair_table(size: int, contexts: Ids, words: Ids, codes: Bytes, count: int) -> tuple[PairTable, Ids]:
    """A table of pairs, and the cell of each.

    Args:
        size: words are ids in [0, size).
        contexts: ascending, in [0, count), shape (m,).
        words: distinct within a context, shape (m,).
        codes: 1 or more, shape (m,).
    """
    held = np.bincount(contexts, minlength=count)
    buckets = np.ceil(held / (CELLS * _LOAD)).astype(np.int64)
    buckets[0] = max(1, buckets[0])  # a look-up reads some bucket even where there is no pair
    kind = np.uint16 if size < np.iinfo(np.uint16).max else np.uint32
    while True:
        starts = np.concatenate([[0], np.cumsum(buckets)])
        first, second = _sides(words.astype(np.uint64), buckets[contexts].astype(np.uint64))
        cells = _placed(starts[contexts] + first, starts[contexts] + second, int(starts[-1]))
        if (cells >= 0).all():
            break
        buckets[np.unique(contexts[cells < 0])] += 1
    table = np.full((int(starts[-1]), CELLS), np.iinfo(kind).max, dtype=kind)
    kept = np.zeros(table.size, dtype=np.uint8)
    table.reshape(-1)[cells], kept[cells] = words, codes
    return PairTable(starts, table, kept), cells


def triple_table(size: int, contexts: Ids, words: Ids, codes: Bytes, count: int) -> TripleTable:
    """A table of words after numbered contexts in [0, count); no pair of them comes twice.

    Raises ParameterError: more contexts than the cells of the table can tell apart.
    """
    bits = max(1, (count * size - 1).bit_length())
    buckets = max(1, -(-(1 << bits) // ((1 << _TAG_BITS) - 1)) + 1, int(np.ceil(len(words) / (CELLS * _LOAD))))
    need(bits + buckets.bit_length() <= 64, "contexts", count, "few enough for 64-bit positions", "Prune more.")
    first, second = _positions((contexts * size + words).astype(np.uint64), bits)
    while True:
        cells = _placed(_bucket(first, buckets, bits), _bucket(second, buckets, bits), buckets)
        if (cells >= 0).all():
            break
        buckets += buckets // 50 + 1
    table = np.repeat(_nobody(buckets, bits), CELLS)
    in_first = cells // CELLS == _bucket(first, buckets, bits)
    tags = np.where(in_first, _tagged(first, 0), _tagged(second, 1))
    table[cells] = tags | codes
    return TripleTable(table.reshape(-1, CELLS), bits, size)


def _sides(words: NDArray[np.uint64], buckets: NDArray[np.uint64]) -> tuple[Ids, Ids]:
    """The two buckets of a word among those of its context; different ones where there are two or more."""
    first = ((words * _FIRST >> _HALF) * buckets) >> _HALF
    others = np.maximum(buckets, np.uint64(2)) - np.uint64(1)
    step = ((words * _SECOND >> _HALF) * others) >> _HALF
    second = first + step + np.uint64(1)
    second -= np.where(second >= buckets, buckets, np.uint64(0))
    return first.astype(np.int64), np.minimum(second, buckets - np.uint64(1)).astype(np.int64)


def _positions(keys: NDArray[np.uint64], bits: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Two bijections of [0, 2^bits): products with odd numbers, and exclusive or with the upper half."""
    mask = np.uint64((1 << bits) - 1)
    half = np.uint64((bits + 1) // 2)
    first = keys * _FIRST & mask
    first ^= first >> half
    first *= _SECOND
    first &= mask
    second = first ^ (first >> half)
    second *= _THIRD
    second &= mask
    return first, second


def _bucket(positions: NDArray[np.uint64], buckets: int, bits: int) -> Ids:
    """The bucket that holds a position: ``buckets`` stretches of [0, 2^bits), as even as can be."""
    return ((positions * np.uint64(buckets)) >> np.uint64(bits)).astype(np.int64)


def _tagged(positions: NDArray[np.uint64], side: int) -> NDArray[np.uint32]:
    low = (positions & np.uint64((1 << _TAG_BITS) - 1)).astype(np.uint32) << _CODE_BITS
    return low | _SIDE if side else low


def _nobody(buckets: int, bits: int) -> NDArray[np.uint32]:
    """For each bucket, what no key has that belongs there: the position before its first one."""
    many = np.uint64(buckets)
    firsts = ((np.arange(buckets, dtype=np.uint64) << np.uint64(bits)) + many - np.uint64(1)) // many
    return _tagged(firsts - np.uint64(1), 0)


def _hits(first: Ids, second: Ids, in_first: Flags, in_second: Flags) -> Hits:
    """The matches among the cells of two buckets, given for each query and cell, shape (rows, k, 4)."""
    ones, others = in_first.view("<u4").reshape(-1), in_second.view("<u4").reshape(-1)  # a byte for each cell
    places = (ones | others).nonzero()[0]
    single, other = ones.take(places), others.take(places)
    there = single > 0
    match = np.where(there, single, other)
    cells = np.where(there, first.reshape(-1).take(places), second.reshape(-1).take(places)) * CELLS
    for cell in range(1, CELLS):
        cells += match >= 1 << 8 * cell
    return Hits(places, cells)


def _placed(first: Ids, second: Ids, buckets: int) -> Ids:
    """A cell for each key in one of its two buckets, or -1 where none was found; the same on every machine.

    Keys that find no free cell move another one out, which then looks in its other bucket.
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
