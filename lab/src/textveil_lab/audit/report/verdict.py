"""What an audit finds, as data: a verdict, bounds, and the witness that a reviewer can check."""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from textveil.errors import UnsupportedGuarantee, need
from textveil.privacy.guarantees import Guarantee
from textveil.statistics import Bound


class Verdict(Enum):
    """The answers; a sampled audit can only refute, or fail to."""

    PROVED = "proved"  # The claim follows from an exact privacy profile in closed form
    CERTIFIED = "certified"  # Computed exactly from the finite channel, and within the claim
    NOT_REFUTED = "not refuted"  # No evidence against the claim at the stated confidence and power
    REFUTED = "refuted"  # The claim is false; the witness shows where
    CONTRADICTED = "contradicted"
    """Draws are not what the mechanism states of them, so what was computed from that says nothing of its outputs."""
    NO_VERDICT = "no verdict"  # Draws depend on each other, so they say nothing of one draw

    @property
    def fails(self) -> bool:
        """Whether the claim, or what it rests on, was shown to be false."""
        return self in (Verdict.REFUTED, Verdict.CONTRADICTED)


class Subject(Enum):
    """What a verdict speaks of."""

    NOISY_VECTOR = "noisy vector"
    """The word's vector plus noise, before any word is chosen. What holds for it holds for the word; what is refuted
    of it may still be true of the word."""
    NOISY_CODE = "noisy code"
    """The code of a whole text plus noise, before a text is written of it; what holds for it holds for the text."""
    WORD_CHANNEL = "word channel"  # The word that is released, given the word that went in
    DOCUMENT_CHANNEL = "document channel"
    """All that is released of a document, given the document: of mechanisms that look at more than one word."""
    RELEASE = "release"
    """The vector or the set of words that is released as it is, given the vector or the word that went in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is claimed of one token, for any two words."""

    epsilon: float  # nats, finite and >= 0
    log_delta: float = -math.inf  # natural logarithm of delta, <= 0; ``-inf`` claims pure DP

    def __post_init__(self) -> None:
        need(0 <= self.epsilon < math.inf, "epsilon", self.epsilon, "finite and >= 0")
        need(self.log_delta <= 0, "log_delta", self.log_delta, "<= 0")

    @property
    def delta(self) -> float:
        """Delta as a float; 0.0 where it underflows."""
        return math.exp(self.log_delta)

    @property
    def twice(self) -> float:
        """Twice epsilon, at most the largest float: as far as a profile is shown."""
        return min(2 * self.epsilon, sys.float_info.max)


def claim_of(guarantee: Guarantee) -> Claim:
    """What a guarantee says of any two words, as a claim.

    Raises:
        UnsupportedGuarantee: nothing is promised, so there is nothing to put to the test.
    """
    if guarantee.promises:
        part = guarantee.approximate()
        return Claim(epsilon=part.epsilon, log_delta=part.log_delta)
    raise UnsupportedGuarantee(
        f"the mechanism promises nothing, so nothing is claimed ({guarantee}). State a claim: Claim(epsilon=...)."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one method, whichever it is."""

    verdict: Verdict
    claim: Claim
    epsilon: Bound  # the smallest true epsilon at the claimed delta, as far as it is known
    delta: Bound  # the smallest true delta at the claimed epsilon, as far as it is known
    # ``"exact channel"``, ``"exact cells"``, ``"closed form"``, ``"sampled"``, ``"limit"``, ``"draws against rows"``,
    # each of them also "per distance"
    method: str
    subject: Subject = Subject.WORD_CHANNEL
    # natural logarithm of ``delta``, where it was computed: a delta may be too small for a float
    log_delta: Bound | None = None
    # the pair of words and the event or output that attain the bound; public words only, JSON values
    witness: Mapping[str, Any] = field(default_factory=dict)
    samples: int = 0  # draws made; 0 where nothing was sampled
    # points (epsilon, delta) of the privacy profile, where it is known; increasing in epsilon
    profile: tuple[tuple[float, float], ...] = ()
    notes: tuple[str, ...] = ()  # sentences for the reader (power of a sampled audit, what was not reached)
    inputs: str = "any two words"
