"""Gates: what tells in little time that a search of the embedded detector can find nothing in a text.

Most texts hold no card number and no address. A gate reads what one glance at the text has gathered: its words, and the
surroundings of its digits. It may let a text through in which its search finds nothing, and never the other way round.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import accumulate, chain
from typing import Final, Literal, NamedTuple, Protocol

from textveil.text.patterns import check_time, lazy_regex, matches, search

BEFORE_DIGITS: Final = 8
AFTER_DIGITS: Final = 12
LONG_RUN: Final = 14

CUT: Final = r"(?:\0|\A|\Z)"
"""Matches where the surroundings of a group of digits begin or end."""

_DIGITS: Final = lazy_regex(f"[0-9]++(?:[^0-9]{{1,{BEFORE_DIGITS + AFTER_DIGITS}}}+[0-9]++)*+")
"""Groups of digits whose surroundings meet are one, so that what is gathered is no longer than the text."""
_LETTERS: Final = bytes([code if chr(code).islower() and code < 0x80 else 0x20 for code in bytes(range(256)).lower()])
_RUNS: Final = re.compile(b"[a-z]++")
_FEW: Final = 12
"""Words up to which a text is searched for each of them: that is faster than to look at each of its words."""


class Seen(NamedTuple):
    """What a glance at a plain text shows."""

    digits: str  # every group of digits, with the 8 characters before it and the 12 behind it, or all up to the next
    words: frozenset[bytes]  # every run of letters, in small letters
    runs: str  # every run of 14 characters at least without white space


class Gate(Protocol):
    """Tells where a search can find nothing: of one text, and of many at once."""

    def __call__(self, text: str, seen: Seen) -> object:
        """False for a plain text, parts of which may be covered by now, only where a search finds nothing in it."""

    def among(self, texts: Together) -> Collection[int]:
        """Return the numbers of the texts in which it is open, and perhaps of more."""


class Together:
    """Plain texts side by side, so that a gate looks at all of them in one go.

    What matches in a text matches in the row too, in front of which a zero byte stands like before any other.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.seen = [glance(text) for text in texts]
        self.whole = _Row(texts)
        self.digits = _Row([seen.digits for seen in self.seen])
        self.runs = _Row([seen.runs for seen in self.seen])
        self.with_word: dict[bytes, list[int]] = {}
        for number, seen in enumerate(self.seen):
            for word in seen.words:
                self.with_word.setdefault(word, []).append(number)
        self.words = frozenset(self.with_word)


class _Row:
    def __init__(self, strings: Sequence[str]) -> None:
        self._text = "\0".join(["", *strings])
        self._starts = [0, *accumulate(len(string) + 1 for string in strings)]

    def matching(self, pattern: re.Pattern[str]) -> list[int]:
        """Return the numbers of the strings in which a pattern matches, or begins to."""
        numbers, start = [], 0
        while (match := next(matches(pattern, self._text, start), None)) is not None:
            numbers.append(bisect_right(self._starts, match.start()) - 1)
            start = self._starts[numbers[-1] + 1]
        return numbers

    def holding(self, piece: str) -> list[int]:
        """Return the numbers of the strings that hold a piece."""
        numbers, place = [], self._text.find(piece)
        while place >= 0:
            numbers.append(bisect_right(self._starts, place) - 1)
            place = self._text.find(piece, self._starts[numbers[-1] + 1])
        return numbers


def opened(gates: Sequence[Gate], texts: Together) -> list[list[int]]:
    """For each text the numbers of the gates that are open, in order."""
    open_in: list[list[int]] = [[] for _ in texts.texts]
    for number, gate in enumerate(gates):
        check_time()
        for text in gate.among(texts):
            open_in[text].append(number)
    return open_in


def glance(text: str) -> Seen:
    """Return what gates look at, gathered once, before anything is covered."""
    groups = map(re.Match.span, _DIGITS.finditer(text))
    around = [text[max(0, start - BEFORE_DIGITS) : end + AFTER_DIGITS] for start, end in groups]
    pieces = text.split()
    long = max(map(len, pieces), default=0) >= LONG_RUN  # as in few texts
    runs = " ".join([run for run in pieces if len(run) >= LONG_RUN]) if long else ""
    return Seen("\0".join(around), words_of(text), runs)


def places_of(text: str, words: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    """Yield where runs of letters stand that are among these words in small letters, by start."""
    letters = text.encode("latin-1").translate(_LETTERS)
    present = words.intersection(letters.split())
    if len(present) > _FEW:
        return (run.span() for run in _RUNS.finditer(letters) if run[0] in present)
    whole = b" " + letters + b" "
    return iter(sorted(place for word in present for place in _places(whole, word)))


def _places(letters: bytes, word: bytes) -> Iterator[tuple[int, int]]:
    spaced = b" " + word + b" "
    place = letters.find(spaced)
    while place >= 0:
        yield place, place + len(word)
        place = letters.find(spaced, place + 1)


def words_of(text: str) -> frozenset[bytes]:
    """Every run of letters of a plain text, in small letters: bytes, which are cut four times as fast as strings.

    Of any other text (``scripts``) those of Latin letters.
    """
    return frozenset(text.encode("latin-1", "replace").translate(_LETTERS).split())


class _Anywhere:
    def __call__(self, text: str, seen: Seen) -> bool:
        return True

    def among(self, texts: Together) -> Collection[int]:
        return range(len(texts.texts))


anywhere: Final = _Anywhere()
"""The gate of a search that may find something in any text."""


class _Matching:
    def __init__(self, pattern: str, part: Literal["whole", "digits", "runs"]) -> None:
        self._pattern, self._part = lazy_regex(pattern), part

    def __call__(self, text: str, seen: Seen) -> object:
        return search(self._pattern, text if self._part == "whole" else getattr(seen, self._part))

    def among(self, texts: Together) -> Collection[int]:
        row: _Row = getattr(texts, self._part)
        return row.matching(self._pattern)


def at_digits(pattern: str) -> Gate:
    """Return the gate of a search that finds something only where this pattern matches in a digit's surroundings."""
    return _Matching(pattern, "digits")


def matching(pattern: str) -> Gate:
    """Return the gate of a search that finds something only where this pattern, which must be a fast one, matches."""
    return _Matching(pattern, "whole")


def in_runs(pattern: str) -> Gate:
    """Return the gate of a search that finds something only where this pattern matches in a long run."""
    return _Matching(pattern, "runs")


class WithWords:
    """The gate of a search that finds something only in a text with one of the words, in small letters."""

    def __init__(self, words: Callable[[], frozenset[bytes]]) -> None:
        self._words = words

    def __call__(self, text: str, seen: Seen) -> bool:
        """See ``Gate``."""
        return not self._words().isdisjoint(seen.words)

    def among(self, texts: Together) -> Collection[int]:
        """See ``Gate``."""
        met = texts.words.intersection(self._words())
        return set(chain.from_iterable(map(texts.with_word.__getitem__, met)))


def with_words(words: str, *, begun_by: str = "") -> Gate:
    """Return the gate of a search that finds something only in a text with one of these words, parted by spaces.

    If ``begun_by`` holds letters, one of them stands before each word.
    """
    known = joined_words(words, begun_by)
    return WithWords(lambda: known)


def joined_words(words: str, begun_by: str = "") -> frozenset[bytes]:
    """Return the words that ``with_words`` looks for."""
    begun = [first + word for word in words.split() for first in begun_by] if begun_by else [words]
    return frozenset(" ".join(begun).encode("ascii").split())


class _Holding:
    def __init__(self, pieces: Sequence[str], part: Literal["whole", "runs"]) -> None:
        self._pieces, self._part = tuple(pieces), part

    def __call__(self, text: str, seen: Seen) -> object:
        return any(map((text if self._part == "whole" else seen.runs).__contains__, self._pieces))

    def among(self, texts: Together) -> Collection[int]:
        row: _Row = getattr(texts, self._part)
        return set(chain.from_iterable(map(row.holding, self._pieces)))


def holding(*pieces: str) -> Gate:
    """Return the gate of a search that finds something only in a text that holds one of these pieces."""
    return _Holding(pieces, "whole")


def holding_in_runs(*pieces: str) -> Gate:
    """The gate of a search that finds something only in a text with a long run that holds one of these pieces."""
    return _Holding(pieces, "runs")


class _OfTwo:
    def __init__(self, first: Gate, second: Gate, *, both: bool) -> None:
        self._first, self._second, self._both = first, second, both

    def __call__(self, text: str, seen: Seen) -> object:
        first = self._first(text, seen)
        return self._second(text, seen) if bool(first) is self._both else first

    def among(self, texts: Together) -> Collection[int]:
        first, second = set(self._first.among(texts)), self._second.among(texts)
        return first.intersection(second) if self._both else first.union(second)


def either(first: Gate, second: Gate) -> Gate:
    """Return the gate of a search that finds something only where one of two gates is open."""
    return _OfTwo(first, second, both=False)


def both(first: Gate, second: Gate) -> Gate:
    """Return the gate of a search that finds something only where two gates are open."""
    return _OfTwo(first, second, both=True)
