"""Documents as vectors of whole numbers, computed from public facts: what a classifier under one epsilon reads.

A document's vector is the sum of its words' public vectors, each weighted by how rare the word is in public text,
scaled to a fixed norm, with a constant coordinate behind. The coordinates are whitened by the covariance that words
have in public text, so that a few directions which all texts share do not take up the norm.

All sums and roots are those of integers: a vector depends on its own document alone, to the last digit.
"""

import hashlib
import math
import pickle
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from scipy import sparse

from textveil.text.codes import TextCodes
from textveil.types import Ids, Integers, Reals, Vectors
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary

_RARE: Final = 1e-3  # Frequency from which words count less: half at this one. Source: Arora, Liang and Ma 2017.
_WHITENED: Final = 0.75  # power of the public covariance that is taken out: 1 makes all directions alike
_SMALLEST: Final = 1e-3  # of the largest variance, that a direction counts for at least
_TABLE: Final = 2**18  # largest entry of the table of word vectors
_LONGEST: Final = 2**26
"""Entries of a document's sum are halved until they are below it, or below less if there are more than 1,024
coordinates: squares then add up to at most 2^62."""

MODEL_NORM: Final = 2**12  # of what models read, and of what is held on the disk
_CONSTANT: Final = 0.25  # share of the norm that the constant coordinate takes: it learns how frequent the labels are
_WORD_RARE: Final = 1e-3  # Frequency from which single words count less: 1 / sqrt(2) at this one.
_REPEATS: Final = np.array([0, *np.rint(16 * (1 + np.log(np.arange(1, 257))))], dtype=np.int64)
"""Weight of a word by the times that it stands in a document, in sixteenths; 256 times are the most."""


def public_transform(vocabulary: Vocabulary, kept: int | None = None) -> Vectors:
    """The matrix that whitens word vectors by public text, float32, shape (dim, dim).

    ``kept``: only so many directions, those in which public text varies most; the shape is then (dim, kept).
    """
    vectors, shares = _centered(vocabulary)
    values, directions = np.linalg.eigh((vectors * shares[:, None]).T @ vectors)
    values = np.maximum(values, max(float(values[-1]), np.finfo(np.float64).tiny) * _SMALLEST)
    whitened = directions * (values / values[-1]) ** (-_WHITENED / 2)
    return np.asarray(
        whitened[:, len(values) - kept :] if kept is not None and kept < len(values) else whitened @ directions.T,
        dtype=np.float32,
    )


class WordReader:
    """Reads texts as words of a vocabulary; other words become the words that stand for them."""

    def __init__(self, words: Sequence[str]) -> None:
        self._codes = TextCodes(words)

    def words(self, texts: Sequence[str]) -> tuple[Ids, Integers]:
        """Return the ids of all words, and the bounds of the texts among them."""
        coded = self._codes.encode(texts)
        words = self._codes.words(coded.codes)
        return words.ids, np.searchsorted(words.indices, coded.bounds)


class PublicFeatures:
    """Vectors of documents over a public vocabulary.

    ``transform``: as ``public_transform`` gives it, or a model has stored it; shape (dim, coordinates).
    """

    def __init__(self, vocabulary: Vocabulary, transform: Vectors) -> None:
        self.vocabulary, self.transform = vocabulary, transform
        table = _centered(vocabulary)[0] @ transform.astype(np.float64)
        largest = max(float(table.max()), -float(table.min()), np.finfo(np.float64).tiny)
        table *= _TABLE / largest
        self._table = np.rint(table, out=table).astype(np.int32)
        shares = _shares(vocabulary)
        self._rarity = np.rint(2**12 * np.sqrt(_WORD_RARE / (_WORD_RARE + shares))).astype(np.int64)
        self._reader = WordReader(vocabulary.words)
        self._longest = min(_LONGEST, math.isqrt(2**62 // self.dim))

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the reader, which remembers pieces of what it has read.
        return _unpickled, (pickle.dumps((self.vocabulary, self.transform)),)

    @property
    def digest(self) -> bytes:
        """Digest that differs for vectors of other words and for a table that was rounded otherwise."""
        mixed = hashlib.blake2b(self.vocabulary.digest.encode("ascii"), digest_size=32)
        for table in (self._table, self._rarity):
            mixed.update(table.tobytes())
        return mixed.digest()

    @property
    def dim(self) -> int:
        """Coordinates of a document's vector."""
        return self._table.shape[1] + 1

    def vectors(self, texts: Sequence[str], norm: int) -> Integers:
        """The vectors of documents, as ``vectors_of`` has them."""
        return self.vectors_of(self.counts(texts), norm)

    def counts(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return how often each word stands in each text; int64, shape (texts, words)."""
        ids, bounds = self._reader.words(list(texts))
        shape = (len(bounds) - 1, len(self.vocabulary))
        counts = sparse.csr_array((np.ones(len(ids), dtype=np.int64), ids.astype(np.int64), bounds), shape=shape)
        counts.sum_duplicates()
        return counts

    def vectors_of(self, counts: sparse.csr_array, norm: int) -> Integers:
        """The vectors of documents: their L2 norms are at most ``norm``.

        ``norm``: whole, between 2^4 and 2^12. Returns int64, shape (texts, dim).
        """
        constant = math.floor(_CONSTANT * norm)
        rest = math.isqrt(norm * norm - constant * constant)
        sums = self._sums(counts)
        lengths = roots_up(np.square(sums).sum(axis=1))[:, None]
        scaled = np.sign(sums) * (np.abs(sums) * rest // np.maximum(lengths, 1))
        return np.hstack([scaled, np.full((len(sums), 1), constant, dtype=np.int64)])

    def words_of(self, counts: sparse.csr_array, norm: int) -> sparse.csr_array:
        """The words of documents, each weighted by how rare it is in public text; L2 norms are at most ``norm``.

        ``norm``: whole, at most 2^12. Returns int64, shape (texts, words).
        """
        weighted = counts.copy()
        weighted.data = _REPEATS[np.minimum(counts.data, len(_REPEATS) - 1)] * self._rarity[counts.indices]
        lengths = roots_up(np.asarray(weighted.power(2).sum(axis=1)))
        weighted.data = weighted.data * norm // np.repeat(lengths, np.diff(weighted.indptr))
        return weighted

    def _sums(self, counts: sparse.csr_array) -> Integers:
        """Sums of the table's rows over the words of each text, with entries below ``_LONGEST``."""
        words, columns = np.unique(counts.indices, return_inverse=True)
        used = sparse.csr_array((counts.data, columns, counts.indptr), shape=(counts.shape[0], len(words)))
        sums = np.asarray(used @ self._table[words].astype(np.int64))
        while np.any(long := np.abs(sums).max(axis=1, initial=0) >= self._longest):
            sums[long] = np.sign(sums[long]) * (np.abs(sums[long]) >> 1)
        return sums


@lru_cache(maxsize=1)
def _unpickled(held: bytes) -> PublicFeatures:
    """The features, made once for all tasks of a worker: it takes seconds."""
    return PublicFeatures(*pickle.loads(held))


def _shares(vocabulary: Vocabulary) -> Reals:
    counts = word_frequencies(vocabulary).counts.astype(np.float64)
    return counts / counts.sum()


def _centered(vocabulary: Vocabulary) -> tuple[Reals, Reals]:
    """Weighted word vectors with mean 0 in public text, and the words' shares of it."""
    shares = _shares(vocabulary)
    vectors = vocabulary.vectors.astype(np.float64)
    vectors -= shares @ vectors  # in place: a copy takes some 100 MB
    vectors *= (_RARE / (_RARE + shares))[:, None]
    vectors -= shares @ vectors
    return vectors, shares


def roots_up(squares: Integers) -> Integers:
    """The smallest whole numbers whose squares are at least these, which are below 2^62; same shape."""
    roots = np.sqrt(squares.astype(np.float64)).astype(np.int64)
    roots += roots * roots < squares
    roots += roots * roots < squares
    smaller = np.maximum(roots - 1, 0)
    return np.where(smaller * smaller >= squares, smaller, roots)
