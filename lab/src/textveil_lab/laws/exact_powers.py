"""Integers over powers of a rate, rounded once, and the checks that the distributions of this package share."""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need
from textveil.types import Reals


def checked_order(order: int) -> int:
    """The order of a moment: an integer >= 0."""
    need(isinstance(order, int | np.integer) and order >= 0, "order", order, "an integer >= 0")
    return int(order)


def over_power(numerator: int | Fraction, rate: float, order: int) -> float:
    """The quotient numerator / rate^order, exact and rounded once; infinity where no float is large enough."""
    try:
        return float(Fraction(numerator) / Fraction(rate) ** order)
    except OverflowError:
        return float("inf")


def as_reals(values: ArrayLike, name: str) -> Reals:
    """``values`` as float64 of their own shape; NaN is refused."""
    points = np.asarray(values, dtype=np.float64)
    need(not np.isnan(points).any(), name, "NaN", "a number in every entry")
    return points


def as_probabilities(values: ArrayLike, name: str) -> Reals:
    """``values`` as float64, each strictly between 0 and 1."""
    points = as_reals(values, name)
    need(bool(((points > 0) & (points < 1)).all()), name, "an entry outside", "strictly between 0 and 1")
    return points
