"""Table 2 and figure 7: how isolated a word is, against how crowded its neighbors are."""

from __future__ import annotations

import numpy as np

from textveil.errors import need
from textveil.research.evaluation.drawn_tables import drawn_if_possible
from textveil.research.evaluation.plots import new_figure
from textveil.research.evaluation.tables import Cell, Table
from textveil.research.laws.neighbors import neighbor_distances, neighbor_geometry
from textveil.research.papers.curse.facts import TABLE_2, TableTwo, paper_name
from textveil.research.papers.curse.labels import difference_note, label
from textveil.research.papers.setting import Comparison, ItemOutcome, StudySetting
from textveil.types import Integers
from textveil.vocabulary.vocabulary import Vocabulary

FAR = 101
"""The rank that Table 2 sets against the first neighbor: the first one that is not close."""

_COLUMNS = (
    ("half_first", "||w - x1|| / 2 (eq. 18)"),
    ("second", "x1 against x2 (eq. 19)"),
    ("far", f"x1 against x{FAR} (eq. 19)"),
)

_WIDTHS = (34, 24, 8, 8, 8, 8, 8, 8, 8, 8, 8)
"""Characters of the columns of the drawn table."""

_TICKS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
"""Of figure 7, whose last ranks may be many times as far as the first."""

_CURVE_WORDS = 1000
_QUICK_CURVE_WORDS = 100
"""Most words of figure 7: quartiles need no more."""


def table_2(setting: StudySetting) -> ItemOutcome:
    """Means of the right sides of equations 18 and 19, with spread, beside the paper's."""
    rows: list[tuple[Cell, ...]] = []
    comparisons: list[Comparison] = []
    findings: list[str] = []
    for index, vocabulary in enumerate(setting.vocabularies):
        _need_far(vocabulary)
        words = setting.words(vocabulary, index)
        geometry = neighbor_geometry(vocabulary, words, ranks=(2, FAR))
        spreads = geometry.spreads()
        known = paper_name(vocabulary.name, vocabulary.dim)
        paper = TABLE_2[known] if known is not None else None
        for (field, title), spread in zip(_COLUMNS, spreads, strict=True):
            printed = None if paper is None else getattr(paper, field)
            rows.append((label(vocabulary), title, printed, spread.mean, spread.sd, *spread.quantiles, len(words)))
            if paper is not None:
                comparisons.append(_comparison(vocabulary, title, printed, spread.mean, spread.sd, len(words), paper))
        ratio = spreads[0].mean / spreads[1].mean
        findings.append(
            f"{label(vocabulary)}: the gap that protects the original word is {ratio:.1f} times the gap between its "
            "first two neighbors, so noise that is strong enough to leave the word is strong against the gaps between "
            "neighbors."
        )
        setting.progress((index + 1) / len(setting.vocabularies))
    columns = ("vocabulary", "quantity", "paper", "mean", "sd", "q05", "q25", "median", "q75", "q95", "words sampled")
    table = Table(columns=columns, rows=tuple(rows), facts={"unit": "distance", "seed": setting.seed})
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible("Right sides of equations 18 and 19, units of distance", table, _WIDTHS),
        findings=tuple(findings),
        comparisons=tuple(comparisons),
    )


def figure_7(setting: StudySetting) -> ItemOutcome:
    """Distance to the k-th neighbor against k: a long first step, then a plateau."""
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
        _need_far(vocabulary)
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
    """Ranks from 1 to the last, evenly spaced in the logarithm, 100 among them."""
    spaced = np.unique(np.geomspace(1, n - 1, 40).round().astype(np.int64))
    return np.unique(np.append(spaced, 100))


def _need_far(vocabulary: Vocabulary) -> None:
    need(
        len(vocabulary) > FAR,
        f"vocabulary {vocabulary.name}",
        f"{len(vocabulary)} words",
        f"of more than {FAR} words, to have a neighbor of rank {FAR}",
    )


def _comparison(
    vocabulary: Vocabulary, title: str, printed: float | None, mean: float, sd: float, count: int, paper: TableTwo
) -> Comparison:
    """One cell of Table 2; the interval is the mean's, twice its standard error."""
    error = 2 * sd / count**0.5
    note = difference_note(vocabulary)
    source = "" if paper.source == "artifact" else f"paper's number: {paper.source}"
    return Comparison(
        what=f"{label(vocabulary)}, {title}",
        paper="not read" if printed is None else f"{printed:.3f}",
        ours=f"{mean:.3f} ({mean - error:.3f} to {mean + error:.3f})",
        note="; ".join(part for part in (note, source) if part),
    )
