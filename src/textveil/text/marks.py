"""White space and punctuation in plain form: the two things that a release shows unchanged can carry data.

A pattern of thin spaces, a row of odd symbols or a quotation mark of one country tells more than a reader sees.
So by default

- punctuation and currency signs become ASCII marks by ``plain_mark``; what has no such mark is dropped, and a
  space stands for it if words would touch otherwise, or a word and an apostrophe, which joins words;
- tokens that cannot be seen (zero-width spaces, byte order and direction marks that stand alone) are dropped too;
- white space is one space, or one or two line ends if it holds as many or more; carriage returns, tabs, thin
  and no-break spaces, indents and spaces at the end of a line vanish in these;
- of marks in a row the first three stay, the same or mixed.

What comes out beside words, digits and placeholders is then one of ``PLAIN``. All of this looks at kinds of
tokens, white space and punctuation alone, which are public, so it moves no guarantee.

``codes`` does this for texts whose words are drawn; the functions on strings do it for texts whose words stay.
"""

import string
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from textveil.cuts import replaced
from textveil.errors import need
from textveil.text.patterns import CharacterTable, lazy_regex
from textveil.text.tokens import Kind, tokenize
from textveil.types import Flags, Ids, Integers

Marks: TypeAlias = Literal["normalize", "keep"]
"""The treatment of white space and punctuation: put into plain form, or released as they are."""

MARKS: Final[tuple[Marks, ...]] = ("normalize", "keep")
PLAIN: Final = f" \n{string.punctuation}"  # white space and marks that a release in plain form can hold
LONGEST_RUN: Final = 3  # marks in a row that stay
_LINE_ENDS: Final = 2
DROPPED: Final = "\N{INVERTED QUESTION MARK}"  # stands, until the texts are put together, for a mark that is dropped

_TABLE: Final = MappingProxyType(
    {
        mark: plain
        for plain, marks in {
            '"': "\u05f4\u2033\u2036\u2057\u300a\u300b\u300c\u300d\u300e\u300f\u301d\u301e\u301f\u201e\uff62\uff63",
            "'": "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u2035\u05f3\u055a\u3008\u3009",
            "*": "\u00b7\u0387\u2020\u2021\u2022\u2023\u2027\u203b\u2042\u204e\u2051\u30fb\uff65",
            "-": "\u2043\u30a0",
            ",": "\u060c\u055d\u07f8\u1363\u1802\u1808\u104a\u3001\uff64\ufe11\ufe51\ua4fe",
            ";": "\u061b\u1364\u204f",
            ":": "\u1365",
            ".": "\u06d4\u0589\u0701\u0702\u0964\u0965\u104b\u1362\u1803\u1809\u17d4\u17d5\u3002\uff61\ufe12\ua4ff",
            "?": "\u061f\u055e\u1367",
            "!": "\u055c\u1944",
            "%": "\u066a\u2030\u2031\u0609\u060a",
            "~": "\u2053\u301c",
            "&": "\u204a",
            "#": "\u00a7\u00b6",
        }.items()
        for mark in marks
    }
)

_BY_CATEGORY: Final = MappingProxyType({"Pd": "-", "Ps": "(", "Pe": ")", "Pi": '"', "Pf": '"', "Pc": "_", "Sc": "$"})


def plain_mark(mark: str) -> str:
    """Return the ASCII marks for a character of punctuation or a currency sign; ``DROPPED`` if it has none.

    In order: ASCII stays; a closed table (quotes of all kinds, bullets, the stops and commas of other writings);
    the compatibility form if that is ASCII punctuation (full-width forms, the ellipsis); then by category dashes
    are "-", brackets "(" and ")", quotes '"', connectors "_", currency signs "$". All else is dropped.
    """
    if mark.isascii():
        return mark
    if mark in _TABLE:
        return _TABLE[mark]
    compatible = unicodedata.normalize("NFKC", mark)
    if set(compatible) <= set(string.punctuation):
        return compatible
    return _BY_CATEGORY.get(unicodedata.category(mark), DROPPED)


_KNOWN: Final = 1 << 13


def _plain_character(character: str) -> str:
    category = unicodedata.category(character)
    return plain_mark(character) if category[0] == "P" or category == "Sc" else character


_PLAIN_MARKS: Final = CharacterTable(_plain_character, _KNOWN)
# ASCII stands there already: a call for each letter would take as long as all else.
_PLAIN_MARKS.update({code: chr(code) for code in range(128)})


def with_plain_marks(text: str) -> str:
    """Return the text with ``plain_mark`` of every mark in it; all other characters stay."""
    return text if text.isascii() else text.translate(_PLAIN_MARKS)


def is_unseen(surface: str) -> bool:
    """Return whether a token shows nothing: format characters alone."""
    return all(unicodedata.category(character) == "Cf" for character in surface)


def checked_marks(marks: Marks) -> Marks:
    """Return ``marks``. Raises ParameterError if it is none of ``MARKS``."""
    need(marks in MARKS, "marks", marks, " or ".join(MARKS))
    return marks


BLANK, MARK, ODD = 1, 2, 3  # a space or a line end; punctuation; other white space, and whatever is dropped
_TWO_BLANKS: Final = bytes([BLANK] * 2)
_TOO_MANY_MARKS: Final = bytes([MARK] * (LONGEST_RUN + 1))


def is_plain(forms: bytes) -> bool:
    """Return whether ``plain_gaps`` and ``short_runs`` would change nothing, 20 times as fast as they."""
    return not (ODD in forms or _TWO_BLANKS in forms or _TOO_MANY_MARKS in forms)


def single_spaces(codes: Integers, forms: bytes, space: int, line_end: int) -> Integers | None:
    """Return what ``plain_gaps`` and ``short_runs`` do, ten times as fast, if one space for many is all; else None."""
    if ODD in forms or _TOO_MANY_MARKS in forms or line_end in codes:
        return None
    keep = codes != space
    keep[1:] |= keep[:-1]
    keep[0] = True
    return codes[keep]


def plain_gaps(
    codes: Integers,
    bounds: Ids,
    blank: Flags,
    mark: Flags,
    vanishing: Flags,
    *,
    space: int,
    line_end: int,
    apostrophe: int,
) -> tuple[Integers, Flags]:
    """Return the codes with every run of white space in plain form, and which of them stay.

    ``bounds`` are where each text begins and the last ends; ``vanishing`` codes are dropped, and blank too.
    """
    keep = np.ones(len(codes), dtype=np.bool_)
    begins = _begins(bounds, len(codes))
    later = blank.copy()
    later[1:] &= blank[:-1]
    later &= ~begins
    member = later | (blank & (codes != space) & (codes != line_end))
    member[:-1] |= later[1:]
    places = np.flatnonzero(member)
    if len(places) == 0:
        return codes, keep
    starts = np.flatnonzero(~later[places])
    first, last = places[starts], places[np.append(starts[1:], len(places)) - 1]
    lines = np.minimum(np.add.reduceat(codes[places] == line_end, starts, dtype=np.int64), _LINE_ENDS)
    seen = np.add.reduceat(~vanishing[places], starts, dtype=np.int64) > 0
    solid = np.concatenate([[False], ~(blank | mark) | (codes == apostrophe), [False]])  # by place + 1
    edges = np.append(begins, True)
    parts = (solid[first] & ~edges[first]) & (solid[last + 2] & ~edges[last + 1])
    codes = codes.copy()
    codes[places] = line_end
    codes[first[lines == 0]] = space
    keep[places] = False
    keep[first[(lines > 0) | seen | parts]] = True
    keep[first[lines == _LINE_ENDS] + 1] = True
    return codes, keep


def short_runs(bounds: Ids, mark: Flags) -> Flags:
    """Return which codes stay if the first ``LONGEST_RUN`` marks of a run do; texts lie between ``bounds``."""
    keep = np.ones(len(mark), dtype=np.bool_)
    longer = mark[LONGEST_RUN:].copy()
    for shift in range(LONGEST_RUN):
        longer &= mark[shift : shift - LONGEST_RUN]
    if not longer.any():  # as in most texts; borders between texts are not even looked at
        return keep
    places = np.flatnonzero(mark)
    fresh = np.diff(places, prepend=-2) > 1
    fresh |= _begins(bounds, len(mark))[places]
    order = np.arange(len(places))
    rank = order - np.maximum.accumulate(np.where(fresh, order, 0))
    keep[places[rank >= LONGEST_RUN]] = False
    return keep


def single_constants(codes: Integers, bounds: Ids, constant: Flags, space: int) -> Flags:
    """Return which codes stay if one constant stands for a run of equal ones, side by side or with a space between."""
    keep = np.ones(len(codes), dtype=np.bool_)
    if len(codes) < 2:
        return keep
    begins = _begins(bounds, len(codes))
    beside = constant[1:] & (codes[1:] == codes[:-1]) & ~begins[1:]
    keep[1:] = ~beside
    behind = constant[2:] & (codes[2:] == codes[:-2]) & (codes[1:-1] == space) & ~begins[2:] & ~begins[1:-1]
    keep[2:] &= ~behind
    keep[1:-1] &= ~behind
    return keep


def _begins(bounds: Ids, size: int) -> Flags:
    begins = np.zeros(size, dtype=np.bool_)
    begins[bounds[bounds < size]] = True
    return begins


# What a text in plain form has nowhere; most texts have it nowhere.
_ODD: Final = lazy_regex(r"[^\w\s!-~]|[^\S\n ]|[ \n]{2}|[!-/:-@\[-`{-~]{4}")


class Edit(NamedTuple):
    """The characters ``text[start:end]`` become ``plain``."""

    start: int
    end: int
    plain: str


class _Part(NamedTuple):
    """A token: ``plain`` is what it becomes, None if white space is decided on as a whole."""

    start: int
    end: int
    plain: str | None
    solid: bool = False

    @property
    def joins(self) -> bool:
        """Tell whether it must not touch what stood apart from it: another word, or an apostrophe."""
        return self.solid or self.plain == "'"


def plain_text(text: str, after_solid: bool = False, before_solid: bool = False) -> str:
    """Return ``text`` with all its ``plain_edits``."""
    return replaced(text, plain_edits(text, after_solid, before_solid))


def plain_edits(text: str, after_solid: bool = False, before_solid: bool = False) -> list[Edit]:
    """Return what changes if the white space and marks of a text are put into plain form, in order.

    ``after_solid``, ``before_solid``: whether something that is neither stands before or behind the text.
    """
    if _ODD.search(text) is None:
        return []
    edits: list[Edit] = []
    run, solid = 0, after_solid
    groups = [(blank, list(parts)) for blank, parts in groupby(_parts(text), key=lambda part: part.plain is None)]
    for place, (blank, parts) in enumerate(groups):
        if blank:
            following = groups[place + 1][1][0].joins if place + 1 < len(groups) else before_solid
            plain = _gap(text, parts, between=solid and following)
            _edit(edits, text, parts[0].start, parts[-1].end, plain)
            run, solid = (0 if plain else run), (solid and not plain)
            continue
        for part in parts:
            stays = part.plain or ""
            if part.solid:
                run = 0
            else:
                stays = stays[: max(0, LONGEST_RUN - run)]
                run += len(part.plain or "")
                _edit(edits, text, part.start, part.end, stays)
            solid = part.joins
    return edits


def _parts(text: str) -> Iterator[_Part]:
    for start, end, kind in tokenize(text):
        surface = text[start:end]
        if kind is Kind.PUNCTUATION:
            mark = plain_mark(surface)
            yield _Part(start, end, None if mark == DROPPED else mark)
        elif kind is Kind.SPACE or (kind is Kind.SYMBOL and is_unseen(surface)):
            yield _Part(start, end, None)
        else:
            yield _Part(start, end, surface, solid=True)


def _gap(text: str, parts: list[_Part], *, between: bool) -> str:
    shown = text[parts[0].start : parts[-1].end]
    if lines := min(shown.count("\n"), _LINE_ENDS):
        return "\n" * lines
    return " " if between or any(text[part.start].isspace() for part in parts) else ""


def _edit(edits: list[Edit], text: str, start: int, end: int, plain: str) -> None:
    if text[start:end] != plain:
        edits.append(Edit(start, end, plain))
