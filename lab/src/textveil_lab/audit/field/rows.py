"""One row of the table of the field, as data."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from textveil_lab.audit.field.judging import judged
from textveil_lab.audit.report.report import (
    Finding,
    Subject,
    Verdict,
    finding_data,
    shown_bound,
    shown_claim,
    shown_delta,
)
from textveil_lab.mechanisms.published.claims import ComputedTable, Law, MovedNoise, PublishedClaim


class Cost(NamedTuple):
    """Cost of a repair, as one number that both forms have."""

    measure: str
    published: float
    repaired: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """One claim: its content, its outcome, and how to see it again."""

    about: PublishedClaim
    finding: Finding | None  # the verdict with its numbers and its witness; None if nothing could be run
    repaired: Verdict | None = None  # the verdict on the mended form at the same claim; None if there is none
    cost: Cost | None = None  # cost of the repair in one number; None if the forms have none in common
    note: str = ""

    @property
    def name(self) -> str:
        return self.about.name

    @property
    def refuted(self) -> bool:
        return self.finding is not None and self.finding.verdict is Verdict.REFUTED

    @property
    def contested(self) -> bool:
        """Whether the verdict needs a reading of the claim that others may not share."""
        return bool(self.about.reading)

    @property
    def verdict(self) -> str:
        return "not run" if self.finding is None else self.finding.verdict.value

    @property
    def found(self) -> str:
        finding = self.finding
        if finding is None:
            return self.note
        if finding.claim.log_delta > float("-inf"):
            return f"{shown_claim(finding)} claimed; delta {shown_delta(finding)}"
        return f"{shown_claim(finding)} claimed; epsilon {shown_bound(finding.epsilon)}"

    @property
    def mended(self) -> str:
        parts = [self.about.repair] if self.about.repair else []
        if self.cost is not None:
            parts.append(
                f"{self.cost.measure}: {self.cost.published:.3g} as published, {self.cost.repaired:.3g} mended"
            )
        return "; ".join(parts)

    @property
    def repeat(self) -> str:
        return f"textveil audit-field {self.name}"

    def to_data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "work": self.about.work,
            "part": self.about.part,
            "claim": self.about.claim,
            "verdict": self.verdict,
            "found": self.found,
            "why": self.about.why,
            "source": self.about.source,
            "basis": self.about.basis.value,
            "repair": self.about.repair or None,
            "repaired": None if self.repaired is None else self.repaired.value,
            "cost": None if self.cost is None else self.cost._asdict(),
            "instead": self.about.instead or None,
            "form": self.about.form or None,
            "reading": self.about.reading or None,
            "note": self.note or None,
            "repeat": self.repeat,
            "finding": None if self.finding is None else finding_data(self.finding),
        }


def row_of(claim: PublishedClaim) -> FieldRow:
    """Test a claim and return its row, with the mended form."""
    assert claim.published is not None
    law = claim.published(claim.setting)
    if claim.repaired is None:
        return FieldRow(about=claim, finding=judged(law))
    mended = claim.repaired(claim.setting)
    before, after = _utility(law), _utility(mended)
    return FieldRow(
        about=claim,
        finding=judged(law),
        repaired=judged(mended).verdict,
        cost=Cost(*before, after[1]) if before and after and before[0] == after[0] else None,
    )


def _utility(law: Law) -> tuple[str, float] | None:
    if isinstance(law, MovedNoise):
        return "standard deviation of one coordinate", math.sqrt(law.distribution.variance)
    if isinstance(law, ComputedTable) and tuple(law.inputs) == tuple(law.outputs):
        return "share of inputs that come out unchanged", float(np.trace(law.rows)) / len(law.rows)
    return None


def witness_text(finding: Finding | None) -> str:
    """Return the witness in one line: inputs, output, probabilities."""
    if finding is None:
        return ""
    shown: Mapping[str, Any] = finding.witness
    parts = []
    pair = shown.get("pair", shown.get("words", (shown.get("input"), shown.get("other_input"))))
    if pair[0] is not None:
        parts.append(f"{pair[0]} against {pair[1]}")
    if "output" in shown:
        parts.append(f"output: {shown['output']}")
    if "probability" in shown:
        parts.append(f"probabilities {shown['probability']:.4g} and {shown['other_probability']:.4g}")
    if "hits" in shown:
        parts.append(f"{shown['hits'][0]} and {shown['hits'][1]} of {shown['trials']} draws")
    if not parts and "l1" in shown:
        parts.append(f"two vectors that differ by L1 norm {shown['l1']:.4g} and L2 norm {shown['l2']:.4g}")
    left = " (of the noisy vector)" if finding.subject is Subject.NOISY_VECTOR and parts else ""
    return "; ".join(parts) + left
