"""Letters that pass for others, or that nobody sees: what a reader, or a language model, reads of them.

- A word of one writing with letters of another that look alike is read in its own writing: "Maria" with a Cyrillic
  vowel. A word that holds letters of both that look like no other is left as it is. Within a number they are digits.
- Small capitals, and white capitals on black circles and squares, are letters of the Latin alphabet.
- Tags (U+E0020 to U+E007E) are ASCII that nothing shows, and two or more variation selectors in a row are bytes.
"""

import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from textveil.text.patterns import lazy_regex


class Disguise(NamedTuple):
    """The character ``text[start:end]`` stands for ``plain``: one character, or none."""

    start: int
    end: int
    plain: str


_LATIN: Final = "ABCEHIJKMOPSTXYaceijopsxyABEZHIKMNOPTYXovi"
_ALIKE: Final = "АВСЕНІЈКМОРЅТХУасеіјорѕхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧονι"  # noqa: RUF001
_AS_LATIN: Final = dict(zip(_ALIKE, _LATIN, strict=True))
_AS_CYRILLIC: Final = {latin: alike for alike, latin in _AS_LATIN.items() if "\u0410" <= alike <= "\u044f"}
_AS_GREEK: Final = {latin: alike for alike, latin in _AS_LATIN.items() if "\u0370" <= alike <= "\u03ff"}
_OTHER: Final = "\u0370-\u03ff\u0400-\u04ff"
_MIXED: Final = lazy_regex(rf"[A-Za-z][{_OTHER}]|[{_OTHER}][A-Za-z]")
_AS_DIGITS: Final = {"\u041e": "0", "\u043e": "0", "\u0417": "3", "\u0437": "3", "\u039f": "0", "\u03bf": "0"}
_IN_NUMBER: Final = lazy_regex(rf"(?<=[0-9])[{''.join(_AS_DIGITS)}](?=[0-9])")
_WORD: Final = lazy_regex(r"[^\W\d_]{2,}")
_DRESSED: Final = lazy_regex(
    "[\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f\u1d00-\u1d22\ua730\ua731\U0001f150-\U0001f169\U0001f170-\U0001f189]"
)
_FLAG: Final = (
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
"""England, Scotland and Wales: all flags that are written with tags."""
_UNSEEN: Final = lazy_regex(f"{_FLAG}|[\U000e0020-\U000e007e]+|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{{2,}}")


def disguises(text: str) -> list[Disguise]:
    """Return the disguised characters of a text, in order, in time that is linear in its length."""
    return [] if text.isascii() else sorted([*_unseen(text), *_dressed(text), *_alike(text)])


def _unseen(text: str) -> Iterator[Disguise]:
    for run in _UNSEEN.finditer(text):
        if run[0][0] != "\U0001f3f4":
            for place, character in enumerate(run[0], start=run.start()):
                yield Disguise(place, place + 1, _said(ord(character)))


def _said(code: int) -> str:
    if code >= 0xE0100:
        return chr(code - 0xE0100 + 16)
    return chr(code - 0xE0000) if code >= 0xE0000 else chr(code - 0xFE00)


def _dressed(text: str) -> Iterator[Disguise]:
    for match in _DRESSED.finditer(text):
        letter = unicodedata.name(match[0]).rpartition(" ")[2]
        if len(letter) == 1:
            yield Disguise(*match.span(), letter if ord(match[0]) > 0xFFFF else letter.lower())


def _alike(text: str) -> Iterator[Disguise]:
    yield from (Disguise(*match.span(), _AS_DIGITS[match[0]]) for match in _IN_NUMBER.finditer(text))
    if _MIXED.search(text) is None:
        return
    for word in _WORD.finditer(text):
        letters = set(word[0])
        if not (foreign := {letter for letter in letters if letter > "\u036f"}) or len(foreign) == len(letters):
            continue
        own = foreign - _AS_LATIN.keys()
        table = _AS_GREEK if own and max(own) < "\u0400" else _AS_CYRILLIC if own else _AS_LATIN
        if own and not (letters - foreign <= table.keys() and len(own) > len(letters - foreign)):
            continue  # "\u0394T" is no Greek word
        for place, letter in enumerate(word[0], start=word.start()):
            if letter in table:
                yield Disguise(place, place + 1, table[letter])
