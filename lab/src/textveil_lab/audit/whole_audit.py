"""Whole audits: every applicable method, attacks and hygiene, in one report."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from textveil.catalog import guarantee_of
from textveil.errors import InputError, UnsupportedGuarantee, need
from textveil.mechanisms.kinds import (
    Mechanism,
    SequenceMechanism,
    SetMechanism,
    TextMechanism,
    VectorMechanism,
    drawing_text,
)
from textveil.models.language_model import LanguageModel
from textveil.privacy.guarantees import MetricDP
from textveil.randomness import resolve, seeded_generator
from textveil.sanitize.setting import quoted_recovery
from textveil.types import Progress
from textveil_lab.audit.documents import SEQUENCES, TEXTS
from textveil_lab.audit.foreign.callables import in_child, load_callable
from textveil_lab.audit.foreign.hygiene import run_hygiene
from textveil_lab.audit.methods import WORDS as WORDS
from textveil_lab.audit.methods import Audit, Method, walk
from textveil_lab.audit.recovery import measure_recovery
from textveil_lab.audit.releases import RELEASES
from textveil_lab.audit.report.report import AuditReport, Claim, Subject
from textveil_lab.audit.report.report import claim_of as claim_of
from textveil_lab.audit.sampled.bounds import SAMPLES as SAMPLES
from textveil_lab.audit.sampled.bounds import Draw, Interrupted, audit_sampled
from textveil_lab.audit.sampled.dependence import depends, no_verdict
from textveil_lab.audit.sampled.draws import callable_draw
from textveil_lab.audit.words import WORD_METHODS
from textveil_lab.decoding.decode import default_model
from textveil_lab.mechanisms.capabilities import NearestSearch

NOT_TESTED = "not tested"

METHODS: Final[tuple[tuple[Any, tuple[Method, ...]], ...]] = (
    (TextMechanism, TEXTS),
    (SequenceMechanism, SEQUENCES),
    (VectorMechanism | SetMechanism, RELEASES),
    (object, WORD_METHODS),
)
"""Methods for each kind of mechanism, in the order in which they run."""


def audit_mechanism(
    mechanism: Mechanism,
    *,
    claim: Claim | None = None,
    samples: int = 0,
    confidence: float = 0.999,
    seed: int | None = None,
    attacks: bool = True,
    reference: Sequence[str] | None = None,
    model: LanguageModel | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """Test a mechanism's claim by every applicable method.

    Channels are audited exactly, noise of a known distribution in closed form, anything else by sampling. Computations
    are about what the mechanism states, so a few thousand draws are compared with that; a contradiction leads the
    verdict. ``samples`` adds a sampled audit. Mechanisms of more than a word are audited

    - of sequences: on documents of two words, by sampling, and exactly in small vocabularies;
    - of whole texts: on texts of public words, in closed form if a text is written from a noisy code, by exact losses
      if the mechanism knows its outputs, else by sampling;
    - of vectors or sets: exactly, if they know the two inputs that are easiest to tell apart.

    Args:
        claim: claim to test; None is the mechanism's guarantee for any two words (of one public group, if it compares
            no others).
        samples: draws for each word of a pair; 0 samples only if no other method applies, with 20,000 draws (for
            mechanisms that see more than one word, as many as the claim needs).
        seed: for repeatable sampling; None is the operating system's randomness.
        reference: public documents to release and decode, to count recovered words; None quotes an earlier measurement
            of such a mechanism, if there is one.
        model: language model of the decoder; None is the one that comes with the vocabulary.

    Raises:
        ParameterError: an argument is outside its domain, or the mechanism's word metric is no metric.
        UnsupportedGuarantee: the mechanism claims nothing and no claim is given, or its search is approximate.
    """
    need(samples >= 0, "samples", samples, ">= 0")
    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    if isinstance(mechanism, NearestSearch) and not mechanism.projection.exact:
        raise UnsupportedGuarantee(
            "an audit needs a mechanism with exact search, whose distribution it knows; got an approximate one. "
            "Audit it without `projection`: the guarantee is the same."
        )
    start = time.perf_counter()
    rng = resolve(None) if seed is None else seeded_generator(seed)
    audit = Audit(
        mechanism=mechanism,
        claim=claim_of(mechanism.guarantee) if claim is None else claim,
        samples=samples,
        confidence=confidence,
        rng=rng,
        attacks=attacks,
        progress=progress,
        per_distance=NOT_TESTED if claim is None and isinstance(mechanism.guarantee, MetricDP) else None,
    )
    walk(next(methods for kind, methods in METHODS if isinstance(mechanism, kind)), audit)
    vocabulary = getattr(mechanism, "vocabulary", None)
    facts = (
        {} if vocabulary is None else {"name": vocabulary.name, "words": len(vocabulary), "digest": vocabulary.digest}
    )
    return AuditReport(
        name=mechanism.name,
        parameters=mechanism.parameters,
        findings=tuple(audit.findings),
        attacks=audit.attacked,
        recovery=_recovery(mechanism, reference, model, rng, progress),
        draws=None if audit.draws is None else audit.draws.to_data(),
        per_distance=audit.per_distance,
        vocabulary=facts,
        seconds=time.perf_counter() - start,
        seed=seed,
        status=guarantee_of(mechanism).status if claim is None else None,
    )


def _recovery(
    mechanism: Mechanism,
    reference: Sequence[str] | None,
    model: LanguageModel | None,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Mapping[str, Any] | None:
    if reference is None:
        vocabulary = getattr(mechanism, "vocabulary", None)
        if vocabulary is None or not mechanism.guarantee.promises:
            return None
        epsilon = mechanism.guarantee.approximate().epsilon
        return quoted_recovery(mechanism.name, mechanism.parameters, vocabulary.digest, epsilon)
    mechanism = drawing_text(mechanism, "`reference`")
    if isinstance(mechanism, TextMechanism):
        raise UnsupportedGuarantee(
            f"`reference` needs a mechanism that replaces words; got {mechanism.name}, which replaces whole texts."
        )
    chosen = default_model(mechanism.vocabulary) if model is None else model
    measured = measure_recovery(mechanism, reference, chosen, rng=rng, progress=progress)
    return {"model": chosen.name, "texts": {"the reference": measured.to_data()}}


def audit_callable(
    target: str,
    claim: Claim,
    *,
    words: Sequence[str] = WORDS,
    samples: int = SAMPLES,
    confidence: float = 0.999,
    time_limit: float = 60.0,
    batch: int = 1,
    hygiene: bool = True,
) -> AuditReport:
    """Test foreign code: ``MODULE:CALLABLE``, a function from a list of words to a list of words.

    It runs in its own process under a time limit; every pair of ``words`` is tried. Before that it is started anew a
    few times: if draws of one process depend on each other, there is no verdict.

    Args:
        target: the module, importable from here, and the function in it.
        words: public words that the function knows, at least two different ones.
        samples: draws for each word of each pair.
        time_limit: seconds that one call may take.
        batch: words in a call; above 1 only if the words of a call are drawn independently.

    Raises:
        InputError: the function cannot be loaded, raises, hangs, or returns the wrong number of words.
    """
    distinct = list(dict.fromkeys(words))
    need(len(distinct) >= 2, "words", f"{len(distinct)} different ones", "at least two")
    start = time.perf_counter()
    pairs = list(combinations(distinct, 2))

    @contextmanager
    def started() -> Iterator[Draw]:
        process = in_child(target, time_limit=time_limit)
        try:
            yield callable_draw(process, batch)
        finally:
            process.close()

    try:
        if depends(started, distinct):
            finding = no_verdict(claim, Subject.WORD_CHANNEL)
        else:
            with started() as draw:
                finding = audit_sampled(draw, pairs, claim, samples=samples, confidence=confidence)
    except Interrupted as error:
        if error.partial is None:
            raise
        so_far = f"Until then: epsilon is at least {error.partial.epsilon.lower:.4g}, and the claim is not refuted."
        raise Interrupted(f"{error} {so_far}", error.partial) from None
    checks: tuple[Mapping[str, Any], ...] = ()
    if hygiene:
        try:
            hygiene_findings = run_hygiene(load_callable(target), distinct, claim=claim, time_limit=time_limit)
        except InputError as error:
            hygiene_findings = ()
            finding = replace(finding, notes=(*finding.notes, f"The hygiene checks could not be run: {error}"))
        checks = tuple(
            {
                "check": check.check,
                "passed": check.passed,
                "result": check.result,
                "witness": check.witness,
                "detail": check.detail,
            }
            for check in hygiene_findings
        )
    return AuditReport(
        name=target,
        parameters={"words": len(distinct), "batch": batch},
        findings=(finding,),
        hygiene=checks,
        seconds=time.perf_counter() - start,
        seed=None,
    )
