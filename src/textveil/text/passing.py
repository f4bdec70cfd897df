"""Public words that a release shows as they are, and how a token must be written to be one of them.

Whether a token is one depends on its letters, their case and, for a capital, on the marks and spaces before it: on no
other word.
"""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.text.english import FUNCTION_WORDS, NAMES_TOO
from textveil.types import Flags, Ids

OTHER, BETWEEN, STOP, LINE_END = range(4)
"""What a code is to the word behind it: a word, number or other mark; a space, quote or bracket; the end of a sentence;
the end of a line."""

_STOPS: Final = frozenset(".!?\u2026")
_LINE_ENDS: Final = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_BETWEEN: Final = frozenset(
    "\"'\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a\u00bf\u00a1"
    "()[]{}*_#>~\u2022\u00b7\u2013\u2014-"
)


class Passing(NamedTuple):
    """Words that pass."""

    kind: str  # of their tokens, in counts and policies
    words: tuple[str, ...]  # in lower case, sorted
    # how a token is written that is one, wherever it stands, with the word's place in ``words``
    anywhere: Mapping[str, int]
    at_starts: Mapping[str, int]  # how it is written where it is one only at the start of a sentence


def passing_common_words(words: Collection[str], names: Collection[str]) -> Passing:
    """Return common words, with a capital at the start of a sentence alone and unless it makes a name; "I" too."""
    ordered = tuple(sorted(words))
    anywhere = {word: place for place, word in enumerate(ordered)}
    at_starts = {word[:1].upper() + word[1:]: place for place, word in enumerate(ordered) if word not in names}
    firsts = {word: at_starts.pop(word) for word in list(at_starts) if word == "I" or word.startswith("I'")}
    return Passing("common-word", ordered, anywhere | firsts, at_starts)


_FUNCTION: Final = tuple(sorted(FUNCTION_WORDS))

PASSING_FUNCTION_WORDS: Final = Passing(
    "function-word",
    _FUNCTION,
    {
        form: place
        for place, word in enumerate(_FUNCTION)
        for form in (word, word[:1].upper() + word[1:])
        if form == word or word not in NAMES_TOO
    },
    {},
)
"""Function words in lower case, or with their first letter alone a capital ("The", not "WHO"; not "Will", a name)."""


def role(character: str, *, blank: bool) -> int:
    """Return what a mark, or a space if ``blank``, is to the word behind it."""
    if blank:
        return LINE_END if character in _LINE_ENDS else BETWEEN
    return STOP if character in _STOPS else BETWEEN if character in _BETWEEN else OTHER


def begin_sentences(roles: NDArray[np.uint8], bounds: Ids, places: Ids) -> Flags:
    """Return whether each of some places is where a sentence begins: told by public marks and spaces alone.

    A text and a line begin a sentence; so does what follows a full stop, "!" or "?" and a space. Quotes, brackets and
    dashes may stand between.
    """
    last = np.arange(len(roles))
    last[roles == BETWEEN] = -1
    np.maximum.accumulate(last, out=last)
    before = np.where(places > 0, last[places - 1], -1)
    first = before < bounds[np.searchsorted(bounds, places, side="right") - 1]
    before_roles = roles[before]
    return first | (before_roles == LINE_END) | ((before_roles == STOP) & (before < places - 1))
