"""How a value is written, as far as that is public: letter case, possessive, shape; and another value written so.

Proof: ``privacy/proofs/surrogates.md``.
"""

from __future__ import annotations

import unicodedata
from typing import Final

import numpy as np

from textveil.text.patterns import CharacterTable, lazy_regex

_POSSESSIVE: Final = lazy_regex(r"(['\u2019\u02bc])[sS]?\Z")

_VOWELS: Final = frozenset("aeiouAEIOU")
_SAID_WITH_CONSONANT: Final = lazy_regex(r"(?i)eu|ew|one\b|uni(?![nm])|uru|uro|us[ae]|u[gk]")

# Marks that a shape shows as they are, beside all white space; any other is shown as a hyphen.
_KEPT: Final = frozenset(" .,:;/()[]{}#+*'\"_&@=-\u00b0\u2032\u2033")
OTHER_SCRIPT: Final = lazy_regex("[\u0400-\u04ff\u0620-\u064a\u3041-\u30fa\u3400-\u9fff\uac00-\ud7af]")
"""A letter of the scripts that ``surrogates.scripts`` draws in."""

SCRIPT_FACTS: Final = (
    "whether it is in Cyrillic, Arabic, Chinese, Japanese or Korean letters; there, the marks and digits' number in it, "
    "words of closed lists for kinds of places and institutions (\u5e02, \u0443\u043b.), where a listed family or given "
    "name ends, which initials are equal, and gender and case as endings and lists of names show them"
)
"""What is public of a value in these scripts."""

_DIGIT, _LARGE, _SMALL = "9Aa"

# What drawn letters are: without vowels and with none of F, K and S they spell nothing.
_LETTERS: Final = np.frombuffer(b"BCDGHJLMNPQRTVWXZ", np.uint8)
FROM_ONE: Final = "f"  # in shapes: a digit that is no zero
HEX, LARGE_HEX, MIXED, LARGE_MIXED, ANY = "hHqQz"
"""In shapes: a digit of 16, in small letters or in capitals; a digit or a small letter, a capital, either of both."""

_ALPHABETS: Final = {
    symbol: np.frombuffer(alphabet.encode("ascii"), np.uint8)
    for symbol, alphabet in {
        HEX: "0123456789abcdef",
        LARGE_HEX: "0123456789ABCDEF",
        MIXED: "0123456789bcdghjlmnpqrtvwxz",
        LARGE_MIXED: "0123456789BCDGHJLMNPQRTVWXZ",
        ANY: "0123456789BCDGHJLMNPQRTVWXZbcdghjlmnpqrtvwxz",
        "w": "BCDGHJLMNPQRTVWXZbcdghjlmnpqrtvwxz",
        "v": "89ab",  # the variant of a UUID
        "V": "89AB",
        "m": "012345",  # tens of minutes
        "d": "12345678",  # tens of degrees below 90
        "c": "1",  # hundreds of degrees, and tens below 180
        "t": "01234567",
        FROM_ONE: "123456789",
        "n": "NS",
        "e": "EW",
    }.items()
}


def key_of(value: str) -> str:
    """Return the form in which values are compared: case folded, in one Unicode form."""
    if value.isascii():
        return value.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())


def without_possessive(value: str) -> tuple[str, str]:
    """Return a value and its possessive ending, which is empty if it has none."""
    match = _POSSESSIVE.search(value)
    return (value, "") if match is None else (value[: match.start()], match[1] + "s")


def in_case_of(model: str, written: str) -> str:
    """``written`` in capitals where all letters of the model are, of two at least; small where they are; else as is."""
    if model.isupper() and len(model) > 1:
        return written.upper()
    return written.lower() if model.islower() else written


def begins_with_vowel(written: str) -> bool:
    """Tell whether an English word is said with a vowel in front, so that "an" stands before it."""
    return written[:1] in _VOWELS and not _SAID_WITH_CONSONANT.match(written)


def ordinal_ending(number: int) -> str:
    """Return the letters after an ordinal in digits."""
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def shape_of(value: str) -> str:
    """A value by its shape: 9 for a digit, A for a capital, a for another letter; space, usual marks or a hyphen."""
    return value.translate(_SHAPES)


def _class(character: str) -> str:
    if character.isalpha():
        return _LARGE if character.isupper() else _SMALL
    if character.isdigit():
        return _DIGIT
    return character if character in _KEPT or character.isspace() else "-"


_SHAPES: Final = CharacterTable(_class)


def filled(shape: str, rng: np.random.Generator) -> str:
    """A uniform string of this shape: digits of ten, letters of 17 that spell nothing; other symbols by their table."""
    out = np.frombuffer(shape.encode("utf-32-le"), np.uint32).copy()
    digits, large, small = ((out == ord(symbol)).nonzero()[0] for symbol in (_DIGIT, _LARGE, _SMALL))
    if len(digits):
        out[digits] = ord("0") + rng.integers(10, size=len(digits), dtype=np.uint8)
    if len(large):
        out[large] = _LETTERS[rng.integers(len(_LETTERS), size=len(large))]
    if len(small):
        out[small] = _LETTERS[rng.integers(len(_LETTERS), size=len(small))] | 0x20
    for symbol in sorted(_ALPHABETS.keys() & set(shape)):
        held, alphabet = (np.array([character == symbol for character in shape])).nonzero()[0], _ALPHABETS[symbol]
        out[held] = alphabet[rng.integers(len(alphabet), size=len(held))]
    return out.tobytes().decode("utf-32-le")
