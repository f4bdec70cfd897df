"""One row of the table of the field, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from textveil.audit.field.cases import Case, ClaimText, Cost
from textveil.audit.report.report import finding_data, shown_bound, shown_claim, shown_delta
from textveil.audit.report.verdict import Finding, Subject, Verdict


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """What one claim is, what became of it, and how to see it again.

    Attributes:
        about: the claim in words.
        finding: the verdict with its numbers and its witness; None where nothing could be run.
        repaired: the verdict on the mended form at the same claim; None where there is none.
        cost: what mending costs in one number; None where the forms have none in common.
        note: what the reader should know; why nothing could be run.
    """

    about: ClaimText
    finding: Finding | None
    repaired: Verdict | None = None
    cost: Cost | None = None
    note: str = ""

    @property
    def name(self) -> str:
        """Of the row."""
        return self.about.name

    @property
    def refuted(self) -> bool:
        """Whether the claim was refuted."""
        return self.finding is not None and self.finding.verdict is Verdict.REFUTED

    @property
    def contested(self) -> bool:
        """Whether the verdict needs a reading of the claim that others may not share."""
        return bool(self.about.reading)

    @property
    def verdict(self) -> str:
        """In words."""
        return "not run" if self.finding is None else self.finding.verdict.value

    @property
    def found(self) -> str:
        """Claimed and found, in numbers."""
        one = self.finding
        if one is None:
            return self.note
        if one.claim.log_delta > float("-inf"):
            return f"{shown_claim(one)} claimed; delta {shown_delta(one)}"
        return f"{shown_claim(one)} claimed; epsilon {shown_bound(one.epsilon)}"

    @property
    def mended(self) -> str:
        """What the repair is and costs, in words and numbers."""
        parts = [self.about.repair] if self.about.repair else []
        if self.cost is not None:
            parts.append(
                f"{self.cost.measure}: {self.cost.published:.3g} as published, {self.cost.repaired:.3g} mended"
            )
        return "; ".join(parts)

    @property
    def repeat(self) -> str:
        """The command that makes this row again."""
        return f"textveil audit-field {self.name}"

    def to_data(self) -> dict[str, Any]:
        """JSON data."""
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


def row_of(case: Case) -> FieldRow:
    """A case put to the test, with its mended form."""
    return FieldRow(
        about=case.about,
        finding=case.published(case.setting).judged(),
        repaired=None if case.repaired is None else case.repaired(case.setting).judged().verdict,
        cost=case.cost(),
    )


def witness_text(finding: Finding | None) -> str:
    """The witness in one line: inputs, output, probabilities."""
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
