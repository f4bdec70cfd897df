"""Nearest words of a public vocabulary, and the similarity of neighborhoods by size."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Reals
from textveil.vocabulary.facts import column_parts, parts, unit_rows

_UNIT = 2.0**-53


def nearest_neighbors(vectors: NDArray[Any], ids: Ids, k: int, *, metric: str = "cosine") -> Ids:
    """Return the ``k`` nearest rows of each row in ``ids``, nearest first, itself always first.

    The lower id wins a tie. A row of the result depends on its id alone: rows that the matrix product selects are
    scored again one by one, so neither the batch nor the threads can change it.

    Args:
        vectors: finite real numbers, shape (n, dim).
        ids: rows to search from, shape (batch,).
        k: neighbors to return, itself included, between 1 and n.
        metric: ``"cosine"`` (a zero row has cosine 0 with every other) or ``"euclidean"``.

    Returns:
        Row ids, int64, shape (batch, k).

    Raises:
        ParameterError: k or metric is outside its domain.
    """
    n, dim = vectors.shape
    need(1 <= k <= n, "k", k, f"between 1 and the {n} rows")
    need(metric in ("cosine", "euclidean"), "metric", repr(metric), "'cosine' or 'euclidean'")
    cosine = metric == "cosine"
    center = np.zeros(dim) if cosine else vectors.mean(axis=0, dtype=np.float64)

    def points(rows: Ids | slice) -> Reals:
        block = vectors[rows].astype(np.float64) - center
        return unit_rows(block) if cosine else block

    out = np.empty((len(ids), k), dtype=np.int64)
    for part in parts(len(ids), n):
        scores, reach = _scores(points, ids[part], n, cosine)
        edges = np.partition(scores, n - k, axis=1)[:, n - k]
        # A score and the edge are each off by at most (2 dim + 8) roundings of terms up to 2 reach.
        edges = edges - (8 * dim + 64) * _UNIT * reach
        for index, (row, edge) in enumerate(zip(scores, edges, strict=True), part.start):
            candidates = np.flatnonzero(row >= edge)
            exact = _exact_scores(points, int(ids[index]), candidates, cosine)
            out[index] = candidates[np.lexsort((candidates, -exact))[:k]]
    return out


def _scores(points: Callable[[Ids | slice], Reals], ids: Ids, n: int, cosine: bool) -> tuple[Reals, float]:
    left = points(ids)
    scores = np.empty((len(ids), n))
    reach = float(np.einsum("nd,nd->n", left, left).max(initial=0.0))
    for columns in column_parts(n):
        right = points(columns)
        scores[:, columns] = left @ right.T
        squares = np.einsum("nd,nd->n", right, right)
        reach = max(reach, float(squares.max()))
        if not cosine:
            scores[:, columns] -= squares / 2
    return scores, reach


def _exact_scores(points: Callable[[Ids | slice], Reals], own: int, candidates: Ids, cosine: bool) -> Reals:
    row, others = points(np.array([own])), points(candidates)
    # Sums along contiguous rows of one length add in one order, whatever else is in the table.
    exact: Reals = (others * row).sum(axis=1) if cosine else -((others - row) ** 2).sum(axis=1)
    exact[candidates == own] = np.inf
    return exact
