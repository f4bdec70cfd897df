"""Charts of an audit as inline SVG: the privacy profile against the claim, and what samples bound.

They are drawn for a column of 440 units, so that their letters are legible on a phone too.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from textveil.pages.rendering import rendered
from textveil_lab.audit.report.verdict import Finding

_FARTHEST = 1e300  # An axis ends here at the latest: ticks are floats


@dataclass(frozen=True, slots=True)
class _Frame:
    """The axis of epsilon from 0 to ``widest``, and where its edges lie."""

    widest: float
    height: int
    width: int = 440
    left: int = 80
    top: int = 20

    @property
    def right(self) -> int:
        return self.width - 30

    @property
    def floor(self) -> int:
        return self.height - 50

    @property
    def ticks(self) -> list[float]:
        """Three to six round numbers from 0 on."""
        rough = 10.0 ** math.floor(math.log10(self.widest))
        step = next(rough * share for share in (0.2, 0.5, 1.0, 2.0) if self.widest / (rough * share) < 6)
        return [step * index for index in range(math.floor(self.widest / step * (1 + 1e-9)) + 1)]

    def across(self, epsilon: float) -> float:
        """The place of an epsilon; what lies beyond the axis stands at its end."""
        return self.left + (self.right - self.left) * min(epsilon / self.widest, 1.0)

    @staticmethod
    def reach(label: str) -> float:
        """Half the width of a label, at most."""
        return 3.75 * len(label)

    def inside(self, x: float, label: str) -> float:
        """The middle of a label near x, between the axis and the right edge."""
        half = self.reach(label)
        return min(max(x, self.left + half + 8), self.width - half - 4)


def profile_svg(finding: Finding) -> str:
    """delta(epsilon) of the worst pair, with the claimed point, delta on a logarithmic axis."""
    logs = [(epsilon, math.log10(delta) if delta > 0 else -math.inf) for epsilon, delta in finding.profile]
    claim_log = finding.claim.log_delta / math.log(10)
    # The axis holds what is finite, down to 1e-30; what is lower lies on its floor.
    seen = [log for log in (*(log for _, log in logs), claim_log) if math.isfinite(log)]
    lowest = math.floor(max(min([*seen, -1.0]), -30.0)) - 1
    frame = _Frame(_widest([*(epsilon for epsilon, _ in finding.profile), finding.claim.epsilon]), height=300)

    def down(log_delta: float) -> float:
        share = (min(max(log_delta, lowest), 0.0) - lowest) / -lowest
        return frame.floor - (frame.floor - frame.top) * share

    return rendered(
        "profile.svg",
        title="privacy profile and claim",
        frame=frame,
        powers=[(down(power), f"1e{power}") for power in range(0, lowest - 1, -max(1, -lowest // 6))],
        line=[(frame.across(epsilon), down(log)) for epsilon, log in logs],
        x=frame.across(finding.claim.epsilon),
        y=down(claim_log),
        label="claimed" if claim_log >= lowest else "claimed (below the axis)",
    )


def bound_svg(finding: Finding) -> str:
    """What samples say of epsilon: at least the lower bound, with the estimate and the claim."""
    lower, estimate, claimed = finding.epsilon.lower, finding.epsilon.estimate, finding.claim.epsilon
    frame = _Frame(
        _widest(value for value in (1.2 * lower, 1.1 * estimate, 1.3 * claimed) if math.isfinite(value)), 150
    )
    return rendered(
        "bound.svg",
        title="bound on epsilon and claim",
        frame=frame,
        x=frame.across(lower),
        claimed=frame.across(claimed),
        estimate=frame.across(estimate) if math.isfinite(estimate) else None,
        color="c1" if lower > claimed else "soft",
        label=f"at least {lower:.4g}",
        claim=f"claimed {claimed:.4g}",
    )


def _widest(values: Iterable[float]) -> float:
    return min(max(values, default=0.0), _FARTHEST) * 1.05 or 1.0
