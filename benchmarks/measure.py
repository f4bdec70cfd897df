"""Where the public vectors and texts are (docs/data.md); how to measure is in ``textveil.bench.measure``.

Every benchmark that imports this module takes ``--data FOLDER``, in place of $TEXTVEIL_SHARED.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from textveil.bench import measure
from textveil.bench.measure import machine as machine
from textveil.bench.measure import seconds as seconds

_parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
_parser.add_argument("--data", type=Path)
_named, sys.argv[1:] = _parser.parse_known_args()
if _named.data is not None:
    os.environ["TEXTVEIL_SHARED"] = str(_named.data.absolute())  # for the processes that a benchmark starts, too

SHARED = Path(os.environ.get("TEXTVEIL_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def paired(ours: Callable[[], object], other: Callable[[], object], rounds: int = 7) -> dict[str, float]:
    """``textveil.bench.measure.paired`` as a dictionary."""
    return measure.paired(ours, other, rounds)._asdict()


def least(ours: Callable[[], object], other: Callable[[], object], rounds: int) -> dict[str, float]:
    """Both in turn, and the ratio of the least times: what other work on the machine hardly moves."""
    ours()
    other()
    times = [(seconds(ours), seconds(other)) for _ in range(rounds)]
    mine, theirs = (min(side) for side in zip(*times, strict=True))
    return {"ours": mine, "other": theirs, "speedup": theirs / mine}
