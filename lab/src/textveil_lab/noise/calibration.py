"""Calibration: from a guarantee to the parameter of a noise distribution, rounded so that the guarantee holds.

Scales, sigmas, bounds and deltas are rounded up and rates down: quotients by exact comparison, other formulas by a
margin of 2^-38 that covers all rounding errors in them. Sensitivities are the largest distance between the vectors of
any two words, in the norm of the name.
"""

import math
from fractions import Fraction

import numpy as np

from textveil.errors import need
from textveil.privacy.composition import (
    MARGIN,
    check_inputs,
    gaussian_delta,
    representable,
)


def laplace_scale(epsilon: float, l1_sensitivity: float) -> float:
    """Return the scale of independent Laplace coordinates that gives pure epsilon-DP: l1_sensitivity / epsilon.

    Raises:
        ParameterError: epsilon or the sensitivity is not finite and > 0.

    Source: Dwork, McSherry, Nissim and Smith 2006; proof: ``textveil_lab/proofs/coordinate_laplace.md``.
    """
    check_inputs(epsilon, l1_sensitivity=l1_sensitivity)
    return representable("scale", quotient_up(l1_sensitivity, epsilon))


def spherical_laplace_rate(epsilon: float, l2_diameter: float) -> float:
    """Return the rate of spherical Laplace noise that costs at most epsilon for any two words: epsilon / l2_diameter.

    Raises:
        ParameterError: epsilon or the diameter is not finite and > 0.

    Source: ``textveil_lab/proofs/spherical_laplace.md``.
    """
    check_inputs(epsilon, l2_diameter=l2_diameter)
    return representable("rate", quotient_down(epsilon, l2_diameter))


def truncated_laplace_bound(epsilon: float, delta: float, l1_sensitivity: float) -> float:
    """Return the half-width of truncated Laplace noise that gives (epsilon, delta)-DP in any dimension.

    It is scale * ln(1 + (e^epsilon - 1) / (2 delta)), with the scale of ``laplace_scale`` for the same epsilon and
    sensitivity. It is tight in one dimension for delta <= 1/2.

    Source: Geng, Ding, Guo and Kumar 2020 in one dimension; ``textveil_lab/proofs/truncated_laplace.md`` in any.
    """
    check_inputs(epsilon, delta, l1_sensitivity=l1_sensitivity)
    log_ratio = epsilon + math.log(-math.expm1(-epsilon)) - math.log(2) - math.log(delta)
    halves = float(np.logaddexp(0.0, log_ratio))
    return representable("bound", laplace_scale(epsilon, l1_sensitivity) * halves * (1 + MARGIN))


def classical_gaussian_sigma(epsilon: float, delta: float, l2_sensitivity: float) -> float:
    """Return l2_sensitivity * sqrt(2 ln(1.25 / delta)) / epsilon, for epsilon at most 1 only.

    It is larger than the analytic sigma, and serves for comparison with the literature. Above epsilon 1 the formula is
    not private: at epsilon 25 and delta 1e-5 the true delta is 0.0077.

    Raises:
        ParameterError: an argument is outside its domain, such as epsilon > 1.

    Source: Dwork and Roth 2014, theorem A.1.
    """
    check_inputs(epsilon, delta, l2_sensitivity=l2_sensitivity)
    sigma = l2_sensitivity / epsilon * math.sqrt(2 * (math.log(1.25) - math.log(delta)))
    if epsilon > 1:
        true = gaussian_delta(epsilon, sigma, l2_sensitivity) if 0 < sigma < math.inf else 1.0
        wanted = f"<= 1 for the classical Gaussian formula, which is not private above it (delta here: {true:.2g})"
        hint = "Use `calibration=analytic` (analytic_gaussian_sigma), which holds at any epsilon and adds less noise."
        need(False, "epsilon", epsilon, wanted, hint)
    return representable("sigma", sigma * (1 + MARGIN))


def quotient_up(numerator: float, denominator: float) -> float:
    """Return the smallest float that is not below the exact quotient."""
    quotient = float(numerator) / float(denominator)
    if math.isfinite(quotient) and Fraction(quotient) * Fraction(denominator) < Fraction(numerator):
        return math.nextafter(quotient, math.inf)
    return quotient


def quotient_down(numerator: float, denominator: float) -> float:
    """Return the largest float that is not above the exact quotient."""
    quotient = float(numerator) / float(denominator)
    if math.isfinite(quotient) and Fraction(quotient) * Fraction(denominator) > Fraction(numerator):
        return math.nextafter(quotient, 0.0)
    return quotient
