"""The frontier as a static figure: a panel a measure, a line a mechanism, the limits in gray."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from textveil.frontiers.measures import COSINE, MEASURES
from textveil.frontiers.points import GUARANTEE, Frontier, FrontierPart, FrontierPoint, lines_of
from textveil.pages.plots import GRAY, Chart, Panel, new_figure

_LOOKS: Final = 7
"""Colors and markers; further mechanisms take them again with another kind of line."""

_SIZE: Final = (5.0, 3.6)


def drawn_frontier(found: Frontier) -> Chart:
    """Every measure against the verified epsilon of any two words; metric mechanisms at equal vulnerability dashed.

    Of several vocabularies each has a column, and the panels of a row have one scale.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    keys = found.measured
    neighbors = found.facts["neighbors"]
    numbers = looks(found)
    drawn = [(key, part) for key in keys for part in found.parts]
    titles = [
        MEASURES[key].title.format(k=neighbors) + (f"\n{part.vocabulary}" if found.several else "")
        for key, part in drawn
    ]
    columns = len(found.parts) if found.several else 3
    chart = new_figure(titles, x="epsilon, nats of one word", y="", columns=columns, panel_size=_SIZE)
    for panel, (key, part) in zip(chart.panels, drawn, strict=True):
        _draw(panel, part, key, numbers)
    if found.several:
        for start in range(0, len(drawn), columns):
            _share_scale(chart.panels[start : start + columns])
    labels: dict[str, object] = {}
    for panel in chart.panels:
        handles, names = panel.axes.get_legend_handles_labels()
        labels |= dict(zip(names, handles, strict=True))
    chart.figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=3)
    return chart


def looks(found: Frontier) -> dict[str, int]:
    """The number of the look of every contender."""
    return {label: place for place, label in enumerate(dict.fromkeys(one.contender.label for one in found.points))}


def shown_label(one: FrontierPoint) -> str:
    """What a legend calls a line."""
    if one.way != GUARANTEE:
        return f"{one.contender.label}, at equal Bayes vulnerability"
    return one.contender.label if one.contender.comparable else f"{one.contender.label} (weaker: its groups are public)"


def _draw(panel: Panel, found: FrontierPart, key: str, numbers: Mapping[str, int]) -> None:
    if key not in found.measured:
        panel.axes.set_axis_off()
        panel.axes.text(0.5, 0.5, "not measured", transform=panel.axes.transAxes, ha="center", color=GRAY)
        return
    for points in lines_of(found.points, key).values():
        place = numbers[points[0].contender.label]
        solid = points[0].way == GUARANTEE and points[0].contender.comparable
        bounds = [one.scores[key] for one in points]
        panel.line(
            [one.epsilon for one in points],
            [bound.estimate for bound in bounds],
            shown_label(points[0]),
            style=place,
            low=[bound.lower for bound in bounds],
            high=[bound.upper for bound in bounds],
            pattern=(2 if place >= _LOOKS else 0) if solid else 1,
        )
    for delta in sorted({one.delta for one in found.limits if one.measure == key}):
        some = [one for one in found.limits if one.measure == key and one.delta == delta]
        name = "limit" if delta == 0 else f"limit with delta {delta:g}"
        panel.axes.plot([one.epsilon for one in some], [one.value for one in some], color=GRAY if delta else "black",
                        linewidth=1.2, linestyle="-" if delta == 0 else ":", label=name)  # fmt: skip
    for value, label in found.levels(key):
        panel.level(value, label)
    if key == COSINE:
        panel.axes.set_ylim(top=1.02)
    _ticks(panel, [one.epsilon for one in found.points])


def _share_scale(panels: Sequence[Panel]) -> None:
    """One scale upwards for panels that hold something."""
    full = [one for one in panels if one.axes.lines]
    low = min(one.axes.get_ylim()[0] for one in full)
    high = max(one.axes.get_ylim()[1] for one in full)
    for one in full:
        one.axes.set_ylim(low, high)


def _ticks(panel: Panel, epsilons: Sequence[float]) -> None:
    panel.ticks(sorted(set(epsilons)))
