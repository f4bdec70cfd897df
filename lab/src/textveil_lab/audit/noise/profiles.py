"""Verdicts and bounds from a privacy profile, in logarithms: a delta that underflows to 0 is not 0."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from textveil.statistics import Bound, exactly
from textveil_lab.audit.report.report import Claim, Finding, Subject, Verdict
from textveil_lab.noise.capabilities import PrivacyProfile

METHOD = "closed form"
_CLOSE = 1e-9  # Relative width at which the bisection of an epsilon ends
_NEAR = 1e-5  # Relative distance below an upper bound on epsilon at which the lower one is searched for first


def judged(claim: Claim, witness: PrivacyProfile, log_delta: Bound) -> Verdict:
    """Return the verdict on a claim from the profile of a witness and bounds on ln delta that hold for all shifts.

    Pure DP holds for a shift exactly if epsilon is at least the largest loss and no mass leaves the support; the
    largest loss is rounded up to a float, and an epsilon is a float, so that comparison is exact.
    """
    if claim.log_delta == -math.inf:
        if claim.epsilon < witness.largest_loss or witness.log_outside.lower > -math.inf:
            return Verdict.REFUTED
        return Verdict.PROVED if log_delta.upper == -math.inf else Verdict.NOT_REFUTED
    if log_delta.lower > claim.log_delta:
        return Verdict.REFUTED
    return Verdict.PROVED if log_delta.upper <= claim.log_delta else Verdict.NOT_REFUTED


def profile_finding(
    claim: Claim,
    profile: PrivacyProfile,
    log_delta: Bound,
    epsilon: Bound,
    *,
    subject: Subject,
    witness: Mapping[str, Any],
    notes: tuple[str, ...],
    largest: float | None = None,
) -> Finding:
    """Return the verdict, with the profile of the witness around the claim.

    Args:
        log_delta: bounds on ln delta at the claimed epsilon, for all inputs.
        epsilon: bounds on the smallest epsilon at the claimed delta, for all inputs.
        witness: as JSON data.
        largest: largest loss, if one other than the profile's is known.
    """
    top = profile.largest_loss if largest is None else largest
    end = max(claim.twice, 1.2 * top if math.isfinite(top) else 0.0, 1.0)
    epsilons = sorted({*np.linspace(0.0, end, 33).tolist(), claim.epsilon})
    return Finding(
        verdict=judged(claim, profile, log_delta),
        subject=subject,
        claim=claim,
        epsilon=epsilon,
        delta=as_delta(log_delta),
        log_delta=log_delta,
        method=METHOD,
        witness=witness,
        profile=tuple((epsilon, as_delta(profile.log_delta(epsilon)).upper) for epsilon in epsilons),
        notes=notes,
    )


def as_delta(log_delta: Bound) -> Bound:
    """Return a delta as floats, each rounded to its side: ``upper`` is 0 only if delta is."""
    lower, estimate, upper = (math.exp(min(0.0, bound)) for bound in log_delta[:3])
    if lower != upper or log_delta.lower != log_delta.upper:
        lower = math.nextafter(lower, 0.0)
    if log_delta.upper > -math.inf:
        upper = min(1.0, math.nextafter(upper, 1.0))
    return Bound(lower, min(estimate, upper), upper, log_delta.confidence)


def epsilon_at(profile: PrivacyProfile, log_delta: float) -> Bound:
    """Return the smallest epsilon at which delta is at most e^log_delta; ``inf`` if there is none."""
    if profile.log_outside.lower > log_delta:
        return exactly(math.inf)
    if log_delta == -math.inf:  # exact if nothing leaves the support
        return Bound(profile.largest_loss, profile.largest_loss, _pure(profile), 1.0)
    top = profile.largest_loss
    if math.isinf(top):
        top = 1.0
        while profile.log_delta(top).upper > log_delta and top < 1e300:
            top *= 2
    if profile.log_delta(top).upper > log_delta:
        return Bound(0.0, top, math.inf, 1.0)
    if profile.log_delta(0.0).upper <= log_delta:
        return exactly(0.0)
    upper = _crossing(0.0, top, lambda epsilon: profile.log_delta(epsilon).upper <= log_delta)[1]
    near = upper * (1 - _NEAR)
    if profile.log_delta(near).lower > log_delta:
        lower = _crossing(near, upper, lambda epsilon: profile.log_delta(epsilon).lower <= log_delta)[0]
    elif profile.log_delta(0.0).lower > log_delta:
        lower = _crossing(0.0, near, lambda epsilon: profile.log_delta(epsilon).lower <= log_delta)[0]
    else:
        lower = 0.0
    return Bound(lower, (lower + upper) / 2, upper, 1.0)


def _pure(profile: PrivacyProfile) -> float:
    return profile.largest_loss if profile.log_outside.upper == -math.inf else math.inf


def _crossing(low: float, high: float, enough: Callable[[float], bool]) -> tuple[float, float]:
    """Return adjacent floats between which ``enough`` turns true; it is true at ``high`` and false at ``low``."""
    while high - low > _CLOSE * high and low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if enough(middle) else (middle, high)
    return low, high
