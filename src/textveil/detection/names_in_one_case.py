"""Names on pages in another language than English that are written in small letters, or in capitals alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found
from textveil.detection.language_words import LanguageWords
from textveil.detection.lists import Marks
from textveil.text.patterns import lazy_regex, matches

_WORD: Final = lazy_regex(r"[a-z](?<![A-Za-z0-9_@#./'-].)[a-z]++(?:-[a-z]++)*+(?![A-Za-z0-9_@/])")
_CAPITALIZED: Final = lazy_regex(r"[A-Z](?<![A-Za-z].)")
_BEFORE: Final = re.compile(r"([a-z]{1,40}+) $")
_FEW: Final = 0.02
"""Capitals a word up to which a page is written in small letters."""
_MOST: Final = 0.6
_SHORTEST: Final = 3
_GIVEN, _FAMILY, _COMMON = int(Marks.GIVEN), int(Marks.FAMILY), int(Marks.COMMON)
_INTRODUCES: Final = re.compile(
    r"(?:ich bin(?: die| der)?|mein name ist|ich hei[sz]s?e|je suis|je m'appelle|moi c'est|me llamo|mi nombre es|soy"
    r"|mi chiamo|sono|meu nome e|chamo-me|me chamo|sou o|sou a|ik ben|mijn naam is|ik heet|nazywam sie|mam na imie"
    r"|jestem|hallo|bonjour|salut|hola|ciao|ola|hoi|czesc|liebe|lieber|chere?|querid[oa]|car[oa]|beste) $"
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
        if not capitals and len(_CAPITALIZED.findall(text)) > _FEW * text.count(" "):
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
            if end > word.end() or (self._marks(word[0]) and (titled or self._is_introduced(low, word.start()))):
                reached = end
                yield Found(word.start(), end, "person", 0.6, "list" if end > word.end() else "cue")
            elif self._words.is_place(word[0]) == 2 and before in cues.in_:
                yield Found(word.start(), end, "place", 0.5, "cue")

    def _is_name(self, low: str) -> bool:
        return len(low) >= _SHORTEST and low not in self._words.cues.function and not self._words.judged(low)[1]

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
            if self._is_name(following[0]) and self._words.judged(following[0])[0] & _FAMILY:
                return following.end()
        return word.end()
