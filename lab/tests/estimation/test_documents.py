"""Documents as classifiers read them."""

import numpy as np
import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import InputError, ParameterError
from textveil_lab.vocabulary.documents import DocumentReader

WORDS = lettered_vocabulary(30).words


def test_releases_texts_and_ids_are_read_alike() -> None:
    reader = DocumentReader(WORDS)
    texts = [f"{WORDS[3].capitalize()} {WORDS[1]}, {WORDS[3]}!", "", f"12 {WORDS[7]}"]
    released, clean = reader.words(texts, clean=False), reader.words(texts, clean=True)
    ids = reader.words([[3, 1, 3], [], [7]], clean=False)
    for found in (released, clean, ids):
        assert found.ids.tolist() == [3, 1, 3, 7]
        assert found.bounds.tolist() == [0, 3, 3, 4]
    assert released.counts(30)[[1, 3, 7]].tolist() == [1, 2, 1]
    assert released.class_counts(np.array([1, 0, 0]), 2, 30)[[1, 3, 7]].tolist() == [[0, 1], [0, 2], [1, 0]]
    assert reader.words([], clean=False).bounds.tolist() == [0]


def test_unknown_words_are_read_in_clean_texts_alone() -> None:
    reader = DocumentReader(WORDS)
    assert len(reader.words(["waax never"], clean=True).ids) == 2
    with pytest.raises(InputError, match="document 2 must be a release"):
        reader.words([WORDS[0], "never"], clean=False)


def test_marks_show_what_is_public_and_no_word() -> None:
    (signs,) = DocumentReader(WORDS).marks([f"{WORDS[3]} {WORDS[4]} (1,234) [email]\nnever."])
    assert signs == ["<", "w", "w", "(", "0,000", ")", "[", "email", "]", "\n", "w", ".", ">"]
    assert DocumentReader(WORDS).marks([[1, 2]]) == [["w", "w"]]
    assert DocumentReader(WORDS).marks([f"{WORDS[3]} 12"]) == DocumentReader(WORDS).marks([f"{WORDS[9]} 98"])


@pytest.mark.parametrize("bad", ["one text", 7, [WORDS[0], [1]], [[0.5]], [[[1]]], [[30]], [[-1]], [None]])
def test_what_is_no_document(bad) -> None:
    with pytest.raises(ParameterError) as caught:
        DocumentReader(WORDS).words(bad, clean=False)
    assert "\n" not in str(caught.value)
