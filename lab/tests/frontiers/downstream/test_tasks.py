"""Labelled corpora: the cut into runs, and what is refused."""

from collections import Counter

import numpy as np
import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import InputError, ParameterError
from textveil_lab.frontiers.downstream.tasks import Corpus, Labelled, LabelledPart, shortened, task_of, with_ids
from textveil_lab.vocabulary.documents import Documents

WORDS = lettered_vocabulary(40, 3, seed=1).words


def _corpus(documents: int) -> Corpus:
    """Documents of two classes, each with a word of its own at its end."""
    texts = tuple(f"{WORDS[0]} {WORDS[1]} {WORDS[2 + place % 38]}" for place in range(documents))
    part = Labelled(texts, tuple(place % 2 for place in range(documents)))
    return Corpus(name="made", class_names=("even", "odd"), train=part, test=part)


def test_runs_share_no_document_and_hold_all_classes_alike() -> None:
    task = task_of(_corpus(38), WORDS, np.random.default_rng(1), runs=3, train=8, test=4, longest=9)
    for part in ("train", "test"):
        last = [getattr(run, part).documents.ids[2::3] for run in task.runs]
        assert len(np.unique(np.concatenate(last))) == sum(map(len, last))
        for run in task.runs:
            assert len(set(Counter(getattr(run, part).classes.tolist()).values())) == 1
    assert [len(run.train.classes) for run in task.runs] == [8, 8, 8]
    assert [len(run.test.classes) for run in task.runs] == [4, 4, 4]
    run = task.runs[0]
    assert np.array_equal((run.train.documents.ids[2::3] - 2) % 2, run.train.classes)


def test_documents_are_cut_to_their_first_words() -> None:
    documents = Documents(np.arange(6), np.array([0, 4, 4, 6]))
    cut = shortened(documents, 2)
    assert cut.ids.tolist() == [0, 1, 4, 5]
    assert cut.bounds.tolist() == [0, 2, 2, 4]


def test_other_words_stand_in_the_same_documents() -> None:
    part = LabelledPart(Documents(np.arange(3), np.array([0, 1, 3])), np.array([0, 1]))
    released = with_ids(part, np.array([7, 8, 9]))
    assert released.documents.ids.tolist() == [7, 8, 9]
    assert released.documents.bounds is part.documents.bounds


def test_too_few_documents_are_refused() -> None:
    with pytest.raises(InputError, match="the train part of made must have 15 documents of each class; got 10"):
        task_of(_corpus(20), WORDS, np.random.default_rng(1), runs=3, train=10, test=2, longest=9)
    with pytest.raises(ParameterError, match="runs must be >= 2"):
        task_of(_corpus(20), WORDS, np.random.default_rng(1), runs=1, train=4, test=2, longest=9)
