"""A release of counts from files: read, pay, draw; and its report.

Proof: privacy/proofs/corpus_counts.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.contributions import ContributionBound
from textveil.aggregates.counts import CONFIDENCE, PROOF, SELECTIONS, Counting, CountRelease
from textveil.aggregates.options import Delta, Epsilon, ItemsPerPerson, Labels, Ngrams, PublicWords, Repeats
from textveil.aggregates.payment import Fact, paid
from textveil.aggregates.person_words import PersonWords
from textveil.aggregates.records import PersonalRecords
from textveil.aggregates.report import AggregateReport
from textveil.corpora.payment import Payer
from textveil.errors import InputError, ParameterError
from textveil.randomness import seeded_generator
from textveil.text.spelling import fold
from textveil.types import Progress
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.frequencies import word_frequencies

NO_WORDS: Final = "none"
"""Public list without a word."""

_FREQUENT: Final = 300
"""Rank of the most frequent word, in public text, that has weight 1."""


def count(
    records: PersonalRecords,
    *,
    epsilon: Epsilon,
    delta: Delta,
    ngrams: Ngrams = 1,
    items_per_person: ItemsPerPerson = 20,
    repeats: Repeats = 1,
    labels: Labels = (),
    words: PublicWords = "",
    payer: Payer | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> tuple[CountRelease, AggregateReport]:
    """Count the words and n-grams of a corpus, under one epsilon for all that a person wrote.

    Args:
        records: of the corpus; with a label, counts are by label.
        epsilon: nats, of the whole release.
        delta: of the whole release.
        ngrams: words of the longest n-grams.
        items_per_person: see ``ContributionBound``.
        repeats: see ``ContributionBound``.
        labels: all that count, where they are public; none: they are selected.
        words: file of public words, one a line; empty takes the embedded ones, ``"none"`` none.
        payer: pays for every person.
        seed: for experiments.
        progress: called with bytes read and in all.

    Raises:
        InputError: a record or the list of words cannot be read.
        ParameterError: a value is outside its domain.
        BudgetExhausted: a person's budget does not reach; nothing was drawn.
    """
    if labels and records.label is None:
        raise ParameterError("`labels` needs `label`; got none.")
    if len(set(labels)) != len(labels):
        raise ParameterError("`labels` must be different; got one twice.")
    budget = GaussianBudget(epsilon, delta, SELECTIONS)
    rng = None if seed is None else seeded_generator(seed)
    public = public_words(words)
    counting = Counting(
        budget=budget,
        bound=ContributionBound(items_per_person, repeats),
        ngrams=ngrams,
        weights=word_weights(),
    )
    corpus = PersonWords.read(records, public, list(labels) or None, progress)
    names: Sequence[str] | None = () if records.label is None else labels or None
    counting.check(len(public), selects_labels=names is None)
    settings: list[Fact] = ["count", repr(counting), tuple(public), None if names is None else tuple(names)]
    guarantee = budget.guarantee(records.adjacency, PROOF)
    with paid(payer, guarantee, records, settings, rng) as drawing:
        release = counting.release(corpus, len(public), records.adjacency, drawing.rng, names)
    return release, _report(release, counting, records, labels, words, len(public), secure=seed is None)


def public_words(words: str) -> list[str]:
    """The words of a public list, folded, each once."""
    if words == NO_WORDS:
        return []
    if not words:
        listed = load_vocabulary().words
    else:
        try:
            listed = tuple(Path(words).read_text(encoding="utf-8").split())
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"words must be a file of UTF-8 text; got one that cannot be read ({error.__class__.__name__})."
            ) from None
    return list(dict.fromkeys(word for word in map(fold, listed) if word))


@cache
def word_weights() -> Mapping[str, int]:
    """Weights, in units of the grid, of the most frequent words of public text; all others have ``GRID``.

    A person's frequent words take less of what the person may give: their counts are large, and need less precision.
    The weight is the fourth root of the frequency of the word of rank 300, divided by the word's own.
    """
    vocabulary = load_vocabulary()
    counts = word_frequencies(vocabulary).counts
    frequent = np.argsort(-counts, kind="stable")[:_FREQUENT]
    least = int(counts[frequent[-1]])
    return {vocabulary.words[word]: int(GRID * (least / int(counts[word])) ** 0.25) for word in frequent}


def _report(
    release: CountRelease,
    counting: Counting,
    records: PersonalRecords,
    labels: Sequence[str],
    words: str,
    public: int,
    *,
    secure: bool,
) -> AggregateReport:
    bound = counting.bound
    return AggregateReport(
        release="counts",
        guarantee=release.guarantee,
        selections=counting.budget.selections,
        public={
            "words": {"": "embedded vocabulary", NO_WORDS: "none"}.get(words, "file"),
            "number_of_words": public,
            "labels": list(labels) if labels else None if records.label is None else "selected",
            "weights": "from word frequencies of public text",
        },
        bounded={
            "items_per_person": bound.items,
            "items_at_most": bound.most,
            "repeats": bound.repeats,
            "records_per_person": records.limit,
            "ngrams": counting.ngrams,
        },
        noise=release.noise,
        facts={
            "items": len(release.counts),
            "thresholds": dict(release.thresholds),
            "confidence": CONFIDENCE,
            "persons_about": release.persons,
        },
        not_covered=(
            "Intervals cover the noise alone. The bound on a person's items biases counts; the correction is an "
            "average over all items.",
        ),
        secure=secure,
    )
