"""Lossless tokens: every character of a text belongs to exactly one token, and every token has a kind.

The kind of a token is public and decides what may come out in its place, so the rules lean to one side:
whatever is not surely a word, a number, punctuation or white space is of a kind that is released as
a constant. In order:

1. URL, EMAIL and HANDLE are found first: leftmost first, and in this order. Sentence punctuation at the end
   of a URL is not part of it.
2. WORD is a maximal run of letters with what is attached to them: combining marks, and characters that
   cannot be seen (soft hyphen, zero-width space and joiners, direction marks). An apostrophe (' or U+2019)
   between letters joins them: "don't", "O'Brien", "Maria's" are one token. Hyphens split. A run that
   cannot be spelled with a-z (``spelling.is_latin``), as a whole or in part, is SCRIPT: so is a Latin
   word with a Cyrillic look-alike in it.
3. NUMBER is a run of decimal digits of any writing with what is attached to them, and with '.' or ','
   between digits. Letters and digits split: "covid19" is a word and a number.
4. SPACE is a run of white space (of control characters only tabs and line ends); PUNCTUATION is one
   character: ASCII punctuation and symbols, Unicode punctuation, currency signs.
5. EMOJI is a run of emoji (``emoji.is_emoji``) with their joiners, selectors and skin tones.
6. SYMBOL is a run of everything else: other symbols, numerals that are not decimal digits, control and format
   characters, marks attached to nothing, code points without a character.

To replace a word by another changes the kind of no token, with three exceptions near addresses: the words
http, https, ftp and www, and, beside an "@", words with an apostrophe or longer than 64 letters.

Characters that cannot be seen could carry data past a reader; they vanish with the token that holds them.
No text takes more than linear time.

How it works: non-ASCII characters are first replaced, one for one, by a character that stands for their
class, so that one set of patterns serves every text. ASCII text is matched as it is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from enum import IntEnum
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final, NamedTuple, final

from textveil.errors import need
from textveil.text.emoji import is_emoji
from textveil.text.patterns import lazy_regex
from textveil.text.slices import translated
from textveil.text.spelling import fold as fold
from textveil.text.spelling import is_latin, spelling


class Kind(IntEnum):
    """What a token is; public in every release."""

    WORD = 0
    """Letters that can be spelled with a-z, with inner apostrophes."""
    NUMBER = 1
    """Decimal digits, with inner '.' and ','."""
    PUNCTUATION = 2
    """One character; public, released as it is or in plain form (``marks``)."""
    SPACE = 3
    """White space; public, released as it is or in plain form (``marks``)."""
    EMAIL = 4
    """An e-mail address."""
    URL = 5
    """A web address: http, https, ftp or www."""
    HANDLE = 6
    """An @name."""
    SCRIPT = 7
    """Letters of a writing other than Latin, or a mix."""
    SYMBOL = 8
    """Anything else."""
    EMOJI = 9
    """Emoji in a row."""


PLACEHOLDERS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        Kind.EMAIL: "[email]",
        Kind.URL: "[url]",
        Kind.HANDLE: "[handle]",
        Kind.SCRIPT: "[script]",
        Kind.SYMBOL: "[symbol]",
        Kind.EMOJI: "[emoji]",
    }
)
"""What is released in place of a token of a kind that has no word-like reading."""


class Token(NamedTuple):
    """The characters ``text[start:end]`` of the input, and their kind."""

    start: int
    end: int
    kind: Kind


# The classes of non-ASCII characters, each written as one Latin-1 character (a text then takes a byte a
# character). Digits, white space and the curly apostrophe need no class: they become "0", " " and "'".
_LATIN, _SCRIPT, _MARK, _FORMAT, _PUNCTUATION, _EMOJI, _OTHER = "éþ\xa8\xad¿¶¤"
MARKS_IN_VIEW: Final = f"!-/:-@\\[-`{{-~{_PUNCTUATION}"
"""The characters that stand for punctuation in ``class_view``, as the inside of a class of a regular expression."""

_REMEMBERED: Final = 1 << 14


def _class_of(character: str) -> str:
    """The character that stands for a non-ASCII character in a view."""
    if character == "\N{RIGHT SINGLE QUOTATION MARK}":
        return "'"
    if character.isspace():
        return " "
    category = unicodedata.category(character)
    if category[0] == "L":
        if is_latin(character):
            return _LATIN
        # A modifier letter that has no spelling (the okina of Hawaii) is dropped like a format character.
        return _SCRIPT if spelling(character) else _FORMAT
    if category[0] == "M":
        return _MARK
    if category[0] == "P" or category == "Sc":
        return _PUNCTUATION
    return {"Nd": "0", "Cf": _FORMAT}.get(category, _EMOJI if is_emoji(character) else _OTHER)


@final
class _Classes(dict[int, str]):
    """A table for ``str.translate`` that fills itself, up to a bound, as characters are met."""

    def __missing__(self, code: int) -> str:
        view = chr(code) if code < 0x80 else _class_of(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = view
        return view


_CLASSES: Final = _Classes()

_LETTER: Final = f"A-Za-z{_LATIN}{_SCRIPT}"
_ATTACHED: Final = f"{_MARK}{_FORMAT}"
_NAME: Final = f"{_LETTER}{_ATTACHED}0-9_"
_LETTERS: Final = f"[{_LETTER}][{_LETTER}{_ATTACHED}]*+"
_DIGITS: Final = f"[0-9][0-9{_ATTACHED}]*+"
_WORD: Final = f"{_LETTERS}(?:'{_FORMAT}*+{_LETTERS})*+"
_NUMBER: Final = f"{_DIGITS}(?:[.,]{_DIGITS})*+"
_SPACE: Final = r"[\t-\r\x20]++"
_MARKS: Final = f"[{MARKS_IN_VIEW}]"
_REST: Final = rf"[\x00-\x08\x0e-\x1f\x7f{_OTHER}{_ATTACHED}]++"
_EMOJIS: Final = f"{_EMOJI}[{_EMOJI}{_ATTACHED}]*+"

_EMAIL: Final = rf"(?<![{_NAME}])[{_NAME}][{_NAME}.+%'&-]{{0,63}}+@[{_NAME}]++(?:-[{_NAME}]++)*+" + (
    rf"(?:\.[{_NAME}]++(?:-[{_NAME}]++)*+)++"
)
_ADDRESS: Final = rf"[^\s\x00-\x1f\x7f()\[\]<>\"`{{}}|\\^{_PUNCTUATION}{_EMOJI}{_OTHER}]"
_URL: Final = (  # letters of another writing may stand before it without a space
    rf"(?<![A-Za-z0-9_{_LATIN}{_ATTACHED}])(?:(?i:https?|ftp)://|(?i:www)\.)(?=[{_NAME}])"
    rf"{_ADDRESS}++(?:\({_ADDRESS}*+\){_ADDRESS}*+)*+"
)
_HANDLE: Final = (
    rf"(?<![{_NAME}])@(?=[0-9{_ATTACHED}]*+[{_LETTER}_])[{_NAME}]++(?:[.-][{_NAME}]++)*+"
    rf"(?:@[{_NAME}]++(?:[.-][{_NAME}]++)*+)?+"
)
_SENTENCE_END: Final = ".,;:!?'*"

_FIND_PLAIN: Final = lazy_regex(
    f"{_WORD}|{_SPACE}|{_MARKS}|{_NUMBER}|(?<!{_FORMAT}){_FORMAT}++(?:{_WORD}|{_NUMBER})|{_REST}|{_EMOJIS}"
)
_FIND_ENTITIES: Final = lazy_regex(f"({_URL})|({_EMAIL})|({_HANDLE})")
_ENTITY_KINDS: Final = (Kind.SYMBOL, Kind.URL, Kind.EMAIL, Kind.HANDLE)
_IS_WORD: Final = lazy_regex(f"{_FORMAT}*+{_WORD}")
_IS_NUMBER: Final = lazy_regex(f"{_FORMAT}*+{_NUMBER}")


def class_view(text: str) -> str:
    """The text with every non-ASCII character replaced by that of its class: digits are "0", white space " "."""
    return text if text.isascii() else translated(text, _CLASSES)


def _entities(view: str) -> list[tuple[int, int, Kind]]:
    """Start, end and kind of each e-mail address, URL and handle, in order."""
    if "@" not in view and "://" not in view and "www." not in view.lower():
        return []
    entities = []
    for match in _FIND_ENTITIES.finditer(view):
        kind = _ENTITY_KINDS[match.lastindex or 0]
        end = match.end()
        if kind is Kind.URL:
            end = match.start() + len(match[0].rstrip(_SENTENCE_END))
        entities.append((match.start(), end, kind))
    return entities


def _split_view(view: str) -> list[str]:
    """The tokens of a view."""
    entities = _entities(view)
    if not entities:
        return _FIND_PLAIN.findall(view)
    parts: list[str] = []
    position = 0
    for start, end, _ in entities:
        parts += _FIND_PLAIN.findall(view, position, start)
        parts.append(view[start:end])
        position = end
    return parts + _FIND_PLAIN.findall(view, position)


def split(text: str) -> list[str]:
    """The surfaces of the tokens of ``text``, in order; none is empty.

    Args:
        text: any string; lone surrogates are characters like others (SYMBOL).

    Returns:
        A list whose concatenation is ``text``.
    """
    view = class_view(text)
    parts = _split_view(view)
    if view is text:
        return parts
    ends = accumulate(map(len, parts), initial=0)
    return [text[start:end] for start, end in pairwise(ends)]


def classify(surface: str) -> Kind:
    """The kind of a token, from its surface alone.

    For every token of every text this is the kind that its place in the text gave it. A string that is
    not one token (two words, say) is SYMBOL, so nothing of it passes.

    Raises:
        ParameterError: the surface is empty.
    """
    need(bool(surface), "surface", "an empty string", "at least one character long")
    view = class_view(surface)
    if _IS_WORD.fullmatch(view):
        return Kind.SCRIPT if _SCRIPT in view else Kind.WORD
    if len(_split_view(view)) > 1:
        return Kind.SYMBOL
    if view[0] in " \t\n\v\f\r":
        return Kind.SPACE
    if _IS_NUMBER.fullmatch(view):
        return Kind.NUMBER
    entities = _entities(view)
    if entities:
        return entities[0][2]
    if view[0] == _EMOJI:
        return Kind.EMOJI
    return Kind.PUNCTUATION if view[0] in _PASSING else Kind.SYMBOL


_PASSING: Final = frozenset(f"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{{|}}~{_PUNCTUATION}")


def addresses(text: str) -> list[Token]:
    """The e-mail addresses, URLs and handles among the tokens of ``text``, in order."""
    return [Token(start, end, kind) for start, end, kind in _entities(class_view(text))]


def tokenize(text: str) -> list[Token]:
    """The tokens of ``text`` with their places: they begin at 0, meet, and end at ``len(text)``."""
    kinds: dict[str, Kind] = {}
    tokens = []
    start = 0
    for surface in split(text):
        kind = kinds.get(surface)
        if kind is None:
            kind = kinds[surface] = classify(surface)
        end = start + len(surface)
        tokens.append(Token(start, end, kind))
        start = end
    return tokens
