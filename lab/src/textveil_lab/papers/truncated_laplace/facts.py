"""All numbers in the paper's tables, and its stated settings.

``data/published.json`` holds the numbers. Cells are addressed by corpus, embeddings, metric, mechanism and epsilon.
"""

import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple

from textveil.errors import UnknownNameError
from textveil.json_text import json_data

WORDS = 10_000  # Size of the fixed vocabulary
DIM = 300  # Dimensions of a word's vector
LOG_DELTA = -DIM * math.log(4)  # Natural logarithm of delta = 4^-d, for d = 300; with dummy dimensions d is theirs
NOISE_DIMS: Mapping[float, int] = MappingProxyType({10.0: 500, 20.0: 1700})
"""Dummy dimensions: the d of the formulas if 300 is too small for epsilon."""

LOW_EPSILONS = (0.05, 0.1, 0.2, 0.5)  # Of the upper half of table 1 and of table 2
HIGH_EPSILONS = (1.0, 5.0, 10.0, 20.0)  # Of the lower half of table 1 and of table 3
EPSILONS = LOW_EPSILONS + HIGH_EPSILONS
MECHANISMS = ("gaussian", "laplace", "truncated-laplace")  # As the tables order them
METRICS = ("loss", "rouge1", "bleu", "n_w", "bertscore")
"""Metrics: reconstruction loss, ROUGE-1, BLEU, N_w and BERTScore.

The loss is in nats a sentence in the public code, ROUGE-1 in percent, BLEU on a scale that is not stated
(``bleu_scale``), and N_w the share of words that are not replaced.
"""

BASELINES = ("gaussian", "laplace", "cmp", "mahalanobis", "pte")  # Mechanisms of figure 4's comparison


class TableBlock(NamedTuple):
    """A corpus and its embeddings: one block of a table."""

    corpus: str
    embeddings: str


BLOCKS = (TableBlock("yelp", "fastText"), TableBlock("yahoo", "GloVe"), TableBlock("yelp", "GloVe"))
"""Blocks of table 1 and of tables 2 and 3."""


class PrintedCell(NamedTuple):
    """One printed number."""

    block: TableBlock  # corpus and embeddings
    metric: str  # one of ``METRICS``
    mechanism: str | None  # one of ``MECHANISMS``; None without privacy
    epsilon: float | None  # nats of one word, as claimed; None without privacy
    value: float  # as printed

    @property
    def table(self) -> str:
        if self.block.embeddings == "fastText":
            return "table-1"
        return "table-3" if self.epsilon in HIGH_EPSILONS else "table-2"


class CorpusSize(NamedTuple):
    """Row of table 4; None if the table has no number.

    AG News has one number for training and one for testing, which stand in the columns of the negatives.
    """

    average_tokens: int
    train_negative: int
    train_positive: int | None
    test_negative: int
    test_positive: int | None

    @property
    def train(self) -> int:
        return self.train_negative + (self.train_positive or 0)

    @property
    def test(self) -> int:
        return self.test_negative + (self.test_positive or 0)


@cache
def published() -> Mapping[str, Any]:
    """Return the file's content: item to its numbers."""
    text = files("textveil_lab.papers.truncated_laplace").joinpath("data/published.json").read_text("utf-8")
    return MappingProxyType(json_data(text))


@cache
def cells(metric: str) -> tuple[PrintedCell, ...]:
    """Return every cell of one metric in the order of the tables, each block's number without privacy first.

    Raises:
        UnknownNameError: there is no such metric.
    """
    if metric not in METRICS:
        raise UnknownNameError(f"metric must be one of {', '.join(METRICS)}; got {metric[:40]!r}.")
    found = []
    for block in BLOCKS:
        numbers = _block(block)[metric]
        found.append(PrintedCell(block, metric, None, None, float(numbers["non-private"])))
        for mechanism in MECHANISMS:
            values = numbers[mechanism]
            found += [PrintedCell(block, metric, mechanism, one, float(values[f"{one:g}"])) for one in EPSILONS]
    return tuple(found)


def value(block: TableBlock, metric: str, mechanism: str | None = None, epsilon: float | None = None) -> float | None:
    """Return one printed number; None if the paper prints none. Without a mechanism, the number without privacy."""
    for cell in cells(metric):
        if (cell.block, cell.mechanism, cell.epsilon) == (block, mechanism, epsilon):
            return cell.value
    return None


@cache
def corpus_sizes() -> Mapping[str, CorpusSize]:
    """Return the rows of table 4 by corpus."""
    rows = {name: CorpusSize(*row) for name, row in published()["table-4"].items() if name != "columns"}
    return MappingProxyType(rows)


@cache
def epoch_seconds(corpus: str) -> Mapping[str, tuple[float, ...]]:
    """Return table 5: seconds an epoch by mechanism, one for each epsilon; ``non-private`` has one number.

    Args:
        corpus: ``yahoo`` or ``yelp``.
    """
    table = published()["table-5"]
    rows = {name: tuple(map(float, row)) for name, row in table[corpus].items()}
    return MappingProxyType({"non-private": (float(table["non-private"][corpus]),), **rows})


def clean_accuracy(corpus: str, embeddings: str) -> float:
    """Return the accuracy without privacy of figure 4, of ``sst-2`` and ``ag-news`` by embeddings."""
    return float(published()["figure-4, non-private accuracy"][corpus][embeddings])


def _block(block: TableBlock) -> Mapping[str, Any]:
    name = f"{block.corpus}, {block.embeddings}"
    return published()["table-1" if block.embeddings == "fastText" else "table-2 and table-3"][name]
