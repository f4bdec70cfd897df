"""Mean cosine: cases worked by hand, words without a direction, bad input."""

import numpy as np
import pytest

from textveil.errors import ParameterError
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.evaluation import cosine
from textveil_lab.evaluation.cosine import mean_cosine

WORDS = Vocabulary(
    ["east", "north", "far-east", "west", "nowhere"], np.array([[1, 0], [0, 2], [5, 0], [-1, 0], [0, 0]])
)


def ids(*some: int) -> np.ndarray:
    return np.array(some, dtype=np.int64)


@pytest.mark.parametrize(
    ("before", "after", "mean"),
    [
        ((0,), (0,), 1.0),
        ((0,), (1,), 0.0),
        ((0,), (2,), 1.0),
        ((0,), (3,), -1.0),
        ((0, 0, 1, 3), (3, 1, 1, 2), (-1 + 0 + 1 - 1) / 4),
        ((4,), (4,), 1.0),
        ((4, 0), (0, 4), 0.0),
    ],
)
def test_by_hand(before: tuple[int, ...], after: tuple[int, ...], mean: float) -> None:
    assert mean_cosine(WORDS, ids(*before), ids(*after)) == mean


def test_blocks_add_up_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    before, after = rng.integers(5, size=100), rng.integers(5, size=100)
    whole = mean_cosine(WORDS, before, after)
    monkeypatch.setattr(cosine, "_ROWS", 7)
    assert mean_cosine(WORDS, before, after) == pytest.approx(whole, rel=1e-12)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^before must be one at least; got no ids"):
        mean_cosine(WORDS, ids(), ids())
    with pytest.raises(ParameterError, match=r"^after must be as many as before, 1; got 2 ids"):
        mean_cosine(WORDS, ids(0), ids(0, 1))
    with pytest.raises(ParameterError, match=r"^ids must be in"):
        mean_cosine(WORDS, ids(5), ids(0))
