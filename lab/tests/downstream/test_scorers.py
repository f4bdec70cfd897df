"""What became of words: all of them stay in texts as they are, and more of them at a larger epsilon."""

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import word_mechanism
from textveil_lab.downstream.scorers import COSINE, UNCHANGED, word_scorer
from textveil_lab.frontiers.downstream.measured import measured
from textveil_lab.frontiers.downstream.tasks import LabelledPart, LabelledTask, Repetition
from textveil_lab.vocabulary.documents import Documents

VOCABULARY = made_vocabulary(60, 12, seed=5)


def _part(rng: np.random.Generator) -> LabelledPart:
    return LabelledPart(Documents(rng.integers(0, 60, size=1200), np.arange(201) * 6), np.arange(200) % 2)


def test_more_epsilon_keeps_more_words_and_all_of_their_cosine() -> None:
    rng = np.random.default_rng(3)
    task = LabelledTask(name="made", classes=2, runs=tuple(Repetition(_part(rng), _part(rng)) for _ in range(3)))
    loose, tight = (
        measured(word_mechanism("randomized-response", VOCABULARY, epsilon=epsilon), task, [word_scorer(VOCABULARY)], 1)
        for epsilon in (9.0, 0.1)
    )
    plain = measured(None, task, [word_scorer(VOCABULARY)], 1)
    assert plain.bound(COSINE).estimate == pytest.approx(1) and plain.bound(UNCHANGED).estimate == 1
    for score in (COSINE, UNCHANGED):
        assert loose.lead(score, tight).lower > 0, score
