"""Texts as context ids."""

import pytest

from textveil_lab.models.ngram_build import TextReader

WORDS = ("the", "cat", "sat", "don't", "on")
BOUNDARY, OTHER = 5, 6


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("The cat sat.", [BOUNDARY, 0, 1, 2, BOUNDARY]),
        ("the cat, (sat) - on", [BOUNDARY, 0, 1, 2, 4]),
        ("the zyzzyva sat on 12,000 cat@home.org", [BOUNDARY, 0, OTHER, 2, 4, OTHER, OTHER]),
        ("don't\nthe 3.5! cat?", [BOUNDARY, 3, BOUNDARY, 0, OTHER, BOUNDARY, 1, BOUNDARY]),
        ("", [BOUNDARY]),
    ],
)
def test_a_text_is_read_as_words_boundaries_and_others(text: str, ids: list[int]) -> None:
    assert TextReader(WORDS)([text]).ids.tolist() == ids


def test_texts_are_read_side_by_side() -> None:
    texts = ["", "the cat", "", "sat. on 1", ""]
    reader = TextReader(WORDS)
    read = reader(texts)
    parts = [reader([text]).ids.tolist() for text in texts]
    assert read.ids.tolist() == [one for part in parts for one in part]
    assert [read.ids[a:b].tolist() for a, b in zip(read.bounds[:-1], read.bounds[1:], strict=True)] == parts
