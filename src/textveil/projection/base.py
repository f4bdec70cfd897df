"""What a nearest-word backend is, and what every one of them checks first."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Vectors


@runtime_checkable
class Projection(Protocol):
    """Maps points to the ids of their nearest words."""

    @property
    def exact(self) -> bool:
        """Whether the answer is the nearest word for every query; an approximate one is refused by audits."""

    def __call__(self, queries: Vectors) -> Ids:
        """Ids of the nearest rows by Euclidean distance; float32 (batch, dim) to int64 (batch,).

        Ties, and distances that float32 cannot tell apart, go to one of the tied rows; of identical rows to
        the lowest id.
        """


def checked_table(vectors: Vectors) -> Vectors:
    """``vectors`` as a C-contiguous float32 table with at least one row; not copied where it is one already.

    Raises:
        ParameterError: another shape.
    """
    need(vectors.ndim == 2 and vectors.size > 0, "vectors", f"shape {vectors.shape}", "of shape (n, dim), n >= 1")
    return np.ascontiguousarray(vectors, dtype=np.float32)


def checked_queries(queries: Vectors, dim: int) -> Vectors:
    """``queries`` as float32 of shape (batch, dim).

    Raises:
        ParameterError: another shape.
    """
    fits = queries.ndim == 2 and queries.shape[1] == dim
    need(fits, "queries", f"shape {queries.shape}", f"of shape (batch, {dim})")
    return np.ascontiguousarray(queries, dtype=np.float32)


def half_squares(vectors: Vectors) -> NDArray[np.float32]:
    """||v||^2 / 2 of each row, summed in float64; shape (n,)."""
    return (np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64) / 2).astype(np.float32)
