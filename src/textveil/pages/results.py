"""The page of results that every report is: a title and its parts, each a piece of escaped markup."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from textveil.pages.comparison import Piece
from textveil.pages.rendering import environment, is_prose, rendered, whole


def results_page(title: str, parts: Iterable[str]) -> Markup:
    """Return a page that needs no other file."""
    return rendered("results.html", title=title, parts=parts)


def text(sentence: object, lead: str = "") -> Markup:
    """Return a paragraph; ``lead`` stands first, in bold."""
    bold = Markup("<strong>{}</strong> ").format(lead) if lead else ""
    return Markup("<p>{}{}</p>").format(bold, sentence)


def heading(title: object, level: int = 2) -> Markup:
    """Return a heading; its parts follow it."""
    return Markup("<h{0}>{1}</h{0}>").format(level, title)


def bullets(lines: Iterable[object]) -> Markup:
    """Return a list; empty if it has no lines."""
    rows = Markup().join(Markup("<li>{}</li>").format(line) for line in lines)
    return rows and Markup("<ul>{}</ul>").format(rows)


def section(name: str, parts: Iterable[Markup]) -> Markup:
    """Return a part of a page that is found again by its name."""
    return Markup("<section id='{}'>{}</section>").format(name, Markup().join(parts))


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    stacked: bool | None = False,
    links: Sequence[str] | None = None,
) -> Markup:
    """Return a table.

    ``stacked``: cells stand below one another on narrow screens (None: if there are sentences in them); ``links``:
    address of the first cell of each row.
    """
    lines = list(rows)
    return _part("table", head, lines, stacked=is_prose(lines) if stacked is None else stacked, links=links)


def facts(rows: Iterable[tuple[str, object]]) -> Markup:
    """Return a table of names and values."""
    return _part("facts", rows)


def figure(path: Path, alternative: str) -> Markup:
    """Return a figure on disk, held by the page."""
    return _part("figure", path, alternative)


def drawing(svg: str, caption: str) -> Markup:
    """Return a drawing in the page's own colors."""
    return Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(svg, whole(caption))


def folded(title: str, part: str) -> Markup:
    """Return a part that opens at a click."""
    return Markup("<details><summary>{}</summary>{}</details>").format(title, part)


def downloads(*paths: Path) -> Markup:
    """Return links to files that the page holds."""
    return Markup(", ").join(_part("download", path) for path in paths)


def sides(title: str, pieces: Iterable[Piece]) -> Markup:
    """Return a text beside its release, with what differs marked."""
    return _part("sides", title, list(pieces))


def badge(verdict: Any) -> Markup:
    """Return a verdict in its color."""
    return _part("badge", verdict)


def _part(macro: str, *values: Any, **more: Any) -> Markup:
    return Markup(getattr(environment().get_template("parts.html").module, macro)(*values, **more))
