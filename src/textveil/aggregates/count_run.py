"""A release of counts from files: read, pay, draw; and its report.

Proof: privacy/proofs/corpus_counts.md.
"""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Final

import numpy as np

from textveil.aggregates.budget import GRID, ContributionBound, GaussianBudget
from textveil.aggregates.counts import CONFIDENCE, PROOF, SELECTIONS, Counting, CountRelease
from textveil.aggregates.payment import Fact, Paid, paid
from textveil.aggregates.person_words import PersonWords
from textveil.aggregates.report import AggregateReport
from textveil.aggregates.request import CorpusRequest
from textveil.errors import InputError
from textveil.registry.options import Option
from textveil.text.tokens import fold
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import word_frequencies

RELEASE: Final = "counts"
NO_WORDS: Final = "none"  # Public list without a word
_ITEMS: Final = "Distinct items of one person that count in full; of a person with more, all shrink."
_WORDS: Final = "Public words, one a line; `none`: all words are selected."
_FREQUENT: Final = 300  # rank of the most frequent word, in public text, that has weight 1


def count(
    request: CorpusRequest,
    *,
    ngrams: Annotated[int, Option(help="Count runs of up to N words: 1 to 4.", metavar="N")] = 1,
    items_per_person: Annotated[int, Option(help=_ITEMS, metavar="K")] = 20,
    repeats: Annotated[int, Option(help="How often one item of a person counts at most.", metavar="N")] = 1,
    words: Annotated[str, Option(help=_WORDS, metavar="FILE", unset="the embedded vocabulary")] = "",
) -> tuple[CountRelease, AggregateReport]:
    """Count the words and n-grams of a corpus, under one epsilon for all that a person wrote.

    ``request``: its records are read once; if they have labels, counts are by label.

    Raises:
        InputError: a record or the list of words cannot be read.
        ParameterError: a value is outside its domain.
        BudgetExhausted: a person's budget does not reach; nothing was drawn.
    """
    budget = GaussianBudget(request.epsilon, request.delta, SELECTIONS)
    public, labels = public_words(words), tuple(request.labels) or None
    bound = ContributionBound(items_per_person, repeats)
    counting = Counting(budget=budget, bound=bound, ngrams=ngrams, weights=word_weights())
    names = labels if request.records.labelled else ()
    counting.check(len(public), selects_labels=names is None)
    settings: list[Fact] = ["count", repr(counting), tuple(public), names]
    adjacency = request.records.adjacency
    guarantee = budget.guarantee(adjacency, PROOF)
    read = partial(PersonWords.read, public=public, labels=labels)
    prepared = counting.prepared(request.parts.kept(read), public, names)
    with paid(request, guarantee, settings, budget) as drawing:
        release = prepared(adjacency, drawing.rng)
    return release, _report(drawing, release, counting, request, words, len(public))


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
    drawing: Paid, release: CountRelease, counting: Counting, request: CorpusRequest, words: str, public: int
) -> AggregateReport:
    bound = counting.bound
    return AggregateReport(
        release=RELEASE,
        paid=drawing,
        guarantee=release.guarantee,
        selections=counting.budget.selections,
        public={
            "words": {"": "embedded vocabulary", NO_WORDS: "none"}.get(words, "file"),
            "number_of_words": public,
            "labels": list(request.labels) or ("selected" if request.records.labelled else None),
            "weights": "from word frequencies of public text",
        },
        bounded={
            "items_per_person": bound.items,
            "items_at_most": bound.most,
            "repeats": bound.repeats,
            "records_per_person": request.records.limit,
            "ngrams": counting.ngrams,
        },
        noise=release.noise,
        facts={
            "items": len(release.counts),
            "thresholds": dict(release.thresholds),
            "taken_by_the_bound": dict(release.taken),
            "confidence": CONFIDENCE,
            "persons_about": release.persons,
        },
        not_covered=(
            "Intervals cover the noise alone. The bound on a person's items biases counts; the correction is an "
            "average over all items.",
        ),
    )
