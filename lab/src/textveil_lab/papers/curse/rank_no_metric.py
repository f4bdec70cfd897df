"""Figure 7: why the rank of a neighbor is no metric, on the smallest examples, and how often words show it.

Table 1: the paper's vocabularies, beside the available ones.
"""

from typing import Final

import numpy as np

from textveil.statistics import Bound
from textveil.types import Ids
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.evaluation.drawn_tables import drawn_if_possible
from textveil_lab.laws.neighbors import neighbors_at_ranks
from textveil_lab.laws.rank_profile import mean_probability, ranks_around
from textveil_lab.papers.curse.facts import TABLE_2, paper_name
from textveil_lab.papers.curse.rank_arrangements import (
    Arrangement,
    broken_triangles,
    every_rank_table,
    smallest_arrangement,
)
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import COLORS, GRAY, Panel, new_figure
from textveil_lab.tables import Cell, Table


def label(vocabulary: Vocabulary) -> str:
    """Return the paper's name if the vocabulary is one of its own or a part of it, with the number of words."""
    known = paper_name(vocabulary.name, vocabulary.dim)
    return f"{known or vocabulary.name.removesuffix('.txt')} ({len(vocabulary):,} words)"


def key(vocabulary: Vocabulary) -> str:
    """Return a short name for files: letters, digits and hyphens."""
    plain = "".join(mark if mark.isalnum() else "-" for mark in vocabulary.name.lower().removesuffix(".txt"))
    return "-".join(part for part in plain.split("-") if part)


def difference_note(vocabulary: Vocabulary) -> str:
    """Return the available share of the paper's vocabulary, in words; empty if it is complete."""
    known = paper_name(vocabulary.name, vocabulary.dim)
    if known is None or len(vocabulary) >= 0.9 * TABLE_2[known].words:
        return ""
    return f"subset: {len(vocabulary):,} of {TABLE_2[known].words:,} words"


def percent(bound: Bound) -> str:
    """Return a share with its interval, in percent."""
    middle = f"{100 * bound.estimate:.1f} %"
    if bound.lower == bound.upper:
        return middle
    return f"{middle} ({100 * bound.lower:.1f} to {100 * bound.upper:.1f})"


_WIDTHS: Final = (16, 10, 12, 12, 12, 36)  # Characters of the columns of the drawn table


_COLUMNS: Final = ("vocabulary", "dimensions", "words (paper)", "words here", "share here", "read from")


def table_1(setting: StudySetting) -> ItemOutcome:
    """Return a table of the paper's vocabularies with their available words, followed by other vocabularies."""
    here = {paper_name(one.name, one.dim): one for one in setting.vocabularies}
    rows: list[tuple[Cell, ...]] = []
    comparisons = []
    whole = 0
    for name, printed in TABLE_2.items():
        family, _, dimensions = name.rpartition(" ")
        one = here.get(name)
        found: tuple[Cell, ...] = (None, None, None)
        note = f"needs {printed.file}"
        if one is not None:
            found, note = (len(one), len(one) / printed.words, one.name), difference_note(one)
            whole += not note
        rows.append((family, int(dimensions.removesuffix("d")), printed.words, *found))
        comparisons.append(
            Comparison(
                what=f"{name}, number of words",
                paper=f"{printed.words:,}",
                ours="not at hand" if one is None else f"{len(one):,}",
                note=note,
            )
        )
    others = [one for one in setting.vocabularies if paper_name(one.name, one.dim) is None]
    rows += [("none of these", one.dim, None, len(one), None, one.name) for one in others]
    had = len(TABLE_2) - sum(one.ours == "not at hand" for one in comparisons)
    table = Table(columns=_COLUMNS, rows=tuple(rows))
    why = f"Of the paper's {len(TABLE_2)} vocabularies this run has {whole} whole and {had - whole} in part."
    setting.progress(1.0)
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible("The vocabularies, and what this run has of them", table, _WIDTHS),
        findings=(
            "The dimensions of one family share their words.",
            *(f"{one.name} is none of the paper's vocabularies: its results stand beside no number." for one in others),
        ),
        comparisons=tuple(comparisons),
        judgment=Judgment(
            reproduced=Reproduced.YES if whole == len(TABLE_2) else Reproduced.PARTLY if had else Reproduced.NO, why=why
        ),
    )


_WORDS: Final = 1000
_QUICK_WORDS: Final = 100  # Most words of one vocabulary
_FIRST, _BACK, _FURTHER = 0, 1, 2  # Looks of the ways from a to b, from b to a, and of those to c


def figure_7(setting: StudySetting) -> ItemOutcome:
    """Show the smallest arrangements on a line and in a plane, their ranks, and the same faults among words."""
    line, plane = (smallest_arrangement(4, dimensions, triangle=True) for dimensions in (1, 2))
    pair = smallest_arrangement(3, 1, triangle=False)
    assert line is not None and plane is not None and pair is not None  # sides 9, 3 and 3, by the search itself
    chart = new_figure(
        [f"On a line: the points {_coordinates(line)}", "In a plane, the same ranks", "Ranks, by row"],
        x="",
        y="",
        panel_size=(5.2, 4.3),
    )
    _on_a_line(chart.panels[0], line)
    _in_a_plane(chart.panels[1], plane)
    _matrix(chart.panels[2], line)
    rows: list[tuple[Cell, ...]] = [
        (space, name, str(found.points[index]), *(found.ranks[index][other] for other in _order(found)))
        for space, found in (("line", line), ("plane", plane))
        for name, index in zip("abcd", _order(found), strict=True)
    ]
    columns = ("space", "point", "coordinates", *(f"rank of {name}" for name in "abcd"))
    facts = {
        space: {"side": one.side, "narrower arrangements": one.narrower, "with a broken triangle": one.narrower_broken}
        for space, one in (("line", line), ("plane", plane))
    }
    words, findings = _among_words(setting)
    three = list(every_rank_table(3))
    broken = sum(any(True for _ in broken_triangles(ranks)) for ranks in three)
    smaller = broken + line.narrower_broken + plane.narrower_broken
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts=facts), "words": words},
        charts={"": chart},
        findings=(
            "rank(a, b) is the place of b among the points in order of distance from a. Here rank(a, b) = 1 and "
            "rank(b, a) = 2, so it is not symmetric; and rank(a, c) = 3 is more than rank(a, b) + rank(b, c) = 2, so "
            "the triangle inequality fails.",
            f"No smaller arrangement will do, by trying all. With three points the triangle inequality fails in "
            f"{broken} "
            f"of the {len(three)} ways in which each can order the others, in any space; the points "
            f"{_coordinates(pair)} show that rank(a, b) = 1 with rank(b, a) = 2 needs no fourth. Of the arrangements "
            f"of four integers without ties, {line.narrower_broken} of the {line.narrower} narrower ones on a line "
            f"break a triangle anywhere, and {plane.narrower_broken} of the {plane.narrower} narrower ones in a plane.",
            *findings,
        ),
        judgment=Judgment(
            reproduced=Reproduced.PARTLY if smaller else Reproduced.YES,
            why="The arrangement has rank(a, b) = 1, rank(b, a) = 2 and a broken triangle, and a search of all smaller "
            f"ones shows that {f'{smaller} break' if smaller else 'none breaks'} a triangle with fewer points or less "
            "width. The paper's own points were not at hand.",
        ),
    )


def _among_words(setting: StudySetting) -> tuple[Table, list[str]]:
    rows: list[tuple[Cell, ...]] = []
    findings = []
    for number, vocabulary in enumerate(setting.vocabularies):
        chosen = setting.words(vocabulary, number, most=_WORDS if not setting.quick else _QUICK_WORDS)
        back, onward = _ranks_back_and_onward(vocabulary, chosen)
        one_way = mean_probability(int((back > 1).sum()), len(chosen))
        broken = mean_probability(int((onward > 2).sum()), len(chosen))
        middle, high = (float(value) for value in np.quantile(back, (0.5, 0.9)))
        rows.append((label(vocabulary), *one_way[:3], middle, high, *broken[:3], len(chosen)))
        findings.append(
            f"{label(vocabulary)}: {percent(one_way)} of the words have a nearest neighbor x1 that has another nearest "
            f"one; the word's rank around x1 is {middle:.0f} in the median and above {high:.0f} for one in ten. "
            f"{percent(broken)} break the triangle inequality over x1 and x1's nearest other word."
        )
        setting.progress((number + 1) / len(setting.vocabularies))
    columns = ("vocabulary", "rank back above 1", "lower", "upper", "median rank back", "q90", "broken triangle",
               "broken, lower", "broken, upper", "words")  # fmt: skip
    return Table(columns=columns, rows=tuple(rows), facts={"seed": setting.seed, "confidence": 0.99}), findings


def _ranks_back_and_onward(vocabulary: Vocabulary, words: Ids) -> tuple[Ids, Ids]:
    """Return rank(x1, w), and rank(w, y) with y the nearest word to x1 other than w; shape (words,) each.

    rank(w, x1) is 1, and rank(x1, y) is 1, or 2 if w itself is nearest to x1. If it is 2, y breaks a counted triangle
    only if rank(w, y) is above 3, so 1 is subtracted.
    """
    grid = integer_grid(vocabulary)
    first = neighbors_at_ranks(vocabulary, words, [1])[0][:, 0]
    back = ranks_around(grid, first, words[:, None])[:, 0]
    nearest_two = neighbors_at_ranks(vocabulary, first, [1, 2])[0]
    returned = nearest_two[:, 0] == words
    onward = ranks_around(grid, words, np.where(returned, nearest_two[:, 1], nearest_two[:, 0])[:, None])[:, 0]
    return back, onward - returned


def _order(found: Arrangement) -> tuple[int, int, int, int]:
    a, b, c = found.fault
    assert c is not None
    return a, b, c, next(iter({0, 1, 2, 3} - {a, b, c}))


def _coordinates(found: Arrangement) -> str:
    return ", ".join(str(point[0]) for point in found.points)


def _on_a_line(panel: Panel, found: Arrangement) -> None:
    at = {name: (float(found.points[index][0]), 0.0) for name, index in zip("abcd", _order(found), strict=True)}
    panel.axes.axhline(0, color=GRAY, linewidth=1, zorder=0)
    _ways(panel, at, {"ab": -0.55, "ba": -0.55, "bc": -0.75, "ac": 1.0})
    panel.axes.set(xlim=(-0.8, found.side + 0.8), ylim=(-3.6, 4.0))
    panel.axes.set_aspect("equal")
    panel.axes.set_xticks([point[0] for point in found.points])
    panel.axes.set_yticks([])
    panel.axes.grid(visible=False)
    panel.axes.spines["left"].set_visible(False)


def _in_a_plane(panel: Panel, found: Arrangement) -> None:
    at = {
        name: (float(found.points[index][0]), float(found.points[index][1]))
        for name, index in zip("abcd", _order(found), strict=True)
    }
    _ways(panel, at, {"ab": -0.25, "ba": -0.4, "bc": 0.6, "ac": -0.75})
    panel.axes.set(xlim=(-0.9, found.side + 0.7), ylim=(-0.6, found.side + 0.1))
    panel.axes.set_aspect("equal")
    panel.axes.set_xticks(range(found.side + 1))
    panel.axes.set_yticks(range(found.side))


def _ways(panel: Panel, at: dict[str, tuple[float, float]], bends: dict[str, float]) -> None:
    looks = {"ab": (_FIRST, "1"), "ba": (_BACK, "2"), "bc": (_FURTHER, "1"), "ac": (3, "3")}
    for way, bend in bends.items():
        style, rank = looks[way]
        start, end = np.array(at[way[0]]), np.array(at[way[1]])
        arrow = {"arrowstyle": "-|>", "color": COLORS[style], "linewidth": 1.8, "shrinkA": 7, "shrinkB": 7,
                 "connectionstyle": f"arc3,rad={bend}"}  # fmt: skip
        panel.axes.annotate("", end, xytext=start, arrowprops=arrow)
        across = end - start
        spot = (start + end) / 2 + bend / 2 * np.array([across[1], -across[0]])
        text = f"rank({way[0]}, {way[1]}) = {rank}"
        panel.axes.annotate(text, spot, ha="center", va="center", fontsize=9, color=COLORS[style],
                            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # fmt: skip
    for name, point in at.items():
        panel.axes.scatter(*point, s=120, color="#000000", zorder=4)
        panel.axes.annotate(name, point, ha="center", va="center", color="white", fontsize=9, zorder=5)


def _matrix(panel: Panel, found: Arrangement) -> None:
    order = _order(found)
    looks = {(0, 1): _FIRST, (1, 0): _BACK, (1, 2): _FURTHER, (0, 2): 3}
    for row, own in enumerate(order):
        panel.axes.text(-1, row, f"from {'abcd'[row]}", ha="center", va="center", fontsize=11)
        panel.axes.text(row, -1, f"to {'abcd'[row]}", ha="center", va="center", fontsize=11)
        for column, other in enumerate(order):
            style = looks.get((row, column))
            color, weight = ("#000000", "normal") if style is None else (COLORS[style], "bold")
            panel.axes.text(column, row, str(found.ranks[own][other]), ha="center", va="center", fontsize=15,
                            color=color, fontweight=weight)  # fmt: skip
    panel.axes.text(1, 4.1, "1 + 1 < 3: the way over b is shorter", ha="center", va="center", fontsize=10)
    panel.axes.set(xlim=(-1.6, 3.6), ylim=(4.6, -1.6))
    panel.axes.set_axis_off()
