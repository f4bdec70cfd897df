"""The frontier as a static figure: a panel a measure, a line a mechanism, the limits in gray."""

from collections.abc import Mapping, Sequence
from typing import Final

from textveil_lab.frontiers.measures import COSINE, MEASURES
from textveil_lab.frontiers.points import GUARANTEE, Frontier, FrontierPart, FrontierPoint, lines_of
from textveil_lab.plots import GRAY, Chart, Panel, new_figure

_LOOKS: Final = 7  # Colors and markers; further mechanisms take them again with another kind of line
_SIZE: Final = (5.0, 3.6)


def drawn_frontier(frontier: Frontier) -> Chart:
    """Every measure against the verified epsilon of any two words; metric mechanisms at equal vulnerability dashed.

    Of several vocabularies each has a column, and the panels of a row have one scale.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    keys = frontier.measured
    neighbors = frontier.facts["neighbors"]
    numbers = looks(frontier)
    drawn = [(key, part) for key in keys for part in frontier.parts]
    titles = [
        MEASURES[key].title.format(k=neighbors) + (f"\n{part.vocabulary}" if frontier.several else "")
        for key, part in drawn
    ]
    columns = len(frontier.parts) if frontier.several else 3
    chart = new_figure(titles, x="epsilon, nats of one word", y="", columns=columns, panel_size=_SIZE)
    for panel, (key, part) in zip(chart.panels, drawn, strict=True):
        _draw(panel, part, key, numbers)
    if frontier.several:
        for start in range(0, len(drawn), columns):
            _share_scale(chart.panels[start : start + columns])
    labels: dict[str, object] = {}
    for panel in chart.panels:
        handles, names = panel.axes.get_legend_handles_labels()
        labels |= dict(zip(names, handles, strict=True))
    chart.figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=3)
    return chart


def looks(frontier: Frontier) -> dict[str, int]:
    """The number of the look of every contender."""
    return {
        label: place for place, label in enumerate(dict.fromkeys(point.contender.label for point in frontier.points))
    }


def shown_label(point: FrontierPoint) -> str:
    """What a legend calls a line."""
    if point.way != GUARANTEE:
        return f"{point.contender.label}, at equal Bayes vulnerability"
    return (
        point.contender.label
        if point.contender.comparable
        else f"{point.contender.label} (weaker: its groups are public)"
    )


def _draw(panel: Panel, part: FrontierPart, key: str, numbers: Mapping[str, int]) -> None:
    if key not in part.measured:
        panel.axes.set_axis_off()
        panel.axes.text(0.5, 0.5, "not measured", transform=panel.axes.transAxes, ha="center", color=GRAY)
        return
    for points in lines_of(part.points, key).values():
        place = numbers[points[0].contender.label]
        solid = points[0].way == GUARANTEE and points[0].contender.comparable
        bounds = [point.scores[key] for point in points]
        panel.line(
            [point.epsilon for point in points],
            [bound.estimate for bound in bounds],
            shown_label(points[0]),
            style=place,
            low=[bound.lower for bound in bounds],
            high=[bound.upper for bound in bounds],
            pattern=(2 if place >= _LOOKS else 0) if solid else 1,
        )
    for delta in sorted({limit.delta for limit in part.limits if limit.measure == key}):
        some = [limit for limit in part.limits if limit.measure == key and limit.delta == delta]
        epsilons, values = [limit.epsilon for limit in some], [limit.value for limit in some]
        name = "limit" if delta == 0 else f"limit with delta {delta:g}"
        panel.axes.plot(epsilons, values, color=GRAY if delta else "black",
                        linewidth=1.2, linestyle="-" if delta == 0 else ":", label=name)  # fmt: skip
    for value, label in part.levels(key):
        panel.level(value, label)
    if key == COSINE:
        panel.axes.set_ylim(top=1.02)
    _ticks(panel, [point.epsilon for point in part.points])


def _share_scale(panels: Sequence[Panel]) -> None:
    full = [panel for panel in panels if panel.axes.lines]
    low = min(panel.axes.get_ylim()[0] for panel in full)
    high = max(panel.axes.get_ylim()[1] for panel in full)
    for panel in full:
        panel.axes.set_ylim(low, high)


def _ticks(panel: Panel, epsilons: Sequence[float]) -> None:
    panel.ticks(sorted(set(epsilons)))
