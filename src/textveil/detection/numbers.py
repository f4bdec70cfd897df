"""Every group of digits as a span: what policies draw for where nothing else was found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

from textveil.detection.base import DetectedSpan

_NUMBERS: Final = re.compile(r"\d+(?:[.,]\d+)*").finditer


@final
class NumberDetector:
    """Finds runs of decimal digits of any writing, with '.' and ',' between them."""

    name = "numbers"
    kinds = ("number",)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        return [[DetectedSpan(*match.span(), "number", 1.0, self.name) for match in _NUMBERS(text)] for text in texts]
