"""HTML pages in one style: they ask nothing of the network, and read on wide screens and on phones."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Final

# On a narrow screen whatever is wide, tables and figures, scrolls in a box of its own and stays readable.
STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.5rem;border-top:1px solid #ccc;padding-top:1rem}
.basis{display:inline-block;padding:.1rem .6rem;border-radius:.3rem;background:#eee;font-size:.85rem}
p,li{overflow-wrap:anywhere}.wide{overflow-x:auto}.wide{margin:.8rem 0}
table{border-collapse:collapse;font-size:.9rem}td,th{border:1px solid #ccc;padding:.2rem .5rem;text-align:left}
td,th{vertical-align:top;min-width:5rem}
img{max-width:100%;min-width:34rem;height:auto}details{margin:.6rem 0}
"""


def page_head(title: str) -> str:
    """What stands before the content of a page, which ``</body></html>`` ends."""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>"
        f"<title>{safe(title)}</title><style>{STYLE}</style></head><body>"
    )


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that scrolls in a box of its own where it is wider than the screen."""
    top = "".join(f"<th>{safe(one)}</th>" for one in head)
    body = "".join("<tr>" + "".join(f"<td>{safe(one)}</td>" for one in row) + "</tr>" for row in rows)
    return f"<div class='wide'><table><tr>{top}</tr>{body}</table></div>"


def safe(value: object) -> str:
    """Text that stands on a page as it is."""
    return html.escape(str(value))
