"""Shared data of a frontier's cells, all public: words and vectors, the prior, inputs, neighbors.

Empirical distinguishability: how often a reader of one release tells from which of two texts it was made.
"""

import hashlib
import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import WordMechanism
from textveil.randomness import seeded_generator
from textveil.statistics import Bound, clopper_pearson
from textveil.types import Flags, Ids, Reals, Vectors
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.frontiers.corpus import PublicTexts
from textveil_lab.frontiers.downstream.tasks import LabelledTask
from textveil_lab.frontiers.measures import TEXTS_BY_EMBEDDING, TEXTS_BY_SURFACE, WORDS_BY_EMBEDDING, WORDS_BY_SURFACE
from textveil_lab.vocabulary.documents import Documents
from textveil_lab.vocabulary.geometry import nearest_neighbors, normalize

NEIGHBORS: Final = 100
DRAWS: Final = 20_000
PAIRS: Final = 4_000
TEXTS: Final = 1_000
TEXT_WORDS: Final = 10  # Words of a text if none are given: drawn from the prior, each by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Numbers of draws for one cell."""

    draws: int = DRAWS  # words from the prior, each released once, >= 2
    neighbors: int = NEIGHBORS  # k of "among the k nearest words", the word itself included, >= 1
    pairs: int = PAIRS  # of words that are told apart, >= 1
    texts: int = TEXTS  # pairs of texts that are told apart, >= 1
    noisy: int = 100  # noisy vectors that the Bayes attacker is given, >= 2

    def __post_init__(self) -> None:
        for name, least in (("draws", 2), ("neighbors", 1), ("pairs", 1), ("texts", 1), ("noisy", 2)):
            need(getattr(self, name) >= least, name, getattr(self, name), f">= {least}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrontierStudy:
    """Shared data of all cells; made by ``study_of``."""

    vocabulary: Vocabulary
    prior: Reals  # of words, sum 1, shape (n,)
    prior_source: str
    units: Vectors  # the vectors at norm 1, shape (n, dim)
    near: Ids  # the nearest words of every word by cosine, itself first, shape (n, k)
    inputs: Ids  # words drawn from the prior, the same for all mechanisms, shape (draws,)
    sizes: Sizes
    delta: float
    seed: int
    task: LabelledTask | None = None  # a labelled corpus cut into runs; None if none is given
    # words of public texts that are told apart and decoded; None draws them from the prior
    texts: Documents | None = None
    sentences: tuple[str, ...] = ()  # some of the texts, unchanged, for the decoder

    @property
    def texts_digest(self) -> str | None:
        """Digest of the words and classes of the texts; None if there are none."""
        if self.texts is None:
            return None
        total = hashlib.sha256(self.texts.ids.tobytes() + self.texts.bounds.tobytes())
        for run in () if self.task is None else self.task.runs:
            total.update(run.train.classes.tobytes() + run.train.documents.ids.tobytes())
        return total.hexdigest()[:16]

    def terms(self) -> dict[str, Any]:
        sizes = {name: getattr(self.sizes, name) for name in ("draws", "neighbors", "pairs", "noisy")}
        if self.sizes.texts != TEXTS:  # named only if it is not the default, so that older folders still fit
            sizes["pairs of texts"] = self.sizes.texts
        return {
            "vocabulary": self.vocabulary.digest,
            "prior": self.prior_source,
            **sizes,
            "delta": self.delta,
            "seed": self.seed,
            "texts": self.texts_digest,
        }


def study_of(
    vocabulary: Vocabulary,
    *,
    prior: str | None = None,
    sizes: Sizes | None = None,
    delta: float = 1e-5,
    seed: int = 0,
    texts: PublicTexts | None = None,
) -> FrontierStudy:
    """Compute the shared data of all cells.

    Args:
        vocabulary: public words and vectors, more than ``sizes.neighbors``.
        prior: see ``vocabulary.frequencies.word_frequencies``.
        sizes: numbers of draws; None: the defaults of ``Sizes``.
        delta: in (0, 1).
        texts: public texts of the same vocabulary.
    """
    chosen = Sizes() if sizes is None else sizes
    size = len(vocabulary)
    need(chosen.neighbors < size, "neighbors", chosen.neighbors, f"below the {size} words of the vocabulary")
    need(0 < delta < 1, "delta", delta, "in (0, 1)")
    frequencies = word_frequencies(vocabulary, prior)
    shares = frequencies.counts / frequencies.counts.sum()
    return FrontierStudy(
        vocabulary=vocabulary,
        prior=shares,
        prior_source=frequencies.source,
        units=normalize(vocabulary.vectors),
        near=nearest_neighbors(vocabulary.vectors, np.arange(size), chosen.neighbors),
        inputs=drawn_words(shares, chosen.draws, seeded_generator(seed, 0)),
        sizes=chosen,
        delta=delta,
        seed=seed,
        task=None if texts is None else texts.task,
        texts=None if texts is None else texts.words,
        sentences=() if texts is None else texts.decoded,
    )


def drawn_words(prior: Reals, count: int, rng: np.random.Generator) -> Ids:
    """Return independent words from the prior, shape (count,)."""
    return rng.choice(len(prior), size=count, p=prior).astype(np.int64)


_CONFIDENCE = 0.95


def words_apart(study: FrontierStudy, mechanism: WordMechanism, rng: np.random.Generator) -> dict[str, Bound]:
    """Return the share of right guesses between pairs of words from the prior, of which the first is released."""
    first, second = word_pairs(study)
    outputs = mechanism.privatize(first, rng)
    units = study.units
    surface = (outputs == first).astype(np.float64) - (outputs == second)
    embedding = _cosines(units, outputs, first) - _cosines(units, outputs, second)
    return {WORDS_BY_SURFACE: _share(_guessed(surface, rng)), WORDS_BY_EMBEDDING: _share(_guessed(embedding, rng))}


def texts_apart(study: FrontierStudy, mechanism: WordMechanism, rng: np.random.Generator) -> dict[str, Bound]:
    """Return the share of right guesses between pairs of texts of equal length, of which the first is released."""
    first, second = text_pairs(study)
    outputs = mechanism.privatize(first.ravel(), rng).reshape(first.shape)
    surface = (outputs == first).sum(axis=1) - (outputs == second).sum(axis=1)
    means = [_units(study.units[ids].mean(axis=1)) for ids in (outputs, first, second)]
    embedding = (means[0] * (means[1] - means[2])).sum(axis=1)
    return {
        TEXTS_BY_SURFACE: _share(_guessed(surface.astype(np.float64), rng)),
        TEXTS_BY_EMBEDDING: _share(_guessed(embedding.astype(np.float64), rng)),
    }


def word_pairs(study: FrontierStudy) -> tuple[Ids, Ids]:
    """Return pairs of different words, in no order, the same for all mechanisms; shape (pairs,) each."""
    rng, wanted = seeded_generator(study.seed, 1), study.sizes.pairs
    first = drawn_words(study.prior, wanted, rng)
    second = drawn_words(study.prior, wanted, rng)
    while (same := np.flatnonzero(first == second)).size:  # both anew: given that they differ, neither comes first
        first[same], second[same] = (drawn_words(study.prior, len(same), rng) for _ in range(2))
    return first, second


def text_pairs(study: FrontierStudy) -> tuple[Ids, Ids]:
    """Return pairs of texts, windows of given texts or words of the prior, the same for all; shape (texts, words)."""
    rng, wanted = seeded_generator(study.seed, 2), study.sizes.texts
    pool = None if study.texts is None else windows(study.texts, TEXT_WORDS)
    if pool is None or len(pool) < 2:
        both = drawn_words(study.prior, 2 * wanted * TEXT_WORDS, rng).reshape(2, wanted, TEXT_WORDS)
        return both[0], both[1]
    first = rng.integers(len(pool), size=wanted)
    second = (first + 1 + rng.integers(len(pool) - 1, size=wanted)) % len(pool)  # another one, any as likely
    return pool[first], pool[second]


def windows(texts: Documents, length: int) -> Ids:
    """Return runs of ``length`` consecutive words, none twice and none across the end of a text."""
    documents = [
        texts.ids[start : start + length]
        for begin, end in zip(texts.bounds[:-1].tolist(), texts.bounds[1:].tolist(), strict=True)
        for start in range(begin, end - length + 1, length)
    ]
    return np.array(documents, dtype=np.int64).reshape(len(documents), length)


def shown_epsilon(share: Bound) -> float:
    """Return the loss in nats that a share of right guesses shows; 0 if its interval includes one half."""
    if share.lower <= 0.5:
        return 0.0
    return math.inf if share.lower >= 1 else math.log(share.lower / (1 - share.lower))


def _guessed(lead: Reals, rng: np.random.Generator) -> Flags:
    """Tell whether the released candidate is guessed: by the sign of its lead, or by a coin if the lead is 0."""
    return (lead > 0) | ((lead == 0) & (rng.random(len(lead)) < 0.5))


def _share(right: Flags) -> Bound:
    return clopper_pearson(int(np.count_nonzero(right)), len(right), _CONFIDENCE)


def _cosines(units: np.ndarray, first: Ids, other: Ids) -> Reals:
    return np.einsum("ij,ij->i", units[first], units[other], dtype=np.float64)


def _units(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)
