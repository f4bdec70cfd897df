"""Inner products of 8-bit integers by torch: the same integers as NumPy's float products, four times as fast with VNNI.

torch is an extra and takes seconds to import. It is used where it is imported already, or where so many rows are
wanted at once that they pay for the import. Its 8-bit kernels may saturate on processors without 8-bit dot products,
and where they are exact they may run at a twenty-eighth of float32's rate, which is exact for such rows too
(127^2 x 300 < 2^24). So a trial of milliseconds decides: exact on the largest rows there can be, and faster than NumPy.
Where Linux lists no 8-bit products among the processor's features, none is made: it would import torch for nothing.
"""

import importlib.util
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from textveil.environment import may_multiply_bytes
from textveil.errors import MissingExtra, ParameterError

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

    It imports torch, but where the processor has no such products.
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
    try:
        import torch
    except ImportError:
        raise MissingExtra("torch", "torch") from None
    with warnings.catch_warnings():  # torch says once in a process that its sparse rows are new
        warnings.simplefilter("ignore")
        torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1))
    return torch


def checked_device(device: str) -> str:
    """``device``, where torch can compute on it here.

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
