"""Features of words for classifiers: what a released word says of the word behind it, and what a clean word would.

The feature of an output y is the mean of v(x) over the inputs x that it may stand for, sum over x of P(x | y) v(x),
where v(x) is the word's vector, centered, times how informative the word is. A classifier that was trained on such
features of releases reads clean text by the features that the same words would have on average once released, sum over
y of P(y | x) times the feature of y: their means agree with what it was trained on, and their noise is gone.
"""

from typing import Final, NamedTuple

import numpy as np
from scipy import sparse

from textveil.types import Reals, Vectors
from textveil_lab.estimation.channel_matrix import ChannelMatrix
from textveil_lab.estimation.likelihood import most_likely_counts
from textveil_lab.vocabulary.geometry import normalize

_COMMON: Final = 3.0  # Nats: a word of a twentieth of all tokens says nothing, a rarer one the more, the rarer it is
_RARE: Final = 9.0  # Nats at most that a rare word counts for
_STEPS: Final = 15
_PUBLIC: Final = 0.02  # Share of the public frequencies in a prior that is learned, so that no word is impossible
_BLOCK: Final = 64


class WordFeatures(NamedTuple):
    """Features of every word, float32, each of shape (n, dim)."""

    released: Vectors  # of the word as an output
    clean: Vectors  # of the word as an input, the mean of ``released`` over its outputs


def learned_prior(matrix: ChannelMatrix, counts: Reals, public: Reals) -> Reals:
    """The distribution of the words behind a release, by likelihood from the public one; sum 1, > 0, shape (n,).

    Args:
        matrix: of the channel.
        counts: of the released words, shape (n,); a release that has none leaves the public distribution.
        public: public frequencies with sum 1, shape (n,).
    """
    start = (public + 1 / len(public)) / 2
    if not counts.any():
        return start
    likeliest = most_likely_counts(matrix, counts, start, _STEPS) / counts.sum()
    return (1 - _PUBLIC) * likeliest + _PUBLIC * start


def word_features(matrix: ChannelMatrix, prior: Reals) -> WordFeatures:
    """The features of a channel's words.

    Args:
        matrix: of the channel.
        prior: of the inputs, > 0 with sum 1, shape (n,).
    """
    units = normalize(matrix.vocabulary.vectors)
    weights = np.clip(-np.log(prior) - _COMMON, 0, _RARE)
    inputs = (units - prior @ units) * weights[:, None]
    reached = matrix.outputs(prior)[:, None]
    released = np.empty(inputs.shape, dtype=np.float32)
    clean = np.empty_like(released)
    for start in range(0, inputs.shape[1], _BLOCK):  # some coordinates at a time: products are in float64
        part = slice(start, start + _BLOCK)
        means = matrix.outputs(prior[:, None] * inputs[:, part]) / reached
        released[:, part] = means
        clean[:, part] = matrix.expected(means)
    return WordFeatures(released, clean)


def document_features(features: Vectors, ids: np.ndarray, bounds: np.ndarray) -> Vectors:
    """The sum of each document's features over the root of its length: so the noise of all documents is alike.

    Args:
        features: of words, shape (n, dim).
        ids: of all documents in a row, shape (words,).
        bounds: where each begins and the last ends, shape (documents + 1,).
    """
    lengths = np.diff(bounds)
    table = sparse.csr_array((np.ones(len(ids), dtype=np.float32), ids, bounds), shape=(len(lengths), len(features)))
    sums = table @ features
    sums /= np.sqrt(np.maximum(lengths, 1))[:, None]
    return sums
