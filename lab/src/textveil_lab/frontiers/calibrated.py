"""Calibration of every mechanism to one verified guarantee: made for a target, audited, raised if it spends less."""

import math
from dataclasses import dataclass
from typing import Any, Final

from textveil.catalog import guarantee_of, word_mechanism
from textveil.errors import ParameterError
from textveil.mechanisms.kinds import WordMechanism
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ONE_TOKEN
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Finding, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.frontiers.points import FrontierContender

SLACK: Final = 0.01  # Share of the target that a certified loss may stay below it
_EXACT: Final = (Verdict.CERTIFIED.value, Verdict.PROVED.value)  # Ways to verify that say how much is spent
_TRIES: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """Mechanism that spends at most the target."""

    mechanism: WordMechanism
    given: float
    epsilon: float  # verified at its delta, nats for any two words; inf if nothing is verified
    delta: float  # of the guarantee, 0 for pure ones
    # how: "certified" (from the finite channel), "proved" (in closed form), "proved, sampled" (a proof stands; sampling
    # found nothing against it), or "" if nothing is verified for any two words
    verified: str


def calibrated(contender: FrontierContender, vocabulary: Vocabulary, epsilon: float, delta: float) -> Calibrated:
    """Return the mechanism whose verified loss for any two words is the target, or as near below it as possible.

    A constructor promises its epsilon for any vocabulary; on this one it may spend much less. Then its epsilon is
    raised, until the certified loss of its table, or the proved loss of its noise, is within ``SLACK`` of the target.

    Args:
        epsilon: target, nats for any two words.

    Raises:
        ParameterError: it cannot be made for this epsilon.
        UnsupportedGuarantee: it draws for more than a word.
    """
    best = _made(contender, vocabulary, epsilon, delta)
    if best.verified not in _EXACT or not contender.comparable:
        return best
    above: Calibrated | None = None
    for _ in range(_TRIES):
        if best.epsilon >= epsilon * (1 - SLACK) or best.epsilon == 0:
            break
        try:
            tried = _made(contender, vocabulary, _between(best, above, epsilon), delta)
        except ParameterError:  # outside its domain: it spends less than the target, and the table says so
            break
        if tried.epsilon > epsilon:
            above = tried
        elif tried.epsilon > best.epsilon:
            best = tried
        else:
            break  # it is given more and spends no more
    return best


def _between(below: Calibrated, above: Calibrated | None, target: float) -> float:
    """Return the next epsilon to try: on the line through known points, a little below the target."""
    aim = target * (1 - SLACK / 4)
    if above is None:
        return below.given * aim / below.epsilon
    return below.given + (above.given - below.given) * (aim - below.epsilon) / (above.epsilon - below.epsilon)


def _made(contender: FrontierContender, vocabulary: Vocabulary, epsilon: float, delta: float) -> Calibrated:
    mechanism = word_mechanism(contender.name, vocabulary, epsilon=epsilon, **fixed_options(contender, delta))
    if not contender.comparable:
        return Calibrated(mechanism, epsilon, math.inf, 0.0, "")
    return audited(mechanism, epsilon)


def given_as_it_is(contender: FrontierContender, vocabulary: Vocabulary, epsilon: float, delta: float) -> Calibrated:
    """Return the mechanism at its given epsilon, with its verified loss."""
    return _made(contender, vocabulary, epsilon, delta)


def fixed_options(contender: FrontierContender, delta: float) -> dict[str, Any]:
    """Return the constructor's options of a contender beside epsilon."""
    options: dict[str, Any] = dict(contender.options)
    if contender.takes_delta:
        options["delta"] = delta
    return options


def audited(mechanism: WordMechanism, given: float) -> Calibrated:
    """Return a mechanism with its verified loss for any two words."""
    lead = audit_mechanism(mechanism, attacks=False).leading
    part = mechanism.guarantee.approximate()
    verified = _how(lead, mechanism)
    by_proof = lead.verdict is Verdict.NOT_REFUTED or math.isinf(lead.epsilon.upper)
    epsilon = part.epsilon if by_proof else lead.epsilon.upper
    return Calibrated(mechanism, given, epsilon if verified else math.inf, part.delta, verified)


def _how(lead: Finding, mechanism: WordMechanism) -> str:
    if lead.verdict in (Verdict.CERTIFIED, Verdict.PROVED):
        return lead.verdict.value
    whole = guarantee_of(mechanism).status is Status.PROVED and mechanism.guarantee.adjacency == ONE_TOKEN
    return "proved, sampled" if lead.verdict is Verdict.NOT_REFUTED and whole else ""
