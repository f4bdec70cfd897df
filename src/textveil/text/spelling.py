"""How a written word is spelled in plain letters: the one place where accents and ligatures are folded.

Everything here is a pure function of its argument and of the Unicode tables of the running Python.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from textveil.text.patterns import lazy_regex

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
        "ⱥ": "a",
        "ƒ": "f",
        "ħ": "h",
        "ȷ": "j",
        "ɉ": "j",
        "ɲ": "n",
        "ŋ": "ng",
        "œ": "oe",
        "ƥ": "p",
        "ɍ": "r",
        "ß": "ss",
        "ȿ": "s",
        "þ": "th",
        "ʉ": "u",
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
    """Return the letters a-z and plain apostrophes of ``spelling(surface)``; everything else is dropped.

    ``fold("CAFÉ's") == "cafe's"``. For a WORD token no letter is lost; for other strings some are, and
    the result may be empty.
    """
    spelled = spelling(surface)
    if spelled.isascii() and spelled.isalpha():
        return spelled
    return _NOT_FOLDED.sub("", spelled)


def is_latin(letter: str) -> bool:
    """Return whether a letter is spelled with a-z only, and with at least one."""
    spelled = spelling(letter)
    return spelled.isascii() and spelled.isalpha()
