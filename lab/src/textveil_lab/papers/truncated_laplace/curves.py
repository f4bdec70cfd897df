"""Figures 2, 3 and 5: scores against epsilon, a panel for each way, the paper's numbers beside ours."""

from collections.abc import Sequence

import numpy as np

from textveil_lab.numerics.guarantee_limits import unchanged_limit_of_prior
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.papers.truncated_laplace.facts import BLOCKS, MECHANISMS, TableBlock, value
from textveil_lab.papers.truncated_laplace.results import Results, Scores, results_of
from textveil_lab.papers.truncated_laplace.rows import SCORES, ScoreRow, row_of, table_of
from textveil_lab.papers.truncated_laplace.sentences import VALID_MECHANISMS, RewritingCell, cells_of, clean_cell
from textveil_lab.papers.truncated_laplace.tables import BERT_NOTE, judgment_of, settings_of
from textveil_lab.papers.truncated_laplace.verdicts import VALID_DELTA, ExperimentWay
from textveil_lab.plots import Panel, new_figure
from textveil_lab.tables import Table

GLOVE = tuple(block for block in BLOCKS if block.embeddings == "GloVe")


def figure_2(setting: StudySetting) -> ItemOutcome:
    """Plot N_w against epsilon, Yelp."""
    return _unchanged(setting, "yelp")


def figure_5(setting: StudySetting) -> ItemOutcome:
    """Plot N_w against epsilon, Yahoo."""
    return _unchanged(setting, "yahoo")


def figure_3(setting: StudySetting) -> ItemOutcome:
    """Plot loss, ROUGE-1 and BERTScore against epsilon: Yelp above, Yahoo below."""
    results = results_of(setting, GLOVE)
    blocks = sorted(results.materials, key=lambda block: block.corpus, reverse=True)
    metrics = ("loss", "rouge1", "bertscore")
    charts = {}
    for key, way in (("", ExperimentWay.CODE), ("text", ExperimentWay.TEXT), ("valid", ExperimentWay.VALID)):
        titles = [f"{block.corpus}: {SCORES[metric]}, {way.value}" for block in blocks for metric in metrics]
        chart = new_figure(titles, x="epsilon", y=[SCORES[metric] for _ in blocks for metric in metrics], x_scale="log")
        spots = [(block, metric) for block in blocks for metric in metrics]
        for panel, (block, metric) in zip(chart.panels, spots, strict=True):
            _curves(panel, results, block, way, metric)
        chart.legend(columns=4)
        charts[key] = chart
    rows = _rows(results, blocks)
    return ItemOutcome(
        tables={"": _table(results, rows)},
        charts=charts,
        findings=("Dotted: the paper's numbers. Its loss is summed over a sentence, as ours is here.", BERT_NOTE),
        settings=settings_of(results),
        judgment=judgment_of(rows),
    )


def _unchanged(setting: StudySetting, corpus: str) -> ItemOutcome:
    blocks = [block for block in BLOCKS if block.corpus == corpus]
    results = results_of(setting, blocks)
    chosen = list(results.materials)
    titles = [f"{block.corpus}, {block.embeddings}: {way.value}" for block in chosen for way in ExperimentWay]
    y = "N_w, share of words unchanged"
    chart = new_figure(titles, x="epsilon", y=y, columns=3, x_scale="log", y_range=(-0.02, 1.02))
    spots = [(block, way) for block in chosen for way in ExperimentWay]
    for panel, (block, way) in zip(chart.panels, spots, strict=True):
        _curves(panel, results, block, way, "n_w")
        if way is not ExperimentWay.CODE:
            grid = np.geomspace(results.size.epsilons[0], results.size.epsilons[-1], 60)
            limits = [limit_of(results, block, epsilon) for epsilon in grid]
            panel.line(grid, limits, "limit of any guarantee", style=6, marked=False)
    chart.panels[2].legend("upper left")
    chart.panels[1].legend("lower right")
    low = results.size.epsilons[0]
    alone = [
        cell
        for block in chosen
        for way in (ExperimentWay.TEXT, ExperimentWay.VALID)
        for cell in cells_of(results.size, way, block)
    ]
    shares = {
        block: {
            name: results.scores(RewritingCell(block, ExperimentWay.CODE, name, low), "seen").n_w for name in MECHANISMS
        }
        for block in chosen
    }
    ordered = all(max(of, key=lambda name: of[name]) == "truncated-laplace" for of in shares.values())
    told = [
        f"{block.embeddings}, {', '.join(f'{name} {100 * share:.1f} %' for name, share in of.items())}"
        for block, of in shares.items()
    ]
    best = max(results.scores(cell).n_w for cell in alone if cell.epsilon == low)
    limit = max(limit_of(results, block, low) for block in chosen)
    printed = value(chosen[0], "n_w", "truncated-laplace", low)
    why = (
        f"Word by word no mechanism keeps more than {100 * best:.1f} % of the words at epsilon {low:g}, and none can "
        f"keep more than {100 * limit:.1f} % under a guarantee with delta {VALID_DELTA:g}; the paper prints "
        f"{100 * (printed or 0):.1f} % for truncated Laplace noise. Where noise is added as the public code adds it, "
        f"N_w is that of the network on sentences it was trained on: {'; '.join(told)}."
    )
    return ItemOutcome(
        tables={"": _table(results, _rows(results, chosen))},
        charts={"": chart},
        findings=(
            "The paper calls a larger N_w better; in the source of the statistic (Feyisetan et al. 2020) it is less "
            "privacy.",
            "Dotted: the paper's numbers. The limit is that of any mechanism of single words with this epsilon and "
            f"delta {VALID_DELTA:g}, for the word frequencies of the sentences; it is above 1/n because some words are "
            "frequent.",
        ),
        settings=settings_of(results),
        judgment=Judgment(reproduced=Reproduced.PARTLY if ordered else Reproduced.NO, why=why),
    )


def limit_of(results: Results, block: TableBlock, epsilon: float) -> float:
    """Return the largest share of unchanged words on the held-out sentences that any word-level guarantee allows."""
    material = results.materials[block]
    counts = np.bincount(np.concatenate(material.held_out), minlength=len(material.vocabulary))
    return unchanged_limit_of_prior(counts.astype(np.float64), epsilon, VALID_DELTA)


def _curves(panel: Panel, results: Results, block: TableBlock, way: ExperimentWay, metric: str) -> None:
    part = "seen" if way is ExperimentWay.CODE else "held_out"
    for style, mechanism in enumerate(VALID_MECHANISMS if way is ExperimentWay.VALID else MECHANISMS):
        own = [cell for cell in cells_of(results.size, way, block) if cell.mechanism == mechanism]
        epsilons = [cell.epsilon for cell in own if cell.epsilon is not None]
        panel.line(epsilons, [_score(results.scores(cell, part), metric) for cell in own], mechanism, style=style)
        known = epsilons if mechanism in MECHANISMS else []
        printed = [one for epsilon in known if (one := value(block, metric, mechanism, epsilon)) is not None]
        if len(printed) == len(epsilons):
            panel.line(epsilons, printed, style=style, pattern=3, marked=False)
    clean = _score(results.scores(clean_cell(block), part), metric)
    panel.level(clean, "network without privacy")
    panel.ticks(results.size.epsilons)


def _score(scores: Scores, metric: str) -> float:
    found: float = getattr(scores, metric)
    return found


def _rows(results: Results, blocks: Sequence[TableBlock]) -> list[ScoreRow]:
    cells = [cell for block in blocks for way in ExperimentWay for cell in cells_of(results.size, way, block)]
    return [row_of(results, cell) for cell in [*(clean_cell(block) for block in blocks), *cells]]


def _table(results: Results, rows: Sequence[ScoreRow]) -> Table:
    return table_of(rows, {"size": results.size.to_data()})
