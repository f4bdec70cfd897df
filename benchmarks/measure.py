"""Where the shared vectors and texts are; how to measure is in ``textveil.bench.measure``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from textveil.bench import measure
from textveil.bench.measure import machine as machine
from textveil.bench.measure import seconds as seconds

SHARED = Path(os.environ.get("TEXTVEIL_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def paired(ours: Callable[[], object], other: Callable[[], object], rounds: int = 7) -> dict[str, float]:
    """``textveil.bench.measure.paired`` as a dictionary."""
    return measure.paired(ours, other, rounds)._asdict()
