"""Pages made of templates, and parts of a page of results: text is escaped; style and figures stand within the page."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from textveil.pages.comparison import Piece
from textveil.pages.messages import message_language, said

STYLE: Final = files("textveil.pages").joinpath("style.css").read_text(encoding="utf-8")  # the stylesheet of every page
SERIES: Final = 7  # colors of lines and marks in the stylesheet, ``c0`` and on
_READABLE = 0.8  # least share of its own size at which a figure is shown: its text is then at least 10 pixels high
_FITTING = 960  # pixels across that a page leaves to a figure where the screen is wide: no figure needs to scroll there
_PROSE = 40  # characters from which the text of a cell is put on several lines
_LONG = 24  # letters from which a run without spaces may be broken
_SIGNED = re.compile(r"(?:^\W*|\de|\^)-\d|\d-DP")
"""A number with a minus sign, or a guarantee: browsers would break the line there."""

_SAFE = " !$()*+,-./:;=?@_~"  # marks of a data address that stand for themselves between single quotes
_SAFE_IN_DRAWINGS = _SAFE + '"<>[]^`{|}'
"""Those of a drawing, which is ours and long; what users' words are in is written without any mark of HTML."""

_PLACES = re.compile(r' (?:d|x|y)="[^"]*"')
_BEYOND_HUNDREDTHS = re.compile(r"(\.\d\d)\d+")
"""Coordinates within a page keep hundredths of a point, which no screen shows; the file beside it has all digits."""

_MEDIA = {".svg": "image/svg+xml", ".png": "image/png", ".csv": "text/csv", ".json": "application/json"}


def rendered(template: str, **values: Any) -> Markup:
    """Return a page or a drawing from a file in ``templates``; strings among ``values`` are escaped."""
    return Markup(environment().get_template(template).render(values))


@cache
def environment() -> Environment:
    """Return the environment of templates, with what they may call."""
    environment = Environment(
        loader=PackageLoader("textveil.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
    environment.globals["style"] = Markup(STYLE)
    environment.filters |= {"whole": whole, "address": data_address, "least_width": least_width, "say": said}
    environment.tests["prose"] = is_prose
    return environment


def whole(value: object) -> Markup:
    """Keep numbers whole, also at their signs, and let long runs be broken."""
    return Markup(" ").join(map(_word, str(value).split(" ")))


def _word(word: str) -> str:
    if len(word) > _LONG and "/" in word:  # a ratio of integers, or a path
        return Markup("/<wbr>").join(map(_word, word.split("/")))
    if len(word) > _LONG:
        return Markup("<span class='long'>{}</span>").format(word)
    return Markup("<span class='number'>{}</span>").format(word) if _SIGNED.search(word) else word


def is_prose(rows: Sequence[Sequence[object]]) -> bool:
    """Tell whether a table has sentences in it, whose cells need several lines; others keep each cell on one."""
    return any(len(str(cell)) >= _PROSE for row in rows for cell in row)


def least_width(path: Path) -> int | None:
    """Pixels that a figure keeps on a narrow screen, from the width that its SVG states; None for other files."""
    if path.suffix != ".svg":
        return None
    width = re.search(r'<svg[^<>]* width="([0-9.]+)pt"', path.read_text(encoding="utf-8")[:2000])
    return None if width is None else min(round(_READABLE * float(width[1]) * 96 / 72), _FITTING)


def data_address(path: Path) -> Markup:
    """Return a file's content as an address, so that a page needs no other file; made to stand in single quotes."""
    media = _MEDIA[path.suffix]
    if path.suffix == ".png":
        return Markup(f"data:{media};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}")
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".svg":
        content = _PLACES.sub(lambda place: _BEYOND_HUNDREDTHS.sub(r"\1", place[0]), content)
        content = " ".join(content.split())  # text is drawn as outlines: white space has no meaning
    safe = _SAFE_IN_DRAWINGS if path.suffix == ".svg" else _SAFE
    return Markup(f"data:{media};charset=utf-8,{quote(content, safe=safe)}")


def review_page(
    documents: Sequence[tuple[int, Sequence[Piece]]],
    policy: Mapping[str, Any],
    *,
    labels: str,
    groups: Mapping[str, str],
) -> str:
    """Return the page for documents, each with its number; it asks nothing of a network, and extends ``policy``.

    ``labels``: the command that measures with labels of this page; empty if the policy finds nothing; ``groups``: of
    kinds, for their colors.
    """
    folder = files("textveil.pages")
    script = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in ("corrections.js", "review.js"))
    data = [[number, [piece_data(piece) for piece in pieces]] for number, pieces in documents]
    guessed = sum(any(piece.guess for piece in pieces) for _, pieces in documents)
    return rendered(
        "review.html",
        title="Review of a release",
        documents=len(documents),
        guessed=guessed,
        labels=labels,
        data={"documents": data, "policy": policy, "colors": colors_of(groups)},
        script=Markup(script),
        digests={"style": _digest(STYLE), "script": _digest(script)},
    )


class MarkingPage(NamedTuple):
    """The page on which drawn documents are marked."""

    html: str  # the page; it holds no document
    digests: Mapping[str, str]  # of its ``style`` and ``script``, for the browser's policy


def marking_page(kinds: Sequence[str], groups: Mapping[str, str]) -> MarkingPage:
    """Return the page that asks its server for one document after another, in the environment's language.

    ``kinds``: that a missed value may be of; ``groups``: of kinds, for their colors.
    """
    folder = files("textveil.pages")
    script = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in ("corrections.js", "marking.js"))
    html = rendered(
        "marking.html",
        language=message_language(),
        title=said("Review of a release"),
        data={"kinds": kinds, "colors": colors_of(groups), "words": {key: said(word) for key, word in _WORDS.items()}},
        script=Markup(script),
    )
    return MarkingPage(str(html), {"style": _digest(STYLE), "script": _digest(script)})


_WORDS: Final = MappingProxyType(
    {
        "nothing": "nothing",
        "missed": "missed",
        "wrong": "wrong",
        "fine": "fine (f)",
        "next": "next (f)",
        "record": "Record",
        "done": "No page is left to read",
        "ended": "Stopped; all marks are kept. Close this page.",
        "gone": "The review was stopped in the terminal. Marks of earlier pages are kept.",
    }
)
"""The messages of the script."""


def piece_data(piece: Piece) -> str | list[Any]:
    """Return a piece as the scripts of reviews read it: a string if it stays, else a list."""
    if piece.guess:
        return [piece.was, piece.guess]
    return piece.was if piece.was == piece.now and not piece.kinds else [piece.was, piece.now, piece.kinds]


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


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
    """Yield stretches of the text, each with the kind of its span; empty between spans, which come in order."""
    position = 0
    for span in spans:
        yield shown(text[position : span.start]), ""
        yield shown(text[span.start : span.end]), str(span.kind)
        position = span.end
    yield shown(text[position:]), ""


def shown(text: str) -> str:
    """Characters that UTF-8 cannot hold, as the sign for what cannot be shown."""
    return text.encode("utf-8", "replace").decode("utf-8")


def notebook(
    title: str,
    notes: Iterable[object],
    head: Sequence[str] = (),
    rows: Iterable[Sequence[object]] = (),
    texts: Iterable[str] = (),
) -> str:
    """Return a part of a notebook's page in the style of a release: a title, released texts, a table, and notes."""
    values = {"title": title, "notes": list(notes), "head": head, "rows": list(rows), "texts": list(map(shown, texts))}
    return str(rendered("notebook.html", colors_style=light_colors(), **values))


def light_colors() -> str:
    """The declarations of the stylesheet's colors, for a part of a page that is not ours; black is that page's ink."""
    colors = re.findall(r"--(?:c\d|own|mute):[^;}]+", STYLE.split("@media", 1)[0])
    return ";".join(color.replace("#000", "currentColor") for color in colors)


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
