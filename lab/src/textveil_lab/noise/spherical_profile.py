"""Privacy profile of spherical Laplace noise against a shifted copy: delta between two bounds, in logarithms.

Units of 1/rate; R = rate ||v||_2. Let r = ||z|| and s = ||z - v||. The loss L = s - r and the sum r + s are prolate
spheroidal coordinates with the foci 0 and v, in which density and volume nearly factorize. Integrating the sum out
leaves Bessel functions, and the loss has on [-R, R] the density

    p(l) = C (R^2 - l^2)^((d-3)/2) e^(l/2) (R^2 - l^2 + k),   k = 2 R (d - 1) K_(d/2)(R/2) / K_(d/2-1)(R/2)
    1/C  = sqrt(pi) Gamma((d+1)/2) (4R)^(d/2) 2 / (R K_(d/2-1)(R/2))

and delta(e) = integral from e to R of (1 - e^(e - l)) p(l) dl. With l = R cos(t) that is a sum of two integrals of
log-concave functions of t, which ``numerics.log_concave`` bounds from both sides in any dimension. In one dimension
delta is 1 - e^((e - R)/2). Proof: ``textveil_lab/proofs/spherical_laplace.md``, "Profile".
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from textveil.errors import need
from textveil.statistics import Bound, exactly
from textveil.types import Reals
from textveil_lab.numerics.bessel import log_bessel_k
from textveil_lab.numerics.guarantee_limits import log_delta_of_pure
from textveil_lab.numerics.log_concave import log_integral

_ROUNDING = 2.0**-50  # relative error of a product and a root
_REACH = 1e-150, 1e150  # squares of reaches between them are floats
_DIMENSIONS = 10**6  # beyond these no quadrature is tried


@dataclass(frozen=True, kw_only=True)
class SphericalProfile:
    """Privacy profile of spherical Laplace noise; see ``capabilities.PrivacyProfile``."""

    log_outside: ClassVar[Bound] = exactly(-math.inf)  # No mass leaves the support, which is everything

    dim: int  # coordinates, >= 1
    largest_loss: float  # rate times the L2 norm of the shift, rounded up; > 0

    def log_delta(self, epsilon: float) -> Bound:
        """Return ln of the smallest delta at epsilon, between two bounds about 1e-6 apart."""
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if epsilon >= self.largest_loss:
            return exactly(-math.inf)
        most = log_delta_of_pure(self.largest_loss, epsilon)
        # Delta grows with the shift, so a reach that is a little too short or too long pays for rounding in it.
        short, long = self.largest_loss * (1 - _ROUNDING), self.largest_loss * (1 + _ROUNDING)
        if short <= epsilon or not _REACH[0] < self.largest_loss < _REACH[1] or self.dim > _DIMENSIONS:
            return Bound(-math.inf, most, most, 1.0)  # holds for any mechanism of this loss
        lower, upper = self._bounds(short, epsilon)[0], self._bounds(long, epsilon)[1]
        return Bound(lower, lower + 2 / 3 * (min(upper, most) - lower), min(upper, most), 1.0)

    def _bounds(self, reach: float, epsilon: float) -> tuple[float, float]:
        if self.dim == 1:
            value = math.log(-math.expm1((epsilon - reach) / 2))
            return value - 2.0**-48, value + 2.0**-48
        log_scaled_bessel, log_ratio = self._bessel
        log_reach = math.log(reach)
        # ln(1/C) without the factor e^(R/2), which the integrand leaves out too.
        log_total = 0.5 * math.log(math.pi) + float(gammaln((self.dim + 1) / 2)) + self.dim / 2 * math.log(4 * reach)
        log_total += math.log(2) - log_reach - log_scaled_bessel
        log_k = math.log(2 * (self.dim - 1)) + log_reach + log_ratio
        first, second = (_half(power, reach, epsilon) for power in (self.dim, self.dim - 2))
        lower, upper = (float(np.logaddexp(a, log_k + b)) - log_total for a, b in zip(first, second, strict=True))
        margin = 2.0**-46 * (16 + self.dim * (1 + abs(log_reach) + math.log(self.dim)) + reach)
        return lower - margin, upper + margin

    @cached_property
    def _bessel(self) -> tuple[float, float]:
        """Logarithms of K_v(x) e^x and of K_(v+1)(x) / K_v(x), v = dim/2 - 1, x = largest_loss/2."""
        log_value, log_ratio = log_bessel_k(self.dim - 2, self.largest_loss / 2)
        return float(log_value), float(log_ratio)


def log_tail_of_product(dim: int, distance: Reals) -> tuple[Reals, Reals]:
    """Return bounds on ln P(<Z, u> > distance) for a unit vector u, in units of 1/rate; distance >= 0, any shape.

    For dim >= 2 the density is (|x|/2)^(d/2) K_(d/2)(|x|) / (sqrt(pi) Gamma((d+1)/2)), log-concave like all projections
    of log-concave densities.
    """
    shape = np.shape(distance)
    values, which = np.unique(distance, return_inverse=True)
    tails = np.array([_tail(dim, value) if value > 0 else (math.log(0.5),) * 2 for value in values.tolist()])
    return tails[which, 0].reshape(shape), tails[which, 1].reshape(shape)


def _tail(dim: int, start: float) -> tuple[float, float]:
    constant = 0.5 * math.log(math.pi) + float(gammaln((dim + 1) / 2)) + dim / 2 * math.log(2)

    def log_f(x: Reals) -> Reals:
        log_value, log_ratio = log_bessel_k(dim - 2, x)
        return dim / 2 * np.log(x) + log_value + log_ratio - x - constant

    def slope(x: Reals) -> Reals:
        return -np.exp(-log_bessel_k(dim - 2, x)[1])

    stop = start + 80 + 12 * math.sqrt(dim + 1)  # past it there is e^-60 of the mass and less
    lower, upper = log_integral(log_f, slope, start, stop)
    last = np.array([stop])
    rest = float(log_f(last)[0]) - math.log(-float(slope(last)[0]))
    margin = 2.0**-46 * (16 + dim * (1 + math.log(dim) + abs(math.log(start))) + start)
    return lower - margin, min(0.0, float(np.logaddexp(upper, rest)) + margin)


def _half(power: int, reach: float, epsilon: float) -> tuple[float, float]:
    """Return bounds on ln of the integral of (R sin t)^power e^((R cos t - R)/2) (1 - e^(epsilon - R cos t)) over t.

    The integral runs from 0 to the angle at which R cos t = epsilon. Its ln is concave in t, as are ln sin, cos, and
    ln(1 - e^-g) in g.
    """
    end = 2 * math.asin(math.sqrt(min(1.0, (reach - epsilon) / (2 * reach))))

    def excess(t: Reals) -> Reals:
        """Return R cos t - epsilon, without cancellation."""
        return 2 * reach * np.sin((end + t) / 2) * np.sin(np.maximum(end - t, 0.0) / 2)

    def log_f(t: Reals) -> Reals:
        with np.errstate(divide="ignore"):
            sines = power * np.log(reach * np.sin(t)) if power else np.zeros(t.shape)
            return sines - reach * np.sin(t / 2) ** 2 + np.log(-np.expm1(-excess(t)))

    def slope(t: Reals) -> Reals:
        with np.errstate(over="ignore"):
            return power / np.tan(t) - reach * np.sin(t) * (0.5 + 1 / np.expm1(excess(t)))

    return log_integral(log_f, slope, 0.0, end)
