"""Exact losses of small channels, by enumeration, and the leaky twin that they must catch."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from textveil.mechanisms.kinds import Channel


def table(channel: Channel) -> np.ndarray:
    """P(y | x), one row an input."""
    return np.stack([channel.probabilities(word) for word in range(len(channel.vocabulary))])


def worst_log_ratio(rows: np.ndarray) -> float:
    """max over inputs x, x' and outputs y of ln P(y|x) / P(y|x')."""
    return float(np.max(np.log(rows.max(axis=0)) - np.log(rows.min(axis=0))))


def worst_integer_ratio(rows: np.ndarray) -> Fraction:
    """The same ratio for integer weights, in exact arithmetic (before the logarithm)."""
    totals = [int(row.sum()) for row in rows.astype(object)]
    worst = Fraction(1)
    for column in range(rows.shape[1]):
        shares = [Fraction(int(row[column]), total) for row, total in zip(rows, totals, strict=True)]
        worst = max(worst, max(shares) / min(shares))
    return worst


def worst_metric_loss(rows: np.ndarray, distances: np.ndarray) -> float:
    """max over pairs of max_y ln P(y|x)/P(y|x') / d(x, x')."""
    pairs = itertools.permutations(range(len(rows)), 2)
    return max(float(np.max(np.log(rows[a]) - np.log(rows[b]))) / float(distances[a, b]) for a, b in pairs)


def hockey_stick(rows: np.ndarray, epsilon: float) -> float:
    """The least delta at this epsilon, by enumeration over ordered pairs."""
    factor = math.exp(epsilon)
    pairs = itertools.permutations(range(len(rows)), 2)
    return max(float(np.maximum(rows[a] - factor * rows[b], 0).sum()) for a, b in pairs)


def p_value(values: np.ndarray, cdf: Callable[[np.ndarray], Any]) -> float:
    """Upper bound 2 exp(-2 n D^2) of the two-sided Kolmogorov-Smirnov p-value (Massart 1990)."""
    heights = cdf(np.sort(np.ravel(values).astype(np.float64)))
    steps = np.arange(heights.size + 1) / heights.size
    distance = max((steps[1:] - heights).max(), (heights - steps[:-1]).max())
    return min(1.0, 2 * np.exp(-2 * heights.size * distance**2))
