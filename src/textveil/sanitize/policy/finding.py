"""The spans of texts by policy: what detectors find of the kinds that have a rule, and all numbers outside."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Final, TypeAlias, final

from textveil.detection.base import DetectedSpan, Detector
from textveil.detection.checked import checked_spans
from textveil.detection.combined import covering, disjoint
from textveil.detection.given import value_spans
from textveil.text.number_places import number_places

NUMBERS: Final = "digits"
"""The name of what finds numbers."""

RECORD: Final = "record"
"""The name of what finds values of a text's record."""

RecordValues: TypeAlias = Sequence[tuple[str, str]]
"""Values of other columns of a text's record, each with its kind."""


@final
class SpanFinder:
    """Finds spans of which no two share a character.

    Args:
        detectors: by rank, which decides between spans of one length (``detection.combined``).
        drawn: kinds of the spans that are wanted and replaced.
        kept: kinds of the spans that are wanted and stay: a span of them never hides one that is replaced. Spans of
            other kinds are as if they had not been found.
        numbers: whether every group of digits that lies in no other span is a span of the kind number.
    """

    def __init__(
        self, detectors: Sequence[Detector], drawn: Collection[str], kept: Collection[str], *, numbers: bool
    ) -> None:
        self._detectors = tuple(detectors)
        self._order = [one.name for one in detectors]
        self._drawn, self._kept = frozenset(drawn), frozenset(kept)
        self._numbers = numbers

    def found(
        self, texts: Sequence[str], first: int = 1, values: Sequence[RecordValues] | None = None
    ) -> list[list[DetectedSpan]]:
        """The spans of each text, by start.

        Args:
            texts: private texts.
            first: number of the first, for messages.
            values: for each text, values of its record that are found in it too; they rank before all detectors.

        Raises:
            InputError: a detector's answer is no list of spans for each text (``detection.checked``).
        """
        answers = [checked_spans(one, texts, first) for one in self._detectors]
        if values is not None:
            answers.insert(0, [value_spans(text, own, RECORD) for text, own in zip(texts, values, strict=True)])
        return [self._of_one(text, [answer[place] for answer in answers]) for place, text in enumerate(texts)]

    def _of_one(self, text: str, answers: Sequence[Sequence[DetectedSpan]]) -> list[DetectedSpan]:
        order = [RECORD, *self._order]
        found = list(chain.from_iterable(answers))
        spans = covering(text, (span for span in found if span.kind in self._drawn), order)
        if self._kept:
            places = {place for span in spans for place in range(span.start, span.end)}
            kept = (span for span in found if span.kind in self._kept)
            spans = [*spans, *disjoint((one for one in kept if places.isdisjoint(range(*one[:2]))), order)]
        return sorted([*spans, *_numbers_outside(text, sorted(spans))]) if self._numbers else sorted(spans)


def _numbers_outside(text: str, spans: Sequence[DetectedSpan]) -> Iterator[DetectedSpan]:
    """The numbers between spans, each stretch of text by itself."""
    position = 0
    for start, end in [*((span.start, span.end) for span in spans), (len(text), len(text))]:
        for begin, stop in number_places(text[position:start]):
            yield DetectedSpan(position + begin, position + stop, "number", 1.0, NUMBERS)
        position = end
