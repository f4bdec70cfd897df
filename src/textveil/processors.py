"""The processors that this process may use, and how the processes that it starts share them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Final

_THREADS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux; elsewhere a process is not held to some of them
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def shared_among(processes: int) -> Iterator[None]:
    """Processes that start in the block give numerical libraries their part of the threads, where nobody chose another.

    Else each takes a thread for every processor, and all of them wait for each other.

    Args:
        processes: how many share the processors.
    """
    threads = str(max(1, cores() // processes))
    added = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, threads))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
