"""Canaries: add one person to a small public corpus and measure how well a release tells that they are there.

The verdict is about the whole program: it reads files, bounds records, adds noise and releases, as for any user. It
releases the two corpora many times; an attacker who knows the other persons and the canary decides by one number of
each release. The attacker's success gives a lower bound with confidence; the guarantee bounds every attacker.

Shortcuts that are tempting but wrong are here to be refuted: each adds the noise that its number asks for.
"""

import json
import math
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from textveil.aggregates.budget import GRID, ContributionBound, GaussianBudget
from textveil.aggregates.count_run import word_weights
from textveil.aggregates.counts import SELECTIONS, Counting
from textveil.aggregates.learning import released_moments
from textveil.aggregates.parts import InProcess
from textveil.aggregates.person_words import PersonWords
from textveil.aggregates.request import CorpusRequest, PersonalRecords
from textveil.aggregates.synthesis import synthesize
from textveil.errors import need
from textveil.randomness import secure_generator, seeded_generator
from textveil.types import Progress, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import AuditReport, Claim, Subject
from textveil_lab.audit.sampled.bounds import audit_sampled

Trial = Callable[[PersonalRecords, np.random.Generator], float]
"""Function that releases a corpus once and returns the attacker's number."""


def _unselected_words(budget: GaussianBudget) -> Trial:
    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        words = Counter(word for batch in corpus.batches() for text in batch.texts for word in set(text.split()))
        names = sorted(words)
        budget.noise(5 * GRID**2).sample(len(names), rng)  # which changes no name
        return float(len(names))

    return trial


def _private_bound(budget: GaussianBudget) -> Trial:
    """Release a sum of persons' words with noise for the largest person: the amount of noise tells who that is."""

    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        lengths = Counter[int]()
        for batch in corpus.batches():
            for person, text in zip(batch.persons.tolist(), batch.texts, strict=True):
                lengths[person] += len(text.split())
        noise = budget.noise(max(lengths.values()) ** 2 * GRID**2)
        total = sum(lengths.values()) * GRID + int(noise.sample(1, rng)[0])
        return float(abs(total) // GRID)

    return trial


def _private_choice(budget: GaussianBudget) -> Trial:
    """Choose, without noise, the one of two public models that fits the corpus better."""

    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        labels = Counter(label for batch in corpus.batches() for label in batch.labels)
        budget.noise(GRID**2).sample(1, rng)  # of the model's weights, which the choice does not look at
        return float(labels["a"] > labels["b"])

    return trial


def _clear_labels(budget: GaussianBudget) -> Trial:
    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        labels = Counter(label for batch in corpus.batches() for label in batch.labels)
        budget.noise(GRID**2).sample(1, rng)
        return float(labels["a"])

    return trial


SHORTCUTS: Final[Mapping[str, Callable[[GaussianBudget], Trial]]] = {
    "unselected-words": _unselected_words,
    "private-bound": _private_bound,
    "private-choice": _private_choice,
    "clear-labels": _clear_labels,
}
"""Wrong releases, by the names that audits give them."""


SAMPLES: Final = 2_000  # Releases of each corpus, unless told otherwise
_PERSONS: Final = 24
_WORDS: Final = 60
_DIM: Final = 8
_LABELS: Final = ("a", "b")
_CANARY: Final = ("w58 w59", _LABELS[0])  # two words that nobody else has, and a label


def audit_aggregate(
    name: str,
    *,
    epsilon: float,
    delta: float,
    copies: int = 1,
    claim: Claim | None = None,
    samples: int = SAMPLES,
    confidence: float = 0.999,
    seed: int | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """Try to tell a corpus with one more person from the same corpus without them, by its releases.

    Args:
        name: a key of ``ATTACKS``.
        epsilon: of the release, in nats.
        delta: of the release.
        copies: records of the canary, all alike, >= 1.
        claim: None is (epsilon, delta).
        samples: releases of each corpus; half choose the attacker's threshold, half test it.
        confidence: of the bounds together.
        seed: None is the operating system's randomness.

    Raises:
        ParameterError: no release has that name, or a number is outside its domain.
        InputError: too few samples for any outcome to refute the claim.
    """
    need(name in ATTACKS, "aggregate", name, f"one of {', '.join(ATTACKS)}")
    need(copies >= 1, "copies", copies, ">= 1")
    budget = GaussianBudget(epsilon, delta, SELECTIONS)
    rng = secure_generator() if seed is None else seeded_generator(seed)
    claim = Claim(epsilon=epsilon, log_delta=math.log(delta)) if claim is None else claim
    start, done = time.perf_counter(), 0
    trial = ATTACKS[name](budget)
    with_canary = f"with {copies} record{'s' * (copies > 1)} of one more person"
    with tempfile.TemporaryDirectory() as folder:
        corpora = [_corpus(Path(folder), 0), _corpus(Path(folder), copies)]

        def draw(corpus: int, count: int) -> Reals:
            nonlocal done
            scores = np.empty(count)
            for number in range(count):
                scores[number] = trial(corpora[corpus], rng)
                done += 1
                if progress is not None:
                    progress(done, 2 * samples)
            return scores

        finding = audit_sampled(
            draw,
            [(1, 0)],
            claim,
            samples=samples,
            confidence=confidence,
            score=lambda _first, _second, scores: scores,
            name=lambda corpus: with_canary if corpus else "without that person",
        )
    return AuditReport(
        name=name,
        parameters={"epsilon": epsilon, "delta": delta, "persons": _PERSONS, "copies": copies},
        findings=(replace(finding, subject=Subject.RELEASE),),
        seconds=time.perf_counter() - start,
        seed=seed,
    )


def _corpus(folder: Path, copies: int) -> PersonalRecords:
    chosen = np.random.default_rng(1).integers(0, _WORDS - 2, (_PERSONS, 5))
    rows = [
        {"person": f"p{number}", "text": " ".join(f"w{word}" for word in words), "label": _LABELS[number % 2]}
        for number, words in enumerate(chosen.tolist())
    ]
    rows += [{"person": "canary", "text": _CANARY[0], "label": _CANARY[1]}] * copies
    path = folder / f"with_{copies}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    return PersonalRecords(inputs=(str(path),), unit="person", label="label")


def _vocabulary() -> Vocabulary:
    vectors = np.random.default_rng(2).standard_normal((_WORDS, _DIM)).astype(np.float32)
    return Vocabulary([f"w{number}" for number in range(_WORDS)], vectors, name="made")


def _count(budget: GaussianBudget) -> Trial:
    public = _vocabulary().words
    held: dict[tuple[str, ...], PersonWords] = {}

    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        words = held.get(corpus.inputs) or PersonWords.read(corpus.batches(), public)
        held[corpus.inputs] = words
        counting = Counting(budget=budget, bound=ContributionBound(2, 1), weights=word_weights())
        release = counting.release(InProcess([words]), public, corpus.adjacency, rng)
        return float(sum(line.count for line in release.counts if line.item in _CANARY[0].split()))

    return trial


def _request(
    corpus: PersonalRecords, budget: GaussianBudget, vocabulary: Vocabulary, rng: np.random.Generator
) -> CorpusRequest:
    return CorpusRequest(
        corpus, epsilon=budget.epsilon, delta=budget.delta, labels=_LABELS, vocabulary=vocabulary, rng=rng
    )


def _learn(budget: GaussianBudget) -> Trial:
    """Return the likelihood ratio of a classifier's noisy sums: no attack on the classifier is better."""
    vocabulary = _vocabulary()

    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        released = released_moments(_request(corpus, budget, vocabulary, rng))
        noise, sums = released.noise, released.moments
        vector = released.features.vectors([_CANARY[0]], noise.norm)[0].astype(np.float64)
        second = vector @ sums.second @ vector / noise.diagonal.sigma**2
        return float(second + vector @ sums.cross[:, 0] / noise.cross.sigma**2)

    return trial


def _synthesize(budget: GaussianBudget) -> Trial:
    vocabulary = _vocabulary()
    pool = [_CANARY[0], *(f"w{first} w{first + 1}" for first in range(0, _WORDS - 3, 2))]

    def trial(corpus: PersonalRecords, rng: np.random.Generator) -> float:
        release = synthesize(_request(corpus, budget, vocabulary, rng), pool, documents=6)
        drawn = dict(zip(release.texts, release.labels, strict=True))
        return float({None: 0, "a": 1, "b": -1}[drawn.get(_CANARY[0])])

    return trial


ATTACKS: Final[Mapping[str, Callable[[GaussianBudget], Trial]]] = {
    "count": _count,
    "learn": _learn,
    "synthesize": _synthesize,
    **SHORTCUTS,
}
"""Releases under attack: real ones by their command, and wrong ones by name."""
