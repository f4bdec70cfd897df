"""Resident memory of ``textveil sanitize`` against the size of the corpus, workers included."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from speed.measure import Result
from speed.workload import Scale, made_corpus
from textveil.environment import cores

_MEGABYTE = 2**20
_EVERY = 0.05
"""Seconds between two looks."""


def memory(scale: Scale) -> Iterator[Result]:
    """The largest sum of the proportional shares (PSS) of the parent and its workers, one a core, by corpus size."""
    if not Path("/proc/self/smaps_rollup").exists():
        note = "needs /proc/PID/smaps_rollup, which Linux has"
        yield Result(part="memory", what="resident memory of textveil sanitize", rate=None, unit="", note=note)
        return
    workers = cores()
    text = ("\n".join(made_corpus(100_000)) + "\n").encode("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for megabytes in scale.corpus_megabytes:
            path = Path(folder) / "corpus.txt"
            with path.open("wb") as stream:
                for _ in range(max(1, round(megabytes * _MEGABYTE / len(text)))):
                    stream.write(text)
            size = path.stat().st_size
            start = time.perf_counter()
            target = str(Path(folder) / "out.txt")
            largest = largest_share([str(path), "-o", target, "-q", "--workers", f"{workers}"])
            yield Result(
                part="memory",
                what=f"textveil sanitize of {size / _MEGABYTE:.0f} MB: {largest / _MEGABYTE:.0f} MB resident",
                note=f"proportional share (PSS) of parent and {workers} worker{'s' * (workers != 1)}, summed",
                rate=size / (time.perf_counter() - start) / _MEGABYTE,
                unit="MB/s",
                facts={"corpus bytes": size, "resident bytes": largest, "workers": workers},
            )


def largest_share(arguments: list[str], command: str = "sanitize") -> int:
    """Bytes that a command of ``textveil`` and its workers hold at the most, looked at while it runs."""
    process = subprocess.Popen([sys.executable, "-m", "textveil", command, *arguments])
    largest = 0
    while process.poll() is None:
        largest = max(largest, sum(map(_share, _family(process.pid))))
        time.sleep(_EVERY)
    if process.returncode:
        raise RuntimeError(f"textveil {command} ended with code {process.returncode}")
    return largest


def _family(pid: int) -> list[int]:
    """A process and everything that it started."""
    processes = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                processes += _family(int(child))
    except OSError:  # ended meanwhile
        pass
    return processes


def _share(pid: int) -> int:
    """Bytes of a process's memory, what it shares counted in part."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
