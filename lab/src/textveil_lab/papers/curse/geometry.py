"""Beyond the paper: how far the k-th neighbor of a word is."""

import numpy as np

from textveil.pages.tables import Cell, Table
from textveil.types import Integers
from textveil_lab.laws.neighbors import neighbor_distances
from textveil_lab.papers.curse.labels import label
from textveil_lab.papers.curse.table_two import need_far
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.plots import new_figure

_TICKS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
"""Of the distances by rank, whose last ranks may be many times as far as the first."""

_CURVE_WORDS = 1000
_QUICK_CURVE_WORDS = 100  # Most words of the distances by rank: quartiles need no more


def neighbor_distances_by_rank(setting: StudySetting) -> ItemOutcome:
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
    """Ranks from 1 to the last, evenly spaced in the logarithm, 100 among them."""
    spaced = np.unique(np.geomspace(1, n - 1, 40).round().astype(np.int64))
    return np.unique(np.append(spaced, 100))
