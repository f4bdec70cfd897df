"""Releases read back: words by id, public codes for all else, other words refused."""

import numpy as np
import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import InputError, ParameterError
from textveil.mechanisms.neighborhood import neighborhood
from textveil.sanitize.sanitizer import Sanitizer
from textveil_lab.vocabulary.documents import GAP, OTHER, SENTENCE_END, UNKNOWN, ReleaseReader

WORDS = ["the", "cat", "monday", "O'Brien", "email", "US", "us"]


def test_tokens_are_words_by_id_and_public_codes() -> None:
    read = ReleaseReader(WORDS).read(["The cat, Monday. O'Brien\n12 [email] email [x]", "", "US us Us 3.5! dog"])
    assert "".join(read.surfaces[: read.bounds[1]]) == "The cat, Monday. O'Brien\n12 [email] email [x]"
    first = read.codes[: read.bounds[1]]
    assert first.tolist() == [
        *[0, GAP, 1, GAP, GAP, 2, SENTENCE_END, GAP, 3, SENTENCE_END, OTHER, GAP],
        *[GAP, OTHER, GAP, GAP, 4, GAP, GAP, UNKNOWN, GAP],
    ]
    assert read.bounds[1] == read.bounds[2]
    assert read.codes[read.bounds[2] :].tolist() == [5, GAP, 6, GAP, 6, GAP, OTHER, SENTENCE_END, GAP, UNKNOWN]
    assert read.words.tolist() == [0, 1, 2, 3, 4, 5, 6, 6]
    assert read.word_bounds.tolist() == [0, 5, 5, 8]


def test_what_a_sanitizer_released_is_read_as_it_drew_it() -> None:
    vocabulary = lettered_vocabulary(60)
    made = Sanitizer(neighborhood(vocabulary, epsilon=0.1), rng=np.random.default_rng(2))
    texts = ["waa wab. wac! wad? 12 a@b.com\n- wae waf (www.example.com) \u0416", "wba'wbb wbc-wbd", ""]
    releases = made.batch(texts)
    read = ReleaseReader(vocabulary.words).read_releases([one.text for one in releases])
    assert "".join(read.surfaces) == "".join(one.text for one in releases)
    assert np.diff(read.word_bounds).tolist() == [one.kinds.get("word", 0) for one in releases]


def test_other_words_are_no_release() -> None:
    reader = ReleaseReader(WORDS)
    with pytest.raises(InputError, match=r"document 4 must be a release in words of this vocabulary; got 2 of other"):
        reader.read_releases(["the cat", "the dog barks"], [3, 4])
    with pytest.raises(ParameterError, match="texts must be strings; got int as number 2"):
        reader.read(["the", 3])
