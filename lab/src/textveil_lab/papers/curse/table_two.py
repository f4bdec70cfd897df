"""Table 2: isolation of a word against crowding of its neighbors, with all ten rows of the paper as targets.

Beyond the paper: distance of a word's k-th neighbor.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from textveil.errors import need
from textveil.types import Integers
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.evaluation.drawn_tables import drawn_if_possible
from textveil_lab.laws.neighbors import Spread, neighbor_distances, neighbor_geometry
from textveil_lab.papers.curse.facts import TABLE_2, TableTwo, paper_name
from textveil_lab.papers.curse.rank_no_metric import difference_note, label
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import new_figure
from textveil_lab.tables import Cell, Table

FAR = 101  # The rank that the table sets against the first neighbor: the first one that is not close

COLUMNS = (
    ("half_first", "||w - x1|| / 2 (eq. 18)"),
    ("second", "x1 against x2 (eq. 19)"),
    ("far", f"x1 against x{FAR} (eq. 19)"),
)
"""Fields of ``TableTwo`` and their names in reports."""

_WIDTHS = (34, 24, 8, 8, 8, 8, 8, 8, 8, 8, 8)  # Characters of the columns of the drawn table
_SAME = 0.05  # A mean is the paper's if it differs by less than this share: both are means over random words


class _Measured(NamedTuple):
    """One vocabulary of the run: its relation to the paper, the spreads of the three columns, and the drawn words."""

    vocabulary: Vocabulary
    paper: str | None
    spreads: tuple[Spread, ...]
    words: int


def table_2(setting: StudySetting) -> ItemOutcome:
    """Compare means of the right sides of equations 18 and 19, with spread, with the paper's; name missing rows."""
    measured = []
    for index, vocabulary in enumerate(setting.vocabularies):
        need_far(vocabulary)
        words = setting.words(vocabulary, index)
        spreads = neighbor_geometry(vocabulary, words, ranks=(2, FAR)).spreads()
        measured.append(_Measured(vocabulary, paper_name(vocabulary.name, vocabulary.dim), spreads, len(words)))
        setting.progress((index + 1) / len(setting.vocabularies))
    rows: list[tuple[Cell, ...]] = []
    comparisons: list[Comparison] = []
    for name, paper in TABLE_2.items():
        own = [one for one in measured if one.paper == name]
        for one in own:
            rows += _rows(one, paper)
            comparisons += _compared(one, paper)
        if not own:
            rows += [(name, title, getattr(paper, field), *(None,) * 8) for field, title in COLUMNS]
            comparisons.append(_absent(name, paper))
    for one in measured:
        rows += _rows(one, None) if one.paper is None else []
    columns = ("vocabulary", "quantity", "paper", "mean", "sd", "q05", "q25", "median", "q75", "q95", "words sampled")
    table = Table(columns=columns, rows=tuple(rows), facts={"unit": "distance", "seed": setting.seed})
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible("Right sides of equations 18 and 19, units of distance", table, _WIDTHS),
        findings=(
            *(_finding(one) for one in measured),
            "So noise that is strong enough to leave the word is strong against the gaps between its neighbors.",
        ),
        comparisons=tuple(comparisons),
        settings={"ranks": f"1, 2 and {FAR}"},
        judgment=_judged(measured),
    )


def need_far(vocabulary: Vocabulary) -> None:
    """Refuse a vocabulary without a neighbor of rank ``FAR``."""
    need(
        len(vocabulary) > FAR,
        f"vocabulary {vocabulary.name}",
        f"{len(vocabulary)} words",
        f"of more than {FAR} words, to have a neighbor of rank {FAR}",
    )


def _rows(one: _Measured, paper: TableTwo | None) -> list[tuple[Cell, ...]]:
    return [
        (
            label(one.vocabulary),
            title,
            None if paper is None else getattr(paper, field),
            spread.mean,
            spread.sd,
            *spread.quantiles,
            one.words,
        )
        for (field, title), spread in zip(COLUMNS, one.spreads, strict=True)
    ]


def _compared(one: _Measured, paper: TableTwo) -> list[Comparison]:
    made = []
    for (field, title), spread in zip(COLUMNS, one.spreads, strict=True):
        error = 2 * spread.sd / one.words**0.5
        made.append(
            Comparison(
                what=f"{label(one.vocabulary)}, {title}",
                paper=f"{getattr(paper, field):.3f}",
                ours=f"{spread.mean:.3f} ({spread.mean - error:.3f} to {spread.mean + error:.3f})",
                note=difference_note(one.vocabulary),
            )
        )
    return made


def _absent(name: str, paper: TableTwo) -> Comparison:
    return Comparison(
        what=f"{name}, the three columns",
        paper=", ".join(f"{getattr(paper, field):.3f}" for field, _ in COLUMNS),
        ours="not at hand",
        note=f"needs {paper.file} ({paper.words:,} words) among the vocabularies of the run",
    )


def _finding(one: _Measured) -> str:
    ratio = one.spreads[0].mean / one.spreads[1].mean
    return f"{label(one.vocabulary)}: the gap that protects a word is {ratio:.1f} times that of its two neighbors."


def _judged(measured: Sequence[_Measured]) -> Judgment:
    rows = [one for one in measured if one.paper is not None]
    whole = [one for one in rows if not difference_note(one.vocabulary)]
    same = [one for one in whole if _largest_difference(one) < _SAME]
    parts = [one for one in rows if difference_note(one.vocabulary)]
    absent = len(TABLE_2) - len({one.paper for one in rows})
    why = f"Of the ten rows, {len(same)} came out as printed on their whole vocabulary"
    if len(whole) > len(same):
        why += f", {len(whole) - len(same)} did not (a mean is off by {100 * _SAME:.0f} % or more)"
    if parts:
        wider = sum(one.spreads[1].mean > TABLE_2[one.paper or ""].second for one in parts)
        why += f", {len(parts)} could be measured on a part of it alone ({wider} with wider gaps between neighbors)"
    why += f", and {absent} are not at hand." if absent else "."
    if parts or absent:
        why += " A part of a vocabulary lacks near neighbors, so its gaps are wider: it cannot give the paper's means."
    kind = Reproduced.YES if len(same) == len(TABLE_2) else Reproduced.PARTLY if same else Reproduced.NO
    return Judgment(reproduced=kind, why=why)


def _largest_difference(one: _Measured) -> float:
    paper = TABLE_2[one.paper or ""]
    return max(
        abs(spread.mean / getattr(paper, field) - 1) for (field, _), spread in zip(COLUMNS, one.spreads, strict=True)
    )


_TICKS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
"""Ticks of the distances by rank, whose last ranks may be many times as far as the first."""


_CURVE_WORDS = 1000


_QUICK_CURVE_WORDS = 100  # Most words of the distances by rank: quartiles need no more


def neighbor_distances_by_rank(setting: StudySetting) -> ItemOutcome:
    """Plot the distance of the k-th neighbor against k: a long first step, then a plateau."""
    rows: list[tuple[Cell, ...]] = []
    labels = [label(vocabulary) for vocabulary in setting.vocabularies]
    chart = new_figure(
        ["Distance to the k-th neighbor, in distances to the first; bands: quartiles"],
        x="rank k of the neighbor",
        y="distance / distance to the first neighbor",
        x_scale="log",
        y_scale="log",
        panel_size=(7.2, 4.6),
    )
    findings = []
    for index, vocabulary in enumerate(setting.vocabularies):
        need_far(vocabulary)
        words = setting.words(vocabulary, index, most=_CURVE_WORDS if not setting.quick else _QUICK_CURVE_WORDS)
        ranks = _ranks(len(vocabulary))
        distances = neighbor_distances(vocabulary, words, [int(rank) for rank in ranks])
        relative = distances / distances[:, :1]
        low, middle, high = np.quantile(relative, (0.25, 0.5, 0.75), axis=0)
        chart.panels[0].line(ranks, middle, labels[index], style=index, low=low, high=high)
        for rank, distance, *share in zip(ranks, distances.mean(axis=0), middle, low, high, strict=True):
            rows.append((labels[index], int(rank), float(distance), *map(float, share), len(words)))
        hundredth = float(middle[np.searchsorted(ranks, 100)])
        findings.append(
            f"{labels[index]}: the 100th neighbor is in the median {hundredth:.2f} times as far as the first."
        )
        setting.progress((index + 1) / len(setting.vocabularies))
    top = 1.2 * max(float(row[5]) for row in rows if isinstance(row[5], float))
    chart.panels[0].axes.set_ylim(0.8, top)
    chart.panels[0].ticks([tick for tick in _TICKS if tick <= top], upwards=True)
    chart.panels[0].level(1.0, "the first neighbor (the word itself is at 0)", under=True)
    chart.panels[0].legend("upper left")
    columns = ("vocabulary", "rank", "mean distance", "median ratio", "q25", "q75", "words")
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts={"unit": "distance", "seed": setting.seed})},
        charts={"": chart},
        findings=tuple(findings),
    )


def _ranks(n: int) -> Integers:
    spaced = np.unique(np.geomspace(1, n - 1, 40).round().astype(np.int64))
    return np.unique(np.append(spaced, 100))
