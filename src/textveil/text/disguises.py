"""Letters that pass for others, or that nobody sees: what a reader, or a language model, reads of them.

- A word of one writing with letters of another that look alike is read in its own writing: "Maria" with a Cyrillic
  vowel. A word that holds letters of both that look like no other is left as it is. Within a number they are digits.
- Small capitals, and white capitals on black circles and squares, are letters of the Latin alphabet.
- Tags (U+E0020 to U+E007E) are ASCII that nothing shows, and two or more variation selectors in a row are bytes.

Layout says nothing either: ends of lines in other systems, spaces of other widths, letters and their accents as two
characters, marks of direction, vowel marks of Arabic, the prefix of quoted lines and of indented texts.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate, pairwise
from os.path import commonprefix
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


_BREAK: Final = lazy_regex(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]|(?:</?(?:p|div|li)>|<br ?/?>){1,4}\n?")
_WIDTHS: Final = {
    **dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F), " "),
    **{0xFF10 + digit: str(digit) for digit in range(10)},
}
_UNREAD: Final = lazy_regex(
    r"(?<![^\n])(?:[ \t]{0,3}+>)++[ \t]?(?=[^\n])|[\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u064b-\u0652\u0670]"
    r"|\u0640(?=[\u0620-\u064a])|(?P<narrow>[\xad\u200b-\u200d\u2060\ufeff]++)"
)
"""What quotes a line of a mail, marks of direction, the vowel marks of Arabic, and spaces of no width."""
_IN_PARTS: Final = lazy_regex(
    "[^\\W\\d_][\u0300-\u0345]+|[\u3046-\u30fd][\u3099\u309a]|[\u0627\u0648\u064a\u06c1\u06d2\u06d5][\u0653-\u0655]"
    "|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)


def single(text: str) -> str:
    """Return a text with a single space for each of another width, and with narrow digits."""
    return text if text.isascii() else text.translate(_WIDTHS)


def layout(text: str) -> Iterator[Callable[[str], list[Disguise]]]:
    """Yield what finds one kind of layout each, one after the other, if the text may have it.

    In an answer ``end`` may be more than one character behind ``start``. All take linear time.
    """
    yield partial(_each, _BREAK, "\n")
    if ">" in text or not text.isascii():
        yield _unread
    if text[:1] in _INDENTS:
        yield _indents
    if "\n\n" in text:
        yield _double_spaced
    if not text.isascii():
        yield _composed


def _each(pattern: re.Pattern[str], plain: str, text: str) -> list[Disguise]:
    return [Disguise(*match.span(), plain) for match in pattern.finditer(text)]


def _unread(text: str) -> list[Disguise]:
    """Return what nobody reads: a space of no width at white space or between letters; elsewhere it may part values."""
    return [
        Disguise(*match.span(), "")
        for match in _UNREAD.finditer(text)
        if not match["narrow"]
        or _is_unread(text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1])
    ]


def _is_unread(before: str, behind: str) -> bool:
    return not before.strip() or not behind.strip() or (before.isalpha() and behind.isalpha())


def _composed(text: str) -> list[Disguise]:
    written = [(match.span(), unicodedata.normalize("NFC", match[0])) for match in _IN_PARTS.finditer(text)]
    return [Disguise(*span, whole) for span, whole in written if len(whole) == 1]


def _indents(text: str) -> list[Disguise]:
    """Return the spaces, tabs and marks of comments that all lines begin with that are not empty."""
    lines = text.split("\n")
    full = [line for line in lines if line.strip()]
    common = commonprefix([min(full, default=""), max(full, default="")])
    inner = common.lstrip(" \t")
    mark = next((mark for mark in _COMMENTS if inner.startswith(mark)), "") if len(full) >= _FEWEST_LINES else ""
    indent = len(common) - len(inner.removeprefix(mark).lstrip(" \t"))
    starts = accumulate([len(line) + 1 for line in lines], initial=0)
    return [
        Disguise(start, start + indent, "")
        for line, start in zip(lines, starts, strict=False)
        if indent and line.strip()
    ]


_COMMENTS: Final = ("///", "//", "#", "*", "+", "--", ";", "%")
_INDENTS: Final = frozenset(" \t/#*+-;%")
_FEWEST_LINES: Final = 4


def _double_spaced(text: str) -> list[Disguise]:
    """Return the empty lines of a text in which one follows each line."""
    lines = text.split("\n")
    if text.count("\n\n") < _FEWEST_LINES or any(line and following for line, following in pairwise(lines)):
        return []
    starts = accumulate([len(line) + 1 for line in lines], initial=0)
    return [
        Disguise(start, start + 1, "")
        for line, start in zip(lines, starts, strict=False)
        if not line and start < len(text)
    ]


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
