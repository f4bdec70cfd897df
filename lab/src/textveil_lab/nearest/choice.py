"""Choice of a backend: by name, or the fastest exact one that is installed."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from textveil.errors import MissingExtra, ParameterError, UnknownNameError, need
from textveil.types import Ids, Vectors
from textveil.vocabulary.grid import fast_here
from textveil_lab.nearest.projection import ExactNumpy, Projection, exact_numpy

BACKENDS: Mapping[str, str] = MappingProxyType(
    {
        "numpy": "textveil_lab.nearest.projection:exact_numpy",
        "int8": "textveil_lab.nearest.exact_int8:exact_int8",
        "faiss": "textveil_lab.nearest.exact_faiss:exact_faiss",
        "gpu": "textveil_lab.nearest.exact_torch:exact_torch",
        "approximate-faiss": "textveil_lab.nearest.approximate_faiss:approximate_faiss",
        "approximate-forest": "textveil_lab.nearest.approximate_forest:approximate_forest",
    }
)
"""Backends by name; the name of an approximate one says so."""

FASTEST = "fastest"  # The name of the default: exact, whatever is installed
_WORTH_IMPORTING = 2e11
"""Number of products with one coordinate after which importing torch (a second or two) pays: two seconds of NumPy's."""

_LEAST_TABLE = 1 << 19
"""Numbers in a table below which NumPy is as fast at any batch: one of ``int8``'s tiles would be hardly filled."""

_LEAST_CALL = 3e7
"""Products with one coordinate in one call below which NumPy is as fast: two or three rows of 33,000 words."""


@dataclass(slots=True, eq=False)
class FastestExact:
    """Exact search that begins with NumPy and changes to ``int8``, if it is installed, once there is enough work.

    Small tables, and calls with few queries, stay with NumPy. The choice depends only on the table's size and on the
    number of queries, and changes no answer except among distances that float32 cannot tell apart.
    """

    vectors: Vectors  # float32, shape (n, dim)
    _small: ExactNumpy = field(repr=False)
    _large: Projection | None = field(repr=False, default=None)
    _done: float = field(repr=False, default=0.0)
    _settled: bool = field(repr=False, default=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return fastest_exact, (self.vectors,)

    @property
    def exact(self) -> bool:
        return True

    def __call__(self, queries: Vectors) -> Ids:
        """Return ids of the nearest rows; see ``Projection``."""
        products = float(len(queries)) * self.vectors.size
        if self.vectors.size < _LEAST_TABLE or products < _LEAST_CALL:
            return self._small(queries)
        self._done += products
        if not self._settled and (self._done > _WORTH_IMPORTING or "torch" in sys.modules):
            self._large = _int8(self.vectors)
            self._settled = True
        return (self._large or self._small)(queries)


def _int8(vectors: Vectors) -> Projection | None:
    """Return the int8 backend; None if torch is absent, or its 8-bit products are inexact or slower than float32's."""
    if find_spec("torch") is None or not fast_here():
        return None
    from textveil_lab.nearest.exact_int8 import exact_int8

    try:
        return exact_int8(vectors)
    except (MissingExtra, ParameterError):
        return None


def fastest_exact(vectors: Vectors) -> FastestExact:
    """Return a ``FastestExact``."""
    small = exact_numpy(vectors)
    return FastestExact(small.vectors, small)


def nearest(vectors: Vectors, backend: str | None = None) -> Projection:
    """Return a callable from queries of shape (batch, dim) to the ids of the nearest rows, shape (batch,), int64.

    Ties, and distances that float32 cannot tell apart, go to one of the tied rows; the first of identical rows wins.

    Args:
        vectors: float32, finite, shape (n, dim), n >= 1.
        backend: a name of ``BACKENDS``; None or ``"fastest"`` is the fastest exact one that is installed.

    Raises:
        UnknownNameError: no backend has that name.
        ParameterError: the vectors are no array, have another shape or are not finite, or this machine cannot run the
            backend.
    """
    if backend is None or backend == FASTEST:
        return fastest_exact(vectors)
    module, _, name = checked_backend(backend).partition(":")
    projection: Projection = getattr(import_module(module), name)(vectors)
    return projection


def checked_backend(backend: str) -> str:
    """Return the target that makes the backend of that name.

    Raises:
        UnknownNameError: there is none.
    """
    if backend not in BACKENDS:
        names = f"one of {FASTEST}, {', '.join(BACKENDS)}"
        need(False, "projection", repr(backend[:60]), names, "See docs/performance.md.", kind=UnknownNameError)
    return BACKENDS[backend]
