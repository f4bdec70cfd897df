"""Privacy-loss distributions on a grid, rounded to a stated side, and their composition.

For a pair of distributions P, Q the loss is L = ln(P/Q) under P, and the least delta at epsilon is
E[(1 - e^(epsilon - L))+], a mass P(Q = 0) counting as L = inf. Independent tokens add their losses.

**Upper side.** A mass m at a loss l between two neighbors lo < hi of the grid is split into a at lo and b at hi
with a + b = m and a e^-lo + b e^-hi = m e^-l. The split pair still has total mass 1 under both distributions, and
merging the two parts gives the old pair back: the old pair is a post-processing of the new one, so no delta of the
new one is smaller, and that holds for products too. Errors are of second order in the step.
**Lower side.** Every loss is rounded down; delta is nondecreasing in every loss, also in sums. If a pair shifts a
log-concave distribution the shift is rounded down too, and the loss of a merged cell is the ratio of its masses
(merging is a post-processing), which leaves errors of second order.

Source: the loss as a distribution, Sommer, Meiser and Mohammadi 2019; the split, Doroshenko, Ghazi, Kamath, Kumar
and Manurangsi 2022, section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from textveil.errors import need
from textveil.types import Integers, Reals

_MARGIN = 2.0**-30
"""Relative margin of a delta: covers quadrature, and sums and products of nonnegative numbers, below 1e6 terms."""

_UNIT = 2.0**-53
_TAIL = 1e-24  # mass at each end that trimming may move, to the side that keeps the bound
_DIRECT = 1 << 28  # products of lengths up to which a convolution is summed term by term, with relative accuracy
_BINS = 1 << 16  # bins that a repeated distribution is held to, by doubling the step


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LossDistribution:
    """Masses under P of the losses ``step * (first + i)``.

    Raises ParameterError: an attribute is outside its domain.
    """

    step: float  # nats between neighbors of the grid, finite and > 0
    first: int  # place of the lowest loss on the grid
    masses: Reals  # shape (bins,), >= 0
    infinite: float = 0.0  # mass of the loss +inf, in [0, 1]
    slack: float = 0.0  # bound on the absolute error of any delta from Fourier transforms, >= 0
    upper: bool = True  # whether deltas are upper bounds; else they are lower bounds

    def __post_init__(self) -> None:
        need(0 < self.step < math.inf, "step", self.step, "finite and > 0")
        need(0 <= self.infinite <= 1, "infinite", self.infinite, "in [0, 1]")
        need(self.slack >= 0, "slack", self.slack, ">= 0")
        masses = np.array(self.masses, dtype=np.float64)
        need(masses.ndim == 1 and len(masses) >= 1, "masses", f"shape {masses.shape}", "of shape (bins,), bins >= 1")
        need(bool(np.all(masses >= 0)), "masses", "a negative or NaN entry", ">= 0")
        total = float(masses.sum()) + self.infinite
        need(total <= 1 + 1e-6 + self.slack, "masses", f"a total of {total:.9g}", "a total of at most 1")
        masses.flags.writeable = False
        object.__setattr__(self, "masses", masses)

    @property
    def losses(self) -> Reals:
        """The finite losses, shape (bins,)."""
        indices = np.arange(self.first, self.first + len(self.masses), dtype=np.float64)
        return self.step * indices

    def delta(self, epsilon: float) -> float:
        """Delta at epsilon: an upper bound if ``upper``, else a lower bound. ``epsilon``: nats, finite and >= 0."""
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        start = max(0, min(len(self.masses), math.floor(epsilon / self.step) - self.first))
        losses = self.step * (self.first + np.arange(start, len(self.masses)))
        value = self.infinite - float(self.masses[start:] @ np.expm1(np.minimum(epsilon - losses, 0.0)))
        if self.upper:
            return min(1.0, value * (1 + _MARGIN) + self.slack)
        return max(0.0, value * (1 - _MARGIN) - self.slack)

    def epsilon(self, delta: float) -> float:
        """Epsilon at delta, rounded to the side of ``upper``; inf if no epsilon reaches delta.

        ``delta``: in [0, 1].
        """
        need(0 <= delta <= 1, "delta", delta, "in [0, 1]")
        low, high = 0.0, max(0.0, self.step * (self.first + len(self.masses)))
        if self.delta(low) <= delta:
            return 0.0
        if self.delta(high) > delta:
            return math.inf
        while low < (middle := low + (high - low) / 2) < high and high - low > 1e-12 * high:
            low, high = (low, middle) if self.delta(middle) <= delta else (middle, high)
        return high if self.upper else low

    def compose(self, other: LossDistribution) -> LossDistribution:
        """The loss of two independent tokens.

        Term by term for short distributions; by Fourier transforms for long ones, whose error (16 log2(N) 2^-53 |a|_2
        |b|_2 in the 2-norm, so sqrt(N) times that in any sum) goes to ``slack``. Raises ParameterError: the two have
        different steps or sides.
        """
        need(self.step == other.step, "the step of the other", other.step, f"{self.step}")
        need(self.upper == other.upper, "the side of the other", other.upper, f"{self.upper}")
        first, second = self.masses, other.masses
        slack = self.slack + other.slack
        if len(first) * len(second) <= _DIRECT:
            masses = np.convolve(first, second)
        else:
            from scipy.fft import irfft, next_fast_len, rfft  # a third of a second, which most releases do not need

            bins = len(first) + len(second) - 1
            size = next_fast_len(bins, real=True)
            masses = np.maximum(irfft(rfft(first, size) * rfft(second, size), size)[:bins], 0.0)
            norms = float(np.linalg.norm(first) * np.linalg.norm(second))
            slack += 16 * math.log2(size) * _UNIT * norms * math.sqrt(size)
        return replace(
            self,
            first=self.first + other.first,
            masses=masses,
            infinite=min(1.0, self.infinite + other.infinite * (1 - self.infinite)),
            slack=slack,
        )

    def repeat(self, times: int, bins: int = _BINS) -> LossDistribution:
        """The loss of ``times`` independent tokens, by squaring.

        ``times``: >= 0; ``bins``: what the length is held to, by doubling the step; 0 never doubles it.
        """
        need(isinstance(times, int) and times >= 0, "times", times, "an integer >= 0")
        total = replace(self, first=0, masses=np.ones(1), infinite=0.0, slack=0.0)
        power = self
        while times:
            if times & 1:
                total, power = _same_step(total, power)
                total = total.compose(power)._held(bins)
            times >>= 1
            if times:
                power = power.compose(power)._held(bins)
        return total

    def coarsened(self) -> LossDistribution:
        """The same on a grid of twice the step, rounded to the same side."""
        first, masses = _on_grid(self.losses, self.masses, 2 * self.step, self.upper)
        return replace(self, step=2 * self.step, first=first, masses=masses)

    def _held(self, bins: int) -> LossDistribution:
        """Trimmed, and coarsened until it has no more than ``bins`` bins."""
        kept = self._trimmed()
        while bins and len(kept.masses) > bins:
            kept = kept.coarsened()
        return kept

    def _trimmed(self) -> LossDistribution:
        """Without the ends that hold next to nothing: what was there moves to the side that keeps the bound."""
        below = np.cumsum(self.masses)
        above = np.cumsum(self.masses[::-1])[::-1]
        inside = np.flatnonzero((below > _TAIL) & (above > _TAIL))
        if len(inside) == 0 or len(inside) == len(self.masses):
            return self
        start, stop = int(inside[0]), int(inside[-1]) + 1
        masses = self.masses[start:stop].copy()
        lower_end, upper_end = float(self.masses[:start].sum()), float(self.masses[stop:].sum())
        infinite = self.infinite
        if self.upper:
            masses[0] += lower_end
            infinite = min(1.0, infinite + upper_end)
        else:
            masses[-1] += upper_end
        return replace(self, first=self.first + start, masses=masses, infinite=infinite)


def atoms_loss(
    losses: Reals, masses: Reals, *, step: float, upper: bool = True, infinite: float = 0.0
) -> LossDistribution:
    """The distribution with these masses under P at these losses, moved to a grid.

    Args:
        losses: finite, shape (atoms,).
        masses: >= 0, the same shape.
        step: nats between neighbors of the grid.
        upper: the side to round to.
        infinite: mass of the loss inf.
    """
    need(0 < step < math.inf, "step", step, "finite and > 0")
    first, binned = _on_grid(losses, masses, step, upper)
    return LossDistribution(step=step, first=first, masses=binned, infinite=infinite, upper=upper)


def _on_grid(losses: Reals, masses: Reals, step: float, upper: bool) -> tuple[int, Reals]:
    """Masses at any losses moved to the grid: split if ``upper``, rounded down otherwise."""
    if len(losses) == 0:
        return 0, np.zeros(1)
    scaled = losses / step
    indices: Integers = np.floor(scaled).astype(np.int64)
    if not upper:  # a loss that was computed as a point of the grid stays there
        on_point = np.abs(scaled - np.rint(scaled)) <= 1e-12 * np.maximum(1.0, np.abs(scaled))
        indices = np.where(on_point, np.rint(scaled), indices).astype(np.int64)
    first, bins = int(indices.min()), int(indices.max() - indices.min()) + 2
    need(bins <= 1 << 26, "step", step, f"large enough for fewer than 2^26 bins, which gives {bins}")
    if not upper:
        return first, _binned(indices - first, masses, bins)
    over = np.clip(losses - indices * step, 0.0, step)
    raised = masses * (np.expm1(-over) / math.expm1(-step))
    kept = np.maximum(masses - raised, 0.0)
    return first, _binned(indices - first, kept, bins) + _binned(indices - first + 1, raised, bins)


def _binned(indices: Integers, masses: Reals, bins: int) -> Reals:
    return np.bincount(indices, masses, bins).astype(np.float64)


def _same_step(first: LossDistribution, second: LossDistribution) -> tuple[LossDistribution, LossDistribution]:
    """Both on the coarser of their grids; steps differ by a power of two."""
    while first.step < second.step:
        first = first.coarsened()
    while second.step < first.step:
        second = second.coarsened()
    return first, second
