"""Texts in stretches with and without a mark, in the colors of the stylesheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from textveil.pages.rendering import STYLE

COLORS: Final = {
    "person": "c1",
    "place": "c2",
    "organization": "c0",
    **dict.fromkeys(("date", "time", "age", "duration"), "c3"),
    **dict.fromkeys(("phone", "email", "url", "handle", "ip"), "c4"),
    **dict.fromkeys(("id", "secret"), "c6"),
    **dict.fromkeys(("money", "measurement", "quantity"), "c5"),
    **dict.fromkeys(("number", "code-number"), "mute"),
}
"""Colors of the stylesheet; kinds that are alike share one, and each mark carries the name of its kind besides."""


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
