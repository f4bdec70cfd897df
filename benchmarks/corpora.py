"""Corpora: words a second, the engine's own cost, and resident memory by the size of the input.

Run ``python benchmarks/corpora.py`` for all parts, or name some: ``rate``, ``overhead``, ``memory``.
Needs public data (--data FOLDER, docs/data.md), and Linux for the memory.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import SHARED, machine, paired

from textveil.bench.memory import largest_share

ARTICLES = SHARED / "data/text/wikipedia/articles.jsonl.gz"

Row = dict[str, Any]


def _measured(arguments: list[str]) -> dict[str, float]:
    """Wall time of ``textveil sanitize``, and the peak memory of it and its workers together, in MB.

    The memory is the proportional share: pages that processes share are counted once in all.
    """
    start = time.perf_counter()
    largest = largest_share(arguments)
    return {"seconds": time.perf_counter() - start, "MB": largest / 1e6}


def rate(options: argparse.Namespace) -> Iterator[Row]:
    """Words a second over the whole corpus from a cold start: reading, unknown words, numbers and writing included."""
    with tempfile.TemporaryDirectory() as folder:
        for workers in options.workers:
            report = f"{folder}/report.json"
            arguments = [str(ARTICLES), "-f", "jsonl", "-q", "-o", f"{folder}/out.jsonl", "--report", report]
            found = _measured([*arguments, "--workers", str(workers)])
            words = json.loads(Path(report).read_text())["tokens"]["word"]
            yield {"what": f"sanitize Wikipedia, {workers} workers", "words/s": words / found["seconds"], **found}


def overhead(options: argparse.Namespace) -> Iterator[Row]:
    """Time of a run in one process against ``Sanitizer.batch`` on the same texts; both know rows, neither spellings."""
    from textveil.catalog import mechanism
    from textveil.corpora.engines.processes import Processes
    from textveil.corpora.formats.fields import FieldChoice
    from textveil.corpora.formats.jsonl import JsonLines
    from textveil.corpora.run import Run
    from textveil.sanitize.options import SanitizerOptions
    from textveil.sanitize.sanitizer import Sanitizer

    made = mechanism()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.jsonl"
        _repeat(source, 4_000_000)
        texts = [json.loads(line)["text"] for line in source.open()]
        run = Run(
            options=SanitizerOptions(mechanism=made),
            corpus_format=JsonLines(choice=FieldChoice()),
            inputs=(str(source),),
            engine=Processes(1),
        )

        def plain() -> None:
            sanitizer = Sanitizer(made)
            for start in range(0, len(texts), 32):
                sanitizer.batch(texts[start : start + 32], spans=False)

        found = paired(lambda: run.to_stream(io.BytesIO()), plain, rounds=3)
    yield {"what": "a run against Sanitizer.batch, 4 MB, one process", "times": 1 / found["speedup"]}


def memory(options: argparse.Namespace) -> Iterator[Row]:
    """Peak memory of a job by the size of its input."""
    first = None
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for megabytes in options.megabytes:
            source = Path(folder) / "in.jsonl"
            _repeat(source, megabytes * 10**6)
            arguments = [str(source), "-q", "-o", f"{folder}/out.jsonl", "--workers", str(options.workers[-1])]
            found = _measured(arguments)
            first = found if first is None else first
            yield {
                "what": f"sanitize {megabytes} MB, {options.workers[-1]} workers",
                **found,
                "times the first": found["MB"] / max(first["MB"], 1.0),
            }


def _repeat(target: Path, size: int) -> None:
    """The articles, again and again, up to about ``size`` bytes."""
    written = 0
    with target.open("wb") as out:
        while written < size:
            with gzip.open(ARTICLES) as lines:
                for line in lines:
                    if written >= size:
                        break
                    written += out.write(line)


PARTS = {"rate": rate, "overhead": overhead, "memory": memory}


def main() -> None:
    """Run the parts that are named, or all; print a table; write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--megabytes", type=int, nargs="+", default=[50, 1000], help="for memory: sizes of the input")
    parser.add_argument("--folder", help="for memory: where input and output are written")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    facts = machine()
    print(", ".join(f"{key} {value}" for key, value in facts.items()))
    rows: list[Row] = []
    for name in options.names or PARTS:
        for row in PARTS[name](options):
            rest = "  ".join(f"{key} {value:,.4g}" for key, value in row.items() if key != "what")
            print(f"{row['what']:<55} {rest}", flush=True)
            rows.append(row)
    if options.json:
        options.json.write_text(json.dumps({"machine": facts, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
