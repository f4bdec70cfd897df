"""Methods for mechanisms that draw for each word alone: their statements, and whether their draws agree."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from textveil.mechanisms.kinds import Channel, IntegerWeights
from textveil_lab.audit.attacks import ATTACK
from textveil_lab.audit.channels.exact import audit_channel
from textveil_lab.audit.channels.groups import audit_within_groups
from textveil_lab.audit.methods import Audit, Method, first_of, is_a
from textveil_lab.audit.noise.closed_form import audit_noise, audit_states
from textveil_lab.audit.noise.word_channel import audit_cells
from textveil_lab.audit.per_distance import PER_DISTANCE
from textveil_lab.audit.report.report import Subject
from textveil_lab.audit.sampled.bounds import SAMPLES, Draw, can_refute
from textveil_lab.audit.sampled.dependence import NOTE, copied, depends, no_verdict
from textveil_lab.audit.sampled.draws import audit_mechanism_sampled, candidate_pairs, mechanism_draw
from textveil_lab.audit.sampled.stated import (
    ALPHA,
    DrawsCheck,
    StatedPair,
    check_noise,
    check_profile,
    check_rows,
    draws_every_word,
    pairs_of_points,
    together,
)
from textveil_lab.mechanisms.capabilities import NearestWord, NoisyStates, NoisyVectors, OnWordMetric, WithinGroups
from textveil_lab.noise.distribution import ProfiledNoise
from textveil_lab.vocabulary.metrics.axioms import need_metric

_LIMITS = 32  # Which a sampled audit of four pairs takes at once


def _keep_copy(audit: Audit) -> None:
    """Keep a copy from before the first draw, which remembers none of the audit's draws."""
    audit.copy = copied(audit.mechanism, (audit.mechanism.vocabulary,))


def _run_groups(audit: Audit) -> None:
    mechanism = audit.mechanism
    audit.findings.append(
        audit_within_groups(audit.source, mechanism, audit.claim, mechanism.vocabulary, progress=audit.progress)
    )
    _check_rows(audit)


def _run_channel(audit: Audit) -> None:
    vocabulary = audit.mechanism.vocabulary
    audit.findings.append(audit_channel(audit.source, audit.claim, vocabulary, progress=audit.progress))
    _check_rows(audit)


def _check_rows(audit: Audit) -> None:
    mechanism, rng = audit.mechanism, audit.rng
    words = mechanism.vocabulary.words
    every = draws_every_word(mechanism)
    audit.draws = check_rows(lambda ids: mechanism.privatize(ids, rng), audit.source, words, rng, every=every)


def _states_noise(mechanism: Any) -> bool:
    return isinstance(mechanism, NoisyVectors) and isinstance(mechanism.distribution, ProfiledNoise)


def _run_noise(audit: Audit) -> None:
    mechanism, rng = audit.mechanism, audit.rng
    audit.findings.append(audit_noise(mechanism, audit.claim, progress=audit.progress))
    if isinstance(mechanism, NearestWord) and (word := audit_cells(mechanism, audit.claim)) is not None:
        audit.findings.append(word)
    profile = mechanism.distribution.privacy_profile
    pairs = pairs_of_points(mechanism.points, candidate_pairs(mechanism.vocabulary, 2, rng), profile)
    direct = isinstance(mechanism, NearestWord) and mechanism.resampling is None
    checks = [check_noise(mechanism, rng, alpha=ALPHA / 2)] if direct else []
    audit.draws = together([*checks, _check_pairs(audit, pairs)])


def _run_states(audit: Audit) -> None:
    audit.findings.append(audit_states(audit.mechanism, audit.claim))
    far = audit.mechanism.worst_pair()
    audit.draws = together([_check_pairs(audit, [StatedPair(far.first, far.second, far.profile)])])


def _check_pairs(audit: Audit, pairs: Sequence[StatedPair]) -> DrawsCheck:
    words = audit.mechanism.vocabulary.words
    draw = mechanism_draw(audit.mechanism, audit.rng)
    return check_profile(draw, pairs, lambda word: words[int(word)], subject=Subject.WORD_CHANNEL, alpha=ALPHA / 2)


def _test_metric(audit: Audit) -> None:
    need_metric(audit.mechanism.metric, progress=audit.progress)


def _contradicted(audit: Audit) -> bool:
    return audit.draws is not None and audit.draws.passed is False


def _run_samples(audit: Audit) -> None:
    """Audit by sampling, unless draws depend on each other: then no verdict is possible."""
    mechanism, rng = audit.mechanism, audit.rng

    @contextmanager
    def start() -> Iterator[Draw]:
        yield mechanism_draw(copied(audit.copy, (mechanism.vocabulary,)), rng)

    tried = [word for pair in candidate_pairs(mechanism.vocabulary, 2, rng) for word in pair]
    if depends(start, tried):
        audit.draws = audit.draws and replace(audit.draws, passed=None, detail=NOTE, witness={})
        audit.findings.append(no_verdict(audit.claim, Subject.WORD_CHANNEL))
        audit.per_distance = None
    elif audit.needs_samples or can_refute(SAMPLES // 2, (1 - audit.confidence) / _LIMITS, audit.claim):
        many = audit.samples or SAMPLES
        audit.findings.append(
            audit_mechanism_sampled(mechanism, audit.claim, samples=many, confidence=audit.confidence, rng=rng)
        )


WORD_METHODS: Final = (
    Method(_keep_copy),
    first_of(
        Method(_run_groups, is_a(Channel | IntegerWeights, WithinGroups)),
        Method(_run_channel, is_a(Channel | IntegerWeights)),
        Method(_run_noise, _states_noise),
        Method(_run_states, is_a(NoisyStates)),
    ),
    Method(_test_metric, is_a(OnWordMetric)),
    Method(_run_samples, wanted=lambda audit: audit.needs_samples or _contradicted(audit)),
    Method(Audit.tell_contradiction),
    PER_DISTANCE,
    ATTACK,
)
"""Methods for mechanisms of words."""
