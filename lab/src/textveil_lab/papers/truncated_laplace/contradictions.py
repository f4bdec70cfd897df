"""Contradictions of the paper's numbers with each other, its formulas, or its text.

Nothing is measured here. Each check counts cells of the printed tables, and gives an example.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.papers.truncated_laplace.facts import (
    BLOCKS,
    DIM,
    EPSILONS,
    LOG_DELTA,
    LOW_EPSILONS,
    MECHANISMS,
    METRICS,
    WORDS,
    PrintedCell,
    TableBlock,
    cells,
    clean_accuracy,
    corpus_sizes,
    epoch_seconds,
    value,
)
from textveil_lab.papers.truncated_laplace.variance import gaussian_variance, laplace_variance, published_variance
from textveil_lab.plots import Chart, new_figure
from textveil_lab.tables import Table

TEXT_YELP = (8539, 2174)  # Training and test sentences that the text gives Yelp
TREEBANK = {"train": (3310, 3610), "test": (912, 909)}
"""Negative and positive sentences of the two-class Stanford Sentiment Treebank (Socher et al. 2013).

Its sentences have 19 tokens on average (Kim 2014, table 1).
"""

LOWER_IS_BETTER = frozenset({"loss"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """One check."""

    what: str  # the check in a few words
    found: int  # how many of ``of`` go against it
    of: int  # how many there are
    example: str  # the strongest case
    why: str  # the fault, in plain words


def contradictions(setting: StudySetting) -> ItemOutcome:
    """Run every check; show the worst cells, and BLEU against ROUGE-1."""
    found = all_contradictions()
    rows = tuple((one.what, one.found, one.of, one.example, one.why) for one in found)
    beyond = tuple(
        (one.table, one.block.corpus, one.block.embeddings, metric, one.mechanism, one.epsilon, one.value, plain)
        for metric in METRICS
        for one, plain in better_than_without(metric)
    )
    printed = sum(len(_private(metric)) for metric in METRICS)
    names = ("table", "corpus", "embeddings", "metric", "mechanism", "epsilon", "with privacy", "without")
    return ItemOutcome(
        tables={
            "": Table(columns=("check", "against it", "of", "example", "why"), rows=rows),
            "better-than-without-privacy": Table(columns=names, rows=beyond),
        },
        charts={"": _chart()},
        findings=(
            f"{len(found)} checks find numbers that go against each other, the formulas or the text; each says what "
            f"could explain it. BLEU is highest at the strongest noise; {len(beyond)} of {printed} scores with noise "
            "are better than the same without; Yelp has the sizes of other corpora, in the table and in the text.",
            *(f"{one.what}: {one.found} of {one.of}. {one.example}. {one.why}" for one in found),
        ),
    )


def all_contradictions() -> tuple[Contradiction, ...]:
    """Return the checks, the gravest first."""
    return (
        bleu_at_the_strongest_noise(),
        *(better_than_no_privacy(metric) for metric in METRICS if metric != "bleu"),
        better_than_no_privacy_at_the_strongest_noise(),
        worse_than_guessing(),
        the_larger_noise_is_kinder(),
        noise_that_grows_with_epsilon(),
        no_price_of_privacy(),
        gaussian_above_its_range(),
        sizes_in_table_and_text(),
        sizes_of_another_corpus(),
        training_time_without_noise(),
        embeddings_that_learn_nothing(),
    )


def better_than_without(metric: str) -> tuple[tuple[PrintedCell, float], ...]:
    """Return cells with privacy that are better than the same block without it, each with that number."""
    found = []
    for block in BLOCKS:
        plain = _printed(block, metric)
        sign = -1 if metric in LOWER_IS_BETTER else 1
        found += [(one, plain) for one in _private(metric) if one.block == block and sign * (one.value - plain) > 0]
    return tuple(found)


def bleu_at_the_strongest_noise() -> Contradiction:
    """Check that BLEU is highest where the noise is strongest."""
    rows = [(block, mechanism) for block in BLOCKS for mechanism in MECHANISMS]
    hits = [
        (block, mechanism)
        for block, mechanism in rows
        if _printed(block, "bleu", mechanism, EPSILONS[0])
        == max(_printed(block, "bleu", mechanism, one) for one in EPSILONS)
    ]
    block, mechanism = max(hits, key=lambda hit: _printed(hit[0], "bleu", hit[1], EPSILONS[0]))
    top = _printed(block, "bleu", mechanism, EPSILONS[0])
    return Contradiction(
        what="BLEU is highest at the strongest noise",
        found=len(hits),
        of=len(rows),
        example=(
            f"{_where(block)}, {mechanism}: BLEU {top:g} at epsilon {EPSILONS[0]:g}, where ROUGE-1 is "
            f"{_printed(block, 'rouge1', mechanism, EPSILONS[0]):g} and the loss "
            f"{_printed(block, 'loss', mechanism, EPSILONS[0]):g}; without privacy {_printed(block, 'bleu'):g}"
        ),
        why=(
            "A text that shares almost no word with the original cannot be the one that agrees best with it, so this "
            "number does not measure agreement."
        ),
    )


def better_than_no_privacy(metric: str) -> Contradiction:
    """Check that noise improves a metric that it can only harm."""
    hits = better_than_without(metric)
    worst, plain = max(hits, key=lambda hit: abs(hit[0].value - hit[1]) / hit[1])
    names = {"loss": "Loss", "rouge1": "ROUGE-1", "n_w": "N_w", "bertscore": "BERTScore"}
    return Contradiction(
        what=f"{names[metric]} is better with noise than without",
        found=len(hits),
        of=len(_private(metric)),
        example=(
            f"{_where(worst.block)}, {worst.mechanism} at epsilon {worst.epsilon:g}: {worst.value:g}; without {plain:g}"
        ),
        why=(
            "Noise takes information away. It may help training a little, as dropout does, and small differences may "
            "be chance: how much repeated runs differ is not printed."
        ),
    )


def better_than_no_privacy_at_the_strongest_noise() -> Contradiction:
    """Check that the loss of truncated Laplace noise at epsilon 0.05 is below the loss without noise."""
    hits = [cell for cell, _ in better_than_without("loss") if cell.epsilon == EPSILONS[0]]
    mine = [one for one in hits if one.mechanism == "truncated-laplace"]
    worst = min(mine, key=lambda one: one.value / _printed(one.block, "loss"))
    return Contradiction(
        what=f"At epsilon {EPSILONS[0]:g} truncated Laplace has a lower loss than no noise at all",
        found=len(mine),
        of=len(BLOCKS),
        example=(
            f"{_where(worst.block)}: {worst.value:g} against {_printed(worst.block, 'loss'):g}, with noise "
            f"{_length(published_variance(EPSILONS[0])):.0f} times as long as the longest vector"
        ),
        why="By the paper's formula hardly anything of a vector is left under such noise.",
    )


def worse_than_guessing() -> Contradiction:
    """Check for losses above that of a decoder that gives every word the same probability."""
    even = math.log(WORDS)
    hits = [one for one in _private("loss") if one.value > even]
    worst = max(hits, key=lambda one: one.value)
    return Contradiction(
        what=f"The loss is above ln {WORDS:,} = {even:.2f}, that of giving every word the same probability",
        found=len(hits),
        of=len(_private("loss")),
        example=f"{_where(worst.block)}, {worst.mechanism} at epsilon {worst.epsilon:g}: {worst.value:g}",
        why=(
            "A decoder that is trained under this noise learns at least not to be sure, so these cannot be nats a "
            "token. The paper does not say what they are of; its public code sums over the words of a sentence, "
            "and as nats a sentence they contradict nothing."
        ),
    )


def the_larger_noise_is_kinder() -> Contradiction:
    """Check that the Gaussian has the larger variance by the paper's formulas, but better numbers."""
    pairs = [(block, one) for block in BLOCKS for one in LOW_EPSILONS]
    hits = [
        (block, one)
        for block, one in pairs
        if _printed(block, "loss", "gaussian", one) < _printed(block, "loss", "laplace", one)
    ]
    ratio = gaussian_variance(1.0, LOG_DELTA) / laplace_variance(1.0)
    block, one = max(
        hits, key=lambda hit: _printed(hit[0], "loss", "laplace", hit[1]) / _printed(hit[0], "loss", "gaussian", hit[1])
    )
    return Contradiction(
        what="Below epsilon 1 the Gaussian has a lower loss than Laplace, though its noise is larger",
        found=len(hits),
        of=len(pairs),
        example=(
            f"{_where(block)} at epsilon {one:g}: {_printed(block, 'loss', 'gaussian', one):g} against "
            f"{_printed(block, 'loss', 'laplace', one):g}, with {ratio:.2f} times the variance"
        ),
        why=(
            "The printed order is that of the public code, whose Gaussian has half the variance of its Laplace noise "
            "and uses no delta; it is not that of the paper's formulas."
        ),
    )


def noise_that_grows_with_epsilon() -> Contradiction:
    """Check that the published truncated noise is largest where the least privacy is asked for."""
    lengths = [_length(published_variance(one)) for one in EPSILONS]
    grown = sum(late > early for early, late in pairwise(lengths))
    return Contradiction(
        what="By Theorem 3 truncated Laplace noise grows with epsilon",
        found=grown,
        of=len(lengths) - 1,
        example=(
            f"{lengths[0]:.1f} times the longest vector at epsilon {EPSILONS[0]:g}, {lengths[-1]:.1f} times at "
            f"{EPSILONS[-1]:g}"
        ),
        why="Asking for less privacy would add more noise; a mechanism that is calibrated does the opposite.",
    )


def no_price_of_privacy() -> Contradiction:
    """Check that four hundred times the epsilon changes nothing for truncated Laplace."""
    hits = []
    for block in BLOCKS:
        losses = [_printed(block, "loss", "truncated-laplace", one) for one in EPSILONS]
        hits += [block] if losses[0] <= losses[-1] else []
    low, high = (_printed(BLOCKS[0], "n_w", "truncated-laplace", one) for one in (EPSILONS[0], EPSILONS[-1]))
    return Contradiction(
        what=f"Truncated Laplace is as good at epsilon {EPSILONS[0]:g} as at {EPSILONS[-1]:g}, by its loss",
        found=len(hits),
        of=len(BLOCKS),
        example=(
            f"{_where(BLOCKS[0])}: N_w {low:g} at epsilon {EPSILONS[0]:g} and {high:g} at {EPSILONS[-1]:g}, "
            f"{EPSILONS[-1] / EPSILONS[0]:g} times as much"
        ),
        why="Either the noise does not reach what the numbers measure, or epsilon does not set the noise.",
    )


def gaussian_above_its_range() -> Contradiction:
    """Check uses of theorem 2 above epsilon 1, to which it is limited."""
    above = [one for one in EPSILONS if one > 1]
    return Contradiction(
        what="The Gaussian is used above epsilon 1, for which Theorem 2 is not stated",
        found=len(above),
        of=len(EPSILONS),
        example=f"epsilon {', '.join(f'{one:g}' for one in above)}",
        why="What such a setting is worth is computed in the item verdicts.",
    )


def sizes_in_table_and_text() -> Contradiction:
    """Check that the text gives Yelp the sizes that table 4 gives Yahoo's negatives."""
    yelp, yahoo = corpus_sizes()["yelp"], corpus_sizes()["yahoo"]
    pairs = ((TEXT_YELP[0], yelp.train), (TEXT_YELP[1], yelp.test))
    return Contradiction(
        what="The sizes of Yelp in table 4 are not those in the text",
        found=sum(text != table for text, table in pairs),
        of=len(pairs),
        example=(
            f"text {TEXT_YELP[0]:,} and {TEXT_YELP[1]:,}, table {yelp.train:,} and {yelp.test:,}; the text's numbers "
            f"are the negatives of Yahoo ({yahoo.train_negative:,} and {yahoo.test_negative:,})"
        ),
        why="One of the two is of another corpus.",
    )


def sizes_of_another_corpus() -> Contradiction:
    """Check that table 4's Yelp is, number by number, the Stanford Sentiment Treebank with its classes exchanged."""
    yelp = corpus_sizes()["yelp"]
    pairs = (
        (yelp.train_negative, TREEBANK["train"][1]),
        (yelp.train_positive, TREEBANK["train"][0]),
        (yelp.test_negative, TREEBANK["test"][1]),
        (yelp.test_positive, TREEBANK["test"][0]),
    )
    return Contradiction(
        what="Table 4's Yelp has the sizes of the Stanford Sentiment Treebank, its classes exchanged",
        found=sum(one == other for one, other in pairs),
        of=len(pairs),
        example=(
            f"{yelp.train_negative:,} / {yelp.train_positive:,} for training and {yelp.test_negative:,} / "
            f"{yelp.test_positive:,} for testing, {yelp.average_tokens} tokens on average"
        ),
        why=(
            "Movie reviews with their labels exchanged, or a row that was copied: either way the Yelp columns of "
            "tables 1 to 3 may not be of Yelp."
        ),
    )


def training_time_without_noise() -> Contradiction:
    """Check that in table 5 training without noise takes three times as long as with it."""
    times = {name: row for name, row in epoch_seconds("yelp").items() if name != "non-private"}
    plain = epoch_seconds("yelp")["non-private"][0]
    every = [one for row in times.values() for one in row]
    return Contradiction(
        what="An epoch on Yelp is faster with noise than without",
        found=sum(one < plain for one in every),
        of=len(every),
        example=f"{plain:g} seconds without noise, {min(every):g} to {max(every):g} with it; Yahoo's is {plain:g} too",
        why="Drawing noise takes time; the number without noise seems to be that of the Yahoo row.",
    )


def embeddings_that_learn_nothing() -> Contradiction:
    """Check that figure 4's random embeddings without noise are as good as one constant answer."""
    sst2 = corpus_sizes()["sst-2"]
    positive = sst2.test_positive or 0
    constant = {"sst-2": positive / sst2.test, "ag-news": 1 / 4}
    near = [name for name, share in constant.items() if abs(clean_accuracy(name, "random") - share) < 0.01]
    return Contradiction(
        what="Without noise, figure 4's classifier with random embeddings does no better than a constant answer",
        found=len(near),
        of=len(constant),
        example=(
            f"SST-2: {clean_accuracy('sst-2', 'random'):g}, and {positive:,} of the {sst2.test:,} test texts are "
            f"positive, which is {constant['sst-2']:.4f}; AG News, four classes: "
            f"{clean_accuracy('ag-news', 'random'):g}"
        ),
        why="Nothing was learned there, so that part of the figure says nothing about what noise costs.",
    )


def _private(metric: str) -> tuple[PrintedCell, ...]:
    return tuple(one for one in cells(metric) if one.mechanism is not None)


def _printed(block: TableBlock, metric: str, mechanism: str | None = None, epsilon: float | None = None) -> float:
    found = value(block, metric, mechanism, epsilon)
    assert found is not None
    return found


def _where(block: TableBlock) -> str:
    return f"{block.corpus}, {block.embeddings}"


def _length(variance: float) -> float:
    return math.sqrt(DIM * variance)


def _chart() -> Chart:
    chart = new_figure(
        ["BLEU against ROUGE-1", "Loss with noise against loss without"],
        x=["ROUGE-1, percent", "claimed epsilon"],
        y=["BLEU, the paper's scale", "loss divided by the loss without noise"],
        panel_size=(6.2, 4.4),
    )
    left, right = chart.panels
    for style, mechanism in enumerate(MECHANISMS):
        for strongest in (False, True):
            chosen = [(block, one) for block in BLOCKS for one in EPSILONS if (one == EPSILONS[0]) is strongest]
            left.points(
                [_printed(block, "rouge1", mechanism, one) for block, one in chosen],
                [_printed(block, "bleu", mechanism, one) for block, one in chosen],
                None if strongest else mechanism,
                style=style,
                size=90 if strongest else 24,
            )
        for block in BLOCKS:
            ratio = [_printed(block, "loss", mechanism, one) / _printed(block, "loss") for one in EPSILONS]
            right.line(EPSILONS, ratio, mechanism if block == BLOCKS[0] else None, style=style)
    left.level(max(_printed(block, "bleu") for block in BLOCKS), "highest without noise")
    left.legend("below", columns=3, title=f"large marks: epsilon {EPSILONS[0]:g}")
    right.axes.set(xscale="log", yscale="log")
    right.level(1.0, "no noise", under=True)
    right.ticks(EPSILONS)
    right.ticks((0.5, 1, 2, 5, 10, 20), upwards=True)
    right.legend("upper right")
    return chart
