"""What every language model checks first, and what ids stand for."""

import numpy as np
import pytest

from textveil.errors import ParameterError
from textveil.models.language_model import boundary_id, check_contexts, check_words, other_id

SIZE = 5


def test_the_ids_of_contexts_follow_those_of_words() -> None:
    assert (boundary_id(SIZE), other_id(SIZE)) == (5, 6)
    check_contexts(np.array([[0, 6]]), 2, SIZE)
    check_words(np.array([[0, 4, 2]]), 1, SIZE)
    check_contexts(np.zeros((0, 2), np.int64), 2, SIZE)


@pytest.mark.parametrize(
    ("contexts", "wanted"),
    [
        (np.array([[0, 7]]), r"contexts must be ids in \[0, 7\)"),
        (np.array([[-1, 0]]), r"contexts must be ids in \[0, 7\)"),
        (np.array([[0]]), r"contexts must be of shape \(batch, 2\)"),
        (np.array([0, 1]), r"contexts must be of shape \(batch, 2\)"),
        (np.array([[0.0, 1.0]]), "contexts must be whole numbers"),
    ],
)
def test_other_contexts_are_refused(contexts: np.ndarray, wanted: str) -> None:
    with pytest.raises(ParameterError, match=wanted):
        check_contexts(contexts, 2, SIZE)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (np.array([[5]]), r"words must be ids in \[0, 5\)"),
        (np.array([[0], [1]]), r"words must be of shape \(1, k\)"),
    ],
)
def test_other_words_are_refused(words: np.ndarray, wanted: str) -> None:
    with pytest.raises(ParameterError, match=wanted):
        check_words(words, 1, SIZE)
