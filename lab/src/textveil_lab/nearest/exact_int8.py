"""Exact nearest word from 8-bit matrix products, by torch: the fast units find few candidates, float32 decides.

The nearest row v to a query x maximizes f(v) = x.v - ||v||^2 / 2, and centering both by a point c moves f by a number
that v does not change. Let the centered query be s X + e and the centered row, with a piece of its -||v||^2 / 2 in
extra coordinates against a constant C in the query's, as t V + g, with 8-bit integers X and V; the query's extra
coordinates are a number of steps of s, near C. Up to the number that v does not change,

    |f(v) - s t X.V - base| <= ||s X|| ||g|| + ||e|| ||v|| + |C - steps s| / C * reach  =: E

by Cauchy-Schwarz, twice, with ``reach`` the most that C carries of the ||v||^2 / 2 of a tile. So a row whose s t X.V +
base + E is below the score of some row cannot be the nearest. The few remaining rows are scored in float32, and the
best of them is the answer, up to the float32 rounding of a score.

*Rounding.* The integer products are exact; the rest is float32, u = 2^-24. Let Q = ||x|| and let L be the longest row,
centered or not, plus ||c||. A sum of dim products is off by dim u times the sum of their sizes. So the errors of a
score, of the shift x.c - ||c||^2 / 2, of centering, of e and of s t sum to at most u (2 dim + 30) L (Q + 2 L), and
those of the norms in E to at most u (dim / 2 + 10) E. The slack ``rounding`` is 8 (dim + 16) u L (Q + 2 L), which is
enough while E <= 8 L (Q + 2 L): 2 dim + 30 + 8 (dim / 2 + 10) <= 8 (dim + 16). If E is larger no slack is needed:
rounding to integers moves no coordinate by more than its size, so the left side is at most 4 L (Q + 2 L).

Rows are sorted by their largest coordinate and cut into tiles that share one scale t, so that the maximum of a tile is
taken over integers while they are in the cache.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Vectors
from textveil_lab.nearest.identical_rows import FirstRows, first_rows
from textveil_lab.nearest.projection import checked_queries, checked_table, half_squares
from textveil_lab.nearest.torch_arrays import check_int8_products, load_torch, tensor

if TYPE_CHECKING:
    import torch

_TILE = 1024  # Rows of a tile, which share one scale
_SPAN = 10  # Tiles that are searched together if the table is small
_LONG_SPAN = 5  # The same if the 8-bit copy of the rows takes most of the memory
_BLOCK = 2048  # Queries of a block: with a span of tiles, 80 or 40 MB of integers
_GROUP = 32  # Number of rows whose maximum is checked before they are
_EXTRA = 4  # Coordinates that carry ||v||^2 / 2
_NEVER = 2**30  # More than any product
_KEPT_BYTES = 128 * 2**20
"""Budget of the 8-bit copy of the rows; rows beyond it are converted again for each block of queries."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tile:
    """Rows ``start`` to ``stop`` in sorted order, as integers times ``scale``, with their rounding errors."""

    start: int
    stop: int
    integers: Any  # int8, shape (_TILE, dim + extra), filled up with zeros; None if they are made when needed
    scale: float  # t
    residual: float  # the largest ||g||
    norm: float  # the largest ||v|| of the centered rows, without the extra coordinates
    base: float  # rest of -||v||^2 / 2 beyond the extra coordinates
    reach: float  # the largest sum that the extra coordinates carry, in units of the query's constant


@dataclass(slots=True, eq=False)
class _Best:
    """Best row of each query so far: its float32 score, and its id."""

    score: torch.Tensor
    ids: torch.Tensor


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Queries:
    """Block of queries as integers times ``scales``, shapes (batch, ...), with the parts of the bound E."""

    points: torch.Tensor
    integers: torch.Tensor
    scales: torch.Tensor
    lengths: torch.Tensor
    residuals: torch.Tensor
    constant_error: torch.Tensor
    shift: torch.Tensor
    rounding: torch.Tensor


@dataclass(frozen=True, slots=True, eq=False)
class ExactInt8:
    """Search for the nearest row of ``vectors`` by Euclidean distance; see the module's docstring.

    Beside the vectors it keeps at most 200 MB at any size. Threads may share it.
    """

    vectors: Vectors  # float32, shape (n, dim), kept as given and never written
    _half_squares: NDArray[np.float32] = field(repr=False)
    _center: NDArray[np.float32] = field(repr=False)
    _order: NDArray[np.int32] = field(repr=False)
    _constant: float = field(repr=False)
    _longest: float = field(repr=False)
    _tiles: tuple[_Tile, ...] = field(repr=False)
    _first_row: FirstRows = field(repr=False)
    _buffers: threading.local = field(repr=False, default_factory=threading.local)

    def __reduce__(self) -> tuple[Any, ...]:
        return exact_int8, (self.vectors,)

    @property
    def exact(self) -> bool:
        return True

    def __call__(self, queries: Vectors) -> Ids:
        """Return ids of the nearest rows; see ``Projection``.

        Raises:
            ParameterError: the queries' shape does not fit the vectors'.
        """
        points = checked_queries(queries, self.vectors.shape[1])
        out = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), _BLOCK):
            block = points[start : start + _BLOCK]
            out[start : start + len(block)] = self._nearest(block)
        return self._first_row(out)

    def _nearest(self, block: Vectors) -> Ids:
        torch = load_torch()
        asked = self._quantized(block)
        count = len(block)
        best = _Best(torch.full((count,), -torch.inf), torch.full((count,), len(self.vectors)))
        span = _SPAN if self.vectors.size * 4 <= _KEPT_BYTES else _LONG_SPAN
        for start in range(0, len(self._tiles), span):
            self._scan(asked, self._tiles[start : start + span], best)
        ids: Ids = best.ids.numpy()
        lost = ids == len(self.vectors)  # a query that is not finite has no nearest row, and gets the first
        return np.where(lost, 0, ids)

    def _quantized(self, block: Vectors) -> _Queries:
        torch = load_torch()
        points = tensor(block)
        count, dim = block.shape
        # In place, in kept memory: the pages of fresh arrays would cost more than the arithmetic.
        gap = torch.sub(points, tensor(self._center), out=self._buffer("gap", count * dim).view(count, dim))
        rounded = torch.abs(gap, out=self._buffer("rounded", count * dim).view(count, dim))
        largest = rounded.amax(1).clamp(min=1e-30, max=1e30)
        lengths = torch.linalg.vector_norm(gap, dim=1)
        steps = torch.floor(127 * self._constant / largest.clamp(min=self._constant)).clamp(min=1)
        scales = torch.maximum(self._constant / steps, largest / 127)
        rounded = torch.div(gap, scales[:, None], out=rounded).round_()
        integers = torch.empty((count, dim + _EXTRA), dtype=torch.int8)
        integers[:, :dim] = rounded
        integers[:, dim:] = steps[:, None]
        residuals = torch.linalg.vector_norm(gap.sub_(rounded.mul_(scales[:, None])), dim=1)
        lengths = torch.sqrt(lengths**2 + _EXTRA * (steps * scales) ** 2)
        center = tensor(self._center)
        sizes = torch.linalg.vector_norm(points, dim=1) + 2 * self._longest
        return _Queries(
            points=points,
            integers=integers,
            scales=scales,
            lengths=lengths + residuals,
            residuals=residuals,
            constant_error=(steps * scales - self._constant).abs() / self._constant,
            shift=points @ center - (center @ center) / 2,
            rounding=(8 * (dim + 16) * 2.0**-24 * self._longest) * sizes,
        )

    def _scan(self, asked: _Queries, tiles: tuple[_Tile, ...], best: _Best) -> None:
        torch = load_torch()
        count, strides = len(asked.points), _TILE // _GROUP
        products = self._buffer("products", len(tiles) * count * _TILE)
        groups = self._buffer("groups", count * len(tiles) * strides).view(count, len(tiles), strides)
        for number, tile in enumerate(tiles):
            rows = tile.integers if tile.integers is not None else self._made(tile)
            part = products[number * count * _TILE :][: count * _TILE].view(count, _TILE)
            torch._int_mm(asked.integers, rows.t(), out=part)
            # Strided groups: their maxima run along contiguous memory.
            torch.amax(part.view(count, _GROUP, strides), 1, out=groups[:, number])
        unit = asked.scales[:, None] * torch.tensor([tile.scale for tile in tiles])
        base = torch.tensor([tile.base for tile in tiles])
        error = asked.lengths[:, None] * torch.tensor([tile.residual for tile in tiles])
        error += asked.residuals[:, None] * torch.tensor([tile.norm for tile in tiles])
        error += asked.constant_error[:, None] * torch.tensor([tile.reach for tile in tiles])
        error += asked.rounding[:, None]
        tops = groups.amax(2)
        if tiles[0] is self._tiles[0]:
            # Any row's score will do for a start; the one of the largest product will do best.
            number = (tops * unit + base).argmax(1)
            query = torch.arange(count)
            group = groups[query, number].argmax(1)
            members = torch.take(products, self._places(count, query, number, group))
            column = number * _TILE + group + members.argmax(1) * strides
            # Where the last tile is filled up, the largest product may be of no row.
            self._rescore(asked, query, (column + tiles[0].start).clamp(max=len(self.vectors) - 1), best)
        least = ((best.score - asked.shift)[:, None] - base - error) / unit
        least = torch.floor(least).clamp(min=-_NEVER, max=_NEVER).to(torch.int32)
        self._rescore(asked, *self._candidates(tiles, products, groups, tops, least), best)

    def _candidates(
        self,
        tiles: tuple[_Tile, ...],
        products: torch.Tensor,
        groups: torch.Tensor,
        tops: torch.Tensor,
        least: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return queries, in order, and sorted rows whose product is at least ``least``, shape (batch, tiles)."""
        torch = load_torch()
        count, strides = len(tops), _TILE // _GROUP
        pair = (tops >= least).view(-1).nonzero()[:, 0]  # a query and a tile
        bound = least.view(-1)[pair]
        pairs = (groups.view(-1, strides)[pair] >= bound[:, None]).view(-1).nonzero()[:, 0]
        which = pairs // strides
        group = pairs - which * strides
        pair, bound = pair[which], bound[which]
        query = pair // len(tiles)
        number = pair - query * len(tiles)
        members = torch.take(products, self._places(count, query, number, group))
        inside = (members >= bound[:, None]).view(-1).nonzero()[:, 0]
        which = inside // _GROUP
        column = number[which] * _TILE + group[which] + (inside - which * _GROUP) * strides + tiles[0].start
        query = query[which]
        if tiles[-1].stop == len(self.vectors):  # the last tile is filled up
            real = column < len(self.vectors)
            query, column = query[real], column[real]
        return query, column

    def _places(self, count: int, query: torch.Tensor, number: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
        strides = _TILE // _GROUP
        first = (number * count + query) * _TILE + group
        return first[:, None] + load_torch().arange(0, _TILE, strides)

    def _rescore(self, asked: _Queries, query: torch.Tensor, column: torch.Tensor, best: _Best) -> None:
        torch = load_torch()
        count, words = len(asked.points), tensor(self.vectors)
        ids = tensor(self._order)[column].long()
        # One inner product for each pair, without copies of the rows: a product sampled at a sparse pattern.
        pattern = torch.sparse_csr_tensor(
            torch.searchsorted(query, torch.arange(count + 1)),
            ids,
            torch.zeros(len(ids)),
            (count, len(words)),
            check_invariants=False,
        )
        scores = torch.sparse.sampled_addmm(pattern, asked.points, words.t(), beta=0.0).values()
        scores -= tensor(self._half_squares)[ids]
        top = best.score.scatter_reduce(0, query, scores, "amax")
        best.ids[top > best.score] = len(words)
        equal = scores >= top[query]
        best.ids.scatter_reduce_(0, query[equal], ids[equal], "amin")
        best.score = top

    def _made(self, tile: _Tile) -> Any:
        ids = self._order[tile.start : tile.stop]
        return _integers(self.vectors[ids] - self._center, tile.scale, tile.base, self._constant)

    def _buffer(self, name: str, size: int) -> torch.Tensor:
        kept: torch.Tensor | None = getattr(self._buffers, name, None)
        if kept is None or len(kept) < size:
            numbers = load_torch()
            kept = numbers.empty(size, dtype=numbers.int32 if name in ("products", "groups") else numbers.float32)
            setattr(self._buffers, name, kept)
        return kept[:size]


def _halves(centered: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.einsum("nd,nd->n", centered, centered, dtype=np.float64) / 2


def _extended(centered: NDArray[np.float32], base: float, constant: float) -> NDArray[np.float64]:
    rows = np.empty((len(centered), centered.shape[1] + _EXTRA))
    rows[:, :-_EXTRA] = centered
    rows[:, -_EXTRA:] = ((-_halves(centered) - base) / (_EXTRA * constant))[:, None]
    return rows


def _integers(centered: NDArray[np.float32], scale: float, base: float, constant: float) -> Any:
    rows = np.rint(_extended(centered, base, constant) / scale)
    filled = np.zeros((_TILE, rows.shape[1]), dtype=np.int8)
    filled[: len(rows)] = rows
    return tensor(filled)


def _tile(centered: NDArray[np.float32], start: int, constant: float, kept: bool) -> _Tile:
    halves = _halves(centered)
    base = -float(halves.max() + halves.min()) / 2
    rows = _extended(centered, base, constant)
    scale = max(float(np.abs(rows).max()), 1e-30) / 127
    gaps = rows - np.rint(rows / scale) * scale
    return _Tile(
        start=start,
        stop=start + len(rows),
        integers=_integers(centered, scale, base, constant) if kept else None,
        scale=scale,
        residual=float(np.sqrt(np.einsum("nd,nd->n", gaps, gaps).max())),
        norm=float(np.sqrt(2 * halves.max())),
        base=base,
        reach=float(np.abs(halves + base).max()),
    )


def exact_int8(vectors: Vectors) -> ExactInt8:
    """Return a callable from queries of shape (batch, dim) to ids of shape (batch,), int64.

    Raises:
        ParameterError: another shape; vectors that are not finite, or have norms beyond 1e-15 to 1e15; a processor
            without exact 8-bit products.
    """
    check_int8_products()
    table = checked_table(vectors)
    center = table.mean(axis=0, dtype=np.float64).astype(np.float32)
    largest = np.empty(len(table), dtype=np.float32)
    halves = np.empty(len(table))
    for start in range(0, len(table), _TILE):
        centered = table[start : start + _TILE] - center
        largest[start : start + _TILE] = np.abs(centered).max(axis=1)
        halves[start : start + _TILE] = _halves(centered)
    order = np.argsort(largest, kind="stable").astype(np.int32)
    # Large enough for the extra coordinates of every tile to stay within its other ones.
    constant = 1e-30
    for start in range(0, len(table), _TILE):
        part = order[start : start + _TILE]
        spread = float(np.ptp(halves[part])) / 2
        constant = max(constant, spread / (_EXTRA * max(float(np.median(largest[part])), 1e-30)))
    kept_rows = _KEPT_BYTES // (table.shape[1] + _EXTRA)
    tiles = tuple(
        _tile(table[order[start : start + _TILE]] - center, start, constant, kept=start < kept_rows)
        for start in range(0, len(table), _TILE)
    )
    squares = half_squares(table)
    longest = float(np.sqrt(2 * max(float(squares.max()), float(halves.max()))) + np.linalg.norm(center))
    # Beyond, squares leave the range of float32 numbers.
    need(longest == 0 or 1e-15 <= longest <= 1e15, "vectors", f"norms of {longest:.3g}", "of norms from 1e-15 to 1e15")
    return ExactInt8(table, squares, center, order, constant, longest, tiles, first_rows(table))
