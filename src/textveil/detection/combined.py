"""Several detectors as one: where their spans share characters, one of them is kept by a public rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

from textveil.detection.base import DetectedSpan, Detector
from textveil.detection.checked import checked_spans


def disjoint(spans: Iterable[DetectedSpan], order: Sequence[str] = ()) -> list[DetectedSpan]:
    """Spans of which no two share a character, by start: the longer one is kept, then the one that ranks first.

    Args:
        spans: any.
        order: detectors by rank, which decides between spans of one length; then the higher score does, then the
            earlier start, then the kind.
    """
    rank = {name: place for place, name in enumerate(order)}
    best = sorted(
        spans, key=lambda span: (span.start - span.end, rank.get(span.detector, len(rank)), -span.score, span)
    )
    kept: list[DetectedSpan] = []
    taken: set[int] = set()
    for span in best:
        # Spans kept so far are at least as long, so one that meets this one holds its first or its last character.
        if span.start not in taken and span.end - 1 not in taken:
            taken.update(range(span.start, span.end))
            kept.append(span)
    return sorted(kept)


@final
class CombinedDetector:
    """What several detectors find, without overlaps (``disjoint``).

    Args:
        detectors: at least one, by rank.
    """

    def __init__(self, detectors: Sequence[Detector]) -> None:
        self._detectors = tuple(detectors)
        self.name = "+".join(one.name for one in self._detectors)
        self.kinds = tuple(dict.fromkeys(kind for one in self._detectors for kind in one.kinds))

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """The spans of all, each detector's own checked first."""
        found = [checked_spans(one, texts) for one in self._detectors]
        if len(found) == 1:
            return found[0]
        order = [one.name for one in self._detectors]
        return [disjoint((span for spans in here for span in spans), order) for here in zip(*found, strict=True)]
