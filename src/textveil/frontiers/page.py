"""The frontier as one page, which asks nothing of a network: a chart, tables, and what each measure says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from textveil.frontiers.charts import looks, shown_label
from textveil.frontiers.measures import MEASURES, VULNERABILITY
from textveil.frontiers.points import GUARANTEE, Frontier, FrontierPart, FrontierPoint, lines_of
from textveil.frontiers.study import TEXT_WORDS
from textveil.pages.rendering import SERIES, rendered
from textveil.pages.tables import shown

TITLE: Final = "Mechanisms at one verified guarantee"
STAMP: Final = "An experiment with a seed: nothing of it is for release."

_SCRIPT: Final = Path(__file__).parent / "page.js"


def to_html(found: Frontier, folder: Path) -> str:
    """The page.

    Args:
        found: what was measured.
        folder: where its figure and tables lie already.
    """
    weaker = {one.contender.label: one.contender.weaker for one in found.points if one.contender.weaker}
    return rendered(
        "frontier.html",
        title=TITLE,
        stamp=STAMP,
        conditions=_conditions(found),
        data=_data(found),
        script=Markup(_SCRIPT.read_text(encoding="utf-8")),
        measures=list(_about(found)),
        place=_head(found),
        guarantees=list(_guarantees(found)),
        weaker=list(weaker.items()),
        losses=_losses(found),
        text_words=TEXT_WORDS,
        tables=list(_tables(found)),
        folder=folder,
    )


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
                    "color": f"var(--c{places[first.contender.label] % SERIES})",
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


def _losses(found: Frontier) -> tuple[tuple[str, ...], list[list[str]]]:
    table = found.shown_losses()
    head = [MEASURES[name].title if name in MEASURES else name for name in table.columns[:-1]]
    rows = [[*_place(found, str(row[-1])), *(shown(cell) for cell in row[:-1])] for row in table.rows]
    return _head(found, *head), rows


def _tables(found: Frontier) -> Iterator[tuple[str, tuple[str, ...], list[list[str]]]]:
    """A table a measure: its title, a column an epsilon, a row a line."""
    grid = sorted({one.epsilon for one in found.points})
    head = _head(found, "mechanism", *(f"epsilon {epsilon:g}" for epsilon in grid))
    for key in found.measured:
        rows = [
            [*_place(found, part.vocabulary), *row]
            for part in found.parts
            if key in part.measured
            for row in _rows(part, key, grid)
        ]
        title = MEASURES[key].title.format(k=found.facts["neighbors"])
        yield title, head, rows


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
