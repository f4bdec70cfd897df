"""Nearest word on a GPU against a plain matrix product of the same precision on the same card.

    python benchmarks/gpu.py [--device cuda] [--words 400000] [--batch 8192] [--json FILE]

Prints both rates in float32 and their ratio, and whether the answers are those of NumPy on a sample.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from speed.measure import machine
from speed.workload import noisy_points, table

from textveil_lab.nearest.exact_torch import exact_torch
from textveil_lab.nearest.projection import exact_numpy
from textveil_lab.nearest.torch_arrays import tensor

_CHECKED = 64
_TILE = 8192


def seconds(work: Callable[[], object], device: str, rounds: int = 7) -> float:
    """Median time of one call, the card's queue emptied before and after."""
    wait: Callable[[], object] = torch.cuda.synchronize if device.startswith("cuda") else (lambda: None)
    times = []
    work()
    for _ in range(rounds):
        wait()
        start = time.perf_counter()
        work()
        wait()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Measure, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    vectors = table(options.words)
    points = noisy_points(vectors, options.batch)
    backend = exact_torch(vectors, options.device)
    block = tensor(points).to(options.device)
    rows = tensor(vectors).to(options.device)
    torch.backends.cuda.matmul.allow_tf32 = False
    out = torch.empty((len(points), min(_TILE, len(vectors))), device=options.device)

    def plain() -> None:
        for start in range(0, len(rows) - len(out[0]) + 1, len(out[0])):
            torch.mm(block, rows[start : start + len(out[0])].t(), out=out)

    searched = seconds(lambda: backend.search(block), options.device)
    multiplied = seconds(plain, options.device)
    done = len(rows) // len(out[0]) * len(out[0]) / len(rows)
    product = 2e-12 * points.size * len(vectors)
    found: dict[str, Any] = {
        "device": torch.cuda.get_device_name() if options.device.startswith("cuda") else options.device,
        "words": len(vectors),
        "batch": len(points),
        "search TFLOP/s": product / searched,
        "matrix product TFLOP/s": product * done / multiplied,
        "share of the matrix product's rate": multiplied / done / searched,
        "words/s": len(points) / searched,
        "same as numpy": float(np.mean(backend(points[:_CHECKED]) == exact_numpy(vectors)(points[:_CHECKED]))),
    }
    for name, value in found.items():
        print(f"{name}: {value:.4g}" if isinstance(value, float) else f"{name}: {value}")
    if options.json:
        text = json.dumps({"machine": machine(), "gpu": found}, indent=1) + "\n"
        options.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
