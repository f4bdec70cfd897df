"""What `textveil learn` reaches: accuracy on real text, under one epsilon for all that a person wrote.

    python benchmarks/private_learning.py [agnews] [sst2] [--epsilons .25,1,4] [--seeds 5] [--persons 1,500]

Each draw of the noise has a seed of its own; the interval is Student's, at 95 %, over the seeds. Labels are selected,
not given. ``--persons`` deals the documents to persons of 1 to 500 documents each, sizes drawn with probability in
proportion to 1 / size, in a random order, and says how many persons there are. "clean": the same vectors and the
same regression without noise, with a ridge of 1. Needs no extra; the texts are read from ``$TEXTVEIL_SHARED``.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from learning import CORPORA, Labelled
from scipy.stats import t as student

from textveil.aggregates.classifier import NORM
from textveil.aggregates.features import PublicFeatures, public_transform
from textveil.aggregates.learning import learn
from textveil.aggregates.records import Batch
from textveil.privacy.units import ONE_PERSON_MORE, Adjacency
from textveil.randomness import seeded_generator
from textveil.types import Progress
from textveil.vocabulary.embedded import load_vocabulary

DELTA = 1e-6
SEED = 25
BLOCK = 4096


@dataclass
class Rows:
    """Labelled texts of persons, in memory."""

    rows: Labelled
    persons: list[int]
    adjacency: Adjacency = ONE_PERSON_MORE
    limit: int | None = None
    names: tuple[str, ...] = field(default=())

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        """In blocks."""
        for first in range(0, len(self.rows), BLOCK):
            texts, labels = zip(*self.rows[first : first + BLOCK], strict=True)
            yield Batch(np.array(self.persons[first : first + BLOCK]), list(texts), list(labels))


def dealt(count: int, smallest: int, largest: int) -> list[int]:
    """Whose each document is."""
    rng = random.Random(SEED)
    sizes = range(smallest, largest + 1)
    weights = [1 / size for size in sizes]
    owners: list[int] = []
    while len(owners) < count:
        owners += [owners[-1] + 1 if owners else 0] * rng.choices(sizes, weights)[0]
    owners = owners[:count]
    rng.shuffle(owners)
    return owners


def clean(train: Labelled, test: Labelled) -> float:
    """Accuracy without noise."""
    words = load_vocabulary()
    features = PublicFeatures(words, public_transform(words))
    names = sorted({label for _, label in train})
    points = features.vectors([text for text, _ in train], NORM) / NORM
    targets = np.array([[label == name for name in names] for _, label in train], dtype=float)
    weights = np.linalg.solve(points.T @ points + np.eye(points.shape[1]), points.T @ targets)
    said = (features.vectors([text for text, _ in test], NORM) @ weights).argmax(axis=1)
    return float(np.mean([names[best] == label for best, (_, label) in zip(said.tolist(), test, strict=True)]))


def main() -> None:
    """Print a line for each corpus and epsilon."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", default=["agnews"])
    parser.add_argument("--epsilons", default=".25,1,4")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--persons", default="1,1")
    options = parser.parse_args()
    smallest, largest = map(int, options.persons.split(","))
    for name in options.corpora:
        corpus = CORPORA[name]()
        persons = dealt(len(corpus.train), smallest, largest)
        print(f"{name}: {len(corpus.train):,} documents of {len(set(persons)):,} persons; delta {DELTA:g}")
        print(f"  clean        {clean(*corpus):.4f}", flush=True)
        texts, labels = zip(*corpus.test, strict=True)
        for epsilon in map(float, options.epsilons.split(",")):
            rights = []
            for seed in range(options.seeds):
                rng = seeded_generator(SEED + seed)
                model = learn(Rows(corpus.train, persons), epsilon=epsilon, delta=DELTA, rng=rng).model
                rights.append(np.mean([a == b for a, b in zip(model.predict(texts), labels, strict=True)]))
            half = student.ppf(0.975, len(rights) - 1) * np.std(rights, ddof=1) / len(rights) ** 0.5
            print(f"  epsilon {epsilon:<5g}{np.mean(rights):.4f} +- {half:.4f}", flush=True)


if __name__ == "__main__":
    main()
