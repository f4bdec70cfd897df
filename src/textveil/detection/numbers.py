"""Every number in digits or numerals as a span: what policies draw for where nothing else was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from textveil.detection.spans import DetectedSpan
from textveil.text.numbers import marked_numerals
from textveil.text.patterns import lazy_regex, matches

_NUMBERS: Final = lazy_regex(r"\d+(?:[.,]\d+)*")


class NumberDetector:
    """Finds runs of digits and numerals of any writing but letters, with '.' and ',' between them."""

    name = "numbers"
    kinds = ("number",)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        return [list(self._found(text)) for text in texts]

    def _found(self, text: str) -> Iterator[DetectedSpan]:
        for match in matches(_NUMBERS, marked_numerals(text)):
            yield DetectedSpan(*match.span(), "number", 1.0, self.name)
