"""What the embedded patterns hand one another: places in a plain text, and searches that cover what was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from textveil.detection.combined import covering
from textveil.detection.gates import Gate, Seen, glance, words_of
from textveil.detection.plain import without
from textveil.detection.spans import DetectedSpan
from textveil.errors import InternalError
from textveil.text.patterns import check_time, matches


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
    if len(ordered) < 2 or all(before.end <= after.start for before, after in pairwise(ordered)):
        return ordered
    joined = covering(text, [DetectedSpan(*span[:4], "", span.why) for span in ordered])
    return [Found(span.start, span.end, span.kind, span.score, span.why) for span in joined]


class Row(NamedTuple):
    """A search of a phase.

    Attributes:
        name: unique among all rows; decides between spans that nothing else decides between.
        search: finds spans in a plain text.
        gate: closed for texts in which the search finds nothing.
        kinds: the kinds that it finds, parted by spaces.
        score: the highest score that it gives.
        evidence: the words that its spans give as their reason, parted by spaces.
        finds: a text in which it finds a span.
        ignores: a text that looks alike, in which it finds none.
    """

    name: str
    search: Search
    gate: Gate
    kinds: str
    score: float
    evidence: str
    finds: str
    ignores: str


class Phase(NamedTuple):
    """Rows that all look at the same text: what the phases before theirs left of it. Their order means nothing."""

    name: str
    rows: tuple[Row, ...]


_ROUNDS: Final = 4
"""Times that the rows of a phase look together; after that they look one by one, so that time stays linear."""


def in_phases(
    text: str, phases: Sequence[Phase], seen: Seen | None = None, opened: Sequence[Collection[int]] | None = None
) -> tuple[list[Found], str]:
    """Return what the rows of each phase find in what the phases before it left, and the text with all of it covered.

    In a phase, the span with the higher score covers its characters; of equal scores the longer span, then the one that
    starts first, then the one of the row whose name comes first. A row that lost a span looks again at what is left.
    Every character outside the spans stands where it stood.

    Args:
        text: a plain text.
        phases: in order.
        seen: what a glance at the text shows; None looks.
        opened: for each phase, the numbers of the rows whose gates are open; None asks each gate.

    Raises:
        InternalError: a search gave spans outside the text, or the characters do not stand where they stood.
    """
    seen = glance(text) if seen is None else seen
    spans: list[Found] = []
    rest = text
    for number, phase in enumerate(phases):
        if opened is None:
            rows = [row for row in phase.rows if row.gate(rest, seen)]
        else:
            rows = [phase.rows[row] for row in opened[number]]
        if not rows:
            continue
        covered = rest
        for here in _rounds(covered, rows):
            spans += here
            cut = any(_cuts_a_word(covered, span) for span in here)
            covered = without(covered, [(span.start, span.end) for span in here])
            if cut:  # there are other words now, which may open other gates
                seen, opened = seen._replace(words=words_of(covered)), None
        rest = covered
    if spans and without(text, _places(spans)) != rest:
        raise InternalError(
            "what searches leave of a text must be the text outside their spans; got another. Report it."
        )
    return spans, rest


def _places(spans: Iterable[Found]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for span in sorted(spans):
        if joined and span.start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], span.end))
        else:
            joined.append((span.start, span.end))
    return joined


def _rounds(text: str, rows: Sequence[Row]) -> Iterator[list[Found]]:
    for _ in range(_ROUNDS):
        findings = []
        for row in rows:
            check_time()
            if spans := settled(text, row.search(text)):
                findings.append((row, spans))
        if not findings:
            return
        winners, rows = _winners(len(text), findings)
        yield winners
        if not rows:
            return
        text = without(text, [(span.start, span.end) for span in winners])
    for row in sorted(rows, key=lambda row: row.name):
        check_time()
        if spans := settled(text, row.search(text)):
            yield spans
            text = without(text, [(span.start, span.end) for span in spans])


def _winners(length: int, findings: Sequence[tuple[Row, list[Found]]]) -> tuple[list[Found], list[Row]]:
    if len(findings) == 1:
        return findings[0][1], []
    spans = sorted(span for _, here in findings for span in here)
    if all(before.end <= after.start for before, after in pairwise(spans)):
        return spans, []
    ranked = sorted(
        (-span.score, span.start - span.end, span.start, row.name, span, number)
        for number, (row, here) in enumerate(findings)
        for span in here
    )
    taken = bytearray(length)
    winners: list[Found] = []
    losers: set[int] = set()
    for *_, span, number in ranked:
        if taken.find(1, span.start, span.end) >= 0:
            losers.add(number)
        else:
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
            winners.append(span)
    return sorted(winners), [findings[number][0] for number in sorted(losers)]


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
