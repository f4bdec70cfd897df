"""What `textveil learn` reaches: accuracy on real text, under one epsilon for all that a person wrote.

    python benchmarks/private_learning.py [agnews] [sst2] [yelp] [--epsilons .25,1,4] [--seeds 5] [--persons 500]
        [--dpsgd]

Each draw of the noise has a seed of its own; the interval is Student's, at 95 %, over the seeds. Labels are selected,
not given. ``--persons 500`` deals the documents to persons of 1 to 500 documents each, the sizes drawn with
probability in proportion to 1 / size^2, in a random order. "clean": the same vectors and the same regression without
noise, with a ridge of 1. "tf-idf": logistic regression on it, without noise. ``--dpsgd``: logistic regression on the
same vectors by DP-SGD, each document a unit, in place of ours; needs torch and opacus. The texts are read from
``$TEXTVEIL_SHARED``.
"""

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from learning import CORPORA, Corpus, Labelled, tfidf
from scipy.stats import t as student

from textveil.aggregates.features import PublicFeatures, public_transform
from textveil.aggregates.learning import learn
from textveil.aggregates.request import Batch, CorpusRequest, digested
from textveil.privacy.units import ONE_PERSON_MORE, Adjacency
from textveil.randomness import seeded_generator
from textveil.types import Progress
from textveil.vocabulary.embedded import load_vocabulary

DELTA = 1e-6
SEED = 25
NORM = 2**12
BLOCK = 4096
RATE, BATCH, EPOCHS = 4.0, 2048, 20
"""Of DP-SGD."""


@dataclass
class Rows:
    """Labelled texts of persons, in memory."""

    rows: Labelled
    persons: list[int]
    adjacency: Adjacency = ONE_PERSON_MORE
    limit: int | None = None
    names: tuple[str, ...] = field(default=())
    labelled: bool = True

    @property
    def digest(self) -> bytes:
        """Of all rows."""
        return digested(self.batches(), self.names)

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        """In blocks."""
        for first in range(0, len(self.rows), BLOCK):
            texts, labels = zip(*self.rows[first : first + BLOCK], strict=True)
            yield Batch(np.array(self.persons[first : first + BLOCK]), list(texts), list(labels))


def dealt(count: int, largest: int) -> list[int]:
    """Whose each document is."""
    rng = random.Random(SEED)
    sizes = range(1, largest + 1)
    weights = [size**-2 for size in sizes]
    owners: list[int] = []
    while len(owners) < count:
        owners += [owners[-1] + 1 if owners else 0] * rng.choices(sizes, weights)[0]
    owners = owners[:count]
    rng.shuffle(owners)
    return owners


def learned(corpus: Corpus, persons: list[int], epsilon: float, seed: int) -> float:
    """Accuracy of a classifier under one epsilon."""
    rows = Rows(corpus.train, persons)
    request = CorpusRequest(rows, epsilon=epsilon, delta=DELTA, rng=seeded_generator(seed))
    model = learn(request).model
    said = model.predict([text for text, _ in corpus.test])
    return float(np.mean([mine == label for mine, (_, label) in zip(said, corpus.test, strict=True)]))


@lru_cache(maxsize=2)
def points(name: str, part: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of a corpus's documents, of norm 1, and the numbers of their labels."""
    corpus = CORPORA[name]()
    words = load_vocabulary()
    features = PublicFeatures(words, public_transform(words))
    names = sorted({label for _, label in corpus.train})
    rows = corpus[part]
    vectors = features.vectors([text for text, _ in rows], NORM) / NORM
    return vectors, np.array([names.index(label) for _, label in rows])


def clean(name: str) -> float:
    """Accuracy without noise."""
    vectors, numbers = points(name, 0)
    weights = np.linalg.solve(
        vectors.T @ vectors + np.eye(vectors.shape[1]), vectors.T @ np.eye(max(numbers) + 1)[numbers]
    )
    tested, wanted = points(name, 1)
    return float(np.mean((tested @ weights).argmax(axis=1) == wanted))


def plain(corpus: Corpus) -> float:
    """Accuracy of what is usual without privacy."""
    texts, labels = zip(*corpus.train, strict=True)
    model = tfidf().fit(texts, labels)
    return float(model.score([text for text, _ in corpus.test], [label for _, label in corpus.test]))


def dpsgd(name: str, epsilon: float, seed: int) -> float:
    """Accuracy of logistic regression on the same vectors by DP-SGD; steps are fixed, not tuned on the corpus."""
    import torch
    from opacus import PrivacyEngine

    torch.manual_seed(seed)
    vectors, numbers = points(name, 0)
    data = torch.utils.data.TensorDataset(torch.tensor(vectors, dtype=torch.float32), torch.tensor(numbers))
    linear = torch.nn.Linear(vectors.shape[1], int(numbers.max()) + 1)
    model, optimizer, loader = PrivacyEngine().make_private_with_epsilon(
        module=linear,
        optimizer=torch.optim.SGD(linear.parameters(), lr=RATE),
        data_loader=torch.utils.data.DataLoader(data, batch_size=BATCH),
        target_epsilon=epsilon,
        target_delta=DELTA,
        epochs=EPOCHS,
        max_grad_norm=1.0,
    )
    for _ in range(EPOCHS):
        for inputs, wanted in loader:
            optimizer.zero_grad()
            loss: Any = torch.nn.functional.cross_entropy(model(inputs), wanted)
            loss.backward()
            optimizer.step()
    tested, wanted = points(name, 1)
    with torch.no_grad():
        said = linear(torch.tensor(tested, dtype=torch.float32)).argmax(dim=1).numpy()
    return float(np.mean(said == wanted))


def main() -> None:
    """Print a line for each corpus and epsilon."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", default=["agnews"])
    parser.add_argument("--epsilons", default=".25,1,4")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--persons", type=int, default=1)
    parser.add_argument("--dpsgd", action="store_true")
    options = parser.parse_args()
    for name in options.corpora:
        corpus = CORPORA[name]()
        persons = dealt(len(corpus.train), options.persons)
        print(f"{name}: {len(corpus.train):,} documents of {len(set(persons)):,} persons; delta {DELTA:g}")
        print(f"  tf-idf       {plain(corpus):.4f}", flush=True)
        print(f"  clean        {clean(name):.4f}", flush=True)
        for epsilon in map(float, options.epsilons.split(",")):
            seeds = range(SEED, SEED + options.seeds)
            if options.dpsgd:
                rights = [dpsgd(name, epsilon, seed) for seed in seeds]
            else:
                rights = [learned(corpus, persons, epsilon, seed) for seed in seeds]
            half = student.ppf(0.975, len(rights) - 1) * np.std(rights, ddof=1) / len(rights) ** 0.5
            print(f"  epsilon {epsilon:<5g}{np.mean(rights):.4f} +- {half:.4f}", flush=True)


if __name__ == "__main__":
    main()
