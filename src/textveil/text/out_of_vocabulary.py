"""Maps words outside the vocabulary to it by their spelling: deterministic, public, total.

The rule reads the word and the list of words, nothing else, so mapping costs no privacy: it happens before
the draw, and the draw hides whatever word results. Let ``s`` be the word's spelling in plain lower-case
letters (``spelling.spelling``). The first step that gives a word decides:

1. *The word itself*, then a word with the spelling ``s``. These count as known.
2. *Clitics and apostrophes.* ``s`` is cut to 64 characters. "can't" gives "cant" if that is a word; else
   the ending 's, 'm, 're, 've, 'll, 'd or n't is dropped ("Maria's" to "maria", "we'll" to "we", "didn't"
   to "did"), and then every apostrophe ("O'Brien" to "obrien"). Later steps read what remains.
3. *Inflection*: the word of which it looks like the plural, the third person, the past, the participle, the
   comparative, the agent or the adverb ("treasuries" to "treasury", "rebounded" to "rebound"). Only the
   first ending of ``INFLECTIONS`` that fits is tried.
4. *Typing errors*: the word at the smallest optimal-string-alignment distance (insertions, deletions,
   substitutions, swaps of neighbors), if that is at most 2.
5. *Beginning*: of the words that share the longest prefix with ``s``, one whose length is closest.

Ties go to the lower id: in a vocabulary ordered by frequency, to the more frequent word. Distances and
prefixes are measured between spellings.

Step 4 is exact without comparing every pair. A few words are compared with every spelling. For more, an index is made
once: of the first ``_READ`` letters of every spelling, all that is left when up to two letters are dropped. Words at
distance d share such a remainder with at most d letters dropped on either side: every edit drops one letter of each at
most, and if the cut at ``_READ`` splits the alignment, what stands beyond it on one side is paid for by the letters
that the edits moved. So no near spelling is missed; those that are found are measured. Remainders are compared by
32-bit hashes: two that happen to agree cost time only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations
from os.path import commonprefix
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import VocabularyError
from textveil.text.patterns import lazy_regex
from textveil.text.tokens import spelling
from textveil.types import Ids, Integers

FARTHEST: Final = 2  # the greatest distance at which one word counts as a typing error of another
_READ: Final = 8  # letters of a word that the index reads; fewer make more candidates, more make more remainders
# Words that are compared with every spelling before the index is made: both take about a tenth of a second.
_SCANNED: Final = 256
_AT_ONCE: Final = 2048
_SCAN_AT_ONCE: Final = 32
_FIRST_ROUND: Final = 4
_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_HALF: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)


class TypingErrors:
    """Finds the spelling at the least distance, of those the lowest id, if it is no farther than ``FARTHEST``.

    What a lookup finds does not depend on earlier ones; only its time does.
    """

    __slots__ = ("_ids", "_index", "_scanned", "_spellings")

    def __init__(self, spelled: Mapping[str, int]) -> None:
        # In order of id, so that a lower place is a lower id.
        self._spellings = sorted(spelled, key=spelled.__getitem__)
        self._ids = np.fromiter(map(spelled.__getitem__, self._spellings), np.int64, len(self._spellings))
        self._index: _Remainders | None = None
        self._scanned = 0

    def nearest(self, words: Sequence[str]) -> Ids:
        """Return the id for each word, -1 if no spelling is near; int64, shape (len(words),)."""
        if self._index is None and self._scanned + len(words) > _SCANNED:
            self._index = _Remainders.over(self._spellings)
        self._scanned += len(words)
        positions = np.full(len(words), -1, dtype=np.int64)
        look, step = (self._scan, _SCAN_AT_ONCE) if self._index is None else (self._search, _AT_ONCE)
        for start in range(0, len(words), step):
            positions[start : start + step] = look(words[start : start + step])
        return np.where(positions < 0, -1, self._ids[positions])

    def _scan(self, words: Sequence[str]) -> Ids:
        from rapidfuzz import process  # here, because most runs meet a known word first
        from rapidfuzz.distance import OSA

        table = process.cdist(words, self._spellings, scorer=OSA.distance, score_cutoff=FARTHEST, dtype=np.uint8)
        positions = table.argmin(axis=1)  # the first of equals
        return np.where(table[np.arange(len(words)), positions] <= FARTHEST, positions, -1)

    def _search(self, words: Sequence[str]) -> Ids:
        """Find places by the index: what may be at distance 1 is measured first, and the rest until one is found."""
        assert self._index is not None
        which, positions, close = self._index.candidates(words)
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
            firsts = np.flatnonzero(np.diff(which[far], prepend=-1))
            rank = np.arange(len(far)) - np.repeat(firsts, np.diff(firsts, append=len(far)))  # within its word's pairs
            tried = far[rank < size]
            hits = tried[self._distances(words, which[tried], positions[tried]) <= FARTHEST]
            np.minimum.at(best, which[hits], positions[hits])
            far = far[rank >= size]
            far = far[positions[far] < best[which[far]]]
            size *= 2
        return np.where(best < none, best, -1)

    def _distances(self, words: Sequence[str], which: Ids, positions: Ids) -> NDArray[np.uint8]:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        left = [words[index] for index in which.tolist()]
        right = [self._spellings[place] for place in positions.tolist()]
        return process.cpdist(left, right, scorer=OSA.distance, score_cutoff=FARTHEST, dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class _Remainders:
    lengths: NDArray[np.int64]
    starts: NDArray[np.int32]  # where the hashes with each upper part begin
    shift: np.uint64
    hashes: NDArray[np.uint32]
    entries: NDArray[np.uint32]  # four times the place of the spelling, plus the letters dropped

    @staticmethod
    def over(spellings: Sequence[str]) -> _Remainders:
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
        """Return pairs of word and spelling, in order, and if they can be at distance 1: all within ``FARTHEST``."""
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
    """Return, for the words of each length, places, hashes (words, remainders), and the letters dropped."""
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
    """Return the weights of letters in the hash of each remainder, shape (length, remainders), and the letters dropped.

    A weight depends on the letter's place among those kept, so equal remainders have equal hashes.
    """
    drops = [drop for count in range(FARTHEST + 1) for drop in combinations(range(length), count)]
    weights = np.zeros((length, len(drops)), dtype=np.uint64)
    for column, drop in enumerate(drops):
        kept = [position for position in range(length) if position not in drop]
        for rank, position in enumerate(kept, 1):
            weights[position, column] = pow(_MULTIPLIER, rank, 2**64)
    return weights, np.array([len(drop) for drop in drops], dtype=np.int64)


LONGEST: Final = 64  # characters of an unknown word that its mapping reads
SHORTEST_STEM: Final = 3  # letters before an ending, at least, for it to count as an inflection

INFLECTIONS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("ings", ("ing", "e", "", "=")),
    ("iers", ("ier", "y")),
    ("ers", ("er", "e", "", "=")),
    ("ies", ("y", "ie")),
    ("oes", ("o", "oe")),
    ("ches", ("ch", "che")),
    ("shes", ("sh", "she")),
    ("sses", ("ss", "sse")),
    ("xes", ("x", "xe")),
    ("zes", ("z", "ze")),
    ("ss", ()),
    ("s", ("",)),
    ("ied", ("y", "ie")),
    ("ed", ("e", "", "=")),
    ("ing", ("e", "", "=")),
    ("ily", ("y",)),
    ("ly", ("", "le")),
    ("iest", ("y",)),
    ("ier", ("y",)),
    ("est", ("e", "", "=")),
    ("er", ("e", "", "=")),
)
"""Endings, and what may stand in their place; "=" halves a doubled letter before the ending."""

_LAST_LETTERS: Final = frozenset(ending[-1] for ending, _ in INFLECTIONS)
_CLITIC: Final = lazy_regex(r"(?:'(?:s|m|re|ve|ll|d)|n't)\Z")
_IRREGULAR: Final = MappingProxyType({"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"})


@dataclass(frozen=True, slots=True, eq=False)
class _Beginnings:
    """The spellings in alphabetical order: those that share a prefix stand together."""

    spellings: tuple[str, ...]
    ids: Ids
    lengths: Integers

    @staticmethod
    def over(spelled: Mapping[str, int]) -> _Beginnings:
        spellings = tuple(sorted(spelled))
        ids = np.fromiter(map(spelled.__getitem__, spellings), np.int64, len(spellings))
        return _Beginnings(spellings, ids, np.fromiter(map(len, spellings), np.int64, len(spellings)))

    def nearest(self, spelled: str) -> int:
        """Return the id of the longest common prefix; then the closest length; then the lowest."""
        index = bisect_left(self.spellings, spelled)
        around = self.spellings[max(index - 1, 0) : index + 1]
        size = max(len(commonprefix((spelled, other))) for other in around)
        prefix = spelled[:size]
        start = bisect_left(self.spellings, prefix)
        end = bisect_right(self.spellings, prefix, lo=start, key=lambda other: other[:size])
        gaps = np.abs(self.lengths[start:end] - len(spelled))
        return int(self.ids[start:end][gaps == gaps.min()].min())


@dataclass(frozen=True, eq=False)
class WordIndex:
    """Maps every string to a word of a vocabulary; the rule stands at the top of this module.

    A word's id is its place in ``words``, of which one at least is needed; of words with one spelling the first is
    found.
    """

    words: Sequence[str]

    def __post_init__(self) -> None:
        if not len(self.words):
            raise VocabularyError("a vocabulary must hold at least one word; got none.")
        object.__setattr__(self, "words", tuple(self.words))

    def lookup(self, surface: str) -> tuple[int, bool]:
        """Return the id for a word as written, and whether the vocabulary lacks it, but for case and accents."""
        return self.lookup_many([surface])[0]

    def lookup_many(self, surfaces: Sequence[str]) -> list[tuple[int, bool]]:
        """``lookup`` of each; of many at once it takes a tenth of the time a word."""
        results: list[tuple[int, bool]] = []
        waiting: dict[str, list[int]] = {}
        for index, surface in enumerate(surfaces):
            if (known := self._exact.get(surface)) is None:
                spelled = spelling(surface)
                if (known := self._spelled.get(spelled)) is None:
                    waiting.setdefault(spelled[:LONGEST], []).append(index)
            results.append((-1, True) if known is None else (known, False))
        for indices, mapped in zip(waiting.values(), self._map(list(waiting)) if waiting else (), strict=True):
            for index in indices:
                results[index] = (mapped, True)
        return results

    def _map(self, spellings: list[str]) -> list[int]:
        plain = [self._without_apostrophes(surface) if "'" in surface else surface for surface in spellings]
        ids = {surface: self._inflected(surface) for surface in plain}
        if rest := [word for word, known in ids.items() if known < 0]:
            for word, nearest in zip(rest, self._typing_errors.nearest(rest).tolist(), strict=True):
                ids[word] = nearest if nearest >= 0 else self._beginnings.nearest(word)
        return [ids[surface] for surface in plain]

    def _inflected(self, spelled: str) -> int:
        """Return the id of the spelling or of what it looks like an inflection of; -1 if there is none."""
        if (known := self._spelled.get(spelled, -1)) < 0 and spelled[-1:] in _LAST_LETTERS:
            return next((self._spelled[stem] for stem in _stems(spelled) if stem in self._spelled), -1)
        return known

    def _without_apostrophes(self, spelled: str) -> str:
        joined = spelled.replace("'", "")
        if spelled.endswith("n't") and joined in self._spelled:
            return joined
        host = _IRREGULAR.get(spelled) or _CLITIC.sub("", spelled)
        return host.replace("'", "") or joined

    @cached_property
    def _exact(self) -> dict[str, int]:
        return _first_places(self.words)

    @cached_property
    def _spelled(self) -> dict[str, int]:
        return _first_places([spelling(word) for word in self.words])

    @cached_property
    def _typing_errors(self) -> TypingErrors:
        return TypingErrors(self._spelled)

    @cached_property
    def _beginnings(self) -> _Beginnings:
        return _Beginnings.over(self._spelled)


@lru_cache(maxsize=2)
def word_index(words: tuple[str, ...]) -> WordIndex:
    """The index of these words, made once for all that are made one after another: it holds public words alone."""
    return WordIndex(words)


def _first_places(words: Sequence[str]) -> dict[str, int]:
    last = len(words) - 1
    return dict(zip(reversed(words), range(last, -1, -1), strict=True))


def _stems(spelled: str) -> list[str]:
    """Return what the first fitting ending of ``INFLECTIONS`` may have been added to, in order."""
    for ending, replacements in INFLECTIONS:
        if spelled.endswith(ending) and len(spelled) - len(ending) >= SHORTEST_STEM:
            stem = spelled[: -len(ending)]
            doubled = stem[-1] == stem[-2]
            return [
                stem[:-1] if replacement == "=" else stem + replacement
                for replacement in replacements
                if replacement != "=" or doubled
            ]
    return []
