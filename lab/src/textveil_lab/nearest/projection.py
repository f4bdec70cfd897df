"""What a nearest-word backend is, and what every one of them checks first."""

import math
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Vectors

_BLOCK = 2**20  # Entries that are looked at together
LONGEST: Final = 1e15  # Norm of a vector up to which its inner products with any noisy vector fit float32


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
        ParameterError: no array of real numbers; another shape; an entry that is not finite, in float32.
    """
    _need_reals(vectors, "vectors")
    need(vectors.ndim == 2 and vectors.size > 0, "vectors", f"shape {vectors.shape}", "of shape (n, dim), n >= 1")
    with np.errstate(over="ignore"):  # too large for float32: infinite, and refused below
        table = np.ascontiguousarray(vectors, dtype=np.float32)
    rows = max(1, _BLOCK // table.shape[1])
    finite = all(bool(np.isfinite(table[start : start + rows]).all()) for start in range(0, len(table), rows))
    need(finite, "vectors", "NaN, or infinite in float32", "finite", "Drop or correct those rows.")
    return table


def checked_queries(queries: Vectors, dim: int) -> Vectors:
    """``queries`` as float32 of shape (batch, dim).

    Raises:
        ParameterError: no array of real numbers; another shape.
    """
    _need_reals(queries, "queries")
    fits = queries.ndim == 2 and queries.shape[1] == dim
    need(fits, "queries", f"shape {queries.shape}", f"of shape (batch, {dim})")
    return np.ascontiguousarray(queries, dtype=np.float32)


def _need_reals(array: object, name: str) -> None:
    """Refuse what is no NumPy array of real numbers; says of what type it is, no value."""
    kind = f"dtype {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
    reals = isinstance(array, np.ndarray) and array.dtype.kind in "fiub"
    need(reals, name, kind, "a NumPy array of real numbers", "numpy.asarray(..., dtype='float32') makes one.")


def half_squares(vectors: Vectors) -> NDArray[np.float32]:
    """||v||^2 / 2 of each row, summed in float64; shape (n,).

    Raises:
        ParameterError: a row is so long that scores would not fit float32.
    """
    squares = np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64)
    longest = math.sqrt(float(squares.max(initial=0.0)))
    need(longest <= LONGEST, "vectors", f"a norm of {longest:.3g}", f"of norms up to {LONGEST:g}", "Rescale them.")
    return (squares / 2).astype(np.float32)
