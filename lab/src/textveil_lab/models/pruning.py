"""Choice of the counted sequences that a model keeps, and its numbers on 8 bits.

A sequence's value is the training text's loss without it, in nats for each byte that it takes (weighted difference of
log probabilities: Seymore and Rosenfeld, Scalable backoff language models, 1996).

Probabilities of the next word are interpolated modified Kneser-Ney, from counts of pairs and triples of ids in running
text.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from textveil.types import Bytes, Flags, Ids, Integers, Reals, Vectors

_BUFFERED: Final = 1 << 22  # Ids that are gathered before they are counted


class TrigramCounts(NamedTuple):
    """Counts of words after one and two ids.

    With n words, a pair (v, w) has the key v n + w and a triple (u, v, w) the key (u (n + 2) + v) n + w, where u and v
    are context ids and w a word; v is a word too in a triple, since a context does not reach past a boundary or a word
    outside the vocabulary.
    """

    size: int
    pairs: Ids  # keys, ascending, shape (p,)
    pair_counts: Integers  # >= 1, shape (p,)
    triples: Ids  # keys, ascending, shape (t,)
    triple_counts: Integers  # >= 1, shape (t,)


class TrigramCounter:
    """Counter of incoming texts; memory grows with distinct sequences, not with the text."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._waiting: list[Ids] = []
        self._buffered = 0
        self._pairs = self._triples = (np.zeros(0, np.int64), np.zeros(0, np.int64))

    def add(self, ids: Ids) -> None:
        """Count one text or several, each led by a boundary (``ngram_build.TextReader``)."""
        self._waiting.append(ids)
        self._buffered += len(ids)
        if self._buffered >= _BUFFERED:
            self._count()

    def counts(self) -> TrigramCounts:
        self._count()
        return TrigramCounts(self._size, *self._pairs, *self._triples)

    def _count(self) -> None:
        n = self._size
        led = np.concatenate([[n], *self._waiting])
        self._waiting, self._buffered = [], 0
        earlier, latest, word = led[:-2], led[1:-1], led[2:]
        predicted = word < n
        longer = predicted & (latest < n)
        keys = (earlier[longer] * (n + 2) + latest[longer]) * n + word[longer]
        self._triples = _added(self._triples, keys)
        self._pairs = _added(self._pairs, latest[predicted] * n + word[predicted])


def _added(known: tuple[Ids, Integers], keys: Ids) -> tuple[Ids, Integers]:
    new, counts = np.unique(keys, return_counts=True)
    both, places = np.unique(np.concatenate([known[0], new]), return_inverse=True)
    return both, np.bincount(places, np.concatenate([known[1], counts]), len(both)).astype(np.int64)


_USUAL: Final = (0.5, 1.0, 1.5)  # Discounts if the text is too small to estimate them


class Level(NamedTuple):
    """Probabilities of one order."""

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
    """Return D(0) = 0, D(1), D(2), D(3 and more) of counts, shape (4,).

    Y = n1 / (n1 + 2 n2), D(i) = i - (i + 1) Y n(i + 1) / n(i), kept within (0, i); they are 0.5, 1 and 1.5 if one of
    the numbers n(i) of counts equal to i is zero.
    """
    seen = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if not seen.all():
        return np.array([0.0, *_USUAL])
    scale = seen[0] / (seen[0] + 2 * seen[1])
    steps = np.arange(1, 4)
    discounts_of_counts = steps - (steps + 1) * scale * seen[1:] / seen[:-1]
    return np.array([0.0, *(d if 0 < d < i else u for d, i, u in zip(discounts_of_counts, steps, _USUAL, strict=True))])


def estimate(counts: TrigramCounts, left_out: Flags | None = None) -> Estimate:
    """Return the probabilities of counted sequences.

    Args:
        counts: at least one pair.
        left_out: triples to drop, for the counts that are passed down; None keeps all.
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
    """Return P(w) from the number of different ids seen before w, and the uniform distribution."""
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


PAIR_BYTES: Final = 4 / 0.92  # Bytes of a pair in a table, about: word, code, and what may follow it
TRIPLE_BYTES: Final = 4 / 0.95  # Bytes of a triple in a table, about
CODES: Final = 255  # Levels of a quantized probability; code 0 stands for none
_STEPS: Final = 30
_MOST_LISTED: Final = 0.9999  # Share of a context's probability that listed words may take, at most
_NOBODY: Final = 1e-9


class Kept(NamedTuple):
    """Chosen pairs and triples, with their estimate.

    Each kept triple (u, v, w) keeps its pairs (u, v) and (v, w).
    """

    pairs: Flags
    triples: Flags
    made: Estimate

    @property
    def nbytes(self) -> float:
        return PAIR_BYTES * int(self.pairs.sum()) + TRIPLE_BYTES * int(self.triples.sum())


def kept_within(counts: TrigramCounts, max_bytes: float) -> Kept:
    """Return the most valuable pairs and triples that fit into tables of ``max_bytes``."""
    whole = estimate(counts)
    triple_gains = _triple_gains(whole)
    least = 0.0
    best = _kept(counts, triple_gains, least)
    if best.nbytes <= max_bytes:
        return best
    most = max(1.0, float(triple_gains.max(initial=0.0)), float(_pair_gains(counts, whole).max()))
    lower, upper = np.log(1e-6), np.log(most)
    best = _kept(counts, triple_gains, most)
    for _ in range(_STEPS):
        middle = (lower + upper) / 2
        now = _kept(counts, triple_gains, float(np.exp(middle)))
        if now.nbytes <= max_bytes:
            best, upper = now, middle
        else:
            lower = middle
        if best.nbytes > (1 - 1e-3) * max_bytes:
            break
    return best


def _kept(counts: TrigramCounts, triple_gains: Reals, least: float) -> Kept:
    n, wide = counts.size, counts.size + 2
    triples = triple_gains > least * TRIPLE_BYTES
    estimated = estimate(counts, ~triples)
    pairs = _pair_gains(counts, estimated) > least * PAIR_BYTES
    pairs[estimated.pairs[triples]] = True
    contexts = np.unique(counts.triples[triples] // n)
    pairs[np.searchsorted(counts.pairs, contexts // wide * n + contexts % wide)] = True
    return Kept(pairs, triples, estimated)


def _triple_gains(estimated: Estimate) -> Reals:
    level = estimated.trigrams
    without = level.back[level.rows] * estimated.bigram[estimated.pairs]
    gains: Reals = level.totals[level.rows] * estimated.trigram * np.log(estimated.trigram / without)
    return gains


def _pair_gains(counts: TrigramCounts, estimated: Estimate) -> Reals:
    level = estimated.bigrams
    uses = np.bincount(level.rows, counts.pair_counts)
    without = level.back[level.rows] * estimated.unigram[counts.pairs % counts.size]
    gains: Reals = uses[level.rows] * estimated.bigram * np.log(estimated.bigram / without)
    return gains


@dataclass(frozen=True, slots=True, eq=False)
class Quantized:
    """Probabilities on 8 bits: code i stands for ``exp(logs[i])``, evenly spaced logarithms."""

    codes: Bytes  # in [1, 255]
    logs: Vectors  # float32, shape (256,); the first is that of no entry
    rest: Reals  # factors of the other words' lower probabilities after each context, shape (contexts,)


def quantized(probabilities: Reals, rows: Ids, lower: Reals, contexts: int, size: int) -> Quantized:
    """Return probabilities on 8 bits, with a rest that makes each context's rounded probabilities sum to 1.

    A context that lists every word has no rest; its sum is 1 to the precision of 8 bits.

    Args:
        probabilities: of listed words, shape (m,).
        rows: context of each, in [0, contexts).
        lower: probabilities of the same words one order below, as used.
    """
    logs = np.zeros(CODES + 1, dtype=np.float32)
    if len(probabilities):
        exact = np.log(probabilities)
        least, most = float(exact.min()), float(exact.max())
        logs[1:] = np.linspace(least, most, CODES)
        codes = np.rint((exact - least) / max(most - least, _NOBODY) * (CODES - 1)).astype(np.int64) + 1
    else:
        codes = np.zeros(0, dtype=np.int64)
    values = np.exp(logs.astype(np.float64))
    taken = np.bincount(rows, values[codes], contexts)
    left = 1 - np.bincount(rows, lower, contexts)
    others = np.bincount(rows, minlength=contexts) < size
    while (over := (others & (taken > _MOST_LISTED))[rows] & (codes > 1)).any():
        codes[over] -= 1
        taken = np.bincount(rows, values[codes], contexts)
    rest = np.where(others, np.maximum(1 - taken, 0) / np.maximum(left, _NOBODY), 0.0)
    return Quantized(codes.astype(np.uint8), logs, rest)
