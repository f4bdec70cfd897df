"""Interface of metrics with few distances: levels, words below the top level, and the number on each level."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Integers, Progress

BLOCK = 256  # Words whose lists are made at once if all words are gone through


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFacts:
    """Name and possible distances of a metric on n words."""

    name: str  # ``"shared-neighbors"``, ``"neighbor-graph"`` or ``"ultrametric"``
    description: str
    size: int
    # the distance of each level, strictly increasing integers from 0; level 0 is the word itself, and the last level
    # holds every word that is on no other
    distances: tuple[int, ...]

    def __post_init__(self) -> None:
        need(self.size >= 2, "size", self.size, ">= 2")
        rising = all(first < second for first, second in pairwise(self.distances))
        need(
            len(self.distances) >= 2 and self.distances[0] == 0 and rising, "distances", self.distances, "rising from 0"
        )

    @property
    def top(self) -> int:
        return len(self.distances) - 1


class NearWords(NamedTuple):
    """Words below the top level of one word: ids by level, then by id, and the number on each level.

    ``members`` has shape (m,), with the word itself first; ``counts`` has shape (top,) and sum m.
    """

    members: NDArray[Any]
    counts: Integers


@runtime_checkable
class WordMetric(Protocol):
    """Metric d(x, y) = distances[level(x, y)] on word ids; public, and a function of the vocabulary alone."""

    @property
    def facts(self) -> MetricFacts:
        """Name, size and distances."""

    def near(self, ids: Ids) -> list[NearWords]:
        """Return the words below the top level of each id."""

    def level_counts(self, progress: Progress | None = None) -> Integers:
        """Return the number of words on each level of every word, shape (n, top + 1)."""


def levels(metric: WordMetric, ids: Ids) -> Integers:
    """Return the level of every word from each id, shape (batch, n)."""
    facts = metric.facts
    out = np.full((len(ids), facts.size), facts.top, dtype=np.int64)
    for row, near in zip(out, metric.near(ids), strict=True):
        row[near.members] = np.repeat(np.arange(facts.top), near.counts)
    return out


def distances(metric: WordMetric, ids: Ids) -> Integers:
    """Return d(x, y) from each id to every word, shape (batch, n)."""
    return np.array(metric.facts.distances, dtype=np.int64)[levels(metric, ids)]


def blocks(size: int, step: int = BLOCK) -> Iterator[Ids]:
    """Yield all ids, ``step`` at a time."""
    return (np.arange(start, min(start + step, size), dtype=np.int64) for start in range(0, size, step))


def counted(metric: WordMetric, progress: Progress | None = None) -> Integers:
    """Return ``level_counts`` by making the list of every word once."""
    facts = metric.facts
    out = np.empty((facts.size, facts.top + 1), dtype=np.int64)
    for ids in blocks(facts.size):
        out[ids, :-1] = [near.counts for near in metric.near(ids)]
        if progress is not None:
            progress(int(ids[-1]) + 1, facts.size)
    out[:, -1] = facts.size - out[:, :-1].sum(axis=1)
    return out
