"""The linear classifier: hand-worked cases, the choice of its strength, and centering."""

import numpy as np
import pytest

from textveil.errors import ParameterError
from textveil_lab.frontiers.downstream.accuracy import fit_linear


def _task(rng: np.random.Generator, noise: float, documents: int = 300) -> tuple[np.ndarray, np.ndarray]:
    classes = np.arange(documents) % 3
    centers = np.eye(3, 40)
    return centers[classes] + noise * rng.standard_normal((documents, 40)), classes


def test_it_tells_apart_what_lies_apart() -> None:
    rng = np.random.default_rng(1)
    points, classes = _task(rng, 0.05)
    fresh, wanted = _task(rng, 0.05)
    assert np.array_equal(fit_linear(points, classes, 3).predict(fresh), wanted)


def test_leave_one_out_equals_leaving_each_out() -> None:
    """The strength is the one that a loop over documents, each left out in turn, would choose."""
    rng = np.random.default_rng(2)
    points, classes = _task(rng, 2.0, documents=30)
    chosen = fit_linear(points, classes, 3).strength
    errors = {}
    whole = points - points.mean(axis=0)
    unit = (np.linalg.svd(whole, compute_uv=False) ** 2).mean()
    for strength in 10.0 ** np.arange(-4, 5):
        total = 0.0
        for out in range(30):
            kept = np.arange(30) != out
            left, targets = points[kept], np.eye(3)[classes[kept]]
            mean, shares = left.mean(axis=0), targets.mean(axis=0)
            # the penalty is that of the whole sample; only the sums lose a document
            gram = (left - mean).T @ (left - mean) + strength * unit * np.eye(40)
            weights = np.linalg.solve(gram, (left - mean).T @ (targets - shares))
            total += float((((points[out] - mean) @ weights + shares - np.eye(3)[classes[out]]) ** 2).sum())
        errors[strength] = total
    assert chosen == min(errors, key=errors.__getitem__)


def test_noise_asks_for_more_strength() -> None:
    rng = np.random.default_rng(3)
    strengths = [fit_linear(*_task(rng, noise), 3).strength for noise in (0.01, 3.0)]
    assert strengths[0] < strengths[1]


def test_a_shift_of_all_test_documents_changes_nothing() -> None:
    rng = np.random.default_rng(4)
    fitted = fit_linear(*_task(rng, 0.5), 3)
    fresh, _ = _task(rng, 0.5)
    assert np.array_equal(fitted.predict(fresh), fitted.predict(fresh + 100 * np.ones(40)))


def test_without_any_signal_the_commonest_class_is_said() -> None:
    fitted = fit_linear(np.zeros((5, 4)), np.array([0, 1, 1, 1, 0]), 2)
    assert fitted.predict(np.zeros((3, 4))).tolist() == [1, 1, 1]


def test_one_document_is_refused() -> None:
    with pytest.raises(ParameterError, match="features must be two or more"):
        fit_linear(np.zeros((1, 4)), np.array([0]), 2)
