"""What one person adds is bounded, exactly, and does not change what others add."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.aggregates.features import PublicFeatures, public_transform
from textveil.aggregates.learning import bounded_sums, bounded_vectors, moments
from textveil.aggregates.person_words import PersonVectors
from textveil.types import Integers
from textveil.vocabulary.vocabulary import Vocabulary

VOCABULARY = lettered_vocabulary(40, dim=3)
FEATURES = PublicFeatures(VOCABULARY, public_transform(VOCABULARY))
NORM = 2**6


def _square(array: Integers) -> int:
    return sum(value * value for value in array.ravel().tolist())


def test_vectors_depend_on_their_own_document_and_are_bounded() -> None:
    words = VOCABULARY.words
    texts = [" ".join(words[: 1 + k % 30]) for k in range(60)] + ["", "1 2 3", "zzzzqqqq", words[3] * 2000]
    together = FEATURES.vectors(texts, NORM)
    alone = np.vstack([FEATURES.vectors([text], NORM) for text in texts])
    assert np.array_equal(together, alone) and together.dtype == np.int64
    assert all(_square(row) <= NORM * NORM for row in together)
    assert max(_square(row) for row in together) > 0.9 * NORM * NORM
    assert np.all(together[:, -1] == NORM // 4)


def test_a_document_too_long_for_64_bits_keeps_its_direction() -> None:
    words = " ".join(VOCABULARY.words[:2])
    long, short = FEATURES.vectors([f"{words} " * 5000, words], 2**12)
    assert np.abs(long - short).max() <= 1


def test_a_document_of_many_coordinates_keeps_its_norm() -> None:
    """Squares of 4,096 sums of 26 bits do not fit into 64 bits."""
    signs = np.where(np.arange(4096) % 3, np.float32(1), np.float32(-1))
    features = PublicFeatures(
        Vocabulary(["wa", "wb"], np.vstack([signs, -signs]), "made"), np.eye(4096, dtype=np.float32)
    )
    for row in features.vectors(["wa " * 255, "wb " * 255], 2**12):
        assert 0.9 * 2**24 < _square(row) <= 2**24


def test_roots_are_rounded_up_exactly() -> None:
    from textveil.aggregates.features import roots_up

    roots = np.array([0, 1, 2, 3, 10**6, 2**30 - 1, 2**30, 2**31 - 2])
    squares = np.concatenate([roots**2, roots**2 + 1])
    assert roots_up(squares).tolist() == [*roots.tolist(), *(roots + 1).tolist()]
    assert roots_up(np.array([2**62 - 1])).tolist() == [2**31]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 60])
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
def test_a_person_adds_no_more_than_one_document_can(count: int, alike: float) -> None:
    rng = np.random.default_rng(count)
    for _ in range(20):
        real = rng.normal(size=(count, 5)) * (1 - alike) + alike
        vectors = np.trunc(real / np.linalg.norm(real, axis=1, keepdims=True) * NORM).astype(np.int64)
        added = moments([PersonVectors(np.zeros(count, np.int64), vectors, rng.integers(0, 3, count))], 5, 3, NORM)
        assert _square(added.second) <= NORM**4 and _square(added.cross) <= NORM**2
        if count > 2 and alike < 1:  # and nearly as much; numbers this small are too coarse for equal rows
            assert _square(added.second) > 0.8 * NORM**4
        assert np.array_equal(added.second, added.second.T)


def test_every_neighbor_of_all_small_corpora_is_within_the_bound() -> None:
    """Brute force: all corpora of three persons, with one or two of four documents each and two labels."""
    documents = list(product(FEATURES.vectors(list(VOCABULARY.words[:2]), NORM), range(2)))
    choices = [[one] for one in range(4)] + [list(pair) for pair in combinations_with_replacement(range(4), 2)]

    def total(corpus: tuple[list[int], ...]) -> tuple[Integers, Integers]:
        persons = np.array([number for number, held in enumerate(corpus) for _ in held], dtype=np.int64)
        rows = [documents[one] for held in corpus for one in held]
        vectors = np.array([vector for vector, _ in rows]).reshape(len(rows), FEATURES.dim)
        part = PersonVectors(persons, vectors, np.array([label for _, label in rows], dtype=np.int64))
        return moments([part], FEATURES.dim, 2, NORM)

    largest = [0, 0]
    for corpus in combinations_with_replacement(choices, 3):
        whole = total(corpus)
        for left_out in range(3):
            rest = total(tuple(held for number, held in enumerate(corpus) if number != left_out))
            moved = [_square(a - b) for a, b in zip(whole, rest, strict=True)]
            largest = [max(a, b) for a, b in zip(largest, moved, strict=True)]
    assert 0.9 * NORM**4 < largest[0] <= NORM**4
    assert 0.9 * NORM**2 < largest[1] <= NORM**2


def test_persons_are_gathered_wherever_their_documents_stand() -> None:
    rng = np.random.default_rng(1)
    vectors = rng.integers(-20, 20, (40, 4))
    persons, labels = rng.integers(0, 12, 40), rng.integers(0, 2, 40)
    got = moments([PersonVectors(persons, vectors, labels)], 4, 2, NORM)
    wanted_second, wanted_cross = np.zeros((4, 4), np.int64), np.zeros((4, 2), np.int64)
    for who in np.unique(persons):
        own = persons == who
        shrunk = bounded_vectors(vectors[own], NORM)
        wanted_second += shrunk.T @ shrunk
        wanted_cross += bounded_sums(vectors[own], labels[own], 2, NORM)
    assert np.array_equal(got.second, wanted_second) and np.array_equal(got.cross, wanted_cross)
