"""The report as one HTML page without network, for wide screens and phones.

Charts of an audit as inline SVG: the privacy profile against the claim, and the bounds from samples.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from textveil.pages.rendering import badge, bullets, drawing, facts, heading, rendered, results_page, table, text, whole
from textveil.statistics import Bound
from textveil_lab.audit.report.report import (
    AuditReport,
    Finding,
    Verdict,
    shown_bound,
    shown_claim,
    shown_delta,
    shown_result,
)

_FARTHEST = 1e300  # An axis ends here at the latest: ticks are floats


@dataclass(frozen=True, slots=True)
class _Frame:
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
        """Return the position of an epsilon; beyond the axis, its end."""
        return self.left + (self.right - self.left) * min(epsilon / self.widest, 1.0)

    @staticmethod
    def reach(label: str) -> float:
        return 3.75 * len(label)

    def inside(self, x: float, label: str) -> float:
        half = self.reach(label)
        return min(max(x, self.left + half + 8), self.width - half - 4)


def profile_svg(finding: Finding) -> str:
    """Return a chart of delta(epsilon) of the worst pair with the claimed point, delta on a logarithmic axis."""
    logs = [(epsilon, math.log10(delta) if delta > 0 else -math.inf) for epsilon, delta in finding.profile]
    claim_log = finding.claim.log_delta / math.log(10)
    # The axis shows finite deltas down to 1e-30; lower ones lie on its floor.
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
    """Return the sampled lower bound of epsilon as a chart, with the estimate and the claim."""
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


# Names of a witness's keys for readers; other keys are shown unchanged.
_LABELS = {
    "pair": "inputs",
    "input": "word",
    "other_input": "other word",
    "probability": "its probability",
    "other_probability": "its probability from the other word",
    "log_ratio": "loss there (nats)",
    "ratio": "exact ratio",
    "delta_pair": "for delta",
    "ids": "word ids",
    "shift": "difference of their vectors",
    "l1": "L1 norm",
    "l2": "L2 norm",
    "size": "outputs in it",
    "hits": "hits, for the one and the other word",
    "trials": "test draws for each word",
    "probability_at_least": "its probability, at least",
    "other_probability_at_most": "from the other word, at most",
    "log_likelihood_ratio_at_least": "log-likelihood ratio, at least",
}


def to_html(report: AuditReport) -> str:
    """Return a self-contained page: verdict, the sentence to quote, charts, witnesses, attacks, hygiene."""
    return results_page(f"Audit of {report.name}", _parts(report))


def _parts(report: AuditReport) -> Iterator[Markup]:
    claimed = whole(shown_claim(report.leading))
    yield text(Markup("{} for the {}; claimed: {}").format(badge(report.verdict), report.subject.value, claimed))
    yield Markup("<blockquote>{}</blockquote>").format(whole(report.sentence()))
    yield heading("Findings")
    yield from map(_finding, report.findings)
    checked = ("check", "result", "reason")
    if report.draws is not None:
        yield heading("Draws")
        yield table(
            checked, [[report.draws["method"], shown_result(report.draws), report.draws["detail"]]], stacked=None
        )
    if report.attacks:
        yield heading("Attacks")
        rows = [
            [attack["name"], shown_bound(Bound(**attack["success"])), f"{attack['baseline']:.4g}"]
            for attack in report.attacks
        ]
        yield table(("attack", "success", "baseline"), rows, stacked=None)
    if report.recovery is not None:
        yield heading(f"Recovery by {report.recovery['model']}")
        head = ("public text", "of its", "named by a decoder in context", "word by word", "unchanged")
        rows = [
            [name, kind["kind"], *(_share(kind[key]) for key in ("in_context", "alone", "unchanged"))]
            for name, recovered in report.recovery["texts"].items()
            for kind in recovered["kinds"]
        ]
        yield table(head, rows, stacked=None)
    if report.hygiene:
        yield heading("Hygiene")
        rows = [[check["check"], shown_result(check), check["witness"] or check["detail"]] for check in report.hygiene]
        yield table(checked, rows, stacked=None)
    setting = {**dict(report.parameters), **{f"vocabulary {key}": value for key, value in report.vocabulary.items()}}
    setting |= {"seconds": round(report.seconds, 1), "seed": "none" if report.seed is None else report.seed}
    yield heading("Setting")
    yield facts(_rows(setting))


def _finding(finding: Finding) -> Markup:
    chart, caption = _chart(finding)
    parts = [
        heading(Markup("{} {}, {}").format(badge(finding.verdict), finding.method, finding.subject.value), 3),
        drawing(chart, caption) if chart else "",
        facts(_facts(finding)),
        bullets(map(whole, finding.notes)),
    ]
    return Markup("<section class='finding'>{}</section>").format(Markup().join(parts))


def _share(bound: Mapping[str, float] | None) -> str:
    return "" if bound is None else shown_bound(Bound(**bound))


def _facts(finding: Finding) -> list[tuple[str, str]]:
    rows = [
        ("claimed", shown_claim(finding)),
        ("epsilon at the claimed delta", shown_bound(finding.epsilon)),
        ("delta at the claimed epsilon", shown_delta(finding)),
    ]
    if finding.samples:
        rows.append(("draws", f"{finding.samples} ({100 * finding.epsilon.confidence:.10g}% confidence)"))
    return [*rows, *_rows(finding.witness)]


def _chart(finding: Finding) -> tuple[str, str]:
    if finding.verdict in (Verdict.CONTRADICTED, Verdict.NO_VERDICT):
        return "", ""
    if len(finding.profile) > 1:
        worst = "Delta at every epsilon, for the worst pair that was found (line), and the claim"
        return profile_svg(finding), f"{worst} {shown_claim(finding)}."
    if finding.samples:
        band = "Where the true epsilon lies by the samples (band from its lower bound on), the estimate, and the claim."
        return bound_svg(finding), band
    return "", ""


def _rows(data: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        label = before + _LABELS.get(key, key.replace("_", " "))
        if isinstance(value, Mapping):
            yield from _rows(value, f"{label}: ")
        else:
            yield label, ", ".join(map(_shown, value)) if isinstance(value, list | tuple) else _shown(value)


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
