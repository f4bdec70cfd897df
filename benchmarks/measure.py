"""Where the public vectors and texts are (docs/data.md); how to measure is in ``speed.measure``.

Every benchmark that imports this module takes ``--data FOLDER``, in place of $TEXTVEIL_SHARED.
"""

import argparse
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

from speed import measure
from speed.measure import machine as machine
from speed.measure import seconds as seconds

_parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
_parser.add_argument("--data", type=Path)
_named, sys.argv[1:] = _parser.parse_known_args()
if _named.data is not None:
    os.environ["TEXTVEIL_SHARED"] = str(_named.data.absolute())  # for the processes that a benchmark starts, too

SHARED = Path(os.environ.get("TEXTVEIL_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def paired(ours: Callable[[], object], other: Callable[[], object], rounds: int = 7) -> dict[str, float]:
    """``speed.measure.paired`` as a dictionary."""
    return measure.paired(ours, other, rounds)._asdict()


def least(ours: Callable[[], object], other: Callable[[], object], rounds: int) -> dict[str, float]:
    """Both in turn; the least processor seconds of each: other work hardly moves them."""
    ours()
    other()
    times = [(processor_seconds(ours), processor_seconds(other)) for _ in range(rounds)]
    mine, theirs = (min(side) for side in zip(*times, strict=True))
    return {"ours": mine, "other": theirs, "speedup": theirs / mine}


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor time of one call, of all threads and of the processes that it waited for."""
    before = _spent()
    work()
    return _spent() - before


def _spent() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
