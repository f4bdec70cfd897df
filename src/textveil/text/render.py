"""Writes released text from codes and draws: casing, and the place of each token.

Casing is a function of the text that is released, never of the input: a release of the same words with the
same spacing and punctuation is cased the same, whoever wrote what. A word that has a capital of its own
(in a vocabulary that has such words) keeps its letters as they are. Otherwise

- the words of ``ALWAYS_CAPITAL`` begin with a capital, and "i" is "I";
- so does the first word of the text and of a sentence: after '.', '!' or '?', closing quotes and
  brackets, and white space. Opening quotes, brackets, dashes and list marks may stand before it; a number
  or a placeholder may not;
- so does the first word of a line, unless the line goes on with the one before it: that one ends in a word, a
  number, a comma, a semicolon or a dash, and this one begins with no list mark.

Only the first letter of a word ever changes, and one character becomes one character.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.text.english import ALWAYS_CAPITAL
from textveil.text.patterns import lazy_regex
from textveil.text.tokens import PLACEHOLDERS, Kind
from textveil.types import Ids, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Legend:
    """Tokens that codes stand for; indexed by code. Words are written as released: with the capital that they keep."""

    written: NDArray[Any]  # the string that is released, an array of str
    lengths: Integers  # its length
    kinds: NDArray[np.int8]  # the kind of the token that the code begins; GOES_ON if it begins none


class EncodedTexts(NamedTuple):
    """Texts in a row: the codes of all, and where each begins in them and the last ends."""

    codes: NDArray[np.int64]
    bounds: NDArray[np.int64]


class WordPlaces(NamedTuple):
    """The words among codes."""

    indices: Ids  # where they stand, in order
    ids: Ids  # the vocabulary's id for each
    out_of_vocabulary: NDArray[np.bool_]  # for every code, whether it is a word that the vocabulary does not have


class NumberPlaces(NamedTuple):
    """The digits among codes, number by number; a number may be several tokens (``text.numbers``)."""

    indices: Ids  # where they stand, in order
    digits: Ids  # the value of each, in [0, 10)
    lengths: Ids  # how many of them belong to each number
    going_on: Ids  # where tokens begin that go on with a number begun by an earlier one
    zero: int  # the code of the digit 0 if it goes on with a number; the others follow


_KIND: Final = dict(enumerate(Kind)).__getitem__
_WRITTEN: Final = {word: word.capitalize() for word in sorted(ALWAYS_CAPITAL)}
_CLOSING: Final = "\"'\u2019\u201d\u00bb\u203a)\\]}"
_OPENING: Final = (
    "\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u00bf\u00a1({*_#>~\u2022\u00b7\u2013\u2014-"
)
_BRACKET: Final = rf"\[(?!(?:{'|'.join(text[1:-1] for text in PLACEHOLDERS.values())})\])"
_GAP: Final = r"[^\S\r\n]*+"  # within a line, so that every character is looked at once and time stays linear
_FIRST_WORD: Final = rf"{_GAP}(?:(?:[{_OPENING}]|{_BRACKET}){_GAP})*+([^\W\d_]++)"
_START_OF_TEXT: Final = lazy_regex(rf"\A{_FIRST_WORD}")
_GOES_ON: Final = r"[\w,;\-\u2013\u2014]"
_NEW_LINE: Final = rf"(?<=[\r\n])(?:(?<!{_GOES_ON}[\r\n])(?<!{_GOES_ON}\r\n)|(?={_GAP}[\-*>#\u2022\u00b7\u2013\u2014]))"
_START_OF_SENTENCE: Final = lazy_regex(rf"[.!?\u2026\r\n](?:{_NEW_LINE}|(?<![\r\n])[{_CLOSING}]*+(?=\s)){_FIRST_WORD}")
BLANK: Final = "\N{MATHEMATICAL BOLD DIGIT ZERO}"
"""Stands for "_", a word that is left out, until capitals are set: as after a number, none follows it."""

_OPEN: Final = "\N{MATHEMATICAL BOLD DIGIT ONE}"
_CONSTANTS: Final = str.maketrans({BLANK: "_", _OPEN: "["})


def label(name: str) -> str:
    """Return the name in brackets, as it stands for what is left out until capitals are set."""
    return f"{_OPEN}{name}]"


class Span(NamedTuple):
    """The characters ``text[start:end]`` of the released text, and the kind of the token they stand for."""

    start: int
    end: int
    kind: Kind


_SPAN: Final = partial(tuple.__new__, Span)  # a span of three values, made without the call of a function of Python's


def _with_capital(match: re.Match[str]) -> str:
    word = match[1]
    capital = word[0].upper()
    if not word.islower() or len(capital) != 1:
        return match[0]
    return match[0][: -len(word)] + capital + word[1:]


def written(surface: str) -> str:
    """Return a released surface with the capital that it has wherever it stands: "Monday", "I"."""
    return _WRITTEN.get(surface, surface)


def with_capitals(text: str) -> str:
    """``text``, its surfaces ``written`` already, with capitals where texts, sentences and lines begin."""
    text = _START_OF_TEXT.sub(_with_capital, text, count=1)
    text = _START_OF_SENTENCE.sub(_with_capital, text)
    return text.translate(_CONSTANTS) if BLANK in text or _OPEN in text else text


def render_text(surfaces: Iterable[str]) -> str:
    """Return the surfaces of a release in a row, cased by the rule at the top of this module."""
    return with_capitals("".join(map(written, surfaces)))


def spans(lengths: Integers, kinds: NDArray[Any]) -> list[Span]:
    """Return a span for each token of a released text, in order; they begin at 0, meet, and end at the text's end.

    ``kinds`` are of the token that each piece begins, or -1 if it goes on with the one before.
    """
    need(len(kinds) == len(lengths), "kinds", len(kinds), f"one for each of the {len(lengths)} lengths")
    firsts = (kinds >= 0).nonzero()[0]
    ends = lengths.cumsum()
    starts = (ends - lengths)[firsts].tolist()
    stops = [*starts[1:], int(ends[-1])] if starts else []
    return list(map(_SPAN, zip(starts, stops, map(_KIND, kinds[firsts].tolist()), strict=True)))


class WrittenText(NamedTuple):
    """A text as it is released, with the spans of its tokens if they were asked for."""

    text: str
    spans: tuple[Span, ...]


def with_draws(codes: Integers, words: WordPlaces, ids: Ids, numbers: NumberPlaces, digits: Ids) -> Integers:
    """Return the codes with drawn ``ids`` in the places of words and drawn ``digits`` in those of numbers."""
    drawn = codes.copy()
    drawn[words.indices] = ids
    if len(digits):
        drawn[numbers.indices] = digits + numbers.zero
    return drawn


def written_texts(
    drawn: EncodedTexts, legend: Legend, kinds: NDArray[np.int8], *, with_spans: bool
) -> list[WrittenText]:
    """Return the releases of all texts, of codes ``with_draws``; spans double the time.

    ``kinds`` are of the token that each code begins, -1 elsewhere.
    """
    strings = legend.written[drawn.codes].tolist()
    written = []
    for start, stop in pairwise(drawn.bounds.tolist()):
        drawn_spans = spans(legend.lengths[drawn.codes[start:stop]], kinds[start:stop]) if with_spans else ()
        written.append(WrittenText(with_capitals("".join(strings[start:stop])), tuple(drawn_spans)))
    return written
