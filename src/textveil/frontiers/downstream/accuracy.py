"""How well a task is learned from releases: tested on released documents, and on documents as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from textveil.estimation.documents import Documents
from textveil.frontiers.downstream.features import BatchNoise, features_of
from textveil.frontiers.downstream.linear import LinearClassifier, fit_linear
from textveil.frontiers.downstream.tasks import LabelledPart, Repetition
from textveil.types import Integers, Vectors


class DocumentClassifier(Protocol):
    """Says classes of documents."""

    def predict(self, documents: Documents) -> Integers:
        """A class for each document, shape (documents,)."""


class DocumentLearner(Protocol):
    """Learns classes of documents."""

    def fit(self, part: LabelledPart, number: int, seed: int) -> DocumentClassifier:
        """A classifier among ``number`` classes; ``seed`` is of all that it draws."""


@final
@dataclass(frozen=True, slots=True)
class Accuracies:
    """Shares of test documents whose class was said right, by one classifier that learned from one run."""

    on_releases: float
    on_texts: float


def accuracies(learner: DocumentLearner, number: int, clean: Repetition, released: Repetition, seed: int) -> Accuracies:
    """Learn from released documents, test on both.

    Args:
        released: the same run with released words; ``clean`` itself for what is learned without any protection.
    """
    classifier = learner.fit(released.train, number, seed)
    on_releases = _share(classifier, released.test)
    return Accuracies(on_releases, on_releases if released is clean else _share(classifier, clean.test))


def _share(classifier: DocumentClassifier, part: LabelledPart) -> float:
    return float(np.mean(classifier.predict(part.documents) == part.classes))


@final
@dataclass(frozen=True, slots=True, eq=False)
class LinearLearner:
    """Ridge regression on sums of the words' vectors; see ``downstream.linear``.

    Attributes:
        vectors: public vectors of the words, float32, shape (n, dim).
        noise: what is added to all vectors of a batch, in training and in testing; None adds nothing.
    """

    vectors: Vectors
    noise: BatchNoise | None = None

    def fit(self, part: LabelledPart, number: int, seed: int) -> DocumentClassifier:
        """Learn; only the noise is drawn."""
        features = features_of(self.vectors, part.documents, self.noise, seed)
        return _Linear(fit_linear(features, part.classes, number), self.vectors, self.noise, seed + 1)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Linear:
    fitted: LinearClassifier
    vectors: Vectors
    noise: BatchNoise | None
    seed: int

    def predict(self, documents: Documents) -> Integers:
        return self.fitted.predict(features_of(self.vectors, documents, self.noise, self.seed))
