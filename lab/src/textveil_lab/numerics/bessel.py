"""Modified Bessel functions of the second kind, of integer and half-integer order, also beyond the range of floats."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import k0e, k1e

from textveil.types import Reals


def log_bessel_k(twice_order: int, x: ArrayLike) -> tuple[Reals, Reals]:
    """Return ln of K_v(x) e^x and of K_(v+1)(x) / K_v(x), v = twice_order / 2, to about v ulps.

    It uses K_(v+1) / K_v = 2v/x + K_(v-1) / K_v from order 0 or 1/2 upwards: all terms are positive and errors shrink.

    Args:
        twice_order: an integer >= 0.
        x: > 0, any shape.
    """
    points = np.asarray(x, dtype=np.float64)
    if twice_order % 2:  # from K_(1/2) = K_(-1/2) = sqrt(pi / 2x) e^-x
        order, log_value, ratio = -0.5, 0.5 * np.log(math.pi / 2 / points), np.ones(points.shape)
    else:
        order, log_value, ratio = 0.0, np.log(k0e(points)), k1e(points) / k0e(points)
    while order < twice_order / 2:
        order += 1
        log_value = log_value + np.log(ratio)
        ratio = 2 * order / points + 1 / ratio
    return log_value, np.log(ratio)
