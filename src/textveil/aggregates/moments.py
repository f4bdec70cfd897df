"""What one person adds to the sums that a classifier is learned from, bounded in integers.

Two sums over all persons: second moments of their documents' vectors, and sums of these vectors for each label. A
person's part of each is at most as long as that of one document: it is scaled down where it is longer, by what the
person wrote alone. Proof: privacy/proofs/corpus_learn.md.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from textveil.aggregates.spill import Spill, by_person, whole_persons
from textveil.types import Integers, Reals

_STEP: Final = 1 - 2**-10
"""By how much a person's vectors shrink again where rounding has made their second moments too long."""

_BLOCK: Final = 8192


class Moments(NamedTuple):
    """Sums over persons, int64.

    Attributes:
        second: of products of coordinates, shape (dim, dim).
        cross: of vectors for each label, shape (dim, labels).
    """

    second: Integers
    cross: Integers


class PersonVectors(NamedTuple):
    """Documents of some persons.

    Attributes:
        persons: number of each document's person, shape (count,).
        vectors: with an L2 norm of at most ``norm``, whole, shape (count, dim).
        labels: number of each document's label, shape (count,).
    """

    persons: Integers
    vectors: Integers
    labels: Integers


def moments(parts: Iterable[PersonVectors], dim: int, labels: int, norm: int) -> Moments:
    """Add up what persons contribute.

    Args:
        parts: each person is in one of them alone.
        norm: bound on the vectors' norms, at most 2^12.
    """
    total = Moments(np.zeros((dim, dim), np.int64), np.zeros((dim, labels), np.int64))
    for part in parts:
        order = np.argsort(part.persons, kind="stable")
        starts = np.flatnonzero(np.diff(part.persons[order], prepend=-1))
        sizes = np.diff(np.append(starts, len(order)))
        single = order[starts[sizes == 1]]
        _add(total, part.vectors[single], part.labels[single])
        for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
            rows = order[start : start + size]
            person_moments = contribution(part.vectors[rows], part.labels[rows], labels, norm)
            total.second[:] += person_moments.second
            total.cross[:] += person_moments.cross
    return total


def contribution(vectors: Integers, numbers: Integers, labels: int, norm: int) -> Moments:
    """What one person adds: second moments of at most norm^2 in Frobenius norm, sums of at most ``norm`` in L2.

    Args:
        vectors: of the person's documents, shape (count, dim).
    """
    cross = np.zeros((vectors.shape[1], labels), np.int64)
    np.add.at(cross.T, numbers, vectors)
    square = int(np.square(cross.astype(object)).sum())
    if square > norm * norm:
        length = math.isqrt(square - 1) + 1
        cross = np.sign(cross) * (np.abs(cross) * norm // length)
    return Moments(_product(_shrunk(vectors, norm)), cross)


def _shrunk(vectors: Integers, norm: int) -> Integers:
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


def _squared_frobenius(vectors: Integers) -> float:
    """Square of the Frobenius norm of second moments, from the smaller of the two products; exact up to 2^53."""
    count, dim = vectors.shape
    return float(np.square(_exact(vectors.T) if count < dim else _exact(vectors)).sum())


def _exact(rows: Integers) -> Reals:
    """rows^T rows in floats, exact for entries up to 2^53."""
    real = rows.astype(np.float64)
    return np.asarray(real.T @ real)


def _product(vectors: Integers) -> Integers:
    return _exact(vectors).astype(np.int64)


def _add(total: Moments, vectors: Integers, numbers: Integers) -> None:
    for first in range(0, len(vectors), _BLOCK):
        part = slice(first, first + _BLOCK)
        total.second[:] += _product(vectors[part])
        np.add.at(total.cross.T, numbers[part], vectors[part])


def gathered(parts: Iterable[PersonVectors], dim: int) -> Iterator[PersonVectors]:
    """All documents of a person in one part; two bytes a coordinate are held on the disk."""
    held, columns = Spill(np.int16), [np.empty((2, 0), np.int32)]
    for part in parts:
        held.append(part.vectors)
        columns.append(np.array([part.persons, part.labels], dtype=np.int32))
    persons, labels = np.concatenate(columns, axis=1)
    lengths = np.full(persons.size, dim)
    held, order = by_person(held, lengths, persons)
    persons, labels = persons[order], labels[order]
    for records, numbers in whole_persons(lengths, persons, _BLOCK * dim):
        yield PersonVectors(persons[records], held[numbers].reshape(-1, dim), labels[records])
