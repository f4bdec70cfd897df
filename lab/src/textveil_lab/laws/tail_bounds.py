"""Closed bounds on the tails of the noisy dot product and of its two factors, beside the exact tails.

``NoisyDotProduct`` has the exact distribution, so no probability needs these bounds; they explain its size. Section 5
of Asghar, Carpentier, Zhao and Kaafar 2026 (arXiv 2411.13784) has three of them: theorem 5 (the direction is
sub-Gaussian with variance parameter 1 / dim), theorem 6 (its tail) and theorem 7 (the two tails of the length by
Chernoff's bound). Theorem 8 combines them (``product_probability``); theorem 10 is in dot_product.py
(``log_chebyshev_of_mean``). The other bounds are ours; each docstring proves its bound.

Every bound is the logarithm of a probability, at most 0. Notation: Z = L T, with L the length of the noise and T its
cosine (noise_components.py); x = rate z.

``ProductBound`` bounds the noisy dot product by its two factors.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from textveil.errors import need
from textveil.types import Reals
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.laws.noise_components import NoiseDirection, NoiseLength, as_reals
from textveil_lab.noise.distribution import check_parameters

LogTail: TypeAlias = Callable[[ArrayLike, int, float], Reals]
"""Function from points >= 0, dim and rate to ln of a tail probability; shape of the points."""

_LOG_HALF = -math.log(2)
_FARTHEST = 1e100  # Scaled points are cut off here: squares stay finite
_LEAST = 2.0**-1022  # The smallest normal float: a product below it has lost digits


def direction_variance_proxy(dim: int) -> float:
    """Return 1 / dim: the smallest s with E exp(a T) <= exp(s a^2 / 2) for every real a.

    Source: the paper's theorem 5 of section 5.

    *Proof.* E T^(2k) = (1/2)_k / (dim/2)_k, so E exp(a T) = sum of (a^2/4)^k / (k! (dim/2)_k) with rising factorials;
    and (dim/2)_k >= (dim/2)^k makes each term at most (a^2 / (2 dim))^k / k!, whose sum is exp(a^2 / (2 dim)). No
        smaller s works, because the variance of T is 1 / dim and a proxy is never below the variance.
    """
    check_parameters(dim)
    return 1 / dim


def log_direction_gaussian(cosine: ArrayLike, dim: int, rate: float = 1.0) -> Reals:
    """Return ln of the bound P(T > t) <= exp(-dim t^2 / 2): Chernoff's bound from ``direction_variance_proxy``.

    The rate does not matter. Source: Asghar, Carpentier, Zhao and Kaafar 2026, section 5, theorem 6.
    """
    t = np.minimum(_points(cosine, "cosine", dim, rate), _FARTHEST)
    return -t * t / direction_variance_proxy(dim) / 2


def log_direction_cap(cosine: ArrayLike, dim: int, rate: float = 1.0) -> Reals:
    """Return ln of the bound P(T > t) <= (1 - t^2)^((dim - 1) / 2) / 2 for t < 1, and of 0 from 1 on.

    The rate does not matter.  *Proof.* P(T > t) is half the regularized incomplete beta function I_y(a, 1/2) at y = 1 -
    t^2, a = (dim - 1) / 2. With u = y s, I_y(a, b) = y^a integral over [0, 1] of s^(a-1) (1 - y s)^(b-1) ds / B(a, b),
    and for b <= 1 the factor (1 - y s)^(b-1) is at most (1 - s)^(b-1): so I_y(a, b) <= y^a. For dim = 1 the tail is 1/2
    itself.
    """
    t = np.minimum(_points(cosine, "cosine", dim, rate), 1)
    with np.errstate(divide="ignore"):
        power = (dim - 1) / 2 * np.log((1 - t) * (1 + t)) if dim > 1 else np.where(t < 1, 0.0, -np.inf)
    return power + _LOG_HALF


def log_length_upper(length: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ln of the bound P(L > l) <= exp(-(x - dim - dim log(x / dim))) for x = rate l >= dim, else 0.

    *Proof.* Chernoff: E exp(s rate L) = (1 - s)^(-dim), and -s x - dim log(1 - s) is smallest at s = 1 - dim / x.
    Source: Asghar, Carpentier, Zhao and Kaafar 2026, section 5, theorem 7.
    """
    return _gamma_exponent(np.maximum(_scaled(length, "length", dim, rate), dim), dim)


def log_length_lower(length: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ln of the bound P(L <= l) <= exp(-(x - dim - dim log(x / dim))) for x = rate l <= dim, else 0.

    It is Chernoff's bound with s < 0. Source: Asghar, Carpentier, Zhao and Kaafar 2026, section 5, theorem 7.
    """
    return _gamma_exponent(np.minimum(_scaled(length, "length", dim, rate), dim), dim)


def log_length_bernstein(length: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ln of the bound P(L > l) <= exp(-y^2 / (dim + y + sqrt(dim^2 + 2 dim y))), y = rate l - dim >= 0, else 0.

    It is the sub-gamma form with variance factor dim and scale 1: P(rate L > dim + sqrt(2 dim u) + u) <= e^-u. Source:
    Boucheron, Lugosi and Massart 2013, section 2.4.
    """
    y = np.maximum(_scaled(length, "length", dim, rate) - dim, 0)
    return _sub_gamma_exponent(y, dim)


def log_length_lower_gaussian(length: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ln of the bound P(L <= l) <= exp(-(dim - x)^2 / (2 dim)) for x = rate l <= dim, else 0.

    Source: Boucheron, Lugosi and Massart 2013, section 2.4: the left tail of a Gamma distribution is sub-Gaussian.
    """
    y = np.maximum(dim - _scaled(length, "length", dim, rate), 0)
    return -y * (y / (2 * dim))


def log_chebyshev(z: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ln of the bound P(Z > z) <= (dim + 1) / (2 x^2): Chebyshev's inequality, halved by symmetry."""
    x = _scaled(z, "z", dim, rate)
    with np.errstate(divide="ignore"):
        return np.minimum(_LOG_HALF + math.log(dim + 1) - 2 * np.log(x), 0)


def log_bernstein(z: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ln of the bound P(Z > z) <= exp(-x^2 / (v + x + sqrt(v^2 + 2 v x))), v = dim + 1.

    *Proof.* log E exp(s rate Z) = -(v / 2) log(1 - s^2) <= (v / 2) s^2 / (1 - s^2) <= (v / 2) s^2 / (1 - s) for
    0 <= s < 1, which is sub-gamma with variance factor v and scale 1. Its tail: Boucheron, Lugosi and Massart
    2013, section 2.4.
    """
    return _sub_gamma_exponent(_scaled(z, "z", dim, rate), dim + 1)


def log_chernoff(z: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ln of the bound P(Z > z) <= exp(a log(1 + q) - 2 a q), a = (dim + 1) / 2.

    Here q = x^2 / (2 a (a + sqrt(a^2 + x^2))).  *Proof.* E exp(s rate Z) = (1 - s^2)^(-a), and -s x - a log(1 - s^2) is
    smallest at s = (sqrt(a^2 + x^2) - a) / x, where s x = 2 a q and 1 - s^2 = 1 / (1 + q). It is the best bound of this
    form, and asymptotically exact to first order.
    """
    x = _scaled(z, "z", dim, rate)
    a = (dim + 1) / 2
    q = x / (2 * a) * (x / (a + np.hypot(a, x)))
    return a * (np.log1p(q) - 2 * q)


def log_combined(z: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ln of the bound P(Z > z) <= exp(-dim z^2 / (2 l^2)) + P(L > l) / 2, Chernoff's for L; l balances both.

    *Proof.* If L <= l then Z > z needs T > z / l, which is bounded by ``log_direction_gaussian``; and L > l together
    with Z > z >= 0 needs T > 0, which has probability at most 1/2 and is independent of L. This holds for every l, so
        also for the l that bisection finds.
    """
    return _combined(z, dim, rate, log_direction_gaussian)


def log_combined_cap(z: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ``log_combined`` with ``log_direction_cap`` in place of the Gaussian bound of the direction."""
    return _combined(z, dim, rate, log_direction_cap)


@dataclass(frozen=True, slots=True)
class TailBound:
    """Bound of a tail, with the tail."""

    name: str  # for a legend
    source: str  # of its statement or proof
    event: str  # whose probability is bounded
    function: LogTail  # logarithm of the bound
    exact: LogTail  # logarithm of the probability


def slack(bound: TailBound, points: ArrayLike, dim: int, rate: float) -> Reals:
    """Return ln(bound / exact probability) in nats, >= 0; infinity if only the event has probability 0."""
    upper, exact = bound.function(points, dim, rate), bound.exact(points, dim, rate)
    impossible = np.isneginf(exact)
    return np.where(impossible, np.where(np.isneginf(upper), 0.0, np.inf), upper - np.where(impossible, 0.0, exact))


def _exact_product(z: ArrayLike, dim: int, rate: float) -> Reals:
    return NoisyDotProduct(dim, rate).log_survival(z)


def _exact_direction(cosine: ArrayLike, dim: int, rate: float) -> Reals:
    return NoiseDirection(dim).log_survival(cosine)


def _exact_longer(length: ArrayLike, dim: int, rate: float) -> Reals:
    return NoiseLength(dim, rate).log_survival(length)


def _exact_shorter(length: ArrayLike, dim: int, rate: float) -> Reals:
    return NoiseLength(dim, rate).log_cdf(length)


_BLM = "Boucheron, Lugosi and Massart 2013, section 2.4"
_OURS = "proved in textveil_lab.laws.tail_bounds"

BOUNDS = (
    TailBound("Chebyshev", "Chebyshev's inequality", "Z > z", log_chebyshev, _exact_product),
    TailBound("direction (sub-Gaussian) and length", _OURS, "Z > z", log_combined, _exact_product),
    TailBound("direction (cap) and length", _OURS, "Z > z", log_combined_cap, _exact_product),
    TailBound("Bernstein (sub-gamma)", _BLM, "Z > z", log_bernstein, _exact_product),
    TailBound("Chernoff", _OURS, "Z > z", log_chernoff, _exact_product),
)
"""Bounds of the noisy dot product."""

COMPONENT_BOUNDS = (
    TailBound("sub-Gaussian direction", _OURS, "T > t", log_direction_gaussian, _exact_direction),
    TailBound("cap", _OURS, "T > t", log_direction_cap, _exact_direction),
    TailBound("Gamma, Chernoff", _OURS, "L > l", log_length_upper, _exact_longer),
    TailBound("Gamma, Bernstein", _BLM, "L > l", log_length_bernstein, _exact_longer),
    TailBound("Gamma, Chernoff", _OURS, "L <= l", log_length_lower, _exact_shorter),
    TailBound("Gamma, sub-Gaussian", _BLM, "L <= l", log_length_lower_gaussian, _exact_shorter),
)
"""Bounds of the length and of the direction."""


def _points(values: ArrayLike, name: str, dim: int, rate: float) -> Reals:
    check_parameters(dim, rate=rate)
    points = as_reals(values, name)
    need(bool((points >= 0).all()), name, "an entry below 0", ">= 0: the distribution is symmetric")
    return points


def _scaled(values: ArrayLike, name: str, dim: int, rate: float) -> Reals:
    """Return points times the rate; positive ones stay between the smallest normal float and ``_FARTHEST``.

    Both cuts keep the bounds valid. Moving a far point nearer only raises an upper tail, and lower tails are bounded by
    1 there; moving a tiny point up only raises a lower tail, and upper ones are bounded by 1 there.
    """
    points = _points(values, name, dim, rate)
    with np.errstate(over="ignore"):
        return np.where(points > 0, np.clip(points * rate, _LEAST, _FARTHEST), 0.0)


def _gamma_exponent(x: Reals, dim: int) -> Reals:
    y = (x - dim) / dim
    with np.errstate(divide="ignore"):
        return np.where(x < dim / 2, dim * (np.log(x) - math.log(dim)) - (x - dim), dim * (np.log1p(y) - y))


def _sub_gamma_exponent(y: Reals, factor: float) -> Reals:
    """Return -(factor) h(y / factor), h(u) = 1 + u - sqrt(1 + 2 u) = u^2 / (1 + u + sqrt(1 + 2 u))."""
    u = y / factor
    return -y * (u / (1 + u + np.sqrt(1 + 2 * u)))


def _combined(z: ArrayLike, dim: int, rate: float, direction: LogTail) -> Reals:
    """Return ln of exp(direction(z / l)) + exp(length(l)) / 2 at the l at which the two exponents cross."""
    x = _scaled(z, "z", dim, rate)
    low, high = np.log(np.full_like(x, dim)), np.log(4 * dim + 4 * x)

    def parts(log_length: Reals) -> tuple[Reals, Reals]:
        length = np.exp(log_length)
        return direction(x / length, dim, 1.0), log_length_upper(length, dim, 1.0) + _LOG_HALF

    for _ in range(60):
        middle = (low + high) / 2
        aligned, long = parts(middle)
        low, high = np.where(aligned < long, middle, low), np.where(aligned < long, high, middle)
    both = np.minimum(np.logaddexp(*parts(low)), np.logaddexp(*parts(high)))
    return np.minimum(both, 0)


_OUTWARD = 1 + 1e-12  # Factor that widens a solution, so that its bound is not below the requested one


class ProductBound(NamedTuple):
    """|Z| < ``product`` with at least ``probability``."""

    cosine: float  # a, the bound of the angle's part
    length: float  # b, the bound of the noise's length, in units of distance
    product: float  # a b, in units of distance
    probability: float  # the right side of the theorem at a and b


def product_probability(cosine: float, length: float, dim: int, rate: float) -> float:
    """Return a lower bound on P(|Z| < cosine * length); 0 if one of the tail bounds is 1 or more.

    Args:
        cosine: a > 0.
        length: b > 0, in units of distance.
        rate: nats per unit of distance, finite and > 0.
    """
    angle = -math.expm1(min(0.0, math.log(2) + float(log_direction_gaussian(cosine, dim))))
    return angle * -math.expm1(float(log_length_upper(length, dim, rate)))


def equal_factors(probability: float, dim: int, rate: float) -> ProductBound:
    """Return the a and b at which both factors of the theorem are the square root of ``probability``.

    Both are rounded outwards, so that their bound is at least ``probability``, to within 1e-15.

    Args:
        probability: strictly between 0 and 1; a double's precision ends near 1 - 1e-15.
        rate: nats per unit of distance, finite and > 0.
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
    """Return the z with P(|Z| < z) = probability, in units of distance; ``equal_factors`` bounds it from above."""
    need(0 < probability < 1, "probability", probability, "strictly between 0 and 1")
    return float(NoisyDotProduct(dim, rate).quantile((1 + probability) / 2))
