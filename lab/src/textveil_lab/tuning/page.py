"""Runs as files: a figure and numbers without text, and a page with examples for the owner only."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup

from textveil.json_text import json_text
from textveil.pages import rendering as parts
from textveil.statistics import Bound
from textveil.whole_files import results_folder, write_whole
from textveil_lab.plots import COLORS, MARKERS, Chart, Panel, new_figure, save_figure
from textveil_lab.tuning import lines
from textveil_lab.tuning.lines import decoded, kinds_of
from textveil_lab.tuning.tuning import Tuning

DECODED: Final = ("words", "content words", "names")  # A decoder's results, in a panel of its own
MOST_KINDS: Final = 5  # Kinds of entities that the figure shows beside all together, the commonest
_APART = 0.19  # Inches between the series of one candidate, and half of the gap between two candidates
_ROOM = 1.75  # Inches for title, axis and legend
_LEGEND = 0.52  # Inches from the axis to the legend below it
_WIDTH = 4.6


def drawn(run: Tuning) -> Chart:
    """Return the figure of at least one measurement.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    first = [] if run.raw is None else [None]
    panels: list[tuple[str, Mapping[str, Sequence[Bound | None]]]] = []
    if run.task is not None:
        panels.append(("Accuracy of the task", _of_accuracy(run)))
    if kinds_of(run):
        panels.append(("Entities still verbatim", {kind: [*first, *row] for kind, row in _of_entities(run).items()}))
    if any(outcome.recovery is not None for outcome in run.outcomes):
        rows = {kind: [*first, *(decoded(outcome, kind) for outcome in run.outcomes)] for kind in DECODED}
        panels.append(("Named by a decoder", rows))
    names = [*("no protection" for _ in first), *(outcome.name for outcome in run.outcomes)]
    deep = len(names) * _APART * (1 + max((len(series) for _, series in panels), default=1))
    titles = [title for title, _ in panels] or ["Nothing was measured"]
    chart = new_figure(titles, x="share", y="", panel_size=(_WIDTH, deep + _ROOM), x_range=(-0.02, 1.02))
    for number, (panel, (_, series)) in enumerate(zip(chart.panels, panels, strict=False)):
        _draw(panel, series, names if number == 0 else [""] * len(names), deep)
    return chart


def _draw(panel: Panel, series: Mapping[str, Sequence[Bound | None]], names: Sequence[str], deep: float) -> None:
    axes = panel.axes
    step = _APART * len(names) / deep
    for style, (label, bounds) in enumerate(series.items()):
        color, marker = COLORS[style % len(COLORS)], MARKERS[style % len(MARKERS)]
        shift = (style - (len(series) - 1) / 2) * step
        there = [(row + shift, bound) for row, bound in enumerate(bounds) if bound is not None]
        points = [bound.estimate for _, bound in there], [place for place, _ in there]
        axes.plot(*points, linestyle="", marker=marker, markersize=5.5, color=color, label=label)
        for place, bound in there:
            axes.plot([bound.lower, bound.upper], [place, place], color=color, linewidth=1.3)
    for row in range(1, len(names)):
        axes.axhline(row - 0.5, color="#DDDDDD", linewidth=0.8)
    axes.grid(axis="y", visible=False)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -_LEGEND / deep), ncols=2, columnspacing=1.0, borderpad=0.1)


def _of_accuracy(run: Tuning) -> dict[str, list[Bound | None]]:
    shown = [*([] if run.raw is None else [run.raw]), *(outcome.accuracy for outcome in run.outcomes)]
    return {
        "tested on releases": [
            None if accuracy is None or accuracy is run.raw else accuracy.on_releases for accuracy in shown
        ],
        "tested on clean text": [None if accuracy is None else accuracy.on_texts for accuracy in shown],
    }


def _of_entities(run: Tuning) -> dict[str, list[Bound | None]]:
    shares = [{share.kind: share.share for share in outcome.verbatim} for outcome in run.outcomes]
    return {kind: [shares_of_kinds.get(kind) for shares_of_kinds in shares] for kind in kinds_of(run)[: 1 + MOST_KINDS]}


FIGURE: Final = "tuning"
NUMBERS: Final = "tuning.json"
PAGE: Final = "index.html"
_TITLE: Final = "What policies keep and hide on a sample"

_PRIVATE: Final = (
    "FOR THE SENDER ONLY: this page quotes the sample. Its file is readable by its owner alone; keep it so. The "
    "numbers and the figure hold no text, but tell of the sample too."
)


def checked_folder(folder: Path) -> Path:
    """Return a folder for results; a missing one is made, readable for its owner only.

    Raises:
        ParameterError: it cannot be made, or it holds files but no results of an earlier run.
    """
    return results_folder(folder, NUMBERS, mode=0o700)


def write_results(run: Tuning, folder: Path) -> list[Path]:
    """Write the figure (PNG, SVG), the numbers (JSON) and the page, which only the owner may read."""
    files = save_figure(drawn(run), folder, FIGURE)
    files.append(write_whole(folder / NUMBERS, json_text(run.facts(), indent=1).encode("ascii")))
    files.append(write_whole(folder / PAGE, to_html(run, folder).encode("utf-8", "backslashreplace"), private=True))
    return files


def to_html(run: Tuning, folder: Path) -> str:
    """Return the page: private, since it quotes the sample."""
    return parts.results_page(_TITLE, _parts(run, folder))


def _parts(run: Tuning, folder: Path) -> Iterator[Markup]:
    figure = folder / f"{FIGURE}.svg"
    if not run.public:
        yield parts.text("", lead=_PRIVATE)
        yield parts.text("", lead=lines.LEAKS)
    whose = "public" if run.public else "private"
    yield parts.text(f"{run.documents:,} documents of a {whose} sample. {lines.CHOOSES_NOTHING}")
    about = f"Shares for {len(run.outcomes)} candidates, with intervals; the tables below hold the numbers"
    yield parts.figure(figure, about)
    yield parts.table(*lines.main_table(run))
    yield parts.text(lines.about_task(run))
    yield parts.heading("Entities by kind")
    yield parts.text(lines.about_entities(run))
    if kinds_of(run):
        yield parts.table(*lines.kinds_table(run))
        yield parts.text(lines.IN_PART)
        yield parts.table(*lines.kinds_table(run, in_part=True))
    yield parts.text(lines.about_recovery(run))
    if run.examples:
        yield parts.heading("Examples")
        yield parts.text(
            "Each example was released anew by every candidate, so it is another draw than those counted above."
        )
    names = ["(the text)", *(outcome.name for outcome in run.outcomes)]
    for example in run.examples:
        rows = zip(names, (example.text, *example.releases), strict=True)
        yield parts.table(("policy", "text"), rows, stacked=True)
    files = parts.downloads(folder / NUMBERS), parts.downloads(figure)
    yield parts.text(Markup("Numbers: {}; figure: {}.").format(*files))
