"""The frontier as files: figures, numbers, and one page that loads nothing from the network.

The static figure has a panel for each measure, a line for each mechanism, and the limits in gray.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from textveil.json_text import json_text
from textveil.pages import rendering as parts
from textveil.pages.rendering import SERIES, rendered
from textveil.whole_files import results_folder, write_whole
from textveil_lab.frontiers.measures import COSINE, MEASURES, VULNERABILITY
from textveil_lab.frontiers.points import GUARANTEE, Frontier, FrontierPart, FrontierPoint, lines_of
from textveil_lab.frontiers.study import TEXT_WORDS
from textveil_lab.plots import GRAY, Chart, Panel, need_matplotlib, new_figure, save_figure
from textveil_lab.tables import save_table, shown

_LOOKS: Final = 7  # Colors and markers; further mechanisms take them again with another kind of line


_SIZE: Final = (5.0, 3.6)


def drawn_frontier(frontier: Frontier) -> Chart:
    """Return a figure of every measure against the verified epsilon; metric mechanisms at equal vulnerability dashed.

    Each of several vocabularies has a column, and the panels of a row have one scale.
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
    """Return the number of every contender's line style."""
    return {
        label: place for place, label in enumerate(dict.fromkeys(point.contender.label for point in frontier.points))
    }


def shown_label(point: FrontierPoint) -> str:
    """Return a line's name in the legend."""
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


TITLE: Final = "Mechanisms at one verified guarantee"
STAMP: Final = "An experiment with a seed: nothing of it is for release."

_VERIFIED: Final = (
    "Each mechanism was made for the epsilon of the axis and audited on this very vocabulary. One that is certified or "
    "proved to spend less there than asked is given more, until that reaches the axis within 1 %, or as near "
    "below it as the mechanism comes: so all spend the same, whatever their constructors promise for other "
    "vocabularies. What is measured at equal Bayes vulnerability is given more than that and may pass the limits, "
    "which are those of the epsilon of the axis."
)
_WEAKER: Final = (
    "These protect less than any two words, so their lines are dashed and none of their numbers is at an equal "
    "guarantee. What two inputs their epsilon compares; anything else the output may tell:"
)
_LOSSES: Final = (
    "A reader who tells two inputs apart in a share p of the trials has shown a loss of ln(p / (1 - p)) at least (the "
    "lower end of the 95 % interval is taken). It is what an empirical calibration sees; what is verified bounds every "
    f"reader. For texts of {TEXT_WORDS} words the verified loss is {TEXT_WORDS} times that of a word."
)

_SCRIPT: Final = Path(__file__).parent / "page.js"


def to_html(frontier: Frontier, folder: Path) -> str:
    """Return the page."""
    return parts.results_page(TITLE, _parts(frontier, folder))


def _parts(frontier: Frontier, folder: Path) -> Iterator[Markup]:
    yield parts.text(_conditions(frontier), lead=STAMP)
    script = Markup(_SCRIPT.read_text(encoding="utf-8"))
    yield rendered("frontier-chart.html", data=_data(frontier), script=script)
    yield parts.heading("What is measured")
    yield parts.table(("measure", "direction", "what it says"), _about(frontier), stacked=True)
    yield parts.heading("What was verified")
    yield parts.text(_VERIFIED)
    columns = ("mechanism", "epsilon of the axis", "given", "verified epsilon", "delta", "how", "promises")
    yield parts.table(_head(frontier, *columns), _guarantees(frontier), stacked=True)
    weaker = {point.contender.label: point.contender.weaker for point in frontier.points if point.contender.weaker}
    if weaker:
        yield parts.heading("Not comparable: weaker guarantees")
        yield parts.text(_WEAKER)
        yield parts.table(("mechanism", "compares"), weaker.items(), stacked=True)
    yield parts.heading("Losses that readers showed")
    yield parts.text(_LOSSES)
    yield parts.table(*_shown_losses(frontier))
    yield parts.heading("All panels")
    yield parts.figure(folder / "frontier.svg", "All measures against epsilon; the tables hold the numbers")
    yield parts.heading("Numbers")
    names = ("frontier.csv", "frontier.json", "limits.csv", "shown-losses.csv")
    yield parts.text(parts.downloads(*(folder / name for name in names)))
    yield from (parts.folded(name, parts.table(head, rows)) for name, head, rows in _tables(frontier))


def _conditions(frontier: Frontier) -> str:
    facts = frontier.facts
    known = [
        (part.vocabulary, f"{part.facts['words']:,} words; prior: {part.facts['prior']}") for part in frontier.parts
    ]
    named = [f"{label} ({about})" if frontier.several else f"{label}, {about}" for label, about in known]
    start = f"{'Vocabularies' if frontier.several else 'Vocabulary'} {', '.join(named)}"
    return (
        f"{start}. For each point "
        f"{facts['draws']:,} words were drawn from the prior and released once; intervals are of 95 %, each on its "
        f"own. Seed {facts['seed']}."
    )


def _data(frontier: Frontier) -> dict[str, Any]:
    places = looks(frontier)
    lines = []
    levels = []
    for part, key in ((frontier_part, key) for frontier_part in frontier.parts for key in frontier_part.measured):
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
                    "points": [_point(point, key) for point in points],
                }
            )
    limits = [
        {
            "measure": limit.measure,
            "vocabulary": limit.vocabulary,
            "x": limit.epsilon,
            "y": limit.value,
            "delta": limit.delta,
        }
        for limit in frontier.limits
    ]
    titles = {key: MEASURES[key].title.format(k=frontier.facts["neighbors"]) for key in frontier.measured}
    names = [part.vocabulary for part in frontier.parts]
    return {"lines": lines, "limits": limits, "levels": levels, "titles": titles, "vocabularies": names}


def _point(point: FrontierPoint, key: str) -> dict[str, Any]:
    bound = point.scores[key]
    known = point.scores.get(VULNERABILITY)
    return {
        "epsilon": point.epsilon,
        "vulnerability": None if known is None else known.estimate,
        "low": bound.lower,
        "y": bound.estimate,
        "high": bound.upper,
        "verified": _verified(point),
    }


def _verified(point: FrontierPoint) -> str:
    if not point.verified:
        return "nothing verified for any two words"
    delta = f", delta {point.verified_delta:.3g}" if point.verified_delta else ""
    return f"verified epsilon {point.verified_epsilon:.4g}{delta} ({point.verified})"


def _head(frontier: Frontier, *columns: str) -> tuple[str, ...]:
    return ("vocabulary", *columns) if frontier.several else columns


def _place(frontier: Frontier, vocabulary: str) -> list[str]:
    return [vocabulary] if frontier.several else []


def _about(frontier: Frontier) -> Iterator[list[str]]:
    for key in frontier.measured:
        measure = MEASURES[key]
        count = frontier.facts["neighbors"]
        yield [measure.title.format(k=count), measure.better.value, measure.about.format(k=count)]


def _guarantees(frontier: Frontier) -> Iterator[list[str]]:
    for point in frontier.points:
        place = _place(frontier, point.vocabulary)
        if point.missing:
            yield [*place, point.contender.label, f"{point.epsilon:g}", "-", "-", "-", "not made", point.missing]
            continue
        epsilon = f"{point.verified_epsilon:.5g}" if point.verified else "-"
        way = "" if point.way == GUARANTEE else " (equal Bayes vulnerability)"
        how = point.verified or "nothing for any two words"
        yield [*place, point.contender.label + way, f"{point.epsilon:g}", f"{point.given:.5g}", epsilon,
               f"{point.verified_delta:.3g}", how, point.guarantee]  # fmt: skip


def _shown_losses(frontier: Frontier) -> tuple[tuple[str, ...], list[list[str]]]:
    table = frontier.shown_losses()
    head = [MEASURES[name].title if name in MEASURES else name for name in table.columns[:-1]]
    rows = [[*_place(frontier, str(row[-1])), *(shown(cell) for cell in row[:-1])] for row in table.rows]
    return _head(frontier, *head), rows


def _tables(frontier: Frontier) -> Iterator[tuple[str, tuple[str, ...], list[list[str]]]]:
    grid = sorted({point.epsilon for point in frontier.points})
    head = _head(frontier, "mechanism", *(f"epsilon {epsilon:g}" for epsilon in grid))
    for key in frontier.measured:
        rows = [
            [*_place(frontier, part.vocabulary), *row]
            for part in frontier.parts
            if key in part.measured
            for row in _rows(part, key, grid)
        ]
        title = MEASURES[key].title.format(k=frontier.facts["neighbors"])
        yield title, head, rows


def _rows(part: FrontierPart, key: str, grid: Sequence[float]) -> Iterator[list[str]]:
    for points in lines_of(part.points, key).values():
        by = {point.epsilon: point.scores[key] for point in points}
        yield [shown_label(points[0]), *(_cell(by[epsilon]) if epsilon in by else "-" for epsilon in grid)]
    for delta in sorted({limit.delta for limit in part.limits if limit.measure == key}):
        values = {limit.epsilon: limit.value for limit in part.limits if limit.measure == key and limit.delta == delta}
        name = "limit" if delta == 0 else f"limit with delta {delta:g}"
        yield [name, *(f"{values[epsilon]:.4g}" for epsilon in grid)]


def _cell(bound: Any) -> str:
    if bound.lower == bound.upper:
        return f"{bound.estimate:.4g}"
    return f"{bound.estimate:.4g} ({bound.lower:.4g} to {bound.upper:.4g})"


NAME: Final = "frontier"
PAGE: Final = "index.html"
LIMITS: Final = "limits"
LOSSES: Final = "shown-losses"


def checked_folder(folder: Path) -> Path:
    """Return a folder for results, made if missing; to be called before long work.

    Raises:
        ParameterError: it cannot be made, or it holds files but no results of an earlier run.
    """
    need_matplotlib()
    return results_folder(folder, f"{NAME}.json")


def write_frontier(frontier: Frontier, folder: Path) -> list[Path]:
    """Write all files of a frontier.

    Args:
        folder: see ``checked_folder``.
    """
    home = checked_folder(folder)
    files = save_table(frontier.table(), home, NAME)
    files += save_table(frontier.limit_table(), home, LIMITS)
    files += save_table(frontier.shown_losses(), home, LOSSES)
    files += save_figure(drawn_frontier(frontier), home, NAME)
    files.append(write_whole(home / PAGE, to_html(frontier, home).encode("utf-8")))
    return files


def frontier_json(frontier: Frontier) -> str:
    """Return the points and facts as JSON text, for the command line."""
    whole = {"points": frontier.table().to_data(), "limits": frontier.limit_table().to_data()}
    return json_text(whole, sort_keys=True)
