"""Which fields of a record are sanitized, which are kept; what is not named is dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from textveil.errors import need


@final
@dataclass(frozen=True, slots=True)
class FieldChoice:
    """Fields by name. A field that is not named never reaches the output.

    Attributes:
        sanitized: their texts are replaced by releases; at least one.
        kept: copied as they are, outside every guarantee.
    """

    sanitized: tuple[str, ...] = ("text",)
    kept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        need(len(self.sanitized) > 0, "sanitized", "none", "at least one field name")
        names = self.all()
        need(len(set(names)) == len(names), "kept", "a name twice", "names other than those of `sanitized`, each once")

    def all(self) -> tuple[str, ...]:
        """Every field of the output."""
        return self.sanitized + self.kept
