"""Reads a text through escapes of JSON, URLs and HTML, colors of terminals, "[at]" and "[dot]", and writes values so.

Every layer is read, wherever it stands and whatever lies around it: JSON within JSON, JSON in a URL. An escape that
stands for one character is one character, and each character tells where it is written.

A value is written as its place in a text is written, so that JSON stays JSON and a URL one URL. Quotes before a place,
and escapes in it and next to it, tell what it is written in.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from operator import attrgetter
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote

from textveil.cuts import replaced
from textveil.text.disguises import disguises, layout, single
from textveil.text.patterns import lazy_regex, matches

BORDER: Final = "\ufdd0"  # stands where a text goes on in another part of a message. No character, and so nobody's text
DEEPEST: Final = 16  # layers that are read; of one kind within itself, as JSON within JSON, any number is one layer
LONGEST: Final = 40
"""Characters of an escape of one layer, about: so much before and behind a place tells how it is written."""

_HEX = "[0-9A-Fa-f]"
# Of any number of layers: each layer more doubles the backslashes.
_BACKSLASH: Final = lazy_regex(
    rf"(?<!\\)(?:\\++(?:u[dD][89abAB]{_HEX}{{2}}\\++u[dD][c-fC-F]{_HEX}{{2}}|u{_HEX}{{4}}|u\{{{_HEX}{{1,6}}\}}|U{_HEX}{{8}}"
    rf"|x{_HEX}{{2}}(?:\\++x{_HEX}{{2}})*|[\"'/bfnrt])|\\\\++)"
)

_PERCENT: Final = lazy_regex(rf"(?:%(?:25)*(?:{_HEX}{{2}}|u{_HEX}{{4}}))+")
_PERCENT_UNIT: Final = lazy_regex(rf"%(?:25)*(?:({_HEX}{{2}})|u({_HEX}{{4}}))")
_QUOTED: Final = lazy_regex(
    r"(?:=(?:0[9AD]|2[07CDE]|3[DF]|4[0-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9A]|[89A-F][0-9A-F])(?!\d)){1,1000}+"
    r"|(?<![A-Za-z0-9+/_-]{12})(?<![A-Za-z0-9+/_-]{11}=)=[ \t]{0,4}\r?\n"
)
"""Bytes of letters and of marks beside them in quoted-printable, and line ends that are none.

No numbers ("w=244"), and no end of base64.
"""

_QUOTED_BYTE: Final = lazy_regex(r"=([0-9A-F]{2})()")
_LONGEST_HEADER_WORD: Final = 450
# A word of a mail's header in quoted-printable (RFC 2047), where "_" is a space: =?utf-8?Q?Maria_Gonzalez?=.
_ENCODED_WORD: Final = lazy_regex(r"=\?[A-Za-z0-9._-]{1,40}\?[Qq]\?(?P<text>[!->@-~]{1,400})\?=")
_BYTE: Final = lazy_regex(rf"(?<!\\)\\++x({_HEX}{{2}})()")
_ENTITY: Final = lazy_regex(r"&(?:amp;)*((?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)")
_MARK_OF_HTML: Final = lazy_regex(r"&(?:amp;)*(?:lt|gt|amp|quot|apos|nbsp|#3[49]|#[xX]2[27]);")
_FORM: Final = lazy_regex(r"=[^\s\"'<>\\]+")
# Or the user and the password of a URL as it is, whose plus sign stands for no space.
_FORM_SPACE: Final = lazy_regex(r"://[^\s/?#@\"'<>\\]*@|(?<![=&?;\s])\+")
_WORDED: Final = lazy_regex(r"[\[({<] ?(?:(?P<at>at|AT|At)|dot|DOT|Dot) ?[\])}>]")
_WORDED_HOST: Final = lazy_regex(r"[\w-]{1,63}(?:\.|[ \t]{0,2}[\[({<] ?(?:dot|DOT|Dot) ?[\])}>][ \t]{0,2})[\w-]")
_WORD: Final = lazy_regex(r"\w")
# What a terminal shows nothing of (ECMA-48): control sequences (colors, moves), strings (links, titles), sets of
# letters (which "tput sgr0" writes) and escapes before a digit or a mark; and colors as programs write them. An escape
# before a letter stays, since it would take the first one of a name.
_TERMINAL: Final = lazy_regex(
    r"(?:\x1b\[|\x9b)[0-9;:<=>?]{0,64}[ -/]{0,4}[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,2048}+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b(?:[ -/]{1,4}[0-~]|[0-?])"
    r"|(?:\\{1,8}(?:0?33|e)|\^\[)(?:\[[0-9;]{0,32}m|\([0-9A-Z])"
)
_TERMINAL_MARKS: Final = ("\x1b", "\x9b", "\x90", "\x98", "\x9d", "\x9e", "\x9f", "33[", "33(", "\\e", "^[")
_HINT: Final = lazy_regex(
    r"[\\%&\ufdd0\x1b\x90\x98\x9b\x9d-\x9f]|\^\[|</[abefimsuw]|=[^\s\"'<>\\+=]*+\+|[\[({<] ?(?:[aA][tT]|[dD][oO][tT])\b"
)
_LATEX: Final = lazy_regex(
    r"\{?\\(?P<accent>[`'^~=.]|\"(?=\{\\?[A-Za-z]\}|[A-Za-z]\}|(?<=[A-Za-z]..)[AEIOUaeiouy])|[bcdHkruv](?![A-Za-z]))"
    r"(?:\{\\?(?P<braced>[A-Za-z])\}| ?\\?(?P<bare>[A-Za-z])(?P<end>\})?)\}?"
    r"|\{?\\(?P<letter>ss|SS|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j)(?![A-Za-z])(?:\{\}|\}| (?=[a-z]))?"
)
"""A letter with an accent, and a letter of its own, as LaTeX and BibTeX write them."""
_IN_LATEX: Final = lazy_regex(
    r"\\(?:begin|documentclass|usepackage|author|cite[a-z]?|(?:sub)?section|chapter|signature|name|textbf|textit|emph|title"
    r"|opening|closing|address|item|bibitem|newcommand)(?![A-Za-z])|@[A-Za-z]{4,20} ?\{[^\s{},]{1,60},"
)
_ACCENTS: Final = dict(
    zip(
        "`'^\"~=.bcdHkruv",
        "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0331\u0327\u0323\u030b\u0328\u030a\u0306\u030c",
        strict=True,
    )
)
_LATEX_LETTERS: Final = dict(
    zip(
        ["ss", "SS", "ae", "AE", "oe", "OE", "aa", "AA", "o", "O", "l", "L", "i", "j"],
        "\xdf\u1e9e\xe6\xc6\u0153\u0152\xe5\xc5\xf8\xd8\u0142\u0141\u0131\u0237",
        strict=True,
    )
)
_BREAK: Final = lazy_regex(r"(?<!\\)\\\\(?=[\w\s{\[]|\Z)")
"""The end of a line in LaTeX."""
_INNER_TAG: Final = r"</?(?:b|i|u|em|strong|span|mark|font|small|big|wbr)/?>"
# No attribute is passed over, and no letter of an escape (\n<b>) is one of a word: both would hide a value.
_INNER_TAGS: Final = lazy_regex(
    r"(?<=[^\W\d_A-Z])(?<!\\[a-z])(?:</(?:b|i|u|em|strong|span|mark|font|small|big)>"
    r"<(?:b|i|u|em|strong|span|mark|font|small|big)>|<wbr/?>)(?=[^\W\d_A-Z])"
    rf"|(?:(?<=Mac)|(?<=Mc))(?:{_INNER_TAG}){{1,4}}(?=[A-Z])"
)
"""Tags within a word, which a page shows as one."""
_ONE_TAG: Final = lazy_regex(_INNER_TAG)
_OPEN_ACCENT: Final = lazy_regex(r"\\[`'^\"~=.A-Za-z]{0,2} ?\{?\\?[A-Za-z]?\Z")
# Characters of Latin-1 before its accented letters, but for those that are letters or stand between parts of a name.
_NO_LETTERS: Final = frozenset(map(chr, range(0x80, 0xC0))) - frozenset("\xaa\xb5\xba\xb7")
_DIGIT_BEFORE: Final = lazy_regex(r"[0-9][A-Za-z]{0,12}\Z")
_DIGIT_BEHIND: Final = lazy_regex(r"[A-Za-z]{0,12}[0-9]")
_NAMED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDED_MARKS: Final = "[({<"
# What an escape begins with; an open one is looked for there alone.
_OPEN_MARK: Final = lazy_regex(r"[\\%&\[({<\x1b\x90\x98\x9b\x9d-\x9f]")
_CHAIN: Final = lazy_regex(rf"(?:\\++(?:[uUx]\{{?{_HEX}*+)?+)++|(?:%[0-9A-Fa-fu]*+)++")
_OPEN: Final = lazy_regex(
    r"(?:&(?:amp;)*[#A-Za-z0-9]{0,32}|(?:\x1b(?:\[|\Z)|\x9b)[0-9;:<=>?]{0,64}"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,2048}+\x1b?"
    r"|[\[({<] ?[A-Za-z]{0,3}(?: ?[\])}>][ \t]{0,2}[\w-]{0,63}[ \t\[({<A-Za-z.]{0,8})?)\Z"
)


class _Edit(NamedTuple):
    """The characters ``text[start:end]`` stand for ``plain``: one character, or none."""

    start: int
    end: int
    plain: str


class _Escape(NamedTuple):
    """A character: its place in the text as it is read, how many (1 or 0), and where it is written."""

    place: int
    size: int
    begin: int
    end: int


class Reading:
    """A text that was read; ``read`` makes it. Private, as the text is."""

    __slots__ = ("_escapes", "source", "text", "whole")

    def __init__(self, source: str) -> None:
        self.source = self.text = source  # as it is written, and as it is read
        self.whole = True  # it has no more than ``DEEPEST`` layers, so all of it was read
        self._escapes: list[_Escape] = []

    @property
    def escaped(self) -> bool:
        """True if anything is written otherwise than it is read."""
        return bool(self._escapes)

    @property
    def doubtful(self) -> bool:
        """True if what looks like an escape may be none; marks of HTML (&quot;) are always meant."""
        return not all(_MARK_OF_HTML.fullmatch(self.source, escape.begin, escape.end) for escape in self._escapes)

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Return where ``text[start:end]``, at least one character, begins and ends in ``source``."""
        return self.start(start), self._last(end - 1)

    def start(self, place: int) -> int:
        """Return where the character of ``text`` at a place, or its end, begins in ``source``."""
        if (at := self._at(place)) is None:
            return place
        beyond = place - at.place - at.size
        return at.begin if beyond < 0 else at.end + beyond

    def inner(self, place: int) -> tuple[int, int]:
        """Return the places in ``text`` before and behind a place of ``source``: the same, unless it cuts an escape."""
        if (number := bisect_right(self._escapes, place, key=_begin) - 1) < 0:
            return place, place
        at = self._escapes[number]
        if place < at.end:
            return at.place, at.place + (at.size if place > at.begin else 0)
        behind = at.place + at.size + place - at.end
        return behind, behind

    def value(self, start: int, end: int) -> str:
        """Return how ``source[start:end]`` is read."""
        return self.text[self.inner(start)[0] : self.inner(end)[1]]

    def unread(self) -> Iterator[tuple[int, int]]:
        """Yield where ``source`` holds what is not read."""
        return ((at.begin, at.end) for at in self._escapes if not at.size)

    def take(self, edits: Sequence[_Edit]) -> None:
        """Read one layer, of which these are the escapes, in order."""
        escapes: list[_Escape] = []
        text = replaced(self.text, edits)
        number = shift = 0
        for start, end, plain in edits:
            while number < len(self._escapes) and self._escapes[number].place + self._escapes[number].size <= start:
                escapes.append(self._moved(number, shift))
                number += 1
            escapes.append(_Escape(start - shift, len(plain), self.start(start), self._last(end - 1)))
            while number < len(self._escapes) and self._escapes[number].place < end:
                number += 1
            shift += end - start - len(plain)
        escapes += [self._moved(rest, shift) for rest in range(number, len(self._escapes))]
        self.text = text
        self._escapes = escapes

    def _moved(self, number: int, shift: int) -> _Escape:
        return self._escapes[number]._replace(place=self._escapes[number].place - shift)

    def _at(self, place: int) -> _Escape | None:
        number = bisect_right(self._escapes, place, key=_place) - 1
        return self._escapes[number] if number >= 0 else None

    def _last(self, place: int) -> int:
        """Return where the character of ``text`` at a place ends in ``source``."""
        at = self._at(place)
        return place + 1 if at is None else at.end + place - at.place - at.size + 1


_begin: Final = attrgetter("begin")
_place: Final = attrgetter("place")


def read(text: str) -> Reading:
    """Read a text as its final reader would, in time that is linear in its length."""
    reading = Reading(text)
    if _HINT.search(text) is None:
        if hidden := _disguises(text):
            reading.take(hidden)
        return reading
    if BORDER in text:
        reading.take([_Edit(*match.span(), "") for match in re.finditer(BORDER, text)])
    reading.take(_colors(reading.text))
    if "\\" in reading.text and (accents := _accents(reading.text)):
        reading.take(accents)
    if "</" in reading.text:
        reading.take([_Edit(*match.span(), "") for match in _INNER_TAGS.finditer(reading.text)])
    for layer in range(DEEPEST):
        edits = _colors(reading.text) or _edits(reading.text, outermost=layer == 0) or _disguises(reading.text)
        if not edits:
            return reading
        reading.take(edits)
    reading.whole = not (_colors(reading.text) or _edits(reading.text, outermost=False) or _disguises(reading.text))
    return reading


def straight(text: str, names_secret: Callable[[str], bool] = lambda _: False) -> Reading:
    """Read a text without what is layout alone (``disguises.layout``)."""
    reading = Reading(single(text))
    for edits_of in layout(text, names_secret):
        if edits := edits_of(reading.text):
            reading.take([_Edit(*edit) for edit in edits])
    return reading


def quoted_printable(reading: Reading) -> Reading | None:
    """Return the text with "=" and two digits read as a byte too, which may be none ("x=20"); None if there is none."""
    if "=" not in reading.text:
        return None
    edits: list[_Edit] = []
    for match in _QUOTED.finditer(reading.text):
        edits += [_Edit(*match.span(), "")] if match[0][-1] == "\n" else _bytes(match, _QUOTED_BYTE)
    for word in _ENCODED_WORD.finditer(reading.text):
        start, end = word.span("text")
        edits += [_Edit(place, place + 1, " ") for place in range(start, end) if reading.text[place] == "_"]
    if not edits:
        return None
    decoded = Reading(reading.source)
    decoded.text, decoded._escapes = reading.text, list(reading._escapes)
    decoded.take(sorted(edits))
    return decoded


def unquoted(value: str) -> str:
    """Return a value as ``quoted_printable`` reads it."""
    decoded = quoted_printable(Reading(value))
    return value if decoded is None else decoded.text


def is_in_header_word(text: str, place: int) -> bool:
    """Return whether a place lies in a word of a mail's header, in which "_" is a space."""
    begin = text.rfind("=?", max(0, place - _LONGEST_HEADER_WORD), place)
    return begin >= 0 and "?=" not in text[begin + 2 : place]


def open_end(text: str) -> int:
    """Return how many characters at the end of a text may be a part of an escape, or one with what follows."""
    tried = 0
    for mark in _OPEN_MARK.finditer(text):
        start = mark.start()
        if mark[0] in "\\%":
            if start < tried:
                continue  # within a chain that does not reach the end
            chain = _CHAIN.match(text, start)
            tried = chain.end() if chain else start
            if tried == len(text) or _OPEN_ACCENT.match(text, start):
                return len(text) - start
        elif _OPEN.match(text, start):
            return len(text) - (_around(text, start, start)[0] if text[start] in _WORDED_MARKS else start)
    return 0


def _disguises(text: str) -> list[_Edit]:
    return [_Edit(*disguise) for disguise in disguises(text)]


def _colors(text: str) -> list[_Edit]:
    if not any(mark in text for mark in _TERMINAL_MARKS):
        return []
    return [_Edit(*match.span(), "") for match in _TERMINAL.finditer(text)]


def _accents(text: str) -> list[_Edit]:
    """Read the accents of LaTeX, where a text has its commands, or braces stand about the letter."""
    edits = []
    sure = _IN_LATEX.search(text) is not None
    for match in _LATEX.finditer(text):
        start, end = match.span()
        closed = match[0].count("{") - match[0].count("}")
        if closed > 0:  # the brace before it is of a group: {\'etude}
            start += 1
        elif closed < 0:  # the brace behind it ends a group: \name{Ren\'e}
            end -= 1
        if not (sure or "{" in text[start:end]):
            continue
        if match["letter"]:
            plain = _LATEX_LETTERS[match["letter"]]
        else:
            plain = unicodedata.normalize("NFC", (match["braced"] or match["bare"]) + _ACCENTS[match["accent"]])
        if len(plain) == 1:
            edits.append(_Edit(start, end, plain))
    if sure:
        taken = {place for edit in edits for place in range(edit.start, edit.end)}
        breaks = [match.span() for match in _BREAK.finditer(text)]
        edits += [_Edit(start, end, "\n") for start, end in breaks if taken.isdisjoint(range(start, end))]
    return sorted(edits)


def _edits(text: str, *, outermost: bool) -> list[_Edit]:
    edits: list[_Edit] = []
    if "\\" in text:
        for match in _BACKSLASH.finditer(text):
            escape = match[0].lstrip("\\")
            edits += _bytes(match, _BYTE) if escape[:1] == "x" else [_Edit(*match.span(), _unescaped(escape))]
    if "%" in text:
        for match in _PERCENT.finditer(text):
            edits += _bytes(match, _PERCENT_UNIT)
    if "&" in text:
        edits += _entities(text)
    if outermost and "+" in text:  # later, one may be what "%2B" stood for
        for form in _FORM.finditer(text):
            spaces = (match for match in _FORM_SPACE.finditer(text, *form.span()) if match[0] == "+")
            edits += [_Edit(*space.span(), " ") for space in spaces]
    edits += _worded(text)
    return sorted(edits)


def _unescaped(escape: str) -> str:
    if len(escape) < 2:
        return _NAMED.get(escape, escape or "\\")
    first, _, second = escape.partition("\\")
    code = int(first[1:].strip("{}"), 16)
    if second:  # two halves of a character
        code = 0x10000 + ((code - 0xD800) << 10) + int(second.lstrip("\\")[1:], 16) - 0xDC00
    return chr(min(code, 0x10FFFF))


def _bytes(run: re.Match[str], unit: re.Pattern[str]) -> Iterator[_Edit]:
    """Decode a run of escaped bytes: as UTF-8 if they are that, else each is a character."""
    units = list(unit.finditer(run[0]))
    at = 0
    while at < len(units):
        count, plain = _first(units, at)
        start, end = run.start() + units[at].start(), run.start() + units[at + count - 1].end()
        # No letter, as in the password "Fa%bbyz"; or a letter of Latin-1 amid digits, as in "B0cA4I%aatid89".
        if count == 1 and plain >= "\x80" and (plain in _NO_LETTERS or _is_of_password(run.string, start, end)):
            at += 1
            continue
        yield _Edit(start, end, plain)
        at += count


def _is_of_password(text: str, start: int, end: int) -> bool:
    """Return whether a byte in small letters stands in one word with digits: nobody's name is written so."""
    near = _DIGIT_BEFORE.search(text, max(0, start - 16), start) or _DIGIT_BEHIND.match(text, end)
    return near is not None and text[start] == "%" and text[start:end].islower()


def _first(units: Sequence[re.Match[str]], at: int) -> tuple[int, str]:
    """Return how many of the bytes from here are one character, and which."""
    if units[at][2]:
        return 1, chr(int(units[at][2], 16))
    lead = int(units[at][1], 16)
    if (count := 1 + (lead >= 0xC2) + (lead >= 0xE0) + (lead >= 0xF0)) > 1:
        try:
            return count, bytes.fromhex("".join(unit[1] for unit in units[at : at + count])).decode("utf-8")
        except (UnicodeDecodeError, TypeError):  # of another encoding; or a character of another form among them
            pass
    return 1, chr(lead)


def _entities(text: str) -> Iterator[_Edit]:
    for match in _ENTITY.finditer(text):
        plain = html.unescape(f"&{match[1]}")
        if len(plain) == 1 and (plain != "\ufffd" or "fffd" in match[1].lower()):
            yield _Edit(*match.span(), plain)


def _worded(text: str) -> Iterator[_Edit]:
    for match in _WORDED.finditer(text):
        start, end = _around(text, *match.span())
        behind = _WORDED_HOST.match(text, end) if match["at"] else _WORD.match(text, end)
        if behind and start and _WORD.match(text, start - 1):
            yield _Edit(start, end, "@" if match["at"] else ".")


def _around(text: str, start: int, end: int) -> tuple[int, int]:
    for _ in range(2):
        start -= text[start - 1 : start] in (" ", "\t")
        end += text[end : end + 1] in (" ", "\t")
    return start, end


NUMBER: Final = lazy_regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")  # A number as JSON writes it
_DIGITS: Final = frozenset("0123456789")
_RUN: Final = lazy_regex(rf"(?<!\\)(\\++)(?:[\"'/bfnrtx]|[uU]\{{?{_HEX})")
_RUN_BEFORE: Final = lazy_regex(
    rf"(?<!\\)(\\++)(?:[\"'/bfnrt]|u{_HEX}{{4}}|u\{{{_HEX}+\}}|U{_HEX}{{8}}|x{_HEX}{{2}})\Z"
)
_PERCENT_ESCAPE: Final = lazy_regex(rf"%((?:25)*)(?:{_HEX}{{2}}|u{_HEX}{{4}})")
_PERCENT_BEFORE: Final = lazy_regex(rf"{_PERCENT_ESCAPE.pattern}\Z")
_ENTITY_ESCAPE: Final = lazy_regex(r"&((?:amp;)*)(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);")
_ENTITY_BEFORE: Final = lazy_regex(rf"{_ENTITY_ESCAPE.pattern}\Z")
_AT: Final = lazy_regex(r"(?<![ \t])[ \t]*([\[({<]) ?(?:at|AT|At) ?[\])}>][ \t]*")
_DOT: Final = lazy_regex(r"(?<![ \t])[ \t]*([\[({<]) ?(?:dot|DOT|Dot) ?[\])}>][ \t]*")
_QUOTE: Final = lazy_regex(
    r"(?<!\\)(?<!%5[Cc])(?P<run>\\*+|(?:%5[Cc])++)(?:(?P<plain>\")|(?P<line>\n)|%22|&(?:quot|#34|#x22);)",
    holds=("\n", '"', "%22", "&quot;", "&#34;", "&#x22;"),
)
_BEFORE_STRING: Final = frozenset('[{(,:=" \t\r\n')
_AFTER_KEY: Final = lazy_regex(r"\"\s*:\s*\Z")
_IN_JSON: Final = lazy_regex(r"[\"\\\x00-\x1f\ud800-\udfff]")
_IN_HTML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_JSON_NAMED: Final = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_RESERVED: Final = ":/?#[]@!$&'()*,;="
_DEEPEST_STRING: Final = 8  # JSON within JSON so deep is written; deeper, a quote takes more than 500 backslashes


class Place(NamedTuple):
    """The place of a value, as it is written."""

    before: str  # the last ``LONGEST`` characters before it, or less
    own: str  # what stands there
    after: str  # the first characters behind it
    strings: int  # JSON strings around it, one in another (``Quotes``)
    within: bool  # whether the innermost of them lies within percent-encoding or HTML, rather than around it
    read_before: str  # the last characters before it, as they are read
    read: str  # what stands there, as it is read

    def written(self, value: str) -> str:
        """Return a value as it is to be written here, so that it is read as it was."""
        if NUMBER.fullmatch(self.read) and not NUMBER.fullmatch(value) and _AFTER_KEY.search(self.read_before):
            value = f'"{value}"'  # a number in JSON, which this is not
        before, own, after = self.before, self.own, self.after
        if any(mark in own for mark in "[({<"):
            value = self._worded(value)
        run = _touching(_RUN_BEFORE, _RUN, before, own, after)
        strings = min(self.strings if run is None else max(self.strings, len(run[1]).bit_length()), _DEEPEST_STRING)
        if self.within:
            value = _in_strings(value, strings)
        if (percent := _touching(_PERCENT_BEFORE, _PERCENT_ESCAPE, before, own, after)) is not None or self._form():
            value = self._percent(value, 0 if percent is None else len(percent[1]) // 2)
        if (entity := _touching(_ENTITY_BEFORE, _ENTITY_ESCAPE, before, own, after)) is not None:
            value = "".join(_IN_HTML.get(character, character) for character in value)
            value = value.replace("&", "&" + "amp;" * (len(entity[1]) // 4))
        if not self.within:
            value = _in_strings(value, strings)
        tags = "".join(_ONE_TAG.findall(own)) if "</" in own or "<b" in own else ""
        return value + tags + BORDER * own.count(BORDER)

    def _worded(self, value: str) -> str:
        for mark, words in (("@", _AT), (".", _DOT)):
            if (used := words.search(self.own)) is not None:
                value = value.replace(mark, used[0])
        return value

    def _form(self) -> bool:
        """Tell whether a plus sign stands for a space here: the phone number "+49 30 1234" has both as they are."""
        return "+" in self.own and self.own.replace("%20", " ").count(" ") < self.read.count(" ")

    def _percent(self, value: str, deeper: int) -> str:
        """Percent-encode: all of it, or what no URL may have if marks of URLs stand here as they are."""
        own = _PERCENT_ESCAPE.sub("", self.own)
        plus = self._form()
        safe = _RESERVED if any(mark in own for mark in _RESERVED) else ""
        encoded = quote(value, safe=safe + (" " if plus else ""), errors="surrogatepass").replace(" ", "+")
        if plus and value[:1] == own[:1] == "+":  # "=+" begins with a plus, and with no space
            encoded = encoded.replace("%2B", "+", 1)
        return encoded.replace("%", "%" + "25" * deeper)


def _touching(ends: re.Pattern[str], begins: re.Pattern[str], before: str, own: str, after: str) -> Any:
    return begins.search(own) or ends.search(before) or begins.match(after)


def _in_strings(value: str, strings: int) -> str:
    for _ in range(strings):
        value = _IN_JSON.sub(lambda match: _JSON_NAMED.get(match[0]) or f"\\u{ord(match[0]):04x}", value)
    return value


class Quotes:
    """Number of JSON strings around a place of a text, one in another: told by the backslashes before quotes.

    A string ends with its line, so an odd quote in prose says little.
    """

    def __init__(self) -> None:
        self.strings = 0
        self.within = False
        self._before = ""  # the last character that is no backslash
        self._run = 0  # backslashes behind it

    def feed(self, text: str) -> None:
        for mark in matches(_QUOTE, text):
            if mark["line"]:
                self.strings = 0
                continue
            start, run = mark.start(), len(mark["run"])
            before = text[start - 1] if start else self._before
            if mark["run"][:1] == "%":
                run //= 3
            elif start == 0:
                run += self._run
            if text[start - 3 : start - 2] == "%":
                before = unquote(text[start - 3 : start])
            self._meet(run, before, within=not mark["plain"])
        bare = text.rstrip("\\")
        self._run = len(text) - len(bare) + (0 if bare else self._run)
        self._before = bare[-1:] or self._before

    def _meet(self, run: int, before: str, *, within: bool) -> None:
        """A quote behind so many backslashes: within n strings, 2^n - 1 and those that the text before it ends with."""
        if (level := (~run & (run + 1)).bit_length() - 1) < self.strings:
            self.strings = level
        elif not before or before in _BEFORE_STRING:
            self.strings, self.within = level + 1, within


class Places:
    """Writes values into a text, from left to right, from ``begin`` of the reading's source on.

    ``quotes`` is the state of the text before ``begin``; None if nothing stands there.
    """

    def __init__(self, reading: Reading, begin: int = 0, quotes: Quotes | None = None) -> None:
        self._reading = reading
        self._quotes = Quotes() if quotes is None else copy(quotes)
        self._at = begin

    def written(self, value: str, start: int, end: int) -> str:
        """Return a value as it is to be written in place of ``source[start:end]``."""
        source = self._reading.source
        number = source[end - 1] in _DIGITS and NUMBER.fullmatch(source, start, end) is not None
        if not self._reading.escaped and not number and _IN_JSON.search(value) is None:
            return value
        return self._at_place(start, end).written(value)

    def _at_place(self, start: int, end: int) -> Place:
        reading, source = self._reading, self._reading.source
        self._quotes.feed(source[self._at : start])
        self._at = start
        first, last = reading.inner(start)[0], reading.inner(end)[1]
        return Place(
            source[max(0, start - LONGEST) : start],
            source[start:end],
            source[end : end + LONGEST],
            self._quotes.strings,
            self._quotes.within,
            reading.text[max(0, first - LONGEST) : first],
            reading.text[first:last],
        )
