"""Cross-entropy: by hand, at the ends of the floating range, under language models, and bad input."""

import math

import numpy as np
import pytest
from tests.helpers.language_models import BigramModel

from textveil.errors import ParameterError
from textveil_lab.evaluation import cross_entropy as module
from textveil_lab.evaluation.cross_entropy import cross_entropy, language_model_surprisals, softmax_surprisals

LN2 = math.log(2)


def test_tokens_and_texts_by_hand() -> None:
    found = cross_entropy([np.array([LN2, LN2, LN2]), np.array([3 * LN2])])
    assert found == pytest.approx((6 / 4 * LN2, 6 / 2 * LN2, 4, 2))
    assert found.perplexity == pytest.approx(2**1.5)


def test_a_text_without_tokens_counts_as_a_text() -> None:
    assert cross_entropy([np.array([LN2]), np.array([])])[:2] == pytest.approx((LN2, LN2 / 2))


def test_what_cannot_come_is_infinitely_surprising() -> None:
    found = cross_entropy([np.array([math.inf, 0.0])])
    assert (found.per_token, found.per_text, found.perplexity) == (math.inf, math.inf, math.inf)


def test_softmax_by_hand() -> None:
    scores = np.array([[0.0, math.log(3)], [5.0, 5.0], [1e300, 1e300], [0.0, -math.inf], [-1e9, 0.0]])
    found = softmax_surprisals(scores, np.array([0, 1, 0, 1, 1]))
    np.testing.assert_allclose(found, [math.log(4), LN2, LN2, math.inf, 0])


def test_under_a_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    # After word 0: 1/4, 3/4; after word 1: 1/2, 1/2; at the beginning: 1/5, 4/5.
    model = BigramModel(np.array([[1.0, 3.0], [1.0, 1.0]]), np.array([1.0, 4.0]))
    texts = [np.array([0, 1, 0]), np.array([], dtype=np.int64), np.array([1])]
    expected = [-np.log([1 / 5, 3 / 4, 1 / 2]), [], -np.log([4 / 5])]
    for rows in (module._ROWS, 2):
        monkeypatch.setattr(module, "_ROWS", rows)
        for one, wanted in zip(language_model_surprisals(model, texts), expected, strict=True):
            np.testing.assert_allclose(one, wanted, rtol=1e-6)


def test_a_longer_reach_sees_the_words_before() -> None:
    model = BigramModel(np.array([[1.0, 3.0], [1.0, 1.0]]), np.array([1.0, 4.0]), order=4)
    (found,) = language_model_surprisals(model, [np.array([0, 1])])
    np.testing.assert_allclose(found, -np.log([1 / 5, 3 / 4]), rtol=1e-6)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^surprisals must be of one token at least; got no tokens"):
        cross_entropy([np.array([])])
    with pytest.raises(ParameterError, match=r"^surprisals must be >= 0; got one below 0 or NaN"):
        cross_entropy([np.array([math.nan])])
    with pytest.raises(ParameterError, match=r"^scores must be of shape"):
        softmax_surprisals(np.zeros(3), np.array([0]))
    with pytest.raises(ParameterError, match=r"^targets must be of shape \(2,\)"):
        softmax_surprisals(np.zeros((2, 3)), np.array([0]))
    with pytest.raises(ParameterError, match=r"^targets must be in \[0, 3\)"):
        softmax_surprisals(np.zeros((1, 3)), np.array([3]))
    for score in (np.nan, np.inf, -np.inf):
        with pytest.raises(ParameterError, match=r"^scores must be real numbers or -inf, one real a token; got NaN"):
            softmax_surprisals(np.full((1, 3), score), np.array([0]))
    model = BigramModel(np.ones((2, 2)), np.ones(2))
    with pytest.raises(ParameterError, match=r"^documents must be in \[0, 2\)"):
        language_model_surprisals(model, [np.array([2])])
