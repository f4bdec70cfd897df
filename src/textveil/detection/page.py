"""Texts with their spans marked, as one HTML page that needs no network: private, like the texts."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from textveil.detection.base import DetectedSpan
from textveil.detection.kinds import KINDS

_COLORS: Final = {
    "person": "#d55e00",
    "place": "#009e73",
    "organization": "#0072b2",
    "date": "#cc79a7",
    "time": "#cc79a7",
    "age": "#cc79a7",
    "phone": "#8a6d00",
    "email": "#8a6d00",
    "url": "#8a6d00",
    "handle": "#8a6d00",
    "ip": "#8a6d00",
    "id": "#3b3b3b",
    "money": "#56b4e9",
    "number": "#767676",
}
"""Okabe and Ito's colors, which most color-blind readers tell apart; kinds that are alike share one, and each mark
carries the name of its kind besides."""

_OWN: Final = "#5b3fa8"
"""Of kinds that are a user's own."""

_STYLE: Final = """
*{box-sizing:border-box}
body{font:16px/1.9 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.5rem;line-height:1.3;margin-bottom:.3rem}
p{line-height:1.5;color:#444}
ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem .9rem;line-height:1.6}
article{border-top:1px solid #ddd;padding:.8rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
article h2{font-size:.8rem;color:#666;font-weight:600;margin:0;line-height:1.5}
mark{color:inherit;background:color-mix(in srgb,var(--c) 14%,#fff);border-bottom:3px solid var(--c);
border-radius:.2rem;padding:.05rem .2rem;-webkit-box-decoration-break:clone;box-decoration-break:clone}
mark small{font-size:.68rem;font-weight:600;color:#333;margin-left:.3rem;user-select:none;white-space:nowrap}
@media(prefers-color-scheme:dark){body{background:#161616;color:#e6e6e6}p{color:#bbb}article{border-color:#444}
article h2{color:#aaa}mark{background:color-mix(in srgb,var(--c) 34%,#161616)}mark small{color:#ddd}}
@media print{body{max-width:none;margin:0}}
"""


def spans_page(documents: Iterable[tuple[str, Sequence[DetectedSpan]]], detector: str) -> str:
    """The page: every text with its spans, and how many there are of each kind.

    Args:
        documents: texts, each with its spans by start, none overlapping.
        detector: its name.
    """
    counts: Counter[str] = Counter()
    articles = []
    for number, (text, spans) in enumerate(documents, start=1):
        counts.update(span.kind for span in spans)
        articles.append(f"<article><h2>Document {number}</h2>{_marked(text, spans)}</article>")
    order = [*(kind for kind in KINDS if kind in counts), *sorted(counts.keys() - set(KINDS))]
    legend = "".join(f'<li><mark style="--c:{_color(kind)}">{kind}</mark> {counts[kind]:,}</li>' for kind in order)
    total, said = sum(counts.values()), html.escape(detector)
    spans_said = f"{total:,} {'span' if total == 1 else 'spans'} in {len(articles):,} "
    spans_said += "document" if len(articles) == 1 else "documents"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Detected spans</title><style>{_STYLE}</style></head><body><h1>Detected spans</h1>"
        f"<p>{spans_said}, found by <strong>{said}</strong>. What is not marked was not found: recall is "
        "measured, never proved. This page holds the texts themselves: it is private.</p>"
        f"<ul>{legend}</ul><main>{''.join(articles)}</main></body></html>\n"
    )


def _marked(text: str, spans: Sequence[DetectedSpan]) -> str:
    parts, position = [], 0
    for span in spans:
        value = html.escape(_shown(text[span.start : span.end]))
        parts.append(html.escape(_shown(text[position : span.start])))
        parts.append(f'<mark style="--c:{_color(span.kind)}">{value}<small>{html.escape(span.kind)}</small></mark>')
        position = span.end
    return "".join([*parts, html.escape(_shown(text[position:]))])


def _shown(text: str) -> str:
    """Characters that UTF-8 cannot hold, as the sign for what cannot be shown."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _color(kind: str) -> str:
    return _COLORS.get(kind, _OWN)
