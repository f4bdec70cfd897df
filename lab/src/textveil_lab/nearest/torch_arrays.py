"""torch's views of NumPy's arrays, and whether its 8-bit products are exact here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import ParameterError
from textveil.vocabulary.grid import exact_here
from textveil.vocabulary.grid import load_torch as load_torch

if TYPE_CHECKING:
    import torch


def check_int8_products() -> None:
    """Check that torch's 8-bit products are exact here: without the right instructions their sums may saturate.

    Raises:
        ParameterError: they are not exact.
    """
    load_torch()
    if not exact_here():
        raise ParameterError(
            "the int8 projection must have exact 8-bit products; this processor's saturate. Use the numpy projection."
        )


class _Unprotected:
    """Array memory without its write protection; it must not be written to."""

    __slots__ = ("__array_interface__", "_array")

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array  # keeps the memory
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface


def tensor(array: NDArray[Any]) -> torch.Tensor:
    """Return a tensor over the same memory.

    It is for reading: torch has no read-only tensors, and warns of read-only arrays.
    """
    return load_torch().from_numpy(array if array.flags.writeable else np.asarray(_Unprotected(array)))
