"""Interpolated modified Kneser-Ney: what counts of word sequences say of the next word.

With c(h w) the count of w after the context h, D(c) a discount for counts 1, 2 and 3 or more, and h' the context
without its earliest id,

    P(w | h) = (c(h w) - D(c(h w))) / c(h) + B(h) P(w | h'),    B(h) = sum of the discounts after h / c(h).

Below the highest order, c(h w) is the number of different ids seen before h w (continuation counts); after a boundary
or a word outside the vocabulary, past which no context reaches, it is the plain count. The last context is uniform.

Source: Chen and Goodman, An empirical study of smoothing techniques for language modeling, 1999, section 3. A triple
that is left out passes its whole count down, not 1: Siivola, Hirsimaki and Virpioja, On growing and pruning Kneser-Ney
smoothed n-gram models, 2007.
"""

from typing import Final, NamedTuple

import numpy as np

from textveil.types import Flags, Ids, Integers, Reals
from textveil_lab.models.ngram_counts import TrigramCounts

_USUAL: Final = (0.5, 1.0, 1.5)  # Discounts where the text is too small to estimate them


class Level(NamedTuple):
    """The probabilities of one order."""

    contexts: Ids  # the distinct contexts, ascending, shape (c,)
    rows: Ids  # which of them each entry follows, shape (m,)
    own: Reals  # the discounted share of the entry's own count, shape (m,)
    back: Reals  # B(h) of each context, shape (c,)
    totals: Reals  # c(h) of each context, shape (c,)


class Estimate(NamedTuple):
    """Probabilities of all orders, entry by entry of the counts."""

    unigram: Reals  # P(w), shape (n,)
    bigram: Reals  # P(w | v) of every counted pair
    trigram: Reals  # P(w | u v) of every counted triple
    pairs: Ids  # for each triple (u, v, w), the index of the pair (v, w)
    bigrams: Level  # the level of pairs; contexts are ids in [0, n + 2)
    trigrams: Level  # the level of triples; contexts are u (n + 2) + v


def discounts(counts: Integers) -> Reals:
    """D(0) = 0, D(1), D(2), D(3 and more) of counts, shape (4,).

    Y = n1 / (n1 + 2 n2), D(i) = i - (i + 1) Y n(i + 1) / n(i), kept within (0, i); 0.5, 1 and 1.5 where one of the
    numbers n(i) of counts equal to i is zero.
    """
    seen = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if not seen.all():
        return np.array([0.0, *_USUAL])
    scale = seen[0] / (seen[0] + 2 * seen[1])
    steps = np.arange(1, 4)
    discounts_of_counts = steps - (steps + 1) * scale * seen[1:] / seen[:-1]
    return np.array([0.0, *(d if 0 < d < i else u for d, i, u in zip(discounts_of_counts, steps, _USUAL, strict=True))])


def estimate(counts: TrigramCounts, left_out: Flags | None = None) -> Estimate:
    """The probabilities of counted sequences.

    Args:
        counts: at least one pair.
        left_out: triples that will not be kept, for the counts that are passed down; None keeps all.
    """
    n, wide = counts.size, counts.size + 2
    below = (counts.triples // n) % wide * n + counts.triples % n
    pairs = np.searchsorted(counts.pairs, below)
    passed = np.ones(len(pairs), np.int64) if left_out is None else np.where(left_out, counts.triple_counts, 1)
    continued = np.bincount(pairs, passed, len(counts.pairs)).astype(np.int64)
    plain = counts.pairs // n >= n
    pair_counts = np.where(plain, counts.pair_counts, continued)
    trigrams = _level(counts.triples // n, counts.triple_counts)
    bigrams = _level(counts.pairs // n, pair_counts)
    unigram = _unigram(np.bincount(counts.pairs % n, minlength=n), n)
    bigram = bigrams.own + bigrams.back[bigrams.rows] * unigram[counts.pairs % n]
    trigram = trigrams.own + trigrams.back[trigrams.rows] * bigram[pairs]
    return Estimate(unigram, bigram, trigram, pairs, bigrams, trigrams)


def _unigram(counts: Integers, n: int) -> Reals:
    """P(w) from the number of different ids seen before w, and the uniform distribution."""
    taken = discounts(counts[counts > 0])[np.minimum(counts, 3)]
    estimated: Reals = (counts - taken + taken.sum() / n) / counts.sum()
    return estimated


def _level(contexts: Ids, counts: Integers) -> Level:
    taken = discounts(counts)[np.minimum(counts, 3)]
    first = np.ones(len(contexts), bool)
    first[1:] = contexts[1:] != contexts[:-1]
    rows = np.cumsum(first) - 1
    totals: Reals = np.bincount(rows, counts).astype(np.float64)
    return Level(contexts[first], rows, (counts - taken) / totals[rows], np.bincount(rows, taken) / totals, totals)
