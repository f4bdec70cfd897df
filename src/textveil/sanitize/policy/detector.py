"""Policies as detectors, so that their recall is measured with their own detectors, lists and scores."""

from __future__ import annotations

from collections.abc import Sequence

from textveil.detection.spans import DetectedSpan
from textveil.errors import need
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Policy


class PolicyDetector:
    """Finds the spans that a policy replaces; those that it keeps stay in the open, and are none.

    Args:
        policy: one that finds spans.

    Raises:
        ParameterError: it finds none, or cannot be made.
    """

    def __init__(self, policy: Policy) -> None:
        need(policy.finds_spans, "policy", "one without detection", "one that finds spans, such as identifiers")
        parts = parts_of(policy)
        self._finder = parts.finder
        self.kinds: tuple[str, ...] = tuple(parts.surrogates)
        self.name = f"policy {policy.name}"

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector.detect``."""
        return [[span for span in spans if span.kind in self.kinds] for spans in self._finder.found(texts)]


def measured_of(policy: Policy) -> dict[str, str]:
    """Return the name and digest that bind a measurement to a policy."""
    return {"name": policy.name, "digest": policy.digest}
