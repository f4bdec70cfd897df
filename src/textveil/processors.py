"""The processors that this process may use, and how the processes that it starts share them."""

import contextlib
import os
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Final

_THREADS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")
"""Of a container on Linux: microseconds of processor time a period ("max" without a limit), and the period."""

_FEATURES: Final = Path("/proc/cpuinfo")
"""Of the processors on Linux: "flags" of Intel's and AMD's, "Features" of ARM's."""

_BYTE_PRODUCTS: Final = ("avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm")
"""Features that multiply and add 8-bit integers in one instruction."""


def cores() -> int:
    """Processors that this process may use, and no more than its container's share of processor time fills."""
    if not hasattr(os, "sched_getaffinity"):  # Linux has it; elsewhere a process is not held to some of them
        return os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0))
    with contextlib.suppress(OSError, ValueError):
        quota, period = map(int, _QUOTA.read_text("ascii").split())
        return max(1, min(allowed, ceil(quota / period)))
    return allowed


def may_multiply_bytes() -> bool:
    """False where Linux lists this processor's features, and products of 8-bit integers are not among them."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in _FEATURES.read_text("ascii").splitlines():
            name, _, features = line.partition(":")
            if name.strip() in ("flags", "Features"):
                return not set(_BYTE_PRODUCTS).isdisjoint(features.split())
    return True


@contextlib.contextmanager
def shared_among(processes: int) -> Iterator[None]:
    """Processes that start in the block give numerical libraries their part of the threads, where nobody chose another.

    Else each takes a thread for every processor, and all of them wait for each other.

    ``processes``: how many share the processors.
    """
    threads = str(max(1, cores() // processes))
    added = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, threads))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
