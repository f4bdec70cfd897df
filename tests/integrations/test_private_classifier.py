"""The estimator behind ``textveil learn`` keeps scikit-learn's contract; units are persons where they are given."""

import pickle

import numpy as np
import pytest

from textveil.errors import ParameterError
from textveil.privacy.units import Unit

pytest.importorskip("sklearn", reason="needs the extra `learn`")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from textveil.integrations.scikit_learn import PrivateTextClassifier

TEXTS = ["the team won the match in the second half", "the bank raised its rates and shares fell"] * 1500
LABELS = np.array([7, 3] * 1500)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")  # of checks that give it numbers
def test_scikit_learn_accepts_it() -> None:
    check_estimator(PrivateTextClassifier(), on_skip=None)


@pytest.mark.parametrize("labels", [None, [3, 7]])
def test_labels_keep_their_type_and_persons_are_the_unit(labels: list[int] | None) -> None:
    estimator = clone(PrivateTextClassifier(epsilon=4.0, labels=labels, seed=1))
    with pytest.raises(NotFittedError):
        estimator.predict(TEXTS[:2])
    fitted = estimator.fit(TEXTS, LABELS, persons=[f"p{k // 2}" for k in range(3000)])
    assert fitted.model_.guarantee.unit is Unit.PERSON and fitted.model_.guarantee.epsilon == 4.0
    assert fitted.classes_.tolist() == [3, 7] and fitted.classes_.dtype.kind == "i"
    assert fitted.score(TEXTS[:10], LABELS[:10]) == 1
    assert fitted.decision_function(TEXTS[:2])[0] > 0 > fitted.decision_function(TEXTS[:2])[1]
    assert estimator.fit(TEXTS, LABELS).model_.guarantee.unit is Unit.DOCUMENT
    with pytest.raises(ParameterError, match="persons must be one for each of 3000"):
        estimator.fit(TEXTS, LABELS, persons=["p"])


def test_one_persons_label_or_name_changes_nobody_elses() -> None:
    """An array of labels takes the type that all have in common: one 2.0 would make "7.0" of everybody's 7."""
    estimator = PrivateTextClassifier(epsilon=4.0, labels=[3, 7], seed=1)
    for other in (2.0, "u", True):
        with pytest.raises(ParameterError, match="y must be of one type"):
            estimator.fit([*TEXTS, "a text"], [*LABELS.tolist(), other])
    with pytest.raises(ParameterError, match="persons must be a name for each document"):
        estimator.fit(TEXTS, LABELS, persons=[float("nan")] * len(TEXTS))


def test_a_fitted_classifier_holds_no_word_that_it_has_read() -> None:
    texts = ["zyxxsecretsurname was here", *TEXTS[1:]]
    fitted = PrivateTextClassifier(epsilon=4.0, labels=[3, 7], seed=1).fit(texts, LABELS)
    held = pickle.dumps(fitted)
    assert b"zyxxsecretsurname" not in held
    assert pickle.loads(held).predict(TEXTS[:2]).tolist() == [7, 3]
