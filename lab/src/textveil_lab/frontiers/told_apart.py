"""Empirical distinguishability: how often a reader of one release tells which of two texts it was made of.

Two readers, as in the calibration of arXiv 2603.22968, one by surface and one by embedding; of that paper the abstract
was at hand, so the tests themselves are stated here and are our own. Under a pure guarantee of loss L for the
pair no reader is right more often than e^L / (1 + e^L), so a share of right guesses p shows a loss of at least
ln(p / (1 - p)): ``shown_epsilon``. It is a lower bound by one weak reader: a verified epsilon bounds all.
"""

import math

import numpy as np

from textveil.aggregates.documents import Documents
from textveil.mechanisms.kinds import WordMechanism
from textveil.randomness import seeded_generator
from textveil.statistics import Bound, clopper_pearson
from textveil.types import Flags, Ids, Reals
from textveil_lab.frontiers.measures import TEXTS_BY_EMBEDDING, TEXTS_BY_SURFACE, WORDS_BY_EMBEDDING, WORDS_BY_SURFACE
from textveil_lab.frontiers.study import TEXT_WORDS, FrontierStudy, drawn_words

_CONFIDENCE = 0.95


def words_apart(study: FrontierStudy, mechanism: WordMechanism, rng: np.random.Generator) -> dict[str, Bound]:
    """Pairs of words from the prior, of which the first is released."""
    first, second = word_pairs(study)
    outputs = mechanism.privatize(first, rng)
    units = study.units
    surface = (outputs == first).astype(np.float64) - (outputs == second)
    embedding = _cosines(units, outputs, first) - _cosines(units, outputs, second)
    return {WORDS_BY_SURFACE: _share(_guessed(surface, rng)), WORDS_BY_EMBEDDING: _share(_guessed(embedding, rng))}


def texts_apart(study: FrontierStudy, mechanism: WordMechanism, rng: np.random.Generator) -> dict[str, Bound]:
    """Pairs of texts of equal length, of which the first is released."""
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
    """Two different words each, in no order: the same for all mechanisms; shape (pairs,)."""
    rng, wanted = seeded_generator(study.seed, 1), study.sizes.pairs
    first = drawn_words(study.prior, wanted, rng)
    second = drawn_words(study.prior, wanted, rng)
    while (same := np.flatnonzero(first == second)).size:  # both anew: given that they differ, neither comes first
        first[same], second[same] = (drawn_words(study.prior, len(same), rng) for _ in range(2))
    return first, second


def text_pairs(study: FrontierStudy) -> tuple[Ids, Ids]:
    """Two texts each, windows of the given texts or words of the prior; the same for all; shape (texts, words)."""
    rng, wanted = seeded_generator(study.seed, 2), study.sizes.texts
    pool = None if study.texts is None else windows(study.texts, TEXT_WORDS)
    if pool is None or len(pool) < 2:
        both = drawn_words(study.prior, 2 * wanted * TEXT_WORDS, rng).reshape(2, wanted, TEXT_WORDS)
        return both[0], both[1]
    first = rng.integers(len(pool), size=wanted)
    second = (first + 1 + rng.integers(len(pool) - 1, size=wanted)) % len(pool)  # another one, any as likely
    return pool[first], pool[second]


def windows(texts: Documents, length: int) -> Ids:
    """Stretches of so many words that follow each other, none twice and none over the end of a text."""
    documents = [
        texts.ids[start : start + length]
        for begin, end in zip(texts.bounds[:-1].tolist(), texts.bounds[1:].tolist(), strict=True)
        for start in range(begin, end - length + 1, length)
    ]
    return np.array(documents, dtype=np.int64).reshape(len(documents), length)


def shown_epsilon(share: Bound) -> float:
    """The loss that a share of right guesses shows, nats; 0 where its interval reaches a coin's half."""
    if share.lower <= 0.5:
        return 0.0
    return math.inf if share.lower >= 1 else math.log(share.lower / (1 - share.lower))


def _guessed(lead: Reals, rng: np.random.Generator) -> Flags:
    """Whether the released candidate is guessed: by the sign of its lead, by a coin where there is none."""
    return (lead > 0) | ((lead == 0) & (rng.random(len(lead)) < 0.5))


def _share(right: Flags) -> Bound:
    return clopper_pearson(int(np.count_nonzero(right)), len(right), _CONFIDENCE)


def _cosines(units: np.ndarray, first: Ids, other: Ids) -> Reals:
    return np.einsum("ij,ij->i", units[first], units[other], dtype=np.float64)


def _units(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)
