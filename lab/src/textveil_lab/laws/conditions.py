"""When noise moves the nearest word: thresholds that the noisy dot product must pass, and with what probability.

Noise eta is added to the vector of word w. By the identity of ``expected_loss``, a word b is nearer to w + eta than a
word a if and only if

    <eta, u>  >  (||w - b||^2 - ||w - a||^2) / (2 ||b - a||),     u = (b - a) / ||b - a||,

and <eta, u> has the distribution of ``NoisyDotProduct`` whatever u is. With a = w the right side is ||w - b|| / 2.

The output is the word b only if b beats every other word, among them w and the nearest neighbor. So the probability of
beating one of them is a bound: a necessary condition, exact here, while the paper draws samples.

Source: Asghar, Carpentier, Zhao and Kaafar 2026 (arXiv 2411.13784), section 4, theorems 1 (w against x_1) and 2 (x_1
against x_2), and equations 18 to 21. Their x_i is the i-th nearest neighbor of w, their Z our noisy dot product, their
epsilon our rate (``epsilon_per_distance``), their n our dim.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need
from textveil.types import Reals
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.laws.noise_components import as_reals
from textveil_lab.noise.distribution import check_parameters

_DUPLICATES = "Two words with one vector cannot be told apart by distance; leave one out."


class Triple(NamedTuple):
    """Distances of a word and two candidates: to the first, to the second, and between the two."""

    first: float
    second: float
    between: float


def original_threshold(distance: ArrayLike) -> Reals:
    """Return the right side of equation 18: a word at ``distance`` stays farther than the original iff Z <= this.

    Source: section 4, theorem 1.

    Args:
        distance: ||w - x||_2, each finite and > 0; any shape.

    Raises:
        ParameterError: a distance is zero (duplicate vectors), negative or not finite.
    """
    return _distances(distance, "distance", positive=True) / 2


def neighbor_threshold(first: ArrayLike, second: ArrayLike, between: ArrayLike) -> Reals:
    """Return the right side of equation 19: (second^2 - first^2) / (2 between).

    The first word stays nearer iff Z is at most this. Source: section 4, theorem 2. It is negative if ``second`` is the
    nearer one. Arrays broadcast. With first = 0 and between = second it is ``original_threshold(second)``.

    Args:
        first: ||w - x_i||_2, >= 0.
        second: ||w - x_j||_2, >= 0.
        between: ||x_i - x_j||_2, > 0.

    Raises:
        ParameterError: a distance is not finite, negative, or zero between the two.
    """
    near, far = _distances(first, "first"), _distances(second, "second")
    return (far - near) * ((far + near) / (2 * _distances(between, "between", positive=True)))


def triple(word: ArrayLike, first: ArrayLike, second: ArrayLike) -> Triple:
    """Return the three distances of three vectors of one dimension, in float64.

    Raises:
        ParameterError: the vectors are not finite or differ in shape, or the two candidates are duplicates.
    """
    w, a, b = (np.asarray(vector, dtype=np.float64) for vector in (word, first, second))
    need(w.ndim == 1 and w.shape == a.shape == b.shape, "vectors", f"{w.shape}, {a.shape}, {b.shape}", "of one shape")
    need(all(bool(np.isfinite(v).all()) for v in (w, a, b)), "vectors", "an infinity or NaN", "finite")
    between = float(np.linalg.norm(b - a))
    need(between > 0, "between", between, "> 0", _DUPLICATES)
    return Triple(float(np.linalg.norm(w - a)), float(np.linalg.norm(w - b)), between)


def necessary_probability(threshold: ArrayLike, dim: int, rate: ArrayLike) -> Reals:
    """Return P(Z <= threshold), the probability that the first of two words stays nearer to the noisy vector.

    Equation 21: an upper bound of P(the output is x_i), with the threshold of x_i against any x_j. At the threshold of
    equation 18 it is the probability that the original beats one neighbor, so an upper bound of P(unchanged).

    Args:
        threshold: in units of distance; any shape.
        rate: nats per unit of distance, each finite and > 0; broadcast against ``threshold``.

    Returns:
        The broadcast shape; exact to the relative precision of the smaller tail.
    """
    return NoisyDotProduct(dim, 1.0).cdf(_scaled(threshold, dim, rate))


def overtaking_probability(threshold: ArrayLike, dim: int, rate: ArrayLike) -> Reals:
    """Return P(Z > threshold) = 1 - ``necessary_probability``: the second word is then the nearer one.

    Equation 20: at the threshold ||w - x_1|| / 2 of the nearest neighbor it bounds P(the output is x_i) for every i >=
    1, because x_i beats w only if Z > ||w - x_i|| / 2 >= ||w - x_1|| / 2.

    Args, Returns, Raises: as ``necessary_probability``.
    """
    return NoisyDotProduct(dim, 1.0).survival(_scaled(threshold, dim, rate))


def _scaled(threshold: ArrayLike, dim: int, rate: ArrayLike) -> Reals:
    check_parameters(dim)
    points, rates = as_reals(threshold, "threshold"), as_reals(rate, "rate")
    need(bool(((rates > 0) & (rates < np.inf)).all()), "rate", "an entry outside", "finite and > 0")
    with np.errstate(over="ignore"):
        return points * rates


def _distances(values: ArrayLike, name: str, positive: bool = False) -> Reals:
    points = as_reals(values, name)
    need(bool(((points >= 0) & (points < np.inf)).all()), name, "an entry outside", "finite and >= 0")
    if positive:
        need(bool((points > 0).all()), name, "0", "> 0", _DUPLICATES)
    return points
