"""Rows of the study's tables: our scores, the paper's beside them, and the delta that the setting really has."""

from collections.abc import Iterable
from dataclasses import dataclass

from textveil.pages.tables import Cell as TableCell
from textveil.pages.tables import Table
from textveil_lab.papers.truncated_laplace.facts import MECHANISMS, value
from textveil_lab.papers.truncated_laplace.guarantees import TrueDelta, true_delta
from textveil_lab.papers.truncated_laplace.plan import RewritingCell
from textveil_lab.papers.truncated_laplace.results import Results, Scores

SCORES = {"loss": "loss", "rouge1": "ROUGE-1", "bleu": "BLEU", "n_w": "N_w", "bertscore": "BERTScore"}
"""The paper's metrics and what its tables call them."""

OURS = {**SCORES, "paper_bleu": "BLEU on the paper's scale"}
"""What stands in our tables: the paper's BLEU is another number under that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """A cell with everything that is said of it."""

    cell: RewritingCell  # which
    seen: Scores  # scores on trained sentences
    held_out: Scores  # scores on the others
    delta: TrueDelta | None  # None without privacy
    paper: dict[str, float]  # the paper's numbers by metric; empty where it has none


def row_of(results: Results, cell: RewritingCell) -> ScoreRow:
    """The row of one cell."""
    vocabulary = results.materials[cell.block].vocabulary
    known = cell.mechanism is None or cell.mechanism in MECHANISMS
    found = {metric: value(cell.block, metric, cell.mechanism, cell.epsilon) if known else None for metric in SCORES}
    return ScoreRow(
        cell=cell,
        seen=results.scores(cell, "seen"),
        held_out=results.scores(cell, "held_out"),
        delta=None if cell.mechanism is None else true_delta(cell, vocabulary),
        paper={metric: one for metric, one in found.items() if one is not None},
    )


def table_of(rows: Iterable[ScoreRow], facts: dict[str, object]) -> Table:
    """One line a cell: the paper's scores, ours on trained and on held-out sentences, and both deltas."""
    head = ("corpus", "embeddings", "way", "mechanism", "epsilon", "claimed delta", "true delta", "why")
    paper = tuple(f"{name}, the paper" for name in SCORES.values())
    seen = tuple(f"{name}, trained sentences" for name in OURS.values())
    held_out = tuple(f"{name}, held out" for name in OURS.values())
    lines: list[tuple[TableCell, ...]] = []
    for row in rows:
        cell, delta = row.cell, row.delta
        start = (cell.block.corpus, cell.block.embeddings, cell.way.value, cell.mechanism or "no privacy", cell.epsilon)
        privacy = (None, None, "no noise") if delta is None else (delta.claimed, delta.true, delta.why)
        printed = tuple(row.paper.get(metric) for metric in SCORES)
        ours = tuple(getattr(part, metric) for part in (row.seen, row.held_out) for metric in OURS)
        lines.append((*start, *privacy, *printed, *ours, row.seen.cosine, row.held_out.cosine))
    columns = (*head, *paper, *seen, *held_out, "cosine, trained sentences", "cosine, held out")
    return Table(columns=columns, rows=tuple(lines), facts=facts)
