"""A value written as its place in a text is written, so that JSON stays JSON and a URL one URL.

What a place is written in is told by the quotes before it, and by the escapes in it and next to it; ``escapes`` is the
way there.
"""

from __future__ import annotations

import re
from copy import copy
from typing import Any, Final, NamedTuple, final
from urllib.parse import quote, unquote

from textveil.text.escapes import BORDER, LONGEST, Reading
from textveil.text.patterns import lazy_regex

NUMBER: Final = lazy_regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""A number as JSON writes it."""

_HEX = "[0-9A-Fa-f]"
_RUN: Final = lazy_regex(rf"(?<!\\)(\\++)(?:[\"'/bfnrtx]|[uU]\{{?{_HEX})")
_RUN_BEFORE: Final = lazy_regex(
    rf"(?<!\\)(\\++)(?:[\"'/bfnrt]|u{_HEX}{{4}}|u\{{{_HEX}+\}}|U{_HEX}{{8}}|x{_HEX}{{2}})\Z"
)
_PERCENT: Final = lazy_regex(rf"%((?:25)*)(?:{_HEX}{{2}}|u{_HEX}{{4}})")
_PERCENT_BEFORE: Final = lazy_regex(rf"{_PERCENT.pattern}\Z")
_ENTITY: Final = lazy_regex(r"&((?:amp;)*)(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);")
_ENTITY_BEFORE: Final = lazy_regex(rf"{_ENTITY.pattern}\Z")
_AT: Final = lazy_regex(r"(?<![ \t])[ \t]*([\[({<]) ?(?:at|AT|At) ?[\])}>][ \t]*")
_DOT: Final = lazy_regex(r"(?<![ \t])[ \t]*([\[({<]) ?(?:dot|DOT|Dot) ?[\])}>][ \t]*")
_QUOTE: Final = lazy_regex(
    r"(?<!\\)(?<!%5[Cc])(?P<run>\\*+|(?:%5[Cc])++)(?:(?P<plain>\")|(?P<line>\n)|%22|&(?:quot|#34|#x22);)"
)
_BEFORE_STRING: Final = frozenset('[{(,:=" \t\r\n')
_AFTER_KEY: Final = lazy_regex(r"\"\s*:\s*\Z")
_IN_JSON: Final = lazy_regex(r"[\"\\\x00-\x1f\ud800-\udfff]")
_IN_HTML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_NAMED: Final = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_RESERVED: Final = ":/?#[]@!$&'()*,;="
_DEEPEST_STRING: Final = 8
"""JSON within JSON so deep is written; deeper, a quote takes more than 500 backslashes."""


@final
class Place(NamedTuple):
    """Where a value stands, as it is written.

    Attributes:
        before: the last ``LONGEST`` characters before it, or less.
        own: what stands there.
        after: the first characters behind it.
        strings: JSON strings around it, one in another (``Quotes``).
        within: whether the innermost of them lies within percent-encoding or HTML, rather than around it.
        read_before: the last characters before it, as they are read.
        read: what stands there, as it is read.
    """

    before: str
    own: str
    after: str
    strings: int
    within: bool
    read_before: str
    read: str

    def written(self, value: str) -> str:
        """A value as it is to be written here; it is read as it was."""
        if NUMBER.fullmatch(self.read) and not NUMBER.fullmatch(value) and _AFTER_KEY.search(self.read_before):
            value = f'"{value}"'  # a number in JSON, which this is not
        before, own, after = self.before, self.own, self.after
        if any(mark in own for mark in "[({<"):
            value = self._worded(value)
        run = _touching(_RUN_BEFORE, _RUN, before, own, after)
        strings = min(self.strings if run is None else max(self.strings, len(run[1]).bit_length()), _DEEPEST_STRING)
        if self.within:
            value = _in_strings(value, strings)
        percent = _touching(_PERCENT_BEFORE, _PERCENT, before, own, after)
        if percent is not None or self._form():
            value = self._percent(value, 0 if percent is None else len(percent[1]) // 2)
        entity = _touching(_ENTITY_BEFORE, _ENTITY, before, own, after)
        if entity is not None:
            value = _as_html(value, len(entity[1]) // 4)
        if not self.within:
            value = _in_strings(value, strings)
        return value + BORDER * own.count(BORDER)

    def _worded(self, value: str) -> str:
        """An address with the words for its marks."""
        for mark, words in (("@", _AT), (".", _DOT)):
            used = words.search(self.own)
            if used is not None:
                value = value.replace(mark, used[0])
        return value

    def _form(self) -> bool:
        """Whether a plus sign stands for a space here: the phone number "+49 30 1234" has both as they are."""
        return "+" in self.own and self.own.replace("%20", " ").count(" ") < self.read.count(" ")

    def _percent(self, value: str, deeper: int) -> str:
        """Percent-encoded: all of it, or what no URL may have where marks of URLs stand here as they are."""
        own = _PERCENT.sub("", self.own)
        plus = self._form()
        safe = _RESERVED if any(mark in own for mark in _RESERVED) else ""
        encoded = quote(value, safe=safe + (" " if plus else ""), errors="surrogatepass").replace(" ", "+")
        if plus and value[:1] == own[:1] == "+":  # "=+" begins with a plus, and with no space
            encoded = encoded.replace("%2B", "+", 1)
        return encoded.replace("%", "%" + "25" * deeper)


def _touching(ends: re.Pattern[str], begins: re.Pattern[str], before: str, own: str, after: str) -> Any:
    """An escape of a kind in a place, or next to it."""
    return begins.search(own) or ends.search(before) or begins.match(after)


def _as_html(value: str, deeper: int) -> str:
    return "".join(_IN_HTML.get(character, character) for character in value).replace("&", "&" + "amp;" * deeper)


def _in_strings(value: str, strings: int) -> str:
    """What stands in a JSON string, in another, and so on."""
    for _ in range(strings):
        value = _IN_JSON.sub(_escape, value)
    return value


def _escape(match: re.Match[str]) -> str:
    return _NAMED.get(match[0]) or f"\\u{ord(match[0]):04x}"


@final
class Quotes:
    """How many JSON strings lie around a place of a text, one in another: told by the backslashes before quotes.

    A string ends with its line, so an odd quote in prose says little.

    Attributes:
        strings: so many.
        within: see ``Place``.
    """

    def __init__(self) -> None:
        self.strings = 0
        self.within = False
        self._before = ""  # the last character that is no backslash
        self._run = 0  # backslashes behind it

    def feed(self, text: str) -> None:
        """Read on."""
        for mark in _QUOTE.finditer(text):
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
        level = (~run & (run + 1)).bit_length() - 1
        if level < self.strings:
            self.strings = level
        elif not before or before in _BEFORE_STRING:
            self.strings, self.within = level + 1, within


@final
class Places:
    """The places of a text, asked for from left to right.

    Args:
        reading: of the text.
        begin: the place in its source from which on there are such.
        quotes: of what stands before ``begin``; None where nothing does.
    """

    def __init__(self, reading: Reading, begin: int = 0, quotes: Quotes | None = None) -> None:
        self._reading = reading
        self._quotes = Quotes() if quotes is None else copy(quotes)
        self._at = begin

    def written(self, value: str, start: int, end: int) -> str:
        """A value as it is to be written in place of ``source[start:end]``."""
        source = self._reading.source
        number = NUMBER.fullmatch(source, start, end) is not None
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
