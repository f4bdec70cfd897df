"""Figures 1 and 6: two sentences, rewritten in every way at epsilon 0.1."""

from __future__ import annotations

from textveil.research.evaluation.drawn_tables import drawn_if_possible
from textveil.research.evaluation.tables import Table
from textveil.research.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil.research.papers.truncated_laplace.facts import BLOCKS
from textveil.research.papers.truncated_laplace.guarantees import true_delta
from textveil.research.papers.truncated_laplace.plan import Cell, Way, cells_of, clean_cell
from textveil.research.papers.truncated_laplace.results import results_of
from textveil.research.papers.truncated_laplace.tables import settings_of

EPSILON = 0.1
"""Of the paper's figure."""

BLOCK = next(block for block in BLOCKS if block == ("yelp", "GloVe"))


def figure_1(setting: StudySetting) -> ItemOutcome:
    """A restaurant sentence with a time in it."""
    return _rewritten(setting, 0)


def figure_6(setting: StudySetting) -> ItemOutcome:
    """A warning of food poisoning."""
    return _rewritten(setting, 1)


def _rewritten(setting: StudySetting, number: int) -> ItemOutcome:
    results = results_of(setting, (BLOCK,))
    material, size = results.materials[BLOCK], results.size
    epsilon = EPSILON if EPSILON in size.epsilons else size.epsilons[0]

    def said(cell: Cell) -> str:
        return material.text(results.values[cell]["examples"][number])

    original = material.text(material.examples[number])
    clean = said(clean_cell(BLOCK))
    rows: list[tuple[str, str, float | None, str]] = [("", "original", None, original)]
    rows.append(("", "the network without noise", None, clean))
    for way in (Way.CODE, Way.TEXT, Way.VALID):
        for cell in cells_of(size, way, BLOCK):
            if cell.epsilon == epsilon:
                delta = true_delta(cell, material.vocabulary).true
                rows.append((way.value, cell.mechanism or "", delta, said(cell)))
    table = Table(
        columns=("way", "mechanism", "true delta", f"sentence at epsilon {epsilon:g}"),
        rows=tuple(rows),
        facts={"block": list(BLOCK), "epsilon": epsilon, "size": size.as_data()},
    )
    coded = [row for row in rows if row[0] == Way.CODE.value]
    same = [row[1] for row in coded if row[3] == clean]
    why = (
        f"In the public code's way {', '.join(same) or 'no mechanism'} gives what the network says without noise, and "
        "the others another sentence of the corpus or none. Word by word, every mechanism at this epsilon gives words "
        "that have nothing to do with the sentence: that is what epsilon 0.1 promises."
    )
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible(f"One sentence, epsilon {epsilon:g}", table, (26, 22, 10, 76)),
        findings=(
            "The sentence is ours, in the place of the paper's, and it is among those on which the network is trained. "
            "Words outside the vocabulary are left out.",
        ),
        settings=settings_of(results),
        judgment=Judgment(reproduced=Reproduced.PARTLY, why=why),
    )
