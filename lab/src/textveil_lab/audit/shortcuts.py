"""Tempting shortcuts of releases about a corpus, to be refuted: each adds the noise that its number asks for.

Each forgets that something else is computed from the same persons: a list of words, a bound, a choice, a count. No
command releases anything by them.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.request import PersonalRecords

Trial = Callable[[PersonalRecords, np.random.Generator], float]
"""One release of a corpus, and the attacker's number of it."""


def _unselected_words(budget: GaussianBudget) -> Trial:
    """Noisy counts of all words that the corpus has: which words there are is told without noise."""

    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        words = Counter(word for batch in corpus.batches() for text in batch.texts for word in set(text.split()))
        names = sorted(words)
        budget.noise(5 * GRID**2).sample(len(names), rng)  # which changes no name
        return float(len(names))

    return trial


def _private_bound(budget: GaussianBudget) -> Trial:
    """A noisy sum of persons' words, with noise for the largest person: how much noise there is tells who that is."""

    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        lengths = Counter[int]()
        for batch in corpus.batches():
            for person, text in zip(batch.persons.tolist(), batch.texts, strict=True):
                lengths[person] += len(text.split())
        noise = budget.noise(max(lengths.values()) ** 2 * GRID**2)
        total = sum(lengths.values()) * GRID + int(noise.sample(1, rng)[0])
        return float(abs(total) // GRID)

    return trial


def _private_choice(budget: GaussianBudget) -> Trial:
    """Of two public models, the one that fits the corpus better: the choice is made without noise."""

    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        labels = Counter(label for batch in corpus.batches() for label in batch.labels)
        budget.noise(GRID**2).sample(1, rng)  # of the model's weights, which the choice does not look at
        return float(labels["a"] > labels["b"])

    return trial


def _clear_labels(budget: GaussianBudget) -> Trial:
    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        labels = Counter(label for batch in corpus.batches() for label in batch.labels)
        budget.noise(GRID**2).sample(1, rng)
        return float(labels["a"])

    return trial


SHORTCUTS: Final[Mapping[str, Callable[[GaussianBudget], Trial]]] = {
    "unselected-words": _unselected_words,
    "private-bound": _private_bound,
    "private-choice": _private_choice,
    "clear-labels": _clear_labels,
}
"""By the names that audits give them."""
