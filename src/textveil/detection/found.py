"""What the embedded patterns hand one another: places in a plain text, and searches that cover what was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias, final

from textveil.detection.combined import covering
from textveil.detection.gates import Gate, Seen, glance, words_of
from textveil.detection.plain import without
from textveil.detection.spans import DetectedSpan
from textveil.errors import InternalError
from textveil.text.patterns import check_time, matches


@final
class Found(NamedTuple):
    """The characters ``start`` to ``end`` of a plain text, what they are, how sure that is (0 to 1), and why."""

    start: int
    end: int
    kind: str
    score: float
    why: str = ""


def words_in(text: str) -> frozenset[str]:
    """The words of a public list, written in a row."""
    return frozenset(text.split())


Search: TypeAlias = Callable[[str], Iterator[Found]]
"""Finds spans in a plain text, in linear time; what of them overlaps is settled by ``settled``."""


def settled(text: str, spans: Iterable[Found]) -> list[Found]:
    """What one search found, by start and disjoint (``combined.covering``): no letter or digit of a span is left out.

    Args:
        text: the plain text that it looked at.
        spans: any.
    """
    ordered = sorted(spans)
    if all(before.end <= after.start for before, after in pairwise(ordered)):
        return ordered
    joined = covering(text, [DetectedSpan(*span[:4], "", span.why) for span in ordered])
    return [Found(span.start, span.end, span.kind, span.score, span.why) for span in joined]


def searched(
    text: str, searches: Sequence[tuple[Search, Gate]], seen: Seen | None = None, opened: Iterable[int] | None = None
) -> tuple[list[Found], str]:
    """What each search finds where the ones before it found nothing, and the text with all of it covered.

    Every character of that text stands where it stood: those of the spans are covered, and all others are as they were.

    Args:
        text: a plain text.
        searches: each with its gate.
        seen: what a glance at the text shows; None looks.
        opened: the numbers of the searches whose gates are open, in order; None asks each gate.

    Raises:
        InternalError: a search gave spans outside the text, or the characters do not stand where they stood.
    """
    spans, rest = _searched(text, searches, seen, opened)
    if spans and without(text, _joined(spans)) != rest:
        raise InternalError(
            "what searches leave of a text must be the text outside their spans; got another. Report it."
        )
    return spans, rest


def _joined(spans: Iterable[Found]) -> list[tuple[int, int]]:
    """The places that spans cover, of which some may hold what others do."""
    joined: list[tuple[int, int]] = []
    for span in sorted(spans):
        if joined and span.start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], span.end))
        else:
            joined.append((span.start, span.end))
    return joined


def _searched(
    text: str, searches: Sequence[tuple[Search, Gate]], seen: Seen | None, opened: Iterable[int] | None
) -> tuple[list[Found], str]:
    spans: list[Found] = []
    seen = glance(text) if seen is None else seen
    for number in range(len(searches)) if opened is None else opened:
        search, gate = searches[number]
        if opened is None and not gate(text, seen):
            continue
        check_time()
        here = settled(text, search(text))
        if not here:
            continue
        spans += here
        cut = any(_cuts_a_word(text, span) for span in here)
        text = without(text, [(span.start, span.end) for span in here])
        if cut:  # there are other words now, which may open other gates
            more, text = _searched(text, searches[number + 1 :], seen._replace(words=words_of(text)), None)
            return spans + more, text
    return spans, text


def _cuts_a_word(text: str, span: Found) -> bool:
    """Whether a letter stands beside a letter of a span, so that covering it leaves a word that was none before."""
    return text[span.start - 1 : span.start + 1].isalpha() or text[span.end - 1 : span.end + 1].isalpha()


def near(
    pattern: re.Pattern[str], text: str, anchor: re.Pattern[str], before: int, after: int
) -> Iterator[re.Match[str]]:
    """The matches of a slow pattern, looked for only around what a fast one finds.

    Args:
        pattern: what is looked for; each match holds a match of the anchor.
        text: a plain text.
        anchor: matches wherever the pattern could.
        before: characters before an anchor that a match may begin at.
        after: characters after it that a match may reach.
    """
    return near_places(pattern, text, map(re.Match.span, matches(anchor, text)), before, after)


def near_places(
    pattern: re.Pattern[str], text: str, places: Iterable[tuple[int, int]], before: int, after: int
) -> Iterator[re.Match[str]]:
    """The matches of a slow pattern, looked for only around places, which come by start: see ``near``."""
    low, high, reached = -1, -1, 0
    for begin, end in places:
        start, stop = max(0, begin - before), end + after
        if start > high:
            if high >= 0:
                for match in matches(pattern, text, low, _at_a_gap(text, high)):
                    reached = match.end()
                    yield match
            low = max(start, reached)
        high = stop
    if high >= 0:
        yield from matches(pattern, text, low, _at_a_gap(text, high))


def _at_a_gap(text: str, end: int) -> int:
    """``end``, moved on to where no word or number is cut in two, by 40 characters at most."""
    for place in range(end, min(end + 40, len(text))):
        if text[place] in " \n\t":
            return place
    return min(end, len(text))
