"""Which counted sequences a model keeps, and its numbers on 8 bits.

A sequence is worth what the training text would lose without it, in nats, for each byte that it takes (weighted
difference of log probabilities: Seymore and Rosenfeld, Scalable backoff language models, 1996).
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from textveil.types import Bytes, Flags, Ids, Reals, Vectors
from textveil_lab.models.kneser_ney import Estimate, estimate
from textveil_lab.models.ngram_counts import TrigramCounts

PAIR_BYTES: Final = 4 / 0.92  # Bytes of a pair in a table, about: word, code, and what may follow it
TRIPLE_BYTES: Final = 4 / 0.95  # Bytes of a triple in a table, about
CODES: Final = 255  # Levels of a quantized probability; code 0 stands for none
_STEPS: Final = 30
_MOST_LISTED: Final = 0.9999  # Share of a context's probability that listed words may take, at most
_NOBODY: Final = 1e-9


class Kept(NamedTuple):
    """A choice of pairs and triples, and the estimate that goes with it.

    With each triple (u, v, w) its pairs (u, v) and (v, w) are kept.
    """

    pairs: Flags
    triples: Flags
    made: Estimate

    @property
    def nbytes(self) -> float:
        """What tables of them take, about."""
        return PAIR_BYTES * int(self.pairs.sum()) + TRIPLE_BYTES * int(self.triples.sum())


def kept_within(counts: TrigramCounts, max_bytes: float) -> Kept:
    """The most valuable pairs and triples that tables of ``max_bytes`` have room for."""
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
    """What gains more than ``least`` nats a byte, and what that needs."""
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
    """Nats that the training text loses if a pair is predicted from the word alone."""
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
    rest: Reals  # what the other words' lower probabilities after each context are multiplied with, shape (contexts,)


def quantized(probabilities: Reals, rows: Ids, lower: Reals, contexts: int, size: int) -> Quantized:
    """Probabilities on 8 bits, with the rest such that each context's sum to 1 as they then are.

    Where a context lists every word there is no rest, and they sum to 1 as far as 8 bits go.

    Args:
        probabilities: of listed words, shape (m,).
        rows: the context of each, in [0, contexts).
        lower: probabilities of the same words one order below, as they are used.
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
