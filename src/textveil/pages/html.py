"""HTML pages in one style: one file each that asks nothing of the network, and reads on wide screens and on phones."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

# On a narrow screen a table of words is stacked, cell below cell, each with its column's name; whatever else is wide,
# tables of numbers and figures, scrolls in a box of its own and stays readable.
STYLE: Final = """
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2.5rem;border-top:1px solid #ccc;padding-top:1rem}
.basis{display:inline-block;padding:.1rem .6rem;border-radius:.3rem;background:#eee;font-size:.85rem}
h1,h2,p,li,summary,td,th{overflow-wrap:break-word}.wide{overflow-x:auto;margin:.8rem 0}
table{border-collapse:collapse;font-size:.9rem}td,th{border:1px solid #ccc;padding:.2rem .5rem;text-align:left}
td,th{vertical-align:top}th{background:#f6f6f6}.wide td,.wide th{min-width:4.5rem}
.numbers td{white-space:nowrap}
img{max-width:100%;height:auto;display:block}details{margin:.6rem 0}summary{cursor:pointer;padding:.2rem 0}
@media(max-width:40rem){body{margin-top:1rem}ul{padding-left:1.2rem}
.stacked,.stacked tbody,.stacked tr,.stacked td{display:block;width:100%}.stacked thead{display:none}
.stacked tr{border:1px solid #ccc;border-radius:.3rem;margin:.6rem 0;padding:.3rem .6rem}
.stacked td{border:0;padding:.15rem 0}.stacked td:empty{display:none}.stacked td:first-child{font-weight:600}
.stacked td:not(:first-child)::before{content:attr(data-label) ': ';color:#666}
.wide:has(>img)::before{content:'A wide figure: scroll sideways.';position:sticky;left:0;color:#666;font-size:.8rem}}
"""

_READABLE = 0.8
"""Least share of its own size at which a figure is shown: its text is then at least 10 pixels high."""

_FITTING = 960
"""Pixels across that a page leaves to a figure where the screen is wide: no figure needs to scroll there."""

_PROSE = 40
"""Characters from which the text of a cell is put on several lines."""

_IN_ATTRIBUTES = " !$()*+,-./:;=?@_~"
"""Marks of a data address that stand for themselves between single quotes."""

_OF_DRAWINGS = _IN_ATTRIBUTES + '"<>[]^`{|}'
"""Those of a drawing, which is ours and long; what users' words are in is written without any mark of HTML."""

_PLACES = re.compile(r' (?:d|x|y)="[^"]*"')
_BEYOND_HUNDREDTHS = re.compile(r"(\.\d\d)\d+")
"""Coordinates within a page keep hundredths of a point, which no screen shows; the file beside it has all digits."""

_MEDIA = {".svg": "image/svg+xml", ".png": "image/png", ".csv": "text/csv", ".json": "application/json"}


def page_head(title: str) -> str:
    """What stands before the content of a page, which ``</body></html>`` ends."""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>"
        f"<title>{safe(title)}</title><style>{STYLE}</style></head><body>"
    )


def html_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    stacked: bool = False,
    links: Sequence[str] | None = None,
) -> str:
    """A table that scrolls in a box of its own where it is wider than the screen.

    Args:
        head: names of the columns.
        rows: one text a column.
        stacked: whether its cells stand one below the other on narrow screens instead, for tables of words.
        links: where the first cell of each row leads; None leads nowhere.
    """
    top = "".join(f"<th>{safe(one)}</th>" for one in head)
    body = ""
    for index, row in enumerate(rows):
        cells = [safe(one) for one in row]
        if links is not None:
            cells[0] = f"<a href='{safe(links[index])}'>{cells[0]}</a>"
        labels = [f" data-label='{safe(name)}'" if stacked else "" for name in head]
        body += "<tr>" + "".join(f"<td{name}>{one}</td>" for name, one in zip(labels, cells, strict=True)) + "</tr>"
    kind = "stacked" if stacked else "prose" if is_prose(rows) else "numbers"
    return f"<div class='wide'><table class='{kind}'><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"


def is_prose(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table has sentences in it, whose cells need several lines; others keep each cell on one."""
    return any(len(cell) >= _PROSE for row in rows for cell in row)


def html_figure(path: Path, alternative: str) -> str:
    """An SVG or PNG file within the page; it scrolls where the screen is too narrow for its text.

    Args:
        path: of the file.
        alternative: what it shows, for those who do not see it.
    """
    width = _pixels_across(path)
    least = "" if width is None else f" style='min-width:{min(round(_READABLE * width), _FITTING)}px'"
    return f"<div class='wide'><img{least} src='{data_address(path)}' alt='{safe(alternative)}'></div>"


def data_address(path: Path) -> str:
    """The content of a file as an address, so that a page needs no other file; made to stand in single quotes."""
    media = _MEDIA[path.suffix]
    if path.suffix == ".png":
        return f"data:{media};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".svg":
        content = _PLACES.sub(lambda found: _BEYOND_HUNDREDTHS.sub(r"\1", found[0]), content)
        content = " ".join(content.split())  # text is drawn as outlines: white space has no meaning
    marks = _OF_DRAWINGS if path.suffix == ".svg" else _IN_ATTRIBUTES
    return f"data:{media};charset=utf-8,{quote(content, safe=marks)}"


def safe(value: object) -> str:
    """Text that stands on a page as it is."""
    return html.escape(str(value))


def _pixels_across(path: Path) -> float | None:
    """The width that an SVG of ``save_figure`` states, in CSS pixels; None for other files."""
    if path.suffix != ".svg":
        return None
    found = re.search(r'<svg[^>]* width="([0-9.]+)pt"', path.read_text(encoding="utf-8")[:2000])
    return None if found is None else float(found[1]) * 96 / 72
