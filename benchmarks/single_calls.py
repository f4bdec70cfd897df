"""A loop of single calls beside batches of the same texts, and a second sanitizer beside the first: ratios in one run.

    python benchmarks/single_calls.py [--texts 3000] [--rounds 7] [--json]

Both release the texts of AG News with spans, as a call does unless it is told otherwise, by one sanitizer that has seen
them. Processor seconds, in rounds in which both take turns for every 250 texts. Where batches keep many releases,
Python's garbage collector looks through them at times: ``sums`` counts that, and the median of ratios mostly does not.
Needs the folder of shared texts.
"""

import argparse
import csv
import json
import time
from collections.abc import Callable
from functools import partial

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
    parser.add_argument("--texts", type=int, default=3000, help="a multiple of 250")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with (SHARED / NEWS).open(encoding="utf-8", newline="") as stream:
        texts = [row[2] for row in csv.reader(stream)][: given.texts]
    parts = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]

    def made() -> tv.Sanitizer:
        return tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8.0))

    first = seconds(lambda: made()(texts[0]))
    second = min(seconds(lambda: made()(texts[0])) for _ in range(given.rounds))
    sanitizer = made()

    def calls(part: list[str]) -> None:
        for text in part:
            sanitizer(text)

    sanitizer.batch(texts)
    times = [
        [(seconds(partial(sanitizer.batch, part)), seconds(partial(calls, part))) for part in parts]
        for _ in range(given.rounds)
    ]
    pairs = np.array(times).reshape(-1, 2)
    batch, call = pairs.mean(axis=0) / _BATCH
    rows = [
        {"what": "batches of 250, microseconds a text", "value": 1e6 * batch},
        {"what": "single calls, microseconds a text", "value": 1e6 * call},
        {"what": "single calls, times batches, of sums", "value": call / batch},
        {"what": "single calls, times batches, median", "value": float(np.median(pairs[:, 1] / pairs[:, 0]))},
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
