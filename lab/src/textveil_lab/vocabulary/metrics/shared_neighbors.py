"""Word metric: half the size of the symmetric difference of two words' neighbor lists."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids, Integers, Progress
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.metrics.metric import MetricFacts, NearWords, counted
from textveil_lab.vocabulary.metrics.neighbor_graph import WordLists, neighbor_lists, postings

PROOF = "textveil_lab/proofs/word_metrics.md"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class SharedNeighbors:
    """d(x, y) = max(1, k - |S(x) and S(y)|) for x != y; S(x) is x and its nearest words, k in all.

    Without the 1, two words with one list would be at distance 0. Jaccard's distance 2 d / (k + d) is a function of it.
    Proof: textveil_lab/proofs/word_metrics.md, section 1.
    """

    lists: NDArray[Any]  # S(x) with ids rising, shape (n, k)
    holders: WordLists  # for each word, those that have it in their list

    @property
    def facts(self) -> MetricFacts:
        """Distances 0 to k."""
        n, k = self.lists.shape
        return MetricFacts(
            name="shared-neighbors",
            description=f"neighbors not shared among the nearest {k}",
            size=n,
            distances=tuple(range(k + 1)),
        )

    def near(self, ids: Ids) -> list[NearWords]:
        return [self._near(word) for word in ids.tolist()]

    def _near(self, word: int) -> NearWords:
        n, k = self.lists.shape
        sharing = np.concatenate([self.holders.of(neighbor) for neighbor in self.lists[word].tolist()])
        shared = np.bincount(sharing, minlength=n)
        members = np.flatnonzero(shared)
        level = np.maximum(k - shared[members], 1)
        level[np.searchsorted(members, word)] = 0  # a word is in its own list, so it shares all with itself
        order = np.argsort(level, kind="stable")
        return NearWords(members[order].astype(self.lists.dtype), np.bincount(level, minlength=k))

    def level_counts(self, progress: Progress | None = None) -> Integers:
        return counted(self, progress)


def shared_neighbors(vocabulary: Vocabulary, neighbors: int, progress: Progress | None = None) -> SharedNeighbors:
    """Return the metric of the ``neighbors`` nearest words by cosine, each word itself included.

    Args:
        neighbors: k, between 2 and the number of words.
    """
    lists = neighbor_lists(vocabulary, neighbors, progress)
    return SharedNeighbors(lists, postings(lists))
