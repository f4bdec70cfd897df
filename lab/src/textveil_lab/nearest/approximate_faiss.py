"""Approximate nearest word by faiss's HNSW graph: often, not always, the nearest.

The guarantee of a noise mechanism stays (the search is a fixed function of the noisy vector alone), but its output has
another distribution, so audits refuse it. Source of the index: Malkov and Yashunin 2018.
"""

from dataclasses import dataclass, field
from typing import Any

from textveil.types import Ids, Vectors
from textveil_lab.nearest.exact_faiss import first_found, load_faiss
from textveil_lab.nearest.projection import checked_table

_LINKS = 32
_BUILD_BREADTH = 200
_SEARCH_BREADTH = 256


@dataclass(frozen=True, slots=True, eq=False)
class ApproximateFaiss:
    """Search for a row near each query, by walking a graph of the rows."""

    vectors: Vectors  # float32, shape (n, dim)
    _index: Any = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # The index itself, so that every copy returns the same rows.
        return _restored, (self.vectors, load_faiss().serialize_index(self._index))

    @property
    def exact(self) -> bool:
        return False

    def __call__(self, queries: Vectors) -> Ids:
        """Return ids of near rows; shapes as in ``Projection``."""
        return first_found(self._index, queries)


def _restored(vectors: Vectors, stored: Any) -> ApproximateFaiss:
    return ApproximateFaiss(vectors, load_faiss().deserialize_index(stored))


def approximate_faiss(vectors: Vectors) -> ApproximateFaiss:
    """Return a callable from queries of shape (batch, dim) to ids of shape (batch,), int64; builds its graph first."""
    table = checked_table(vectors)
    faiss = load_faiss()
    index = faiss.IndexHNSWFlat(table.shape[1], _LINKS)
    index.hnsw.efConstruction = _BUILD_BREADTH
    index.hnsw.efSearch = _SEARCH_BREADTH
    index.add(table)
    return ApproximateFaiss(table, index)
