"""Texts with their spans marked, as one HTML page that needs no network: private, like the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from textveil.detection.kinds import GROUPS, KINDS
from textveil.detection.spans import DetectedSpan
from textveil.pages.rendering import colors_of, pieces_of, rendered


def spans_page(documents: Iterable[tuple[str, Sequence[DetectedSpan]]], detector: str) -> str:
    """The page: every text with its spans, and how many there are of each kind.

    Args:
        documents: texts, each with its spans by start, none overlapping.
        detector: its name.
    """
    documents = list(documents)
    counts = Counter(span.kind for _, spans in documents for span in spans)
    order = [*(kind for kind in KINDS if kind in counts), *sorted(counts.keys() - set(KINDS))]
    return rendered(
        "spans.html",
        title="Detected spans",
        documents=[list(pieces_of(text, spans)) for text, spans in documents],
        counts=[(kind, counts[kind]) for kind in order],
        total=counts.total(),
        detector=detector,
        colors=colors_of(GROUPS),
    )
