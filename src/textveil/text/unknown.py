"""Words outside the vocabulary are mapped to it by their spelling: deterministic, public, total.

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
4. *Typing errors*: the word at the least optimal-string-alignment distance (insertions, deletions,
   substitutions, swaps of neighbors), if that is at most 2.
5. *Beginning*: of the words that share the longest prefix with ``s``, one whose length is closest.

Ties go to the lower id: in a vocabulary ordered by frequency, to the more frequent word. Distances and
prefixes are measured between spellings.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import VocabularyError
from textveil.text.spelling import spelling

LONGEST: Final = 64
"""Characters of an unknown word that its mapping reads."""

FARTHEST: Final = 2
"""The greatest distance at which one word counts as a typing error of another."""

SHORTEST_STEM: Final = 3
"""Letters before an ending, at least, for it to count as an inflection."""

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

_LETTER_BITS: Final = {chr(ord("a") + place): 1 << place for place in range(26)}
_ONE: Final = np.uint64(1)
_CLITIC: Final = re.compile(r"(?:'(?:s|m|re|ve|ll|d)|n't)\Z")
_IRREGULAR: Final = MappingProxyType({"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"})


@final
@dataclass(frozen=True, slots=True, eq=False)
class _TypingErrors:
    """Finds the nearest spelling by edit distance without comparing every word.

    A word's signature is a set of 64 bits: for each of a-z, whether it occurs once and whether it
    occurs twice; for every other character, whether one of its class (code modulo 12) occurs. An insertion
    can only add a bit, a deletion only drop one, a substitution at most both, a swap neither. So of two
    words d edits apart whose lengths differ by k, the longer lacks at most d - k bits of the shorter, and
    the two differ in at most 2d - k. The words that meet both bounds are then measured.
    """

    spellings: tuple[str, ...]
    """From short to long."""
    ids: NDArray[np.int64]
    signatures: NDArray[np.uint64]
    starts: tuple[int, ...]
    """Where the words of length 0, 1, 2, ... begin; ends with the number of words."""

    @staticmethod
    def over(spelled: Mapping[str, int]) -> _TypingErrors:
        spellings = tuple(sorted(spelled, key=len))
        lengths = np.fromiter(map(len, spellings), np.int64, len(spellings))
        starts = np.searchsorted(lengths, np.arange(lengths[-1] + 2))
        ids = np.fromiter(map(spelled.__getitem__, spellings), np.int64, len(spellings))
        signatures = np.fromiter(map(_signature, spellings), np.uint64, len(spellings))
        return _TypingErrors(spellings, ids, signatures, tuple(starts.tolist()))

    def nearest(self, spelled: str) -> int | None:
        """The id at the least distance, the lowest of them; None if that distance exceeds ``FARTHEST``."""
        from rapidfuzz import process  # here, because most runs meet a known word first
        from rapidfuzz.distance import OSA

        places = self._shortlist(spelled)
        if not places.size:
            return None
        candidates = [self.spellings[place] for place in places.tolist()]
        distances = process.cdist([spelled], candidates, scorer=OSA.distance, score_cutoff=FARTHEST, dtype=np.uint8)[0]
        least = distances.min()
        return int(self.ids[places[distances == least]].min()) if least <= FARTHEST else None

    def _shortlist(self, spelled: str) -> NDArray[np.int64]:
        """Places of all words within ``FARTHEST`` edits, among others."""
        length = len(spelled)
        signature = np.uint64(_signature(spelled))
        found = [np.empty(0, np.int64)]
        for longer in range(-FARTHEST, FARTHEST + 1):
            if not 0 <= length + longer < len(self.starts) - 1:
                continue
            start, end = self.starts[length + longer : length + longer + 2]
            here = self.signatures[start:end]
            lacking = ~here & signature if longer >= 0 else here & ~signature
            places = np.flatnonzero(_at_most(lacking, FARTHEST - abs(longer)))
            different = here[places] ^ signature
            found.append(places[_at_most(different, 2 * FARTHEST - abs(longer))] + start)
        return np.concatenate(found)


def _at_most(sets: NDArray[np.uint64], bits: int) -> NDArray[np.bool_]:
    """Which sets have at most ``bits`` elements: clear the lowest that often, then nothing is left."""
    for _ in range(bits):
        sets = sets & (sets - _ONE)  # 0 stays 0, whatever 0 - 1 is
    return sets == 0


def _signature(spelled: str) -> int:
    """The signature of a word, as the bits of an integer."""
    once = twice = 0
    for character in spelled:
        bit = _LETTER_BITS.get(character) or 1 << 52 + ord(character) % 12
        twice |= once & bit
        once |= bit
    return once | (twice & (1 << 26) - 1) << 26


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Beginnings:
    """The spellings in alphabetical order: those that share a prefix stand together."""

    spellings: tuple[str, ...]
    ids: tuple[int, ...]

    @staticmethod
    def over(spelled: Mapping[str, int]) -> _Beginnings:
        spellings = tuple(sorted(spelled))
        return _Beginnings(spellings, tuple(map(spelled.__getitem__, spellings)))

    def nearest(self, spelled: str) -> int:
        """The id of the longest common prefix; then the closest length; then the lowest."""
        place = bisect_left(self.spellings, spelled)
        around = self.spellings[max(place - 1, 0) : place + 1]
        size = max(_shared_prefix(spelled, other) for other in around)
        prefix = spelled[:size]
        start = bisect_left(self.spellings, prefix)
        end = bisect_right(self.spellings, prefix, lo=start, key=lambda other: other[:size])
        sharing = zip(self.spellings[start:end], self.ids[start:end], strict=True)
        return min((abs(len(other) - len(spelled)), number) for other, number in sharing)[1]


def _shared_prefix(one: str, other: str) -> int:
    """How many characters two words share from the start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (here, there) in pairs if here != there), min(len(one), len(other)))


@final
@dataclass(frozen=True, eq=False)
class WordIndex:
    """Maps every string to a word of a vocabulary; the rule stands at the top of this module.

    Args:
        words: the vocabulary, at least one word; a word's id is its place. Of words with the same
            spelling, the first is found by spelling.

    Raises:
        VocabularyError: there is no word.
    """

    words: Sequence[str]

    def __post_init__(self) -> None:
        if not len(self.words):
            raise VocabularyError("a vocabulary must hold at least one word; got none.")
        object.__setattr__(self, "words", tuple(self.words))

    def lookup(self, surface: str) -> tuple[int, bool]:
        """The id for a word as it is written, and whether the word is unknown and was mapped.

        Args:
            surface: any string.

        Returns:
            ``(id, mapped)``. Not mapped: the vocabulary holds the word, up to case, accents and
            characters that cannot be seen.
        """
        known = self._exact.get(surface)
        if known is None:
            spelled = spelling(surface)
            known = self._spelled.get(spelled)
        return (self._map(spelled[:LONGEST]), True) if known is None else (known, False)

    def _map(self, spelled: str) -> int:
        """Steps 2 to 5."""
        if "'" in spelled:
            spelled = self._without_apostrophes(spelled)
        for known in (spelled, *_stems(spelled)):
            if known in self._spelled:
                return self._spelled[known]
        nearest = self._typing_errors.nearest(spelled)
        return self._beginnings.nearest(spelled) if nearest is None else nearest

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
    def _typing_errors(self) -> _TypingErrors:
        return _TypingErrors.over(self._spelled)

    @cached_property
    def _beginnings(self) -> _Beginnings:
        return _Beginnings.over(self._spelled)


def _first_places(words: Sequence[str]) -> dict[str, int]:
    """The first place of each word."""
    last = len(words) - 1
    return dict(zip(reversed(words), range(last, -1, -1), strict=True))


def _stems(spelled: str) -> list[str]:
    """What the first fitting ending of ``INFLECTIONS`` may have been added to, in order."""
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
