"""What the engine Ray costs beside the local one: the same corpus through both in one run, in turn.

    python benchmarks/ray_overhead.py [--megabytes 200] [--rounds 1] [--workers N] [--json]

Both release the same bytes; starting and ending processes is part of the time.
"""

import argparse
import gzip
import hashlib
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import SHARED, machine

from textveil.catalog import mechanism
from textveil.corpora.block_worker import Engine
from textveil.corpora.corpus_run import Run
from textveil.corpora.formats.json_records import JsonLines
from textveil.corpora.formats.records import FieldChoice
from textveil.corpora.processes import Processes
from textveil.environment import cores
from textveil.integrations.ray import RayEngine
from textveil.sanitize.chosen import SanitizerOptions

WIKIPEDIA = "data/text/wikipedia/articles.jsonl.gz"


def corpus(target: Path, megabytes: float) -> None:
    """Wikipedia's lines, over and over, until the file has so many megabytes."""
    left = int(megabytes * 1e6)
    with target.open("wb") as sink:
        while left > 0:
            with gzip.open(SHARED / WIKIPEDIA, "rb") as lines:
                for line in lines:
                    left -= sink.write(line)
                    if left <= 0:
                        return


class Digest:
    """Takes bytes and keeps their digest."""

    def __init__(self) -> None:
        self.mixed = hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Take bytes."""
        self.mixed.update(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""


def released(source: Path, engine: Engine) -> tuple[float, int, str]:
    """Seconds, words and the digest of a seeded release."""
    sink: Any = Digest()
    # A mechanism of its own each time: rows that an earlier run made would help the later one.
    run = Run(
        options=SanitizerOptions(mechanism=mechanism("neighborhood", epsilon=8.0), seed=1),
        corpus_format=JsonLines(choice=FieldChoice()),
        inputs=(str(source),),
        engine=engine,
    )
    start = time.perf_counter()
    finished = run.to_stream(sink)
    return time.perf_counter() - start, finished.totals.tally.kinds["word"], sink.mixed.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=200.0)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    times: dict[str, list[float]] = {"local": [], "ray": []}
    words = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "corpus.jsonl"
        corpus(source, given.megabytes)
        for _ in range(given.rounds):
            digests = set()
            for name, engine in (("local", Processes(given.workers)), ("ray", RayEngine(given.workers))):
                taken, words, digest = released(source, engine)
                times[name].append(taken)
                digests.add(digest)
            assert len(digests) == 1, "the engines must release the same bytes"
    ratio = statistics.median(ray / local for local, ray in zip(times["local"], times["ray"], strict=True))
    found = {
        "machine": machine(),
        "megabytes": given.megabytes,
        "workers": given.workers,
        "words": words,
        "seconds": times,
        "words_per_second": {name: words / statistics.median(some) for name, some in times.items()},
        "overhead": ratio - 1,
    }
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, rate in found["words_per_second"].items():
        print(f"{name:6} {statistics.median(times[name]):8.1f} s   {rate:12,.0f} words/s")
    print(f"overhead of ray: {100 * (ratio - 1):.1f} % on {given.megabytes:g} MB with {given.workers} workers")


if __name__ == "__main__":
    main()
