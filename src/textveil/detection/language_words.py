"""Looks words up in the public lists of a language: names, ordinary words, places."""

import re
from functools import cache
from typing import Final

from textveil.detection.lists import (
    LANGUAGES,
    Cues,
    Marks,
    cues,
    frequent_words,
    lists,
    ordinary_words,
    places,
    small_words,
    written,
)

_BENDS: Final = {
    "de": (("s", ""),),
    "nl": (("s", ""),),
    "pl": tuple(
        (end, base)
        for ends, bases in (
            ("skiego skiemu skim", ("ski",)), ("skiej ska", ("ska", "ski")), ("ckiego ckiemu ckim", ("cki",)),
            ("iem", ("", "ek", "i")), ("kiem ka kowi", ("ek", "k")), ("owi em a u ie", ("", "o", "e")),
            ("ii", ("ia",)), ("ie y e o u i a", ("a", "", "y", "i")), ("ach ami om ow", ("y", "e", "i", "a")),
            ("ej", ("a",)), ("cie", ("t", "ta", "to")), ("dzie", ("d", "da")), ("rze", ("r", "ra")),
            ("ich", ("y", "ie")), ("le", ("l", "la")), ("dze", ("ga",)), ("ce", ("ka", "ca")),
            ("go ego", ("", "i", "y")),
            ("mu emu", ("", "i")), ("iu ia", ("",)),
        )
        for end in ends.split()
        for base in bases
    ),
}  # fmt: skip
"""Endings of the cases of a name, and what stands there in a list."""
_GIVEN, _FAMILY, _KNOWN_PLACE = int(Marks.GIVEN), int(Marks.FAMILY), int(Marks.KNOWN_PLACE)
_PLACE, _COMMON, _OTHER = int(Marks.PLACE), int(Marks.COMMON), int(Marks.OTHER)
_NAMES: Final = _GIVEN | _FAMILY
_REMEMBERED: Final = 20_000
"""Words whose marks, and what places they are, are remembered."""
_COMPOUND: Final = 7
_FREQUENT: Final = 2
_SURE_STEM: Final = 5  # letters of a small place, of which an adjective is made
_OF_PLACE: Final = {
    language: tuple(ends.split())
    for language, ends in (
        ("it", "ese esi igiana itana itane ana ani ane ino ina ini ine asco asca aschi asche olo ola"),
        ("fr", "ais aise aises ois oise oises ien ienne iens iennes ain aine aines ard arde ards ardes"),
        ("es", "esa eses esas ano ana anos anas ino ina inos inas eno ena enos enas ense enses"),
        ("pt", "esa eses esas ano ana anos anas ino ina inos inas ense enses"),
    )
}
"""Endings of adjectives of places, some of which Italian verbs in -ano have too."""
_VOWELS: Final = ("", "a", "e", "o", "i", "ia", "ie")
_SHORT_ELIDED: Final = re.compile(r"[ldjcnsmtq]u?'[a-z]+").fullmatch


class LanguageWords:
    """The lists of a language, with the endings of its cases and compounds."""

    def __init__(self, language: str) -> None:
        self._language = language
        self.cues: Cues = cues(language)
        self.words_too = frozenset(written(language)["given names too"])
        self._short = frozenset(written(language).get("short given names", ()))
        self._ordinary = ordinary_words(language)
        self._frequent = self._ordinary if language == "de" else frequent_words(language)
        self.written_small = small_words(language)
        self._large, self._small = places()
        self._bends = _BENDS.get(language, ())
        self._seen: dict[str, tuple[int, int]] = {}
        self._places: dict[str, int] = {}

    def judged(self, low: str) -> tuple[int, int]:
        """Return the marks of a word, and 2 for a frequent ordinary word, 1 for a rare one, 0 for none."""
        seen = self._seen.get(low)
        if seen is None:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            seen = self._seen[low] = self.marks(low), self.is_ordinary(low)
        return seen

    def marks(self, low: str) -> int:
        """Return the marks of the public lists, which know a name in its cases."""
        marks_of = lists().words.get
        marks = marks_of(low, 0)
        if self._is_short_given(low):
            return marks | _GIVEN
        if not marks and "-" in low:
            marks = marks_of(low.partition("-")[0], 0) & ~(_COMMON | _OTHER)
        if marks & _NAMES or not self._bends or low in self._ordinary:
            return marks
        for end, base in self._bends:
            if low.endswith(end) and len(low) - len(end) > 2:
                marks |= marks_of(low.removesuffix(end) + base, 0) & _NAMES
        return marks

    def _is_short_given(self, low: str) -> bool:
        """Return whether a word is a short given name in any case, though lists of ordinary words hold it: Kasia."""
        return low in self._short or any(
            low.endswith(end) and len(low) - len(end) > 2 and low.removesuffix(end) + base in self._short
            for end, base in (self._bends if self._short else ())
        )

    def is_ordinary(self, low: str) -> int:
        """Return 2 for a frequent ordinary word, 1 for a rare one or a compound, 0 for none."""
        if low.replace("-", " ") in self.cues.place or (
            low[-1:] == "s" and self._language == "de" and low[:-1] in self.cues.place
        ):
            return 0
        if self._is_short_given(low):
            return 0
        if low in self._frequent or _SHORT_ELIDED(low):
            return 2
        if low in self._ordinary:
            return 1
        named = lists().words.get(low, 0) & (_GIVEN | _COMMON) == _GIVEN
        name = low.replace("-", " ")
        if named or name in self._large or name in self._small:
            return 0
        if self._language in ("de", "nl") and len(low) >= _COMPOUND and is_compound(low, self._ordinary):
            return 1
        parts = low.split("-")
        return 2 * (len(parts) > 1 and all(part in self._ordinary for part in parts))

    def is_of_place(self, low: str) -> bool:
        """Return whether a word is made of a place: Danziger, Basler, bresciana; frequent words of Romance are not."""
        ends = _OF_PLACE.get(self._language, ())
        known = self.is_ordinary(low) if low.endswith(ends) else _FREQUENT
        for end in ends if known < _FREQUENT else ():
            stem = low.removesuffix(end)
            least = 2 if known or len(stem) < _SURE_STEM else 1
            if 2 + known < len(stem) < len(low) and any(self.is_place(stem + vowel) >= least for vowel in _VOWELS):
                return True
        stem = low[:-2]
        forms = (stem, f"{stem}en", f"{stem[:-1]}en", f"{stem[:-1]}el")
        made = self._language == "de" and low.endswith("er")
        return made and len(stem) > 3 and any(map(self.is_place, forms))

    def is_word_stem(self, low: str) -> bool:
        """Return whether letters without the ending of a case are an ordinary word or begin one: Misch-, Stadt-."""
        return not low.endswith(("en", "s", "er")) and (low in self._ordinary or f"{low}en" in self._ordinary)

    def is_place(self, low: str) -> int:
        """2 for a large place, 1 for a small one, 0 for what is none."""
        seen = self._places.get(low)
        if seen is None:
            if len(self._places) >= _REMEMBERED:
                self._places.clear()
            seen = self._places[low] = self._is_place(low)
        return seen

    def _is_place(self, low: str) -> int:
        if self._is_short_given(low):
            return 0
        name = low.replace("-", " ")
        if name in self._large or name in self.cues.place:
            return 2
        if name in self._small:
            return 1
        marks = lists().words.get(low, 0)
        if marks & _KNOWN_PLACE and not marks & _COMMON:
            return 2
        if " " in name:
            if name in lists().phrases:
                return 2
            return 2 * (self._language == "pl" and tuple(word[:4] for word in name.split(" ")) in _shortened())
        for end, base in self._bends:
            if low.endswith(end) and len(low) - len(end) > 2:
                bent = low.removesuffix(end) + base
                if bent in self._large or bent in self.cues.place:
                    return 2
                if bent in self._small:
                    return 1
        return 0


@cache
def _words_of(language: str) -> LanguageWords:
    return LanguageWords(language)


def names_nobody(written: str, language: str) -> bool:
    """Tell whether a value holds ordinary words of a language alone, none of which is a name: Aan: Tandarts."""
    lows = re.findall(r"[a-z]{3,}", written.lower())
    judged = [_words_of(language).judged(low) for low in lows] if language in LANGUAGES else []
    return bool(judged) and all(ordinary and not marks & _NAMES for marks, ordinary in judged)


def phrase(text: str, start: int, end: int) -> str:
    """Return a name as the lists of places hold it."""
    return text[start:end].lower().replace("-", " ")


def is_compound(low: str, words: frozenset[str]) -> bool:
    """Return whether a word is made of two ordinary words, the first with what joins it, the last with an ending."""
    for cut in range(3, len(low) - 3):
        tail = low[cut:]
        if tail in words or any(
            tail.endswith(end) and len(tail) - len(end) > 3 and tail.removesuffix(end) in words for end in _ENDINGS
        ):
            head = low[:cut]
            if head in words or any(
                head.endswith(end) and len(head) - len(end) > 2 and head.removesuffix(end) in words for end in _SEAMS
            ):
                return True
            if len(tail) >= 7 and cut > 3:
                return True
    return False


_ENDINGS: Final = ("n", "en", "s", "es", "er", "e", "ern")
_SEAMS: Final = ("s", "n", "en", "es", "er", "e", "-")


@cache
def _shortened() -> frozenset[tuple[str, ...]]:
    """Large places of several words by the first letters of each, which the cases of Polish leave."""
    return frozenset(
        tuple(word[:4] for word in name.split(" ")) for name in places()[0] | cues("pl").place if " " in name
    )
