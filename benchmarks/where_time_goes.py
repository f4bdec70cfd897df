"""Where the time goes: the functions of a first pass over Wikipedia text, and the parts of the int8 search.

    python benchmarks/where_time_goes.py

Needs public data (--data FOLDER, docs/data.md) for the first and torch for the second.
"""

import cProfile
import gzip
import json
import pstats

from measure import SHARED, seconds
from speed.workload import noisy_points, table

from textveil.catalog import mechanism
from textveil.sanitize.sanitizer import Sanitizer
from textveil_lab.nearest.exact_int8 import exact_int8
from textveil_lab.nearest.torch_arrays import load_torch

_ARTICLES = 600
_ROUNDS = 5
_SHOWN = 12


def search() -> None:
    """Shares of the operations of torch in the search of 10,000 words, batch 4,096, and the rate of its product."""
    torch = load_torch()
    vectors = table(10_000)
    points = noisy_points(vectors, 4096)
    backend = exact_int8(vectors)
    for _ in range(_ROUNDS):
        backend(points)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as found:
        for _ in range(_ROUNDS):
            backend(points)
    parts = sorted(found.key_averages(), key=lambda part: -part.self_cpu_time_total)
    total = sum(part.self_cpu_time_total for part in parts)
    print(f"int8 search, 10,000 words, batch 4,096: {total / _ROUNDS / 1e3:.1f} ms")
    for part in parts[:_SHOWN]:
        print(f"  {part.key:<32} {part.self_cpu_time_total / total:.3f}")
    product = next(part for part in parts if part.key == "aten::_int_mm").self_cpu_time_total / _ROUNDS / 1e6
    print(f"  rate of the product: {2e-9 * points.size * len(vectors) / product:.0f} billion operations a second")


def text() -> None:
    """Functions of ``Sanitizer.batch`` by their own time, first pass, one process."""
    with gzip.open(SHARED / "data/text/wikipedia/articles.jsonl.gz", "rt", encoding="utf-8") as stream:
        documents = [json.loads(next(stream))["text"] for _ in range(_ARTICLES)]
    sanitizer = Sanitizer(mechanism())

    def work() -> int:
        parts = (documents[start : start + 25] for start in range(0, len(documents), 25))
        return sum(one.kinds.get("word", 0) for part in parts for one in sanitizer.batch(part, spans=False))

    profile = cProfile.Profile()
    words = profile.runcall(work)
    again = seconds(work)
    print(f"{words:,} words, profiled; again without the profile: {1e9 * again / words:.0f} ns a word")
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(_SHOWN)


if __name__ == "__main__":
    text()  # before torch is imported, as in a worker
    search()
