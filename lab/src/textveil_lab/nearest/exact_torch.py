"""Exact nearest word by torch in float32, on a GPU or any other device of torch.

The rows are on the device; queries come in blocks and meet the rows tile by tile, with a running maximum, so the matrix
of all scores is never made. Float32 products use full precision: the faster 19-bit form of some cards would change
answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from textveil.errors import ParameterError
from textveil.types import Ids, Vectors
from textveil_lab.nearest.identical_rows import FirstRows, first_rows
from textveil_lab.nearest.projection import checked_queries, checked_table, half_squares
from textveil_lab.nearest.torch_arrays import load_torch, tensor

if TYPE_CHECKING:
    import torch

_BLOCK = 8192  # Queries of a block
_TILE = 8192  # Rows of a tile: with a block of queries, 256 MB of scores on the device


@dataclass(frozen=True, slots=True, eq=False)
class ExactTorch:
    """Search for the nearest row of ``vectors`` by Euclidean distance, on ``device``; ties as in ``ExactNumpy``."""

    vectors: Vectors  # float32, shape (n, dim), on the host
    device: str  # torch's name of the device, such as ``"cuda"``
    _rows: torch.Tensor = field(repr=False)
    _half_squares: torch.Tensor = field(repr=False)
    _first_row: FirstRows = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return exact_torch, (self.vectors, self.device)

    @property
    def exact(self) -> bool:
        return True

    def __call__(self, queries: Vectors) -> Ids:
        """Return ids of the nearest rows; see ``Projection``."""
        points = checked_queries(queries, self.vectors.shape[1])
        out = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), _BLOCK):
            block = tensor(points[start : start + _BLOCK]).to(self.device)
            out[start : start + len(block)] = self.search(block).cpu().numpy()
        return self._first_row(out)

    def search(self, block: torch.Tensor) -> torch.Tensor:
        """Return ids of rows nearest to points on the device, int64, shape (batch,); any of identical rows."""
        torch = load_torch()
        before = torch.backends.cuda.matmul.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = False
        try:
            best = torch.full((len(block),), -torch.inf, device=block.device)
            winner = torch.zeros(len(block), dtype=torch.int64, device=block.device)
            for start in range(0, len(self._rows), _TILE):
                rows = self._rows[start : start + _TILE]
                # -h + block @ rows.T in one kernel
                scores = torch.addmm(-self._half_squares[start : start + len(rows)], block, rows.t())
                value, index = scores.max(1)
                better = value > best
                best = torch.where(better, value, best)
                winner = torch.where(better, index + start, winner)
        finally:
            torch.backends.cuda.matmul.allow_tf32 = before
        return winner


def exact_torch(vectors: Vectors, device: str | None = None) -> ExactTorch:
    """Return a callable from queries of shape (batch, dim) to ids of shape (batch,), int64.

    Args:
        device: torch's name of the device; None takes the first GPU.

    Raises:
        ParameterError: there is no GPU, or the device does not exist.
    """
    table = checked_table(vectors)
    torch = load_torch()
    if device is None:
        if not torch.cuda.is_available():
            raise ParameterError("the gpu projection must have a GPU that torch can use; got none. Use another one.")
        device = "cuda"
    try:
        rows = tensor(table).to(device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ParameterError(f"device must be one that torch can use; got {device!r}: {reason}.") from None
    return ExactTorch(table, device, rows, tensor(half_squares(table)).to(device), first_rows(table))
