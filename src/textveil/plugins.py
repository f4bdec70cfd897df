"""What other packages add: objects behind the entry points of a group."""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from textveil.errors import ParameterError, need


def loaded(point: EntryPoint) -> Any:
    """The object behind an entry point.

    Raises:
        ParameterError: it cannot be imported.
    """
    try:
        return point.load()
    except Exception as error:
        raise ParameterError(
            f"entry point {point.name} must load; got {type(error).__name__}. Upgrade or remove its package."
        ) from error


def foreign(group: str, own: Collection[str]) -> dict[str, EntryPoint]:
    """The entry points of a group, by name.

    Args:
        group: such as ``textveil.detectors``.
        own: the names of textveil itself.

    Raises:
        ParameterError: a name is one of those, or two packages give it.
    """
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        need(point.name not in own and point.name not in found, f"name in {group}", point.name, "new", "Rename it.")
        found[point.name] = point
    return found
