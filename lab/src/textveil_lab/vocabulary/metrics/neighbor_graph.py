"""Nearest words of every word by cosine, and hops in their graph, up to a limit."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Integers, Progress
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.public_tables import NEIGHBORS, neighbor_order
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.metrics.metric import MetricFacts, NearWords, blocks

_ROWS = 128


class WordLists(NamedTuple):
    """Lists in a row: that of x is ``words[starts[x] : starts[x + 1]]``, ids rising."""

    starts: NDArray[np.int64]
    words: NDArray[Any]

    def of(self, word: int) -> NDArray[Any]:
        return self.words[self.starts[word] : self.starts[word + 1]]


def neighbor_lists(vocabulary: Vocabulary, neighbors: int, progress: Progress | None = None) -> NDArray[Any]:
    """Return S_k(x) for every word: the k words of largest cosine, x itself included, ids rising; shape (n, k).

    A list depends on its word alone; the lower id wins a tie (``vocabulary.grid``).

    Args:
        neighbors: k, between 2 and the number of words.
    """
    grid = integer_grid(vocabulary)
    need(2 <= neighbors <= grid.size, "neighbors", neighbors, f"between 2 and the {grid.size} words of the vocabulary")
    table = neighbor_order(vocabulary, neighbors).opened()
    out = np.empty((grid.size, neighbors), dtype=np.min_scalar_type(grid.size - 1))
    for ids in blocks(grid.size, _ROWS):
        rows = grid.neighborhoods(ids, neighbors) if table is None else table[NEIGHBORS][ids, :neighbors]
        out[ids] = np.sort(rows, axis=1)
        if progress is not None:
            progress(int(ids[-1]) + 1, grid.size)
    out.flags.writeable = False
    return out


def postings(lists: NDArray[Any]) -> WordLists:
    """Return, for every word z, the words that have z in their list."""
    n, k = lists.shape
    flat = lists.reshape(-1)
    order = np.argsort(flat, kind="stable")  # by z, then by the word whose list it is
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(flat, minlength=n), out=starts[1:])
    return WordLists(starts, (order // k).astype(lists.dtype))


def joined(lists: NDArray[Any]) -> WordLists:
    """Return the undirected graph of the lists: x and y are joined if either is in the other's list, x != y."""
    n, k = lists.shape
    first = np.repeat(np.arange(n, dtype=np.int64), k)
    second = lists.reshape(-1).astype(np.int64)
    apart = first != second
    keys = np.sort(np.concatenate([(first * n + second)[apart], (second * n + first)[apart]]))
    keys = keys[np.append(True, keys[1:] != keys[:-1])]
    starts = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n)
    return WordLists(starts, (keys % n).astype(lists.dtype))


PROOF = "textveil_lab/proofs/word_metrics.md"
MOST_WORK = 1 << 34  # Words of 64 bits that may be joined to count the levels of all words; about a minute on one core
_COLUMNS = 4096
_GATHERED = 1 << 22
_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
class NeighborGraph:
    """d(x, y) = min(hops, edges on the shortest path between x and y); ``hops`` if there is no path.

    An edge joins x and y if either is among the other's nearest words. It is the largest metric that is at most 1 on
    every edge and at most ``hops`` anywhere. Proof: textveil_lab/proofs/word_metrics.md, section 2.
    """

    graph: WordLists  # the words joined to each word, without itself
    neighbors: int
    hops: int  # the largest distance, >= 2

    def __post_init__(self) -> None:
        need(self.hops >= 2, "hops", self.hops, ">= 2: with 1 all words are equally far")

    @property
    def facts(self) -> MetricFacts:
        """Distances 0 to hops."""
        return MetricFacts(
            name="neighbor-graph",
            description=f"hops between nearest {self.neighbors}, at most {self.hops}",
            size=len(self.graph.starts) - 1,
            distances=tuple(range(self.hops + 1)),
        )

    def near(self, ids: Ids) -> list[NearWords]:
        return [self._near(word) for word in ids.tolist()]

    def _near(self, word: int) -> NearWords:
        seen = np.zeros(len(self.graph.starts) - 1, dtype=bool)
        seen[word] = True
        rings: list[NDArray[Any]] = [np.array([word], dtype=self.graph.words.dtype)]
        for _ in range(1, self.hops):
            reached = [self.graph.of(word_id) for word_id in rings[-1].tolist()]
            fresh = np.zeros_like(seen)
            if reached:
                fresh[np.concatenate(reached)] = True
            fresh &= ~seen
            seen |= fresh
            rings.append(np.flatnonzero(fresh).astype(self.graph.words.dtype))
        return NearWords(np.concatenate(rings), np.array([len(ring) for ring in rings], dtype=np.int64))

    def level_counts(self, progress: Progress | None = None) -> Integers:
        """Return ``WordMetric.level_counts``, by sets of words as bits, one step of all words at once."""
        n = len(self.graph.starts) - 1
        within = np.zeros((n, self.hops + 1), dtype=np.int64)
        within[:, 0], within[:, 1], within[:, self.hops] = 1, 1 + np.diff(self.graph.starts), n
        if self.hops > 2:
            work = (len(self.graph.words) + n) * (n // 64 + 1) * (self.hops - 1)
            need(work <= MOST_WORK, "hops", self.hops, f"2 for a graph of {len(self.graph.words) // 2} edges, or fewer")
            for start in range(0, n, _COLUMNS):
                within[:, 2 : self.hops] += self._reached(start, min(start + _COLUMNS, n))
                if progress is not None:
                    progress(min(start + _COLUMNS, n), n)
        return np.diff(within, axis=1, prepend=0)

    def _reached(self, first: int, last: int) -> Integers:
        n = len(self.graph.starts) - 1
        ball = np.zeros((n, (last - first + 63) // 64 * 8), dtype=np.uint8)
        indices = np.arange(last - first)
        ball[first + indices, indices // 8] = 1 << (indices % 8)
        counts = np.zeros((n, self.hops - 2), dtype=np.int64)
        for step in range(1, self.hops):
            ball = self._step(ball.view(np.uint64)).view(np.uint8)
            if step >= 2:
                counts[:, step - 2] = _ONES[ball].sum(axis=1, dtype=np.int64)
        return counts

    def _step(self, ball: NDArray[np.uint64]) -> NDArray[np.uint64]:
        out = ball.copy()
        starts = self.graph.starts
        edges = max(1, _GATHERED // ball.shape[1])
        begin = 0
        while begin < len(out):
            end = max(begin + 1, int(np.searchsorted(starts, starts[begin] + edges, side="right")) - 1)
            rows = np.arange(begin, min(end, len(out)))
            rows = rows[starts[rows + 1] > starts[rows]]  # reduceat has no empty sums
            if len(rows):
                gathered = ball[self.graph.words[starts[begin] : starts[rows[-1] + 1]]]
                out[rows] |= np.bitwise_or.reduceat(gathered, starts[rows] - starts[begin], axis=0)
            begin = end
        return out


def neighbor_graph(
    vocabulary: Vocabulary, neighbors: int, hops: int = 3, progress: Progress | None = None
) -> NeighborGraph:
    """Return the graph of the ``neighbors`` nearest words by cosine, each word itself included.

    Args:
        neighbors: k, between 2 and the number of words.
        hops: largest distance, at least 2.
    """
    return NeighborGraph(graph=joined(neighbor_lists(vocabulary, neighbors, progress)), neighbors=neighbors, hops=hops)
