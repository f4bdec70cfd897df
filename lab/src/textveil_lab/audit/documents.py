"""Audits of mechanisms that see more than one word: sequences and whole texts."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.kinds import SequenceMechanism, TextMechanism
from textveil.privacy.units import ANY_DOCUMENT
from textveil.statistics import Bound
from textveil.types import Ids, Progress
from textveil_lab.audit.channels.exact import audit_channel
from textveil_lab.audit.channels.rows import IntegerRows
from textveil_lab.audit.methods import Audit, Method, is_a
from textveil_lab.audit.noise.text_codes import NOISY_CODES
from textveil_lab.audit.report.report import Claim, Finding, Subject, Verdict
from textveil_lab.audit.sampled.bounds import audit_sampled, minimum_samples
from textveil_lab.audit.sampled.draws import candidate_pairs
from textveil_lab.audit.sampled.stated import DrawsCheck, check_rows, draws_every_word
from textveil_lab.mechanisms.capabilities import AdjacentTexts, DocumentRows, KnownOutputs, SequenceWeights

EXACT_WORK = 2e7  # Weights of all rows after all first outputs up to which sequences are computed exactly: 270 words
LEAST_SAMPLES, MOST_SAMPLES = 20_000, 500_000
"""Default draws for each document of a pair: enough to refute the claim, between these bounds."""

_PROBE_WORDS = 16
_FEW_WORDS, _FEWER_WORDS, _SMALL = 12, 4, 1000
"""Words of the documents that are compared exactly: so many in vocabularies up to ``_SMALL`` words, and beyond."""


def _run_sequence_rows(audit: Audit) -> None:
    """Audit exactly the row of every word after no output and after every first output, in small vocabularies.

    A draw depends on released words only, so those rows decide the loss of both words.
    """
    size = len(audit.mechanism.vocabulary)
    if (size + 1.0) * size * size <= EXACT_WORK:
        audit.findings.append(exact_sequences(audit.mechanism, audit.claim, progress=audit.progress))
    audit.draws = _check_first_words(audit.mechanism, audit.rng)
    audit.tell_contradiction()


def _run_sequence_samples(audit: Audit) -> None:
    """Sample both outputs of documents of two words: this also finds draws that depend on more than they state."""
    mechanism, size = audit.mechanism, len(audit.mechanism.vocabulary)
    words = mechanism.vocabulary.words
    pairs = []
    for first, second in candidate_pairs(mechanism.vocabulary, 2, audit.rng):
        pairs += [((first, first), (second, first)), ((first, first), (first, second))]
    sampled = audit_sampled(
        sequence_draw(mechanism, audit.rng),
        pairs,
        audit.claim,
        samples=audit.samples or _enough(audit.claim, len(pairs), audit.confidence),
        confidence=audit.confidence,
        name=lambda document: " ".join(words[int(word)] for word in _unpacked(document, size)),
    )
    note = "Documents of two words that differ in the first, or in the second, with both outputs looked at together."
    audit.findings.append(replace(sampled, subject=Subject.DOCUMENT_CHANNEL, notes=(note, *sampled.notes)))


def _check_first_words(mechanism: SequenceWeights, rng: np.random.Generator) -> DrawsCheck:
    assert isinstance(mechanism, SequenceMechanism)
    size = len(mechanism.vocabulary)
    nothing = np.empty(0, dtype=np.int64)

    def draw(ids: Ids) -> Ids:
        pairs = np.stack([ids, rng.integers(0, size, len(ids))], axis=1).reshape(-1)
        return mechanism.privatize_documents(pairs, 2 * np.arange(len(ids) + 1), rng)[::2]

    rows = IntegerRows((size, size), partial(mechanism.integer_weights_after, nothing))
    every = draws_every_word(mechanism)
    return check_rows(draw, rows, mechanism.vocabulary.words, rng, every=every, subject=Subject.DOCUMENT_CHANNEL)


def exact_sequences(mechanism: SequenceWeights, claim: Claim, *, progress: Progress | None = None) -> Finding:
    """Return the loss of one word in documents of at most two words, from integer weights after every first output.

    Returns:
        A finding of method ``"exact sequences"``: REFUTED, or NOT_REFUTED with exact numbers: longer documents have
        rows that it did not see.
    """
    size = len(mechanism.vocabulary)
    pasts = [np.empty(0, dtype=np.int64), *np.arange(size, dtype=np.int64)[:, None]]
    findings: list[Finding] = []
    for done, past in enumerate(pasts, start=1):
        rows = IntegerRows((size, size), partial(mechanism.integer_weights_after, past))
        findings.append(audit_channel(rows, claim, mechanism.vocabulary))
        if progress is not None:
            progress(done, len(pasts))
    worst = max(
        findings, key=lambda finding: (finding.verdict is Verdict.REFUTED, finding.delta.lower, finding.epsilon.upper)
    )
    verdict = worst.verdict if worst.verdict is Verdict.REFUTED else Verdict.NOT_REFUTED
    note = "Every row of documents of at most two words was computed; of longer ones the mechanism's proof speaks."
    return replace(
        worst, verdict=verdict, method="exact sequences", subject=Subject.DOCUMENT_CHANNEL, notes=(note, *worst.notes)
    )


def sequence_draw(mechanism: SequenceMechanism, rng: np.random.Generator) -> Any:
    """Return a function that draws whole outputs for a document of ids, each packed into one integer."""
    size = len(mechanism.vocabulary)

    def draw(document: Any, count: int) -> NDArray[Any]:
        ids = np.tile(np.asarray(document, dtype=np.int64), count)
        drawn = mechanism.privatize_documents(ids, len(document) * np.arange(count + 1), rng)
        packed = np.zeros(count, dtype=np.int64)
        for column in drawn.reshape(count, len(document)).T:
            packed = packed * size + column
        return packed

    return draw


def _unpacked(document: Any, size: int) -> Sequence[int]:
    return document if isinstance(document, tuple) else divmod(int(document), size)


def exact_documents(mechanism: DocumentRows, claim: Claim) -> Finding:
    """Return the largest loss of two documents of two public words each, from the mechanism's own rows.

    Words are independent given the document, so the loss of a pair of documents is the sum of the largest log-ratio at
    each position. It is exact for each pair; other documents may lose more.

    Returns:
        A finding of method ``"exact documents"``: REFUTED, or NOT_REFUTED.
    """
    size = len(mechanism.vocabulary)
    few = _FEW_WORDS if size <= _SMALL else _FEWER_WORDS
    words = np.unique(np.linspace(0, size - 1, min(size, few)).astype(np.int64))
    pairs = np.array([(first, second) for first in words for second in words])
    with np.errstate(divide="ignore"):
        logs = np.stack([np.log(mechanism.document_rows(pair)) for pair in pairs])
    worst, places = -np.inf, (0, 0)
    for likely, row in enumerate(logs):
        losses = np.nan_to_num(row - logs, nan=-np.inf, posinf=np.inf, neginf=-np.inf).max(axis=2).sum(axis=1)
        if losses.max() > worst:
            worst, places = float(losses.max()), (likely, int(losses.argmax()))
    likely, unlikely = places
    outputs = (logs[likely] - logs[unlikely]).argmax(axis=1)
    names = mechanism.vocabulary.words
    spelled = [" ".join(names[word] for word in ids) for ids in (pairs[likely], pairs[unlikely], outputs)]
    return replace(
        _of_one_pair(claim, "exact documents", (spelled[0], spelled[1]), spelled[2], worst),
        notes=(f"Every two of {len(pairs)} documents of two words were compared, by their exact distributions.",),
        inputs="two documents of as many words",
    )


def exact_outputs(mechanism: KnownOutputs, claim: Claim, pairs: Sequence[tuple[str, str]]) -> Finding:
    """Return an output that tells two public texts apart, with its exact loss: draws would seldom find it.

    Returns:
        A finding of method ``"exact outputs"``: REFUTED, or NOT_REFUTED, since the search is greedy.
    """
    costliest = mechanism.costliest_output(pairs)
    told = (
        f"For {len(pairs)} pairs of texts the output was sought that tells most, token by token; others may exceed it."
    )
    pair = (costliest.first, costliest.second)
    finding = _of_one_pair(claim, "exact outputs", pair, costliest.output, costliest.loss)
    return replace(
        finding,
        # A token that ends a text is no part of it.
        witness={**finding.witness, "tokens": list(costliest.tokens)},
        notes=(told, "Its probabilities are those of the integers that would be drawn by; nothing was drawn."),
        inputs="two documents",
    )


def _of_one_pair(claim: Claim, method: str, pair: tuple[str, str], output: str, loss: float) -> Finding:
    """Return the finding that the exact loss of one output under two documents gives; other documents may lose more."""
    broken = claim.log_delta == -np.inf and loss > min(claim.epsilon * (1 + 1e-9), sys.float_info.max)
    return Finding(
        verdict=Verdict.REFUTED if broken else Verdict.NOT_REFUTED,
        claim=claim,
        epsilon=Bound(loss * (1 - 1e-9), loss, np.inf, 1.0),
        delta=Bound(0.0, 0.0, 1.0, 1.0),
        method=method,
        subject=Subject.DOCUMENT_CHANNEL,
        witness={"pair": list(pair), "output": output, "loss": loss},
    )


def _run_text_samples(audit: Audit) -> None:
    def draw(text: Any, count: int) -> NDArray[Any]:
        return np.array(audit.mechanism.privatize_texts([str(text)] * count, audit.rng))

    pairs = compared_texts(audit.mechanism, audit.words)
    count = audit.samples or _enough(audit.claim, len(pairs), audit.confidence)
    sampled = audit_sampled(draw, pairs, audit.claim, samples=count, confidence=audit.confidence)
    audit.findings.append(replace(sampled, subject=Subject.DOCUMENT_CHANNEL))


def _enough(claim: Claim, pairs: int, confidence: float) -> int:
    return max(LEAST_SAMPLES, min(MOST_SAMPLES, 2 * minimum_samples(claim, pairs, confidence)))


def text_pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of texts to try: two without a common word, one and an empty one, two that differ in one word."""
    spread = np.unique(np.linspace(0, len(words) - 1, min(len(words), 2 * _PROBE_WORDS)).astype(np.int64))
    first, second = spread[::2].tolist(), spread[1::2].tolist()
    texts = [" ".join(words[word] for word in ids) for ids in (first, second, [second[-1], *first[1:]])]
    pairs = [(texts[0], texts[1]), (texts[0], ""), (texts[0], texts[2])]
    return [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]


def compared_texts(mechanism: TextMechanism, words: Sequence[str]) -> Sequence[tuple[str, str]]:
    """Return pairs of texts of public words that the mechanism's guarantee compares."""
    if isinstance(mechanism, AdjacentTexts):
        return mechanism.adjacent_texts(words)
    pairs = text_pairs(words)
    if mechanism.guarantee.adjacency == ANY_DOCUMENT:
        return pairs
    # Documents of other lengths are not compared then.
    return [(first, second) for first, second in pairs if len(first.split()) == len(second.split())]


def _run_rows(audit: Audit) -> None:
    audit.findings.append(exact_documents(audit.mechanism, audit.claim))


def _run_outputs(audit: Audit) -> None:
    pairs = compared_texts(audit.mechanism, audit.words)
    audit.findings.append(exact_outputs(audit.mechanism, audit.claim, pairs))


TEXTS: Final = (
    NOISY_CODES,
    Method(_run_rows, is_a(DocumentRows)),
    Method(_run_outputs, is_a(KnownOutputs)),
    Method(_run_text_samples, wanted=lambda audit: audit.needs_samples),
)
"""Methods for mechanisms of whole texts."""

SEQUENCES: Final = (Method(_run_sequence_rows, is_a(SequenceWeights)), Method(_run_sequence_samples))
"""Methods for mechanisms of sequences, on documents of two words."""
