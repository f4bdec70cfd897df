"""torch, loaded when it is first needed, and the devices that it may compute on."""

from __future__ import annotations

import warnings
from functools import cache
from types import ModuleType

from textveil.errors import MissingExtra, ParameterError


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


def checked_device(device: str) -> str:
    """``device``, where torch can compute on it here.

    Raises:
        MissingExtra: torch is not installed.
        ParameterError: torch knows no such device, or this machine has none.
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
