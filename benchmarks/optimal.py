"""The optimal channel: its value, the bound that no epsilon-DP channel exceeds, and what the search takes.

    python benchmarks/optimal.py [EPSILON ...] [--words N] [--prior flat zipf] [--utility cosine]

Words are the most frequent ones of the embedded vocabulary. Nothing is read from the cache: every search is made. Time
is the processor's, memory the largest of the process so far. `frequency` is the value of `neighborhood` under the same
prior, with the weights that it chooses by itself; `flat` that with flat base weights.
"""

import argparse
import os
import resource
import tempfile
import time

import numpy as np

from textveil.mechanisms.kinds import IntegerWeights
from textveil.mechanisms.neighborhood import neighborhood
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.optimal import Optimal, optimal
from textveil_lab.mechanisms.sampling.optimal_weights import utility_of


def first(words: int) -> Vocabulary:
    """The first words of the embedded vocabulary."""
    whole = load_vocabulary()
    if words >= len(whole) or whole.grid is None:
        return whole
    values, scales = whole.grid
    return Vocabulary(whole.words[:words], None, f"embedded, first {words}", grid=(values[:words], scales[:words]))


def worth(made: Optimal, prior: str, epsilon: float, kind: str) -> float:
    """The value of ``neighborhood`` with these base weights, under the prior and the utility of ``made``."""
    vocabulary = made.vocabulary
    weighs = None if kind == "flat" else prior
    other = neighborhood(vocabulary, epsilon=epsilon, base_weights=kind, prior=weighs)
    if not isinstance(other, IntegerWeights):
        raise TypeError(type(other).__name__)
    counts = word_frequencies(vocabulary, prior).counts
    utility = utility_of(vocabulary, made.parameters["utility"])
    value = 0.0
    for ids in np.array_split(np.arange(len(vocabulary)), max(1, len(vocabulary) // 256)):
        weights = other.integer_weights(ids)
        rows = weights / weights.sum(axis=1, keepdims=True).astype(np.float64)
        value += float((counts[ids] / counts.sum()) @ (rows * utility.rows(ids)).sum(axis=1))
    return value


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("epsilons", nargs="*", type=float, default=[1.0, 2.0, 3.0, 5.0, 8.0, 10.0])
    parser.add_argument("--words", type=int, default=10_000)
    parser.add_argument("--prior", nargs="*", default=["flat", "zipf"])
    parser.add_argument("--utility", default="cosine")
    given = parser.parse_args()
    vocabulary = first(given.words)
    print(f"{len(vocabulary)} words, utility {given.utility}")
    print("epsilon prior value  bound  gap    flat   frequency processor memory")
    for epsilon in given.epsilons:
        for prior in given.prior:
            begun = time.process_time()
            with tempfile.TemporaryDirectory() as folder:
                os.environ["TEXTVEIL_CACHE"] = folder
                made = optimal(vocabulary, epsilon=epsilon, prior=prior, utility=given.utility)
            spent = time.process_time() - begun
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            gap = 100 * (made.bound / made.value - 1)
            flat, frequency = (worth(made, prior, epsilon, kind) for kind in ("flat", "frequency"))
            print(
                f"{epsilon:<7g} {prior:5s} {made.value:.4f} {made.bound:.4f} {gap:4.2f} % "
                f"{flat:.4f} {frequency:.4f}    {spent:6.0f} s  {memory:4.1f} GB",
                flush=True,
            )


if __name__ == "__main__":
    main()
