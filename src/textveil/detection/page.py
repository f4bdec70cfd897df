"""Texts with their spans marked, as one HTML page that needs no network: private, like the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from textveil.detection.base import DetectedSpan
from textveil.detection.kinds import KINDS
from textveil.pages.rendering import rendered

_COLORS: Final = {
    "person": "c1",
    "place": "c2",
    "organization": "c0",
    **dict.fromkeys(("date", "time", "age"), "c3"),
    **dict.fromkeys(("phone", "email", "url", "handle", "ip"), "c4"),
    "id": "c6",
    "money": "c5",
    "number": "mute",
}
"""Colors of the stylesheet; kinds that are alike share one, and each mark carries the name of its kind besides."""


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
        documents=[list(_pieces(text, spans)) for text, spans in documents],
        counts=[(kind, counts[kind]) for kind in order],
        total=counts.total(),
        detector=detector,
        colors=_COLORS,
    )


def _pieces(text: str, spans: Sequence[DetectedSpan]) -> Iterator[tuple[str, str]]:
    """Stretches of the text, each with the kind of its span; an empty kind lies between spans."""
    position = 0
    for span in spans:
        yield _shown(text[position : span.start]), ""
        yield _shown(text[span.start : span.end]), span.kind
        position = span.end
    yield _shown(text[position:]), ""


def _shown(text: str) -> str:
    """Characters that UTF-8 cannot hold, as the sign for what cannot be shown."""
    return text.encode("utf-8", "replace").decode("utf-8")
