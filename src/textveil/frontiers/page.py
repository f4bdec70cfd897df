"""The frontier as one page, which asks nothing of a network: a chart, tables, and what each measure says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from textveil.frontiers.charts import looks, shown_label
from textveil.frontiers.measures import MEASURES, VULNERABILITY
from textveil.frontiers.points import GUARANTEE, Frontier, FrontierPart, FrontierPoint, lines_of
from textveil.frontiers.study import TEXT_WORDS
from textveil.pages.html import data_address, html_figure, html_table, page_head, safe
from textveil.pages.plots import COLORS
from textveil.pages.tables import shown

TITLE: Final = "Mechanisms at one verified guarantee"
STAMP: Final = "An experiment with a seed: nothing of it is for release."

_SCRIPT: Final = Path(__file__).parent / "page.js"
_STYLE: Final = """<style>
.controls{display:flex;flex-wrap:wrap;gap:.6rem 1.2rem;align-items:end;margin:.8rem 0}
.controls label{display:flex;flex-direction:column;font-size:.85rem;color:#444}
.controls label[hidden]{display:none}
.controls label{min-width:0;max-width:100%}.controls select{font:inherit;padding:.25rem;max-width:100%;min-width:0}
#chart{width:100%;height:auto;display:block;touch-action:pan-y}
#legend{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.15rem .8rem;padding:0}
#legend button{font:inherit;font-size:.85rem;background:none;border:0;padding:.15rem 0;text-align:left;cursor:pointer;
display:flex;gap:.5rem;align-items:center;width:100%;color:inherit}
#legend button[aria-pressed=false]{opacity:.35;text-decoration:line-through}
#legend li{list-style:none}#legend svg{flex:none}
#said{min-height:3em;font-size:.9rem;background:#f6f6f6;padding:.3rem .6rem;border-radius:.3rem}
</style>"""


def to_html(found: Frontier, folder: Path) -> str:
    """The page.

    Args:
        found: what was measured.
        folder: where its figure and tables lie already.
    """
    parts = [
        page_head(TITLE),
        _STYLE,
        f"<h1>{TITLE}</h1>",
        f"<p><strong>{STAMP}</strong> {safe(_conditions(found))}</p>",
        *_chart(found),
        "<h2>What is measured</h2>",
        html_table(("measure", "direction", "what it says"), list(_about(found)), stacked=True),
        "<h2>What was verified</h2>",
        f"<p>{_VERIFIED}</p>",
        html_table(_head(found, *_GUARANTEE_HEAD), list(_guarantees(found)), stacked=True),
        *_weaker(found),
        "<h2>Losses that readers showed</h2>",
        f"<p>{_SHOWN}</p>",
        _losses(found),
        "<h2>All panels</h2>",
        html_figure(folder / "frontier.svg", "All measures against epsilon; the tables hold the numbers"),
        "<h2>Numbers</h2>",
        f"<p>{', '.join(_downloads(folder))}</p>",
        *_tables(found),
    ]
    return "\n".join([*parts, "</body></html>", ""])


_VERIFIED: Final = (
    "Each mechanism was made for the epsilon of the axis and audited on this very vocabulary. One that is certified "
    "or proved to spend less there than it was asked to is given more, until that reaches the axis within 1 %, or as "
    "near below it as the mechanism comes: so all spend the same, whatever their constructors promise for other "
    "vocabularies. What is measured at equal Bayes vulnerability is given more than that and may pass the limits, "
    "which are those of the epsilon of the axis."
)
_SHOWN: Final = (
    "A reader who tells two inputs apart in a share p of the trials has shown a loss of ln(p / (1 - p)) at least (the "
    "lower end of the 95 % interval is taken). It is what an empirical calibration sees; what is verified bounds every "
    f"reader. For texts of {TEXT_WORDS} words the verified loss is {TEXT_WORDS} times that of a word."
)
_GUARANTEE_HEAD: Final = ("mechanism", "epsilon of the axis", "given", "verified epsilon", "delta", "how", "promises")


def _conditions(found: Frontier) -> str:
    facts = found.facts
    known = [(one.vocabulary, f"{one.facts['words']:,} words; prior: {one.facts['prior']}") for one in found.parts]
    named = [f"{label} ({about})" if found.several else f"{label}, {about}" for label, about in known]
    start = f"{'Vocabularies' if found.several else 'Vocabulary'} {', '.join(named)}"
    return (
        f"{start}. For each point "
        f"{facts['draws']:,} words were drawn from the prior and released once; intervals are of 95 %, each on its "
        f"own. Seed {facts['seed']}."
    )


def _chart(found: Frontier) -> list[str]:
    data = json.dumps(_data(found), allow_nan=False).replace("<", "\\u003c")
    return [
        "<div class='controls'><label hidden>vocabulary<select id='vocabulary'></select></label>"
        "<label>measure<select id='measure'></select></label>"
        "<label>against<select id='across'></select></label>"
        "<label>scale<select id='scale'><option value='linear'>linear</option><option value='log'>logarithmic</option>"
        "</select></label></div>",
        "<svg id='chart' role='img' aria-label='The chosen measure against the chosen axis'></svg>",
        "<p id='said' aria-live='polite'></p><ul id='legend'></ul>",
        "<noscript><p>The chart needs scripts; the figure and the tables below hold the same.</p></noscript>",
        f"<script>const FOUND={data};\n{_SCRIPT.read_text(encoding='utf-8')}</script>",
    ]


def _data(found: Frontier) -> dict[str, Any]:
    """What the chart draws, as JSON values."""
    places = looks(found)
    lines = []
    levels = []
    for part, key in ((one, key) for one in found.parts for key in one.measured):
        named = {"measure": key, "vocabulary": part.vocabulary}
        levels += [{**named, "y": value, "label": label} for value, label in part.levels(key)]
        for points in lines_of(part.points, key).values():
            first = points[0]
            lines.append(
                {
                    **named,
                    "label": shown_label(first),
                    "color": COLORS[places[first.contender.label] % len(COLORS)],
                    "look": places[first.contender.label],
                    "dashed": first.way != GUARANTEE or not first.contender.comparable,
                    "points": [_point(one, key) for one in points],
                }
            )
    limits = [
        {"measure": one.measure, "vocabulary": one.vocabulary, "x": one.epsilon, "y": one.value, "delta": one.delta}
        for one in found.limits
    ]
    titles = {key: MEASURES[key].title.format(k=found.facts["neighbors"]) for key in found.measured}
    names = [part.vocabulary for part in found.parts]
    return {"lines": lines, "limits": limits, "levels": levels, "titles": titles, "vocabularies": names}


def _point(one: FrontierPoint, key: str) -> dict[str, Any]:
    bound = one.scores[key]
    known = one.scores.get(VULNERABILITY)
    return {
        "epsilon": one.epsilon,
        "vulnerability": None if known is None else known.estimate,
        "low": bound.lower,
        "y": bound.estimate,
        "high": bound.upper,
        "verified": _verified(one),
    }


def _verified(one: FrontierPoint) -> str:
    if not one.verified:
        return "nothing verified for any two words"
    delta = f", delta {one.verified_delta:.3g}" if one.verified_delta else ""
    return f"verified epsilon {one.verified_epsilon:.4g}{delta} ({one.verified})"


def _head(found: Frontier, *columns: str) -> tuple[str, ...]:
    """Names of columns; those of several vocabularies begin with which."""
    return ("vocabulary", *columns) if found.several else columns


def _place(found: Frontier, vocabulary: str) -> list[str]:
    return [vocabulary] if found.several else []


def _about(found: Frontier) -> Iterator[list[str]]:
    for key in found.measured:
        one = MEASURES[key]
        count = found.facts["neighbors"]
        yield [one.title.format(k=count), one.better.value, one.about.format(k=count)]


def _guarantees(found: Frontier) -> Iterator[list[str]]:
    for one in found.points:
        place = _place(found, one.vocabulary)
        if one.missing:
            yield [*place, one.contender.label, f"{one.epsilon:g}", "-", "-", "-", "not made", one.missing]
            continue
        epsilon = f"{one.verified_epsilon:.5g}" if one.verified else "-"
        way = "" if one.way == GUARANTEE else " (equal Bayes vulnerability)"
        how = one.verified or "nothing for any two words"
        yield [*place, one.contender.label + way, f"{one.epsilon:g}", f"{one.given:.5g}", epsilon,
               f"{one.verified_delta:.3g}", how, one.guarantee]  # fmt: skip


def _weaker(found: Frontier) -> list[str]:
    named = {one.contender.label: one.contender.weaker for one in found.points if one.contender.weaker}
    if not named:
        return []
    rows = [[label, text] for label, text in named.items()]
    return [
        "<h2>Not comparable: weaker guarantees</h2>",
        "<p>These protect less than any two words, so their lines are dashed and none of their numbers is at an equal "
        "guarantee. What two inputs their epsilon compares; anything else the output may tell:</p>",
        html_table(("mechanism", "compares"), rows, stacked=True),
    ]


def _losses(found: Frontier) -> str:
    table = found.shown_losses()
    head = [MEASURES[name].title if name in MEASURES else name for name in table.columns[:-1]]
    rows = [[*_place(found, str(row[-1])), *(shown(cell) for cell in row[:-1])] for row in table.rows]
    return html_table(_head(found, *head), rows)


def _downloads(folder: Path) -> Iterator[str]:
    for name in ("frontier.csv", "frontier.json", "limits.csv", "shown-losses.csv"):
        yield f"<a download='{name}' href='{data_address(folder / name)}'>{name}</a>"


def _tables(found: Frontier) -> Iterator[str]:
    """A table a measure: a row a line, a column an epsilon."""
    grid = sorted({one.epsilon for one in found.points})
    for key in found.measured:
        rows = [
            [*_place(found, part.vocabulary), *row]
            for part in found.parts
            if key in part.measured
            for row in _rows(part, key, grid)
        ]
        title = MEASURES[key].title.format(k=found.facts["neighbors"])
        table = html_table(_head(found, "mechanism", *(f"epsilon {epsilon:g}" for epsilon in grid)), rows)
        yield f"<details><summary>{safe(title)}</summary>{table}</details>"


def _rows(part: FrontierPart, key: str, grid: Sequence[float]) -> Iterator[list[str]]:
    for points in lines_of(part.points, key).values():
        by = {one.epsilon: one.scores[key] for one in points}
        yield [shown_label(points[0]), *(_cell(by[epsilon]) if epsilon in by else "-" for epsilon in grid)]
    for delta in sorted({one.delta for one in part.limits if one.measure == key}):
        values = {one.epsilon: one.value for one in part.limits if one.measure == key and one.delta == delta}
        name = "limit" if delta == 0 else f"limit with delta {delta:g}"
        yield [name, *(f"{values[epsilon]:.4g}" for epsilon in grid)]


def _cell(bound: Any) -> str:
    if bound.lower == bound.upper:
        return f"{bound.estimate:.4g}"
    return f"{bound.estimate:.4g} ({bound.lower:.4g} to {bound.upper:.4g})"
