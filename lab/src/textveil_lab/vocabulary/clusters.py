"""Public clusters of words: each word is in one, by the vocabulary and public frequencies alone."""

from collections.abc import Iterator
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from textveil.errors import need
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.grid import IntegerGrid, integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.grid_distances import distances_on

EUCLIDEAN, COSINE = "euclidean", "cosine"
MEASURES: Final = (EUCLIDEAN, COSINE)  # How far one word is from another: the Euclidean distance, or 1 less the cosine
_AHEAD: Final = 64  # Words whose distances are made together, although some may be taken before it is their turn
_CLUSTERS: WeakKeyDictionary[Vocabulary, dict[tuple[int, str], Integers]] = WeakKeyDictionary()


def frequency_clusters(
    vocabulary: Vocabulary, size: int, measure: str = EUCLIDEAN, progress: Progress | None = None
) -> Integers:
    """Return clusters by frequency: the most frequent remaining word takes its nearest remaining words.

    If ``size`` does not divide the vocabulary, the last cluster also takes the remainder. The result is cached as long
    as the vocabulary lives. Source of the rule: Chen et al. 2023 (CusText).

    Args:
        size: number of words of a cluster, between 2 and all words.

    Returns:
        The cluster of every word, from 0 in the order of their making, shape (n,).
    """
    n = len(vocabulary)
    need(2 <= size <= n, "size", size, f"between 2 and the {n} words")
    kept = _CLUSTERS.setdefault(vocabulary, {})
    if (size, measure) not in kept:
        kept[size, measure] = _made(vocabulary, size, measure, progress)
    return kept[size, measure]


def _made(vocabulary: Vocabulary, size: int, measure: str, progress: Progress | None) -> Integers:
    grid, n = integer_grid(vocabulary), len(vocabulary)
    order = np.argsort(-word_frequencies(vocabulary).counts, kind="stable")
    out = np.full(n, -1, dtype=np.int64)
    for cluster, (word, row) in enumerate(_in_turn(grid, order, out, measure)):
        free = np.flatnonzero(out < 0)
        if len(free) < 2 * size:  # the last cluster takes the remainder
            out[free] = cluster
            break
        far = row[free]
        far[free == word] = -1.0
        near = np.argpartition(far, size - 1)
        edge = far[near[size - 1]]
        inside, on_edge = free[far < edge], free[far == edge]  # of equal distances the lower ids
        out[np.concatenate([inside, on_edge[: size - len(inside)]])] = cluster
        if progress is not None:
            progress(n - len(free) + size, n)
    if progress is not None:
        progress(n, n)
    out.flags.writeable = False
    return out


def _in_turn(grid: IntegerGrid, order: Ids, taken: Integers, measure: str) -> Iterator[tuple[int, Reals]]:
    place = 0
    while place < len(order):
        ahead = order[place:][taken[order[place:]] < 0][:_AHEAD]
        rows = all_distances(grid, ahead, measure)
        for word, row in zip(ahead.tolist(), rows, strict=True):
            if taken[word] < 0:
                yield word, row
        left = np.flatnonzero(taken[order] < 0)
        place = int(left[0]) if len(left) else len(order)


def all_distances(grid: IntegerGrid, ids: Ids, measure: str) -> Reals:
    """Return distances from each id to every word, shape (batch, n)."""
    if measure == EUCLIDEAN:
        return distances_on(grid, ids)
    products = grid.inner_products(ids).astype(np.float64)
    return 1.0 - products * grid.inverse_lengths[ids, None] * grid.inverse_lengths


def distances_among(grid: IntegerGrid, word: int, members: Ids, measure: str) -> Reals:
    """Return distances from one word to each of ``members``, shape (members,); each depends on its two words alone.

    The distance of a word to itself is 0.
    """
    products = (grid.values[members] @ grid.values[word]).astype(np.float64)
    if measure == EUCLIDEAN:
        lengths = grid.lengths[members]
        products *= -2.0 * grid.scales[members] * grid.scales[word]
        products += lengths**2
        products += grid.lengths[word] ** 2
        far: Reals = np.sqrt(np.maximum(products, 0.0))
    else:
        far = np.maximum(1.0 - products * grid.inverse_lengths[members] * grid.inverse_lengths[word], 0.0)
    far[members == word] = 0.0
    return far
