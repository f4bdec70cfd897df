"""The nearest spelling of each of many words by edit distance, exactly, without comparing every pair.

The distance is optimal string alignment: insertions, deletions, substitutions, and swaps of neighbors. A few
words are compared with every spelling. For more, an index is made once: of the first ``_READ`` letters of every
spelling, all that is left when up to two letters are dropped. Words at distance d share such a remainder with at
most d letters dropped on either side: every edit drops one letter of each at most, and where the cut at ``_READ``
splits the alignment, what stands beyond it on one side is paid for by the letters that the edits moved. So no
near spelling is missed; those that are found are measured. Remainders are compared by 32-bit hashes: two that
happen to agree cost time only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids

FARTHEST: Final = 2
"""The greatest distance at which one word counts as a typing error of another."""

_READ: Final = 8
"""Letters of a word that the index reads; fewer make more candidates, more make more remainders."""

_SCANNED: Final = 256
"""Words that are compared with every spelling before the index is made: both take about a tenth of a second."""

_AT_ONCE: Final = 2048
_SCAN_AT_ONCE: Final = 32
_FIRST_ROUND: Final = 4
_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_HALF: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)


@final
class TypingErrors:
    """Finds the spelling at the least distance, of those the lowest id, if it is no farther than ``FARTHEST``.

    Args:
        spelled: distinct spellings with their ids.

    What a lookup finds does not depend on what was looked up before; only its time does.
    """

    __slots__ = ("_ids", "_index", "_scanned", "_spellings")

    def __init__(self, spelled: Mapping[str, int]) -> None:
        # In order of id, so that a lower place is a lower id.
        self._spellings = sorted(spelled, key=spelled.__getitem__)
        self._ids = np.fromiter(map(spelled.__getitem__, self._spellings), np.int64, len(self._spellings))
        self._index: _Remainders | None = None
        self._scanned = 0

    def nearest(self, words: Sequence[str]) -> Ids:
        """The id for each word, -1 where no spelling is near; int64, shape (len(words),)."""
        if self._index is None and self._scanned + len(words) > _SCANNED:
            self._index = _Remainders.over(self._spellings)
        index = self._index
        if index is None:
            self._scanned += len(words)
        positions = np.full(len(words), -1, dtype=np.int64)
        step = _SCAN_AT_ONCE if index is None else _AT_ONCE
        for start in range(0, len(words), step):
            part = words[start : start + step]
            positions[start : start + step] = self._scan(part) if index is None else self._search(part, index)
        return np.where(positions < 0, -1, self._ids[positions])

    def _scan(self, words: Sequence[str]) -> Ids:
        """Places by comparison with every spelling."""
        from rapidfuzz import process  # here, because most runs meet a known word first
        from rapidfuzz.distance import OSA

        table = process.cdist(words, self._spellings, scorer=OSA.distance, score_cutoff=FARTHEST, dtype=np.uint8)
        positions = table.argmin(axis=1)  # the first of equals
        return np.where(table[np.arange(len(words)), positions] <= FARTHEST, positions, -1)

    def _search(self, words: Sequence[str], index: _Remainders) -> Ids:
        """Places by the index: what may be at distance 1 is measured first, and the rest until one is found."""
        which, positions, close = index.candidates(words)
        none = len(self._spellings)
        near = np.flatnonzero(close)
        distances = self._distances(words, which[near], positions[near])
        best = np.full(len(words), none, dtype=np.int64)
        for reach in range(FARTHEST, -1, -1):  # what is nearer overwrites
            hits = near[distances <= reach]
            nearest = np.full(len(words), none, dtype=np.int64)
            np.minimum.at(nearest, which[hits], positions[hits])
            best = np.where(nearest < none, nearest, best)
        done = np.zeros(len(words), dtype=np.bool_)
        done[which[near[distances <= 1]]] = True
        # Whatever else is within reach is at distance 2 exactly: of these the first in order of id is wanted.
        far = np.flatnonzero(~close & ~done[which] & (positions < best[which]))
        size = _FIRST_ROUND
        while len(far):
            rank = _ranks(which[far])
            tried = far[rank < size]
            hits = tried[self._distances(words, which[tried], positions[tried]) <= FARTHEST]
            np.minimum.at(best, which[hits], positions[hits])
            far = far[rank >= size]
            far = far[positions[far] < best[which[far]]]
            size *= 2
        return np.where(best < none, best, -1)

    def _distances(self, words: Sequence[str], which: Ids, positions: Ids) -> NDArray[np.uint8]:
        """Distances of pairs, cut off above ``FARTHEST``."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        spellings = self._spellings
        left, right = [words[index] for index in which.tolist()], [spellings[place] for place in positions.tolist()]
        distances: NDArray[np.uint8] = process.cpdist(
            left, right, scorer=OSA.distance, score_cutoff=FARTHEST, dtype=np.uint8
        )
        return distances


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Remainders:
    """What is left of each spelling when up to two of its first letters are dropped, in order of hash."""

    lengths: NDArray[np.int64]
    starts: NDArray[np.int32]
    """Where the hashes with each upper part begin."""
    shift: np.uint64
    hashes: NDArray[np.uint32]
    entries: NDArray[np.uint32]
    """Four times the place of the spelling, plus the letters dropped."""

    @staticmethod
    def over(spellings: Sequence[str]) -> _Remainders:
        """The index of ``spellings``, fewer than 2^30."""
        keys = []
        for positions, hashes, dropped in _remainders(spellings):
            entries = (positions[:, None] * 4 + dropped).astype(np.uint64)
            keys.append((hashes << _HALF | entries).reshape(-1))
        key = np.concatenate(keys)
        key.sort()
        hashes = key >> _HALF
        bits = min(24, max(1, len(key).bit_length()))
        shift = np.uint64(32 - bits)
        starts = np.searchsorted(hashes >> shift, np.arange(2**bits + 1, dtype=np.uint64)).astype(np.int32)
        lengths = np.fromiter(map(len, spellings), np.int64, len(spellings))
        return _Remainders(lengths, starts, shift, hashes.astype(np.uint32), (key & _LOW).astype(np.uint32))

    def candidates(self, words: Sequence[str]) -> tuple[Ids, Ids, NDArray[np.bool_]]:
        """Pairs of a word and a spelling, all within ``FARTHEST`` edits among them, in order.

        Returns:
            The place of the word, the place of the spelling, and whether their distance can be 1.
        """
        candidates = []
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        for which, hashes, dropped in _remainders(words):
            upper = (hashes >> self.shift).astype(np.int64).reshape(-1)
            first = self.starts[upper].astype(np.int64)
            counts = self.starts[upper + 1] - first
            ends = np.cumsum(counts)
            entry = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - counts), counts)
            probe = np.repeat(np.arange(len(upper)), counts)
            same = np.flatnonzero(self.hashes[entry] == hashes.reshape(-1)[probe])
            entry, probe = self.entries[entry[same]], probe[same]
            word, position = which[probe // len(dropped)], (entry >> 2).astype(np.int64)
            far = (dropped[probe % len(dropped)] > 1) | (entry & 3 > 1)
            keep = np.abs(self.lengths[position] - lengths[word]) <= FARTHEST
            candidates.append(((word * 2 + far) << 32 | position)[keep])
        pairs = np.concatenate(candidates)
        pairs.sort()  # np.unique would hash them, which takes four times as long
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        return pairs >> 33, pairs & 0xFFFFFFFF, (pairs >> 32) & 1 == 0


def _remainders(words: Sequence[str]) -> Iterator[tuple[Ids, NDArray[np.uint64], Ids]]:
    """For the words of each length: their places, their hashes (words, remainders), and the letters dropped."""
    cut = np.array([word[:_READ] for word in words], dtype=f"U{_READ}")
    letters = cut.view(np.uint32).reshape(len(words), _READ).astype(np.uint64)
    lengths = np.fromiter((min(len(word), _READ) for word in words), np.int64, len(words))
    for length in range(_READ + 1):
        positions = np.flatnonzero(lengths == length)
        if len(positions):
            weights, dropped = _weights(length)
            yield positions, (letters[positions, :length] @ weights) >> _HALF, dropped


@cache
def _weights(length: int) -> tuple[NDArray[np.uint64], Ids]:
    """Weights of the letters in the hash of each remainder, shape (length, remainders), and the letters dropped.

    A letter that is kept has a weight that depends on its place among those kept, so equal remainders have
    equal hashes.
    """
    drops = [drop for count in range(FARTHEST + 1) for drop in combinations(range(length), count)]
    weights = np.zeros((length, len(drops)), dtype=np.uint64)
    for column, drop in enumerate(drops):
        kept = [position for position in range(length) if position not in drop]
        for rank, position in enumerate(kept, 1):
            weights[position, column] = pow(_MULTIPLIER, rank, 2**64)
    return weights, np.array([len(drop) for drop in drops], dtype=np.int64)


def _ranks(groups: Ids) -> Ids:
    """The place of each entry within its group; groups stand together."""
    firsts = np.flatnonzero(np.diff(groups, prepend=-1))
    return np.arange(len(groups)) - np.repeat(firsts, np.diff(firsts, append=len(groups)))
