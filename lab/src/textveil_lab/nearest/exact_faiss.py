"""Exact nearest word by faiss's flat index."""

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from textveil.errors import MissingExtra
from textveil.types import Ids, Vectors
from textveil_lab.nearest.identical_rows import FirstRows, first_rows
from textveil_lab.nearest.projection import checked_queries, checked_table


def load_faiss() -> ModuleType:
    """Import faiss."""
    try:
        import faiss
    except ImportError:
        raise MissingExtra("faiss", "faiss") from None
    return faiss


def first_found(index: Any, queries: Vectors) -> Ids:
    """Return the first row that an index of faiss finds for each query, int64, shape (batch,)."""
    points = checked_queries(queries, index.d)
    return index.search(points, 1)[1][:, 0] if len(points) else np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ExactFaiss:
    """Search for the nearest row of ``vectors`` by ``IndexFlatL2``, which holds a copy of them."""

    vectors: Vectors  # float32, shape (n, dim)
    _index: Any = field(repr=False)
    _first_row: FirstRows = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return exact_faiss, (self.vectors,)

    @property
    def exact(self) -> bool:
        return True

    def __call__(self, queries: Vectors) -> Ids:
        """Return ids of the nearest rows; see ``Projection``."""
        return self._first_row(first_found(self._index, queries))


def exact_faiss(vectors: Vectors) -> ExactFaiss:
    """Return a callable from queries of shape (batch, dim) to ids of shape (batch,), int64."""
    table = checked_table(vectors)
    index = load_faiss().IndexFlatL2(table.shape[1])
    index.add(table)
    return ExactFaiss(table, index, first_rows(table))
