"""Naive Bayes under one epsilon for all that a person wrote: noisy counts of public words by label.

Everything after the noise uses noisy numbers and public facts alone. Proof: privacy/proofs/corpus_learn.md.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from scipy import sparse

from textveil.aggregates.budget import GRID
from textveil.aggregates.classifier import PROOF, RELEASE, Learned, TextClassifier
from textveil.aggregates.features import PublicWords
from textveil.aggregates.payment import Fact, budget_of_labels, paid_labels
from textveil.aggregates.person_words import whole_persons
from textveil.aggregates.report import AggregateReport
from textveil.aggregates.request import CorpusRequest
from textveil.numerics.discrete_noise import DiscreteGaussian
from textveil.privacy.units import Unit
from textveil.types import Integers, Reals

NAIVE_BAYES: Final = "naive-bayes"  # Name of the method
_SMOOTHING: Final = 4
"""Standard deviations of noise that each word has beside its counts, in the shares of the labels. On AG News and SST-2
half and twice as many are at most .005 worse or better."""

_BLOCK: Final = 8192  # documents that are added up at once; more only where one person wrote more
_MARGIN: Final = 1 + 2.0**-20  # above the rounding of a sum of up to 2^31 floats, none negative


def naive_bayes(request: CorpusRequest) -> Learned:
    """Learn from noisy counts of words; see ``learning.learn``."""
    budget, share = budget_of_labels(request)
    noise = budget.noise(GRID**2, share)
    guarantee = budget.guarantee(request.records.adjacency, PROOF)
    features = PublicWords(request.words)
    settings: list[Fact] = [NAIVE_BAYES, repr(noise), features.digest]
    with paid_labels(request, budget, guarantee, settings) as paid:
        sums = word_sums(_documents(request, paid.labels, features), features.dim, len(paid.labels))
        noisy = sums + noise.sample(sums.size, paid.drawing.rng).reshape(sums.shape)
    report = AggregateReport(
        release=RELEASE,
        paid=paid.drawing,
        guarantee=guarantee,
        selections=budget.selections,
        public={
            "method": NAIVE_BAYES,
            "vocabulary": features.vocabulary.name,
            "labels": "given" if request.public_labels else "selected",
        },
        bounded={"records per person": request.records.limit, "a person's words for each label (L2 norm)": 1},
        noise={"words for each label": noise.sigma / GRID},
        facts={"labels": len(paid.labels), "words": features.dim - 1},
    )
    weights = log_ratios(noisy, noise, features).astype(np.float32)
    return Learned(TextClassifier(paid.labels, weights, features, report.to_data()), paid.persons)


class PersonDocuments(NamedTuple):
    """Documents of some persons."""

    persons: Integers  # number of each document's person, shape (count,)
    labels: Integers  # number of each document's label, shape (count,)
    rows: sparse.csr_array  # values of its words, whole, >= 0, with an L2 norm of at most ``GRID``; shape (count, dim)


def _documents(request: CorpusRequest, labels: tuple[str, ...], features: PublicWords) -> Iterator[PersonDocuments]:
    """Documents with one of the labels; all of a person in one part, held in memory, six bytes a word."""
    numbers = {label: number for number, label in enumerate(labels)}
    held: list[PersonDocuments] = []
    for batch in request.batches():
        kept = [row for row, label in enumerate(batch.labels) if label in numbers]
        if not kept:
            continue
        rows = features.vectors([batch.texts[row] for row in kept], GRID).astype(np.int16)
        codes = np.array([numbers[batch.labels[row]] for row in kept], dtype=np.int64)
        part = PersonDocuments(batch.persons[kept], codes, rows)
        if request.records.adjacency.unit is Unit.DOCUMENT:
            yield part
        else:
            held.append(part)
    if held:
        yield PersonDocuments(
            np.concatenate([part.persons for part in held]),
            np.concatenate([part.labels for part in held]),
            sparse.vstack([part.rows for part in held], format="csr"),
        )


def word_sums(parts: Iterable[PersonDocuments], dim: int, labels: int) -> Integers:
    """Sums over persons, int64, shape (dim, labels); each person's part has an L2 norm of at most ``GRID``.

    ``parts``: each person is in one of them alone.
    """
    total = np.zeros((labels, dim), np.int64)
    for part in parts:
        order = np.argsort(part.persons, kind="stable")
        persons = part.persons[order]
        for documents, _ in whole_persons(np.ones_like(persons), persons, _BLOCK):
            own = order[documents]
            total += _bounded(persons[documents], part.labels[own], part.rows[own].astype(np.int64), labels)
    return total.T


def _bounded(persons: Integers, codes: Integers, rows: sparse.csr_array, labels: int) -> Integers:
    """What some persons add, shape (labels, dim): where a person's values are too long, all of them shrink alike."""
    cells, which = np.unique(persons * labels + codes, return_inverse=True)
    ones = np.ones(len(which), dtype=np.int64)
    added = sparse.csr_array((ones, (which, np.arange(len(which)))), shape=(len(cells), len(which))) @ rows
    owners, who = np.unique(cells // labels, return_inverse=True)
    of_value = np.repeat(who, np.diff(added.indptr))
    squares = np.bincount(of_value, weights=added.data.astype(np.float64) ** 2, minlength=len(owners))
    lengths = np.maximum(np.ceil(np.sqrt(squares) * _MARGIN).astype(np.int64), GRID)
    added.data = added.data * GRID // lengths[of_value]
    column = (cells % labels, np.arange(len(cells)))
    each = sparse.csr_array((np.ones(len(cells), np.int64), column), shape=(labels, len(cells)))
    return np.asarray((each @ added).todense())


def log_ratios(noisy: Integers, noise: DiscreteGaussian, features: PublicWords) -> Reals:
    """Logarithms of how much more often a word stands in each label than in all; in the last row, of labels' shares.

    ``noisy``: sums of values with noise, shape (dim, labels); ``features``: whose last coordinate is constant.
    """
    documents = np.maximum(noisy[-1], noise.sigma) / features.constant(GRID)
    shares = documents / documents.sum()
    beside = _SMOOTHING * noise.sigma
    own = np.maximum(noisy[:-1], 0) + beside * shares
    of_all = np.maximum(noisy[:-1].sum(axis=1, keepdims=True), 0) + beside
    return np.vstack([np.log(own / (of_all * shares)), np.log(shares)])
