"""Noisy states that are no vectors with additive noise, audited in closed form at the worst pair of words.

Noisy bits, or a noisy point of a curved space: the mechanism names the worst pair and offers its privacy profile. Where
that is within the claim, the claim holds for the word that is computed from the state.
"""

from __future__ import annotations

from textveil.audit.noise.closed_form import finding_of
from textveil.audit.noise.profiles import epsilon_at
from textveil.audit.report.verdict import Claim, Finding, claim_of
from textveil.mechanisms.capabilities import NoisyStates

_NOTE = (
    "The profile is that of the noisy state; the released word is computed from it, so the claim holds for the word "
    "where it holds for the state, and a refutation is of the claim for the state."
)


def audit_states(mechanism: NoisyStates, claim: Claim | None = None) -> Finding:
    """Put a claim to the test at the worst pair of the vocabulary.

    Args:
        mechanism: names that pair.
        claim: None is the mechanism's own.

    Returns:
        ``PROVED`` where the profile is within the claim, ``REFUTED`` where it is beyond, else ``NOT_REFUTED``.

    Raises:
        UnsupportedGuarantee: no claim is given and the mechanism promises nothing.
    """
    claim = claim_of(mechanism.guarantee) if claim is None else claim
    pair = mechanism.worst_pair()
    log_delta = pair.profile.log_delta(claim.epsilon)
    words = mechanism.vocabulary.words
    return finding_of(
        claim,
        pair.profile,
        log_delta,
        epsilon_at(pair.profile, claim.log_delta),
        pair.profile.largest_loss,
        {"distance": pair.distance},
        {"words": [words[pair.first], words[pair.second]], "ids": [pair.first, pair.second]},
        (_NOTE, f"No two words are farther apart than {pair.distance:.6g}."),
    )
