"""Approximate nearest word by a forest of random-projection trees, as in Annoy: often, not always, the nearest.

Public code of noise mechanisms searches with Annoy, which is such a forest. Each tree halves the rows by the hyperplane
midway between two random ones until few are left. A query follows the hyperplanes to one leaf of each tree; the answer
is the nearest row in those leaves. The trees depend on the vectors and on a fixed public seed, not on any query, so the
guarantee of a noise mechanism stays; its output has another distribution, so audits refuse it. Source of the trees:
Dasgupta and Freund 2008; https://github.com/spotify/annoy.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids, Integers, Vectors
from textveil_lab.nearest.identical_rows import FirstRows, first_rows
from textveil_lab.nearest.projection import checked_queries, checked_table, half_squares

_SEED = 1
_TREES = 10
_LEAF = 32
_BLOCK = 1024  # Queries that are answered at once


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Tree with inner nodes numbered from 0; a child below 0 is the leaf ``~child``."""

    normals: Vectors  # of the hyperplanes, float32, shape (nodes, dim)
    # a query goes to the second child if its product with the normal is above this, shape (nodes,)
    offsets: NDArray[np.float32]
    children: Integers  # shape (nodes, 2)
    leaves: tuple[Ids, ...]  # rows of each leaf

    def leaf_of(self, queries: Vectors) -> Integers:
        """Return the leaf of each query; shape (batch,)."""
        node = np.zeros(len(queries), dtype=np.int64) if len(self.normals) else np.full(len(queries), -1)
        inside = np.flatnonzero(node >= 0)
        while len(inside):
            at = node[inside]
            products = np.einsum("nd,nd->n", queries[inside], self.normals[at])
            node[inside] = self.children[at, (products > self.offsets[at]).astype(np.int64)]
            inside = inside[node[inside] >= 0]
        return ~node


@dataclass(frozen=True, slots=True, eq=False)
class ApproximateForest:
    """Search for a row near each query: the nearest of those in one leaf of every tree."""

    vectors: Vectors  # float32, shape (n, dim)
    _halves: NDArray[np.float32] = field(repr=False)
    _trees: tuple[Tree, ...] = field(repr=False)
    _first_row: FirstRows = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return approximate_forest, (self.vectors,)

    @property
    def exact(self) -> bool:
        return False

    def __call__(self, queries: Vectors) -> Ids:
        """Return ids of near rows; shapes as in ``Projection``."""
        points = checked_queries(queries, self.vectors.shape[1])
        best = np.full(len(points), -np.inf, dtype=np.float32)
        winner = np.zeros(len(points), dtype=np.int64)
        for tree in self._trees:
            leaves = tree.leaf_of(points)
            order = np.argsort(leaves, kind="stable")
            edges = np.flatnonzero(np.diff(leaves[order], prepend=-1, append=-1))
            for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
                for first in range(start, stop, _BLOCK):
                    asked = order[first : min(first + _BLOCK, stop)]
                    self._improve(points, asked, tree.leaves[leaves[order[start]]], best, winner)
        return self._first_row(winner)

    def _improve(self, points: Vectors, asked: Ids, rows: Ids, best: NDArray[np.float32], winner: Ids) -> None:
        scores = points[asked] @ self.vectors[rows].T - self._halves[rows]
        index = scores.argmax(axis=1)
        value = scores[np.arange(len(asked)), index]
        better = value > best[asked]
        best[asked[better]] = value[better]
        winner[asked[better]] = rows[index[better]]


def approximate_forest(vectors: Vectors) -> ApproximateForest:
    """Return a callable from queries of shape (batch, dim) to ids of shape (batch,), int64; grows its trees first."""
    table = checked_table(vectors)
    source = np.random.default_rng(_SEED)  # public: no answer that must be private depends on it
    trees = tuple(_grown(table, source) for _ in range(_TREES))
    return ApproximateForest(table, half_squares(table), trees, first_rows(table))


def _grown(table: Vectors, source: np.random.Generator) -> Tree:
    normals: list[Vectors] = []
    offsets: list[float] = []
    children: list[list[int]] = []
    leaves: list[Ids] = []
    waiting: list[tuple[Ids, int, int]] = [(np.arange(len(table)), -1, 0)]
    while waiting:
        rows, parent, side = waiting.pop()
        if len(rows) <= _LEAF:
            child = ~len(leaves)
            leaves.append(rows)
        else:
            child = len(normals)
            normal, offset, above = _halved(table[rows], source)
            normals.append(normal)
            offsets.append(offset)
            children.append([0, 0])
            waiting += [(rows[~above], child, 0), (rows[above], child, 1)]
        if parent >= 0:
            children[parent][side] = child
    return Tree(
        np.array(normals, dtype=np.float32).reshape(len(normals), table.shape[1]),
        np.array(offsets, dtype=np.float32),
        np.array(children, dtype=np.int64).reshape(len(children), 2),
        tuple(leaves),
    )


def _halved(rows: Vectors, source: np.random.Generator) -> tuple[Vectors, float, NDArray[np.bool_]]:
    """Return a hyperplane between two random rows, and the rows above it; rows that it cannot separate are halved."""
    first, second = source.choice(len(rows), 2, replace=False)
    normal = rows[second] - rows[first]
    offset = float(normal @ (rows[first] + rows[second]) / 2)
    above = rows @ normal > np.float32(offset)
    if not 0 < int(above.sum()) < len(rows):
        above = np.arange(len(rows)) % 2 == 1
    return normal, offset, above
