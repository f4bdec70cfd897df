"""Synthetic text: public texts, chosen and labelled by the noisy sums of a corpus.

The sums are those of ``learning``. A regression tells documents of each label from one another and from public texts;
each public text gets the label that it is most like. Everything after the noise uses noisy sums and public texts alone.
Proof: ``privacy/proofs/corpus_synthesize.md``.
"""

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

import numpy as np

from textveil.aggregates.learning import ReleasedMoments, regression, released_moments
from textveil.aggregates.public_texts import PoolVectors
from textveil.aggregates.report import AggregateReport
from textveil.aggregates.request import CorpusRequest
from textveil.errors import ParameterError, need
from textveil.mechanisms.options import Option
from textveil.types import Integers, Reals

RELEASE: Final = "synthetic text"
PROOF: Final = "proofs/corpus_synthesize.md"

NEAREST: Final = 0.25
"""Share of a label's public texts, those that are most like it, that synthetic texts are drawn from."""


class SyntheticText(NamedTuple):
    """A synthetic corpus, and a fact for the sender alone.

    Attributes:
        texts: as many as were asked for, each of the pool, none twice.
        labels: of each; empty if no column of labels was read.
        persons: how many wrote the records: private.
    """

    texts: list[str]
    labels: list[str]
    report: AggregateReport
    persons: int


def synthesize(
    request: CorpusRequest,
    pool: Sequence[str],
    *,
    documents: Annotated[int, Option(help="Write exactly so many texts.", metavar="N")],
) -> SyntheticText:
    """Choose and label public texts, so that together they resemble a corpus.

    Args:
        request: its records are read twice; if they have no labels, texts get none.
        pool: public texts, each once.
        documents: how many texts come out, >= 1 and at most those of the pool.

    Raises:
        InputError: a record cannot be read; no label is used by enough persons.
        ParameterError: a number is outside, or the pool has fewer texts than are asked for.
        BudgetExhausted: a person's budget does not reach.
    """
    need(documents >= 1, "documents", documents, ">= 1")
    if documents > len(pool):
        raise ParameterError(
            f"documents must be at most the texts of the public pool, {len(pool):,}; got {documents:,}. "
            "Ask for fewer, or give a larger pool."
        )
    labelled, released = request.records.labelled, released_moments(request)
    vectors = PoolVectors.of(pool, released.features, request.pool_progress)
    texts, numbers, quotas = drawn(released, vectors, documents, released.rng)
    report = released.report(
        RELEASE,
        released.budget.guarantee(request.records.adjacency, PROOF),
        public={"texts of the pool": len(pool), "documents": documents},
        facts={"documents of each label": dict(zip(released.labels, quotas.tolist(), strict=True))} if labelled else {},
    )
    return SyntheticText(
        [pool[text] for text in texts.tolist()],
        [released.labels[number] for number in numbers.tolist()] if labelled else [],
        report,
        released.persons,
    )


def drawn(
    released: ReleasedMoments, vectors: PoolVectors, documents: int, rng: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    """Choose public texts by noisy sums; costs nothing more.

    Returns:
        Numbers of the texts and of their labels, shape (documents,), and how many texts each label has.
    """
    weights = label_weights(released)
    scores = vectors.scores(regression(released, weights.sum() * vectors.second_moment()))
    quotas = shares(weights, documents)
    return (*chosen(scores, quotas, rng), quotas)


def label_weights(released: ReleasedMoments) -> Reals:
    """About how many documents each label has, by the noisy sums of the constant coordinate; >= 0, one > 0."""
    constant = int(released.features.vectors([""], released.noise.norm)[0, -1])
    weights = np.maximum(released.moments.cross[-1] / constant, 0)
    return weights if weights.any() else np.ones_like(weights)


def shares(weights: Reals, documents: int) -> Integers:
    """Whole numbers in proportion to weights >= 0 that sum up to ``documents``: the largest remainders round up."""
    exact = weights / weights.sum() * documents
    whole = np.floor(exact).astype(np.int64)
    whole[np.argsort(whole - exact, kind="stable")[: documents - whole.sum()]] += 1
    return whole


def chosen(scores: Reals, quotas: Integers, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Texts and their labels, in a random order.

    A label's texts are drawn at random from the quarter of the texts that are most like it, among those that are more
    like it than any other label. Where these are too few, the label takes more of them, then those that are left.

    Args:
        scores: how like each label a text is, shape (texts, labels).
        quotas: texts of each label, at most ``texts`` together.
    """
    best = scores.argmax(axis=1)
    free = np.ones(len(scores), dtype=bool)
    texts: list[Integers] = []
    for label, quota in enumerate(quotas.tolist()):
        own = np.flatnonzero(best == label)
        own = own[np.argsort(-scores[own, label], kind="stable")][: max(quota, int(NEAREST * len(own)))]
        texts.append(rng.permutation(own)[:quota])
        free[texts[-1]] = False
    for label, quota in enumerate(quotas.tolist()):
        left = np.flatnonzero(free)
        more = left[np.argsort(-scores[left, label], kind="stable")][: quota - len(texts[label])]
        texts[label] = np.concatenate([texts[label], more])
        free[more] = False
    order = rng.permutation(int(quotas.sum()))
    return np.concatenate(texts)[order], np.repeat(np.arange(len(quotas)), quotas)[order]
