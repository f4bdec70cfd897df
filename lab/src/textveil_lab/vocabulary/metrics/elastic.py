"""Metric that gives every word's balls a required mass: distances stretch where words are sparse."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textveil.errors import need
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.grid import by_falling_score, integer_grid, nested_limit
from textveil.vocabulary.public_tables import NEIGHBORS, neighbor_order
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.metrics.metric import MetricFacts, NearWords, blocks

_TRIED: Final = (64, 256, 1024)
"""Numbers of nearest words to try for the mass of a ball; the last is the largest allowed."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class ElasticMetric:
    """d(x, y) = min(levels, length of the shortest path from x to y), over edges whose lengths are levels.

    x has an edge of length l to those of its nearest words that its ball of radius l needs for the mass required at l,
    and that smaller balls do not need. So every ball of radius l < levels has that mass. Proof:
    textveil_lab/proofs/elastic.md.
    """

    facts: MetricFacts  # name, size and distances 0 to levels
    starts: Integers  # where the words below the top level of each word begin in ``words``, shape (n + 1,)
    words: NDArray[Any]  # those words by level, then by id, the word itself first
    counts: Integers  # number of words on each level below the top, shape (n, levels)

    def near(self, ids: Ids) -> list[NearWords]:
        return [
            NearWords(self.words[self.starts[word_id] : self.starts[word_id + 1]], self.counts[word_id])
            for word_id in ids.tolist()
        ]

    def level_counts(self, progress: Progress | None = None) -> Integers:
        return np.column_stack([self.counts, self.facts.size - self.counts.sum(axis=1)])


def required(mass: float, level: int) -> float:
    """Return the required mass of a ball of this radius: it grows with the square, like area."""
    return mass * level**2


def elastic_metric(
    vocabulary: Vocabulary, share: Reals, mass: float, levels: int, progress: Progress | None = None
) -> ElasticMetric:
    """Return the metric for public shares of the words.

    Source: Chatzikokolakis, Palamidessi and Stronati 2015 (arXiv 1503.00756), the construction by a graph.

    Args:
        vocabulary: public words and vectors; words are near by cosine.
        share: mass of every word, > 0, of sum 1, shape (n,).
        mass: required within distance 1, in (0, 1).
        levels: the largest distance, >= 2.

    Raises:
        ParameterError: the nearest 1,024 words of some word (or all words, if there are fewer) have too little mass.
    """
    n = len(vocabulary)
    edges = _edges(vocabulary, share, mass, levels, progress)
    identity = csr_array((np.ones(n, dtype=np.int32), (np.arange(n), np.arange(n))), shape=(n, n))
    balls = [identity]
    for level in range(1, levels):
        reached = balls[-1]
        for length in range(1, level + 1):
            reached = reached + edges[length - 1] @ balls[level - length]
        reached.data[:] = 1
        balls.append(csr_array(reached))
    depth = balls[-1].copy()
    depth.data = np.full(depth.nnz, levels + 1, dtype=np.int32)  # 1 more, for entries of 0 are dropped
    for ball in balls:  # each ball that holds a word takes one from its level
        depth = csr_array(depth - ball)
    rows = np.repeat(np.arange(n, dtype=np.int64), np.diff(depth.indptr))
    places = rows * levels + (depth.data - 1)  # of the row and the level
    packed = places * n + depth.indices
    packed.sort()
    words = packed % n
    counts = np.bincount(places, minlength=n * levels).reshape(n, levels).astype(np.int64)
    facts = MetricFacts(
        name="elastic",
        description=f"elastic, mass {mass:.6g} within 1, at most {levels}",
        size=n,
        distances=tuple(range(levels + 1)),
    )
    for array in (words, counts):
        array.flags.writeable = False
    return ElasticMetric(facts, depth.indptr.astype(np.int64), words, counts)


def _edges(
    vocabulary: Vocabulary, share: Reals, mass: float, levels: int, progress: Progress | None
) -> list[csr_array]:
    n = len(vocabulary)
    nearest = [_nearest(vocabulary, size) for size in sorted({min(n, size) for size in _TRIED})]
    wanted = [required(mass, level) for level in range(1, levels)]
    heads: list[list[Integers]] = [[] for _ in wanted]
    tails: list[list[Integers]] = [[] for _ in wanted]
    for ids in blocks(n, 128):
        for rows_of in nearest:
            order = rows_of(ids)
            held = np.cumsum(share[order], axis=1)
            if held[:, -1].min() >= wanted[-1] * (1 - 1e-9):
                break
        least = float(held[:, -1].min())
        limit = least / wanted[-1] * mass
        need(held[:, -1].min() >= wanted[-1] * (1 - 1e-9), "mass", mass, f"at most about {limit:.4g} at these levels")
        most, taken = order.shape[1], np.zeros(len(ids), dtype=np.int64)
        for level, goal in enumerate(wanted):
            count = np.minimum((held < goal * (1 - 1e-9)).sum(axis=1) + 1, most)
            places = np.arange(most)
            fresh = (places >= taken[:, None]) & (places < count[:, None])
            rows, columns = np.nonzero(fresh)
            heads[level].append(ids[rows])
            tails[level].append(order[rows, columns])
            taken = np.maximum(taken, count)
        if progress is not None:
            progress(int(ids[-1]) + 1, n)
    edges = []
    for head, tail in zip(heads, tails, strict=True):
        first, second = np.concatenate(head), np.concatenate(tail)
        both = np.concatenate([first, second]), np.concatenate([second, first])
        graph = csr_array((np.ones(len(both[0]), dtype=np.int32), both), shape=(n, n))
        graph.sum_duplicates()
        graph.data[:] = 1
        edges.append(graph)
    return edges


def _nearest(vocabulary: Vocabulary, size: int) -> Callable[[Ids], Integers]:
    """Return the nearest words of ids by falling cosine, the lower id first in a tie; from a public table if any."""
    grid = integer_grid(vocabulary)
    table = neighbor_order(vocabulary, size).opened() if size <= nested_limit(grid.size) else None
    if table is not None:
        kept = table[NEIGHBORS]
        return lambda ids: kept[ids, :size].astype(np.int64)
    return lambda ids: by_falling_score(grid.cosines(ids), size)
