"""Every N_w cell of the paper's tables against the utility limit of the guarantee that the cell claims.

N_w is the share of words that come out unchanged. How many a guarantee allows depends on who turned noise into words,
and on what the share is a mean of, so each cell is put to all readings:

- word by word, mean over the vocabulary: words equally likely;
- word by word, mean over the words of a text: their frequencies are the prior;
- a decoder that sees all released words: what counts is how often a reader guesses a word from all others, which is not
  known for the paper's texts; the count is shown as a function of it;
- a decoder that is fed the clean previous words: under no bound, whatever the cell says.

Source: ``privacy.limits``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from textveil.privacy.limits import (
    least_guessed,
    unchanged_limit,
    unchanged_limit_of_guesses,
    unchanged_limit_of_prior,
    unchanged_limit_with_prior,
)
from textveil.research.evaluation.plots import Chart, new_figure
from textveil.research.evaluation.tables import Table
from textveil.research.papers.setting import ItemOutcome, StudySetting
from textveil.research.papers.truncated_laplace.facts import DIM, EPSILONS, MECHANISMS, NOISE_DIMS, WORDS, Cell, cells

GUESSED_SHARES = tuple(round(0.01 * step, 2) for step in range(1, 100))
"""Predictabilities at which cells are counted."""


@final
class Judged(NamedTuple):
    """One N_w cell and what its claim allows.

    Attributes:
        cell: as printed.
        delta: as claimed, rounded up.
        over_vocabulary: largest mean over equally likely words.
        over_text: largest share of the words of a text, sharp for its word frequencies.
        over_text_simple: the same by e^epsilon max(prior) + delta.
        least_guessed: how often a reader must guess a word from all others for the cell to be possible with context.
    """

    cell: Cell
    delta: float
    over_vocabulary: float
    over_text: float
    over_text_simple: float
    least_guessed: float

    def impossible_with_context(self, guessed: float) -> bool:
        """Whether no decoder that sees the released words reaches the cell, at this predictability."""
        return guessed < self.least_guessed

    def impossible_by_simple_limit(self, guessed: float) -> bool:
        """The same by e^epsilon times the predictability, plus delta."""
        assert self.cell.epsilon is not None
        return self.cell.value > unchanged_limit_with_prior(guessed, self.cell.epsilon, self.delta)


def claimed_delta(mechanism: str, epsilon: float) -> float:
    """The delta that the paper claims, 4^-d, the least float that is not below it; 0 for Laplace noise."""
    if mechanism == "laplace":
        return 0.0
    power = -NOISE_DIMS.get(epsilon, DIM) * math.log(4)
    return max(sys.float_info.min, math.exp(power) * (1 + 2.0**-40))


def judged(priors: Mapping[str, NDArray[np.float64]]) -> tuple[Judged, ...]:
    """Every N_w cell with a mechanism, in the order of the tables.

    Args:
        priors: corpus to the frequencies of its words, shape (words,).
    """
    found = []
    for cell in cells("n_w"):
        if cell.mechanism is None or cell.epsilon is None:
            continue
        delta = claimed_delta(cell.mechanism, cell.epsilon)
        prior = priors[cell.block.corpus]
        found.append(
            Judged(
                cell=cell,
                delta=delta,
                over_vocabulary=unchanged_limit(WORDS, cell.epsilon, delta),
                over_text=unchanged_limit_of_prior(prior, cell.epsilon, delta),
                over_text_simple=unchanged_limit_with_prior(float(np.max(prior) / np.sum(prior)), cell.epsilon, delta),
                least_guessed=least_guessed(cell.value, cell.epsilon, delta),
            )
        )
    return tuple(found)


def impossible_counts(found: Sequence[Judged], guessed: Sequence[float] = GUESSED_SHARES) -> dict[float, int]:
    """How many cells are impossible with context, by predictability."""
    return {share: sum(one.impossible_with_context(share) for one in found) for share in guessed}


def limits(setting: StudySetting) -> ItemOutcome:
    """All N_w cells against the limits, and the count of impossible ones by reading and by predictability."""
    priors = {corpus: zipf_prior() for corpus in ("yelp", "yahoo")}
    found = judged(priors)
    return ItemOutcome(
        tables={"": _cells_table(found), "counts": _counts_table(found)},
        charts={"": _chart(found)},
        findings=_findings(found),
    )


def zipf_prior() -> NDArray[np.float64]:
    """Frequencies proportional to 1 / rank over the paper's 10,000 words, where no text is at hand."""
    weights = 1.0 / np.arange(1, WORDS + 1)
    return weights / weights.sum()


def _cells_table(found: Sequence[Judged]) -> Table:
    columns = (
        "table",
        "corpus",
        "embeddings",
        "mechanism",
        "epsilon",
        "N_w",
        "limit word by word, vocabulary",
        "limit word by word, text",
        "the same, simple",
        "guesses needed with context",
    )
    rows = tuple(
        (
            one.cell.table,
            one.cell.block.corpus,
            one.cell.block.embeddings,
            one.cell.mechanism,
            one.cell.epsilon,
            one.cell.value,
            one.over_vocabulary,
            one.over_text,
            one.over_text_simple,
            one.least_guessed,
        )
        for one in found
    )
    return Table(columns=columns, rows=rows, facts={"words": WORDS})


def _counts_table(found: Sequence[Judged]) -> Table:
    rows = tuple(
        (
            share,
            sum(one.impossible_with_context(share) for one in found),
            sum(one.impossible_by_simple_limit(share) for one in found),
            len(found),
        )
        for share in GUESSED_SHARES
    )
    return Table(columns=("predictability", "impossible", "impossible by the simple limit", "cells"), rows=rows)


def _chart(found: Sequence[Judged]) -> Chart:
    chart = new_figure(
        ["Printed N_w and what the claims allow", "Impossible cells with context"],
        x=["claimed epsilon", "how often a word is guessed from the others"],
        y=["share of words unchanged", f"cells of {len(found)}"],
        panel_size=(6.4, 4.6),
    )
    left, right = chart.panels
    left.axes.set_xscale("log")
    left.axes.set_ylim(-0.03, 1.03)
    for style, mechanism in enumerate(MECHANISMS):
        own = [one.cell for one in found if one.cell.mechanism == mechanism]
        left.points(
            [cell.epsilon or 0.0 for cell in own], [cell.value for cell in own], mechanism, style=style, size=26
        )
    grid = np.geomspace(EPSILONS[0], EPSILONS[-1], 200)
    left.line(grid, [unchanged_limit(WORDS, one) for one in grid], "limit, vocabulary", style=6, marked=False)
    for style, share in ((3, 0.1), (4, 0.3), (5, 0.5)):
        limit = [unchanged_limit_of_guesses(share, one) for one in grid]
        left.line(grid, limit, f"limit, {share:g} guessed from context", style=style, marked=False)
    left.ticks(EPSILONS)
    left.legend("below", columns=2)
    sharp = [sum(one.impossible_with_context(share) for one in found) for share in GUESSED_SHARES]
    simple = [sum(one.impossible_by_simple_limit(share) for one in found) for share in GUESSED_SHARES]
    right.line(GUESSED_SHARES, sharp, "sharp limit", style=0, marked=False)
    right.line(GUESSED_SHARES, simple, "e^epsilon times the guesses", style=1, marked=False)
    right.legend("upper right")
    return chart


def _findings(found: Sequence[Judged]) -> tuple[str, ...]:
    total = len(found)
    vocabulary = sum(one.cell.value > one.over_vocabulary for one in found)
    text = sum(one.cell.value > one.over_text for one in found)
    worst = max(found, key=lambda one: one.least_guessed)
    counts = impossible_counts(found)
    return (
        f"Word by word, {vocabulary} of the {total} N_w cells are impossible if N_w is a mean over {WORDS:,} words, "
        f"and {text} if it is a share of the words of a text.",
        f"With a decoder that sees all released words it depends on how often a word can be guessed from the others: "
        f"{counts[0.2]} cells are impossible at 0.2, {counts[0.4]} at 0.4, {counts[0.6]} at 0.6, {counts[0.8]} at 0.8.",
        f"The cell that needs most is {worst.cell.mechanism} at epsilon {worst.cell.epsilon:g} "
        f"({worst.cell.block.corpus}, {worst.cell.block.embeddings}), N_w {worst.cell.value:g}: possible only where "
        f"{100 * worst.least_guessed:.0f} % of all words can be guessed without the release.",
        f"With clean previous words fed to the decoder, none of the {total} cells is impossible: there is no bound, "
        "and no privacy to speak of, because the decoder reads the text.",
    )
