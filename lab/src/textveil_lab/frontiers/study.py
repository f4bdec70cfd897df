"""What all cells of a frontier share: public words and vectors, the prior, inputs, neighbors; all of it public."""

import hashlib
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from textveil.aggregates.documents import Documents
from textveil.errors import need
from textveil.randomness import seeded_generator
from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.frequencies import word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.frontiers.corpus import PublicTexts
from textveil_lab.frontiers.downstream.tasks import LabelledTask
from textveil_lab.vocabulary.geometry import nearest_neighbors, normalize

NEIGHBORS: Final = 100
DRAWS: Final = 20_000
PAIRS: Final = 4_000
TEXTS: Final = 1_000
TEXT_WORDS: Final = 10  # Words of a text where none are given: drawn from the prior, each by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is drawn for one cell."""

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
    """Made by ``study_of``."""

    vocabulary: Vocabulary
    prior: Reals  # of words, sum 1, shape (n,)
    prior_source: str
    units: Vectors  # the vectors at norm 1, shape (n, dim)
    near: Ids  # the nearest words of every word by cosine, itself first, shape (n, k)
    inputs: Ids  # words drawn from the prior, the same for all mechanisms, shape (draws,)
    sizes: Sizes
    delta: float
    seed: int
    task: LabelledTask | None = None  # a labelled corpus cut into runs; None where none is given
    # words of public texts that are told apart and decoded; None draws them from the prior
    texts: Documents | None = None
    sentences: tuple[str, ...] = ()  # some of the texts as they are written, for the decoder

    @property
    def texts_digest(self) -> str | None:
        """Of the words and classes of the texts; None where there are none."""
        if self.texts is None:
            return None
        total = hashlib.sha256(self.texts.ids.tobytes() + self.texts.bounds.tobytes())
        for run in () if self.task is None else self.task.runs:
            total.update(run.train.classes.tobytes() + run.train.documents.ids.tobytes())
        return total.hexdigest()[:16]

    def terms(self) -> dict[str, Any]:
        """All that cells depend on beside their own names, as JSON values."""
        sizes = {name: getattr(self.sizes, name) for name in ("draws", "neighbors", "pairs", "noisy")}
        if self.sizes.texts != TEXTS:  # named where it is another than in all folders that do not name it
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
    """Compute what all cells share.

    Args:
        vocabulary: public words and vectors, more than ``sizes.neighbors``.
        prior: see ``vocabulary.frequencies.word_frequencies``.
        sizes: how much is drawn; None is as documented there.
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
    """Independent words from the prior, shape (count,)."""
    return rng.choice(len(prior), size=count, p=prior).astype(np.int64)
