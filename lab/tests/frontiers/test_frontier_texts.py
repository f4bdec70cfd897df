"""The frontier on public texts: told apart, decoded, learned from."""

import numpy as np
import pytest
from tests.helpers.vocabularies import lettered_vocabulary

import textveil as tv
from textveil.errors import InputError, ParameterError
from textveil.models.ngram import embedded_language_model
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.frontiers.corpus import OfFirstWords, model_of, public_texts
from textveil_lab.frontiers.measures import ACCURACY_RELEASES, ACCURACY_TEXTS, RECOVERED, RECOVERED_ALONE, UNCHANGED
from textveil_lab.frontiers.study import Sizes, study_of, text_pairs, windows
from textveil_lab.frontiers.word_scores import recovery_scores

SMALL = Sizes(draws=100, neighbors=5, pairs=50, texts=20, noisy=10)
WORDS = lettered_vocabulary(40)


def _labelled(count: int = 60) -> tuple[list[str], list[str]]:
    """Texts of two classes that use different halves of the vocabulary."""
    rng = np.random.default_rng(5)
    halves = (WORDS.words[:20], WORDS.words[20:])
    rows = [(" ".join(rng.choice(halves[n % 2], size=12)), "ab"[n % 2]) for n in range(count)]
    return [text for text, _ in rows], [label for _, label in rows]


def test_a_task_is_learned_from_releases_and_the_clean_one_is_a_line():
    texts, labels = _labelled()
    found = tv.frontier(["randomized-response"], WORDS, epsilons=[0.1, 12.0], texts=texts, labels=labels, sizes=SMALL)
    noisy, faithful = (one.scores[ACCURACY_TEXTS].estimate for one in found.points)
    assert found.baselines[ACCURACY_TEXTS].estimate > 0.9
    assert faithful > 0.9 and noisy < 0.8
    assert (1 / 2, "guessing") in found.levels(ACCURACY_RELEASES)


def test_texts_that_are_told_apart_are_those_given():
    texts, _ = _labelled()
    read = public_texts(WORDS, texts)
    study = study_of(WORDS, sizes=SMALL, texts=read)
    pool = {tuple(row) for row in windows(read.words, 10).tolist()}
    first, second = text_pairs(study)
    assert {tuple(row) for row in np.concatenate([first, second]).tolist()} <= pool
    assert len(pool) == len(texts)  # of twelve words one window of ten fits
    assert (first != second).any(axis=1).all()


def test_a_change_of_text_is_another_setting(tmp_path):
    texts, labels = _labelled()
    options = {"epsilons": [1.0], "sizes": SMALL, "cells": tmp_path / "cells"}
    tv.frontier(["randomized-response"], WORDS, texts=texts, **options)
    with pytest.raises(ParameterError, match="texts"):
        tv.frontier(["randomized-response"], WORDS, texts=texts[1:], **options)
    with pytest.raises(ParameterError, match="texts"):
        tv.frontier(["randomized-response"], WORDS, texts=texts, labels=labels, **options)


def test_the_decoder_reads_texts_in_the_first_embedded_words():
    words = first_words(tv.load_vocabulary(), 300)
    text = "the first of the two was in the city and it had been there for a long time"
    study = study_of(words, sizes=SMALL, texts=public_texts(words, [text] * 12))
    mechanism = tv.mechanism("neighborhood", words, epsilon=6.0)
    found = recovery_scores(study, mechanism, 1)
    assert set(found) == {RECOVERED, RECOVERED_ALONE}
    assert found[RECOVERED].estimate > 0.3
    assert recovery_scores(study, tv.mechanism("gaussian", words, epsilon=6.0), 1) == {}
    assert model_of(WORDS) is None


def test_a_model_of_first_words_says_what_the_whole_one_says():
    whole = embedded_language_model()
    part = OfFirstWords(whole, 300)
    asked = np.array([[5, 6, 7]])
    same = whole.log_probabilities(np.array([[whole.size, 9]]), asked)
    assert (part.log_probabilities(np.array([[300, 9]]), asked) == same).all()
    other = whole.log_probabilities(np.array([[9, whole.size + 1]]), asked)
    assert (part.log_probabilities(np.array([[9, 301]]), asked) == other).all()
    with pytest.raises(ParameterError):
        part.log_probabilities(np.array([[9, 9]]), np.array([[300]]))


def test_bad_texts_are_refused():
    texts, labels = _labelled()
    for given, message in (
        ({"texts": texts, "labels": labels[1:]}, "labels must be one for each of the 60 texts; got 59"),
        ({"labels": labels}, "labels must be given with texts"),
        ({"texts": texts[:1]}, "texts must be two or more; got 1"),
        ({"texts": "one text"}, "texts must be a list of texts; got one str"),
    ):
        with pytest.raises(ParameterError, match=message):
            tv.frontier(["randomized-response"], WORDS, sizes=SMALL, **given)
    with pytest.raises(InputError, match="two classes of at least 15 documents; got 1"):
        tv.frontier(["randomized-response"], WORDS, sizes=SMALL, texts=texts, labels=["a"] * 60)


def test_without_texts_nothing_is_read_from_them():
    found = tv.frontier(["randomized-response"], WORDS, epsilons=[1.0], sizes=SMALL)
    assert found.baselines == {} and UNCHANGED in found.measured and RECOVERED not in found.measured
