"""torch, loaded when it is first needed, and its views of NumPy's arrays."""

from __future__ import annotations

import warnings
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import MissingExtra, ParameterError
from textveil.numerics.exact_products import exact_here

if TYPE_CHECKING:
    import torch


@cache
def load_torch() -> ModuleType:
    """Torch.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtra("torch", "torch") from None
    with warnings.catch_warnings():  # torch says once in a process that its sparse rows are new
        warnings.simplefilter("ignore")
        torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1))
    return torch


def check_int8_products() -> None:
    """See that torch's 8-bit products are exact here: without the right instructions their sums may saturate.

    Raises:
        MissingExtra: torch is not installed.
        ParameterError: they are not exact.
    """
    load_torch()
    if not exact_here():
        raise ParameterError(
            "the int8 projection must have exact 8-bit products; this processor's saturate. Use the numpy projection."
        )


@final
class _Unprotected:
    """An array's memory without its write protection; it must not be written to."""

    __slots__ = ("__array_interface__", "_array")

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array  # keeps the memory
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface


def tensor(array: NDArray[Any]) -> torch.Tensor:
    """A tensor over the same memory. For reading: torch has no read-only tensors, and warns of arrays that are."""
    return load_torch().from_numpy(array if array.flags.writeable else np.asarray(_Unprotected(array)))
