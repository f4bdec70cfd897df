"""Processor time and memory of ``textveil sanitize`` by the number of words, for four ways to sanitize.

    python benchmarks/corpora.py [--words 1000 10000 ...] [--limit SECONDS] [-o DIR]     table, JSON and figure

Input is the lines of Wikipedia articles, a document a line; no file repeats text. One worker; user and system time of
the whole command, its start included; the peak resident memory that the operating system reports. The default's table
is built first, in a cache folder of its own, and is a row. A size is left out if it would take longer than the limit,
at the rate of the words that the last size added. Needs public data (--data FOLDER, docs/data.md), the extra ``plots``,
and Linux or macOS.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from measure import SHARED, machine

ARTICLES = SHARED / "data/text/wikipedia/articles.jsonl.gz"

WAYS: Final[Mapping[str, Sequence[str]]] = {
    "default": (),
    "--context released": ("--context", "released"),
    "clinical": ("--policy", "clinical"),
    "common-words": ("--policy", "common-words"),
}
"""Options of the command, by name."""

FIGURE: Final = "time-by-words"

Row = dict[str, Any]


def lines() -> Iterator[str]:
    """The lines of all articles, in order."""
    with gzip.open(ARTICLES, "rt", encoding="utf-8") as articles:
        for article in articles:
            yield from filter(None, map(str.strip, json.loads(article)["text"].split("\n")))


def inputs(sizes: Sequence[int], folder: Path) -> dict[int, Path]:
    """Files of about so many words, by their exact number of words; each begins like the next."""
    paths = {}
    for size in sizes:
        words = 0
        path = folder / f"{size}.txt"
        with path.open("w", encoding="utf-8") as out:
            for line in lines():
                out.write(line + "\n")
                words += len(line.split())
                if words >= size:
                    break
        paths[words] = path
    return paths


def spent(arguments: Sequence[str], cache: Path) -> Row:
    """Processor seconds of a command and everything it starts, and its peak resident memory in MB."""
    process = subprocess.Popen(
        [sys.executable, "-m", "textveil", *arguments],
        env={**os.environ, "TEXTVEIL_CACHE": str(cache), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"textveil {arguments[0]} ended with code {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return {"CPU s": usage.ru_utime + usage.ru_stime, "MB": usage.ru_maxrss * unit / 1e6}


def rows(sizes: Sequence[int], limit: float, folder: Path) -> Iterator[Row]:
    """One row a way and size, as they are measured."""
    cache = folder / "cache"
    yield {"way": "tables build", "words": 0, **spent(("tables", "build"), cache)}
    paths = inputs(sizes, folder)
    for way, options in WAYS.items():
        rate, before = 0.0, {"words": 0, "CPU s": 0.0}
        for words, path in paths.items():
            if rate * words > limit:
                print(f"{way}: {words:,} words left out, they would take {rate * words:.0f} s", file=sys.stderr)
                break
            arguments = ("sanitize", str(path), "-q", "-o", str(folder / "out.txt"), "--workers", "1", *options)
            row = {"way": way, "words": words, **spent(arguments, cache)}
            rate, before = (row["CPU s"] - before["CPU s"]) / (words - before["words"]), row
            yield row


def figure(found: Sequence[Row], folder: Path) -> None:
    """Two panels: processor seconds and peak memory, both by the number of words."""
    from textveil_lab.plots import new_figure, save_figure

    chart = new_figure(["Processor time, one worker", "Peak memory"], x="words", y=["seconds", "MB"], columns=1,
                       x_scale="log", panel_size=(5.2, 3.1))  # fmt: skip
    time, memory = chart.panels
    time.axes.set_yscale("log")
    for style, way in enumerate(WAYS):
        points = [row for row in found if row["way"] == way]
        words = [row["words"] for row in points]
        time.line(words, [row["CPU s"] for row in points], way, style=style)
        memory.line(words, [row["MB"] for row in points], style=style)
    memory.axes.set_ylim(bottom=0)
    chart.legend(columns=2)
    png, _ = save_figure(chart, folder, FIGURE)
    png.unlink()


def main() -> None:
    """Print a row as it is measured; write the figure and its data."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, nargs="+", default=[10**power for power in range(3, 8)])
    parser.add_argument("--limit", type=float, default=240, help="seconds of one size, at most  [default: 240]")
    parser.add_argument("-o", "--output", type=Path, default=Path("build"), help="folder of the files")
    parser.add_argument("--draw", type=Path, metavar="JSON", help="draw the figure of a run again; measure nothing")
    options = parser.parse_args()
    if options.draw is not None:
        figure(json.loads(options.draw.read_text())["rows"], options.output)
        return
    facts = machine()
    print(", ".join(f"{key} {value}" for key, value in facts.items()))
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(sorted(options.words), options.limit, Path(folder)):
            print(
                f"{row['way']:<20} {row['words']:>10,} words  {row['CPU s']:>8.2f} s  {row['MB']:>6.0f} MB", flush=True
            )
            found.append(row)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / f"{FIGURE}.json").write_text(json.dumps({"machine": facts, "rows": found}, indent=1) + "\n")
    figure(found, options.output)


if __name__ == "__main__":
    main()
