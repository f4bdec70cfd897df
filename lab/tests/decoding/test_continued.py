"""Proposals: the best successors by language and channel that a place does not have yet, each once."""

import numpy as np
from tests.helpers.language_models import BigramModel

from textveil_lab.decoding.lattice import KEPT, NONE, Continued, successors
from textveil_lab.mechanisms.sampling.output_columns import Columns

SIZE = 40
MODEL = BigramModel(np.random.default_rng(1).gamma(0.3, size=(SIZE, SIZE)) + 1e-6, np.ones(SIZE))


def test_successors_are_the_likeliest_words_after_each_id() -> None:
    found = successors(MODEL)
    assert found.words.shape == (SIZE + 2, KEPT)
    for row in range(SIZE + 2):
        wanted = np.argsort(-MODEL.table[row], kind="stable")[:KEPT]
        np.testing.assert_allclose(found.log_chances[row], MODEL.table[row, wanted], atol=1e-5)
        if row < SIZE:
            assert found.words[row].tolist() == wanted.tolist()


def test_proposals_are_the_best_that_are_not_known_each_once() -> None:
    rng = np.random.default_rng(2)
    ratios = np.where(rng.random((3, SIZE)) < 0.4, rng.gamma(2.0, size=(3, SIZE)), 0)
    column, inputs = np.nonzero(ratios)
    columns = Columns(np.searchsorted(column, np.arange(4)), inputs, ratios[column, inputs], np.zeros(3))
    share = rng.normal(size=SIZE).astype(np.float32)
    which = np.array([2, 0, 1, 1])
    propose = Continued(successors(MODEL), columns, which, share, 5, 0.7)
    at, before = np.array([3, 0, 1]), np.array([[4, 4], [7, 20], [SIZE, 3]])
    known = np.array([rng.permutation(SIZE)[:6] for _ in at], dtype=np.int32)
    found = propose(at, before, known)
    for row in range(3):
        scores: dict[int, float] = {}
        for one in before[row]:
            for word in np.argsort(-MODEL.table[one], kind="stable")[:KEPT].tolist():
                if word not in known[row]:
                    score = 0.7 * MODEL.table[one, word] + ratios[which[at[row]], word] + share[word]
                    scores[word] = max(scores.get(word, -np.inf), score)
        wanted = sorted(scores, key=lambda word: -scores[word])[:5]
        assert found.words[row].tolist() == wanted
        expected = ratios[which[at[row]], wanted] + share[wanted]
        np.testing.assert_allclose(found.log_ratios[row], expected, atol=1e-5)


def test_where_all_successors_are_known_nothing_is_proposed() -> None:
    columns = Columns(np.array([0, 0]), np.empty(0, np.int64), np.empty(0), np.zeros(1))
    propose = Continued(successors(MODEL), columns, np.array([0]), np.zeros(SIZE, np.float32), 3, 1.0)
    found = propose(np.array([0]), np.array([[5]]), np.arange(SIZE, dtype=np.int32)[None])
    assert found.words.tolist() == [[NONE] * 3]
