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

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Final, final

import numpy as np

from textveil.errors import VocabularyError
from textveil.text.patterns import lazy_regex
from textveil.text.spelling import spelling
from textveil.text.typing_errors import TypingErrors
from textveil.types import Ids, Integers

LONGEST: Final = 64
"""Characters of an unknown word that its mapping reads."""

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

_LAST_LETTERS: Final = frozenset(ending[-1] for ending, _ in INFLECTIONS)
_CLITIC: Final = lazy_regex(r"(?:'(?:s|m|re|ve|ll|d)|n't)\Z")
_IRREGULAR: Final = MappingProxyType({"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"})


@final
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
        """The id of the longest common prefix; then the closest length; then the lowest."""
        index = bisect_left(self.spellings, spelled)
        around = self.spellings[max(index - 1, 0) : index + 1]
        size = max(_shared_prefix(spelled, other) for other in around)
        prefix = spelled[:size]
        start = bisect_left(self.spellings, prefix)
        end = bisect_right(self.spellings, prefix, lo=start, key=lambda other: other[:size])
        gaps = np.abs(self.lengths[start:end] - len(spelled))
        return int(self.ids[start:end][gaps == gaps.min()].min())


def _shared_prefix(first: str, second: str) -> int:
    """How many characters two words share from the start."""
    size = min(len(first), len(second))
    while first[:size] != second[:size]:
        size -= 1
    return size


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
        return self.lookup_many([surface])[0]

    def lookup_many(self, surfaces: Sequence[str]) -> list[tuple[int, bool]]:
        """``lookup`` of each; of many at once it takes a tenth of the time a word."""
        results: list[tuple[int, bool]] = []
        waiting: dict[str, list[int]] = {}
        for index, surface in enumerate(surfaces):
            known = self._exact.get(surface)
            if known is None:
                spelled = spelling(surface)
                known = self._spelled.get(spelled)
                if known is None:
                    waiting.setdefault(spelled[:LONGEST], []).append(index)
            results.append((-1, True) if known is None else (known, False))
        if waiting:
            for indices, mapped in zip(waiting.values(), self._map(list(waiting)), strict=True):
                for index in indices:
                    results[index] = (mapped, True)
        return results

    def _map(self, spellings: list[str]) -> list[int]:
        """Steps 2 to 5."""
        plain = [self._without_apostrophes(surface) if "'" in surface else surface for surface in spellings]
        ids = {surface: self._inflected(surface) for surface in plain}
        rest = [word for word, known in ids.items() if known < 0]
        if rest:
            for word, nearest in zip(rest, self._typing_errors.nearest(rest).tolist(), strict=True):
                ids[word] = nearest if nearest >= 0 else self._beginnings.nearest(word)
        return [ids[surface] for surface in plain]

    def _inflected(self, spelled: str) -> int:
        """The id of the spelling or of what it looks like an inflection of; -1 where there is none."""
        known = self._spelled.get(spelled, -1)
        if known < 0 and spelled[-1:] in _LAST_LETTERS:
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
