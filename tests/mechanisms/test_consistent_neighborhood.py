"""Consistent neighborhoods: exact rows after every past, the exact law of short documents, and draws that follow it."""

import itertools
import math
import pickle
from collections import deque
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.helpers.sequence_laws import joint_law, p_value
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.mechanisms.kinds import SequenceMechanism, TextMechanism, WordMechanism
from textveil.mechanisms.neighborhood import ConsistentNeighborhood, consistent_neighborhood, neighborhood
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ONE_TOKEN
from textveil.randomness import seeded_generator

ALPHA = 1e-6
SIZE = 5
WORDS = made_vocabulary(SIZE)
OPTIONS = [
    {"neighborhood_size": 2, "recent": 1, "copies": 1},
    {"neighborhood_size": 3, "recent": 2, "copies": 4},
    {"neighborhood_size": 5, "recent": 3, "copies": 2},
    {"neighborhood_size": 1, "recent": 1, "copies": 7},
]


def made(epsilon: float = 1.0, **options: int) -> ConsistentNeighborhood:
    return consistent_neighborhood(WORDS, epsilon=epsilon, **{**OPTIONS[1], **options})


def rows(mechanism: ConsistentNeighborhood, past: tuple[int, ...]) -> np.ndarray:
    """Integer weights of all words after ``past``."""
    return mechanism.integer_weights_after(np.array(past, dtype=np.int64), np.arange(SIZE))


def reference(mechanism: ConsistentNeighborhood, past: tuple[int, ...]) -> np.ndarray:
    """The same by lists of copies, one word at a time, from the page's own words."""
    kept: deque[int] = deque(maxlen=mechanism.recent)
    for word in past:
        if word not in kept:
            kept.append(word)
    count = [1 + mechanism.copies * (word in kept) for word in range(SIZE)]
    sets = neighborhood(WORDS, epsilon=1.0, neighborhood_size=mechanism.weights.members)
    inside, outside = mechanism.weights.inside, mechanism.weights.outside
    table = np.array([[one * outside for one in count] for _ in range(SIZE)], dtype=object)
    for x in range(SIZE):
        members = np.flatnonzero(sets.probabilities(x) == sets.probabilities(x).max()).tolist()
        order = sorted(members, key=lambda y: (y != x, y not in kept, y))
        for raised in [y for y in order for _ in range(count[y])][: len(members)]:
            table[x, raised] += inside - outside
    return table


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("epsilon", [0.3, 2.0, 9.0])
def test_every_row_after_every_past_keeps_epsilon_exactly(options: dict[str, int], epsilon: float) -> None:
    mechanism = made(epsilon, **options)
    bound = Fraction(mechanism.weights.inside, mechanism.weights.outside)
    assert math.log(bound) <= mechanism.guarantee.epsilon * (1 + 1e-12)
    for length in range(4):
        for past in itertools.product(range(SIZE), repeat=length):
            table = rows(mechanism, past).astype(object)
            assert (table == reference(mechanism, past)).all()
            assert len({int(total) for total in table.sum(axis=1)}) == 1
            assert max(Fraction(int(one), int(other)) for y in table.T for one in y for other in y) <= bound


def test_documents_that_differ_in_one_word_lose_epsilon_and_no_more() -> None:
    mechanism = made(1.0)
    bound = Fraction(mechanism.weights.inside, mechanism.weights.outside)
    laws = {document: joint_law(mechanism, document) for document in itertools.product(range(SIZE), repeat=2)}
    worst = {1: Fraction(0), 2: Fraction(0)}
    for one, other in itertools.permutations(laws, 2):
        differ = sum(a != b for a, b in zip(one, other, strict=True))
        worst[differ] = max(worst[differ], max(laws[one][y] / laws[other][y] for y in laws[one]))
    assert worst[1] == bound
    assert bound < worst[2] <= bound**2


@pytest.mark.parametrize("document", [(2, 2), (0, 3)])
def test_draws_follow_the_exact_law_whatever_stands_beside(document: tuple[int, ...]) -> None:
    """Alpha 1e-6; a law with one more copy of recent words, and one that forgets them, are told apart."""
    mechanism = made(1.5)
    law = joint_law(mechanism, document)
    assert p_value(mechanism, law, document, 40_000) > ALPHA
    assert p_value(mechanism, joint_law(made(1.5, copies=5), document), document, 40_000) < ALPHA
    assert p_value(made(1.5, recent=1, copies=1), law, document, 40_000) < ALPHA


def test_what_recurs_is_replaced_alike() -> None:
    words = made_vocabulary(500)
    count = 2000
    shares = []
    for copies in (1, 50):
        mechanism = consistent_neighborhood(words, epsilon=8.0, neighborhood_size=20, copies=copies)
        ids = np.tile([7, 3, 9, 7], count)
        drawn = mechanism.privatize_documents(ids, 4 * np.arange(count + 1), seeded_generator(5)).reshape(count, 4)
        shares.append(float((drawn[:, 0] == drawn[:, 3]).mean()))
    assert shares[0] < 0.2 < 0.6 < shares[1]


def test_the_protocols_tell_the_kinds_apart() -> None:
    mechanism: Any = made()
    assert isinstance(mechanism, SequenceMechanism)
    assert not isinstance(mechanism, WordMechanism) and not isinstance(mechanism, TextMechanism)
    assert mechanism.guarantee.status is Status.PROVED
    assert mechanism.guarantee.adjacency is ONE_TOKEN
    copy = pickle.loads(pickle.dumps(mechanism))
    assert (rows(copy, (1,)) == rows(mechanism, (1,))).all()


def test_documents_without_words_and_none_at_all() -> None:
    mechanism = made()
    assert mechanism.privatize_documents(np.empty(0, np.int64), np.array([0])).shape == (0,)
    assert mechanism.privatize_documents(np.empty(0, np.int64), np.array([0, 0, 0])).shape == (0,)
    many = mechanism.privatize_documents(np.zeros(2500, np.int64), np.arange(2501), seeded_generator(1))
    assert set(many.tolist()) == set(range(SIZE))


@pytest.mark.parametrize("bounds", [[0, 1], [1, 3], [0, 2, 1, 3], [[0, 3]], [0.0, 3.0], []])
def test_bounds_that_do_not_fit_are_refused(bounds: list[Any]) -> None:
    with pytest.raises(ParameterError, match="bounds"):
        made().privatize_documents(np.array([0, 1, 2]), np.array(bounds))


@pytest.mark.parametrize(
    "options",
    [
        {"neighborhood_size": 0},
        {"neighborhood_size": 6},
        {"recent": 0},
        {"copies": 0},
        {"recent": 1 << 30, "copies": 1 << 30},
    ],
)
def test_options_outside_their_domain_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ParameterError):
        made(1.0, **options)
