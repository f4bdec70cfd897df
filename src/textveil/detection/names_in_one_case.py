"""Names on pages in another language than English that are written in small letters, or in capitals alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, words_in
from textveil.detection.language_words import LanguageWords
from textveil.detection.lists import Marks
from textveil.text.patterns import lazy_regex, matches

_WORD: Final = lazy_regex(r"[a-z](?<![A-Za-z0-9_@#./'-].)[a-z]++(?:-[a-z]++)*+(?![A-Za-z0-9_@/])")
_CAPITALIZED: Final = lazy_regex(r"[A-Z](?<![A-Za-z].)")
_BEFORE: Final = re.compile(r"([a-z]{1,40}+) $")
_FEW: Final = 0.02
"""Capitals a word up to which a page is written in small letters."""
_SOME: Final = 0.15
_BEGINS: Final = lazy_regex(r"(?:\A|[\n.!?:] ?)([A-Za-z])")
"""What begins a line or a sentence: where most do so in small letters, ``_SOME`` capitals a word are allowed."""
_MOST: Final = 0.6
_SHORTEST: Final = 3
_LONG: Final = 6  # letters from which on a word that no list holds is a family name, behind a given one
_GIVEN, _FAMILY, _COMMON = int(Marks.GIVEN), int(Marks.FAMILY), int(Marks.COMMON)
_ALONE: Final = _COMMON | int(Marks.SMALL | Marks.OTHER)
_INTRODUCES: Final = re.compile(
    r"(?:ich bin(?: die| der)?|mein name ist|ich hei[sz]s?e|je suis|je m'appelle|moi c'est|me llamo|mi nombre es|soy"
    r"|mi chiamo|sono|meu nome e|chamo-me|me chamo|sou o|sou a|ik ben|mijn naam is|ik heet|nazywam sie|mam na imie"
    r"|jestem|hallo|bonjour|salut|hola|ciao|ola|hoi|czesc|liebe|lieber|chere?|querid[oa]|car[oa]|beste) $"
)
_TITLES: Final = words_in(
    "herr herrn frau mevr mevrouw meneer dhr mme mlle monsieur madame signor signora sig dona don senor pan pani"
)
_BACK: Final = 24


class NamesInOneCase:
    """The search for names where letter case tells nothing: what two lists, a word before, or a place show."""

    def __init__(self, language: str) -> None:
        self._words = LanguageWords(language)

    def find(self, text: str) -> Iterator[Found]:
        """Yield names of a page whose words have no capitals, or nothing else, by start."""
        upper = sum(map(str.isupper, text))
        small = sum(map(str.islower, text))
        capitals = upper > _MOST * (upper + small)
        if not capitals and not is_small(text):
            return
        low = text.lower() if capitals else text
        cues, reached = self._words.cues, 0
        words = list(matches(_WORD, low))
        for at, word in enumerate(words):
            if word.start() < reached or not self._is_name(word[0]):
                continue
            match = _BEFORE.search(low, max(0, word.start() - _BACK), word.start())
            before = match[1] if match else ""
            end = self._end(low, words, at)
            titled = before in cues.role
            marks = self._marks(word[0])
            if (
                end > word.end()
                or (titled and (marks or before in _TITLES))
                or (marks and (self._stands_alone(word[0], before) or self._is_introduced(low, word.start())))
            ):
                reached = end
                yield Found(word.start(), end, "person", 0.6, "list" if end > word.end() else "cue")
            elif self._words.is_place(word[0]) == 2 and before in cues.in_:
                yield Found(word.start(), end, "place", 0.5, "cue")

    def _is_name(self, low: str) -> bool:
        return len(low) >= _SHORTEST and low not in self._words.cues.function and not self._words.judged(low)[1]

    def _stands_alone(self, low: str, before: str) -> bool:
        plain = self._words.judged(low)[0] & _ALONE or low in self._words.words_too
        return not (plain or before in self._words.cues.in_)

    def _marks(self, low: str) -> int:
        marks = self._words.judged(low)[0]
        return 0 if marks & _COMMON else marks & _GIVEN

    @staticmethod
    def _is_introduced(low: str, start: int) -> bool:
        return _INTRODUCES.search(low, max(0, start - _BACK), start) is not None

    def _end(self, low: str, words: list[re.Match[str]], at: int) -> int:
        """Return where the family name behind a given name ends; the end of the word for none."""
        word = words[at]
        if not self._marks(word[0]):
            return word.end()
        for following in words[at + 1 : at + 4]:
            gap = low[word.end() : following.start()].split(" ")
            if any(piece and piece not in self._words.cues.joint for piece in gap) or len(gap) < 2:
                break
            marks = self._words.judged(following[0])[0]
            if self._is_name(following[0]) and (marks & _FAMILY or (not marks and len(following[0]) >= _LONG)):
                return following.end()
        return word.end()


def is_small(text: str) -> bool:
    """Return whether a page is written in small letters, but for a few words."""
    written = len(_CAPITALIZED.findall(text))
    if written <= _FEW * text.count(" "):
        return True
    if written > _SOME * text.count(" "):
        return False
    begins = _BEGINS.findall(text)
    return 2 * sum(map(str.islower, begins)) > len(begins)
