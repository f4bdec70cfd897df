"""Letters that pass for others, or that nobody sees: what a reader, or a language model, reads of them.

- A word of one writing with letters of another that look alike is read in its own writing: "Maria" with a Cyrillic
  vowel. A word that holds letters of both that look like no other is left as it is. Within a number they are digits.
- Small capitals, and white capitals on black circles and squares, are letters of the Latin alphabet.
- Tags (U+E0020 to U+E007E) are ASCII that nothing shows, and two or more variation selectors in a row are bytes.

Layout says nothing either: ends of lines in other systems, spaces of other widths, letters and their accents as two
characters, marks of direction, vowel marks of Arabic, what quotes lines or marks them as changed, marks that all lines
begin or end with, numbers of all lines, ends of lines of prose that had no more room, quotes around documents and their
lines, tags of HTML that part lines, marks that make words bold, slanted or struck out, and marks in pairs around words.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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


_BREAK: Final = lazy_regex(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_CHANGED: Final = lazy_regex(r"(?<![^\n])[+ -](?=[^\n])")
"""What a change of lines (diff) begins them with."""
_BLOCK: Final = "p|div|li|ul|ol|h[1-6]|blockquote|section|article|header|footer|main|body|html|pre"
# No attribute is passed over that may name somebody: a class (but of Word), a role, or a style in other words.
_MEASURE: Final = (
    r"(?:-?[0-9.]{1,6}+(?:px|pt|r?em|%|cm|in)?|#[0-9a-f]{3,6}+|left|right|center|justify|top|middle|bottom|bold|normal"
    r"|none|auto|solid|black|white|ltr|rtl|[a-z]{2})(?![\w-])"
)
_STYLE: Final = (
    r"(?: (?:class=\"?Mso[A-Za-z]{1,20}+\"?"
    rf"|(?:dir|align|lang|valign|width|border|cellpadding|cellspacing)=\"?{_MEASURE}\"?"
    r"|style=\"(?:(?:margin|padding|border|font|text|line|width|height|color|background|mso)(?:-[a-z]{3,10}+)?"
    rf": ?{_MEASURE}(?: {_MEASURE}){{0,3}}+;? ?){{1,8}}+\")){{0,6}}+"
)
_TAGS, _TAGS_AND_ROWS = [
    lazy_regex(
        rf"(?:</(?i:{block})>\s{{0,8}}+){{0,6}}+(?:<(?i:{block}){_STYLE}>(?:\s{{0,8}}+(?=<[^/]))?+){{1,6}}+"
        rf"|(?:</(?i:{block})>(?:\s{{0,8}}+(?=</))?+){{1,6}}+\n?|<(?i:br) ?/?>\n?"
    )
    for block in (_BLOCK, f"{_BLOCK}|table|tbody|tr|td")
]
"""Ends of lines in HTML; an empty paragraph is an empty line. Rows of one cell are lines too."""
_BETWEEN_CELLS: Final = lazy_regex(r"</(?i:t[dh])>\s{0,40}<(?i:t[dh])")
_SPELLED: Final = "[^\\W\u3040-\u9fff\uac00-\ud7af]"  # of writings that part words
_EMPHASIS: Final = lazy_regex(
    rf"(?<![*_~\\<]|{_SPELLED})(?P<mark>\*{{1,3}}|~~|__(?=[A-Z0-9+])|_(?!_)|<(?P<tag>b|i|u|s|em|strong|mark|span|del|ins|code|kbd|samp|tt|q|cite|small)>)"
    rf"(?=[^\W_]|[\"'(+@#$/])(?P<words>[^\n*~<]{{1,200}}?)(?<![\s_])(?P<end>(?P=mark)|</(?P=tag)>)(?![*_~]|{_SPELLED})"
)
_WIDTHS: Final = {
    **dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F), " "),
    **{0xFF10 + digit: str(digit) for digit in range(10)},
}
_WIDE: Final = lazy_regex(f"[{''.join(map(chr, _WIDTHS))}]")
_UNSEEN_MARKS: Final = lazy_regex(
    r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u064b-\u0652\u0670]"
    r"|\u0640(?=[\u0620-\u064a])|(?P<narrow>[\xad\u200b-\u200d\u2060\ufeff]++)"
)
"""Marks of direction, the vowel marks of Arabic, and spaces of no width."""
_UNREAD: Final = lazy_regex(rf"(?<![^\n])(?:[ \t]{{0,3}}+>)++[ \t]?(?=[^\n])|{_UNSEEN_MARKS.pattern}")
"""These, and what quotes a line of a mail."""
_IN_PARTS: Final = lazy_regex(
    "[^\\W\\d_][\u0300-\u0345]+|[\u3046-\u30fd][\u3099\u309a]|[\u0627\u0648\u064a\u06c1\u06d2\u06d5][\u0653-\u0655]"
    "|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)
_PART: Final = lazy_regex("[\u0300-\u0345\u0653-\u0655\u1161-\u1175\u3099\u309a]")


def single(text: str) -> str:
    """Return a text with a single space for each of another width, and with narrow digits."""
    return text if text.isascii() or not _WIDE.search(text) else text.translate(_WIDTHS)


def layout(text: str, names_secret: Callable[[str], bool]) -> Iterator[Callable[[str], list[Disguise]]]:
    """Yield what finds one kind of layout each, one after the other, if the text may have it.

    In an answer ``end`` may be more than one character behind ``start``. All take linear time.
    """
    if "\r" in text or len(f"{text}x".splitlines()) - 1 > text.count("\n"):
        yield partial(_each, _BREAK, "\n")
    if "@@ -" in text:
        yield partial(_each, _CHANGED, "")
    if "</" in text or "<br" in text:
        rows = "<td" in text and _BETWEEN_CELLS.search(text) is None
        yield partial(_each, _TAGS_AND_ROWS if rows else _TAGS, "\n")
    if ">" in text or not text.isascii():
        yield _unread
    if any(map(text.__contains__, _QUOTES)):
        yield _string_lines
        yield _long_strings
    last = text.rstrip("\n")[-1:]
    if not text[:1].isalpha() or last in _SPACE_OR_BACKSLASH or (last > "~" and not last.isalpha()):
        yield _margins
    if "\n\n" in text:
        yield _double_spaced
    if "  " in text:
        yield _sentence_spaces
    if "\n" in text:
        yield _wrapped
    if any(map(text.__contains__, _OF_EMPHASIS)):
        yield partial(_emphasis, names_secret)
    if any(map(text.__contains__, _OF_PAIRS)):
        yield partial(_paired, names_secret)
    if not text.isascii() and _PART.search(text):
        yield _composed


def _each(pattern: re.Pattern[str], plain: str, text: str) -> list[Disguise]:
    return [Disguise(*match.span(), plain) for match in pattern.finditer(text)]


def _unread(text: str) -> list[Disguise]:
    """Return what nobody reads: a space of no width at white space or between letters; elsewhere it may part values."""
    return [
        Disguise(*match.span(), "")
        for match in (_UNREAD if ">" in text else _UNSEEN_MARKS).finditer(text)
        if not match["narrow"]
        or _is_unread(text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1])
    ]


def _is_unread(before: str, behind: str) -> bool:
    return not before.strip() or not behind.strip() or (before.isalpha() and behind.isalpha())


def _emphasis(names_secret: Callable[[str], bool], text: str) -> list[Disguise]:
    """Return marks around words.

    Those around what heads a line before its value stay (**Date of birth** 3 May 1961); around a secret tags of code
    are backticks.
    """
    edits = []
    for match in _EMPHASIS.finditer(text):
        before = _before(text, match.start(), _LONGEST_CUE)
        if match["tag"] in _TAGS_OF_CODE and names_secret(before):
            if "</" not in before:  # a label in tags of its own is read with them
                edits += [Disguise(*match.span("mark"), "`"), Disguise(*match.span("end"), "`")]
        elif not _heads(text, match) and not text.startswith((":<", ": <"), match.end()):
            edits += [Disguise(*match.span("mark"), ""), Disguise(*match.span("end"), "")]
        elif match["mark"].startswith("_"):  # glued to a word as no other mark is
            edits += [Disguise(*match.span("mark"), "*"), Disguise(*match.span("end"), "*")]
    return edits


def _before(text: str, place: int, most: int) -> str:
    """Return what stands before a place in its line, at most so many characters."""
    begin = max(0, place - most)
    return text[max(text.rfind("\n", begin, place) + 1, begin) : place]


def _heads(text: str, match: re.Match[str]) -> bool:
    """Return whether marked words head a line before its value."""
    end = match.end()
    return (
        not _before(text, match.start(), _WIDEST).strip("->|*+.)0123456789 \t")
        and text[end : end + 1] == " "
        and text[end + 1 : end + 2].isalnum()
        and not match["words"].endswith(":")
    )


def _paired(names_secret: Callable[[str], bool], text: str) -> list[Disguise]:
    """Return marks in pairs around words, those of code if a text has many; around a secret they are backticks."""
    pairs = [match for match in _PAIR.finditer(text) if _is_pair(text, match)]
    counts = Counter([match["open"][0] for match in pairs])
    edits = []
    for match in pairs:
        mark, (start, end) = match["open"][0], match.span("close")
        link = text.startswith("(", end)
        if names_secret(_before(text, match.start(), _LONGEST_CUE)):
            plain = "`"
        elif _heads(text, match) or (not link and counts[mark] < _FEWEST_PAIRS.get(mark, 1)):
            continue
        else:
            plain = ""
        edits.append(Disguise(*match.span("open"), plain))
        edits.append(Disguise(start - match["words"].endswith(" "), end, " " if link else plain))
    return edits


def few_quoted(text: str, names_secret: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Return the values with a capital in marks of code that a short text has too few of for layout: ask "Ada"."""
    if text.count(" ") > _SHORT or not any(mark in text for mark in _OF_CODE):
        return []
    pairs = [match for match in _PAIR.finditer(text) if match["open"] in _OF_CODE and _is_pair(text, match)]
    return [
        match.span("words")
        for match in pairs
        if match["words"][0].isupper()
        and not _WORDED.search(text, 0, match.start())
        and not names_secret(_before(text, match.start(), _LONGEST_CUE))
    ]


_SHORT: Final = 40  # spaces
_WORDED: Final = lazy_regex(r"(?i)\b(?:words?|terms?|strings?|letters|songs?|books?|films?|albums?|movies?|titled)\b")
"""What is said of words or works as such: the words "Ada" and "Rose"."""


def _is_pair(text: str, match: re.Match[str]) -> bool:
    """Return whether marks are a pair: but for quotes in writings of the East, which tell names, and for code."""
    opened, closed = [match[part].translate(_AS_ONE).strip() for part in ("open", "close")]
    start, end = match.span()
    is_link, is_name = text.startswith("(", end), opened[0] in _QUOTATION and match["words"][0] > "\u036f"
    spaced = match["words"].endswith(" ") == (match["space"] is not None)
    if opened != closed[::-1] or not spaced or is_name or (is_link and opened != "]"):
        return False
    if opened[0] in "=~" and match["space"]:
        return False  # x = y WHERE z = 1
    before = _before(text, start, _LONGEST_HEAD)
    if opened[0] in "]>":  # and no head of a line of a log
        return any(map(str.isalpha, _BRACKETED.sub("", before)))
    in_prose = before[-1:] == " " and before[:-1].rstrip(".,;")[-1:].isalnum() and _CALL.search(before) is None
    return match["open"][0] not in _OF_CODE or (in_prose and _GOES_ON.match(text, end) is not None)


_OPENING: Final = "[<\"'`=~\u2014{\u201c\u201e\xab\xbb\u2039\u203a\u2018\u201a\u300c\u3010"
_OF_PAIRS: Final = (*set(_OPENING) - {"'"}, " '")
_CLOSING: Final = "]>\"'`=~\u2014}\u201d\u201c\xbb\xab\u203a\u2039\u2019\u2018\u300d\u3011"
_AS_ONE: Final = str.maketrans(
    "`[<{\xab\u2039\u300c\u3010\u201c\u201e\u201d\u2018\u201a\u2019", "']>}\xbb\u203a\u300d\u3011\"\"\"'''"
)
_OF_CODE: Final = ("[", "<", '"', "'")
_TAGS_OF_CODE: Final = ("code", "kbd", "samp", "tt")
_QUOTATION: Final = "\"'\xbb\u203a\u300d\u3011"
_FEWEST_PAIRS: Final = {**dict.fromkeys(_OF_CODE, 4), "`": 2}
_OPEN, _CLOSE = re.escape(_OPENING), re.escape(_CLOSING)
_PAIR: Final = lazy_regex(
    rf"(?P<open>[{_OPEN}](?<![^\s(,;:/{_OPEN}].)[{_OPEN}]{{0,2}}+(?P<space> )?)(?=[\w(+@#$])"
    rf"(?P<words>(?:(?<=\w)['\u2019](?=\w)|[^\n{_OPEN}{_CLOSE}]){{1,120}}+)"
    rf"(?P<close>[{_CLOSE}]{{1,3}}+)(?![^\s{_CLOSE}.,;:!?)/(])"
)
_CALL: Final = lazy_regex(r"\w\(")
_GOES_ON: Final = lazy_regex(r" \w|[.,;!?)]?(?:\s|\Z)")
_BRACKETED: Final = lazy_regex(r"\[[^\[\]]{0,80}+\]|<[^<>]{0,80}+>")
_LONGEST_CUE, _LONGEST_HEAD = 40, 120
_OF_EMPHASIS: Final = ("*", "_", "~~", "</")


def _composed(text: str) -> list[Disguise]:
    written = [(match.span(), unicodedata.normalize("NFC", match[0])) for match in _IN_PARTS.finditer(text)]
    return [Disguise(*span, whole) for span, whole in written if len(whole) == 1]


def _string_lines(text: str) -> list[Disguise]:
    """Return the quotes around lines that are strings of a list or of a sum, and what parts these."""
    found = list(_STRING_LINE.finditer(text))
    if len(found) < _FEWEST_LINES:
        return []
    return [Disguise(*match.span(part), "") for match in found for part in ("before", "behind")]


def _long_strings(text: str) -> list[Disguise]:
    """Return the quotes around a string of more than one line, as ends of lines."""
    edits = []
    place = 0
    while (start := _STRING.search(text, place)) is not None:
        end = _ENDS[start["quote"][0]].search(text, start.end())
        if end is None:
            break
        place = end.end()
        if text.count("\n", start.end(), end.start()) + 1 >= _FEWEST_LINES:
            doubled = list(_DOUBLED.finditer(text, start.end(), end.start()))
            if text.count('"', start.end(), end.start()) != 2 * len(doubled):
                doubled = []
            edits.append(Disguise(*start.span("quote"), "\n"))
            edits += [Disguise(*match.span(), '"') for match in doubled]  # as CSV has quotes
            edits.append(Disguise(*end.span("quote"), "\n"))
    return edits


_SPACE_OR_BACKSLASH: Final = (" ", "\t", "\\")
_QUOTES: Final = ('"', "'")
_STRING_LINE: Final = lazy_regex(
    r"(?<![^\n])(?P<before>[ \t]{0,40}+(?P<quote>[\"']))(?P<line>(?:(?!(?P=quote)(?: ?[,:+\\]|\n|\Z))[^\n]){0,400}+)"
    r"(?P<behind>\n?(?P=quote) ?[,;+\\]?[ \t]{0,4})(?=\n|\Z)"
)
_STRING: Final = lazy_regex(
    r"(?:\A|(?<=[=(\[])|(?<=,)(?=\")|(?<==[ ])|(?<=[\"']:)|(?<=[\"']:[ ]))"
    r"(?P<quote>\"{3}|'{3}|[\"'](?=[\w\[(*#<])(?![^\"'\n]{1,40}[\"'] ?:))"
)
_DOUBLED: Final = lazy_regex('""')
_ENDS: Final = {
    mark: lazy_regex(
        rf"(?P<quote>{mark}{{3}}|(?<!{mark}){mark}(?=\s{{0,4}}(?:,\s{{0,4}}{mark}[^{mark}\n]{{1,40}}{mark} ?:"
        r"|[}\])\n;]|\Z)))"
    )
    for mark in _QUOTES
}


def _margins(text: str) -> list[Disguise]:
    """Return what all lines begin and end with that are not empty: white space, a mark, and numbers that count them."""
    lines = text.split("\n")
    full = [line for line in lines if line.strip()]
    marked = len(full) >= _FEWEST_LINES
    first, last = min(full, default=""), max(full, default="")
    match = (_MARGIN if marked else _SPACE).match(commonprefix([first, last]))
    indent = match.end() if match else 0
    counts = _counted(lines) if marked else []
    ends = [line[-_WIDEST:][::-1] for line in full] if marked else []
    behind = _ENDING.match(commonprefix([min(ends, default=""), max(ends, default="")]))
    margin = behind.end() if behind else 0
    starts = accumulate([len(line) + 1 for line in lines], initial=0)
    edits = []
    for line, start in zip(lines, starts, strict=False):
        if line.strip():
            before = counts.pop() if counts else indent
            edits += [Disguise(start, start + before, "")] if before else []
            if 0 < margin <= len(line) - before:
                edits.append(Disguise(start + len(line) - margin, start + len(line), ""))
    return edits


def _counted(lines: Sequence[str]) -> list[int]:
    """Return where numbers of lines end, from the last line to the first, if they count all lines from 0 or 1 on."""
    counts = [_COUNT.match(line) for line in lines if line]
    numbers = [int(match["number"]) for match in counts if match]
    follow = len(numbers) == len(counts) and numbers in (list(range(len(counts))), list(range(1, len(counts) + 1)))
    return [match.end() for match in reversed(counts) if match] if follow else []


_COUNT: Final = lazy_regex(r"[ \t]{0,8}+(?P<number>[0-9]{1,6})(?: ?[.:)|](?![0-9])[ \t]*+|\t[ \t]*+|[ ]{2,8}+|[ ]?\Z)")
_SIGN: Final = r"[^\w\s!-~\xa1-\xb6\xb8-\xbf\u2018-\u201f\u2039\u203a\u20a0-\u20cf\u2116]{1,3}+"
_MARGIN: Final = lazy_regex(
    rf"[ \t]*+(?:(?:///?|#|\*|\+|--|;|%)(?!\d)[ \t]*+|(?:-|{_SIGN})[ \t]++(?:\[[ x]\][ \t]++)?)?"
)
_SPACE: Final = lazy_regex(r"[ \t]*+")
_ENDING: Final = lazy_regex(rf"[ \t]*+(?:(?:\\|{_SIGN})[ \t]++)?")
_WIDEST: Final = 12
_FEWEST_LINES: Final = 4


def _wrapped(text: str) -> list[Disguise]:
    """Return the ends of lines of prose that were broken because the next word had no room, as spaces."""
    lines = text.split("\n")
    pairs = [
        (len(line), len(line) + len(following.split(" ", 1)[0]), following[0])
        if (following[:1].isalnum() or following[:1] in _OPENS) and " " in line and _NO_PROSE.search(line) is None
        else (0, 0, "")
        for line, following in pairwise(lines)
    ]
    flows = [(length, full) for length, full, first in pairs if first.isalpha() and not first.isupper()]
    width = max([length for length, _ in flows], default=0)
    wide = sum(full >= width for _, full in flows)
    if len(flows) < 2 or not _NARROWEST <= width <= _BROADEST or 5 * wide < 4 * len(flows):
        return []
    ends = accumulate([len(line) + 1 for line in lines])
    return [
        Disguise(end - 1, end, " ")
        for (_, full, _), end in zip(pairs, ends, strict=False)
        if full >= width and _BEGINS.match(text, end) is None
    ]


_OPENS: Final = ("(", '"', "'")
_NO_PROSE: Final = lazy_regex(r"  |[\t|\u3040-\u9fff]|[!?:;{})>]\Z")
_BEGINS: Final = lazy_regex(r"[\w -]{1,24}:|[0-9]{1,3}[.)] |[0-9]{1,2}[/:.][0-9]|[0-9]{4}-[0-9]{2}-")
"""How a field, an item of a list or a line of a log begins."""
_NARROWEST, _BROADEST = 50, 100


def _sentence_spaces(text: str) -> list[Disguise]:
    """Return the second of two spaces behind each sentence, if a text has no other gaps."""
    edits = []
    for gap in _GAP.finditer(text):
        start, end = gap.span()
        if end - start > 2 or text[start - 1] not in ".!?":
            return []
        edits.append(Disguise(end - 1, end, ""))
    return edits


_GAP: Final = lazy_regex(r"(?<=\S)[ ]{2,}+(?=\S)")


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
