"""What is put to the test, as data, and the one way to judge each kind.

Three kinds are computed and one is drawn. All round to the side of the accused: a claim is refuted only where what was
computed exceeds it by more than the stated error, or what was drawn does so at the stated confidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from textveil.audit.report.verdict import Claim, Finding, Subject, Verdict
from textveil.audit.sampled.bounds import Draw, audit_sampled
from textveil.errors import need
from textveil.noise.capabilities import ProfiledNoise
from textveil.statistics import Bound
from textveil.types import Reals

ROUNDING = 1e-12
"""Relative error of a probability, a loss or a claim that a few operations on floats made."""

CONFIDENCE = 0.999
"""Of all bounds that are drawn for one subject together."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComputedTable:
    """A finite channel whose probabilities were computed, with what is claimed of every pair of inputs.

    Attributes:
        rows: P(y | x), shape (n, k), each row with sum 1 within ``absolute`` k + 1e-9.
        claims: nats claimed of each ordered pair of inputs, shape (n, n) or a number; ``inf`` compares no such pair.
        inputs: names of the n inputs.
        outputs: names of the k outputs.
        log_delta: natural logarithm of the delta that is claimed of each pair; ``-inf`` claims pure DP.
        relative: relative error of every probability.
        absolute: absolute error of every probability; 0 where a 0 is one.
        facts: what was set, for the witness.
    """

    rows: Reals
    claims: ArrayLike
    inputs: Sequence[str]
    outputs: Sequence[str]
    log_delta: float = -math.inf
    relative: float = ROUNDING
    absolute: float = 0.0
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        n, k = self.rows.shape
        need((len(self.inputs), len(self.outputs)) == (n, k), "rows", (n, k), "one name for each input and output")
        sums = np.abs(self.rows.sum(axis=1) - 1)
        fits = bool((self.rows >= 0).all() and (sums <= k * self.absolute + 1e-9).all())
        need(fits, "rows", "others", "probabilities that add to 1")
        need(bool(np.isfinite(self._claimed).any()), "claims", "inf for all pairs", "a number for one pair at least")

    @property
    def _claimed(self) -> Reals:
        """What is claimed of every ordered pair; inf of an input with itself."""
        n = len(self.rows)
        claimed: Reals = np.array(np.broadcast_to(np.asarray(self.claims, dtype=np.float64), (n, n)))
        np.fill_diagonal(claimed, np.inf)
        return claimed

    def judged(self) -> Finding:
        """Certified or refuted by the pair and the output, or event, that exceed their claim by most."""
        return self._pure() if self.log_delta == -math.inf else self._approximate()

    def _logs(self) -> tuple[Reals, Reals, Reals]:
        """Logarithms of the probabilities, from below, as computed and from above."""
        low = np.maximum(self.rows * (1 - self.relative) - self.absolute, 0.0)
        with np.errstate(divide="ignore"):
            return np.log(low), np.log(self.rows), np.log(self.rows * (1 + self.relative) + self.absolute)

    def _pure(self) -> Finding:
        low, middle, high = self._logs()
        claimed = self._claimed
        # Entry [x, x', y]: by how much the loss of y, from below, exceeds the claim of the pair.
        compared = np.isfinite(claimed)[:, :, None]
        allowed = np.where(np.isfinite(claimed), claimed, 0.0)[:, :, None] * (1 + ROUNDING)
        excess = np.where(compared, _losses(low, high) - allowed, -math.inf)
        x, other, y = (int(one) for one in np.unravel_index(int(np.argmax(excess)), excess.shape))
        refuted = bool(excess[x, other, y] > 0)
        slack = 2 * self.relative + ROUNDING
        certain = self.absolute == 0 and bool((_losses(middle, middle) <= (claimed + slack)[:, :, None]).all())
        unrefuted = Verdict.CERTIFIED if certain else Verdict.NOT_REFUTED
        lower, estimate = float(low[x, y] - high[other, y]), float(middle[x, y] - middle[other, y])
        upper = math.inf if self.rows[other, y] == 0 else float(high[x, y] - low[other, y])
        return Finding(
            verdict=Verdict.REFUTED if refuted else unrefuted,
            claim=Claim(epsilon=float(claimed[x, other])),
            epsilon=Bound(max(0.0, lower), max(0.0, estimate), max(0.0, upper), 1.0),
            delta=Bound(0.0, self._delta(self.rows[x], self.rows[other], claimed[x, other]), 1.0, 1.0),
            method="computed table",
            witness=self._witness(x, other, self.outputs[y], y),
        )

    def _approximate(self) -> Finding:
        """The pair whose delta at its claim is the largest."""
        low = np.maximum(self.rows * (1 - self.relative) - self.absolute, 0.0)
        high = np.minimum(self.rows * (1 + self.relative) + self.absolute, 1.0)
        claimed = self._claimed
        pairs = np.argwhere(np.isfinite(claimed)).tolist()
        least = [self._delta(low[x], high[other], claimed[x, other]) - ROUNDING for x, other in pairs]
        lower = max(least)
        x, other = pairs[least.index(lower)]
        epsilon = float(claimed[x, other])
        event = f"outputs whose probability is above e^{epsilon:.6g} times that of the other input"
        return Finding(
            verdict=Verdict.REFUTED if lower > 0 and math.log(lower) > self.log_delta else Verdict.NOT_REFUTED,
            claim=Claim(epsilon=epsilon, log_delta=self.log_delta),
            epsilon=Bound(0.0, math.inf, math.inf, 1.0),
            delta=Bound(max(0.0, lower), self._delta(self.rows[x], self.rows[other], epsilon), 1.0, 1.0),
            method="computed table",
            witness=self._witness(x, other, event, None),
        )

    @staticmethod
    def _delta(row: Reals, other: Reals, epsilon: float) -> float:
        """Sum over the outputs of (row - e^epsilon other)+."""
        return float(np.maximum(row - math.exp(min(epsilon, 700.0)) * other, 0.0).sum())

    def _witness(self, x: int, other: int, event: str, output: int | None) -> dict[str, Any]:
        found: dict[str, Any] = {"input": self.inputs[x], "other_input": self.inputs[other], "output": event}
        if output is not None:
            found["probability"] = float(self.rows[x, output])
            found["other_probability"] = float(self.rows[other, output])
        return {**found, **self.facts}


def _losses(likely: Reals, unlikely: Reals) -> Reals:
    """Values of ln P(y | x) - ln P(y | x') for logarithms of tables, shape (n, n, k); -inf where x cannot give y."""
    with np.errstate(invalid="ignore"):
        return np.where(likely[:, None] > -math.inf, likely[:, None] - unlikely[None, :], -math.inf)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MovedNoise:
    """Additive noise of a known profile, for two inputs whose vectors differ by ``shift``.

    Attributes:
        distribution: the noise.
        shift: difference of two vectors that the claim covers, shape (dim,).
        claim: what is claimed of them.
        facts: what was set, for the witness.
    """

    distribution: ProfiledNoise
    shift: Reals
    claim: Claim
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def judged(self) -> Finding:
        """From the noise's exact profile: pure claims by the largest loss, others by delta at their epsilon."""
        profile = self.distribution.privacy_profile(self.shift)
        at = profile.log_delta(self.claim.epsilon)
        if self.claim.log_delta == -math.inf:
            loss = math.inf if profile.log_outside.lower > -math.inf else profile.largest_loss
            refuted = loss * (1 - ROUNDING) > self.claim.epsilon * (1 + ROUNDING)
        else:
            loss = math.nan
            refuted = at.lower - ROUNDING * abs(at.lower) > self.claim.log_delta
        known = not math.isnan(loss)
        lower, estimate, upper = (math.exp(min(0.0, value)) for value in at[:3])
        return Finding(
            verdict=Verdict.REFUTED if refuted else Verdict.PROVED,
            claim=self.claim,
            epsilon=Bound(loss * (1 - ROUNDING), loss, loss, 1.0) if known else Bound(0.0, math.inf, math.inf, 1.0),
            delta=Bound(lower, estimate, upper, 1.0),
            log_delta=at,
            method="closed form",
            subject=Subject.NOISY_VECTOR,
            witness={
                "dimensions": self.distribution.dim,
                "l1": float(np.abs(self.shift).sum()),
                "l2": float(np.linalg.norm(self.shift)),
                **self.facts,
            },
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DensityAtPoint:
    """The logarithms of two densities at one point at which both are continuous: a ball around it has their ratio.

    Attributes:
        log_density: of the output, given the input.
        other_log_density: of the same output, given the other input.
        error: of the difference of the two, nats.
        claimed: nats for this pair of inputs.
        facts: the inputs and the point, for the witness.
    """

    log_density: float
    other_log_density: float
    error: float
    claimed: float
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def judged(self) -> Finding:
        """Refuted where the ratio at the point exceeds the claim; one point proves nothing."""
        loss = self.log_density - self.other_log_density
        lower = loss - self.error - ROUNDING * (abs(self.log_density) + abs(self.other_log_density))
        return Finding(
            verdict=Verdict.REFUTED if lower > self.claimed * (1 + ROUNDING) else Verdict.NOT_REFUTED,
            claim=Claim(epsilon=self.claimed),
            epsilon=Bound(max(0.0, lower), max(0.0, loss), math.inf, 1.0),
            delta=Bound(0.0, 0.0, 1.0, 1.0),
            method="density at a point",
            subject=Subject.NOISY_VECTOR,
            witness=dict(self.facts),
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnPairs:
    """Code that can only be called: the claim of each pair is tried on draws.

    Attributes:
        draw: as for ``audit.sampled.bounds.audit_sampled``.
        pairs: inputs, two a pair.
        claim: what is claimed of each of the pairs.
        samples: draws for each input of a pair.
        confidence: that no honest mechanism is accused.
    """

    draw: Draw
    pairs: Sequence[tuple[Any, Any]]
    claim: Claim
    samples: int = 20_000
    confidence: float = CONFIDENCE

    def judged(self) -> Finding:
        """Refuted at the stated confidence, or not refuted."""
        return audit_sampled(self.draw, self.pairs, self.claim, samples=self.samples, confidence=self.confidence)


UnderTest: TypeAlias = ComputedTable | MovedNoise | DensityAtPoint | DrawnPairs
"""What a verdict can be given on; each has ``judged()``."""
