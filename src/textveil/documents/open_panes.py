"""Frozen rows and columns of OpenDocument's sheets: all that stays of the settings of a file."""

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from textveil.documents.markup import Element, new_child, new_root, serialized

_OFFICE: Final = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_CONFIG: Final = "urn:oasis:names:tc:opendocument:xmlns:config:1.0"
_SAID: Final = {"ooo": "http://openoffice.org/2004/office"}
_NAME: Final = f"{{{_CONFIG}}}name"
_MODE: Final = re.compile("[0-3]")
_PLACE: Final = re.compile(r"\d{1,7}")
_KEPT: Final = {
    **dict.fromkeys(("HorizontalSplitMode", "VerticalSplitMode", "ActiveSplitRange"), ("short", _MODE)),
    **dict.fromkeys(
        ("HorizontalSplitPosition", "VerticalSplitPosition", "PositionRight", "PositionBottom"), ("int", _PLACE)
    ),
}
Panes: TypeAlias = Mapping[str, str]
"""The settings of one sheet, by name."""

_NESTED: Final = (("set", "ooo:view-settings"), ("map-indexed", "Views"), ("map-entry", ""), ("map-named", "Tables"))
"""Elements from the root to the sheets, with their names."""


def panes_of(settings: Element) -> dict[str, Panes]:
    """Return the frozen panes of each sheet that has some, by its name in small letters."""
    found: dict[str, Panes] = {}
    for tables in settings.iter(f"{{{_CONFIG}}}config-item-map-named"):
        if tables.get(_NAME) != "Tables":
            continue
        for sheet in tables:
            items = {item.get(_NAME): (item.text or "").strip() for item in sheet}
            kept = {name: items[name] for name, (_, form) in _KEPT.items() if form.fullmatch(items.get(name) or "")}
            if "2" in (kept.get("HorizontalSplitMode"), kept.get("VerticalSplitMode")):
                found[sheet.get(_NAME, "").lower()] = kept
    return found


def settings_of(panes: Mapping[str, Panes]) -> bytes:
    """Return the part of settings for these panes, by the new names of sheets."""
    root = new_root(_OFFICE, "document-settings", "office", {"config": _CONFIG, **_SAID})
    root.set(f"{{{_OFFICE}}}version", "1.3")
    place = new_child(root, f"{{{_OFFICE}}}settings")
    for kind, name in _NESTED:
        if kind == "map-named":
            _item(place, "ViewId", "string", "view1")
        place = new_child(place, f"{{{_CONFIG}}}config-item-{kind}")
        if name:
            place.set(_NAME, name)
    for sheet, items in panes.items():
        entry = new_child(place, f"{{{_CONFIG}}}config-item-map-entry")
        entry.set(_NAME, sheet)
        for name, value in items.items():
            _item(entry, name, _KEPT[name][0], value)
    return serialized(root, _SAID)


def _item(place: Element, name: str, kind: str, value: str) -> None:
    item = new_child(place, f"{{{_CONFIG}}}config-item")
    item.set(_NAME, name)
    item.set(f"{{{_CONFIG}}}type", kind)
    item.text = value
