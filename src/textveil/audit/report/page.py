"""The report as one HTML page that needs no network: the profile against the claim, as inline SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from textveil.audit.report.report import AuditReport, shown_bound, shown_claim, shown_result
from textveil.audit.report.verdict import Finding, Verdict
from textveil.statistics import Bound

# Okabe and Ito's colors, which readers with any color vision can tell apart.
_BLUE, _ORANGE, _GREEN, _GRAY = "#0072B2", "#D55E00", "#009E73", "#666666"
_COLORS = {
    Verdict.REFUTED: _ORANGE,
    Verdict.NOT_REFUTED: _GRAY,
    Verdict.PROVED: _GREEN,
    Verdict.CERTIFIED: _GREEN,
}

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
.verdict{display:inline-block;padding:.15rem .8rem;border-radius:.3rem;color:#fff;font-weight:600}
blockquote{margin:1rem 0;padding:.6rem 1rem;border-left:4px solid #888;background:#f5f5f5}
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.25rem .6rem;text-align:left;vertical-align:top}
td{overflow-wrap:anywhere}
svg{max-width:100%;height:auto}text{font:13px system-ui,sans-serif;fill:#222}
"""


def to_html(report: AuditReport) -> str:
    """A page that stands alone: verdict, the sentence to quote, profile, witness, attacks, hygiene."""
    color = _COLORS[report.verdict]
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        f"<title>Audit of {_safe(report.name)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>Audit of {_safe(report.name)}</h1>",
        f"<p><span class='verdict' style='background:{color}'>{report.verdict.value}</span> "
        f"claimed: {_safe(shown_claim(report.leading))}</p>",
        f"<blockquote>{_safe(report.sentence())}</blockquote>",
    ]
    drawn = next((one for one in report.findings if len(one.profile) > 1), None)
    if drawn is not None:
        parts += ["<h2>Privacy profile against the claim</h2>", profile_svg(drawn)]
    parts += ["<h2>Findings</h2>", _findings(report.findings)]
    if report.attacks:
        rows = [[one["name"], shown_bound(Bound(**one["success"])), f"{one['baseline']:.4g}"] for one in report.attacks]
        parts += ["<h2>Attacks</h2>", _table(["attack", "success", "baseline"], rows)]
    if report.hygiene:
        rows = [[one["check"], shown_result(one), one["detail"]] for one in report.hygiene]
        parts += ["<h2>Hygiene</h2>", _table(["check", "result", "detail"], rows)]
    facts = {**dict(report.parameters), **{f"vocabulary {key}": value for key, value in report.vocabulary.items()}}
    facts |= {"seconds": f"{report.seconds:.1f}", "seed": "none" if report.seed is None else report.seed}
    parts += ["<h2>Setting</h2>", _table(["what", "value"], [[key, value] for key, value in facts.items()])]
    return "\n".join([*parts, "</body></html>", ""])


def _safe(value: object) -> str:
    return html.escape(str(value))


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    top = "".join(f"<th>{_safe(one)}</th>" for one in head)
    body = "".join("<tr>" + "".join(f"<td>{_safe(one)}</td>" for one in row) + "</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


def _findings(findings: Sequence[Finding]) -> str:
    rows = []
    for one in findings:
        witness = "; ".join(f"{key}: {value}" for key, value in one.witness.items())
        bounds = [shown_bound(bound) for bound in (one.epsilon, one.delta)]
        rows.append([one.method, one.verdict.value, *bounds, witness, " ".join(one.notes)])
    return _table(["method", "verdict", "epsilon", "delta", "witness", "notes"], rows)


_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 640, 360, 80, 50, 20, 30


def profile_svg(finding: Finding) -> str:
    """delta(epsilon) of the worst pair, with the claimed point, delta on a logarithmic axis."""
    logs = [(epsilon, math.log10(delta) if delta > 0 else -math.inf) for epsilon, delta in finding.profile]
    claim_log = finding.claim.log_delta / math.log(10)
    # The axis holds what is finite, down to 1e-30; what is lower lies on its floor.
    seen = [log for log in (*(log for _, log in logs), claim_log) if math.isfinite(log)]
    floor = math.floor(max(min([*seen, -1.0]), -30.0)) - 1
    widest = max([epsilon for epsilon, _ in finding.profile] + [finding.claim.epsilon]) * 1.05 or 1.0

    def across(epsilon: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * epsilon / widest

    def down(log_delta: float) -> float:
        share = (min(max(log_delta, floor), 0.0) - floor) / -floor
        return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * share

    axis = [
        f"<line x1='{_LEFT}' y1='{down(floor):.1f}' x2='{_WIDTH - _RIGHT}' y2='{down(floor):.1f}' stroke='#444'/>",
        f"<line x1='{_LEFT}' y1='{_TOP}' x2='{_LEFT}' y2='{down(floor):.1f}' stroke='#444'/>",
    ]
    for power in range(0, floor - 1, -max(1, -floor // 6)):
        axis.append(f"<text x='{_LEFT - 8}' y='{down(power) + 4:.1f}' text-anchor='end'>1e{power}</text>")
    for index in range(6):
        epsilon = widest * index / 5
        axis.append(
            f"<text x='{across(epsilon):.1f}' y='{_HEIGHT - _BOTTOM + 18}' text-anchor='middle'>{epsilon:.3g}</text>"
        )
    axis.append(f"<text x='{(_LEFT + _WIDTH) / 2:.0f}' y='{_HEIGHT - 10}' text-anchor='middle'>epsilon (nats)</text>")
    axis.append(
        f"<text x='16' y='{_HEIGHT / 2:.0f}' text-anchor='middle' "
        f"transform='rotate(-90 16 {_HEIGHT / 2:.0f})'>delta</text>"
    )
    line = " ".join(f"{across(epsilon):.1f},{down(log):.1f}" for epsilon, log in logs)
    x, y = across(finding.claim.epsilon), down(claim_log)
    label = "claimed" if claim_log >= floor else "claimed (below the axis)"
    label = f"{label}: {shown_claim(finding)}"
    # Over the point, but between the axis and the right edge; a letter is at most 7.5 wide.
    half = 3.75 * len(label)
    center = min(max(x, _LEFT + half + 8), _WIDTH - half - 4)
    height = y - 10 if y > 2 * _TOP + 20 else y + 22
    return (
        f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img' aria-label='privacy profile and claim'>{''.join(axis)}"
        f"<polyline points='{line}' fill='none' stroke='{_BLUE}' stroke-width='2.5'/>"
        f"<circle cx='{x:.1f}' cy='{y:.1f}' r='6' fill='{_ORANGE}'/>"
        f"<text x='{center:.1f}' y='{height:.1f}' text-anchor='middle'>{_safe(label)}</text>"
        f"<text x='{_WIDTH - _RIGHT - 4}' y='{_TOP + 12}' text-anchor='end' style='fill:{_BLUE}'>privacy profile</text>"
        "</svg>"
    )
