"""A loop of single calls beside batches of the same texts, and a second sanitizer beside the first: ratios in one run.

    python benchmarks/single_calls.py [--texts 3000] [--rounds 7] [--json]

Both release the texts of AG News with spans, as a call does unless it is told otherwise, by one sanitizer that has seen
them. Processor seconds, the median over rounds in which both take turns. Needs the folder of shared texts.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable

import numpy as np
from measure import SHARED, machine

import textveil as tv

NEWS = "data/text/agnews/test.csv"
_BATCH = 250


def seconds(task: Callable[[], object]) -> float:
    """Processor seconds of this process."""
    start = time.process_time()
    task()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with (SHARED / NEWS).open(encoding="utf-8", newline="") as stream:
        texts = [row[2] for row in csv.reader(stream)][: given.texts]
    parts = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]

    def made() -> tv.Sanitizer:
        return tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8.0))

    first = seconds(lambda: made()(texts[0]))
    second = float(np.median([seconds(lambda: made()(texts[0])) for _ in range(given.rounds)]))
    sanitizer = made()

    def batches() -> None:
        for part in parts:
            sanitizer.batch(part)

    def calls() -> None:
        for text in texts:
            sanitizer(text)

    batches()
    times = np.array([(seconds(batches), seconds(calls)) for _ in range(given.rounds)])
    batch, call = np.median(times, axis=0)
    rows = [
        {"what": "batches of 250, microseconds a text", "value": 1e6 * batch / len(texts)},
        {"what": "single calls, microseconds a text", "value": 1e6 * call / len(texts)},
        {"what": "single calls, times a batch", "value": float(np.median(times[:, 1] / times[:, 0]))},
        {"what": "the first sanitizer to its first release, ms", "value": 1e3 * first},
        {"what": "a second with equal settings, ms", "value": 1e3 * second},
    ]
    if given.json:
        print(json.dumps({"machine": machine(), "texts": len(texts), "rows": rows}, indent=2))
        return
    for row in rows:
        print(f"{row['what']:<45} {row['value']:8.2f}")


if __name__ == "__main__":
    main()
