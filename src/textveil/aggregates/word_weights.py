"""Weights of single words, learned under the same budget from what a regression on vectors leaves unexplained.

Documents are read as their vector and their words together, of norm 1. Two rounds each add up, over all persons, the
product of a document and its residual: its label less the chance that the classifier so far gives to each label. A
person's part is bounded, and noise is added. Each weight moves against its noisy sum, less if the noise is large
beside what a word of its frequency can be worth. All constants were chosen on AG News, SST-2 and MTS-Dialog.

Proof: privacy/proofs/corpus_learn.md.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from scipy import sparse

from textveil.aggregates.budget import GaussianBudget
from textveil.aggregates.features import MODEL_NORM, PublicFeatures, roots_up
from textveil.aggregates.parts import Parts
from textveil.aggregates.person_words import PersonVectors
from textveil.numerics.discrete_noise import LARGEST_SIGMA, DiscreteGaussian
from textveil.types import Integers, Reals

NORM: Final = 2**10
VECTOR_NORM: Final = 396  # of the vector in a document of norm ``NORM``
WORD_NORM: Final = math.isqrt(NORM**2 - VECTOR_NORM**2)  # of its words
ONE: Final = 366  # the chance 1 in residuals
LONGEST: Final = 256  # L2 norm of a residual, at most
ROUNDS: Final = 2

COUNT: Final = Fraction(1, 100)  # share of the budget that counts the persons
SECOND: Final = Fraction(3, 10)
CROSS: Final = Fraction(1, 5)
WORDS: Final = Fraction(1, 20)  # that tells how frequent words are
ROUND: Final = (1 - COUNT - SECOND - CROSS - WORDS) / ROUNDS
SECOND_ALONE: Final = (1 - COUNT) * Fraction(2, 5)  # where words have no weights
CROSS_ALONE: Final = (1 - COUNT) * Fraction(3, 5)
PARTS: Final = 16  # of a person in the noisy number of persons
COUNTED: Final = 3 * PARTS  # what a person of many documents counts
ENOUGH: Final = 1500  # signal from which words pay
_MOST_LABELS: Final = 64
_FEWEST: Final = 40  # coordinates of vectors
_SIGNAL_OF_COORDINATE: Final = 1200  # square of the signal for each

_LOGIT: Final = 2**24
_STEPS: Final = 64  # of the table of the exponential function, in 1
_EXPONENTIAL: Final = np.rint(2**20 * np.exp(-np.arange(12 * _STEPS + 1) / _STEPS)).astype(np.int64)
_STEEP: Final = 3.0  # logits of a regression's 1
_VARIANCE: Final = 0.4  # of words' weights
_CURVED: Final = 0.25  # of the logistic loss, at most
_OVERLAP: Final = 0.15  # by which words that stand together share what they are worth
_PACE: Final = 0.6


class WordNoise(NamedTuple):
    """Noise on the sums that weights of words are made from."""

    words: DiscreteGaussian  # on the sums of documents' words, in parts of ``WORD_NORM``
    round: DiscreteGaussian  # on the sums of each round, in parts of ``NORM * ONE``

    @classmethod
    def of(cls, budget: GaussianBudget, rest: Fraction) -> "WordNoise | None":
        """Noise with its shares of ``rest`` of the budget; None is too large to be drawn."""
        sensitivity = NORM * LONGEST
        if budget.squared_mu * ROUND * rest * (LARGEST_SIGMA - 1) ** 2 < sensitivity**2:
            return None
        return cls(budget.noise(WORD_NORM**2, WORDS * rest), budget.noise(sensitivity**2, ROUND * rest))


def counted_persons(documents: Integers) -> int:
    """Return the number of persons, in parts of ``PARTS``.

    Sums of several documents are less of each one's own: persons count by the square root of their documents, up to 3.
    ``documents``: of each person, below 2^53.
    """
    return int(np.minimum(np.sqrt(documents * PARTS**2), COUNTED).astype(np.int64).sum())


def signal_of(persons: int, budget: GaussianBudget, noise: DiscreteGaussian, rng: np.random.Generator) -> float:
    """Return the strength of sums over persons: their noisy number times sensitivity / sigma of the budget.

    ``persons``, and ``noise`` on them: in parts of ``PARTS``.
    """
    return max((persons + int(noise.sample(1, rng)[0])) / PARTS, 0) * math.sqrt(budget.squared_mu)


def words_pay(signal: float, labels: int) -> bool:
    """Return whether single words are weighed, by noisy numbers and public facts."""
    return labels <= _MOST_LABELS and signal >= ENOUGH


def coordinates(signal: float, dim: int) -> int:
    """Coordinates of words' vectors that are read: if persons are few, the others would add more noise than tell."""
    return min(max(int(signal**2 / _SIGNAL_OF_COORDINATE), _FEWEST), dim)


def shortened(sums: Integers, norm: int) -> Integers:
    """Whole numbers, rounded towards zero, of at most ``norm`` in L2 norm; as they are if they are no longer."""
    largest = int(np.abs(sums).max(initial=0))
    fits = largest**2 * sums.size < 2**62
    square = int(np.square(sums if fits else sums.astype(object)).sum())
    if square > norm * norm:
        length = math.isqrt(square - 1) + 1
        return np.sign(sums) * (np.abs(sums) * norm // length)
    return sums


def bounded_products(rows: sparse.csr_array, factors: Integers, persons: Integers, norm: int) -> Integers:
    """Sums over persons of rows^T factors, each person's of at most ``norm`` in L2 norm; shape (columns, labels).

    Args:
        rows: of documents; a row times its factors is at most ``norm``.
        persons: of the documents, ascending.
    """
    starts = np.flatnonzero(np.diff(persons, prepend=-1))
    sizes = np.diff(np.append(starts, len(persons)))
    single = starts[sizes == 1]
    total = np.asarray(rows[single].T @ factors[single])
    for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        own = rows[start : start + size]
        columns, inverse = np.unique(own.indices, return_inverse=True)
        used = sparse.csr_array((own.data, inverse, own.indptr), shape=(size, len(columns)))
        total[columns] += shortened(np.asarray(used.T @ factors[start : start + size]), norm)
    return total


def residuals(scores: Integers, labels: Integers) -> Integers:
    """Labels less their chances, in parts of ``ONE``, with an L2 norm of at most ``LONGEST``; shape (texts, labels).

    Whole numbers alone, so that what a document adds depends on it to the last digit. ``scores``: ``_LOGIT`` is 1.
    """
    below = (scores.max(axis=1, keepdims=True) - scores) // (_LOGIT // _STEPS)
    chances = _EXPONENTIAL[np.minimum(below, len(_EXPONENTIAL) - 1)]
    rest = -(chances * ONE // chances.sum(axis=1, keepdims=True))
    rest[np.arange(len(labels)), labels] += ONE
    lengths = roots_up(np.square(rest).sum(axis=1))[:, None]
    return np.where(lengths > LONGEST, np.sign(rest) * (np.abs(rest) * LONGEST // np.maximum(lengths, 1)), rest)


def word_sums(parts: Iterable[PersonVectors], features: PublicFeatures) -> Integers:
    """Sums of documents' words over all persons, each person's of at most ``WORD_NORM``; shape (words,)."""
    total: Integers = np.zeros((len(features.vocabulary), 1), np.int64)
    for part in parts:
        ones = np.ones((len(part.labels), 1), np.int64)
        total += bounded_products(_words(part, features), ones, part.persons, WORD_NORM)
    return total[:, 0]


def _words(part: PersonVectors, features: PublicFeatures) -> sparse.csr_array:
    if part.counts is None:
        raise TypeError("documents must have counts of their words")
    return features.words_of(part.counts, WORD_NORM)


def round_sums(parts: Iterable[PersonVectors], features: PublicFeatures, weights: Sequence[Reals]) -> Integers:
    """Sums of documents times residuals over all persons, each person's of at most ``NORM * LONGEST``.

    ``weights``: of vectors, shape (dim, labels), and of words, shape (words, labels). Returns shape (dim + words,
    labels).
    """
    of_vectors, of_words = (
        np.clip(np.rint(part * (_LOGIT / norm)), -(2.0**30), 2.0**30)
        for part, norm in zip(weights, (MODEL_NORM, WORD_NORM), strict=True)
    )
    total: Integers = np.zeros((len(of_vectors) + len(of_words), of_words.shape[1]), np.int64)
    for part in parts:
        words, vectors = _words(part, features), part.vectors.astype(np.int64)
        # Below 2^53 in floats, so exact in any order.
        scores = (vectors.astype(np.float64) @ of_vectors).astype(np.int64) + words @ of_words.astype(np.int64)
        smaller = np.sign(vectors) * (np.abs(vectors) * VECTOR_NORM // MODEL_NORM)
        rows = sparse.csr_array(sparse.hstack([sparse.csr_array(smaller), words]))
        total += bounded_products(rows, residuals(scores, part.labels), part.persons, NORM * LONGEST)
    return total


def noisy(sums: Integers, noise: DiscreteGaussian, rng: np.random.Generator) -> Integers:
    """Sums with noise on each."""
    return sums + noise.sample(sums.size, rng).reshape(sums.shape)


def refined(
    parts: Parts[Iterable[PersonVectors]],
    features: PublicFeatures,
    regression: Reals,
    second: Reals,
    ridge: float,
    noise: WordNoise,
    rng: np.random.Generator,
) -> tuple[Reals, Reals]:
    """Return weights of vectors, shape (dim, labels), and of words, shape (words, labels); documents have norm 1.

    ``parts``: added up ``ROUNDS`` + 1 times; ``features``: by which the vectors were read; ``regression``: weights of
    vectors so far; ``second``: noisy second moments of vectors, and ``ridge`` about the largest eigenvalue of their
    noise.
    """
    dim, labels = regression.shape
    sums = parts.total(partial(word_sums, features=features))
    held = noisy(sums, noise.words, rng) / WORD_NORM  # how often each word is, in documents
    values, directions = np.linalg.eigh(second)
    values = np.maximum(values, 0)
    together = max(held.sum() / max(values.sum(), 1), 1)  # words of a document, each weighted as if of norm 1
    curvature = _OVERLAP * _CURVED * together * np.maximum(held, noise.words.sigma / WORD_NORM)[:, None]
    of_vectors, of_words = (noise.round.sigma / (part * ONE) for part in (VECTOR_NORM, WORD_NORM))
    step = directions / (_CURVED * values + ridge + of_vectors)
    shrunk = curvature + 1 / _VARIANCE + of_words**2 / (curvature * _VARIANCE)
    vectors, single = _STEEP * regression, np.zeros((len(held), labels))
    for _ in range(ROUNDS):
        sums = parts.total(partial(round_sums, features=features, weights=(vectors, single)))
        slopes = noisy(sums, noise.round, rng) / ONE
        vectors = vectors + _PACE * step @ (directions.T @ (slopes[:dim] / VECTOR_NORM))
        single = single + _PACE * (slopes[dim:] / WORD_NORM - single / _VARIANCE) / shrunk
    return vectors, single
