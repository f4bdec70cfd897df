"""Contexts in another model's tokens."""

import numpy as np
import pytest

from textveil_lab.models.masked import Spelling

MADE = Spelling(words=((1,), (2, 3)), stop=(9,), other=(8,))
BOUNDARY, OTHER = 2, 3


@pytest.mark.parametrize(
    ("left", "tokens"),
    [
        ([BOUNDARY, BOUNDARY, 0, BOUNDARY, 1], [1, 9, 2, 3]),
        ([BOUNDARY, BOUNDARY], []),
        ([OTHER, 1, BOUNDARY], [8, 2, 3, 9]),
    ],
)
def test_what_stands_before_a_word_begins_with_its_text(left: list[int], tokens: list[int]) -> None:
    assert MADE.before(np.array(left), 10) == tokens
    assert MADE.before(np.array(left), 2) == tokens[-2:]


@pytest.mark.parametrize(
    ("right", "tokens"),
    [
        ([0, BOUNDARY, BOUNDARY, BOUNDARY], [1, 9]),
        ([BOUNDARY, BOUNDARY], [9]),
        ([OTHER, 1, BOUNDARY, 0, BOUNDARY], [8, 2, 3, 9, 1, 9]),
        ([0, 1], [1, 2, 3]),
    ],
)
def test_what_stands_after_a_word_ends_with_one_boundary(right: list[int], tokens: list[int]) -> None:
    assert MADE.after(np.array(right), 10) == tokens
    assert MADE.after(np.array(right), 2) == tokens[:2]
    assert MADE.longest == 2
