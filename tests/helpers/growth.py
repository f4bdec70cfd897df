"""What an action costs, for tests of how costs grow."""

import gc
import math
import time
from collections.abc import Callable

GROWTH, MARGIN, RUNS = 8, 3, 4


def seconds_of(action: Callable[[], object], times: int = 3) -> float:
    """Return the least processor time of ``times`` runs of ``action`` on this thread.

    Other threads and processes are not in it, nor is a collection of garbage, which earlier tests may have left.
    """
    runs = []
    for _ in range(times):
        gc.disable()
        try:
            begun = time.thread_time()
            action()
            runs.append(time.thread_time() - begun)
        finally:
            gc.enable()
    return min(runs)


def is_linear(work: Callable[[str], object], piece: str, size: int = 2_000, end: str = "") -> bool:
    """Tell whether eight times a text of ``piece`` takes at most 24 times as long; work in quadratic time takes 64.

    It is measured again, up to four times, while it seems to grow too fast: a slow run proves nothing. Each run has
    another text, which no cache holds.
    """
    work(piece * 2 + end)  # lists are loaded
    short = long = math.inf
    for run in range(RUNS):
        texts = ["\n" * run + piece * (length // len(piece)) + end for length in (size, GROWTH * size)]
        costs = [seconds_of(lambda text=text: work(text), 1) for text in texts]
        short, long = min(short, max(1e-4, costs[0])), min(long, costs[1])
        if long <= MARGIN * GROWTH * short:
            return True
    return False
