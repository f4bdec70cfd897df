"""Charts of an audit as inline SVG: the privacy profile against the claim, and what samples bound.

They are drawn for a column of 440 units, so that their letters are legible on a phone too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from textveil.audit.report.verdict import Finding

# Okabe and Ito's colors, which readers with any color vision can tell apart.
BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "#666666"

_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 440, 80, 30, 20, 50
_HEIGHT, _LOW_HEIGHT = 300, 150
_LETTER = 7.5
"""A letter is at most so wide."""

_FARTHEST = 1e300
"""An axis ends here at the latest: ticks are floats."""


def profile_svg(finding: Finding) -> str:
    """delta(epsilon) of the worst pair, with the claimed point, delta on a logarithmic axis."""
    logs = [(epsilon, math.log10(delta) if delta > 0 else -math.inf) for epsilon, delta in finding.profile]
    claim_log = finding.claim.log_delta / math.log(10)
    # The axis holds what is finite, down to 1e-30; what is lower lies on its floor.
    seen = [log for log in (*(log for _, log in logs), claim_log) if math.isfinite(log)]
    floor = math.floor(max(min([*seen, -1.0]), -30.0)) - 1
    widest = _widest([*(epsilon for epsilon, _ in finding.profile), finding.claim.epsilon])

    def down(log_delta: float) -> float:
        share = (min(max(log_delta, floor), 0.0) - floor) / -floor
        return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * share

    parts = _axes(widest, _HEIGHT)
    for power in range(0, floor - 1, -max(1, -floor // 6)):
        parts.append(_text(_LEFT - 8, down(power) + 4, f"1e{power}", "end"))
    parts.append(
        f"<text x='16' y='{_HEIGHT / 2:.0f}' text-anchor='middle' "
        f"transform='rotate(-90 16 {_HEIGHT / 2:.0f})'>delta</text>"
    )
    line = " ".join(f"{_across(epsilon, widest):.1f},{down(log):.1f}" for epsilon, log in logs)
    x, y = _across(finding.claim.epsilon, widest), down(claim_log)
    label = "claimed" if claim_log >= floor else "claimed (below the axis)"
    parts += [
        f"<polyline points='{line}' fill='none' stroke='{BLUE}' stroke-width='2.5'/>",
        f"<circle cx='{x:.1f}' cy='{y:.1f}' r='6' fill='{ORANGE}'/>",
        _text(_inside(x, label), y - 10 if y > 2 * _TOP + 20 else y + 22, label),
        _text(_WIDTH - _RIGHT - 4, _TOP + 12, "privacy profile", "end", BLUE),
    ]
    return _svg(parts, _HEIGHT, "privacy profile and claim")


def bound_svg(finding: Finding) -> str:
    """What samples say of epsilon: at least the lower bound, with the estimate and the claim."""
    lower, estimate, claimed = finding.epsilon.lower, finding.epsilon.estimate, finding.claim.epsilon
    widest = _widest([one for one in (1.2 * lower, 1.1 * estimate, 1.3 * claimed) if math.isfinite(one)])
    color = ORANGE if lower > claimed else GRAY
    start, middle, end = _TOP + 22, _TOP + 46, _LOW_HEIGHT - _BOTTOM
    x, at = _across(min(lower, widest), widest), _across(claimed, widest)
    label, claim_label = f"at least {lower:.4g}", f"claimed {claimed:.4g}"
    parts = [
        *_axes(widest, _LOW_HEIGHT),
        f"<rect x='{x:.1f}' y='{middle - 8}' width='{_WIDTH - _RIGHT - x:.1f}' height='16' fill='{color}' "
        "fill-opacity='.3'/>",
        f"<line x1='{x:.1f}' y1='{middle - 12}' x2='{x:.1f}' y2='{middle + 12}' stroke='{color}' stroke-width='3'/>",
        f"<line x1='{at:.1f}' y1='{start - 4}' x2='{at:.1f}' y2='{end}' stroke='{BLUE}' stroke-width='2' "
        "stroke-dasharray='5 4'/>",
        _text(_inside(at, claim_label), start - 10, claim_label, color=BLUE),
        _text(_inside(x + _LETTER * len(label) / 2, label), middle + 26, label),
    ]
    if math.isfinite(estimate):
        parts.append(f"<circle cx='{_across(estimate, widest):.1f}' cy='{middle}' r='5' fill='{color}'/>")
    return _svg(parts, _LOW_HEIGHT, "bound on epsilon and claim")


def _widest(values: Sequence[float]) -> float:
    return min(max(values, default=0.0), _FARTHEST) * 1.05 or 1.0


def _across(epsilon: float, widest: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * min(epsilon / widest, 1.0)


def _inside(x: float, label: str) -> float:
    """The middle of a label near x, between the axis and the right edge."""
    half = _LETTER / 2 * len(label)
    return min(max(x, _LEFT + half + 8), _WIDTH - half - 4)


def _axes(widest: float, height: int) -> list[str]:
    floor = height - _BOTTOM
    parts = [
        f"<line x1='{_LEFT}' y1='{floor}' x2='{_WIDTH - _RIGHT}' y2='{floor}' stroke='#444'/>",
        f"<line x1='{_LEFT}' y1='{_TOP}' x2='{_LEFT}' y2='{floor}' stroke='#444'/>",
    ]
    parts += [_text(_across(tick, widest), floor + 18, f"{tick:.3g}") for tick in _ticks(widest)]
    return [*parts, _text((_LEFT + _WIDTH) / 2, height - 10, "epsilon (nats)")]


def _ticks(widest: float) -> list[float]:
    """Three to six round numbers from 0 on."""
    rough = 10.0 ** math.floor(math.log10(widest))
    step = next(rough * share for share in (0.2, 0.5, 1.0, 2.0) if widest / (rough * share) < 6)
    return [step * index for index in range(math.floor(widest / step * (1 + 1e-9)) + 1)]


def _text(x: float, y: float, text: str, anchor: str = "middle", color: str = "") -> str:
    style = f" style='fill:{color}'" if color else ""
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'{style}>{text}</text>"


def _svg(parts: Sequence[str], height: int, label: str) -> str:
    return f"<svg viewBox='0 0 {_WIDTH} {height}' role='img' aria-label='{label}'>{''.join(parts)}</svg>"
