"""Privacy profiles of independent Laplace coordinates, plain or truncated, against a shifted copy, in logarithms.

From the largest finite loss ||v||_1 / scale on, delta is exactly the mass that leaves the moved support. Below it the
losses of the coordinates are composed on a grid, rounded to either side.

The grid is that of ``privacy.loss_distribution``.
"""

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from textveil.errors import need
from textveil.privacy.loss_distribution import LossDistribution, atoms_loss
from textveil.statistics import Bound, exactly
from textveil.types import Reals
from textveil_lab.noise.distribution import l1_over
from textveil_lab.noise.token_losses import bulk_nodes, merged_bulk
from textveil_lab.noise.truncation import outer_strip_mass, truncated_log_delta


def laplace_loss(shift: float, scale: float, *, step: float, upper: bool = True) -> LossDistribution:
    """Return the privacy loss of one-dimensional Laplace noise against itself moved by ``shift``.

    Args:
        shift: finite; its sign does not matter.
        scale: finite and > 0.
        step: nats between neighbors of the grid.
        upper: the side to round to.
    """
    return truncated_laplace_loss(shift, scale, math.inf, step=step, upper=upper)


def truncated_laplace_loss(
    shift: float, scale: float, bound: float, *, step: float, upper: bool = True
) -> LossDistribution:
    """Return the privacy loss of Laplace noise on [-bound, bound] against itself moved by v = |shift|.

    With s the scale and t = min(v, 2 bound - v) / s the finite losses lie in [-t, t] with density e^((l - v/s)/2) / (4
    (1 - e^(-bound/s))), and if v <= bound there are atoms at v/s and -v/s, of masses (1 - e^((v-bound)/s)) / (2 (1 -
    e^(-bound/s))) and e^(-v/s) times that. The loss is infinite on the strip that leaves the moved support.

    Args:
        shift: finite; its sign does not matter.
        scale: finite and > 0.
        bound: half-width of the support, > 0; inf is plain Laplace noise.
        step: nats between neighbors of the grid.
        upper: the side to round to.
    """
    need(math.isfinite(shift), "shift", shift, "finite")
    need(0 < scale < math.inf, "scale", scale, "finite and > 0")
    need(bound > 0, "bound", bound, "> 0")
    ratio, width = abs(shift) / scale, bound / scale
    if not upper:  # best tests of a log-concave distribution are half-lines, so delta grows with the shift
        ratio = step * math.floor(ratio / step)
    if ratio >= 2 * width:  # disjoint supports
        return LossDistribution(step=step, first=0, masses=np.zeros(1), infinite=1.0, upper=upper)
    edge = min(ratio, 2 * width - ratio)
    normalizer = -math.expm1(-width)
    losses, masses = bulk_nodes(edge, step) if upper else merged_bulk(edge, step)
    masses = masses * (math.exp(-ratio / 2) / (4 * normalizer))
    if ratio <= width:
        atom = -math.expm1(ratio - width) / (2 * normalizer)
        losses = np.concatenate([losses, [ratio, -ratio]])
        masses = np.concatenate([masses, [atom, atom * math.exp(-ratio)]])
    infinite = 0.0 if math.isinf(bound) else float(outer_strip_mass(ratio * scale, scale, bound))
    return atoms_loss(losses, masses, step=step, upper=upper, infinite=infinite)


_BINS = 1 << 14  # bins of a composed loss between its two extremes
_COMPOSED = 2.0**19  # largest loss up to which losses are composed: beyond it the grid has too many cells
_EDGE = 2.0**-40  # relative distance from the largest loss within which rounding decides on which side epsilon lies
_LOST = 2.0**-960  # exceeds the underflow of a composed delta: N^2 terms below 2^-1022 for each coordinate
_ROUNDING = 2.0**-40  # Absolute, of a logarithm: covers the formulas for strips and atoms, with room to spare
_UP = 1 + 2.0**-30
_LOWEST = -sys.float_info.max


@dataclass(frozen=True, eq=False, kw_only=True)
class LaplaceProfile:
    """Privacy profile of independent Laplace coordinates; see ``capabilities.PrivacyProfile``."""

    shift: Reals  # as ``checked_shift`` gives it
    scale: float  # of one coordinate
    bound: float = math.inf  # half-width of its support; inf for plain Laplace noise

    @cached_property
    def largest_loss(self) -> float:
        """Largest finite loss ||v||_1 / scale, rounded up."""
        return l1_over(self.shift, self.scale)

    @cached_property
    def log_outside(self) -> Bound:
        """Bounds on ln of the mass that leaves the moved support; none for a full support."""
        if math.isinf(self.bound):
            return exactly(-math.inf)
        return _around(float(truncated_log_delta(self.shift, self.scale, self.bound)))

    def log_delta(self, epsilon: float) -> Bound:
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        outside, largest = self.log_outside, self.largest_loss
        if epsilon >= largest:
            return outside
        # No finite loss is above the largest, so they add at most 1 - e^(epsilon - largest).
        beyond = largest - epsilon
        most = min(0.0, float(np.logaddexp(outside.upper, _log_gain(beyond + 2.0**-51 * largest))))
        if beyond <= _EDGE * largest:
            return Bound(outside.lower, most, most, 1.0)
        upper, lower = most, max(outside.lower, self._all_atoms(beyond))
        if largest <= _COMPOSED:
            upper = min(most, max(outside.upper, _log(self._composed[1].delta(epsilon) + _LOST)))
            lower = max(lower, _log(self._composed[0].delta(epsilon)))
        lower = min(lower, upper)
        return Bound(lower, float(np.logaddexp(lower, upper)) - math.log(2), upper, 1.0)

    @cached_property
    def _composed(self) -> tuple[LossDistribution, LossDistribution]:
        return self._coordinates(upper=False), self._coordinates(upper=True)

    def _coordinates(self, *, upper: bool) -> LossDistribution:
        step = 2 * self.largest_loss / _BINS
        total = LossDistribution(step=step, first=0, masses=np.ones(1), upper=upper)
        widths, counts = np.unique(np.abs(self.shift[self.shift != 0]), return_counts=True)
        for width, count in zip(widths.tolist(), counts.tolist(), strict=True):
            if math.isinf(self.bound):
                loss = laplace_loss(width, self.scale, step=step, upper=upper)
            else:
                loss = truncated_laplace_loss(width, self.scale, self.bound, step=step, upper=upper)
            for _ in range(count):
                total = total.compose(loss)
        return total

    def _all_atoms(self, beyond: float) -> float:
        """Return the contribution of the event that every coordinate has its largest loss: 2^-dim for plain noise."""
        if not math.isinf(self.bound):
            return -math.inf
        return _log_gain(beyond * (1 - 2.0**-10)) - float(np.count_nonzero(self.shift)) * math.log(2) - _ROUNDING


def worst_laplace_log_delta(scale: float, bound: float, epsilon: float, reach: float, widest: float) -> float:
    """Return an upper bound on ln delta for every shift of L1 norm at most ``reach``, no entry above ``widest``.

    Every finite loss is at most t = reach / scale, so the overlap of the supports adds at most 1 - e^(epsilon - t).
    Truncation adds at most the sum of the strips F(w_i) <= G(w_i) with G(w) = (e^(w/s) - 1) / (2 (e^(A/s) - 1)), convex
    with G(0) = 0: with M the widest coordinate and sum w_i <= reach, at most (reach / M) G(M), and 1 - e^(-(reach / M)
    g(M)) for g = -ln(1 - F), which is convex too if M <= A.
    """
    within = Fraction(epsilon) * Fraction(scale) >= Fraction(reach)
    excess = -math.inf if within else _log_gain(max(0.0, reach / scale * _UP - epsilon))
    if math.isinf(bound):
        return min(0.0, excess + _ROUNDING)
    wide = min(widest, reach)
    width, ratio = wide / scale, bound / scale
    single = math.log(0.5) + (width - ratio) + math.log(-math.expm1(-width)) - math.log(-math.expm1(-ratio))
    many = math.log(reach / wide)
    strips = [0.0, many + single]
    if wide <= bound and single > -600:
        strips.append(_log(-math.expm1(reach / wide * math.log1p(-math.exp(single)))))
    rounding = _ROUNDING + 2.0**-50 * abs(single)
    return min(0.0, float(np.logaddexp(excess, min(strips))) + rounding)


def _around(value: float) -> Bound:
    """Return bounds on ln of a mass > 0, with its rounding error."""
    if math.isinf(value):
        return Bound(value, _LOWEST, _LOWEST, 1.0)
    slack = _ROUNDING + 2.0**-50 * abs(value)
    return Bound(value - slack, value, min(0.0, value + slack), 1.0)


def _log_gain(beyond: float) -> float:
    return math.log(-math.expm1(-beyond)) if beyond > 0 else -math.inf


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
