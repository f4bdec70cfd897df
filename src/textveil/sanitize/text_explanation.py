"""What a mechanism of whole texts promises, and of what: there is no distribution of one word to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from textveil.privacy.guarantees import Guarantee


@final
@dataclass(frozen=True, slots=True)
class TextExplanation:
    """What one draw for a whole text costs, of what unit, and by which public parameters.

    Attributes:
        mechanism: its name.
        parameters: its public parameters.
        guarantee: of one text.
    """

    mechanism: str
    parameters: Mapping[str, Any]
    guarantee: Guarantee

    def to_data(self) -> dict[str, Any]:
        """The explanation as JSON data."""
        return {
            "mechanism": {"name": self.mechanism, "parameters": dict(self.parameters)},
            "guarantee": self.guarantee.to_data(),
            "word": None,
        }

    def summary(self) -> str:
        """The explanation for a reader."""
        rows = [
            ("mechanism", self.mechanism),
            ("guarantee", f"{self.guarantee} [{self.guarantee.status.shown}]"),
            ("unit", f"{self.guarantee.unit.value}; it is no epsilon of one word"),
            ("adjacency", self.guarantee.adjacency.text),
            *((name.replace("_", " "), _shown(value)) for name, value in self.parameters.items()),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _shown(value: Any) -> str:
    """A parameter on one line."""
    if isinstance(value, float):
        return f"{value:g}"
    return value.replace("\n", "\\n") if isinstance(value, str) else str(value)
