"""Composition over the tokens of a document (proof: ``proofs/composition.md``).

Draws are independent given the text, so basic composition holds and is exact for the worst text: the
log-ratios of the tokens add up. Sums of epsilon are exact fractions, rounded up once; deltas carry a margin
that covers the rounding of their logarithms.

What is added up has a unit. The draws for the tokens of a document add up to a guarantee of the document; guarantees of
different units are never added as if they were the same: ``into`` says what they add up to.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np

from textveil.errors import UnsupportedGuarantee, need
from textveil.privacy.guarantees import ApproximateDP, Guarantee, PureDP, Status, raised_log
from textveil.privacy.proved import status_of
from textveil.privacy.units import ONE_TOKEN, Adjacency, Unit

# From the most to the least trusted; what is put together is as good as its worst part.
_ORDER = (Status.PROVED, Status.CERTIFIED, Status.CLAIMED, Status.REFUTED, Status.NONE)


def as_approximate(guarantee: Guarantee) -> ApproximateDP:
    """Return a guarantee by its epsilon and delta.

    Raises UnsupportedGuarantee: it promises nothing, or is no guarantee that composition knows.
    """
    convert = getattr(guarantee, "approximate", None)
    if convert is None:
        raise UnsupportedGuarantee(f"cannot compose {type(guarantee).__name__}: no rule for it.")
    return convert()


def added_up(guarantees: Sequence[Guarantee], into: Adjacency | None = None) -> Adjacency:
    """Add up draws with these guarantees that one change of the unit can all reach.

    Draws for tokens or spans add up to the document that holds them; draws for one document (released twice, say) to
    that document. Other mixes must be named by ``into``, whose unit is at least as large as every part's: the sum is
    then right if ``guarantees`` lists every draw that a change of that unit can reach.

    Raises UnsupportedGuarantee: different units, and ``into`` does not say what they add up to; or it is smaller.
    """
    parts = {guarantee.adjacency for guarantee in guarantees}
    if into is not None:
        if not all(into.unit.holds(adjacency.unit) for adjacency in parts):
            raise UnsupportedGuarantee(
                f"guarantees of {_units(parts)} cannot add up to one of a {into.unit.value}; wanted a unit that is at "
                "least as large. Use narrowed() for what follows for a smaller unit."
            )
        _need_shared(parts, into)
        return into
    if len(parts) > 1:
        raise UnsupportedGuarantee(
            f"guarantees of one unit and adjacency can be added; got {_units(parts)}. Say by into= what they add up to."
        )
    adjacency = parts.pop() if parts else ONE_TOKEN
    within = adjacency.unit in (Unit.TOKEN, Unit.SPAN, Unit.ENTITY, Unit.GROUP)
    return adjacency.larger if within and adjacency.larger is not None else adjacency


def _need_shared(parts: set[Adjacency], adjacency: Adjacency) -> None:
    """Refuse to state for any two words what holds for some of them alone."""
    narrow = next((other for other in parts if other.shared not in ("", adjacency.shared)), None)
    if narrow is not None:
        raise UnsupportedGuarantee(
            f"a guarantee that leaves {narrow.shared} public says nothing of {adjacency}; wanted one for any two "
            "words. Choose a mechanism whose adjacency is that of one token (`textveil mechanisms`)."
        )


def _units(parts: set[Adjacency]) -> str:
    return " and ".join(sorted(f"a {adjacency.unit.value} ({adjacency})" for adjacency in parts))


def narrowed(guarantee: Guarantee, adjacency: Adjacency) -> Guarantee:
    """State a guarantee for a unit that is not larger: two texts that differ in one token are two documents.

    Raises UnsupportedGuarantee: the unit is larger, or more words may be exchanged than the guarantee compares.
    """
    if not guarantee.unit.holds(adjacency.unit):
        raise UnsupportedGuarantee(
            f"a guarantee of a {guarantee.unit.value} says nothing of a {adjacency.unit.value}. Add up the draws "
            "that it takes, by repeat()."
        )
    _need_shared({guarantee.adjacency}, adjacency)
    return replace(guarantee, adjacency=adjacency)


def _whole(
    epsilon: Fraction, log_delta: float, parts: Sequence[Guarantee], adjacency: Adjacency
) -> PureDP | ApproximateDP:
    """Return a guarantee with these numbers and the worst status of the parts; epsilon is rounded up."""
    nearest = float(epsilon)
    rounded = nearest if Fraction(nearest) >= epsilon else math.nextafter(nearest, math.inf)
    worst = worst_of(parts)
    status, source = worst.status, worst.source
    if log_delta == -math.inf:
        return PureDP(epsilon=rounded, status=status, source=source, adjacency=adjacency)
    bounded = min(0.0, log_delta)
    return ApproximateDP(epsilon=rounded, log_delta=bounded, status=status, source=source, adjacency=adjacency)


def worst_of(parts: Sequence[Guarantee]) -> Guarantee:
    """Return the part that is trusted least; the first of several."""
    return max(parts, key=lambda part: _ORDER.index(part.status))


def repeat(guarantee: Guarantee, times: int, into: Adjacency | None = None) -> Guarantee:
    """Return the guarantee of ``times`` independent draws, such as those of a document's tokens.

    Two documents of ``times`` protected tokens each are compared, any number of which may differ.
    A metric guarantee becomes pure through the diameter first: distances of unrelated tokens have no
    common bound other than it. For delta the union bound is used, capped at 1.

    Args:
        guarantee: of one draw.
        times: number of draws, >= 0. None of them cost nothing.
        into: what they add up to; None is the document that holds them, see ``added_up``.

    Raises UnsupportedGuarantee: an unknown kind of guarantee, or ``into`` is of a smaller unit.
    """
    need(times >= 0, "times", times, ">= 0")
    if not getattr(guarantee, "promises", True):
        return replace(guarantee, adjacency=added_up([guarantee], into))
    part = as_approximate(guarantee)
    adjacency = added_up([guarantee], into)
    if times == 0:
        source = "privacy/proofs/composition.md"
        return PureDP(epsilon=0.0, status=status_of(__name__, source), source=source, adjacency=adjacency)
    if times == 1:
        return replace(guarantee.worst_case(), adjacency=adjacency)
    log_delta = part.log_delta
    if log_delta > -math.inf:
        log_delta = raised_log(log_delta + math.log(times))
    return _whole(Fraction(part.epsilon) * times, log_delta, [part], adjacency)


def compose(guarantees: Sequence[Guarantee], into: Adjacency | None = None) -> Guarantee:
    """Return the guarantee of independent draws with these guarantees, one after another.

    The result is pure if every part is pure or metric, approximate if one part is, and nothing
    if one part promises nothing. Its status is the worst of its parts'.

    ``guarantees``: one for each draw; ``into``: what they add up to; None is the document that holds them, see
    ``added_up``. Raises UnsupportedGuarantee: an unknown kind of guarantee, or units that differ if ``into`` is
    None.
    """
    nothing = next((guarantee for guarantee in guarantees if not getattr(guarantee, "promises", True)), None)
    if nothing is not None:
        return replace(nothing, adjacency=added_up(guarantees, into))
    parts = [as_approximate(guarantee) for guarantee in guarantees]
    # What costs nothing for one unit costs nothing for any, so it has no say in the sum's unit.
    costly = [part for part in parts if part.epsilon > 0 or part.log_delta > -math.inf]
    adjacency = added_up(costly or parts, into)
    if not parts:
        return repeat(PureDP(epsilon=0.0), 0, adjacency)
    top = max(part.log_delta for part in parts)
    log_delta = top
    if top > -math.inf:
        log_delta = raised_log(top + math.log(math.fsum(math.exp(part.log_delta - top) for part in parts)))
    return _whole(sum((Fraction(part.epsilon) for part in parts), Fraction(0)), log_delta, parts, adjacency)


def weakest(guarantees: Sequence[Guarantee]) -> Guarantee:
    """Return what holds for each of several draws: the largest epsilon, the largest delta, the worst status.

    If one of them is the weakest in every respect, it is returned as it is. Raises UnsupportedGuarantee: they speak of
    different units; or one is unknown.
    """
    need(len(guarantees) > 0, "guarantees", "none", "at least one")
    nothing = next((guarantee for guarantee in guarantees if not getattr(guarantee, "promises", True)), None)
    if nothing is not None:
        return nothing
    parts = [as_approximate(guarantee) for guarantee in guarantees]
    adjacencies = {part.adjacency for part in parts}
    if len(adjacencies) > 1:
        raise UnsupportedGuarantee(
            f"only guarantees of one unit and adjacency can be compared; got {_units(adjacencies)}. "
            "Use narrowed() for what follows for the smaller unit."
        )
    epsilon = max(part.epsilon for part in parts)
    log_delta = max(part.log_delta for part in parts)
    worst = _ORDER.index(worst_of(parts).status)
    for guarantee, part in zip(guarantees, parts, strict=True):
        if part.epsilon == epsilon and part.log_delta == log_delta and _ORDER.index(part.status) == worst:
            return guarantee
    return _whole(Fraction(epsilon), log_delta, parts, parts[0].adjacency)


MARGIN = 2.0**-38
"""Relative margin of scales and of ln delta.

Against multiple precision, for epsilon from 1e-4 to 1e3, the errors that it covers stay below 1 % of it
if 1e-300 < delta < 1 - 1e-50, and below 10 % up to delta = 1 - 1e-290.
"""
_LOG_SQRT_TWO_PI = 0.5 * math.log(2 * math.pi)


def gaussian_delta(epsilon: float, sigma: float, l2_sensitivity: float) -> float:
    """Least delta of Gaussian noise at epsilon; see ``gaussian_log_delta``. Never rounded to zero."""
    return min(1.0, math.nextafter(math.exp(gaussian_log_delta(epsilon, sigma, l2_sensitivity)), 1.0))


def gaussian_log_delta(epsilon: float, sigma: float, l2_sensitivity: float) -> float:
    """Natural logarithm of Phi(h - c) - e^epsilon Phi(-h - c), h = D / (2 sigma), c = epsilon sigma / D.

    The least delta such that N(0, sigma^2 I) noise gives (epsilon, delta)-DP for vectors at distance at most D,
    exactly. Rounded up by less than 3e-9 of delta if delta > 1e-300, and of 1 - delta. ``epsilon``: nats, finite and >
    0; ``sigma``: standard deviation of one coordinate, finite and > 0; ``l2_sensitivity``: D, finite and > 0.

    Raises ParameterError: an argument is outside its domain. Source: Balle and Wang 2018, theorem 8; proof:
    ``proofs/gaussian.md``.
    """
    check_inputs(epsilon, l2_sensitivity=l2_sensitivity)
    need(0 < sigma < math.inf, "sigma", sigma, "finite and > 0")
    half = max(l2_sensitivity / sigma / 2, 2.0**-1074)
    value = _log_delta(half, center=epsilon * (sigma / l2_sensitivity))
    return value * (1 - MARGIN)


def gaussian_epsilon(delta: float, sigma: float, l2_sensitivity: float) -> float:
    """Least epsilon of Gaussian noise at delta in [0, 1], rounded up; inf if none reaches it."""
    need(0 <= delta <= 1, "delta", delta, "in [0, 1]")
    high = 1.0
    while gaussian_delta_at(high, sigma, l2_sensitivity) > delta:
        high *= 2
        if high > 1e300 or delta == 0:
            return math.inf
    return least_epsilon(lambda epsilon: gaussian_delta_at(epsilon, sigma, l2_sensitivity), delta, high)


def gaussian_delta_at(epsilon: float, sigma: float, l2_sensitivity: float) -> float:
    """Upper bound on the least delta of Gaussian noise at epsilon >= 0; within 3e-9 relative of the exact value."""
    need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
    # Delta falls in epsilon; at 0 it is the total variation, which the least epsilon bounds to rounding.
    value = math.exp(gaussian_log_delta(epsilon or 2.0**-1000, sigma, l2_sensitivity))
    return min(1.0, math.nextafter(value * (1 + 2.0**-51), 1.0))


def least_epsilon(delta_at: Callable[[float], float], delta: float, high: float) -> float:
    """Find the smallest epsilon in [0, high] at which a cost keeps delta, if ``high`` does; rounded up."""
    low = 0.0
    if delta_at(low) <= delta:
        return 0.0
    while low < (middle := low + (high - low) / 2) < high and high - low > 1e-12 * high:
        low, high = (low, middle) if delta_at(middle) <= delta else (middle, high)
    return high


def analytic_gaussian_sigma(epsilon: float, delta: float, l2_sensitivity: float) -> float:
    """Least sigma, rounded up, with ``gaussian_log_delta(epsilon, sigma, l2_sensitivity) <= ln delta``.

    Raises ParameterError: an argument is outside its domain. Source: Balle and Wang 2018, algorithm 1 (the condition;
    solved here by bisection).
    """
    check_inputs(epsilon, delta, l2_sensitivity=l2_sensitivity)
    target = math.nextafter(math.log(delta), -math.inf)

    def private(sigma: float) -> bool:
        return gaussian_log_delta(epsilon, sigma, l2_sensitivity) <= target

    high = l2_sensitivity
    while not private(high):
        high = representable("sigma", 2 * high)
    low = high / 2
    while private(low):
        low, high = representable("sigma", low / 2), low
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if private(middle) else (middle, high)
    return high


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


def check_inputs(epsilon: float, delta: float | None = None, **lengths: float) -> None:
    """Refuse an epsilon, a delta or a length outside its domain."""
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    need(delta is None or 0 < delta < 1, "delta", delta, "in (0, 1)")
    for name, value in lengths.items():
        need(0 < value < math.inf, name, value, "finite and > 0")


def representable(name: str, value: float) -> float:
    """Refuse a result that no float can hold."""
    """``value``, which arithmetic may have pushed out of the floats."""
    need(0 < value < math.inf, f"the calibrated {name}", value, "finite and > 0", "Rescale the vectors.")
    return value
