"""Tables in which a key stands in one of two buckets of four cells, so that a look-up reads two places and no more.

Cuckoo hashing with buckets (Dietzfelbinger and Weidling, Balanced allocation and cuckoo hashing with bins of bounded
size, 2007). What a cell holds tells its key exactly, not up to a fingerprint: absent keys are never found.
"""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.types import Bytes, Flags, Ids, Integers

CELLS: Final = 4  # cells of a bucket
_FIRST, _SECOND, _THIRD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0xD6E8FEB86659FD93)
_HALF: Final = np.uint64(32)
TAG_BITS: Final = 23
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
        first, second = sides(words.astype(np.uint64), np.maximum(counts, 1)[:, None])
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
        first, second = positions(keys, self.bits)
        buckets = [bucket(positions, len(self.cells), self.bits) for positions in (first, second)]
        in_first = (self.cells.take(buckets[0], axis=0) ^ tagged(first, 0)[..., None]) < _CODES
        in_second = (self.cells.take(buckets[1], axis=0) ^ tagged(second, 1)[..., None]) < _CODES
        return _hits(buckets[0], buckets[1], in_first, in_second)

    def codes(self, cells: Ids) -> Bytes:
        """The codes in cells that were found."""
        return self.cells.reshape(-1)[cells].astype(np.uint8)


def sides(words: NDArray[np.uint64], buckets: NDArray[np.uint64]) -> tuple[Ids, Ids]:
    """The two buckets of a word among those of its context; different ones where there are two or more."""
    first = ((words * _FIRST >> _HALF) * buckets) >> _HALF
    others = np.maximum(buckets, np.uint64(2)) - np.uint64(1)
    step = ((words * _SECOND >> _HALF) * others) >> _HALF
    second = first + step + np.uint64(1)
    second -= np.where(second >= buckets, buckets, np.uint64(0))
    return first.astype(np.int64), np.minimum(second, buckets - np.uint64(1)).astype(np.int64)


def positions(keys: NDArray[np.uint64], bits: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
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


def bucket(positions: NDArray[np.uint64], buckets: int, bits: int) -> Ids:
    """The bucket that holds a position: ``buckets`` stretches of [0, 2^bits), as even as can be."""
    return ((positions * np.uint64(buckets)) >> np.uint64(bits)).astype(np.int64)


def tagged(positions: NDArray[np.uint64], side: int) -> NDArray[np.uint32]:
    """Return what cells hold of positions and sides."""
    low = (positions & np.uint64((1 << TAG_BITS) - 1)).astype(np.uint32) << _CODE_BITS
    return low | _SIDE if side else low


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
