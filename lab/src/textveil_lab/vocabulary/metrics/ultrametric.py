"""Nested cells of words: the distance of two words is the height of the smallest cell that contains both."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Integers, Progress, Vectors
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.metrics.metric import MetricFacts, NearWords

PROOF = "textveil_lab/proofs/word_metrics.md"
FAR = 16  # Distance of two words in different cells, if words of one cell are at 1
_POWER_STEPS = 4
_MEANS_STEPS = 5


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
class Ultrametric:
    """d(x, y) = heights[i] for the first partition i that has x and y in one cell, else heights[-1]; 0 for x = y.

    Proof: textveil_lab/proofs/word_metrics.md, section 3.

    Raises:
        ParameterError: a partition is not coarser than the one before, or heights do not fit.
    """

    # the number of each word's cell in each partition, the finest first; shape (partitions, n)
    cells: NDArray[np.int64]
    heights: tuple[int, ...]  # distance for each partition, and that of words that no partition joins; rising integers
    description: str

    def __post_init__(self) -> None:
        need(self.cells.ndim == 2 and len(self.cells) >= 1, "cells", f"shape {self.cells.shape}", "(partitions, n)")
        need(len(self.heights) == len(self.cells) + 1, "heights", len(self.heights), f"{len(self.cells) + 1} of them")
        for fine, coarse in pairwise(self.cells):
            order = np.argsort(fine, kind="stable")
            together = fine[order][1:] == fine[order][:-1]
            split = together & (coarse[order][1:] != coarse[order][:-1])
            need(not split.any(), "cells", "a cell cut by a coarser partition", "nested partitions")

    @property
    def facts(self) -> MetricFacts:
        """Distances 0 and the heights."""
        return MetricFacts(
            name="ultrametric", description=self.description, size=self.cells.shape[1], distances=(0, *self.heights)
        )

    def near(self, ids: Ids) -> list[NearWords]:
        return [self._near(word) for word in ids.tolist()]

    def _near(self, word: int) -> NearWords:
        members = np.flatnonzero(self.cells[-1] == self.cells[-1, word])
        apart = (self.cells[:, members] != self.cells[:, word, None]).sum(axis=0) + 1  # nested: the first i that joins
        apart[np.searchsorted(members, word)] = 0
        order = np.argsort(apart, kind="stable")
        return NearWords(members[order], np.bincount(apart, minlength=len(self.heights)))

    def level_counts(self, progress: Progress | None = None) -> Integers:
        """Return ``WordMetric.level_counts``, by sizes of cells."""
        n = self.cells.shape[1]
        within = [np.ones(n, dtype=np.int64)]
        for labels in self.cells:
            _, which, sizes = np.unique(labels, return_inverse=True, return_counts=True)
            within.append(sizes[which])
        within.append(np.full(n, n, dtype=np.int64))
        sizes_within = np.stack(within, axis=1)
        sizes_within[:, 1:] -= sizes_within[:, :-1].copy()
        return sizes_within


def ultrametric(
    vocabulary: Vocabulary, neighbors: int, far: int = FAR, progress: Progress | None = None
) -> Ultrametric:
    """Return cells of equal sizes, at most ``neighbors`` words each, by repeatedly halving the vocabulary.

    Words of one cell are at distance 1, all others at ``far``. Equal sizes keep the normalizers of the exponential
    mechanism equal.

    Args:
        neighbors: the largest cell, the word itself included; between 2 and the number of words.
        far: distance across cells, >= 2.
    """
    n = len(vocabulary)
    need(2 <= neighbors <= n, "neighbors", neighbors, f"between 2 and the {n} words of the vocabulary")
    need(far >= 2, "far", far, ">= 2")
    vectors = vocabulary.vectors
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
    points = (vectors / np.where(lengths > 0, lengths, 1.0)[:, None]).astype(np.float32, copy=False)
    labels = np.empty(n, dtype=np.int64)
    open_cells, done, number = [np.arange(n, dtype=np.int64)], 0, 0
    while open_cells:
        members = open_cells.pop()
        if len(members) > neighbors:
            half = _halves(points[members])
            open_cells += [members[half], members[~half]]
            continue
        labels[members] = number
        number, done = number + 1, done + len(members)
        if progress is not None:
            progress(done, n)
    description = f"1 within cells of {neighbors} at most, {far} across"
    return Ultrametric(cells=labels[None, :], heights=(1, far), description=description)


def _halves(points: Vectors) -> NDArray[Any]:
    """Return two halves that differ by at most one word, as a mask: balanced two-means from the widest direction."""
    centered = points - points.mean(axis=0)
    direction = centered[int(np.argmax(np.einsum("nd,nd->n", centered, centered)))]
    for _ in range(_POWER_STEPS):
        direction = (centered @ direction) @ centered
        direction /= max(float(np.sqrt(direction @ direction)), 1e-30)
    for _ in range(_MEANS_STEPS + 1):
        mask = np.zeros(len(points), dtype=np.float32)
        mask[np.argsort(centered @ direction, kind="stable")[: len(points) // 2]] = 1.0
        direction = -(mask @ centered)  # of one direction with the difference of the halves' means
    return mask > 0
