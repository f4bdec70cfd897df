"""Conditions of an item's measurement: public vocabularies, sample, seed; and its results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from textveil.errors import need
from textveil.randomness import seeded_generator
from textveil.types import Ids, Integers
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.papers.vocabularies import later_twins
from textveil_lab.plots import Chart
from textveil_lab.tables import Cell, Table

DEFAULT_SEED = 20260101  # Studies repeat by default: they draw for experiments, never for a release
DEFAULT_SAMPLE = 5000
QUICK_SAMPLE = 200
DEVICES = ("cpu", "cuda")
QUICK_WORDS = 2000  # The first words of each vocabulary, which a quick run keeps
QUICK_POINTS = 5  # Points of a curve that a quick run keeps


def _silent(done: float) -> None:
    """Ignore progress."""


class Sample(NamedTuple):
    """Words that an item drew from a vocabulary, uniformly and without replacement."""

    vocabulary: str  # its name
    words: int  # how many were drawn
    of: int  # how many the vocabulary has


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudySetting:
    """Setting shared by the items of one run."""

    vocabularies: tuple[Vocabulary, ...]  # public words and vectors, one or more; no two words of one share a vector
    origin: str  # a sentence that says where they are from
    named: bool = False  # whether the user named them; items that need a certain size take the embedded one if not
    # words that are drawn from each; None takes 5,000 (200 if ``quick``), or all if there are fewer
    sample: int | None = None
    seed: int = DEFAULT_SEED  # of every random choice; each item and vocabulary has its own stream
    # fewer points and smaller samples, to see that everything runs; the command keeps ``QUICK_WORDS`` too
    quick: bool = False
    # folders of the corpora at hand, by name; empty for studies of words
    texts: Mapping[str, Path] = field(default_factory=lambda: MappingProxyType({}))
    cells: Path | None = None  # the folder in which measurements that take long are kept; None keeps none
    device: str = "cpu"  # where networks are trained, ``"cpu"`` or ``"cuda"``
    processes: int = 1  # how many cells are measured side by side, >= 1
    progress: Callable[[float], None] = _silent  # called with the share of the item that is done, in [0, 1]
    # draws of ``words`` so far; a report states the sample from here only
    samples: list[Sample] = field(default_factory=list)

    def __post_init__(self) -> None:
        need(len(self.vocabularies) > 0, "vocabularies", "none", "one or more")
        need(self.sample is None or self.sample >= 1, "sample", self.sample, ">= 1")
        need(self.device in DEVICES, "device", repr(self.device), f"one of {', '.join(DEVICES)}")
        need(self.processes >= 1, "processes", self.processes, ">= 1")
        seeded_generator(self.seed)
        for vocabulary in self.vocabularies:
            fits = self.sample is None or self.sample <= len(vocabulary)
            wanted = f"at most the {len(vocabulary)} words of {vocabulary.name}"
            need(fits, "sample", self.sample, wanted, f"Give a smaller one, or none for {DEFAULT_SAMPLE:,} or all.")
            _need_distinct_vectors(vocabulary)

    def text(self, name: str) -> Path:
        """Return the folder of one corpus.

        Raises:
            ParameterError: it is missing.
        """
        wanted = f"the folder data/text/{name} of $TEXTVEIL_SHARED"
        need(name in self.texts, f"corpus {name}", "none", wanted, "Give --data FOLDER; docs/data.md has its layout.")
        return self.texts[name]

    def words(self, vocabulary: Vocabulary, *stream: int, most: int | None = None) -> Ids:
        """Return ids of distinct words drawn uniformly from the vocabulary, in increasing order; shape (sample,).

        Args:
            vocabulary: to draw from.
            stream: of the random choice; the same numbers draw the same words.
            most: smaller sample size for items that take long; None: the whole sample.
        """
        return np.sort(self.words_of(self.generator(0, *stream), vocabulary, most))

    def words_of(self, rng: np.random.Generator, vocabulary: Vocabulary, most: int | None = None) -> Ids:
        wanted = self.sample if self.sample is not None else QUICK_SAMPLE if self.quick else DEFAULT_SAMPLE
        count = min(wanted, len(vocabulary), wanted if most is None else most)
        self.samples.append(Sample(vocabulary.name, count, len(vocabulary)))
        return rng.choice(len(vocabulary), size=count, replace=False).astype(np.int64)

    def generator(self, *stream: int) -> np.random.Generator:
        """Return a repeatable generator of its own stream; never for a release."""
        return seeded_generator(self.seed, *stream)

    def thinned(self, values: Sequence[float]) -> tuple[float, ...]:
        """Return the values of a grid, or a few of them if ``quick``, the first and the last included."""
        if not self.quick or len(values) <= QUICK_POINTS:
            return tuple(values)
        indices: Integers = np.unique(np.linspace(0, len(values) - 1, QUICK_POINTS).round().astype(np.int64))
        return tuple(values[index] for index in indices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One number of the paper beside ours."""

    what: str  # the quantity, units in it
    paper: str  # the paper's number as it prints it, or "not read"
    ours: str = ""  # our number as text, with its interval if it was sampled
    note: str = ""  # reason for a difference; empty if there is none to explain
    # our number by the name of each way of measuring it, if there is more than one; ``ours`` is then empty
    ways: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        need(bool(self.ours) != bool(self.ways), "ours", "both or neither of ours and ways", "one of the two")


class Reproduced(Enum):
    """How much of a paper's item was reproduced."""

    YES = "reproduced"
    PARTLY = "reproduced in part"
    NO = "not reproduced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """Whether an item agrees with the paper, and why, by the measurements."""

    reproduced: Reproduced  # how much of it
    why: str  # one or two plain sentences for readers who know neither the library nor the paper by heart


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemOutcome:
    """Results of one item."""

    tables: Mapping[str, Table]  # numbers by the end of their file's name; the key "" is the item's own name
    charts: Mapping[str, Chart] = field(default_factory=lambda: MappingProxyType({}))  # figures by the same rule
    findings: tuple[str, ...] = ()  # sentences that the report prints
    comparisons: tuple[Comparison, ...] = ()  # the paper's numbers beside ours
    # under what it was measured, by the names that ``Item.settings`` uses if the paper states the same; a tuple is a
    # grid of values. The report states settings from here and from ``StudySetting.samples`` alone.
    settings: Mapping[str, Cell | tuple[float, ...]] = field(default_factory=lambda: MappingProxyType({}))
    judgment: Judgment | None = None  # whether the paper's item was reproduced; None for items beyond the paper


@lru_cache(maxsize=8)  # every item has a setting of its own
def _need_distinct_vectors(vocabulary: Vocabulary) -> None:
    """Refuse duplicate vectors: at distance 0 neither a rank nor the direction between two neighbors is defined."""
    twins = len(later_twins(vocabulary.vectors))
    need(
        twins == 0,
        f"vocabulary {vocabulary.name}",
        f"{twins} repeated vectors (distance 0)",
        "of distinct vectors",
        "Remove the repeated rows.",
    )
