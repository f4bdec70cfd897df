"""Audits of mechanisms that draw for each word alone: what they state, and whether they draw as they state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from textveil.audit.channels.exact import audit_channel
from textveil.audit.channels.groups import audit_within_groups
from textveil.audit.channels.rows import source_of
from textveil.audit.noise.closed_form import audit_noise
from textveil.audit.noise.states import audit_states
from textveil.audit.noise.word_channel import audit_cells
from textveil.audit.per_distance import (
    DRAWS,
    audit_draws_per_distance,
    audit_noise_per_distance,
    audit_per_distance,
)
from textveil.audit.report.verdict import Claim, Finding, Subject
from textveil.audit.sampled.bounds import SAMPLES, Draw, can_refute
from textveil.audit.sampled.dependence import NOTE, copied, depends, no_verdict
from textveil.audit.sampled.draws import audit_mechanism_sampled, candidate_pairs, mechanism_draw
from textveil.audit.sampled.stated import (
    ALPHA,
    DrawsCheck,
    StatedPair,
    check_noise,
    check_profile,
    check_rows,
    pairs_of_points,
    together,
)
from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.base import Channel, WordMechanism
from textveil.mechanisms.capabilities import (
    IntegerWeights,
    NearestWord,
    NoisyStates,
    NoisyVectors,
    OnWordDistances,
    OnWordMetric,
    WithinGroups,
)
from textveil.noise.capabilities import ProfiledNoise
from textveil.privacy.guarantees import MetricDP
from textveil.types import Progress
from textveil.vocabulary.metrics.axioms import need_metric

NOT_TESTED = "not tested"

_LIMITS = 32
"""Which a sampled audit of four pairs takes at once."""


class WordsAudit(NamedTuple):
    """What was found of a mechanism of words; see ``AuditReport`` for the last two."""

    findings: list[Finding]
    draws: DrawsCheck | None
    per_distance: str | None


def audit_words(
    mechanism: WordMechanism,
    claim: Claim,
    *,
    samples: int,
    confidence: float,
    rng: np.random.Generator,
    progress: Progress | None,
    own: bool,
) -> WordsAudit:
    """Every method that reaches the mechanism.

    Args:
        mechanism: draws for each word alone.
        claim: of any two words.
        samples: draws for each word of a pair; 0 samples only where nothing is stated, or draws are not as stated.
        confidence: of the sampled bounds together.
        rng: for the draws.
        progress: called as work is done.
        own: whether the claim is the mechanism's own, so that its promise per distance is tested too.
    """
    before = copied(mechanism, (mechanism.vocabulary,))  # it remembers nothing of what is drawn here

    @contextmanager
    def start() -> Iterator[Draw]:
        yield mechanism_draw(copied(before, (mechanism.vocabulary,)), rng)

    findings = _stated(mechanism, claim, progress)
    check = _check(mechanism, rng)
    if isinstance(mechanism, OnWordMetric):
        need_metric(mechanism.metric, progress=progress)
    contradicted = check is not None and check.passed is False
    if samples or not findings or contradicted:
        tried = [one for pair in candidate_pairs(mechanism.vocabulary, 2, rng) for one in pair]
        if depends(start, tried):
            check = None if check is None else replace(check, passed=None, detail=NOTE, witness={})
            return WordsAudit([*findings, no_verdict(claim, Subject.WORD_CHANNEL)], check, None)
        if samples or not findings or can_refute(SAMPLES // 2, (1 - confidence) / _LIMITS, claim):
            many = samples or SAMPLES
            findings.append(audit_mechanism_sampled(mechanism, claim, samples=many, confidence=confidence, rng=rng))
    if check is not None and contradicted:
        findings.append(check.finding(claim))
    per_distance = None
    if own and isinstance(mechanism.guarantee, MetricDP):
        per_distance = NOT_TESTED
        if (found := _per_distance(mechanism, mechanism.guarantee, confidence, rng)) is not None:
            findings.append(found)
            per_distance = f"{found.verdict.value} ({found.method})"
    return WordsAudit(findings, check, per_distance)


def _stated(mechanism: WordMechanism, claim: Claim, progress: Progress | None) -> list[Finding]:
    """What follows from what the mechanism states, without a draw."""
    if isinstance(mechanism, Channel | IntegerWeights):
        if isinstance(mechanism, WithinGroups):
            return [audit_within_groups(mechanism, mechanism, claim, mechanism.vocabulary, progress=progress)]
        return [audit_channel(mechanism, claim, progress=progress)]
    if isinstance(mechanism, NoisyVectors) and isinstance(mechanism.distribution, ProfiledNoise):
        vector = audit_noise(mechanism, claim, progress=progress)
        word = audit_cells(mechanism, claim) if isinstance(mechanism, NearestWord) else None
        return [vector] if word is None else [vector, word]
    return [audit_states(mechanism, claim)] if isinstance(mechanism, NoisyStates) else []


def _check(mechanism: WordMechanism, rng: np.random.Generator) -> DrawsCheck | None:
    """Whether draws are as stated; None where nothing is stated that draws could contradict."""
    words = mechanism.vocabulary.words
    if isinstance(mechanism, Channel | IntegerWeights):
        return check_rows(lambda ids: mechanism.privatize(ids, rng), source_of(mechanism), words, rng)
    pairs: list[StatedPair] = []
    checks: list[DrawsCheck] = []
    if isinstance(mechanism, NoisyVectors) and isinstance(mechanism.distribution, ProfiledNoise):
        profile = mechanism.distribution.privacy_profile
        pairs = pairs_of_points(mechanism.points, candidate_pairs(mechanism.vocabulary, 2, rng), profile)
        if isinstance(mechanism, NearestWord) and mechanism.resampling is None:
            checks.append(check_noise(mechanism, rng, alpha=ALPHA / 2))
    elif isinstance(mechanism, NoisyStates):
        far = mechanism.worst_pair()
        pairs = [StatedPair(far.first, far.second, far.profile)]
    else:
        return None
    draw = mechanism_draw(mechanism, rng)
    checks.append(
        check_profile(draw, pairs, lambda word: words[int(word)], subject=Subject.WORD_CHANNEL, alpha=ALPHA / 2)
    )
    return together(checks)


def _per_distance(
    mechanism: WordMechanism, promise: MetricDP, confidence: float, rng: np.random.Generator
) -> Finding | None:
    """What is known of the promise at the distances of words; None where nothing is."""
    if not isinstance(mechanism, OnWordDistances):
        return None
    try:
        if isinstance(mechanism, Channel | IntegerWeights):
            return audit_per_distance(mechanism, mechanism, promise)
        if isinstance(mechanism, NoisyVectors):
            return audit_noise_per_distance(mechanism, mechanism, promise)
        draw = mechanism_draw(mechanism, rng)
        return audit_draws_per_distance(draw, mechanism, promise, samples=DRAWS, confidence=max(confidence, 1 - ALPHA))
    except UnsupportedGuarantee:  # it states no distances after all
        return None
