"""The parts of a personal name, told apart by how it is written and where they stand, never by what they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple, final

from textveil.surrogates.writing import key_of, without_possessive
from textveil.text.patterns import lazy_regex

_PIECE: Final = lazy_regex(r"[^\s.,;:\-\u2010-\u2015()\[\]{}<>\"\u201c\u201d\u201e/&|+*_#~]+")
_TITLES: Final = (
    r"mr|mrs|ms|miss|mx|dr|prof|professor|sir|herr|frau|monsieur|madame|mme|se\u00f1ora?|sra?|do\u00f1a|signora?"
)
_SHORT_TITLES: Final = r"rev|hon|capt|sgt|lt|col|gen"
_OPENING: Final = lazy_regex(_TITLES, re.IGNORECASE)
_OPENING_WITH_PERIOD: Final = lazy_regex(_SHORT_TITLES, re.IGNORECASE)
"""Titles that are names too, and so stay only before a period."""

_CLOSING: Final = lazy_regex(r"(?:jr|sr|ii|iii|iv|esq|phd|md|rn|dds|mba|msc|bsc)", re.IGNORECASE)
_TITLE_BEFORE: Final = lazy_regex(
    rf"(?:^|[\s(\"'\u201c])(?:{_TITLES}|{_SHORT_TITLES}|dame|lord|lady|judge|don)\.?\s{{0,3}}\Z", re.IGNORECASE
)
_INITIALS: Final = 3


class Role(Enum):
    """What a part of a name is."""

    GIVEN = "given"
    FAMILY = "family"
    INITIAL = "initial"
    PARTICLE = "particle"
    KEPT = "kept"
    """A title or a suffix that stands in the value: public."""


@final
class Part(NamedTuple):
    """A part of a name.

    Attributes:
        mark: what stands before it: white space and punctuation.
    """

    mark: str
    written: str
    role: Role | None

    @property
    def key(self) -> str:
        """What parts are compared by."""
        return key_of(self.written)


@final
class NameParts(NamedTuple):
    """A name in its parts; ``end`` is the punctuation and the possessive after the last."""

    parts: tuple[Part, ...]
    end: str


def letters_of(written: str) -> str:
    """The letters of a part as a reader counts them: composed, and without marks that no letter holds."""
    if written.isascii():
        return written
    return "".join(
        character for character in unicodedata.normalize("NFC", written) if not unicodedata.combining(character)
    )


def parts_of(value: str, before: str = "") -> NameParts:
    """The parts of a name, with the roles that the mention shows.

    Titles and suffixes by public lists; single capitals, and up to three capitals beside other letters, are initials;
    what is written small beside capitals is a particle (de, van); of what is left the last is the family and all before
    it are given names, the other way round where a comma follows the first. One that is left alone is a family after a
    title or an initial and before several (Smith JA), given before one, and else unknown.
    """
    bare, ending = without_possessive(value)
    pieces = list(_PIECE.finditer(bare))
    marks = [
        bare[last : piece.start()] for last, piece in zip([0, *(piece.end() for piece in pieces)], pieces, strict=False)
    ]
    words = [piece[0] for piece in pieces]
    small, large = all(map(str.islower, words)), all(map(str.isupper, words))
    roles: list[Role | None] = [_alone(word, all_small=small, all_large=large) for word in words]
    titled = _keep_titles(words, marks, roles) or _TITLE_BEFORE.search(before) is not None
    names = [index for index, role in enumerate(roles) if role is None]
    if len(names) > 1:
        turned = "," in marks[names[1]]
        for index in names:
            roles[index] = Role.GIVEN
        roles[names[0 if turned else -1]] = Role.FAMILY
    elif names:
        initials = [index for index, role in enumerate(roles) if role is Role.INITIAL]
        if titled or (initials and (initials[0] < names[0] or len(letters_of(words[initials[0]])) > 1)):
            roles[names[0]] = Role.FAMILY
        elif initials:
            roles[names[0]] = Role.GIVEN
    end = bare[pieces[-1].end() if pieces else 0 :] + ending
    return NameParts(tuple(map(Part, marks, words, roles)), end)


def _alone(word: str, *, all_small: bool, all_large: bool) -> Role | None:
    """What a part is by how it is written beside the others, which are all small, all capitals, or neither."""
    letters = len(letters_of(word))
    if letters == 1 and word.isupper():
        return Role.INITIAL
    if word.islower() and not all_small:
        return Role.PARTICLE
    if letters <= _INITIALS and word.isupper() and not all_large:
        return Role.INITIAL
    return None


def _keep_titles(words: Sequence[str], marks: Sequence[str], roles: list[Role | None]) -> bool:
    """Mark titles at the beginning and suffixes at the end, where a name remains; whether there is a title."""
    first, last = 0, len(words)
    while first < last - 1 and (
        _OPENING.fullmatch(words[first])
        or (marks[first + 1].startswith(".") and _OPENING_WITH_PERIOD.fullmatch(words[first]))
    ):
        first += 1
    while last - 1 > first and _CLOSING.fullmatch(words[last - 1]):
        last -= 1
    for index in (*range(first), *range(last, len(words))):
        roles[index] = Role.KEPT
    return first > 0
