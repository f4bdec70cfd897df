"""Synthetic text: public texts, chosen and labelled by the noisy sums of a corpus, and compared with its records.

The sums are those of ``learning``. A regression tells documents of each label from one another and from public texts;
each public text gets the label that it is most like. Everything after the noise uses noisy sums and public texts alone.
Proof: ``privacy/proofs/corpus_synthesize.md``.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from textveil.aggregates.features import PublicFeatures
from textveil.aggregates.learning import ReleasedMoments, regression, released_moments
from textveil.aggregates.report import AggregateReport
from textveil.aggregates.request import CorpusRequest
from textveil.corpora.formats.choice import FormatChoice
from textveil.corpora.inputs import released_blocks
from textveil.corpora.sources import expanded
from textveil.errors import InputError, ParameterError, need
from textveil.registry.options import Option
from textveil.types import Integers, Progress, Reals

NORM: Final = 2**12  # of the vectors of public texts, in whole numbers of 16 bits
_BLOCK: Final = 4096


def read_pool(pattern: str, progress: Progress | None = None) -> list[str]:
    """The texts of a pool, each once, in their order: lines of a text file, or the field ``text`` of records.

    Raises InputError: the pool cannot be read, or it has no text.
    """
    inputs = tuple(expanded([pattern]))
    blocks = released_blocks(FormatChoice().reader(inputs), inputs, progress)
    texts = list(dict.fromkeys(stripped for block in blocks for text in block.texts if (stripped := text.strip())))
    if not texts:
        raise InputError("the public pool must hold texts; it is empty. Name another pool.")
    return texts


class PoolVectors(NamedTuple):
    """Vectors of public texts."""

    rows: NDArray[np.int16]  # with an L2 norm of at most ``NORM``, int16, shape (texts, dim)

    @classmethod
    def of(cls, texts: Sequence[str], features: PublicFeatures, progress: Progress | None = None) -> Self:
        rows = np.empty((len(texts), features.dim), dtype=np.int16)
        for first in range(0, len(texts), _BLOCK):
            part = texts[first : first + _BLOCK]
            rows[first : first + len(part)] = features.vectors(part, NORM)
            if progress is not None:
                progress(first + len(part), len(texts))
        return cls(rows)

    def blocks(self) -> Iterator[Reals]:
        """The vectors with norm 1, float32, some rows at a time."""
        for first in range(0, len(self.rows), _BLOCK):
            yield self.rows[first : first + _BLOCK].astype(np.float32) / NORM

    def second_moment(self) -> Reals:
        """Mean of the products of coordinates, shape (dim, dim)."""
        return np.asarray(sum(block.T @ block for block in self.blocks()), dtype=np.float64) / len(self.rows)

    def scores(self, weights: Reals) -> Reals:
        """Products with columns of weights, shape (texts, columns)."""
        return np.concatenate([block @ weights.astype(np.float32) for block in self.blocks()])


RUN: Final = 8  # words in a row that count as the same text

_WORD: Final = re.compile(r"\w+")


class Overlap(NamedTuple):
    """A synthetic text that shares a run of words with a private one."""

    line: int  # number of the synthetic text, from 1
    words: str  # the first such run, in lower case


class Comparison(NamedTuple):
    """Coincidences of public and synthetic texts with private ones."""

    overlaps: list[Overlap]  # of the synthetic texts, in their order
    in_pool: int  # private texts that stand in the pool word by word


def compared(synthetic: Sequence[str], pool: Sequence[str], private: Iterable[str], run: int = RUN) -> Comparison:
    """Compare texts with private ones.

    Public texts may coincide with private ones: by quotation, or if the pool is not public after all. ``run``: words
    in a row, >= 1; a shorter text counts as one run.
    """
    lines: dict[tuple[str, ...], list[int]] = {}
    for line, text in enumerate(synthetic, start=1):
        for words in _runs(text, run):
            lines.setdefault(words, []).append(line)
    public, in_pool = set(pool), 0
    shared: dict[int, tuple[str, ...]] = {}
    for text in private:
        in_pool += text.strip() in public
        for words in _runs(text, run):
            for line in lines.get(words, ()):
                shared.setdefault(line, words)
    return Comparison([Overlap(line, " ".join(shared[line])) for line in sorted(shared)], in_pool)


def _runs(text: str, run: int) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    if len(words) <= run:
        return {tuple(words)} if words else set()
    return set(zip(*(islice(words, first, None) for first in range(run)), strict=False))


RELEASE: Final = "synthetic text"
PROOF: Final = "proofs/corpus_synthesize.md"

NEAREST: Final = 0.25  # share of a label's public texts, those most like it, that synthetic texts are drawn from


class SyntheticText(NamedTuple):
    """A synthetic corpus, and a fact for the sender alone."""

    texts: list[str]  # as many as were asked for, each of the pool, none twice
    labels: list[str]  # of each; empty if no column of labels was read
    report: AggregateReport
    persons: int  # how many wrote the records: private


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
    texts, numbers, quotas = drawn(released, vectors, documents, released.drawing.rng)
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

    Returns numbers of the texts and of their labels, shape (documents,), and how many texts each label has.
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
    like it than any other label. If these are too few, the label takes more of them, then those that are left.

    ``scores``: how like each label a text is, shape (texts, labels); ``quotas``: texts of each label, at most ``texts``
    together.
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
