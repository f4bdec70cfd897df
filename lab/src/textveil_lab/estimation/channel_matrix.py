"""Channels as matrices: the minimum of every output, and a sparse part above it.

Learns the distribution of words in each class, through the channel, from releases with labels.
"""

from typing import Final, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp

from textveil.errors import UnsupportedGuarantee, need
from textveil.mechanisms.kinds import Described, IntegerWeights, SequenceMechanism
from textveil.types import Integers, Progress, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.capabilities import ChannelColumns
from textveil_lab.mechanisms.product_columns import own_columns
from textveil_lab.vocabulary.geometry import normalize

MOST_ENTRIES: Final = 160_000_000  # Raised entries of the largest matrix: 2 GB
_MOST_DENSE: Final = 4096  # Words of the largest channel all of whose entries differ: 134 MB
_BLOCK: Final = 512  # Columns that are read at once
_SAME: Final = 1e-12  # Relative difference of two sums over rows that are the same


class ChannelMatrix:
    """P(y | x) = base(y) + raised(x, y), with the products that estimates need.

    Args:
        vocabulary: inputs and outputs, n words.
        base: smallest probability of every output, >= 0, shape (n,).
        raised: addition of an input, >= 0, sparse, shape (n, n), inputs by rows.
    """

    __slots__ = ("base", "raised", "vocabulary")

    def __init__(self, vocabulary: Vocabulary, base: Reals, raised: sparse.csc_array) -> None:
        self.vocabulary, self.base, self.raised = vocabulary, base, raised

    def __len__(self) -> int:
        return len(self.base)

    def expected(self, weights: Reals) -> Reals:
        """Return P h: for each input the mean of h(output); h of shape (n,) or (n, k)."""
        return self.base @ weights + self.raised @ weights

    def outputs(self, inputs: Reals) -> Reals:
        """Return P' m: the outputs' distribution if inputs have distribution m, shape (n,) or (n, k)."""
        total = inputs.sum(axis=0)
        base = self.base * total if inputs.ndim == 1 else np.outer(self.base, total)
        return base + self.raised.T @ inputs

    def squared_row_sums(self, weights: Reals) -> Reals:
        """Return sum over y of P(y | x)^2 w(y) for each input, shape (n,)."""
        cross = self.raised @ (2 * self.base * weights)
        squares = sparse.csc_array((self.raised.data**2, self.raised.indices, self.raised.indptr), self.raised.shape)
        return float(self.base**2 @ weights) + cross + squares @ weights

    def classes(self) -> Integers:
        """Return a class number for every input: inputs with one output distribution share it; shape (n,).

        No release tells such words apart. Rows are compared by two sums with random weights: the chance that different
        ones agree is below 1e-14.
        """
        weights = np.random.default_rng(0).uniform(0.5, 1.5, size=(len(self), 2))  # of public data: no secret here
        sums = self.raised @ weights
        unit = _SAME * max(float(sums.max()), 1e-300)
        order = np.lexsort((sums[:, 1], sums[:, 0]))
        steps = np.abs(np.diff(sums[order], axis=0)).max(axis=1) > unit
        classes = np.empty(len(self), dtype=np.int64)
        classes[order] = np.concatenate([[0], np.cumsum(steps)])
        return classes


def channel_matrix(mechanism: Described, progress: Progress | None = None) -> ChannelMatrix:
    """Return the matrix of a channel.

    Args:
        mechanism: with columns, or with integer weights of at most 4,096 words.

    Raises:
        UnsupportedGuarantee: the mechanism is no such channel, or raises too many words.
    """
    own = own_columns(mechanism)
    if own is not None:
        return _from_columns(own, mechanism.name, progress)
    if isinstance(mechanism, IntegerWeights) and len(mechanism.vocabulary) <= _MOST_DENSE:
        weights = mechanism.integer_weights(np.arange(len(mechanism.vocabulary)))
        rows = weights / weights.sum(axis=1, keepdims=True)
        base = rows.min(axis=0)
        return ChannelMatrix(mechanism.vocabulary, base, sparse.csc_array(rows - base))
    drawn = "with a context" if isinstance(mechanism, SequenceMechanism) else "by no such channel"
    raise UnsupportedGuarantee(
        f"estimates need words that are drawn each alone, by a channel; got {mechanism.name}, drawn {drawn}. Choose "
        f"neighborhood without context, randomized-response, or another channel of at most {_MOST_DENSE} words."
    )


def _from_columns(channel: ChannelColumns, name: str, progress: Progress | None) -> ChannelMatrix:
    size = len(channel.vocabulary)
    base, starts = np.empty(size), np.zeros(size + 1, dtype=np.int64)
    inputs, values = [], []
    for start in range(0, size, _BLOCK):
        words = np.arange(start, min(start + _BLOCK, size))
        columns = channel.columns(words)
        least = np.exp(columns.log_least)
        base[words] = least
        starts[words + 1] = starts[start] + columns.starts[1:]
        if starts[words[-1] + 1] > MOST_ENTRIES:
            raise UnsupportedGuarantee(
                f"estimates need a channel that raises at most {MOST_ENTRIES} pairs of words; got more from {name}. "
                "Choose a larger epsilon, a larger base_mass, or flat base_weights."
            )
        inputs.append(columns.inputs.astype(np.int32))
        values.append(np.expm1(columns.log_ratios) * np.repeat(least, np.diff(columns.starts)))
        if progress is not None:
            progress(int(words[-1]) + 1, size)
    table = (np.concatenate(values), np.concatenate(inputs), starts)
    return ChannelMatrix(channel.vocabulary, base, sparse.csc_array(table, shape=(size, size)))


def matrix_of_rows(vocabulary: Vocabulary, rows: Reals) -> ChannelMatrix:
    """Return the matrix of a channel given by its rows.

    Args:
        vocabulary: inputs and outputs, n words.
        rows: P(y | x), >= 0, each row with sum 1, shape (n, n).
    """
    size = len(vocabulary)
    need(rows.shape == (size, size), "rows", f"shape {rows.shape}", f"of shape ({size}, {size})")
    need(bool(np.all(rows >= 0) and np.allclose(rows.sum(axis=1), 1)), "rows", "other numbers", "distributions")
    base = rows.min(axis=0)
    return ChannelMatrix(vocabulary, base, sparse.csc_array(rows - base))


LIKELIHOOD_STEPS: Final = 50  # From the public frequencies. More fit the noise of words that are hardly told apart.


def most_likely_counts(matrix: ChannelMatrix, counts: Reals, start: Reals, steps: int = LIKELIHOOD_STEPS) -> Reals:
    """Return counts of the inputs by expectation maximization; each step raises the likelihood and keeps the sum.

    Args:
        counts: of outputs, shape (n,) or (n, k) for several releases.
        start: first guess of the inputs' distribution, > 0 with sum 1, shape (n,).
        steps: number of steps.

    Returns:
        Counts with the sums of ``counts``, >= 0, of its shape.

    Source: Dempster, Laird and Rubin 1977; for channels Agrawal and Aggarwal 2001.
    """
    inputs = start * counts.sum(axis=0) if counts.ndim == 1 else np.outer(start, counts.sum(axis=0))
    for _ in range(steps):
        expected = np.maximum(matrix.outputs(inputs), np.finfo(np.float64).tiny)
        inputs = inputs * matrix.expected(counts / expected)
    return inputs


_DIRECTION: Final = 1000.0  # Precision of the prior on directions, whose features have mean square 1


_DEVIATION: Final = 4.0  # Precision of the prior on deviations, in nats


_STEPS: Final = 40


_SMOOTHING: Final = 0.02


_SCALE: Final = 1e-3


class ClassLaws(NamedTuple):
    """Evidence of each word for each class, in nats, as an output and as an input; both of shape (classes, n)."""

    released: Reals
    clean: Reals


def class_laws(matrix: ChannelMatrix, counts: Reals, prior: Reals) -> ClassLaws:
    """Learn the classes' distributions of words.

    Args:
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
    """Return the evidence of documents' words for each class over the root of their number, shape (documents, classes).

    The root tempers evidence that is not independent: words of one document repeat each other.
    """
    sums = np.zeros((laws.shape[0], len(ids) + 1))
    np.cumsum(laws[:, ids], axis=1, out=sums[:, 1:])
    lengths = np.diff(bounds)
    return ((sums[:, bounds[1:]] - sums[:, bounds[:-1]]) / np.sqrt(np.maximum(lengths, 1))).T
