"""Rank resampling around the nearest word: the fix of the paper on the curse of dimensionality.

After the noise, the nearest word w is replaced by its i-th neighbor with probability proportional to
exp(-decay * i), i = 0 being w. It sees w and never the input, so it is post-processing and free.
Source: Asghar et al. 2026 (dX-privacy for text and the curse of dimensionality), the section on the fix.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from textveil.errors import need
from textveil.types import Ids, Integers
from textveil.vocabulary.grid import IntegerGrid

_BLOCK = 64


@final
@dataclass(frozen=True, slots=True, eq=False)
class RankResampling:
    """Replaces a word by its i-th nearest, i geometric with ratio exp(-decay), cut at the vocabulary's size.

    Attributes:
        grid: the public vectors.
        clip: their clipping norm, as in the mechanism before it.
        decay: nats per rank, > 0 (the paper's c * epsilon).
    """

    grid: IntegerGrid
    clip: float | None
    decay: float

    def __post_init__(self) -> None:
        need(0 < self.decay < math.inf, "decay", self.decay, "finite and > 0")

    def ranks(self, count: int, rng: np.random.Generator) -> Integers:
        """Ranks in [0, n) with P(i) proportional to exp(-decay * i); shape (count,)."""
        mass = -math.expm1(-self.decay * self.grid.size)
        drawn = np.floor(-np.log1p(-rng.random(count) * mass) / self.decay)
        return np.minimum(drawn, self.grid.size - 1).astype(np.int64)

    def __call__(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """The resampled words; shape (batch,). Distance ties go to the lower id."""
        ranks = self.ranks(len(ids), rng)
        out = ids.copy()
        moved = np.flatnonzero(ranks > 0)
        words, which = np.unique(ids[moved], return_inverse=True)
        order = np.argsort(which, kind="stable")
        bounds = np.searchsorted(which[order], np.arange(len(words) + 1))
        for start in range(0, len(words), _BLOCK):
            rows = self.grid.distances(words[start : start + _BLOCK], self.clip)
            for offset, row in enumerate(rows):
                row[words[start + offset]] = -1.0  # rank 0 is the word itself, even beside a twin
                where = moved[order[bounds[start + offset] : bounds[start + offset + 1]]]
                out[where] = _at_ranks(row, ranks[where])
        return out


def _at_ranks(distances: np.ndarray[tuple[int], np.dtype[np.float64]], ranks: Integers) -> Ids:
    """The columns at these ranks of increasing distance, ties to the lower column."""
    deepest = int(ranks.max()) + 1
    if deepest < len(distances):
        edge = np.partition(distances, deepest - 1)[deepest - 1]
        near = np.flatnonzero(distances <= edge)
    else:
        near = np.arange(len(distances))
    return near[np.argsort(distances[near], kind="stable")][ranks]
