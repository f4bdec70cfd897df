"""A text and its release side by side: stretches that are equal, values that were drawn, and likely names that stay."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

_SINGLE: Final = "\u3040-\u30ff\u3400-\u9fff"  # each letter of these scripts is a token
_RUN: Final = rf"(?:(?![{_SINGLE}])\w)+"
_TOKEN: Final = re.compile(rf"[{_SINGLE}]|{_RUN}(?:[-.@_/:'\u2019](?!s\b){_RUN})*|\s+|[\s\S]")
_JOINING: Final = re.compile(r"[^\S\n]+|[-.@_/:'\u2019]")
"""Matches the text that may stand between two changes of one value."""
_ROW: Final = 8  # tokens in a row by which long texts are laid side by side
_SMALL: Final = 40_000  # tokens times tokens that are compared one by one


class Piece(NamedTuple):
    """A stretch of a text and of its release."""

    was: str
    now: str
    kinds: tuple[tuple[int, int, str], ...] = ()  # of a drawn one: its spans, from the start of ``was``
    guess: str = ""  # the kind that it seems to be of: a likely name that stays

    @property
    def drawn(self) -> bool:
        """True if a value was drawn here, or words changed; not if white space or marks alone did."""
        return bool(self.kinds) or (self.was != self.now and any(map(str.isalnum, self.was + self.now)))


class _Change(NamedTuple):
    start: int  # in the text
    end: int
    grown: int  # by how many characters the release is longer
    kinds: tuple[tuple[int, int, str], ...] = ()


def compared(
    text: str, released: str, spans: Iterable[Any] = (), guesses: Iterable[Any] = (), *, by_word: bool = False
) -> list[Piece]:
    """Return the pieces of a text and its release, which put together are both.

    Args:
        text: private.
        released: what it became.
        spans: what was found and drawn, by start; neighbors that changed besides are one value ("Maria Gonzalez").
        guesses: likely names that were not drawn.
        by_word: whether the release was drawn word by word.
    """
    changes = [*_by_word(text, released)] if by_word else [*_by_difference(text, released)]
    named = [_Change(span.start, span.end, 0, ((span.start, span.end, span.kind),)) for span in spans]
    joined = _joined(text, sorted([*changes, *named]), by_word=by_word)
    pieces: list[Piece] = []
    likely = sorted(guesses)
    at = place = 0
    for change in [*joined, _Change(len(text), len(text), 0)]:
        length = change.start - at
        pieces += _kept(text[at : change.start], at, likely)
        end = place + length + change.end - change.start + change.grown
        kinds = tuple((start - change.start, stop - change.start, kind) for start, stop, kind in change.kinds)
        pieces.append(Piece(text[change.start : change.end], released[place + length : end], kinds))
        at, place = change.end, end
    return [piece for piece in pieces if piece.was or piece.now]


def _kept(stretch: str, first: int, guesses: Sequence[Any]) -> Iterator[Piece]:
    done = 0
    for guess in guesses:
        start, end = guess.start - first, guess.end - first
        if done <= start and end <= len(stretch):
            yield Piece(stretch[done:start], stretch[done:start])
            yield Piece(stretch[start:end], stretch[start:end], guess=guess.kind)
            done = end
    yield Piece(stretch[done:], stretch[done:])


def _joined(text: str, changes: Sequence[_Change], *, by_word: bool) -> list[_Change]:
    """Return changes that share no character; what a span holds is one, as are neighbors beside no span."""
    joined: list[_Change] = []
    for change in changes:
        last = joined[-1] if joined else None
        if last is not None and (
            change.start < last.end
            or (change.start == last.end and (change.start == change.end or last.start == last.end))
            or (not by_word and not (change.kinds or last.kinds) and _JOINING.fullmatch(text, last.end, change.start))
        ):
            joined[-1] = _Change(
                last.start, max(last.end, change.end), last.grown + change.grown, last.kinds + change.kinds
            )
        else:
            joined.append(change)
    return joined


def _by_difference(text: str, released: str) -> Iterator[_Change]:
    old, new = _TOKEN.findall(text), _TOKEN.findall(released)
    starts, ends = _starts(old), _starts(new)
    i = j = 0
    for x, y in [*_equal(old, new, (0, len(old), 0, len(new)), _ROW), (len(old), len(new))]:
        if x > i or y > j:
            yield _Change(starts[i], starts[x], ends[y] - ends[j] - (starts[x] - starts[i]))
        i, j = x + 1, y + 1


def _equal(
    old: Sequence[str], new: Sequence[str], within: tuple[int, int, int, int], row: int
) -> Iterator[tuple[int, int]]:
    """Yield places of equal tokens, increasing in both: rows that stand once in both first, then what lies between."""
    i, end, j, stop = within
    while i < end and j < stop and old[i] == new[j]:
        yield i, j
        i, j = i + 1, j + 1
    same = 0
    while i < end - same and j < stop - same and old[end - 1 - same] == new[stop - 1 - same]:
        same += 1
    end, stop = end - same, stop - same
    small = (end - i) * (stop - j) <= _SMALL
    anchors = [] if small else _increasing(_once(old, i, end, row), _once(new, j, stop, row))
    if anchors:
        for x, y in [*anchors, (end, stop)]:
            yield from _equal(old, new, (i, x, j, y), row)
            if x < end:
                yield x, y
            i, j = x + 1, y + 1
    elif row > 1 and not small:
        yield from _equal(old, new, (i, end, j, stop), 1)
    else:
        matcher = SequenceMatcher(None, old[i:end], new[j:stop], autojunk=not small)
        for x, y, length in matcher.get_matching_blocks():
            yield from ((i + x + n, j + y + n) for n in range(length))
    yield from ((end + n, stop + n) for n in range(same))


def _once(tokens: Sequence[str], first: int, last: int, row: int) -> dict[tuple[str, ...], int]:
    """Return the place of each row of tokens; -1 for one that stands there more than once."""
    places: dict[tuple[str, ...], int] = {}
    for place in range(first, last - row + 1):
        tokens_here = tuple(tokens[place : place + row])
        places[tokens_here] = -1 if tokens_here in places else place
    return places


def _increasing(old: dict[tuple[str, ...], int], new: dict[tuple[str, ...], int]) -> list[tuple[int, int]]:
    """Return the longest row of places that increases in both."""
    pairs = [(x, new[tokens]) for tokens, x in old.items() if x >= 0 and new.get(tokens, -1) >= 0]
    lasts: list[int] = []
    heads: list[int] = []
    before: list[int] = []
    for number, (_, y) in enumerate(pairs):
        at = bisect_left(lasts, y)
        before.append(heads[at - 1] if at else -1)
        lasts[at : at + 1], heads[at : at + 1] = [y], [number]
    row, number = [], heads[-1] if heads else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]


def _by_word(text: str, released: str) -> Iterator[_Change]:
    """Yield changes word by word, as sanitizers draw them; by difference if the numbers of words differ."""
    old, new = (re.split(r"(\w+)", whole) for whole in (text, released))
    if len(old) != len(new):
        yield from _by_difference(text, released)
        return
    at = 0
    for was, now in zip(old, new, strict=True):
        if was != now:
            yield _Change(at, at + len(was), len(now) - len(was))
        at += len(was)


def _starts(tokens: Sequence[str]) -> list[int]:
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts
