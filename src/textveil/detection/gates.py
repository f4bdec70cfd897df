"""Gates: what tells in little time that a search of the embedded detector can find nothing in a text.

Most texts hold no card number and no address. A gate reads what one glance at the text has gathered: its words, and the
surroundings of its digits. It may let a text through in which its search finds nothing, and never the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias, final

from textveil.text.patterns import lazy_regex
from textveil.text.slices import search

BEFORE_DIGITS: Final = 8
AFTER_DIGITS: Final = 12
LONG_RUN: Final = 14

CUT: Final = r"(?:\0|\A|\Z)"
"""Matches where the surroundings of a group of digits begin or end."""

_DIGITS: Final = lazy_regex(f"[0-9]++(?:[^0-9]{{1,{BEFORE_DIGITS + AFTER_DIGITS}}}+[0-9]++)*+")
"""Groups of digits whose surroundings meet are one, so that what is gathered is no longer than the text."""
_LETTERS: Final = bytes(code if chr(code).islower() and code < 0x80 else 0x20 for code in bytes(range(256)).lower())


_RUNS: Final = re.compile(b"[a-z]++")
_FEW: Final = 12
"""Words up to which a text is searched for each of them: that is faster than to look at each of its words."""


@final
class Seen(NamedTuple):
    """What a glance at a plain text shows.

    Attributes:
        digits: every group of digits, with the 8 characters before it and the 12 behind it, or all up to the next.
        words: every run of letters, in small letters.
        runs: every run of 14 characters at least without white space.
    """

    digits: str
    words: frozenset[bytes]
    runs: str


Gate: TypeAlias = Callable[[str, Seen], object]
"""False for a plain text, parts of which may be covered by now, only where a search finds nothing in it."""


def glance(text: str) -> Seen:
    """What gates look at, gathered once, before anything is covered."""
    groups = map(re.Match.span, _DIGITS.finditer(text))
    around = [text[max(0, start - BEFORE_DIGITS) : end + AFTER_DIGITS] for start, end in groups]
    return Seen("\0".join(around), words_of(text), " ".join([run for run in text.split() if len(run) >= LONG_RUN]))


def places_of(text: str, words: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    """Where runs of letters stand that are among these words, by start.

    Args:
        text: a plain text.
        words: in small letters.
    """
    letters = text.encode("latin-1").translate(_LETTERS)
    present = words.intersection(letters.split())
    if len(present) > _FEW:
        return (run.span() for run in _RUNS.finditer(letters) if run[0] in present)
    whole = b" " + letters + b" "
    return iter(sorted(place for word in present for place in _places(whole, word)))


def _places(letters: bytes, word: bytes) -> Iterator[tuple[int, int]]:
    """Where a word stands between spaces, less the space that the letters begin with."""
    spaced = b" " + word + b" "
    place = letters.find(spaced)
    while place >= 0:
        yield place, place + len(word)
        place = letters.find(spaced, place + 1)


def words_of(text: str) -> frozenset[bytes]:
    """Every run of letters of a plain text, in small letters: bytes, which are cut four times as fast as strings."""
    return frozenset(text.encode("latin-1").translate(_LETTERS).split())


def anywhere(text: str, seen: Seen) -> bool:
    """The gate of a search that may find something in any text."""
    return True


def at_digits(pattern: str) -> Gate:
    """The gate of a search that finds something only where this pattern matches in a digit's surroundings."""
    compiled = re.compile(pattern)
    return lambda text, seen: search(compiled, seen.digits)


def matching(pattern: str) -> Gate:
    """The gate of a search that finds something only where this pattern, which must be a fast one, matches."""
    compiled = re.compile(pattern)
    return lambda text, seen: search(compiled, text)


def in_runs(pattern: str) -> Gate:
    """The gate of a search that finds something only where this pattern matches in a long run."""
    compiled = re.compile(pattern)
    return lambda text, seen: search(compiled, seen.runs)


def with_words(words: str, *, begun_by: str = "") -> Gate:
    """The gate of a search that finds something only in a text with one of these words.

    Args:
        words: in small letters, parted by spaces.
        begun_by: letters of which one stands before each of them; none where they are whole.
    """
    unseen = joined_words(words, begun_by).isdisjoint
    return lambda text, seen: not unseen(seen.words)


def joined_words(words: str, begun_by: str = "") -> frozenset[bytes]:
    """The words that ``with_words`` looks for."""
    return frozenset((first + word).encode("ascii") for word in words.split() for first in begun_by or ("",))


def holding(*pieces: str) -> Gate:
    """The gate of a search that finds something only in a text that holds one of these pieces."""
    return lambda text, seen: any(map(text.__contains__, pieces))


def either(first: Gate, second: Gate) -> Gate:
    """The gate of a search that finds something only where one of two gates is open."""
    return lambda text, seen: first(text, seen) or second(text, seen)


def both(first: Gate, second: Gate) -> Gate:
    """The gate of a search that finds something only where two gates are open."""
    return lambda text, seen: first(text, seen) and second(text, seen)
