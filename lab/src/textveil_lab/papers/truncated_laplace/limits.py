"""Limits of every N_w cell of the paper's tables: the utility limit of the cell's claimed guarantee.

N_w is the share of unchanged words. The share that a guarantee allows depends on who turned noise into words, and over
what it is averaged, so each cell is tested under all readings:

- word by word, mean over the vocabulary: words equally likely;
- word by word, mean over the words of a text: their frequencies are the prior;
- a decoder that sees all released words: the limit depends on how often a reader guesses a word from all others, which
  is unknown for the paper's texts; the count is shown as a function of it;
- a decoder that is fed the clean previous words: no bound.

Source: ``privacy.limits``.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from textveil.types import Reals
from textveil_lab.numerics.guarantee_limits import (
    least_guessed,
    unchanged_limit,
    unchanged_limit_of_guesses,
    unchanged_limit_of_prior,
    unchanged_limit_with_prior,
)
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.papers.truncated_laplace.facts import DIM, EPSILONS, MECHANISMS, NOISE_DIMS, WORDS, PrintedCell, cells
from textveil_lab.papers.truncated_laplace.predictability import (
    CONFIDENCE,
    Guessed,
    frequencies,
    guessed_share,
    sentences_of,
)
from textveil_lab.plots import Chart, new_figure
from textveil_lab.tables import Table

GUESSED_SHARES = tuple(round(0.01 * step, 2) for step in range(1, 100))  # Predictabilities at which cells are counted
CORPORA = ("yelp", "yahoo")  # Whose cells they are: the folders below data/text have the same names
TOKENS = 10_000  # Held-out tokens of each corpus that are guessed
QUICK_TOKENS = 1000
QUICK_SENTENCES = 5000


class Judged(NamedTuple):
    """One N_w cell, with the limits of its claim."""

    cell: PrintedCell  # as printed
    delta: float  # as claimed, rounded up
    over_vocabulary: float  # largest mean over equally likely words
    over_text: float  # largest share of the words of a text, sharp for its word frequencies
    over_text_simple: float  # the same by e^epsilon max(prior) + delta
    # how often a reader must guess a word from all others for the cell to be possible with context
    least_guessed: float

    def impossible_with_context(self, guessed: float) -> bool:
        """Tell whether no decoder that sees the released words can reach the cell at this predictability."""
        return guessed < self.least_guessed

    def impossible_by_simple_limit(self, guessed: float) -> bool:
        assert self.cell.epsilon is not None
        return self.cell.value > unchanged_limit_with_prior(guessed, self.cell.epsilon, self.delta)


def claimed_delta(mechanism: str, epsilon: float) -> float:
    """Return the delta that the paper claims, 4^-d, rounded up to a normal float; 0 for Laplace noise.

    Only truncated Laplace noise has dummy dimensions.
    """
    if mechanism == "laplace":
        return 0.0
    dim = NOISE_DIMS.get(epsilon, DIM) if mechanism == "truncated-laplace" else DIM
    return max(sys.float_info.min, math.exp(-dim * math.log(4)) * (1 + 2.0**-40))


def judged(priors: Mapping[str, Reals]) -> tuple[Judged, ...]:
    """Judge every N_w cell with a mechanism, in the order of the tables.

    Args:
        priors: frequencies of the words by corpus, shape (words,).
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
    """Return the number of cells that are impossible with context, by predictability."""
    return {share: sum(one.impossible_with_context(share) for one in found) for share in guessed}


def limits(setting: StudySetting) -> ItemOutcome:
    """Compare all N_w cells with the limits, and count impossible ones by reading and by predictability."""
    texts = {name: setting.texts[name] for name in CORPORA if name in setting.texts}
    priors, guesses = {}, {}
    for index, name in enumerate(CORPORA):
        if name in texts:
            training = sentences_of(texts[name], "train")
            priors[name] = frequencies(training)
            if setting.quick:
                training = training[:QUICK_SENTENCES]
            most = QUICK_TOKENS if setting.quick else TOKENS
            held_out = sentences_of(texts[name], "test")
            guesses[name] = guessed_share(training, held_out, setting.generator(32, index), most)
        else:
            priors[name] = zipf_prior()
        setting.progress((index + 1) / len(CORPORA))
    found = judged(priors)
    words = ", ".join(f"{name}: {'counted in its training part' if name in texts else '1 / rank'}" for name in CORPORA)
    return ItemOutcome(
        tables={
            "": _cells_table(found, guesses),
            "counts": _counts_table(found),
            "predictability": _guesses_table(guesses),
        },
        charts={"": _chart(found, guesses)},
        findings=_findings(found, guesses),
        settings={"words of the vocabulary": WORDS, "frequencies of words": words},
    )


def zipf_prior() -> Reals:
    """Return frequencies proportional to 1 / rank over the paper's 10,000 words, if no text is available."""
    weights = 1.0 / np.arange(1, WORDS + 1)
    return weights / weights.sum()


def _impossible_as_measured(one: Judged, guesses: Mapping[str, Guessed]) -> bool | None:
    measured = guesses.get(one.cell.block.corpus)
    return None if measured is None else one.impossible_with_context(measured.share.upper)


def _guesses_table(guesses: Mapping[str, Guessed]) -> Table:
    columns = ("corpus", "guessed from the other words", "lower", "upper", "tokens", "sentences learned from")
    rows = tuple(
        (name, one.share.estimate, one.share.lower, one.share.upper, one.tokens, one.learned)
        for name, one in guesses.items()
    )
    return Table(columns=columns, rows=rows, facts={"confidence": CONFIDENCE})


def _cells_table(found: Sequence[Judged], guesses: Mapping[str, Guessed]) -> Table:
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
        "impossible with context, as guessed here",
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
            _impossible_as_measured(one, guesses),
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


def _chart(found: Sequence[Judged], guesses: Mapping[str, Guessed]) -> Chart:
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
    right.axes.set_ylim(-2, len(found) + 3)
    for name, one in guesses.items():
        right.level(one.share.estimate, f"guessed here, {name}", upright=True)
    right.legend("upper right")
    return chart


def _findings(found: Sequence[Judged], guesses: Mapping[str, Guessed]) -> tuple[str, ...]:
    total = len(found)
    vocabulary = sum(one.cell.value > one.over_vocabulary for one in found)
    text = sum(one.cell.value > one.over_text for one in found)
    simple = sum(one.cell.value > one.over_text_simple for one in found)
    worst = max(found, key=lambda one: one.least_guessed)
    counts = impossible_counts(found)
    plainly = [sum(one.impossible_by_simple_limit(share) for one in found) for share in (0.2, 0.4, 0.6, 0.8)]
    known = [_impossible_as_measured(one, guesses) for one in found]
    hits, measured = known.count(True), len(known) - known.count(None)
    context = f"{hits} of {measured} for a decoder that sees the released words, which are guessed as often as here"
    sentences = [
        f"Of the {total} shares of unchanged words that are printed with noise, the claims make impossible: word by "
        f"word, {vocabulary} as means over {WORDS:,} words and {text} as shares of a text; "
        f"{context if measured else 'with context, as many as the figure shows for each predictability'}; none for a "
        "decoder that is fed the clean words.",
        f"Word by word, the limit for a text is sharp for its word frequencies; e^epsilon times the most frequent word "
        f"would leave {simple}.",
        f"With a decoder that sees all released words it depends on how often a word can be guessed from the others: "
        f"{counts[0.2]} cells are impossible at 0.2, {counts[0.4]} at 0.4, {counts[0.6]} at 0.6, {counts[0.8]} at 0.8 "
        f"(by e^epsilon times the guesses {', '.join(map(str, plainly))}).",
    ]
    if guesses:
        shares = ", ".join(
            f"{name} {one.share.estimate:.3f} (99 % interval, as of independent tokens, {one.share.lower:.3f} to "
            f"{one.share.upper:.3f})"
            for name, one in guesses.items()
        )
        sentences.append(
            f"Guessed here, by counts of words between the same neighbors, on held-out sentences: {shares}. It is an "
            "estimate from below: a better guesser would leave fewer impossible cells, as the figure shows."
        )
    sentences += [
        f"The cell that needs most is {worst.cell.mechanism} at epsilon {worst.cell.epsilon:g} "
        f"({worst.cell.block.corpus}, {worst.cell.block.embeddings}), N_w {worst.cell.value:g}: possible only where "
        f"{100 * worst.least_guessed:.0f} % of all words can be guessed without their own release.",
        f"With clean previous words fed to the decoder, none of the {total} cells is impossible: there is no bound, "
        "and no privacy to speak of, because the decoder reads the text.",
    ]
    return tuple(sentences)
