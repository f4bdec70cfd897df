"""What an action costs, for tests of how costs grow."""

import gc
import time
from collections.abc import Callable


def seconds_of(action: Callable[[], object], times: int = 3) -> float:
    """Return the least processor time of ``times`` runs of ``action`` on this thread.

    Other threads and processes are not in it, nor is a collection of what earlier tests have left.
    """
    runs = []
    for _ in range(times):
        gc.collect()
        gc.disable()
        try:
            begun = time.thread_time()
            action()
            runs.append(time.thread_time() - begun)
        finally:
            gc.enable()
    return min(runs)
