"""Tokens that are no words as spans: what policies with a rule for emoji, symbols or other scripts find them by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from textveil.detection.spans import DetectedSpan
from textveil.errors import need
from textveil.text.tokens import Kind, tokenize

TOKEN_SPANS: Final = MappingProxyType({"emoji": Kind.EMOJI, "symbol": Kind.SYMBOL, "script": Kind.SCRIPT})
"""Kinds of spans that are kinds of tokens: emoji in a row, other symbols, and words of other writings."""


_HAS_OTHERS: Final = re.compile(r"[^\t-\r\x20-\x7e]").search
"""Most texts have nothing that could be one: of ASCII only control characters are symbols."""


class TokenKindDetector:
    """Finds every token of some kinds: the rules are those of ``text.tokens``, so it misses none.

    Args:
        kinds: of ``TOKEN_SPANS``; None is all of them.

    Raises:
        ParameterError: one is another.
    """

    def __init__(self, kinds: Sequence[str] | None = None) -> None:
        wanted = tuple(TOKEN_SPANS if kinds is None else kinds)
        for kind in wanted:
            need(kind in TOKEN_SPANS, "kinds", repr(kind)[:40], f"among {', '.join(TOKEN_SPANS)}")
        self.name = "tokens"
        self.kinds = wanted
        self._names = {TOKEN_SPANS[kind]: kind for kind in wanted}

    def __reduce__(self) -> tuple[type[TokenKindDetector], tuple[tuple[str, ...]]]:
        return type(self), (self.kinds,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        return [self._found(text) if _HAS_OTHERS(text) else [] for text in texts]

    def _found(self, text: str) -> list[DetectedSpan]:
        names = self._names
        return [
            DetectedSpan(start, end, names[kind], 1.0, self.name)
            for start, end, kind in tokenize(text)
            if kind in names
        ]
