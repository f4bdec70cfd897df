"""Vectors on an integer grid: inner products that are exact, so a row depends on its word alone.

Row x is ``scales[x] * values[x]`` with integer values small enough that every partial sum of an
inner product is an integer below the float type's limit (2^24 in float32, 2^53 in float64). A matrix
product of such rows is exact whatever order BLAS adds in, however the rows are blocked and
on however many threads. Everything made from it elementwise is therefore a function of the two
words, never of the other words that happened to stand in the same batch. A privacy proof that
speaks of "the neighborhood of x" or "the weights of row x" needs just that.

Products of 8-bit integers by torch are the same integers, four times as fast with VNNI. torch is an extra and takes
seconds to import. It is used if it is imported already, or if so many rows are wanted at once that they pay for
the import. Its 8-bit kernels may saturate on processors without 8-bit dot products, and if they are exact they may
run at a twenty-eighth of float32's rate, which is exact for such rows too (127^2 x 300 < 2^24). So a trial of
milliseconds decides: exact on the largest rows there can be, and faster than NumPy. If Linux lists no 8-bit products
among the processor's features, none is made: it would import torch for nothing.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from textveil.environment import may_multiply_bytes
from textveil.errors import MissingExtra, ParameterError, need
from textveil.types import Ids, Reals
from textveil.vocabulary.vocabulary import Vocabulary

_GROUP = 32  # columns in a group of the two-level selection; about where its two stages cost the same
_GRIDS: WeakKeyDictionary[Vocabulary, IntegerGrid] = WeakKeyDictionary()
_TABLES: WeakKeyDictionary[IntegerGrid, Int8Table] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, weakref_slot=True)
class IntegerGrid:
    """Rows of small integers with a scale each.

    ``small``: the same integers on 8 bits if they fit, for exact products in integers; or None.
    """

    values: NDArray[Any]  # integers held in float32 or float64, shape (n, dim), read-only
    scales: Reals  # float64, shape (n,), > 0 (1 for a zero row)
    lengths: Reals  # Euclidean norms of the rows, float64, shape (n,)
    small: NDArray[np.int8] | None = None

    def __post_init__(self) -> None:
        limit = 2**24 if self.values.dtype == np.float32 else 2**53
        largest = float(max(self.values.max(initial=0.0), -self.values.min(initial=0.0)))
        need(
            self.values.shape[1] * largest**2 < limit,
            "values",
            f"magnitudes up to {largest:.0f} in {self.values.shape[1]} dimensions",
            "small enough for exact inner products",
        )
        for array in (self.values, self.scales, self.lengths):
            array.flags.writeable = False

    @property
    def size(self) -> int:
        return int(self.values.shape[0])

    @property
    def inverse_lengths(self) -> Reals:
        """Return factors that turn integers into unit vectors, row by row; 0 for a zero row: its cosines are 0."""
        return np.divide(self.scales, self.lengths, out=np.zeros_like(self.scales), where=self.lengths > 0)

    def inner_products(self, ids: Ids, wanted: int = 0) -> NDArray[Any]:
        """Exact integer inner products with every row, before scales; shape (batch, n).

        ``wanted``: how many rows will be asked for in all, if more are to follow: it decides only whether torch is
        worth its import. The integers are the same.

        Returns:
            The integers, as float32, float64 or int32.
        """
        if self.small is not None and torch_pays(max(wanted, len(ids)), self.small.size):
            if (table := _TABLES.get(self)) is None:
                table = _TABLES[self] = Int8Table(self.small)
            return table(self.small[ids])
        return self.values[ids] @ self.values.T

    def cosines(self, ids: Ids, wanted: int = 0) -> NDArray[np.float32]:
        """Cosines with every row times the length of its own, which orders alike; infinity for a row with itself.

        Shape (batch, n), float32; ``inverse_lengths`` of the ids makes cosines of them.
        """
        products = self.inner_products(ids, wanted)
        scores: NDArray[np.float32] = products.astype(np.float32, copy=False)
        scores *= self.inverse_lengths.astype(np.float32)
        scores[np.arange(len(ids)), ids] = np.inf
        return scores

    def neighborhoods(self, ids: Ids, size: int, wanted: int = 0) -> Ids:
        """The ``size`` rows of greatest cosine with each row, itself included, shape (batch, size).

        Ties go to the lower id. Up to ``nested_limit`` words, a row begins with the word itself and goes on by falling
        cosine, so that rows are beginnings of longer ones; past it the order is another, though always the same. For
        ``wanted`` see ``inner_products``.
        """
        need(1 <= size <= self.size, "size", size, f"between 1 and {self.size}")
        if size == 1:
            return np.ascontiguousarray(ids[:, None], dtype=np.int64)
        return largest(self.cosines(ids, wanted), size)


def integer_grid(vocabulary: Vocabulary) -> IntegerGrid:
    """The grid of a vocabulary: its own integers if it is stored so, else float64 rows.

    Float32 vectors are rounded to integers times a power of two, the finest that keeps inner products
    below 2^53: 22 bits a coordinate at 300 dimensions, so short binary fractions stay exact. It is kept as
    long as the vocabulary lives.
    """
    if (grid := _GRIDS.get(vocabulary)) is None:
        grid = _GRIDS[vocabulary] = _made(vocabulary)
    return grid


def _made(vocabulary: Vocabulary) -> IntegerGrid:
    small = None
    if vocabulary.grid is not None:
        integers, scale = vocabulary.grid
        exact32 = integers.shape[1] * 127**2 < 2**24
        values: NDArray[Any] = integers.astype(np.float32 if exact32 else np.float64)
        scales = np.asarray(scale, dtype=np.float64)
        small = np.asarray(integers) if exact32 else None
    else:
        values, scales = _quantize(vocabulary.vectors)
    squares = np.einsum("nd,nd->n", values, values, dtype=np.float64)
    return IntegerGrid(values=values, scales=scales, lengths=np.sqrt(squares) * scales, small=small)


def _quantize(vectors: NDArray[np.float32]) -> tuple[Reals, Reals]:
    rows = vectors.astype(np.float64)
    bits = math.floor((53 - math.log2(rows.shape[1])) / 2 - 1e-9)
    largest_value = np.abs(rows).max(axis=1)
    exponents = np.where(largest_value > 0, np.frexp(largest_value)[1], 0)
    scales = np.ldexp(1.0, exponents - bits)
    # frexp puts the largest in [1/2, 1) * 2^exponent, so the rounded integers are at most 2^bits.
    return np.rint(rows / scales[:, None]).clip(-(2.0**bits) + 1, 2.0**bits - 1), scales


def nested_limit(columns: int) -> int:
    """The largest number of columns that ``largest`` gives by falling score."""
    return columns // _GROUP // 2


def largest(scores: NDArray[Any], size: int) -> Ids:
    """Column numbers of the ``size`` largest scores of each row, ties to the lower column.

    ``scores``: shape (batch, n), no NaN; ``size``: between 1 and n.

    Returns:
        int64, shape (batch, size); by falling score up to ``nested_limit``.
    """
    if size > nested_limit(scores.shape[1]) and len(scores):
        return np.stack([_largest_of_row(row, size) for row in scores])
    return by_falling_score(scores, size)


def by_falling_score(scores: NDArray[Any], size: int) -> Ids:
    """Return what ``largest`` gives, by falling score at any size, ties to the lower column.

    ``scores``: shape (batch, n), no NaN; ``size``: between 1 and n.

    Returns:
        int64, shape (batch, size).
    """
    batch, n = scores.shape
    if batch == 0:
        return np.empty((0, size), dtype=np.int64)
    # Every group holds one score at least as large as its maximum, so the size-th largest of the groups'
    # maxima is a bound that at least ``size`` scores reach, and few more where groups are many.
    # Groups are strided: their maxima run along contiguous memory. The columns left over are groups of their own.
    length = _GROUP
    while length > 1 and n // length // 2 < size:
        length //= 2
    if length == 1:
        return _sorted(scores)[:, :size]
    groups = n // length
    whole = groups * length
    maxima = scores[:, :whole].reshape(batch, length, groups).max(axis=1)
    maxima = np.concatenate([maxima, scores[:, whole:]], axis=1)
    bound = np.partition(maxima, maxima.shape[1] - size, axis=1)[:, maxima.shape[1] - size]
    places = np.flatnonzero(scores >= bound[:, None])
    rows = places // n
    starts = np.searchsorted(rows, np.arange(batch))[:, None] + np.arange(size)
    bits = (n - 1).bit_length()
    if scores.dtype == np.float32 and (batch - 1).bit_length() + 32 + bits <= 64:
        # Row, falling score and column in one integer each: sorted ten times as fast as by three keys.
        packed = rows.astype(np.uint64) << np.uint64(32 + bits)
        packed |= _falling(scores.reshape(-1)[places]).astype(np.uint64) << np.uint64(bits)
        packed |= (places - rows * n).astype(np.uint64)
        packed.sort()
        return (packed[starts] & np.uint64((1 << bits) - 1)).astype(np.int64)
    order = np.lexsort((places, -scores.reshape(-1)[places], rows))
    return places[order[starts]] % n


def _sorted(scores: NDArray[Any]) -> Ids:
    batch, n = scores.shape
    bits = (n - 1).bit_length()
    if scores.dtype != np.float32 or 32 + bits > 64:
        return np.argsort(-scores, axis=1, kind="stable")
    order = np.empty((batch, n), dtype=np.int64)
    columns = np.arange(n, dtype=np.uint64)
    for into, row in zip(order, scores, strict=True):
        packed = _falling(row).astype(np.uint64) << np.uint64(bits)
        packed |= columns
        packed.sort()
        into[:] = packed & np.uint64((1 << bits) - 1)
    return order


def _falling(scores: NDArray[np.float32]) -> NDArray[np.uint32]:
    bits = (np.float32(0) - scores).view(np.uint32)  # 0 and -0 both become 0
    return np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))


def _largest_of_row(row: NDArray[Any], size: int) -> Ids:
    """One row: everything above the edge, then the lowest columns on it."""
    n = len(row)
    edge = np.partition(row, n - size)[n - size]
    above = np.flatnonzero(row > edge)
    on_edge = np.flatnonzero(row == edge)[: size - len(above)]
    return np.concatenate([above, on_edge])


WORTH: Final = 12_288  # rows of a table of some 30,000 words that take as long in NumPy as torch takes to import
_CELLS: Final = 32_768 * 300


def torch_pays(rows: int, cells: int) -> bool:
    """Tell whether products of ``rows`` rows with a table of ``cells`` numbers should go through torch.

    It depends on nothing but sizes, what is installed, what is imported, and how fast this processor is.
    """
    if "torch" not in sys.modules:
        return rows * cells >= WORTH * _CELLS and importlib.util.find_spec("torch") is not None and fast_here()
    return fast_here()


@cache
def exact_here() -> bool:
    """Tell whether torch has 8-bit products and they are exact on this processor; imports it."""
    try:
        import torch

        rows = np.random.default_rng(0).choice([-127, -126, 126, 127], size=(64, 304)).astype(np.int8)
        rows[:2] = [[127], [-127]]
        products = torch._int_mm(torch.from_numpy(rows), torch.from_numpy(rows).t()).numpy()
    except (ImportError, AttributeError, RuntimeError):
        return False
    return bool(np.array_equal(products, rows.astype(np.int64) @ rows.T.astype(np.int64)))


@cache
def fast_here() -> bool:
    """Tell whether torch's 8-bit products are exact on this processor and faster than NumPy's float32.

    It imports torch, but if the processor has no such products.
    """
    if not may_multiply_bytes() or not exact_here():
        return False
    import torch

    rows = np.random.default_rng(0).integers(-127, 128, size=(1088, 304), dtype=np.int8)
    few, table = torch.from_numpy(rows[:64]), torch.from_numpy(rows[64:]).t()
    floats, float_table = rows[:64].astype(np.float32), rows[64:].astype(np.float32).T
    return _seconds(lambda: torch._int_mm(few, table)) < _seconds(lambda: floats @ float_table)


def _seconds(product: Callable[[], object]) -> float:
    product()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        product()
        times.append(time.perf_counter() - start)
    return min(times)


class Int8Table:
    """A table of 8-bit integers as torch holds it: a copy, 10 MB for 33,000 words of 300 dimensions.

    ``table``: shape (n, dim), values in [-127, 127].
    """

    __slots__ = ("_columns",)

    def __init__(self, table: NDArray[np.int8]) -> None:
        import torch

        self._columns = torch.from_numpy(np.array(table)).t()

    def __call__(self, rows: NDArray[np.int8]) -> NDArray[np.int32]:
        """``rows @ table.T``, exact; shape (batch, dim) to (batch, n)."""
        import torch

        products: NDArray[np.int32] = torch._int_mm(torch.from_numpy(rows), self._columns).numpy()
        return products


@cache
def load_torch() -> ModuleType:
    """Torch. Raises MissingExtra: it is not installed."""
    with MissingExtra("torch", "torch"):
        import torch
    with warnings.catch_warnings():  # torch says once in a process that its sparse rows are new
        warnings.simplefilter("ignore")
        torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1))
    return torch


def checked_device(device: str) -> str:
    """``device``, if torch can compute on it here.

    Raises MissingExtra: torch is not installed; ParameterError: torch knows no such device, or this machine has none.
    """
    torch = load_torch()
    try:
        torch.zeros(1, device=device)
    except Exception as error:  # each device has its own way to say that it is not there
        raise ParameterError(
            f"device must be one that torch finds on this machine; got {device} ({type(error).__name__} from torch). "
            "Use `device=cpu`."
        ) from None
    return device
