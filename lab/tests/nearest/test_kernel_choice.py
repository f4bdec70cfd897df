"""The products that textveil chooses take at most ten times as long as NumPy's, whatever the processor.

A slow clock cannot fail this: both sides take turns, the best time of each counts, and one good round is enough.
``scripts/kernels`` runs it as other processors compute. The mutant is a choice without a trial, ``fast_here`` always
true: on AVX2 without VNNI, 8-bit products then take more than 20 times as long as float32's.
"""

import math
import time
from collections.abc import Callable

import numpy as np

from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.nearest import choice
from textveil_lab.nearest.projection import exact_numpy

FACTOR = 10
ROUNDS = 30
WORDS, DIM, BATCH = 4000, 300, 128


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def keeps_pace(ours: Callable[[], object], reference: Callable[[], object]) -> bool:
    """Whether after some round the best time of ``ours`` is at most ``FACTOR`` times the best of ``reference``."""
    ours()  # what a first call makes does not count
    best = best_reference = math.inf
    for _ in range(ROUNDS):
        best, best_reference = min(best, seconds(ours)), min(best_reference, seconds(reference))
        if best <= FACTOR * best_reference:
            return True
    return False


def test_work_that_takes_far_longer_does_not_keep_pace() -> None:
    def work(times: int) -> Callable[[], object]:
        return lambda: sum(range(times * 1000))

    assert keeps_pace(work(1), work(1))
    assert not keeps_pace(work(100), work(1))


def test_the_chosen_search_keeps_pace_with_numpy(rng, monkeypatch) -> None:
    monkeypatch.setattr(choice, "_WORTH_IMPORTING", 0.0)  # so that it is chosen as for large work
    vectors = rng.normal(size=(WORDS, DIM)).astype(np.float32)
    queries = rng.normal(size=(BATCH, DIM)).astype(np.float32)
    chosen, reference = choice.fastest_exact(vectors), exact_numpy(vectors)
    assert keeps_pace(lambda: chosen(queries), lambda: reference(queries))
    assert chosen._settled


def test_the_chosen_products_of_integers_keep_pace_with_numpy(rng) -> None:
    values = rng.integers(-127, 128, size=(WORDS, DIM)).astype(np.int8)
    vocabulary = Vocabulary([f"w{number}" for number in range(WORDS)], grid=(values, np.ones(WORDS, dtype=np.float32)))
    grid, floats = integer_grid(vocabulary), values.astype(np.float32)
    assert grid.small is not None
    ids, rows_in_all = np.arange(BATCH), 10**6  # so many that torch's import would pay
    assert keeps_pace(lambda: grid.inner_products(ids, rows_in_all), lambda: floats[ids] @ floats.T)
