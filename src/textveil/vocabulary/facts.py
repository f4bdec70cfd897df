"""Geometry of a public vocabulary: norms, clipping, exact diameters, closest pair, neighborhoods.

Functions of a vocabulary take what is stored among its facts where that applies, and otherwise compute
it once for each vocabulary object. The facts have these keys:

    digest                  SHA-256 of words and vectors, as ``Vocabulary.digest`` defines it
    norms                   minimum (rounded down), mean, maximum (rounded up)
    raw, unit               for the vectors as they are, and divided by their norms:
      diameter.1, .2, .inf    value (rounded up), first, second
      minimum_distance        least L2 distance between two words
    neighborhood            sizes; sums: the mean over all words of the sum of cosines of the m nearest words
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids, Integers, Progress, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

SAMPLED_ROWS = 1024
"""Words over which neighborhoods are averaged where no curve is stored: evenly spaced in the vocabulary."""


_MEMORY: WeakKeyDictionary[Vocabulary, dict[Any, Any]] = WeakKeyDictionary()
_T = TypeVar("_T")


def mean_neighbor_similarity(vocabulary: Vocabulary, progress: Progress | None = None) -> tuple[Integers, Reals]:
    """Similarity of a word to its m nearest words, for m on a public grid.

    Returns:
        Sizes m (all to 512, then steps of 2 %, and the number of words last), and for each the mean over
        words of the sum of cosines of the m nearest words, the word itself included. The mean runs over
        all words where the facts hold it, else over ``SAMPLED_ROWS`` evenly spaced ones.
    """
    stored = vocabulary.facts.get("neighborhood")
    if stored is not None:
        return np.array(stored["sizes"], dtype=np.int64), np.array(stored["sums"], dtype=np.float64)
    n = len(vocabulary)
    rows = np.arange(min(n, SAMPLED_ROWS), dtype=np.int64) * n // min(n, SAMPLED_ROWS)
    sums = remembered(vocabulary, "neighborhood", lambda: similarity_sums(vocabulary.vectors, rows, progress))
    return neighborhood_sizes(n), sums.copy()


def remembered(vocabulary: Vocabulary, key: Any, compute: Callable[[], _T]) -> _T:
    """``compute()``, done once for a vocabulary and a key, and kept as long as the vocabulary lives."""
    kept = _MEMORY.setdefault(vocabulary, {})
    if key not in kept:
        kept[key] = compute()
    result: _T = kept[key]
    return result


def neighborhood_sizes(n: int) -> Integers:
    """The sizes at which neighborhoods are measured: all to 512, then steps of 2 %, and ``n``."""
    sizes = list(range(1, min(n, _DENSE) + 1))
    while sizes[-1] < n:
        sizes.append(min(n, int(np.ceil(sizes[-1] * _STEP))))
    return np.array(sizes, dtype=np.int64)


def similarity_sums(vectors: NDArray[Any], rows: Ids, progress: Progress | None = None) -> Reals:
    """Mean over ``rows`` of the sum of cosines of the m nearest rows, for every size m of the grid.

    The row itself is the first of its neighbors, with cosine 1; a zero row has cosine 0 with others.
    Cosines are rounded to float32 before they are sorted and added in float64.

    ``vectors``: finite real numbers, shape (n, dim); ``rows``: the rows that are averaged over, shape (batch,).

    Returns:
        One sum for each of ``neighborhood_sizes(n)``, float64.
    """
    n = len(vectors)
    total = np.zeros(n)
    for part in parts(len(rows), n):
        here = rows[part]
        left = unit_rows(vectors[here].astype(np.float64))
        table = np.empty((len(here), n), dtype=np.float32)
        for columns in column_parts(n):
            np.negative(left @ unit_rows(vectors[columns].astype(np.float64)).T, out=table[:, columns])
        table[np.arange(len(here)), here] = -1.0
        table.sort(axis=1)
        total -= table.sum(axis=0, dtype=np.float64)
        if progress is not None:
            progress(part.stop, len(rows))
    return (np.cumsum(total) / len(rows))[neighborhood_sizes(n) - 1]


def norms(vectors: NDArray[Any]) -> Reals:
    """Euclidean norms of the rows, computed in float64, shape (n,).

    The relative error is at most ``norm_error(dim)``.
    """
    out = np.empty(len(vectors))
    for part, rows in row_blocks(vectors):
        out[part] = np.sqrt(np.einsum("nd,nd->n", rows, rows))
    return out


def norm_error(dim: int) -> float:
    """Bound on the relative error of a norm in ``dim`` dimensions: half that of the sum, and the root's."""
    return (dim + 16) * UNIT_ROUNDOFF


def normalize(vectors: NDArray[Any]) -> Vectors:
    """Each row divided by its norm, rounded to float32; zero rows stay zero.

    The exact norm of a row of the result differs from 1 by at most 2^-23.
    """
    out = np.empty(vectors.shape, dtype=np.float32)
    for part, rows in row_blocks(vectors):
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        out[part] = np.divide(rows, np.where(lengths > 0, lengths, 1.0)[:, None], out=rows)
    return out


_COLUMNS = 2048
_SCORES = 1 << 22  # scores that are held at once: 33 MB
_DENSE = 512
_STEP = 1.02


def unit_rows(rows: Reals) -> Reals:
    """Rows divided by their norms; zero rows stay zero."""
    lengths = np.sqrt((rows * rows).sum(axis=1))
    return rows / np.where(lengths > 0, lengths, 1.0)[:, None]


def parts(batch: int, n: int) -> Iterator[slice]:
    """Yield slices of a batch of rows whose scores against n columns fit into memory."""
    rows = max(8, _SCORES // n)
    return (slice(start, min(start + rows, batch)) for start in range(0, batch, rows))


def column_parts(n: int) -> Iterator[slice]:
    """Yield slices of n columns."""
    return (slice(start, min(start + _COLUMNS, n)) for start in range(0, n, _COLUMNS))


UNIT_ROUNDOFF = 2.0**-53


def row_blocks(vectors: NDArray[Any]) -> Iterator[tuple[slice, Reals]]:
    """Row blocks of about 16 MB, as private float64 copies."""
    rows = max(1, BLOCK_BYTES // (8 * vectors.shape[1]))
    for start in range(0, len(vectors), rows):
        part = slice(start, start + rows)
        yield part, vectors[part].astype(np.float64)


BLOCK_BYTES = 1 << 24
