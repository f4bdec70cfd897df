"""Names that are written in small letters: what the lists of names hold, where no English word is written so."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Final

from textveil.detection import name_words as known
from textveil.detection.found import Found
from textveil.detection.gates import Seen, Together, joined_words, words_of
from textveil.detection.lists import Marks, lists
from textveil.detection.person_fields import is_plain_word
from textveil.text.patterns import lazy_regex, matches

_WORD: Final = lazy_regex(r"[a-z]{1,40}+(?:['-][a-z]{1,40}+){0,8}(?![A-Za-z0-9_@/(])")
_WORDS: Final = lazy_regex(r"[a-z](?<![A-Za-z0-9_@#./'-].)[a-z]*(?:['-][a-z]+)*(?![A-Za-z0-9_@/(])")
_NEXT: Final = lazy_regex(r"(\.? )([a-z]+(?:['-][a-z]+)*)(?![A-Za-z0-9_@/])")
_CUES: Final = lazy_regex(
    r"[NnCcMmDdPp](?<![A-Za-z].)(?:ame(?:'s| is|:"
    r"|(?: on the account)?\? (?:[Uu]ser:)?|d (?:him|her))|alls? (?:me|him|her)"
    r"|(?:rs?|s|iss|rof)\b\.?)[ \t]+(?=[a-z])"
)
_CUE_WORDS: Final = joined_words("ame amed all alls r rs s iss rof", begun_by="ncmdp")
"""One of these stands in each cue."""

_THING: Final = lazy_regex(
    r"[\"',]{0,2}[ \t]{0,4}\n[ \t-]{0,24}\"?(?i:version|description|image|uses|kind|type|value|valuefrom|run"
    r"|ports):?\"?[: ]"
)
"""The next key of data about a package, a container or a step."""

_LAST_WORD: Final = lazy_regex(r"([a-z]{1,24})[ ]$")
_BACK: Final = 24
_FEW: Final = 24
"""Different names in a text up to which each is searched for by itself."""

_NOT_SMALL: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_NAMED: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE)
_GIVEN, _FAMILY, _PLACE, _KNOWN_PLACE = map(int, (Marks.GIVEN, Marks.FAMILY, Marks.PLACE, Marks.KNOWN_PLACE))
_FUNCTION_WORDS: Final = words_of(" ".join(known.FUNCTION_WORDS))
_SHORTEST_PLACE: Final = 5
_MOST_WORDS: Final = 4


def _names_among(words: frozenset[bytes]) -> list[str]:
    """Words that name somebody or some place, and are no English words in small letters."""
    marks_of = lists().words.get
    named = []
    for word in b" ".join(words - _FUNCTION_WORDS).decode("ascii").split():
        marks = marks_of(word, 0)
        if marks & _NAMED and not marks & _NOT_SMALL and len(word) > 2:
            named.append(word)
    return named


class _OfSmallNames:
    def __call__(self, text: str, seen: Seen) -> bool:
        return bool(self._among(seen.words))

    def among(self, texts: Together) -> Collection[int]:
        return set(chain.from_iterable(map(texts.with_word.__getitem__, self._among(texts.words))))

    @staticmethod
    def _among(words: frozenset[bytes]) -> set[bytes]:
        return {name.encode("ascii") for name in _names_among(words)} | (words & _CUE_WORDS)


SMALL_NAME_GATE: Final = _OfSmallNames()


def find_small_names(text: str) -> Iterator[Found]:
    """Names of persons and places in small letters."""
    marks_of = lists().words.get
    words = words_of(text)
    cued = () if _CUE_WORDS.isdisjoint(words) else {match.end() for match in matches(_CUES, text)}
    starts = dict.fromkeys(cued, True)
    for start in _places(text, _names_among(words)):
        starts.setdefault(start, False)
    reached = 0
    for start, cue in sorted(starts.items()):
        word = _WORD.match(text, start)
        if start < reached or word is None:
            continue
        low = word[0].removesuffix("'s")
        marks = marks_of(low, 0)
        if cue and (marks & _NOT_SMALL or low in known.FUNCTION_WORDS or len(low) < 2 or _is_key(text, start, low)):
            continue
        kind = "person" if cue else _kind(text, start, low, marks)
        if kind:
            end = _end(text, word, low) if kind == "person" else start + len(low)
            reached = end
            yield Found(start, end, kind, 0.6 if cue else 0.4)


def _places(text: str, few: Sequence[str]) -> Iterator[int]:
    names = frozenset(few)
    if len(names) > _FEW:
        for match in matches(_WORDS, text):
            if match[0].removesuffix("'s") in names:
                yield match.start()
        return
    for name in names:
        start = text.find(name)
        while start >= 0:
            if start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "_@#./'-"):
                word = _WORD.match(text, start)
                if word and word[0].removesuffix("'s") == name:
                    yield start
            start = text.find(name, start + len(name))


def _kind(text: str, start: int, low: str, marks: int) -> str:
    """What a word of the lists names in small letters; nothing as a rule."""
    before = _LAST_WORD.search(text, max(0, start - _BACK), start)
    placed = before is not None and before[1] in known.BEFORE_PLACES
    if marks & _KNOWN_PLACE and len(low) > 3:
        return "place"
    if marks & _GIVEN and not (placed and marks & _PLACE and not marks & _FAMILY):
        return "person"
    return "place" if marks & _PLACE and placed and len(low) >= _SHORTEST_PLACE else ""


def _is_key(text: str, start: int, low: str) -> bool:
    """Whether a word behind a colon names a thing of a program, and nobody: name: payments-worker, name: str."""
    if text[max(0, start - 2) : start].strip() != ":":
        return False
    parts = low.split("-")
    marks = [lists().words.get(part, 0) for part in parts]
    if len(parts) > 1:
        return not all(mark & (_GIVEN | _FAMILY) for mark in marks)
    return not marks[0] & _NAMED and (is_plain_word(low) or _THING.match(text, start + len(low)) is not None)


def _end(text: str, word: re.Match[str], low: str) -> int:
    """Where a name ends: with family names, initials, and words that no list holds."""
    marks_of = lists().words.get
    end = word.start() + len(low)
    position, last = word.end(), word[0]
    for _ in range(_MOST_WORDS):
        following = _NEXT.match(text, position)
        if following is None or last.endswith("'s") or (following[1] == ". " and len(last) > 1):
            break
        last = following[2]
        plain = last.removesuffix("'s")
        initial = len(plain) == 1 and plain not in "ai"
        known_word = marks_of(plain, 0) & _NOT_SMALL or plain in known.FUNCTION_WORDS
        if not (initial or plain in known.PARTICLES) and known_word:
            break
        position = following.end()
        if not initial and plain not in known.PARTICLES:
            end = following.start(2) + len(plain)
    return end
