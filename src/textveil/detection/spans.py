"""What a detector is: texts in, spans with kinds out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class DetectedSpan(NamedTuple):
    """The characters ``text[start:end]`` of a private text, and what they are.

    Attributes:
        start: the first character, from 0.
        end: one past the last; above ``start``.
        kind: one of ``kinds.KINDS`` or a user's own.
        score: how sure the detector is, from 0 to 1; scores of two detectors do not compare.
        detector: the name of the one that found it.
        why: the evidence in a word or two, such as "title" or "list"; empty where the detector does not say.
    """

    start: int
    end: int
    kind: str
    score: float
    detector: str
    why: str = ""


@runtime_checkable
class Detector(Protocol):
    """Finds spans in texts, each text by itself: a function of the text alone, without randomness.

    That it is a public function is what makes its findings part of the adjacency (privacy/proofs/policy.md); nothing is
    promised of what it misses. What it returns is checked before use (``checked_spans``).
    """

    @property
    def name(self) -> str:
        """For spans, reports and messages; with the version or digest of a model, where it has one."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that it can find."""

    def detect(self, texts: Sequence[str]) -> Sequence[Sequence[DetectedSpan]]:
        """For each text the spans found in it, by ``start``; no two of them share a character."""
