"""Exponential, normal and gamma numbers in float64 with unbounded tails.

NumPy's samplers take the tail from one uniform number on 53 bits, so they are bounded: exponentials at 44.4, normals at
12.2 (in float32 at 24.3 and 8.2). Under the shift to another word the missing tail is worth up to e^epsilon times its
mass. Here a number beyond an edge is redrawn by an exact rule for the tail:

- an exponential number that is at least 8 is 8 plus another exponential number, since the distribution is memoryless;
- a normal number of size at least 4 keeps its sign, and its size is 4 + a/4 if 2 b > (a/4)^2, a and b exponential; else
  a and b are redrawn (Marsaglia 1964);
- gamma numbers are made from these two (Marsaglia and Tsang 2000).

In real arithmetic the distributions are exact; the only error is the rounding of floats, a relative error near 2^-53 in
a probability at every distance. Below the edges NumPy's ziggurat decides, on 53 bits and more.
"""

import math

import numpy as np

from textveil.types import Reals

_STEP = 8.0  # where exponential numbers are continued; e^-8 of them are
_EDGE = 4.0  # size from which normal numbers are drawn anew; one in 16,000 is


def exponentials(size: int, rng: np.random.Generator) -> Reals:
    """Return independent numbers of density exp(-x) on x >= 0; shape (size,)."""
    out = rng.standard_exponential(size)
    beyond = np.flatnonzero(out >= _STEP)
    passed = 0.0
    while beyond.size:
        passed += _STEP
        rest = rng.standard_exponential(beyond.size)
        out[beyond] = passed + rest
        beyond = beyond[rest >= _STEP]
    return out


def normals(size: int, rng: np.random.Generator) -> Reals:
    """Return independent standard normal numbers; shape (size,)."""
    out = rng.standard_normal(size)
    beyond = np.flatnonzero(np.abs(out) >= _EDGE)
    while beyond.size:
        excess = exponentials(beyond.size, rng) / _EDGE
        kept = 2 * exponentials(beyond.size, rng) > excess * excess
        out[beyond[kept]] = np.copysign(_EDGE + excess[kept], out[beyond[kept]])
        beyond = beyond[~kept]
    return out


def gammas(shape: float, size: int, rng: np.random.Generator) -> Reals:
    """Return independent numbers of density x^(shape - 1) exp(-x) / Gamma(shape) on x > 0, shape >= 1; shape (size,).

    Each is d v with v = (1 + c x)^3, x normal, d = shape - 1/3, c = 1 / sqrt(9 d), if -e < x^2/2 + d - d v + d ln v for
    an exponential number e; else x and e are redrawn.
    """
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    out = np.empty(size)
    missing = np.arange(size)
    while missing.size:
        x, e = normals(missing.size, rng), exponentials(missing.size, rng)
        root = np.maximum(1 + c * x, 0.0)
        with np.errstate(divide="ignore"):  # the logarithm of zero is never accepted
            kept = -e < 0.5 * x * x + d * (1 - root**3 + 3 * np.log(root))
        out[missing[kept]] = d * root[kept] ** 3
        missing = missing[~kept]
    return out
