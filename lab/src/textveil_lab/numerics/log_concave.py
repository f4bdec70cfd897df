"""Valid lower and upper bounds on integrals of log-concave functions, however narrow the peak.

On a cell, ln f lies above the chord between the cell's ends and below the tangent at its middle; both give
exponentials, whose integrals are elementary. Bounds come out in logarithms, so nothing underflows.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.special import logsumexp

from textveil.types import Reals

Function: TypeAlias = Callable[[Reals], Reals]
CELLS = 1 << 12  # Cells around the peak: the two bounds are then some 1e-5 of the integral apart
_DROP = 50.0  # Nats below the peak from which the rest is bounded by an exponential
_ZOOM = 257


def log_integral(log_f: Function, slope: Function, low: float, high: float) -> tuple[float, float]:
    """Return lower and upper bounds on ln of the integral of f over [low, high]; the caller pays for rounding.

    Args:
        log_f: ln f, concave on [low, high]; may be -inf at the two ends only.
        slope: its derivative, on the open interval.
        low: finite.
        high: finite, > low.
    """
    start, stop = _around_the_peak(log_f, low, high)
    edges = np.linspace(start, stop, CELLS + 1)
    middles, width = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    with np.errstate(divide="ignore"):  # cells narrower than floats hold nothing
        log_width = np.log(width)
    lower = float(logsumexp(log_width + _chords(log_f(edges))))
    parts = [log_width + log_f(middles) + _log_sinhc(np.abs(slope(middles)) * width / 2)]
    for at, room in ((start, start - low), (stop, high - stop)):
        if room > 0:  # beyond the peak's surroundings f falls at least as fast as its tangent
            parts.append(_tail(float(log_f(np.array([at]))[0]), float(abs(slope(np.array([at]))[0])), room))
    return lower, max(lower, float(logsumexp(np.concatenate(parts))))


def log_difference(first: Reals, second: Reals) -> Reals:
    """Return ln(e^first - e^second) entry by entry; -inf if first <= second."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.where(first > second, second - first, 0.0)
        return np.where(first > second, first + np.log(-np.expm1(gap)), -np.inf)


def _around_the_peak(log_f: Function, low: float, high: float) -> tuple[float, float]:
    while True:
        points = np.linspace(low, high, _ZOOM)
        values = log_f(points)
        near = np.flatnonzero(values >= values.max() - _DROP)
        first, last = max(int(near[0]) - 1, 0), min(int(near[-1]) + 1, _ZOOM - 1)
        if last - first > _ZOOM // 2 or not points[first] < points[last]:
            return low, high
        low, high = float(points[first]), float(points[last])


def _chords(values: Reals) -> Reals:
    first, second = values[:-1], values[1:]
    top = np.maximum(first, second)
    with np.errstate(invalid="ignore", divide="ignore"):
        fall = np.abs(first - second)
        # (1 - e^-t) / t; below 1e-8 two terms of its series, whose error t^2 / 6 is under a float's.
        mean = np.where(fall > 1e-8, -np.expm1(-fall) / fall, 1 - fall / 2)
        return np.where(np.isfinite(fall), top + np.log(mean), -np.inf)


def _log_sinhc(x: Reals) -> Reals:
    large = np.maximum(x, 1e-4)  # below it one term of the series: the next is x^4 / 180
    return np.where(x < 1e-4, x * x / 6, large + np.log1p(-np.exp(-2 * large)) - np.log(2 * large))


def _tail(log_value: float, steepness: float, room: float) -> Reals:
    length = min(room, 1 / steepness) if steepness > 0 else room
    return np.array([log_value + np.log(length)])
