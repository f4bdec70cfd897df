"""A detector's answer, checked before anything relies on it: a foreign one is never trusted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

from textveil.detection.spans import DetectedSpan, Detector
from textveil.errors import InputError, TextveilError


def checked_spans(detector: Detector, texts: Sequence[str], first: int = 1) -> list[list[DetectedSpan]]:
    """What ``detector`` finds in each text, by start.

    Args:
        detector: any.
        texts: private texts.
        first: number of the first text, for messages.

    Raises:
        InputError: the answer is not one sequence of spans for each text, or a span is of another type, of a kind that
            the detector does not name, empty, outside the text, or shares characters with another; or the detector
            raised an error, which could quote a text, so that its type alone is told. The message names the text and
            the span by number, never by content.
    """
    try:
        answer: Any = detector.detect(texts)
    except TextveilError:
        raise
    except Exception as error:
        raise InputError(
            f"detector {detector.name} must return spans; got {type(error).__name__}. Correct its `detect`."
        ) from None
    if not isinstance(answer, Sequence) or len(answer) != len(texts):
        raise InputError(
            f"detector {detector.name} must return spans for each of {len(texts)} documents; got another number. "
            "Correct its `detect`."
        )
    kinds = frozenset(detector.kinds)
    return [
        _checked(detector.name, kinds, spans, len(text), number)
        for number, (spans, text) in enumerate(zip(answer, texts, strict=True), start=first)
    ]


def _checked(name: str, kinds: frozenset[str], spans: Any, length: int, number: int) -> list[DetectedSpan]:
    if not isinstance(spans, Sequence):
        raise InputError(f"detector {name}, document {number}: spans must be a sequence; got {type(spans).__name__}.")
    if not spans:
        return []
    for place, span in enumerate(spans, start=1):
        if fault := _fault(span, kinds, length):
            raise InputError(f"detector {name}, document {number}, span {place}: {fault}. Correct its `detect`.")
    ordered = sorted(spans)
    for before, after in pairwise(ordered):
        if after.start < before.end:
            places = spans.index(before) + 1, spans.index(after) + 1
            raise InputError(
                f"detector {name}, document {number}, spans {min(places)} and {max(places)}: spans must not overlap; "
                "got two that share characters. Keep one of them in its `detect`."
            )
    return ordered


def _fault(span: Any, kinds: frozenset[str], length: int) -> str:
    """What is wrong with one span; empty where nothing is."""
    if not isinstance(span, DetectedSpan):
        return f"a span must be a DetectedSpan; got {type(span).__name__}"
    ends = (span.start, span.end)
    if not all(type(end) is int for end in ends):
        return "start and end must be integers; got others"
    if not 0 <= span.start < span.end <= length:
        return "start and end must lie in the text, start before end; got others"
    if not isinstance(span.kind, str) or span.kind not in kinds:
        return "its kind must be one that the detector names; got another"
    if isinstance(span.score, bool) or not isinstance(span.score, float | int) or not isfinite(span.score):
        return "its score must be a number from 0 to 1; got another"
    if not 0 <= span.score <= 1:
        return "its score must be from 0 to 1; got one outside"
    return "" if isinstance(span.detector, str) else "its detector must be a name; got another type"
