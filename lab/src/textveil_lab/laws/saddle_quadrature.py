"""Density and tail of the symmetric variance-gamma distribution, by one quadrature through the saddle point.

The distribution of X = sqrt(2 V) N, with V ~ Gamma((dim + 1) / 2, 1) and N standard normal. With nu = dim / 2,

    f(x) = C integral of v^nu exp(-v - x^2 / (4 v)) dv / v,           C = 1 / (Gamma(nu + 1/2) sqrt(4 pi)),
    S(x) = C integral of the same times sqrt(pi v) erfcx(x / (2 sqrt v)).

Put v = v0 e^s about the saddle v0 = (nu + w) / 2, w = sqrt(x^2 + nu^2). Then, with u0 = (w - nu) / 2 = x^2 / (4 v0),

    v^nu exp(-v - x^2 / (4 v)) = exp(nu log v0 - w) exp(phi(s)),  phi(s) = -w (cosh s - 1) - nu (sinh s - s),

and the integrand in s is positive, has its peak at 0 and falls off at both ends at least exponentially, so nothing
cancels and nothing overflows, for any dim and any x.

*Error of the trapezoid rule.* The integral of |exp(phi)| over the line Im s = t is K_nu(x cos t) / K_nu(x) times the
one over the real line: cos(t)^-nu at x = 0, and about cos(t)^-w at most for any x. So step h has a relative error of
about 2 exp(-w log cos t - 2 pi t / h) at most, for every 0 < t < pi / 2 (Trefethen and Weideman 2014, theorem 5.1); h
is the largest step for which some t makes the exponent -40. The window ends where phi has fallen by 44. What remains
is rounding: a few units of 1e-16 times the size of the exponent that is returned, which the tests measure against
mpmath.
"""

import math

import numpy as np
from scipy.special import erfcx

from textveil.types import Reals

_FALL = 44.0  # Nats below the peak at which the window ends
_FARTHEST = 1e300  # Below this nothing overflows
_BLOCK = 1 << 15  # Integrand values that are held at once: the work space stays in the cache


def log_density_and_tail(x: Reals, dim: int) -> tuple[Reals, Reals]:
    """Logarithms of f(x) and of S(x) = P(X > x) at rate 1; shape (count,) each.

    Args:
        x: shape (count,), float64, every entry >= 0; from 1e300 on the logarithms are taken as -inf.
        dim: >= 1, checked by the caller.
    """
    order = dim / 2
    log_density, log_tail = np.empty_like(x), np.empty_like(x)
    nodes = _node_count(order)
    rows = max(1, _BLOCK // nodes)
    far = x >= _FARTHEST
    for start in range(0, len(x), rows):
        part = slice(start, start + rows)
        log_density[part], log_tail[part] = _block(np.where(far[part], 0.0, x[part]), order, nodes)
    log_tail[x == 0] = -math.log(2)  # exact, by symmetry
    log_density[far] = log_tail[far] = -np.inf
    return log_density, log_tail


def _block(x: Reals, order: float, nodes: int) -> tuple[Reals, Reals]:
    w = np.hypot(x, order)
    below = np.where(x > order, (w - order) / 2, np.minimum(x, order) * (x / (2 * (order + w))))  # no cancellation
    above = (order + w) / 2  # v0
    left, right = _window(w)
    s = (left + right)[:, None] * np.linspace(0, 1, nodes) - left[:, None]
    weights = np.exp(_phi(s, order, w[:, None], above[:, None], below[:, None]))
    with np.errstate(over="ignore", under="ignore"):  # erfcx(inf) = 0 is the limit
        ratios = np.sqrt(above)[:, None] * np.exp(s / 2) * erfcx(np.sqrt(below)[:, None] * np.exp(-s / 2))
    total = weights.sum(axis=1)
    step = (left + right) / (nodes - 1)
    exponent = order * np.log1p(below / order) - 2 * below + _log_constant(order)
    log_density = exponent + np.log(total * step)
    return log_density, log_density + np.log(math.sqrt(math.pi) * (weights * ratios).sum(axis=1) / total)


def _window(w: Reals) -> tuple[Reals, Reals]:
    """Distances to the left and the right of the peak at which phi is below -_FALL, for any order up to w.

    Right: phi(s) <= -w (cosh s - 1) = -2 w sinh(s/2)^2. Left: phi(-r) <= -w (r - 1 + exp(-r)), the value at
    order = w, and r - 1 + exp(-r) >= q at r = q + sqrt(2 q): with a = sqrt(2 q) that says a - 1 + exp(-(a + a^2 / 2))
    >= 0, plain for a >= 1 and else true because log(1 - a) <= -a - a^2 / 2. One more for the factor of the tail,
    which grows like e^(s/2).
    """
    fall = _FALL / w
    return fall + np.sqrt(2 * fall), 2 * np.arcsinh(np.sqrt((fall + 1 / w) / 2))


def _node_count(order: float) -> int:
    """Nodes that keep the step within its limit for every w >= order: fewer are needed as w grows."""
    left, right = _window(np.array([order]))
    t = np.linspace(0.01, 1.57, 400)
    step = float((2 * math.pi * t / (40 - order * np.log(np.cos(t)))).max())
    return math.ceil(float(left[0] + right[0]) / step) + 1


def _phi(s: Reals, order: float, w: Reals, above: Reals, below: Reals) -> Reals:
    """The exponent relative to its peak, in the form that does not cancel: one near the peak, one away from it."""
    near = np.abs(s) < 0.3
    small = np.where(near, s, 0.0)
    square = small * small
    sinh_minus = small * square / 6 * (1 + square / 20 * (1 + square / 42 * (1 + square / 72 * (1 + square / 110))))
    close = -2 * w * np.sinh(small / 2) ** 2 - order * sinh_minus
    return np.where(near, close, order * s - above * np.expm1(s) - below * np.expm1(-s))


def _log_constant(order: float) -> float:
    """The logarithm of C plus order log(order) - order; by Stirling's series where lgamma would lose digits."""
    if order < 16:
        return order * math.log(order) - order - math.lgamma(order + 0.5) - math.log(4 * math.pi) / 2
    i = 1 / order**2
    series = (-1 / 24 + i * (7 / 2880 - i * (31 / 40320 - i * (127 / 215040 - i * 511 / 608256)))) / order
    return -series - math.log(2 * math.pi) / 2 - math.log(4 * math.pi) / 2
