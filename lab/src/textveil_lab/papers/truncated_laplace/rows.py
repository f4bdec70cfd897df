"""Rows of the study's tables: our scores, the paper's, and the setting's true delta.

``true_delta`` is the delta beside every score.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from textveil.privacy.guarantees import PureDP
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import audit_noise, delta_over_pairs
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.papers.truncated_laplace.facts import MECHANISMS, value
from textveil_lab.papers.truncated_laplace.limits import claimed_delta
from textveil_lab.papers.truncated_laplace.public_code import mechanism_of
from textveil_lab.papers.truncated_laplace.results import Results, Scores
from textveil_lab.papers.truncated_laplace.sentences import RewritingCell
from textveil_lab.papers.truncated_laplace.verdicts import VALID_DELTA, ExperimentWay
from textveil_lab.tables import Cell as TableCell
from textveil_lab.tables import Table

PAIRS = 20_000  # Pairs of the run's words that are searched for the largest delta


class TrueDelta(NamedTuple):
    """True delta beside a claimed epsilon."""

    claimed: float  # delta as the paper or the catalog claims it
    true: float  # the delta that two words of the run really have, the largest found
    why: str  # in a few words


_KNOWN: dict[tuple[RewritingCell, str], TrueDelta] = {}  # By cell and vocabulary, for the items of one run


def true_delta(cell: RewritingCell, vocabulary: Vocabulary) -> TrueDelta:
    """Return the true delta of a cell with noise, for the released vector of one word."""
    key = (cell, vocabulary.digest)
    if key not in _KNOWN:
        _KNOWN[key] = _true_delta(cell, vocabulary)
    return _KNOWN[key]


def _true_delta(cell: RewritingCell, vocabulary: Vocabulary) -> TrueDelta:
    assert cell.mechanism is not None
    assert cell.epsilon is not None
    if cell.way is ExperimentWay.CODE:
        claimed = claimed_delta(cell.mechanism, cell.epsilon)
        return TrueDelta(claimed, 1.0, "one noise vector for all words of a batch, and clean words for the decoder")
    mechanism = mechanism_of(cell, vocabulary)
    if cell.way is ExperimentWay.VALID:
        pure = isinstance(mechanism.guarantee, PureDP)
        return TrueDelta(0.0, 0.0, "proved") if pure else TrueDelta(VALID_DELTA, VALID_DELTA, "proved: at most this")
    if cell.mechanism == "laplace":
        return TrueDelta(0.0, 0.0, "as claimed")
    assert isinstance(mechanism, PerturbProject)
    claimed = claimed_delta(cell.mechanism, cell.epsilon)
    if cell.mechanism == "gaussian":  # of the farthest two words, so of any two
        worst = audit_noise(mechanism, Claim(epsilon=cell.epsilon, log_delta=math.log(claimed)))
        if worst.verdict is Verdict.PROVED:
            return TrueDelta(claimed, claimed, "as claimed")
        return TrueDelta(claimed, worst.delta.upper, "the two words that are farthest apart")
    found = delta_over_pairs(mechanism, cell.epsilon, words=len(vocabulary), pairs=PAIRS)
    return TrueDelta(claimed, found.largest, f"the largest of {PAIRS:,} pairs of words")


SCORES = {"loss": "loss", "rouge1": "ROUGE-1", "bleu": "BLEU", "n_w": "N_w", "bertscore": "BERTScore"}
"""Paper's metrics and their names in its tables."""

OURS = {**SCORES, "paper_bleu": "BLEU on the paper's scale"}
"""Metrics of our tables; the paper's BLEU has a name of its own there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """A cell with all that the tables say of it."""

    cell: RewritingCell  # which
    seen: Scores  # scores on trained sentences
    held_out: Scores  # scores on the others
    delta: TrueDelta | None  # None without privacy
    paper: dict[str, float]  # the paper's numbers by metric; empty if it has none


def row_of(results: Results, cell: RewritingCell) -> ScoreRow:
    """Return the row of one cell."""
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
    """Return a line for each cell: the paper's scores, ours on trained and on held-out sentences, and both deltas."""
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
