"""A fast linear classifier of documents: ridge regression on the classes, its strength by leave-one-out error.

It has no draws, no steps and nothing to tune by hand, so all releases are treated alike; the strength is chosen anew
for every release, from that release alone, because noisier features need a stronger one.
Source: Hastie, Tibshirani and Friedman 2009, sections 4.2 and 7.10 (leave-one-out of a linear smoother).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Integers, Reals

_STRENGTHS: Final = 10.0 ** np.arange(-4, 5)
"""Of the ridge, in units of the mean eigenvalue of the features' second moments."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class LinearClassifier:
    """Says the class of the largest linear score.

    Attributes:
        weights: shape (dim, classes).
        shares: of the classes among the training documents, shape (classes,).
    """

    weights: Reals
    shares: Reals
    strength: float

    def predict(self, features: NDArray[np.floating]) -> Integers:
        """A class for each row of ``features``, shape (documents, dim).

        Features are centered by their own mean: those of clean and of released documents have different ones, and the
        mean of the training documents would move all test documents to one side.
        """
        points = np.asarray(features, dtype=np.float64)
        scores = (points - points.mean(axis=0)) @ self.weights + self.shares
        return np.argmax(scores, axis=1).astype(np.int64)


def fit_linear(features: NDArray[np.floating], classes: Integers, number: int) -> LinearClassifier:
    """Learn from features of documents.

    Args:
        features: shape (documents, dim), two documents or more.
        classes: of each, in [0, number).
    """
    need(len(features) >= 2, "features", f"{len(features)} documents", "two or more")
    points = np.asarray(features, dtype=np.float64)
    points = points - points.mean(axis=0)
    targets = np.eye(number)[classes]
    shares = targets.mean(axis=0)
    targets -= shares
    left, singular, right = np.linalg.svd(points, full_matrices=False)
    seen = left.T @ targets
    squares = singular**2
    unit = max(float(squares.mean()), np.finfo(np.float64).tiny)
    best, chosen = np.inf, float(_STRENGTHS[-1])
    for strength in _STRENGTHS:
        kept = squares / (squares + strength * unit)
        leverage = (left**2) @ kept + 1 / len(points)
        residuals = (targets - left @ (kept[:, None] * seen)) / np.maximum(1 - leverage, 1e-9)[:, None]
        error = float(np.mean(residuals**2))
        if error < best:
            best, chosen = error, float(strength)
    weights = right.T @ ((singular / (squares + chosen * unit))[:, None] * seen)
    return LinearClassifier(weights, shares, chosen)
