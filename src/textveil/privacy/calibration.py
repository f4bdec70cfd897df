"""From a wanted guarantee to the parameter of a noise distribution, rounded so that the guarantee is kept.

Scales, sigmas, bounds and deltas are rounded up and rates down: quotients by exact comparison, other
formulas by a margin of 2^-38 that covers all rounding errors in them. Sensitivities are the largest
distance, in the norm that the name says, between the vectors of any two words.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np

from textveil.errors import need

_MARGIN = 2.0**-38
"""Relative margin of scales and of ln delta.

Against multiple precision, for epsilon from 1e-4 to 1e3, the errors that it covers stay below 1 % of it
where 1e-300 < delta < 1 - 1e-50, and below 10 % up to delta = 1 - 1e-290.
"""

_LOG_SQRT_TWO_PI = 0.5 * math.log(2 * math.pi)


def laplace_scale(epsilon: float, l1_sensitivity: float) -> float:
    """Scale of independent Laplace coordinates that gives pure epsilon-DP: l1_sensitivity / epsilon.

    Raises:
        ParameterError: epsilon or the sensitivity is not finite and > 0.

    Source: Dwork, McSherry, Nissim and Smith 2006; proof: ``proofs/coordinate_laplace.md``.
    """
    _check(epsilon, l1_sensitivity=l1_sensitivity)
    return _representable("scale", _quotient_up(l1_sensitivity, epsilon))


def spherical_laplace_rate(epsilon: float, l2_diameter: float) -> float:
    """Rate of spherical Laplace noise that costs at most epsilon for any two words: epsilon / l2_diameter.

    Raises:
        ParameterError: epsilon or the diameter is not finite and > 0.

    Source: ``proofs/spherical_laplace.md``.
    """
    _check(epsilon, l2_diameter=l2_diameter)
    return _representable("rate", _quotient_down(epsilon, l2_diameter))


def truncated_laplace_bound(epsilon: float, delta: float, l1_sensitivity: float) -> float:
    """Half-width of the support of truncated Laplace noise that gives (epsilon, delta)-DP in any dimension.

    scale * ln(1 + (e^epsilon - 1) / (2 delta)), for the scale that ``laplace_scale`` returns for the same
    epsilon and sensitivity; the two belong together. Tight in one dimension for delta <= 1/2.

    Raises:
        ParameterError: an argument is outside its domain.

    Source: Geng, Ding, Guo and Kumar 2020 in one dimension; ``proofs/truncated_laplace.md`` in any.
    """
    _check(epsilon, delta, l1_sensitivity=l1_sensitivity)
    log_ratio = epsilon + math.log(-math.expm1(-epsilon)) - math.log(2) - math.log(delta)
    halves = float(np.logaddexp(0.0, log_ratio))
    return _representable("bound", laplace_scale(epsilon, l1_sensitivity) * halves * (1 + _MARGIN))


def gaussian_delta(epsilon: float, sigma: float, l2_sensitivity: float) -> float:
    """Least delta of Gaussian noise at epsilon; see ``gaussian_log_delta``. Never rounded to zero."""
    return min(1.0, math.nextafter(math.exp(gaussian_log_delta(epsilon, sigma, l2_sensitivity)), 1.0))


def gaussian_log_delta(epsilon: float, sigma: float, l2_sensitivity: float) -> float:
    """Natural logarithm of Phi(h - c) - e^epsilon Phi(-h - c), h = D / (2 sigma), c = epsilon sigma / D.

    The least delta such that N(0, sigma^2 I) noise gives (epsilon, delta)-DP for vectors at distance at
    most D, exactly. Rounded up by less than 3e-9 of delta where delta > 1e-300, and of 1 - delta.

    Args:
        epsilon: nats, finite and > 0.
        sigma: standard deviation of one coordinate, finite and > 0.
        l2_sensitivity: D, finite and > 0.

    Raises:
        ParameterError: an argument is outside its domain.

    Source: Balle and Wang 2018, theorem 8; proof: ``proofs/gaussian.md``.
    """
    _check(epsilon, l2_sensitivity=l2_sensitivity)
    need(0 < sigma < math.inf, "sigma", sigma, "finite and > 0")
    half = max(l2_sensitivity / sigma / 2, 2.0**-1074)
    value = _log_delta(half, center=epsilon * (sigma / l2_sensitivity))
    return value * (1 - _MARGIN)


def analytic_gaussian_sigma(epsilon: float, delta: float, l2_sensitivity: float) -> float:
    """Least sigma, rounded up, with ``gaussian_log_delta(epsilon, sigma, l2_sensitivity) <= ln delta``.

    Raises:
        ParameterError: an argument is outside its domain.

    Source: Balle and Wang 2018, algorithm 1 (the condition; solved here by bisection).
    """
    _check(epsilon, delta, l2_sensitivity=l2_sensitivity)
    target = math.nextafter(math.log(delta), -math.inf)

    def private(sigma: float) -> bool:
        return gaussian_log_delta(epsilon, sigma, l2_sensitivity) <= target

    high = l2_sensitivity
    while not private(high):
        high = _representable("sigma", 2 * high)
    low = high / 2
    while private(low):
        low, high = _representable("sigma", low / 2), low
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if private(middle) else (middle, high)
    return high


def classical_gaussian_sigma(epsilon: float, delta: float, l2_sensitivity: float) -> float:
    """l2_sensitivity * sqrt(2 ln(1.25 / delta)) / epsilon, for epsilon at most 1 only.

    Larger than the analytic sigma, and here for comparison with the literature. Above epsilon 1 the
    formula is not private: at epsilon 25 and delta 1e-5 the true delta is 0.0077.

    Raises:
        ParameterError: an argument is outside its domain; in particular epsilon > 1.

    Source: Dwork and Roth 2014, theorem A.1.
    """
    _check(epsilon, delta, l2_sensitivity=l2_sensitivity)
    sigma = l2_sensitivity / epsilon * math.sqrt(2 * (math.log(1.25) - math.log(delta)))
    if epsilon > 1:
        true = gaussian_delta(epsilon, sigma, l2_sensitivity) if 0 < sigma < math.inf else 1.0
        wanted = f"<= 1 for the classical Gaussian formula, which is not private above it (delta here: {true:.2g})"
        hint = "Use `calibration=analytic` (analytic_gaussian_sigma), which holds at any epsilon and adds less noise."
        need(False, "epsilon", epsilon, wanted, hint)
    return _representable("sigma", sigma * (1 + _MARGIN))


def _log_delta(half: float, center: float) -> float:
    """ln(Phi(h - c) - e^(2hc) Phi(-h - c)), not yet rounded up.

    With R(x) = (1 - Phi(x)) / phi(x) the second term is phi(h - c) R(h + c), so the difference is
    phi(h - c) (R(c - h) - R(c + h)): no large exponentials. Three forms avoid what is left of overflow
    and cancellation.
    """
    edge = half - center
    log_density = -0.5 * edge * edge - _LOG_SQRT_TWO_PI
    if edge < 0 and log_density == -math.inf:
        return -math.inf
    if half < 0.1 * max(1.0, center):  # R(c - h) and R(c + h) nearly cancel: integrate -R' between them
        nodes, weights = _legendre()
        slopes = [_mills_slope(center + half * node) for node in nodes]
        return log_density + math.log(half) + math.log(math.fsum(np.multiply(weights, slopes)))
    if edge <= 0:
        return log_density + math.log(_mills(-edge) - _mills(half + center))
    from scipy.special import ndtr  # a third of a second, which most releases do not need

    return math.log1p(-float(ndtr(-edge)) - math.exp(log_density) * _mills(half + center))


def _mills(x: float) -> float:
    """R(x) = (1 - Phi(x)) / phi(x), Mills' ratio of the standard normal distribution."""
    from scipy.special import erfcx  # a third of a second, which most releases do not need

    return math.sqrt(math.pi / 2) * float(erfcx(x / math.sqrt(2)))


def _mills_slope(x: float) -> float:
    """-R'(x) = 1 - x R(x), positive; far out, where the difference cancels, its bound 1 / (1 + x^2).

    The error of the logarithm, some x^2 units in the last place, is small beside ln delta < -x^2 / 3.
    """
    return 1 - x * _mills(x) if x < 1e4 else 1 / (1 + x * x)


@cache
def _legendre() -> tuple[list[float], list[float]]:
    """Nodes and weights of the Gauss-Legendre rule of 12 points on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    return nodes.tolist(), weights.tolist()


def _check(epsilon: float, delta: float | None = None, **lengths: float) -> None:
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    need(delta is None or 0 < delta < 1, "delta", delta, "in (0, 1)")
    for name, value in lengths.items():
        need(0 < value < math.inf, name, value, "finite and > 0")


def _quotient_up(numerator: float, denominator: float) -> float:
    """Return the smallest float that is not below the exact quotient."""
    quotient = float(numerator) / float(denominator)
    if math.isfinite(quotient) and Fraction(quotient) * Fraction(denominator) < Fraction(numerator):
        return math.nextafter(quotient, math.inf)
    return quotient


def _quotient_down(numerator: float, denominator: float) -> float:
    """Return the largest float that is not above the exact quotient."""
    quotient = float(numerator) / float(denominator)
    if math.isfinite(quotient) and Fraction(quotient) * Fraction(denominator) > Fraction(numerator):
        return math.nextafter(quotient, 0.0)
    return quotient


def _representable(name: str, value: float) -> float:
    """``value``, which arithmetic may have pushed out of the floats."""
    need(0 < value < math.inf, f"the calibrated {name}", value, "finite and > 0", "Rescale the vectors.")
    return value
