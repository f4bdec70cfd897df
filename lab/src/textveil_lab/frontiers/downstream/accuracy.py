"""Accuracy of a task learned from releases, on released documents and on the originals.

The classifier is ridge regression on the classes. It has no draws, no steps and no manual tuning, so all releases are
treated alike. Leave-one-out error chooses its strength anew from every release alone, because noisier features need a
stronger one. Source: Hastie, Tibshirani and Friedman 2009, sections 4.2 and 7.10 (leave-one-out of a linear smoother).

Features of a document: the sum of their words' vectors over the root of their number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.randomness import seeded_generator
from textveil.types import Integers, Reals, Vectors
from textveil_lab.frontiers.downstream.tasks import LabelledPart, Repetition
from textveil_lab.vocabulary.documents import Documents, document_features

Disturb: TypeAlias = Callable[[Vectors, np.random.Generator], Vectors | Reals]
"""Function that disturbs the vectors of a batch's words; shape (tokens, dim) to the same."""


@dataclass(frozen=True, slots=True, eq=False)
class BatchNoise:
    """Noise on the vectors of words, drawn anew for every batch of documents."""

    disturb: Disturb
    batch: int  # documents of one, in their order, >= 1

    def __post_init__(self) -> None:
        need(self.batch >= 1, "batch", self.batch, ">= 1")


def token_vectors(vectors: Vectors, documents: Documents, noise: BatchNoise | None, seed: int) -> Vectors:
    """Return the vector of every word of the documents, with its noise; float32, shape (tokens, dim).

    Args:
        vectors: of the words, float32, shape (n, dim).
        documents: ids of words.
        noise: None adds nothing.
    """
    tokens = vectors[documents.ids]
    if noise is not None:
        rng, bounds = seeded_generator(seed), documents.bounds
        for first in range(0, len(bounds) - 1, noise.batch):
            part = slice(bounds[first], bounds[min(first + noise.batch, len(bounds) - 1)])
            if part.start < part.stop:
                tokens[part] = noise.disturb(tokens[part], rng)
    return tokens


def features_of(vectors: Vectors, documents: Documents, noise: BatchNoise | None = None, seed: int = 0) -> Vectors:
    """Return the features of documents, float32, shape (documents, dim); arguments as in ``token_vectors``."""
    if noise is None:
        return document_features(vectors, documents.ids, documents.bounds)
    tokens = token_vectors(vectors, documents, noise, seed)
    return document_features(tokens, np.arange(len(tokens)), documents.bounds)


_STRENGTHS: Final = 10.0 ** np.arange(-4, 5)
"""Strengths of the ridge, in units of the mean eigenvalue of the features' second moments."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearClassifier:
    """Classifier by the largest linear score."""

    weights: Reals  # shape (dim, classes)
    shares: Reals  # of the classes among the training documents, shape (classes,)
    strength: float

    def predict(self, features: NDArray[np.floating]) -> Integers:
        """Return a class for each row of ``features``, shape (documents, dim).

        Features are centered by their own mean: clean and released documents have different means, and that of the
        training documents would move all test documents to one side.
        """
        points = np.asarray(features, dtype=np.float64)
        scores = (points - points.mean(axis=0)) @ self.weights + self.shares
        return np.argmax(scores, axis=1).astype(np.int64)


def fit_linear(features: NDArray[np.floating], classes: Integers, number: int) -> LinearClassifier:
    """Fit the classifier to features of documents.

    Args:
        features: shape (documents, dim), at least two documents.
        classes: of each, in [0, number).
    """
    need(len(features) >= 2, "features", f"{len(features)} documents", "two or more")
    points = np.asarray(features, dtype=np.float64)
    points = points - points.mean(axis=0)
    targets = np.eye(number)[classes]
    shares = targets.mean(axis=0)
    targets -= shares
    left, singular, right = np.linalg.svd(points, full_matrices=False)
    seen = left.T @ targets
    squares = singular**2
    unit = max(float(squares.mean()), np.finfo(np.float64).tiny)
    best, chosen = np.inf, float(_STRENGTHS[-1])
    for strength in _STRENGTHS:
        kept = squares / (squares + strength * unit)
        leverage = (left**2) @ kept + 1 / len(points)
        residuals = (targets - left @ (kept[:, None] * seen)) / np.maximum(1 - leverage, 1e-9)[:, None]
        error = float(np.mean(residuals**2))
        if error < best:
            best, chosen = error, float(strength)
    weights = right.T @ ((singular / (squares + chosen * unit))[:, None] * seen)
    return LinearClassifier(weights, shares, chosen)


class DocumentClassifier(Protocol):
    """Classifier of documents."""

    def predict(self, documents: Documents) -> Integers:
        """Return a class for each document, shape (documents,)."""


class DocumentLearner(Protocol):
    """Learner of document classes."""

    def fit(self, part: LabelledPart, number: int, seed: int) -> DocumentClassifier:
        """Return a classifier among ``number`` classes; ``seed``: of all its draws."""


@dataclass(frozen=True, slots=True)
class Accuracies:
    """Shares of correctly classified test documents, for one classifier trained on one run."""

    on_releases: float
    on_texts: float


def accuracies(learner: DocumentLearner, number: int, clean: Repetition, released: Repetition, seed: int) -> Accuracies:
    """Train on released documents, test on both.

    Args:
        released: the same run with released words, or ``clean`` itself for a classifier without protection.
    """
    classifier = learner.fit(released.train, number, seed)
    on_releases = _share(classifier, released.test)
    return Accuracies(on_releases, on_releases if released is clean else _share(classifier, clean.test))


def _share(classifier: DocumentClassifier, part: LabelledPart) -> float:
    return float(np.mean(classifier.predict(part.documents) == part.classes))


@dataclass(frozen=True, slots=True, eq=False)
class LinearLearner:
    """Learner by ridge regression on sums of the words' vectors."""

    vectors: Vectors  # public vectors of the words, float32, shape (n, dim)
    # noise on all vectors of a batch, in training and in testing; None adds nothing
    noise: BatchNoise | None = None

    def fit(self, part: LabelledPart, number: int, seed: int) -> DocumentClassifier:
        """Fit a classifier; only the noise is drawn."""
        features = features_of(self.vectors, part.documents, self.noise, seed)
        return _Linear(fit_linear(features, part.classes, number), self.vectors, self.noise, seed + 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Linear:
    fitted: LinearClassifier
    vectors: Vectors
    noise: BatchNoise | None
    seed: int

    def predict(self, documents: Documents) -> Integers:
        return self.fitted.predict(features_of(self.vectors, documents, self.noise, self.seed))
