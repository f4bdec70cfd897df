"""Verdicts on the laws of published forms, each with a witness.

All computations round in favor of the claim: it is refuted only if the computed number exceeds it by more than the
stated error.
"""

import math
from typing import Any

import numpy as np

from textveil.statistics import Bound
from textveil.types import Reals
from textveil_lab.audit.report.report import Claim, Finding, Subject, Verdict
from textveil_lab.mechanisms.published.claims import ComputedTable, DensityAtPoint, Law, MovedNoise

ROUNDING = 1e-12  # Relative error of a probability, a loss or a claim that a few operations on floats made


def judged(law: Law) -> Finding:
    """Return the verdict on a law's claim."""
    match law:
        case ComputedTable():
            return _pure(law) if law.log_delta == -math.inf else _approximate(law)
        case MovedNoise():
            return _moved(law)
        case DensityAtPoint():
            return _at_point(law)


def _pure(law: ComputedTable) -> Finding:
    low, middle, high = _logs(law)
    claimed = law.claimed
    # Entry [x, x', y]: by how much the loss of y, from below, exceeds the claim of the pair.
    compared = np.isfinite(claimed)[:, :, None]
    allowed = np.where(np.isfinite(claimed), claimed, 0.0)[:, :, None] * (1 + ROUNDING)
    excess = np.where(compared, _losses(low, high) - allowed, -math.inf)
    x, other, y = (int(place) for place in np.unravel_index(int(np.argmax(excess)), excess.shape))
    refuted = bool(excess[x, other, y] > 0)
    slack = 2 * law.relative + ROUNDING
    certain = law.absolute == 0 and bool((_losses(middle, middle) <= (claimed + slack)[:, :, None]).all())
    unrefuted = Verdict.CERTIFIED if certain else Verdict.NOT_REFUTED
    lower, estimate = float(low[x, y] - high[other, y]), float(middle[x, y] - middle[other, y])
    upper = math.inf if law.rows[other, y] == 0 else float(high[x, y] - low[other, y])
    return Finding(
        verdict=Verdict.REFUTED if refuted else unrefuted,
        claim=Claim(epsilon=float(claimed[x, other])),
        epsilon=Bound(max(0.0, lower), max(0.0, estimate), max(0.0, upper), 1.0),
        delta=Bound(0.0, _delta(law.rows[x], law.rows[other], claimed[x, other]), 1.0, 1.0),
        method="computed table",
        witness=_witness(law, x, other, law.outputs[y], y),
    )


def _approximate(law: ComputedTable) -> Finding:
    low = np.maximum(law.rows * (1 - law.relative) - law.absolute, 0.0)
    high = np.minimum(law.rows * (1 + law.relative) + law.absolute, 1.0)
    claimed = law.claimed
    pairs = np.argwhere(np.isfinite(claimed)).tolist()
    least = [_delta(low[x], high[other], claimed[x, other]) - ROUNDING for x, other in pairs]
    lower = max(least)
    x, other = pairs[least.index(lower)]
    epsilon = float(claimed[x, other])
    event = f"outputs whose probability is above e^{epsilon:.6g} times that of the other input"
    return Finding(
        verdict=Verdict.REFUTED if lower > 0 and math.log(lower) > law.log_delta else Verdict.NOT_REFUTED,
        claim=Claim(epsilon=epsilon, log_delta=law.log_delta),
        epsilon=Bound(0.0, math.inf, math.inf, 1.0),
        delta=Bound(max(0.0, lower), _delta(law.rows[x], law.rows[other], epsilon), 1.0, 1.0),
        method="computed table",
        witness=_witness(law, x, other, event, None),
    )


def _logs(law: ComputedTable) -> tuple[Reals, Reals, Reals]:
    low = np.maximum(law.rows * (1 - law.relative) - law.absolute, 0.0)
    with np.errstate(divide="ignore"):
        return np.log(low), np.log(law.rows), np.log(law.rows * (1 + law.relative) + law.absolute)


def _delta(row: Reals, other: Reals, epsilon: float) -> float:
    return float(np.maximum(row - math.exp(min(epsilon, 700.0)) * other, 0.0).sum())


def _witness(law: ComputedTable, x: int, other: int, event: str, output: int | None) -> dict[str, Any]:
    named: dict[str, Any] = {"input": law.inputs[x], "other_input": law.inputs[other], "output": event}
    if output is not None:
        named["probability"] = float(law.rows[x, output])
        named["other_probability"] = float(law.rows[other, output])
    return {**named, **law.facts}


def _losses(likely: Reals, unlikely: Reals) -> Reals:
    with np.errstate(invalid="ignore"):
        return np.where(likely[:, None] > -math.inf, likely[:, None] - unlikely[None, :], -math.inf)


def _moved(law: MovedNoise) -> Finding:
    """Judge by the noise's exact profile: pure claims by the largest loss, others by delta at their epsilon."""
    claim = Claim(epsilon=law.epsilon, log_delta=law.log_delta)
    profile = law.distribution.privacy_profile(law.shift)
    at = profile.log_delta(claim.epsilon)
    if claim.log_delta == -math.inf:
        loss = math.inf if profile.log_outside.lower > -math.inf else profile.largest_loss
        refuted = loss * (1 - ROUNDING) > claim.epsilon * (1 + ROUNDING)
    else:
        loss = math.nan
        refuted = at.lower - ROUNDING * abs(at.lower) > claim.log_delta
    known = not math.isnan(loss)
    lower, estimate, upper = (math.exp(min(0.0, value)) for value in at[:3])
    return Finding(
        verdict=Verdict.REFUTED if refuted else Verdict.PROVED,
        claim=claim,
        epsilon=Bound(loss * (1 - ROUNDING), loss, loss, 1.0) if known else Bound(0.0, math.inf, math.inf, 1.0),
        delta=Bound(lower, estimate, upper, 1.0),
        log_delta=at,
        method="closed form",
        subject=Subject.NOISY_VECTOR,
        witness={
            "dimensions": law.distribution.dim,
            "l1": float(np.abs(law.shift).sum()),
            "l2": float(np.linalg.norm(law.shift)),
            **law.facts,
        },
    )


def _at_point(law: DensityAtPoint) -> Finding:
    """Refute the claim if the ratio at the point exceeds it; one point proves nothing."""
    loss = law.log_density - law.other_log_density
    lower = loss - law.error - ROUNDING * (abs(law.log_density) + abs(law.other_log_density))
    return Finding(
        verdict=Verdict.REFUTED if lower > law.claimed * (1 + ROUNDING) else Verdict.NOT_REFUTED,
        claim=Claim(epsilon=law.claimed),
        epsilon=Bound(max(0.0, lower), max(0.0, loss), math.inf, 1.0),
        delta=Bound(0.0, 0.0, 1.0, 1.0),
        method="density at a point",
        subject=Subject.NOISY_VECTOR,
        witness=dict(law.facts),
    )
