"""Where a URL begins in a text, in all the ways that readers of Markdown, HTML, CSS and JSON write its beginning.

Each character of a beginning is looked for in every escape. Two things would need a pattern without bounds, and are met
otherwise: runs of blanks are cut before (``narrowed``), and an escape that nobody needs is a beginning by itself
(``odd``): of a letter, of a digit, of what begins an escape, or of absurd length. For readers decode in chains (the
references of an attribute, then the escapes of CSS in it), and no pattern can follow all of them.
"""

from __future__ import annotations

import re
from typing import Final

from textveil.text.patterns import lazy_regex

TAIL: Final = 256
"""Characters before a URL that show in what it stands."""

LONGEST_START: Final = 1024
"""Characters of what a URL begins with, however it is escaped."""

LONGEST_META: Final = 64

_AMP = r"&(?:amp;){0,2}"
_BACKSLASH = r"\\{1,8}"


def _written(character: str, *names: str) -> str:
    """A pattern of a character in all its escapes; readers take an entity without its semicolon too."""
    codes = sorted({ord(character.lower()), ord(character.upper())})
    decimal, hexadecimal = "|".join(map(str, codes)), "|".join(f"{code:02x}" for code in codes)
    plain = re.escape(character)
    named = "".join(rf"|{name}" for name in names)
    escaped = rf"(?:u00|x|0{{0,5}})(?:{hexadecimal})" + ("" if character == "\\" else f"|{plain}")
    return (
        rf"(?:{plain}|{_BACKSLASH}(?:{escaped})|%(?:25){{0,2}}(?:{hexadecimal})"
        rf"|{_AMP}(?:#(?:0{{0,5}}(?:{decimal})(?![0-9])|x0{{0,5}}(?:{hexadecimal})(?![0-9a-f])){named});?)"
    )


_PLAIN_OR_REFERENCE = (
    rf"[\x00-\x20]|{_AMP}(?:Tab|NewLine|#(?:0{{0,5}}(?:[1-9]|[12][0-9]|3[0-2])(?![0-9])"
    rf"|x0{{0,5}}(?:[1-9a-f]|1[0-9a-f]|20)(?![0-9a-f])));?"
)
BLANK: Final = rf"(?:{_PLAIN_OR_REFERENCE}|{_BACKSLASH}(?:[nrtv]|(?:u00|x)?0{{0,5}}(?:1[0-9a-f]|20|[1-9a-f])))"
BLANKS: Final = rf"{BLANK}{{0,6}}"
"""More in a row are odd."""

SLASH: Final = f"(?:{_written('/', 'sol')}|{_written(chr(92), 'bsol')})"
COLON: Final = _written(":", "colon")
_S = rf"(?:{BLANKS}{_written('s')})?"
_HTTP, _WS, _FTP = (BLANKS.join(map(_written, name)) for name in ("http", "ws", "ftp"))
_SPECIAL = f"(?:{_HTTP}|{_WS}){_S}|{_FTP}"
"""Their letters, which browsers read over line breaks and tabs."""

_ODD: Final = (
    r"(?P<absurd>&(?:amp;){3}|&(?:amp;){0,2}#x?0{6})|\\&(?:\#|bsol|sol|colon|tab|newline)|%(?:25){3}|\\{9}"
    rf"|{_AMP}(?:#(?:0{{0,5}}(?:3[578]|4[89]|5[0-7]|6[5-9]|[78][0-9]|9[0-9]|1[01][0-9]|12[0-2])(?![0-9])"
    r"|x0{0,5}(?:2[356]|5c|3[0-9]|[46][1-9a-f]|[57][0-9a])(?![0-9a-f]))|(?:bsol|percnt|num);)"
    rf"|{_BACKSLASH}(?:u00|x)(?:2[35]|5c|3[0-9]|[46][1-9a-f]|[57][0-9a]|26(?:\#|amp|bsol|sol|colon|tab|newline))"
    rf"|{BLANK}{{7}}"
)
_START: Final = lazy_regex(
    rf"(?P<scheme>(?:{_SPECIAL}){BLANKS}{COLON})|(?P<slashes>{SLASH}{BLANKS}{SLASH})|(?<!\w)(?P<www>www\.)|(?P<odd>{_ODD})",
    re.IGNORECASE,
)
_NESTED: Final = lazy_regex(
    rf"(?:{_SPECIAL}){BLANKS}{COLON}|(?:{COLON}|{_written('=')}){SLASH}{BLANKS}{SLASH}|(?P<odd>{_ODD})", re.IGNORECASE
)
_ODD_WITHIN: Final = lazy_regex(_ODD, re.IGNORECASE)
_NUMBER_END: Final = lazy_regex(r"[&;]#x?[0-9a-f]*\Z", re.IGNORECASE)
META: Final = lazy_regex(rf"{_written('<', 'lt')}meta[\s/&\\]", re.IGNORECASE)
"""Begins a tag that may send its reader elsewhere, by a URL behind marks that tell little."""

ODD_LEAD: Final = lazy_regex(r"[%&]|\\(?![\\/])")
"""In what a URL begins with: what not all readers read alike."""

_ALL_BLANKS: Final = lazy_regex(
    rf"(?:{_PLAIN_OR_REFERENCE}|{_BACKSLASH}(?:[nrtv]|(?:u00|x|0000)(?:0[1-9a-f]|1[0-9a-f]|20)"
    r"|0{0,5}(?:1[0-9a-f]|20|[1-9a-f])(?![0-9a-f])))+",
    re.IGNORECASE,
)
"""Behind these there may be a quote in escapes, so they are told from it."""

_WITHIN_PATH: Final = lazy_regex(r"[\w.~+-]\Z")
"""Before two slashes that begin no URL, but part a path."""

_DRIVE: Final = lazy_regex(r"(?<![A-Za-z])[A-Za-z]:\Z")
_SCHEME_BEFORE: Final = lazy_regex(rf"{COLON}\Z", re.IGNORECASE)
_LETTER_BEFORE: Final = lazy_regex(r"[A-Za-z]\Z")
_RUN: Final = lazy_regex(r"\A[\x00-\x20]+|[\x00-\x20]{2,}")
_PLAIN_BLANKS: Final = "".join(map(chr, range(1, 33)))
_RANKS: Final = {"\n": 2, " ": 1, "\t": 1, "\r": 1, "\f": 1}


def one_blank(text: str) -> str:
    """A text with each run of blanks as one: a space, or NUL if there is an escape in it."""
    return _ALL_BLANKS.sub(lambda run: "\0" if run[0].strip(_PLAIN_BLANKS) else " ", text)


def _begins(text: str, start: re.Match[str]) -> bool:
    """Whether a URL begins there: two slashes also part paths, behind a drive's letter for example."""
    if start["slashes"] is None and start["scheme"] is None:
        return True
    written = text[max(0, start.start() - TAIL) : start.start()]
    before = one_blank(written)
    if start["slashes"] is None:
        return _LETTER_BEFORE.search(before) is None
    if _SCHEME_BEFORE.search(written):
        return _DRIVE.search(before) is None or "/" in start[0]
    return _WITHIN_PATH.search(before) is None


def start_in(text: str) -> re.Match[str] | None:
    """The first beginning of a URL in a text."""
    at = 0
    while (start := _START.search(text, at)) is not None and not _begins(text, start):
        at = start.end() if start["slashes"] in ("//", "\\\\") else start.start() + 1
    return start


def is_absurd(start: re.Match[str]) -> bool:
    """Whether it has an escape so long that nobody can tell where what it stands in ends."""
    odd = _ODD_WITHIN.search(start[0])
    return odd is not None and odd["absurd"] is not None


def is_hidden(start: re.Match[str]) -> bool:
    """Whether the beginning of a URL may lie further ahead: an escape may be one of its later letters."""
    return start["odd"] is not None or "\\" in start[0] or _ODD_WITHIN.search(start[0]) is not None


def is_unfinished(start: re.Match[str]) -> bool:
    """Whether more text, a digit, could turn what ends a text into the beginning of nothing."""
    return start.end() == len(start.string) and _NUMBER_END.search(start[0][-32:]) is not None


def nested_in(path: str) -> re.Match[str] | None:
    """The first beginning of a URL within the path of another."""
    return _NESTED.search(path)


def narrowed(text: str, rank: int) -> tuple[str, int]:
    """A text with at most three blanks in a row, those that end most; so are its beginnings of URLs of bounded length.

    Args:
        text: goes on another.
        rank: of the blanks that the other ends with, as returned for it; -1 if there are none.
    """

    def fewer(run: re.Match[str]) -> str:
        top, kept = rank if run.start() == 0 else -1, ""
        for blank in dict.fromkeys(run[0]):
            if _RANKS.get(blank, 0) > top:
                top, kept = _RANKS.get(blank, 0), kept + blank
        return kept

    short = _RUN.sub(fewer, text)
    end = len(text) - len(text.rstrip("\0" + _PLAIN_BLANKS))
    if end == 0:
        return short, rank if not text else -1
    before = rank if end == len(text) else -1
    return short, max(before, *(_RANKS.get(blank, 0) for blank in set(text[-end:])))
