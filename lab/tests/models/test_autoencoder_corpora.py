"""Texts as sentences of ids and back."""

import numpy as np
import pytest

from textveil.errors import InputError, ParameterError
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.autoencoder.corpora import common_words, drawn_vectors, sentences_of

WORDS = ["the", "cat", "dog", "sat", "n't", ".", "did"]
VOCABULARY = Vocabulary(WORDS, np.arange(21, dtype=np.float32).reshape(7, 3), "seven")


def words(sentences: list[np.ndarray]) -> list[list[str]]:
    return [[WORDS[one] for one in ids] for ids in sentences]


def test_a_text_is_cut_at_the_ends_of_sentences_and_at_the_length() -> None:
    found = sentences_of(["The cat sat. The dog!", "", "12", "dogs sat the cat the dog"], VOCABULARY, length=4)
    assert words(found.sentences) == [
        ["the", "cat", "sat"],
        ["the", "dog"],
        ["dog", "sat", "the", "cat"],
        ["the", "dog"],
    ]
    assert found.texts.tolist() == [0, 0, 3, 3]
    assert found.written(found.sentences, VOCABULARY) == [
        "the cat sat the dog",
        "",
        "",
        "dog sat the cat the dog",
    ]


def test_tokens_between_spaces_are_words_where_the_vocabulary_has_them() -> None:
    found = sentences_of(["the cat did n't sit . _num_ $"], VOCABULARY, tokenized=True)
    assert words(found.sentences) == [["the", "cat", "did", "n't", "sat", "."]]


def test_as_many_sentences_are_written_as_were_read() -> None:
    with pytest.raises(ParameterError, match="sentences must be 1, one for each; got 0"):
        sentences_of(["cat"], VOCABULARY).written([], VOCABULARY)


def test_common_words_are_the_most_frequent_with_their_vectors() -> None:
    found = common_words(["The dog sat.", "the dog", "The unknown"], VOCABULARY, 2)
    assert found.words == ("the", "dog")
    assert found.vectors.tolist() == VOCABULARY.vectors[[0, 2]].tolist()
    with pytest.raises(InputError, match="must hold 2 words of the vocabulary; got 0"):
        common_words(["12"], VOCABULARY, 2)


def test_drawn_vectors_are_of_the_same_words_and_of_their_seed() -> None:
    one, again, other = (drawn_vectors(VOCABULARY, seed=seed) for seed in (1, 1, 2))
    assert one.words == VOCABULARY.words
    assert one.digest == again.digest != other.digest
    assert 0.05 < np.abs(one.vectors).max() <= np.float32(0.1)
    assert drawn_vectors(VOCABULARY, seed=1, dim=5).dim == 5
