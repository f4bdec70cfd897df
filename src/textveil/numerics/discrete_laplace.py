"""Two-sided geometric noise on the integers, drawn by integers alone.

P(z) is proportional to exp(-|z| / scale) for a rational scale, exactly: every decision compares a uniform integer with
an integer. Source: Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy", 2020, section 5.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from textveil.errors import need


def uniform_below(size: int, rng: np.random.Generator) -> int:
    """A uniform integer in [0, size), for sizes of any length."""
    need(size >= 1, "size", size, ">= 1")
    if size < 2**62:
        return int(rng.integers(size))
    bits = (size - 1).bit_length()
    while (drawn := int.from_bytes(rng.bytes((bits + 7) // 8), "big") >> (-bits % 8)) >= size:
        pass
    return drawn


def happens(exponent: Fraction, rng: np.random.Generator) -> bool:
    """True with probability exp(-exponent), for an exponent in [0, 1]."""
    top, bottom, trials = exponent.numerator, exponent.denominator, 1
    while uniform_below(bottom * trials, rng) < top:
        trials += 1
    return trials % 2 == 1


def discrete_laplace(scale: Fraction, rng: np.random.Generator) -> int:
    """One draw of the law above.

    Args:
        scale: > 0; P(z + 1) / P(z) is exp(-1 / scale) for z >= 0.
        rng: source of uniform integers.
    """
    need(scale > 0, "scale", scale, "> 0")
    top, bottom, one = scale.numerator, scale.denominator, Fraction(1)
    while True:
        rest = uniform_below(top, rng)
        if not happens(Fraction(rest, top), rng):
            continue
        whole = 0
        while happens(one, rng):
            whole += 1
        size = (rest + top * whole) // bottom
        negative = uniform_below(2, rng) == 1
        if size or not negative:
            return -size if negative else size
