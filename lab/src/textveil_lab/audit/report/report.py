"""Report of an audit: one verdict from all findings, as data, as text, and as a self-contained page.

A finding is a verdict, bounds, and a witness that a reviewer can check.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from textveil.errors import UnsupportedGuarantee, need
from textveil.json_text import json_text
from textveil.privacy.guarantees import Guarantee, Status
from textveil.statistics import Bound


class Verdict(Enum):
    """Verdicts; a sampled audit can only refute, or fail to."""

    PROVED = "proved"  # The claim follows from an exact privacy profile in closed form
    CERTIFIED = "certified"  # Computed exactly from the finite channel, and within the claim
    NOT_REFUTED = "not refuted"  # No evidence against the claim at the stated confidence and power
    REFUTED = "refuted"  # The claim is false; the witness shows where
    CONTRADICTED = "contradicted"
    """Draws differ from what the mechanism states of them, so computations from that say nothing of its outputs."""
    NO_VERDICT = "no verdict"  # Draws depend on each other, so they say nothing of one draw

    @property
    def fails(self) -> bool:
        return self in (Verdict.REFUTED, Verdict.CONTRADICTED)


class Subject(Enum):
    """Object that a verdict is about."""

    NOISY_VECTOR = "noisy vector"
    """Word's vector plus noise, before a word is chosen.

    A guarantee of it holds for the word; a refutation of it need not.
    """
    NOISY_CODE = "noisy code"
    """Code of a whole text plus noise, before a text is written from it; its guarantee holds for the text."""
    WORD_CHANNEL = "word channel"  # The word that is released, given the word that went in
    DOCUMENT_CHANNEL = "document channel"
    """All that is released of a document, given the document, by mechanisms that see more than one word."""
    RELEASE = "release"
    """Released vector or set of words, given the vector or the word that went in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Claim about one token, for any two words."""

    epsilon: float  # nats, finite and >= 0
    log_delta: float = -math.inf  # ln of delta, <= 0; ``-inf`` claims pure DP

    def __post_init__(self) -> None:
        need(0 <= self.epsilon < math.inf, "epsilon", self.epsilon, "finite and >= 0")
        need(self.log_delta <= 0, "log_delta", self.log_delta, "<= 0")

    @property
    def delta(self) -> float:
        """Delta as a float; 0.0 if it underflows."""
        return math.exp(self.log_delta)

    @property
    def twice(self) -> float:
        """Twice epsilon, at most the largest float: the end of the shown profile."""
        return min(2 * self.epsilon, sys.float_info.max)


def claim_of(guarantee: Guarantee) -> Claim:
    """Return a guarantee's claim about any two words.

    Raises:
        UnsupportedGuarantee: there is no promise to test.
    """
    if guarantee.promises:
        part = guarantee.approximate()
        return Claim(epsilon=part.epsilon, log_delta=part.log_delta)
    raise UnsupportedGuarantee(
        f"the mechanism promises nothing, so nothing is claimed ({guarantee}). State a claim: Claim(epsilon=...)."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Result of one method."""

    verdict: Verdict
    claim: Claim
    epsilon: Bound  # the smallest true epsilon at the claimed delta, with bounds
    delta: Bound  # the smallest true delta at the claimed epsilon, with bounds
    # ``"exact channel"``, ``"exact cells"``, ``"closed form"``, ``"sampled"``, ``"limit"``, ``"draws against rows"``,
    # each of them also "per distance"
    method: str
    subject: Subject = Subject.WORD_CHANNEL
    # ln of ``delta``, if it was computed: a delta may be too small for a float
    log_delta: Bound | None = None
    # the pair of words and the event or output that attain the bound; public words only, JSON values
    witness: Mapping[str, Any] = field(default_factory=dict)
    samples: int = 0  # draws made; 0 if nothing was sampled
    # points (epsilon, delta) of the privacy profile, if it is known; increasing in epsilon
    profile: tuple[tuple[float, float], ...] = ()
    notes: tuple[str, ...] = ()  # sentences for the reader (power of a sampled audit, what was not reached)
    inputs: str = "any two words"


# Draws that are not as stated outweigh all that was computed from the statement. What is known of the word outweighs
# what is known of the vector; a refutation outweighs what is proved of the same.
_WEIGHT = (
    *((subject, Verdict.CONTRADICTED) for subject in Subject),
    (Subject.WORD_CHANNEL, Verdict.REFUTED),
    (Subject.DOCUMENT_CHANNEL, Verdict.REFUTED),
    *((subject, Verdict.NO_VERDICT) for subject in Subject),
    (Subject.WORD_CHANNEL, Verdict.CERTIFIED),
    (Subject.DOCUMENT_CHANNEL, Verdict.CERTIFIED),
    (Subject.WORD_CHANNEL, Verdict.PROVED),
    (Subject.DOCUMENT_CHANNEL, Verdict.PROVED),
    (Subject.NOISY_VECTOR, Verdict.REFUTED),
    (Subject.NOISY_VECTOR, Verdict.CERTIFIED),
    (Subject.NOISY_VECTOR, Verdict.PROVED),
    (Subject.NOISY_VECTOR, Verdict.NOT_REFUTED),
    (Subject.NOISY_CODE, Verdict.REFUTED),
    (Subject.NOISY_CODE, Verdict.PROVED),
    (Subject.NOISY_CODE, Verdict.NOT_REFUTED),
    (Subject.WORD_CHANNEL, Verdict.NOT_REFUTED),
    (Subject.DOCUMENT_CHANNEL, Verdict.NOT_REFUTED),
    *(
        (Subject.RELEASE, verdict)
        for verdict in (Verdict.REFUTED, Verdict.CERTIFIED, Verdict.PROVED, Verdict.NOT_REFUTED)
    ),
)

_MADE_OF_NOISE = {Subject.NOISY_VECTOR: "word", Subject.NOISY_CODE: "text"}
"""Released object after a stage that adds noise."""

_INPUTS = {Subject.DOCUMENT_CHANNEL: "documents", Subject.NOISY_CODE: "documents", Subject.RELEASE: "inputs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """Findings of all methods about one subject."""

    name: str
    parameters: Mapping[str, Any]
    findings: tuple[Finding, ...]  # at least one
    attacks: tuple[Mapping[str, Any], ...] = ()
    hygiene: tuple[Mapping[str, Any], ...] = ()
    # a decoder's recovery of public texts, as JSON data; None if it was not measured
    recovery: Mapping[str, Any] | None = None
    # comparison of draws with the mechanism's statement, as JSON data; None if nothing was drawn for it
    draws: Mapping[str, Any] | None = None
    # what is known of a promise per distance: a verdict, with what was compared, or "not tested"; None if the claim
    # is none per distance
    per_distance: str | None = None
    # name, number of words and digest; empty for foreign code
    vocabulary: Mapping[str, Any] = field(default_factory=dict)
    seconds: float
    seed: int | None  # None if the operating system's randomness was used
    # of the mechanism's own guarantee (``catalog.guarantee_of``), if that was tested
    status: Status | None = None

    @property
    def leading(self) -> Finding:
        return min(self.findings, key=lambda finding: _WEIGHT.index((finding.subject, finding.verdict)))

    @property
    def verdict(self) -> Verdict:
        """Verdict of the leading finding; ``subject`` says what it is about."""
        return self.leading.verdict

    @property
    def subject(self) -> Subject:
        return self.leading.subject

    def to_data(self) -> dict[str, Any]:
        """Return JSON data; the leading finding's numbers stand at the top level."""
        lead = self.leading
        return {
            "name": self.name,
            "parameters": dict(self.parameters),
            "vocabulary": dict(self.vocabulary),
            **finding_data(lead),
            "claim_status": None if self.status is None else self.status.value,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "sentence": self.sentence(),
            "findings": [finding_data(finding) for finding in self.findings],
            "attacks": [dict(attack) for attack in self.attacks],
            "draws": None if self.draws is None else dict(self.draws),
            "per_distance": self.per_distance,
            "hygiene": [dict(check) for check in self.hygiene],
            "recovery": None if self.recovery is None else dict(self.recovery),
        }

    def to_json(self) -> str:
        """Return the report as JSON text; infinite numbers are null."""
        return json_text(self.to_data())

    def sentence(self) -> str:
        told = self._sentence()
        if self.per_distance is None or self.verdict in (Verdict.REFUTED, Verdict.CONTRADICTED, Verdict.NO_VERDICT):
            return told
        return f"{told} Per distance: {self.per_distance}."

    def _sentence(self) -> str:
        lead = self.leading
        if lead.verdict is Verdict.NO_VERDICT:
            return f"No verdict on {_who(self, start=False)}: outputs of one process depend on each other."
        if lead.verdict is Verdict.CONTRADICTED:
            return f"{self.name} does not draw as it states: {_contradiction(lead)} ({lead.method})."
        claim = shown_claim(lead)
        pair = _pair(lead)
        if lead.verdict is Verdict.REFUTED:
            if lead.epsilon.confidence == 1.0:
                how = f"its delta at epsilon {lead.claim.epsilon:.6g} is at least {_delta(lead, 0)}"
                if math.isinf(lead.claim.log_delta):
                    how = f"its epsilon is {_at_least(lead.epsilon.lower)}"
            else:
                how = (
                    f"its epsilon is {_at_least(lead.epsilon.lower)} with {_percent(lead.epsilon)} confidence "
                    f"from {lead.samples} samples"
                )
            output = _MADE_OF_NOISE.get(lead.subject)
            left = f". Of the released {output} that says nothing" if output is not None else ""
            return f"{_who(self)} is not {claim}: {how}{pair} ({lead.method}){left}."
        if lead.verdict is Verdict.NOT_REFUTED:
            how = f"{_percent(lead.epsilon)} confidence, {lead.samples} samples" if lead.samples else lead.method
            return (
                f"Nothing found against the claim that {_who(self, start=False)} is {claim}: its epsilon is "
                f"{_at_least(lead.epsilon.lower)}{_at_delta(lead)}{pair} ({how})."
            )
        word = "certified" if lead.verdict is Verdict.CERTIFIED else "proved"
        told = f"{_who(self)} is {claim}, {word} ({lead.method}): its {_largest(lead)}, for {lead.inputs}."
        return told + _basis(self.draws) if lead.verdict is Verdict.CERTIFIED else told

    def summary(self) -> str:
        also = "" if self.per_distance is None else f"; per distance: {self.per_distance}"
        lines = [f"verdict    {self.verdict.value}{also}", f"subject    {self.subject.value} of {self.name}"]
        lines.append(self.sentence())
        if self.status is Status.CLAIMED:
            lines.append(f"claim      {shown_claim(self.leading)} [{self.status.shown}]")
        for finding in self.findings:
            numbers = f"epsilon {shown_bound(finding.epsilon)}   delta {shown_delta(finding)}"
            lines.append(f"{finding.method:<14} {finding.subject.value:<13} {finding.verdict.value:<12} {numbers}")
            lines += [f"               {note}" for note in finding.notes]
        if self.draws is not None:
            lines.append(f"{self.draws['method']}: {shown_result(self.draws)}. {self.draws['detail']}")
        for attack in self.attacks:
            success = attack["success"]
            lines.append(
                f"attack         {attack['name']}: success {success['estimate']:.4g}, baseline {attack['baseline']:.4g}"
            )
        lines += [f"recovery       {line}" for line in recovery_table(self.recovery)]
        for check in self.hygiene:
            reason = check["witness"] or check["detail"]
            lines.append(f"hygiene        {check['check']}: {shown_result(check)}" + (f" ({reason})" if reason else ""))
        return "\n".join(lines)


def recovery_table(recovery: Mapping[str, Any] | None) -> list[str]:
    """Return shares by public text and kind of word, one a line."""
    if recovery is None:
        return []
    at = f" at epsilon {recovery['epsilon']:g}" if "epsilon" in recovery else ""
    lines = []
    for text, recovered in recovery["texts"].items():
        for kind in recovered["kinds"]:
            shares = [f"{shown_bound(Bound(**kind['in_context']))} named by a decoder in context"]
            if kind["alone"] is not None:
                shares.append(f"{shown_bound(Bound(**kind['alone']))} word by word")
            shares.append(f"{shown_bound(Bound(**kind['unchanged']))} unchanged")
            lines.append(f"{text}{at}, {kind['count']} {kind['kind']}: {', '.join(shares)}")
    return lines


def _basis(draws: Mapping[str, Any] | None) -> str:
    sees = draws and draws.get("sees")
    if not sees:
        return " Certified is the table that it states."
    return (
        f" Certified is the table that it states; draws of {sees['words']} words follow it, but for one output of one "
        f"word in a share below {sees['share']:.3g} (power {sees['power']:g})."
    )


def shown_result(check: Mapping[str, Any]) -> str:
    """Return the outcome of a hygiene check; a check that could see nothing has no verdict."""
    return "no verdict" if check["passed"] is None else "passed" if check["passed"] else "FAILED"


def finding_data(finding: Finding) -> dict[str, Any]:
    """Return one finding as JSON data."""
    log_delta = finding.claim.log_delta
    return {
        "verdict": finding.verdict.value,
        "subject": finding.subject.value,
        "claimed": {
            "epsilon": finding.claim.epsilon,
            "delta": finding.claim.delta,
            "log_delta": log_delta if math.isfinite(log_delta) else None,
        },
        "epsilon": finding.epsilon._asdict(),
        "delta": finding.delta._asdict(),
        "log_delta": None if finding.log_delta is None else finding.log_delta._asdict(),
        "method": finding.method,
        "witness": dict(finding.witness),
        "samples": finding.samples,
        "profile": [list(point) for point in finding.profile],
        "notes": list(finding.notes),
        "inputs": finding.inputs,
    }


def shown_claim(finding: Finding) -> str:
    """Return the claim as text."""
    claim = finding.claim
    if math.isinf(claim.log_delta):
        return f"{claim.epsilon:.6g}-DP"
    delta = f"{claim.delta:.3g}" if claim.delta > 0 else f"10^{claim.log_delta / math.log(10):.1f}"
    return f"({claim.epsilon:.6g}, {delta})-DP"


def _pair(finding: Finding) -> str:
    witness = finding.witness
    worst = witness.get("delta_pair") if finding.claim.delta > 0 else None
    inputs = worst if isinstance(worst, Mapping) else witness
    pair = witness.get("pair", witness.get("words", (inputs.get("input"), inputs.get("other_input"))))
    return f" for the {_inputs(finding)} {pair[0]!r} and {pair[1]!r}" if pair[0] is not None else ""


def _contradiction(finding: Finding) -> str:
    witness = finding.witness
    if "stated_delta" in witness:
        first, second = witness["pair"]
        return (
            f"{first!r} and {second!r} are told apart with delta at least {witness['delta_at_least']:.4g} at epsilon "
            f"{witness['epsilon']:g}, where {witness['stated_delta']:.4g} is stated"
        )
    times = f"{witness['hits']} of {witness['trials']} times, where a share of {witness['probability']:.4g} is stated"
    if "event" in witness:
        return f"out of random words came {witness['event']} {times}"
    return f"out of {witness['input']!r} came {witness['output']!r} {times}"


def _inputs(finding: Finding) -> str:
    return _INPUTS.get(finding.subject, "words")


def _at_least(value: float) -> str:
    return "infinite" if math.isinf(value) else f"at least {value:.6g}"


def _at_delta(finding: Finding) -> str:
    return "" if math.isinf(finding.claim.log_delta) else " at that delta"


def _largest(finding: Finding) -> str:
    if math.isinf(finding.epsilon.upper):
        return f"delta at that epsilon is at most {_delta(finding, 2)}"
    return f"epsilon{_at_delta(finding)} is at most {_number(finding.epsilon.upper)}"


def _percent(bound: Bound) -> str:
    return f"{100 * bound.confidence:.10g}%"


def _number(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.6g}"


def shown_bound(bound: Bound) -> str:
    """Return a number with its interval, if that is wide enough to show."""
    lower, estimate, upper = map(_number, bound[:3])
    return estimate if lower == upper else f"{estimate} [{lower}, {upper}]"


def shown_delta(finding: Finding) -> str:
    """Return delta with its interval, as a power of ten if it is too small for a float."""
    lower, estimate, upper = (_delta(finding, place) for place in range(3))
    return estimate if lower == upper else f"{estimate} [{lower}, {upper}]"


def _delta(finding: Finding, place: int) -> str:
    value, log = finding.delta[place], finding.log_delta
    if log is None or value > 1e-300 or log[place] < -1e300:
        return _number(value)
    tenths = 10 * log[place] / math.log(10)
    return f"10^{(math.floor, round, math.ceil)[place](tenths) / 10:.1f}"


def _who(report: AuditReport, *, start: bool = True) -> str:
    output = _MADE_OF_NOISE.get(report.subject)
    if output is None:
        return report.name
    article = "The" if start else "the"
    with_it = f", and with it the {output}," if report.verdict is Verdict.PROVED else ""
    return f"{article} {report.subject.value} of {report.name}{with_it}"
