"""A classifier learned from a corpus under one epsilon for all that a person wrote.

Ridge regression of labels on documents' vectors, from noisy second moments of the vectors and noisy sums of them for
each label, over all persons. Many persons also weigh single words; few have fewer coordinates (``word_weights``). A
person's part of each sum is at most as long as that of one document. Every choice is made by public facts and noisy
numbers: the ridge is the largest eigenvalue that the noise alone has.

Proof: privacy/proofs/corpus_learn.md.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.aggregates import word_weights
from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.classifier import PROOF, RELEASE, Learned, TextClassifier
from textveil.aggregates.features import MODEL_NORM, PublicFeatures, public_transform
from textveil.aggregates.parts import Parts
from textveil.aggregates.payment import Fact, Paid, Selection, budget_of_labels, paid_labels
from textveil.aggregates.person_words import GatheredVectors, PersonVectors
from textveil.aggregates.report import AggregateReport
from textveil.aggregates.request import Batch, CorpusRequest
from textveil.aggregates.word_weights import signal_of
from textveil.errors import need
from textveil.numerics.discrete_noise import LARGEST_SIGMA, DiscreteGaussian
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import Unit
from textveil.types import Integers, Reals

_STEP: Final = 1 - 2**-10
"""By how much a person's vectors shrink again if rounding has made their second moments too long."""

_BLOCK: Final = 8192
Whole: TypeAlias = NDArray[np.integer[Any]]
"""Whole numbers of any size; vectors of documents fit in 16 bits."""


class Moments(NamedTuple):
    """Sums over persons, int64."""

    second: Integers  # of products of coordinates, shape (dim, dim)
    cross: Integers  # of vectors for each label, shape (dim, labels)


def moments(parts: Iterable[PersonVectors], dim: int, labels: int, norm: int) -> Moments:
    """Add up what persons contribute.

    ``parts``: each person is in one of them alone; ``norm``: bound on the vectors' norms, at most 2^12.
    """
    total = Moments(np.zeros((dim, dim), np.int64), np.zeros((dim, labels), np.int64))
    for part in parts:
        order = np.argsort(part.persons, kind="stable")
        starts = np.flatnonzero(np.diff(part.persons[order], prepend=-1))
        sizes = np.diff(np.append(starts, len(order)))
        single = order[starts[sizes == 1]]
        _add_sums(total.cross, part.vectors[single], part.labels[single])
        several = order[np.repeat(sizes > 1, sizes)]
        shrunk = part.vectors[several]
        for stop, size in zip(np.cumsum(sizes[sizes > 1]).tolist(), sizes[sizes > 1].tolist(), strict=True):
            of_person = slice(stop - size, stop)
            total.cross[:] += bounded_sums(shrunk[of_person], part.labels[several[of_person]], labels, norm)
            shrunk[of_person] = bounded_vectors(shrunk[of_person], norm)
        _add_products(total.second, part.vectors[single])
        _add_products(total.second, shrunk)
    return total


def bounded_sums(vectors: Whole, numbers: Integers, labels: int, norm: int) -> Integers:
    """One person's sums of vectors for each label, of at most ``norm`` in L2 norm; shape (dim, labels)."""
    cross = np.zeros((vectors.shape[1], labels), np.int64)
    _add_sums(cross, vectors, numbers)
    return word_weights.shortened(cross, norm)


def bounded_vectors(vectors: Whole, norm: int) -> Whole:
    """A person's vectors, so short that their second moments are at most norm^2 in Frobenius norm."""
    limit = float(norm**4)
    shrunk, length = vectors, _squared_frobenius(vectors)
    factor = 1.0 if length <= limit else (limit / length) ** 0.25
    # Whole numbers up to 2^48 are exact in a float, so this comparison is exact where it holds.
    while length > limit:
        shrunk = np.rint(vectors * factor).astype(np.int64)
        length = _squared_frobenius(shrunk)
        factor *= _STEP
    return shrunk


def _squared_frobenius(vectors: Whole) -> float:
    """Square of the Frobenius norm of second moments, from the smaller of the two products; exact up to 2^53."""
    count, dim = vectors.shape
    return float(np.square(_exact(vectors.T) if count < dim else _exact(vectors)).sum())


def _exact(rows: Whole) -> Reals:
    """rows^T rows in floats, exact for entries up to 2^53."""
    real = rows.astype(np.float64)
    return np.asarray(real.T @ real)


def _add_products(second: Integers, vectors: Whole) -> None:
    for first in range(0, len(vectors), _BLOCK):
        second += _exact(vectors[first : first + _BLOCK]).astype(np.int64)


def _add_sums(cross: Integers, vectors: Whole, numbers: Integers) -> None:
    np.add.at(cross.T, numbers, vectors)


REGRESSION: Final = "regression"  # name of the method in reports

_FINEST, _COARSEST = 12, 4
"""Powers of two between which the norm of documents' vectors lies, in parts of the grid."""


class Noise(NamedTuple):
    """Noise on the sums, and the grid that they are held on."""

    norm: int  # bound on a person's vectors: 1 is ``norm`` parts, for second moments its square
    diagonal: DiscreteGaussian  # on the diagonal of second moments
    beside: DiscreteGaussian  # on the other half, whose cells count twice
    cross: DiscreteGaussian  # on the sums for each label


class Noises(NamedTuple):
    """All noise that a release may draw, made before it is paid for: too small an epsilon is refused for nothing."""

    alone: Noise  # where words have no weights
    words: tuple[Noise, word_weights.WordNoise] | None  # where they have; None is too large to be drawn
    counted: DiscreteGaussian | None  # on the number of persons; None is not adapted to it

    @classmethod
    def of(cls, budget: GaussianBudget, share: Fraction, *, adapted: bool) -> "Noises":
        """Noises that take this share of the budget, whichever are drawn; raises as ``GaussianBudget.noise``."""
        if not adapted:
            return cls(_noise(budget, share / 2, share / 2), None, None)
        words = word_weights.WordNoise.of(budget, share)
        return cls(
            _noise(budget, share * word_weights.SECOND_ALONE, share * word_weights.CROSS_ALONE),
            None if words is None else (_noise(budget, share * word_weights.SECOND, share * word_weights.CROSS), words),
            budget.noise(word_weights.COUNTED**2, word_weights.COUNT * share),
        )


@dataclass(frozen=True, kw_only=True)
class ReleasedMoments:
    """Noisy sums of a corpus, and what they are made from; only ``persons`` is private."""

    budget: GaussianBudget
    request: CorpusRequest
    labels: tuple[str, ...]  # in the order of columns
    features: PublicFeatures  # how documents were read
    noise: Noise
    moments: Moments  # with noise, in parts of the grid
    weights: tuple[Reals, Reals] | None  # of vectors and of words, where words pay
    word_noise: word_weights.WordNoise | None  # on what they are made from
    counted: DiscreteGaussian | None  # noise on the number of persons, if it was asked for
    selection: Selection | None  # of labels that are not public
    persons: int  # how many wrote the records: private
    drawing: Paid = field(repr=False)  # has the randomness: what is chosen by the sums is drawn from it too

    @property
    def ridge(self) -> float:
        """About the largest eigenvalue of the noise on second moments, if documents have norm 1."""
        return self.noise.diagonal.sigma / self.noise.norm**2 * math.sqrt(2 * self.features.dim)

    def report(
        self,
        release: str,
        guarantee: Guarantee,
        public: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> AggregateReport:
        """The report of what was made from the sums alone, and from public facts.

        ``guarantee``: of the budget, asked for by the module whose release it is; ``public``: further public facts;
        ``facts``: further numbers that are noisy, or made of noisy ones.
        """
        words, counted, selection = self.word_noise, self.counted, self.selection
        return AggregateReport(
            release=release,
            paid=self.drawing,
            guarantee=guarantee,
            selections=self.budget.selections,
            public={
                "vocabulary": self.features.vocabulary.name,
                "labels": "given" if self.request.public_labels else "selected",
                **(public or {}),
            },
            bounded={
                "records per person": self.request.records.limit,
                "a person's second moments (Frobenius norm)": 1,
                "a person's sums for each label (L2 norm)": 1,
                **({} if selection is None else {"a person's labels (L2 norm)": 1}),
                **(
                    {}
                    if counted is None
                    else {"a person in the number of persons": word_weights.COUNTED / word_weights.PARTS}
                ),
                **({} if words is None else {"a person's words (L2 norm)": 1}),
                **(
                    {}
                    if words is None
                    else {"a person's sums in each round for words (L2 norm)": word_weights.LONGEST / word_weights.ONE}
                ),
            },
            noise={
                "second moments": self.noise.diagonal.sigma / self.noise.norm**2,
                "sums for each label": self.noise.cross.sigma / self.noise.norm,
                **({} if selection is None else {"labels": selection.noise.sigma / GRID}),
                **({} if counted is None else {"number of persons": counted.sigma / word_weights.PARTS}),
                **({} if words is None else {"sums of words": words.words.sigma / word_weights.WORD_NORM}),
                **(
                    {}
                    if words is None
                    else {"each round for words": words.round.sigma / (word_weights.NORM * word_weights.ONE)}
                ),
            },
            facts={"labels": len(self.labels), "coordinates": self.features.dim, **(facts or {})},
        )


def learn(request: CorpusRequest) -> Learned:
    """Learn to tell the labels of texts.

    ``request``: its records have labels; they are read twice.

    Raises:
        InputError: a record cannot be read; no label is used by enough persons.
        ParameterError: a number is outside, or the records have no labels.
        BudgetExhausted: a person's budget does not reach.
    """
    need(request.records.labelled, "label", "none", "given")
    released = released_moments(request, adapted=True)
    guarantee = released.budget.guarantee(request.records.adjacency, PROOF)
    method = {"method": REGRESSION, "words": "weighed" if released.weights else "in vectors alone"}
    report = released.report(RELEASE, guarantee, method)
    weights, words = released.weights or (regression(released), None)
    model = TextClassifier(
        released.labels,
        weights.astype(np.float32),
        released.features,
        report.to_data(),
        None if words is None else words.astype(np.float32),
    )
    return Learned(model, released.persons)


def released_moments(request: CorpusRequest, *, adapted: bool = False) -> ReleasedMoments:
    """Return the noisy sums alone; raises as ``learn``.

    ``adapted``: read fewer coordinates or single words, as a noisy number of persons tells.
    """
    budget, share = budget_of_labels(request)
    guarantee = budget.guarantee(request.records.adjacency, PROOF)
    features = PublicFeatures(request.words, public_transform(request.words))
    noises = Noises.of(budget, share, adapted=adapted)
    settings: list[Fact] = [REGRESSION, repr(noises), features.digest, adapted]
    with paid_labels(request, budget, guarantee, settings) as paid:
        noise, word_noise = noises.alone, None
        labels = len(paid.labels)
        read: _Reading = partial(_vectors, labels=paid.labels, features=features, counted=adapted)
        parts: Parts[Any] = request.parts
        if adapted or request.records.adjacency.unit is not Unit.DOCUMENT:
            parts, read = parts.kept(partial(_gathered, read=read, dim=features.dim)), iter
        if noises.counted is not None:
            persons = parts.total(_counted)
            signal = signal_of(persons, budget, noises.counted, paid.drawing.rng)
            if noises.words is not None and word_weights.words_pay(signal, labels):
                noise, word_noise = noises.words
            else:
                features = PublicFeatures(
                    request.words, public_transform(request.words, word_weights.coordinates(signal, request.words.dim))
                )
                read = partial(_read_again, features=features)
        sums = parts.total(partial(_sums, read=read, dim=features.dim, labels=labels, norm=noise.norm))
        released = ReleasedMoments(
            budget=budget,
            request=request,
            labels=paid.labels,
            features=features,
            noise=noise,
            moments=_drawn(sums, noise, paid.drawing.rng),
            weights=None,
            word_noise=word_noise,
            counted=noises.counted,
            selection=paid.selection,
            persons=paid.persons,
            drawing=paid.drawing,
        )
        if word_noise is None:
            return released
        second = released.moments.second / noise.norm**2
        rng = paid.drawing.rng
        weights = word_weights.refined(parts, features, regression(released), second, released.ridge, word_noise, rng)
        return replace(released, weights=weights)


def _noise(budget: GaussianBudget, second: Fraction, cross: Fraction) -> Noise:
    coarse = budget.noise(2 ** (4 * _COARSEST), second).sigma
    bits = _COARSEST
    while bits < _FINEST and coarse * 4 ** (bits + 1 - _COARSEST) <= LARGEST_SIGMA // 2:
        bits += 1
    norm = 2**bits
    return Noise(
        norm, budget.noise(norm**4, second), budget.noise(Fraction(norm**4, 2), second), budget.noise(norm**2, cross)
    )


_Reading: TypeAlias = Callable[[Any], Iterable[PersonVectors]]


def _vectors(
    batches: Iterable[Batch], labels: tuple[str, ...], features: PublicFeatures, *, counted: bool
) -> Iterator[PersonVectors]:
    """Documents of persons, vectors of norm ``MODEL_NORM``; with ``counted``, their words too."""
    numbers = {label: number for number, label in enumerate(labels)}
    for batch in batches:
        rows = [row for row, label in enumerate(batch.labels) if label in numbers]
        if rows:
            counts = features.counts([batch.texts[row] for row in rows])
            vectors = features.vectors_of(counts, MODEL_NORM).astype(np.int16)
            codes = np.array([numbers[batch.labels[row]] for row in rows], dtype=np.int64)
            yield PersonVectors(batch.persons[rows], vectors, codes, counts if counted else None)


def _gathered(batches: Iterable[Batch], read: _Reading, dim: int) -> GatheredVectors:
    return GatheredVectors(read(batches), dim)


def _counted(held: GatheredVectors) -> int:
    return word_weights.counted_persons(held.documents)


def _sums(held: Any, read: _Reading, dim: int, labels: int, norm: int) -> Moments:
    return moments((_scaled(part, norm) for part in read(held)), dim, labels, norm)


def _read_again(parts: Iterable[PersonVectors], features: PublicFeatures) -> Iterator[PersonVectors]:
    """Yield the same documents with vectors of other features."""
    for part in parts:
        if part.counts is not None:
            yield part._replace(vectors=features.vectors_of(part.counts, MODEL_NORM))


def _scaled(part: PersonVectors, norm: int) -> PersonVectors:
    """Vectors of norm ``MODEL_NORM`` as vectors of a smaller norm."""
    return part._replace(vectors=np.sign(part.vectors) * (np.abs(part.vectors) // (MODEL_NORM // norm)))


def _drawn(sums: Moments, noise: Noise, rng: np.random.Generator) -> Moments:
    """The sums with noise: on the upper half of second moments, which the lower one repeats."""
    dim, labels = sums.cross.shape
    upper = np.triu_indices(dim, 1)
    second: Integers = np.zeros((dim, dim), np.int64)
    second[upper] = sums.second[upper] + noise.beside.sample(len(upper[0]), rng)
    second += second.T
    second[np.diag_indices(dim)] = np.diag(sums.second) + noise.diagonal.sample(dim, rng)
    return Moments(second, sums.cross + noise.cross.sample(dim * labels, rng).reshape(dim, labels))


def regression(released: ReleasedMoments, background: Reals | None = None) -> Reals:
    """Weights of each label, shape (dim, labels), if documents have norm 1.

    A symmetric matrix of noise has eigenvalues up to about sigma sqrt(2 dim), sigma that of its diagonal: smaller ones
    are noise. Negative eigenvalues become 0; then this ridge is added to all. ``background``: second moments of public
    documents without a label, summed up; None is none.
    """
    norm = released.noise.norm
    values, directions = np.linalg.eigh(released.moments.second / norm**2)
    second = (directions * (np.maximum(values, 0) + released.ridge)) @ directions.T
    return np.linalg.solve(second if background is None else second + background, released.moments.cross / norm)
