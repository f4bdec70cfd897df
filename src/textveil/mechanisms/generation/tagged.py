"""A text with tagged spans as the contexts that a model reads: without the spans, and with each group of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, final

from textveil.detection.checked import checked_spans
from textveil.detection.spans import DetectedSpan, Detector

OPEN: Final = "[["
CLOSE: Final = "]]"
"""Around a span that the text itself marks."""

MARKED: Final = "marked"
_MARK: Final = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


@final
class MarkedSpans:
    """What stands between [[ and ]]; of one kind."""

    name = "marked"
    kinds = (MARKED,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``; the marks belong to the span."""
        return [[DetectedSpan(*mark.span(), MARKED, 1.0, self.name) for mark in _MARK.finditer(text)] for text in texts]


@final
class TaggedText(NamedTuple):
    """One text in several readings.

    Attributes:
        public: every span replaced by the placeholder.
        private: for each group of spans in the order of their kinds, the text with these spans and no others.
    """

    public: str
    private: tuple[str, ...]


def tagged(texts: Sequence[str], detector: Detector, placeholder: str, *, by_kind: bool) -> list[TaggedText]:
    """The readings of each text.

    Args:
        texts: private.
        detector: finds the spans.
        placeholder: stands for a span that is not shown.
        by_kind: whether spans of each kind are a group, or all of them are one.

    Raises:
        InputError: the detector's answer does not fit its texts.
    """
    spans_of_texts = checked_spans(detector, texts)
    readings = []
    for text, spans in zip(texts, spans_of_texts, strict=True):
        kinds = sorted({span.kind for span in spans})
        groups = [{kind} for kind in kinds] if by_kind else [set(kinds)] if kinds else []
        shown = [_shown(text, spans, placeholder, group) for group in groups]
        readings.append(TaggedText(_shown(text, spans, placeholder, set()), tuple(shown)))
    return readings


def _shown(text: str, spans: Sequence[DetectedSpan], placeholder: str, kinds: set[str]) -> str:
    """The text with the spans of these kinds, the placeholder in the place of each other."""
    pieces, end = [], 0
    for span in spans:
        value = text[span.start : span.end]
        inside = value.removeprefix(OPEN).removesuffix(CLOSE) if span.kind == MARKED else value
        pieces += [text[end : span.start], inside if span.kind in kinds else placeholder]
        end = span.end
    return "".join([*pieces, text[end:]])
