"""Shifts: differences of two vectors, checked, and their norms rounded up."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need
from textveil.types import Reals


def checked_shift(shift: ArrayLike, dim: int) -> Reals:
    """``shift`` as a read-only float64 array of shape (dim,), finite and not zero.

    Raises:
        ParameterError: it is something else.
    """
    array = np.array(shift, dtype=np.float64)
    need(array.shape == (dim,), "shift", f"shape {array.shape}", f"of shape ({dim},)")
    need(bool(np.all(np.isfinite(array))), "shift", "an entry that is not finite", "finite")
    need(bool(np.any(array != 0)), "shift", "zero", "a difference of two different vectors")
    array.flags.writeable = False
    return array


def l1_over(shift: Reals, scale: float) -> float:
    """||shift||_1 / scale, the least float that is not below it; inf beyond floats."""
    exact = sum(map(Fraction, np.abs(shift).tolist()), Fraction(0)) / Fraction(scale)
    return float_up(exact)


def l2_times(shift: Reals, rate: float) -> float:
    """Rate ||shift||_2, the least float that is not below it; inf beyond floats."""
    square = Fraction(rate) ** 2 * sum((Fraction(coordinate) ** 2 for coordinate in shift.tolist()), Fraction(0))
    value = rate * math.hypot(*shift.tolist())
    if math.isinf(value):
        return value
    while Fraction(value) ** 2 < square:
        value = math.nextafter(value, math.inf)
    while (below := math.nextafter(value, 0.0)) > 0 and Fraction(below) ** 2 >= square:
        value = below
    return value


def rounded_log(value: Reals) -> tuple[Reals, Reals]:
    """Bounds on a logarithm of a probability that is off by a few units in the last place of it and of its argument."""
    slack = 2.0**-48 * (1 + np.abs(np.where(np.isfinite(value), value, 0.0)))
    return value - slack, np.minimum(value + slack, 0.0)


def float_up(exact: Fraction) -> float:
    """The least float that is not below a fraction; inf beyond floats."""
    try:
        value = float(exact)
    except OverflowError:
        return math.inf
    return value if Fraction(value) >= exact else math.nextafter(value, math.inf)
