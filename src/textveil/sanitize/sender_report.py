"""Report for the sender alone, apart from the report that goes with the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from textveil.json_text import json_text
from textveil.sanitize.setting import Setting

NOTE: Final = "computed from the private text; not covered by the guarantee; do not pass it on with the text"
"""Stands in every such report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderReport:
    """Counts that are computed from the private text; no guarantee covers them. Holds no text but the sample's.

    Attributes:
        sample: documents before and after, chosen at random for the sender's review; none unless they are asked for.
    """

    setting: Setting
    mapped: int  # how many words were not in the vocabulary and were mapped to it
    skipped: Sequence[Mapping[str, Any]] = ()  # of records that could not be read, the first ones as JSON data
    skipped_count: int = 0  # entries of such records in all
    sample: Sequence[tuple[str, str]] = field(default=(), repr=False)

    def to_data(self) -> dict[str, Any]:
        """Return the report as JSON data; docs/guarantees.md documents the keys."""
        return {
            "textveil": self.setting.version,
            "setting_digest": self.setting.digest().hex(),
            "note": NOTE,
            "unknown_words_mapped": self.mapped,
            "skipped": {"count": self.skipped_count, "first": [dict(skip) for skip in self.skipped]},
            **({"sample": [{"before": old, "after": new} for old, new in self.sample]} if self.sample else {}),
        }

    def to_json(self) -> str:
        """Return the report as indented JSON text."""
        return json_text(self.to_data())

    def lines(self) -> list[str]:
        """Return ``summary`` if words are drawn one by one, else nothing: of whole texts no word is looked up."""
        policy = self.setting.policy
        drawn = not self.setting.whole_texts if policy is None else policy.draws_words and bool(self.setting.vocabulary)
        return [self.summary()] if drawn else []

    def summary(self) -> str:
        """Return the report for the sender, a line."""
        words = "word was" if self.mapped == 1 else "words were"
        mapped = "was" if self.mapped == 1 else "were"
        return f"for you only {self.mapped} {words} not in the vocabulary and {mapped} mapped to it"
