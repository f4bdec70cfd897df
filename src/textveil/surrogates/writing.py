"""Writings of values, as far as they are public: letter case, possessive, shape; and another value written so.

Proof: ``privacy/proofs/surrogates.md``.
"""

import unicodedata
from typing import Final

import numpy as np

from textveil.text.patterns import CharacterTable, lazy_regex

_POSSESSIVE: Final = lazy_regex(r"(['\u2019\u02bc])[sS]?\Z")
_APOSTROPHES: Final = frozenset("'\u2019\u02bc")

_VOWELS: Final = frozenset("aeiouAEIOU")
_SAID_WITH_CONSONANT: Final = lazy_regex(r"(?i)eu|ew|one\b|uni(?![nm])|uru|uro|us[ae]|u[gk]")

# Marks that a shape shows as they are, beside all white space; any other is shown as a hyphen.
_KEPT: Final = frozenset(" .,:;/()[]{}<>#+*'\"_&@=-\u00b0\u2032\u2033\u00b7\u30fb\u00aa\u00ba|^~")
OTHER_SCRIPT: Final = lazy_regex("[\u0400-\u04ff\u0620-\u064a\u3041-\u30fa\u3400-\u9fff\uac00-\ud7af]")
"""A letter of the scripts that ``surrogates.scripts`` draws in."""

SCRIPT_FACTS: Final = (
    "whether it is in Cyrillic, Arabic, Chinese, Japanese or Korean letters, or an address with a word for a street on a "
    "Turkish page; there, the marks and digits' number in it, "
    "words of closed lists for kinds of places and institutions (\u5e02, \u0443\u043b.), where a listed family or given "
    "name ends, which initials are equal, and gender and case as endings and lists of names show them; on a Polish page, "
    "gender and case of names and towns, in the same way"
)
"""The public part of a value in these scripts."""

_DIGIT, _LARGE, _SMALL = "9Aa"

# What drawn letters are: without vowels and with none of F, K and S they spell nothing.
_LETTERS: Final = "BCDGHJLMNPQRTVWXZ"
_USUAL: Final = {_DIGIT: "0123456789", _LARGE: _LETTERS, _SMALL: _LETTERS.lower()}
FROM_ONE: Final = "f"  # in shapes: a digit that is no zero
HEX, LARGE_HEX, MIXED, LARGE_MIXED, ANY = "hHqQz"
"""In shapes: a digit of 16, in small letters or in capitals; a digit or a small letter, a capital, either of both."""

_ALPHABETS: Final = {
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
    "\u0411": "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425",
    "\u0431": "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445",
    "\u0628": "\u0627\u0628\u062d\u062f\u0631\u0633\u0635\u0637\u0639\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649",
    "\u3042": "\u3055\u3059\u305b\u305d\u305f\u3061\u3064\u3066\u3068\u306a\u306b\u306c\u306d\u306e\u306f\u3072\u3075\u307b\u307e\u307f\u3080\u3081\u3082\u3084\u3086\u3089\u308a\u308b\u308d",
    "\u6c49": "\u4eac\u6d25\u6caa\u6e1d\u5180\u8c6b\u4e91\u8fbd\u9ed1\u6e58\u7696\u9c81\u82cf\u6d59\u8d63\u9102\u6842\u7518\u664b\u8499\u9655\u5409\u95fd\u8d35\u7ca4\u9752\u5ddd\u5b81\u743c",
    "\u6f22": "\u5c71\u5ddd\u7530\u4e2d\u6751\u77f3\u6728\u539f\u677e\u5cf6",  # beside kana
    "\uac00": "\uac00\ub098\ub2e4\ub77c\ub9c8\uac70\ub108\ub354\ub7ec\uba38\ubc84\uc11c\uc5b4\uc800\uace0\ub178\ub3c4\ub85c\ubaa8\ubcf4\uc18c\uc624\uc870\uad6c\ub204\ub450\ub8e8\ubb34\ubd80\uc218\uc6b0\uc8fc",
    "n": "NS",
    "e": "EW",
}


def has_other_script(value: str) -> bool:
    """Return whether a letter of one of these scripts stands in a value."""
    return not value.isascii() and OTHER_SCRIPT.search(value) is not None


def key_of(value: str) -> str:
    """Return the form in which values are compared: case folded, in one Unicode form."""
    if value.isascii():
        return value.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())


def gap_of(value: str) -> str:
    """Return what stands between all words of a value, if that is one gap of spaces and tabs; else a space."""
    if "  " not in value and "\t" not in value:
        return " "
    words = value.split(None, 2)[:2]
    if len(words) < 2 or value[0].isspace():
        return " "
    first = len(words[0])
    gap = value[first : value.index(words[1], first)]
    return gap if not gap.strip(" \t") and gap.join(value.split()) == value else " "


def without_possessive(value: str) -> tuple[str, str]:
    """Return a value and its possessive ending, which is empty if it has none."""
    match = None if _APOSTROPHES.isdisjoint(value[-2:]) else _POSSESSIVE.search(value, max(0, len(value) - 2))
    return (value, "") if match is None else (value[: match.start()], match[1] + "s")


def in_case_of(model: str, written: str) -> str:
    """``written`` in capitals if all letters of the model are, of two at least; small if they are; else as is."""
    if model.isupper() and len(model) > 1:
        return written.upper()
    return written.lower().replace("i\u0307", "i") if model.islower() else written


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
    if character.isalpha() and character not in _ORDINALS:
        return _LARGE if character.isupper() else _SMALL
    if character.isdigit():
        return _DIGIT
    return character if character in _KEPT or character.isspace() else "-"


_ORDINALS: Final = "\u00aa\u00ba"
"""Signs of an ordinal, which are no letters of a value: 5.\u00ba B."""
_SHAPES: Final = CharacterTable(_class)

_OF_SCRIPT: Final = (
    ("\u0400\u04ff", "\u0431"), ("\u0620\u064a", "\u0628"), ("\u3041\u30fa", "\u3042"),
    ("\u3400\u9fff", "\u6c49"), ("\uac00\ud7af", "\uac00"),
)  # fmt: skip


def shape_in_scripts(value: str) -> str:
    """Return the shape of a value with a symbol for letters of each other script: those of number plates."""
    shape = "".join(map(_class_in_scripts, value))
    return shape.replace("\u6c49", "\u6f22") if "\u3042" in shape else shape


def _class_in_scripts(character: str) -> str:
    symbol = next((symbol for (first, last), symbol in _OF_SCRIPT if first <= character <= last), "")
    return (symbol.upper() if character.isupper() else symbol) or _class(character)


def filled(shape: str, rng: np.random.Generator) -> str:
    """A uniform string of this shape: digits of ten, letters of 17 that spell nothing; other symbols by their table."""
    symbols = set(shape)
    drawn = {}
    for symbol in (*_USUAL, *sorted(_ALPHABETS.keys() & symbols)):
        if symbol in symbols:
            alphabet = _USUAL.get(symbol) or _ALPHABETS[symbol]
            dtype = np.uint8 if symbol == _DIGIT else np.int64
            places = rng.integers(len(alphabet), size=shape.count(symbol), dtype=dtype)
            drawn[symbol] = map(alphabet.__getitem__, places.tolist())
    return "".join([next(drawn[symbol]) if symbol in drawn else symbol for symbol in shape])
