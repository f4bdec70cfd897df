"""What the first use of anything costs beside the next: ratios in one run, in CPU seconds (user and system) and wall.

    python benchmarks/tables.py [PART] [--rounds 5] [--json]

Parts: ``words`` (a word's first draw and its second), ``passes`` (a new sanitizer and one that knows the text; single
calls and batches), ``command`` (``textveil sanitize`` in a fresh process), ``table`` (the table of all rows built,
found by another process, read by its outputs). Needs public data (--data FOLDER).
"""

import argparse
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import SHARED, machine

from textveil.catalog import mechanism
from textveil.mechanisms.kinds import Channel
from textveil.mechanisms.neighborhood import neighborhood
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.mechanisms.channels.exponential import exponential

NEWS = SHARED / "data/text/agnews/test.csv"
_BATCH = 250

Row = dict[str, Any]


def texts() -> list[str]:
    """The 7,600 texts of the AG News test set."""
    with NEWS.open(encoding="utf-8", newline="") as stream:
        return [row[2] for row in csv.reader(stream)]


def least(rounds: int, tasks: dict[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """The least CPU and wall seconds of each task, done in turn."""
    found = dict.fromkeys(tasks, (float("inf"), float("inf")))
    for _ in range(rounds):
        for name, task in tasks.items():
            cpu, wall = time.process_time(), time.perf_counter()
            task()
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            found[name] = (min(found[name][0], cpu), min(found[name][1], wall))
    return found


def words(rounds: int) -> Iterator[Row]:
    """Microseconds of a draw for one word that was never asked for, and of the next for the same word."""
    rng = np.random.default_rng(1)
    for make in (neighborhood, exponential):
        made = make(load_vocabulary(), epsilon=8.0)
        assert isinstance(made, Channel)
        ids = rng.permutation(len(made.vocabulary))
        made.privatize(ids[:1])  # what all words share: the table is opened, the grid made
        made.privatize(ids[:1])
        first: list[float] = []
        second: list[float] = []
        for word in ids[1 : 100 * rounds + 1]:
            for into in (first, second):
                start = time.perf_counter()
                made.privatize(np.array([word]))
                into.append(1e6 * (time.perf_counter() - start))
        one, two = float(np.median(first)), float(np.median(second))
        what = f"{made.name}: a word's first draw against its second"
        yield {"what": what, "us": one, "us next": two, "ratio": one / two}


def passes(rounds: int) -> Iterator[Row]:
    """AG News in one process: a first sanitizer, a second, one that knows the text; batches and single calls."""
    documents = texts()
    parts = [documents[start : start + _BATCH] for start in range(0, len(documents), _BATCH)]

    def batches(sanitizer: Sanitizer, spans: bool) -> int:
        return sum(one.kinds.get("word", 0) for part in parts for one in sanitizer.batch(part, spans=spans))

    def calls(sanitizer: Sanitizer) -> None:
        for document in documents:
            sanitizer(document)

    known = Sanitizer(mechanism())
    start = time.process_time()
    count = batches(known, False)
    yield {
        "what": "the first sanitizer of the process",
        "words": count,
        "words/CPU s": count / (time.process_time() - start),
    }
    found = least(
        rounds,
        {
            "another sanitizer of another mechanism": lambda: batches(Sanitizer(mechanism()), False),
            "batches again": partial(batches, known, False),
            "batches again, with spans": partial(batches, known, True),
            "a loop of single calls, with spans": partial(calls, known),
        },
    )
    for name, (cpu, wall) in found.items():
        yield {"what": name, "words/CPU s": count / cpu, "words/s": count / wall}
    ratio = found["a loop of single calls, with spans"][0] / found["batches again, with spans"][0]
    yield {"what": "single calls against batches, CPU", "ratio": ratio}


def command(rounds: int) -> Iterator[Row]:
    """``textveil sanitize`` of AG News as text, everything included: with an empty cache folder, and with its table."""
    for weights in ("frequency", "flat"):
        with tempfile.TemporaryDirectory() as folder:
            source, cache = Path(folder) / "in.txt", Path(folder) / "cache"
            source.write_text("".join(" ".join(text.split()) + "\n" for text in texts()), encoding="utf-8")
            empty = [_sanitized(source, cache, weights) for _ in range(rounds) if _cleared(cache)]
            yield {"what": f"textveil sanitize, AG News test, {weights}, empty cache", **_fastest(empty)}
            _build(cache, weights)
            there = [_sanitized(source, cache, weights) for _ in range(rounds)]
            yield {"what": f"textveil sanitize, AG News test, {weights}, table there", **_fastest(there)}


def _cleared(cache: Path) -> bool:
    shutil.rmtree(cache, ignore_errors=True)
    return True


def _fastest(runs: list[Row]) -> Row:
    return {key: min(run[key] for run in runs) for key in ("words", "CPU s", "s")}


def _build(cache: Path, weights: str) -> None:
    _timed(cache, "tables", "build", "--base-weights", weights)


def _sanitized(source: Path, cache: Path, weights: str) -> Row:
    report = source.with_name("report.json")
    arguments = (str(source), "-o", str(source.with_name("out.txt")), "-q", "--report", str(report))
    spent = _timed(cache, "sanitize", *arguments, "--base-weights", weights)
    return {"words": json.loads(report.read_text())["tokens"]["word"], **spent}


def _timed(cache: Path, *arguments: str) -> Row:
    environment = {**os.environ, "TEXTVEIL_CACHE": str(cache)}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "textveil", *arguments], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"CPU s": cpu, "s": time.perf_counter() - start}


def table(rounds: int) -> Iterator[Row]:
    """The default's table: built from nothing, found by a new process, transposed."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        built = [_timed(cache, "tables", "build") for _ in range(rounds) if _cleared(cache)]
        yield {
            "what": "textveil tables build, everything included",
            **{key: min(run[key] for run in built) for key in built[0]},
        }
        code = (
            "import time, numpy, textveil as tv; from textveil_lab.mechanisms.channel_columns import columns_of; "
            "m = tv.mechanism('neighborhood', epsilon={}); "
            "s = time.process_time(); {}; print(time.process_time() - s)"
        )
        for what, call in (
            ("first draw", "m.privatize(numpy.array([7]))"),
            ("first column", "columns_of(m).columns(numpy.array([7]))"),
        ):
            seconds = [float(_printed(cache, code.format(8.0, call))) for _ in range(rounds)]
            yield {"what": f"the {what} of a process with the table", "CPU s": min(seconds)}
        for epsilon in (8.0, 5.0, 3.0):
            seconds = [float(_printed(cache, code.format(epsilon, call))) for _ in range(rounds) if _cleared(cache)]
            yield {"what": f"the first column at epsilon {epsilon:g}, without a table", "CPU s": min(seconds)}


def _printed(cache: Path, code: str) -> str:
    environment = {**os.environ, "TEXTVEIL_CACHE": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    ).stdout


PARTS = {"words": words, "passes": passes, "command": command, "table": table}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = []
    for name in given.names or PARTS:
        for row in PARTS[name](given.rounds):
            found.append(row)
            if not given.json:
                rest = "  ".join(f"{key} {value:,.4g}" for key, value in row.items() if key != "what")
                print(f"{row['what']:<55} {rest}", flush=True)
    if given.json:
        print(json.dumps({"machine": machine(), "rows": found}, indent=2))


if __name__ == "__main__":
    main()
