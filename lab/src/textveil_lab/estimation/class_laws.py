"""The distribution of words in each class, learned through the channel from releases with labels.

Model: P(x | class) is proportional to prior(x) exp(direction(class) . v(x) + deviation(class, x)). The directions in
the space of word vectors pool what the channel blurs; the deviations, held small, let words differ where the release
says so. Both are found by maximal likelihood of the released words, with Gaussian priors on both.

So a released word y speaks for a class by the logarithm of sum over x of P(y | x) P(x | class), a clean one by that of
P(x | class).
"""

from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from textveil.types import Reals
from textveil_lab.estimation.channel_matrix import ChannelMatrix
from textveil_lab.vocabulary.geometry import normalize

_DIRECTION: Final = 1000.0  # Precision of the prior on directions, whose features have mean square 1
_DEVIATION: Final = 4.0  # Precision of the prior on deviations, in nats
_STEPS: Final = 40
_SMOOTHING: Final = 0.02
_SCALE: Final = 1e-3


class ClassLaws(NamedTuple):
    """What each word says for each class, in nats, as an output and as an input; both of shape (classes, n)."""

    released: Reals
    clean: Reals


def class_laws(matrix: ChannelMatrix, counts: Reals, prior: Reals) -> ClassLaws:
    """Learn the classes' distributions of words.

    Args:
        matrix: of the channel.
        counts: of released words by class, shape (n, classes).
        prior: of the words behind all classes, > 0 with sum 1, shape (n,).
    """
    units = normalize(matrix.vocabulary.vectors).astype(np.float64)
    units -= prior @ units
    units /= max(float(np.sqrt(prior @ np.square(units)).mean()), 1e-12)
    size, dim, classes = *units.shape, counts.shape[1]
    totals, base = counts.sum(axis=0), np.log(prior)[:, None]

    def split(point: Reals) -> tuple[Reals, Reals, Reals]:
        directions = point[: dim * classes].reshape(dim, classes)
        deviations = point[dim * classes :].reshape(size, classes)
        scores = base + units @ directions + deviations
        return directions, deviations, np.exp(scores - logsumexp(scores, axis=0))

    def loss(point: Reals) -> tuple[float, Reals]:
        directions, deviations, law = split(point)
        seen = np.maximum(matrix.outputs(law), np.finfo(np.float64).tiny)
        slope = totals * law - law * matrix.expected(counts / seen)
        value = -float(np.sum(counts * np.log(seen)))
        value += (_DIRECTION * float(np.sum(directions**2)) + _DEVIATION * float(np.sum(deviations**2))) / 2
        gradient = np.concatenate(
            [(units.T @ slope + _DIRECTION * directions).ravel(), (slope + _DEVIATION * deviations).ravel()]
        )
        return _SCALE * value, _SCALE * gradient

    start = np.zeros((dim + size) * classes)
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS, "maxcor": 8})
    law = (1 - _SMOOTHING) * split(solution.x)[2] + _SMOOTHING * prior[:, None]
    return ClassLaws(np.log(matrix.outputs(law)).T, np.log(law).T)


def document_scores(laws: Reals, ids: np.ndarray, bounds: np.ndarray) -> Reals:
    """What the words of each document say for each class, over the root of their number; shape (documents, classes).

    The root tempers what is no independent evidence: words of one document repeat each other.
    """
    sums = np.zeros((laws.shape[0], len(ids) + 1))
    np.cumsum(laws[:, ids], axis=1, out=sums[:, 1:])
    lengths = np.diff(bounds)
    return ((sums[:, bounds[1:]] - sums[:, bounds[:-1]]) / np.sqrt(np.maximum(lengths, 1))).T
