"""Metrics of ranks and counts beside lengths: gaps, rank profiles at equal epsilon, sizes, clusterings, costs.

Run ``python benchmarks/word_metrics.py PART... [--vocabulary PATH]``; numbers of channels are exact averages over the
sampled words, those of noise come from draws.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from textveil.catalog import word_mechanism
from textveil.mechanisms.kinds import Channel, WordMechanism
from textveil.randomness import seeded_generator
from textveil.types import Ids
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.metric_exponential import certified_guarantee, metric_exponential
from textveil_lab.vocabulary.geometry import clipped_diameter, nearest_neighbors
from textveil_lab.vocabulary.metrics.axioms import check_axioms
from textveil_lab.vocabulary.metrics.choose import NEIGHBORS, level_counts, word_metric
from textveil_lab.vocabulary.metrics.metric import WordMetric, distances
from textveil_lab.vocabulary.metrics.ultrametric import FAR, Ultrametric

CLOSE = 100
WORDS = 200
DRAWS = 40
EPSILONS = (2.0, 5.0, 8.0, 10.0)


def sample(vocabulary: Vocabulary) -> tuple[Ids, Ids]:
    """Evenly spaced words and the 100 others nearest to each by Euclidean distance, nearest first."""
    ids = np.unique(np.linspace(0, len(vocabulary) - 1, WORDS).astype(np.int64))
    near = nearest_neighbors(vocabulary.vectors, ids, CLOSE + 1, metric="euclidean")
    return ids, near[:, 1:]


def shares(made: WordMechanism, ids: Ids, close: Ids) -> tuple[float, float]:
    """Shares of outputs that are the word itself, and among its 100 nearest."""
    if isinstance(made, Channel):
        rows = np.stack([made.probabilities(word) for word in ids.tolist()])
        own = rows[np.arange(len(ids)), ids].mean()
        return float(own), float(np.take_along_axis(rows, close, axis=1).sum(axis=1).mean())
    drawn = made.privatize(np.repeat(ids, DRAWS), seeded_generator(1)).reshape(len(ids), DRAWS)
    near = (drawn[:, :, None] == close[:, None, :]).any(axis=2)
    return float((drawn == ids[:, None]).mean()), float(near.mean())


def profiles(vocabulary: Vocabulary) -> None:
    """Original / close / distant of every candidate at equal pure epsilon."""
    ids, close = sample(vocabulary)
    names: dict[str, Callable[[float], WordMechanism]] = {
        "neighborhood": lambda e: word_mechanism("neighborhood", vocabulary, epsilon=e, base_weights="flat"),
        "randomized-response": lambda e: word_mechanism("randomized-response", vocabulary, epsilon=e),
        "exponential": lambda e: word_mechanism("exponential", vocabulary, epsilon=e),
        "spherical-laplace": lambda e: word_mechanism("spherical-laplace", vocabulary, epsilon=e),
        "spherical-laplace, fix 0.04": lambda e: word_mechanism(
            "spherical-laplace", vocabulary, epsilon=e, rank_constant=0.04
        ),
    }
    for name in NEIGHBORS:
        names[f"metric-exponential, {name}"] = lambda e, name=name: metric_exponential(  # type: ignore[misc]
            vocabulary, epsilon=e, metric=name
        )
    print("original / close / distant at epsilon " + ", ".join(f"{one:g}" for one in EPSILONS))
    for name, make in names.items():
        cells = []
        for epsilon in EPSILONS:
            own, near = shares(make(epsilon), ids, close)
            cells.append(f"{own:.4f} {near:.4f} {1 - own - near:.4f}")
        print(f"{name:<40} " + "   ".join(cells), flush=True)


def gaps(vocabulary: Vocabulary) -> None:
    """How far the first, second and 101st neighbors are, as shares of the diameter, and what stands on each level."""
    ids, close = sample(vocabulary)
    points = vocabulary.vectors.astype(np.float64)
    lengths = np.sqrt(((points[close] - points[ids][:, None]) ** 2).sum(axis=2)) / clipped_diameter(vocabulary, None, 2)
    print(f"{'euclidean':<36} first {lengths[:, 0].mean():.3f}  100th {lengths[:, -1].mean():.3f} of the diameter")
    sizes = [(name, size, None) for name, size in NEIGHBORS.items()]
    for name, size, hops in [*sizes, ("neighbor-graph", 16, 8)]:
        metric = word_metric(vocabulary, name, neighbors=size, hops=hops)
        counts = level_counts(metric)
        there = np.flatnonzero(counts.any(axis=0))
        widest = metric.facts.distances[int(there[-1])]
        rows = np.take_along_axis(distances(metric, ids), close, axis=1) / widest
        label = f"{name} {size}" + ("" if hops is None else f", {hops} hops")
        print(f"{label:<36} first {rows[:, 0].mean():.3f}  100th {rows[:, -1].mean():.3f}  diameter {widest}")
        if metric.facts.top <= 12:
            print("    mean words on each level: " + " ".join(f"{one:.1f}" for one in counts.mean(axis=0)))
            print("    most words at distance 1: " + str(int(counts[:, 1].max())))
        else:
            below = counts[:, :-1].sum(axis=1)
            print(f"    words that share a neighbor: mean {below.mean():.0f}, most {below.max()}")


def sizes(vocabulary: Vocabulary) -> None:
    """The share of close outputs against the size of lists and cells."""
    ids, close = sample(vocabulary)
    for name, choices in (
        ("shared-neighbors", (32, 64, 128)),
        ("neighbor-graph", (16, 32, 64)),
        ("ultrametric", (8, 16, 32, 64)),
    ):
        for size in choices:
            metric = word_metric(vocabulary, name, neighbors=size)
            made = [metric_exponential(vocabulary, epsilon=one, metric=metric) for one in EPSILONS]
            print(f"{name:<18} {size:>4}  close " + " ".join(f"{shares(one, ids, close)[1]:.4f}" for one in made))
    for size, hops in ((64, 2), (128, 2), (256, 2), (16, 4), (16, 8)):
        metric = word_metric(vocabulary, "neighbor-graph", neighbors=size, hops=hops)
        made = [metric_exponential(vocabulary, epsilon=one, metric=metric) for one in EPSILONS]
        print(f"graph, {hops} hops {size:>9}  close " + " ".join(f"{shares(one, ids, close)[1]:.4f}" for one in made))


def clusterings(vocabulary: Vocabulary) -> None:
    """Single and average linkage on the first 8,000 words, cut into as many cells as halving makes."""
    part = Vocabulary(vocabulary.words[:8000], vocabulary.vectors[:8000], "part")
    ids, close = sample(part)
    units = part.vectors / np.linalg.norm(part.vectors, axis=1, keepdims=True)
    halved = word_metric(part, "ultrametric")
    if not isinstance(halved, Ultrametric):
        raise TypeError("word_metric made something else")
    found = {"halving": halved.cells[0]}
    for method in ("single", "average"):
        tree = linkage(units, method=method)
        found[method] = fcluster(tree, int(halved.cells.max()) + 1, criterion="maxclust").astype(np.int64)
    for method, labels in found.items():
        metric = Ultrametric(cells=labels[None, :], heights=(1, FAR), description=method)
        sizes = np.bincount(labels)
        made = [metric_exponential(part, epsilon=one, metric=metric) for one in EPSILONS]
        print(
            f"{method:<8} cells {np.count_nonzero(sizes)}, of one word {np.count_nonzero(sizes == 1)}, "
            f"largest {sizes.max()} words; close " + " ".join(f"{shares(one, ids, close)[1]:.4f}" for one in made)
        )


def costs(vocabulary: Vocabulary) -> None:
    """Seconds to make a metric and a mechanism, axioms, guarantees of the metric form, draws a second."""
    ids = np.random.default_rng(1).integers(0, len(vocabulary), 200_000)
    for name in NEIGHBORS:
        start = time.perf_counter()
        metric: WordMetric = word_metric(vocabulary, name)
        built = time.perf_counter()
        made = metric_exponential(vocabulary, epsilon=8.0, metric=metric)
        ready = time.perf_counter()
        made.privatize(ids[:20_000])
        first = time.perf_counter()
        made.privatize(ids[:20_000])
        again = time.perf_counter()
        verdict = check_axioms(metric)
        checked = time.perf_counter()
        unit = 8 / metric.facts.distances[-1]
        promised = metric_exponential(vocabulary, epsilon_per_distance=unit, metric=metric)
        print(f"{name}: metric {built - start:.1f} s, mechanism {ready - built:.1f} s")
        print(f"    20,000 draws {first - ready:.2f} s, again {again - first:.2f} s")
        print(f"    axioms hold: {verdict.holds} ({checked - again:.1f} s, every triple of {verdict.words} words, all")
        print(f"    words by {verdict.proof or 'triples'})")
        print(f"    promised  {promised.guarantee}")
        print(f"    certified {certified_guarantee(promised)}", flush=True)


PARTS = {"profiles": profiles, "gaps": gaps, "sizes": sizes, "clusterings": clusterings, "costs": costs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="+", choices=PARTS)
    parser.add_argument("--vocabulary", type=Path, default=None)
    given = parser.parse_args()
    vocabulary = load_vocabulary(given.vocabulary)
    print(f"{vocabulary.name}: {len(vocabulary)} words, {vocabulary.dim} dimensions")
    for part in given.part:
        PARTS[part](vocabulary)


if __name__ == "__main__":
    main()
