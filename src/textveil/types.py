"""Array types, named by what they hold; shapes stand in the names' comments.

Shapes are part of every public docstring; NumPy's own typing cannot carry them.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.int64]  # word ids, shape (batch,), each in [0, number of words)
Vectors: TypeAlias = NDArray[np.float32]  # rows are points, shape (batch, dim); float32, C-contiguous
Reals: TypeAlias = NDArray[np.float64]  # real numbers of any shape, float64
Integers: TypeAlias = NDArray[np.int64]  # integers of any shape that are not word ids, int64
Flags: TypeAlias = NDArray[np.bool_]  # truth values of any shape
Bytes: TypeAlias = NDArray[np.uint8]  # small integers of any shape, uint8
WordDistances: TypeAlias = Callable[[Ids], Reals]
"""From each id to every word of a vocabulary: shape (batch,) to shape (batch, n)."""

Progress: TypeAlias = Callable[[int, int | None], None]
"""Callback of long work: called with the work done and the whole, None if the whole is not known.

Both count bytes of the file if one is read, and blocks or rows if something is computed.
"""


@runtime_checkable
class Noting(Protocol):
    """A ``Progress`` that can show a line beside the count, for work whose result grows better as it goes on."""

    def note(self, text: str) -> None:
        """Show this from now on."""
