"""Texts in stretches with and without a mark, in the colors of the stylesheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from textveil.pages.rendering import STYLE

COLORS: Final = MappingProxyType(
    {
        "person": "c1",
        "place": "c2",
        "organization": "c0",
        "when": "c3",
        "reach": "c4",
        "id": "c6",
        "amount": "c5",
        "number": "mute",
        "own": "own",
    }
)
"""Colors of the stylesheet, by group of kinds; each mark carries the name of its kind besides."""


def colors_of(groups: Mapping[str, str]) -> dict[str, str]:
    """Return the color of each kind, given its group."""
    return {kind: COLORS[group] for kind, group in groups.items()}


def pieces_of(text: str, spans: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Stretches of the text, each with the kind of its span; an empty kind lies between spans.

    Args:
        text: any.
        spans: by start, none overlapping, each with ``start``, ``end`` and ``kind``.
    """
    position = 0
    for span in spans:
        yield shown(text[position : span.start]), ""
        yield shown(text[span.start : span.end]), str(span.kind)
        position = span.end
    yield shown(text[position:]), ""


def shown(text: str) -> str:
    """Characters that UTF-8 cannot hold, as the sign for what cannot be shown."""
    return text.encode("utf-8", "replace").decode("utf-8")


def light_colors() -> str:
    """The declarations of the stylesheet's colors, for a part of a page that is not ours; black is that page's ink."""
    colors = re.findall(r"--(?:c\d|own|mute):[^;}]+", STYLE.split("@media", 1)[0])
    return ";".join(color.replace("#000", "currentColor") for color in colors)
