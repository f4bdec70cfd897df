"""A bound of the noisy dot product by its two factors, and what it gives away.

Z = L T with L the length of the noise and T its cosine, independent (noise_components.py). If |T| < a and L < b then
|Z| < a b, so

    P(|Z| < a b)  >=  P(|T| < a) P(L < b)  >=  (1 - 2 exp(-dim a^2 / 2)) (1 - (x / dim)^dim exp(dim - x)),   x = rate b,

with the sub-Gaussian tail of the angle and Chernoff's tail of the length (tail_bounds.py). Source: Asghar, Carpentier,
Zhao and Kaafar 2026 (arXiv 2411.13784), section 5, theorem 8. Its example sets the right side to 0.99,
both factors equal.
``NoisyDotProduct`` has the left side exactly.
"""

import math
from typing import NamedTuple

from scipy.optimize import brentq

from textveil.errors import need
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.laws.tail_bounds import log_direction_gaussian, log_length_upper
from textveil_lab.noise.distribution import check_parameters

_OUTWARD = 1 + 1e-12  # By how much a solution is widened, so that the bound at it is not below what was asked for


class ProductBound(NamedTuple):
    """|Z| < ``product`` with at least ``probability``."""

    cosine: float  # a, the bound of the angle's part
    length: float  # b, the bound of the noise's length, in units of distance
    product: float  # a b, in units of distance
    probability: float  # the right side of the theorem at a and b


def product_probability(cosine: float, length: float, dim: int, rate: float) -> float:
    """A lower bound of P(|Z| < cosine * length); 0 where one of the tail bounds is 1 or more.

    Args:
        cosine: a > 0.
        length: b > 0, in units of distance.
        dim: dimension of the vectors, >= 1.
        rate: nats per unit of distance, finite and > 0.

    Raises:
        ParameterError: an argument is outside its domain.
    """
    angle = -math.expm1(min(0.0, math.log(2) + float(log_direction_gaussian(cosine, dim))))
    return angle * -math.expm1(float(log_length_upper(length, dim, rate)))


def equal_factors(probability: float, dim: int, rate: float) -> ProductBound:
    """The a and b at which both factors of the theorem are the square root of ``probability``.

    Both are rounded outwards, so that the bound at them is ``probability`` or more, to within 1e-15.

    Args:
        probability: strictly between 0 and 1; a double's precision ends near 1 - 1e-15.
        dim: dimension of the vectors, >= 1.
        rate: nats per unit of distance, finite and > 0.

    Raises:
        ParameterError: an argument is outside its domain.
    """
    check_parameters(dim, rate=rate)
    need(0 < probability <= 1 - 1e-12, "probability", probability, "> 0 and at most 1 - 1e-12")
    log_tail = math.log(-math.expm1(math.log(probability) / 2))
    cosine = math.sqrt(2 * (math.log(2) - log_tail) / dim) * _OUTWARD

    def excess(scaled: float) -> float:
        return float(log_length_upper(scaled, dim, 1.0)) - log_tail

    far = dim - 2 * log_tail + 2 * math.sqrt(-dim * log_tail)  # Chernoff's exponent is beyond the sub-gamma one there
    length = brentq(excess, dim, far, xtol=1e-12 * dim, rtol=1e-14) * _OUTWARD / rate
    return ProductBound(cosine, length, cosine * length, product_probability(cosine, length, dim, rate))


def exact_radius(probability: float, dim: int, rate: float) -> float:
    """The z with P(|Z| < z) = probability, in units of distance: what ``equal_factors`` bounds from above."""
    need(0 < probability < 1, "probability", probability, "strictly between 0 and 1")
    return float(NoisyDotProduct(dim, rate).quantile((1 + probability) / 2))
