"""Lossless tokens: every character of a text belongs to exactly one token, and every token has a kind.

The kind of a token is public and decides what may come out in its place, so the rules lean to one side:
whatever is not surely a word, a number, punctuation or white space is of a kind that is released as
a constant. In order:

1. URL, EMAIL and HANDLE are found first: leftmost first, and in this order. Sentence punctuation at the end
   of a URL is not part of it.
2. WORD is a maximal run of letters with what is attached to them: combining marks, and characters that
   cannot be seen (soft hyphen, zero-width space and joiners, direction marks). An apostrophe (' or U+2019)
   between letters joins them: "don't", "O'Brien", "Maria's" are one token. Hyphens split. A run that
   cannot be spelled with a-z (``is_latin``), as a whole or in part, is SCRIPT: so is a Latin
   word with a Cyrillic look-alike in it.
3. NUMBER is a run of decimal digits of any writing with what is attached to them, and with '.' or ','
   between digits. Letters and digits split: "covid19" is a word and a number.
4. SPACE is a run of white space (of control characters only tabs and line ends); PUNCTUATION is one
   character: ASCII punctuation and symbols, Unicode punctuation, currency signs.
5. EMOJI is a run of emoji (``is_emoji``) with their joiners, selectors and skin tones.
6. SYMBOL is a run of everything else: other symbols, numerals that are not decimal digits, control and format
   characters, marks attached to nothing, code points without a character.

To replace a word by another changes the kind of no token, with three exceptions near addresses: the words
http, https, ftp and www, and, beside an "@", words with an apostrophe or longer than 64 letters.

Characters that cannot be seen could carry data past a reader; they vanish with the token that holds them.
No text takes more than linear time.

How it works: non-ASCII characters are first replaced, one for one, by a character that stands for their
class, so that one set of patterns serves every text. ASCII text is matched as it is.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

from textveil.errors import need
from textveil.text.patterns import CharacterTable, lazy_regex, translated

_RANGES: Final = tuple(
    (int(first, 16), int(last or first, 16))
    for first, _, last in (
        emoji.partition("-")
        for emoji in """
    231a-231b 2328 23cf 23e9-23f3 23f8-23fa 24c2 25aa-25ab 25b6 25c0 25fb-25fe 2600-2604 260e 2611 2614-2615
    2618 261d 2620 2622-2623 2626 262a 262e-262f 2638-263a 2640 2642 2648-2653 265f-2660 2663 2665-2666 2668
    267b 267e-267f 2692-2697 2699 269b-269c 26a0-26a1 26a7 26aa-26ab 26b0-26b1 26bd-26be 26c4-26c5 26c8
    26ce-26cf 26d1 26d3-26d4 26e9-26ea 26f0-26f5 26f7-26fa 26fd 2702 2705 2708-270d 270f 2712 2714 2716 271d
    2721 2728 2733-2734 2744 2747 274c 274e 2753-2755 2757 2763-2764 2795-2797 27a1 27b0 27bf 2934-2935
    2b05-2b07 2b1b-2b1c 2b50 2b55 3297 3299 1f004 1f0cf 1f170-1f171 1f17e-1f17f 1f18e 1f191-1f19a 1f1e6-1f1ff
    1f201-1f202 1f21a 1f22f 1f232-1f23a 1f250-1f251 1f300-1f321 1f324-1f393 1f396-1f397 1f399-1f39b 1f39e-1f3f0
    1f3f3-1f3f5 1f3f7-1f4fd 1f4ff-1f53d 1f549-1f54e 1f550-1f567 1f56f-1f570 1f573-1f57a 1f587 1f58a-1f58d 1f590
    1f595-1f596 1f5a4-1f5a5 1f5a8 1f5b1-1f5b2 1f5bc 1f5c2-1f5c4 1f5d1-1f5d3 1f5dc-1f5de 1f5e1 1f5e3 1f5e8 1f5ef
    1f5f3 1f5fa-1f64f 1f680-1f6c5 1f6cb-1f6d2 1f6d5-1f6d9 1f6dc-1f6e5 1f6e9 1f6eb-1f6ec 1f6f0 1f6f3-1f6fc
    1f7e0-1f7eb 1f7f0 1f90c-1f93a 1f93c-1f945 1f947-1f9ff 1fa70-1fa7c 1fa80-1fac6 1fac8 1facc-1fadd 1fadf-1faeb
    1faef-1fafa
""".split()  # noqa: SIM905 - a list of them would take a line each
    )
)
"""Code points with the property Emoji of Unicode 17 (emoji-data.txt), from U+231A on, without punctuation.

Before it stand digits, punctuation, signs such as (c) and arrows, which text uses as what they are.
"""

_FIRST: Final = tuple(first for first, _ in _RANGES)


def is_emoji(character: str) -> bool:
    """Return whether one character is an emoji, or a part of one that can be seen: a skin tone, half of a flag."""
    place = bisect_right(_FIRST, ord(character)) - 1
    return place >= 0 and ord(character) <= _RANGES[place][1]


class Kind(IntEnum):
    """The kind of a token; public in every release."""

    WORD = 0  # letters that can be spelled with a-z, with inner apostrophes
    NUMBER = 1  # decimal digits, with inner '.' and ','
    PUNCTUATION = 2  # one character; public, released as it is or in plain form (``marks``)
    SPACE = 3  # white space; public, released as it is or in plain form (``marks``)
    EMAIL = 4  # an e-mail address
    URL = 5  # a web address: http, https, ftp or www
    HANDLE = 6  # an @name
    SCRIPT = 7  # letters of a writing other than Latin, or a mix
    SYMBOL = 8  # anything else
    EMOJI = 9  # emoji in a row


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
"""The release for a token of a kind that has no word-like reading."""


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


def _class_of(character: str) -> str:
    if character.isascii():
        return character
    if character == "\N{RIGHT SINGLE QUOTATION MARK}":
        return "'"
    if character.isspace():
        return " "
    category = unicodedata.category(character)
    if category[0] == "L":
        if is_latin(character):
            return _LATIN
        # a modifier letter that has no spelling (the okina of Hawaii) is dropped like a format character.
        return _SCRIPT if spelling(character) else _FORMAT
    if category[0] == "M":
        return _MARK
    if category[0] == "P" or category == "Sc":
        return _PUNCTUATION
    return {"Nd": "0", "Cf": _FORMAT}.get(category, _EMOJI if is_emoji(character) else _OTHER)


_CLASSES: Final = CharacterTable(_class_of, 1 << 14)
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
    """Return the text with every non-ASCII character replaced by that of its class: digits are "0", white space " "."""
    return text if text.isascii() else translated(text, _CLASSES)


def _entities(view: str) -> list[tuple[int, int, Kind]]:
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
    parts: list[str] = []
    position = 0
    for start, end, _ in _entities(view):
        parts += _FIND_PLAIN.findall(view, position, start)
        parts.append(view[start:end])
        position = end
    return parts + _FIND_PLAIN.findall(view, position)


def split(text: str) -> list[str]:
    """Return the surfaces of the tokens of ``text``, in order; none is empty, and joined they are ``text``."""
    view = class_view(text)
    parts = _split_view(view)
    if view is text:
        return parts
    ends = accumulate(map(len, parts), initial=0)
    return [text[start:end] for start, end in pairwise(ends)]


def classify(surface: str) -> Kind:
    """Return the kind of a token from its surface, which is not empty: the one that its place in any text gave it.

    A string that is not one token (two words, say) is SYMBOL, so nothing of it passes.
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
    if entities := _entities(view):
        return entities[0][2]
    if view[0] == _EMOJI:
        return Kind.EMOJI
    return Kind.PUNCTUATION if view[0] in _PASSING else Kind.SYMBOL


_PASSING: Final = frozenset(f"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{{|}}~{_PUNCTUATION}")


def addresses(text: str) -> list[Token]:
    """Return the e-mail addresses, URLs and handles among the tokens of ``text``, in order."""
    return [Token(start, end, kind) for start, end, kind in _entities(class_view(text))]


def tokenize(text: str) -> list[Token]:
    """Return the tokens of ``text`` with their places: they begin at 0, meet, and end at ``len(text)``."""
    kinds: dict[str, Kind] = {}
    tokens = []
    start = 0
    for surface in split(text):
        if (kind := kinds.get(surface)) is None:
            kind = kinds[surface] = classify(surface)
        end = start + len(surface)
        tokens.append(Token(start, end, kind))
        start = end
    return tokens


# Lower-case Latin letters that compatibility decomposition leaves alone, and how they are spelled.
_LATIN_LETTERS: Final = MappingProxyType(
    {
        **dict.fromkeys("æǽ", "ae"),
        **dict.fromkeys("đðɖɗƌ", "d"),
        **dict.fromkeys("əǝɇɛ", "e"),
        **dict.fromkeys("øɔɵ", "o"),
        **dict.fromkeys("łƚɫ", "l"),
        **dict.fromkeys("ƀɓ", "b"),
        **dict.fromkeys("ƈȼ", "c"),
        **dict.fromkeys("ǥɠ", "g"),
        **dict.fromkeys("ıɨ", "i"),
        **dict.fromkeys("ĸƙ", "k"),
        **dict.fromkeys("ŧⱦƭ", "t"),
        **dict.fromkeys("ƶȥɀ", "z"),
        **dict.fromkeys("ɏƴ", "y"),
        **dict(zip("ⱥƒħȷɉɲƥɍȿʉ", "afhjjnprsu", strict=True)),
        "ŋ": "ng",
        "œ": "oe",
        "ß": "ss",
        "þ": "th",
        "\N{LATIN SMALL LETTER V WITH HOOK}": "v",
    }
)
_SPELLED: Final = {
    **{ord(letter): plain for letter, plain in _LATIN_LETTERS.items()},
    0x2019: "'",  # right single quotation mark, the typographer's apostrophe
    0x00B7: "",  # middle dot: what is left of a Catalan l with middle dot
    **dict.fromkeys(range(0x2B0, 0x300), ""),  # spacing modifier letters: okina, ayin, primes, stress marks
}
_MICRO: Final = "\N{MICRO SIGN}"  # decomposes to a Greek letter, yet is written among Latin ones (microgram)
_NOT_FOLDED: Final = lazy_regex("[^a-z']+")


def spelling(surface: str) -> str:
    """Return lower case, without accents, ligatures or characters that cannot be seen; it may be empty.

    Compatibility decomposition (NFKD), then lower case, then the letters that have no decomposition
    (ß to ss, ø to o, ł to l, ...); combining marks and format characters vanish. Letters of other
    writings, digits and punctuation stay, so that the words of any vocabulary keep a spelling.
    """
    if surface.isascii():
        return surface.lower()
    # Marks go before the decomposition too: it sorts long runs of them in quadratic time.
    plain = "".join([character for character in surface.replace(_MICRO, "u") if not _vanishes(character)])
    decomposed = unicodedata.normalize("NFKD", plain)
    spelled = decomposed.lower().translate(_SPELLED)
    if spelled.isascii():
        return spelled
    return "".join([character for character in spelled if not _vanishes(character)])


@lru_cache(maxsize=1 << 14)
def _vanishes(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "M" or category == "Cf"


def fold(surface: str) -> str:
    """Return the letters a-z and plain apostrophes of ``spelling(surface)``: ``fold("CAFÉ's") == "cafe's"``.

    For a WORD token no letter is lost; for other strings some are, and the result may be empty.
    """
    spelled = spelling(surface)
    return spelled if spelled.isascii() and spelled.isalpha() else _NOT_FOLDED.sub("", spelled)


def is_latin(letter: str) -> bool:
    """Return whether a letter is spelled with a-z only, and with at least one."""
    spelled = spelling(letter)
    return spelled.isascii() and spelled.isalpha()
