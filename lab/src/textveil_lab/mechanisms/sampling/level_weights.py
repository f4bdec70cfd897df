"""Integer weights for the levels of a word metric, and rows that are drawn with one integer.

A row gives weight ``low`` to every word and more to those below the top level. Its total Z(x) is an integer; a draw
is a uniform integer below it: the first n low of them name a word, the others a level and a member.
Proof: ``textveil_lab/proofs/metric_exponential.md``.
"""

import math
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.raised_rows import ROW_BYTES, RowCache
from textveil.numerics.integer_weights import exp_floor, log_ratio_up
from textveil.types import Ids, Integers
from textveil_lab.vocabulary.metrics.metric import WordMetric

TOTAL_BITS = 60  # totals stay below 2^60
_BLOCK = 128
_DRAWS = 1 << 15
_BISECTIONS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelWeights:
    """Integer weights by level, that of the word itself first and 2^shift for the top level."""

    weights: tuple[int, ...]  # integers, not increasing
    shift: int  # binary logarithm of the last

    def __post_init__(self) -> None:
        falling = all(first >= second for first, second in pairwise(self.weights))
        need(falling and self.weights[-1] == 1 << self.shift, "weights", self.weights, "falling to 2^shift")

    def totals(self, counts: Integers) -> Integers:
        """Return Z(x) for rows of level counts, shape (batch, levels) to (batch,); exact below 2^63."""
        out: Integers = counts @ np.array(self.weights, dtype=np.int64)
        return out

    def spread(self, counts: Integers) -> float:
        """Return ln(max Z / min Z), rounded up."""
        totals = self.totals(counts)
        return log_ratio_up(int(totals.max()), int(totals.min()))

    def loss(self, counts: Integers) -> float:
        """Return an upper bound, nats, rounded up, on the loss of two words: ln(w_0 / w_top) + ln(max Z / min Z)."""
        totals = self.totals(counts)
        return log_ratio_up(self.weights[0] * int(totals.max()), self.weights[-1] * int(totals.min()))


def level_weights(steps: list[float], counts: Integers) -> LevelWeights:
    """Return weights that fall by at most the factor exp(-step) from each level to the next.

    ``steps``: nats between adjacent levels, > 0, the top level last; ``counts``: level counts of all words, shape (n,
    levels), or their distinct rows.

    Raises:
        ParameterError: the weights do not fit below the total.
    """
    heights = np.exp(np.cumsum(np.array([0.0, *steps[::-1]]))[::-1])
    largest = float((counts @ heights).max())
    shift = math.floor(TOTAL_BITS - 1 - math.log2(largest)) if largest < 2.0**TOTAL_BITS else -1
    need(shift >= 0, "weights", f"totals of {largest:.3g} times the smallest", f"below 2^{TOTAL_BITS - 1}")
    weights = [1 << shift]
    for step in reversed(steps):
        weights.append(exp_floor(step, weights[-1]))
    return LevelWeights(weights=tuple(reversed(weights)), shift=shift)


def weights_at(rate: float, distances: tuple[int, ...], counts: Integers) -> LevelWeights:
    """Return weights that fall by at most exp(-rate) per unit of distance."""
    gaps = np.diff(distances).tolist()
    most = most_fall(counts)
    need(rate * distances[-1] <= most, "epsilon_per_distance", 2 * rate, f"at most {2 * most / distances[-1]:.4g} here")
    # A product that was rounded up would let two weights differ by more than the rate allows.
    return level_weights([math.nextafter(rate * gap, 0.0) for gap in gaps], counts)


def pure_weights(epsilon: float, distances: tuple[int, ...], counts: Integers) -> LevelWeights:
    """Return the steepest weights, within 2^-40, whose ``LevelWeights.loss`` is at most epsilon (proof, section 1)."""
    most = most_fall(counts)
    low, high = min(epsilon / 2 * (1 - 1e-9), most), min(epsilon, most)
    best = weights_at(low / distances[-1], distances, counts)
    if best.loss(counts) > epsilon:  # only rounding of tiny weights leads here
        low = 0.0
        best = LevelWeights(weights=(1,) * len(distances), shift=0)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        tried = weights_at(middle / distances[-1], distances, counts)
        if tried.loss(counts) <= epsilon:
            low, best = middle, tried
        else:
            high = middle
    return best


def most_fall(counts: Integers) -> float:
    """Return the largest rate times distance at which the totals of all words stay below 2^60."""
    return (TOTAL_BITS - 1) * math.log(2) - math.log(int(counts[0].sum())) - 1e-9


class Row(NamedTuple):
    """Data of a draw for one word: the words below the top level, the start of each level, and running sums."""

    members: NDArray[Any]
    starts: Integers
    sums: Integers
    total: int


class LevelRows:
    """Rows of words, made when a word first appears and kept within a byte budget.

    A row is a function of its word alone. A pickled copy starts empty, since the kept rows show which words were seen.
    """

    def __init__(self, metric: WordMetric, weights: LevelWeights, budget: int = ROW_BYTES) -> None:
        self._metric, self._weights, self._budget = metric, weights, budget
        self._extra = np.array(weights.weights[:-1], dtype=np.int64) - weights.weights[-1]
        self._cache = RowCache(metric.facts.size, block=_BLOCK, size=lambda row: int(row.members.nbytes), budget=budget)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(LevelRows, budget=self._budget), (self._metric, self._weights)

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        out = np.empty(len(ids), dtype=np.int64)
        order = np.argsort(ids, kind="stable")
        words, starts, which = np.unique(ids[order], return_index=True, return_inverse=True)
        bounds = np.append(starts, len(ids))
        for block in range(0, len(words), _BLOCK):
            with self._cache.rows(words[block : block + _BLOCK], self._make) as slots:
                rows = self._cache.table[slots].tolist()
            totals = np.array([row.total for row in rows])
            last = bounds[min(block + _BLOCK, len(words))]
            for start in range(bounds[block], last, _DRAWS):
                part = slice(start, min(start + _DRAWS, last))
                index = which[part] - block
                out[order[part]] = self._at(rows, index, rng.integers(0, totals[index], dtype=np.int64))
        return out

    def weights(self, words: Ids) -> Integers:
        """Return the integer weights w(x, y) that draws use, shape (batch, n)."""
        base = self._weights.weights[-1]
        out = np.full((len(words), self._metric.facts.size), base, dtype=np.int64)
        for values, row in zip(out, self._made(words), strict=True):
            values[row.members] += np.repeat(self._extra, np.diff(row.starts))
        return out

    def _make(self, words: Ids, table: NDArray[Any], slots: Integers, wanted: int) -> None:
        for slot, row in zip(slots.tolist(), self._made(words), strict=True):
            table[slot] = row

    def _made(self, words: Ids) -> list[Row]:
        base = self._metric.facts.size << self._weights.shift
        out = []
        for near in self._metric.near(words):
            starts = np.append(0, np.cumsum(near.counts))
            sums = base + np.cumsum(near.counts * self._extra)
            out.append(Row(near.members, starts, sums, int(sums[-1])))
        return out

    def _at(self, rows: list[Row], index: Integers, uniform: Integers) -> Ids:
        base = self._metric.facts.size << self._weights.shift
        out = uniform >> self._weights.shift
        raised = np.flatnonzero(uniform >= base)
        value, row = uniform[raised], index[raised]
        sums, starts = np.stack([row.sums for row in rows]), np.stack([row.starts for row in rows])
        firsts = np.cumsum([0] + [len(row.members) for row in rows[:-1]])
        level = (value[:, None] >= sums[row]).sum(axis=1)
        below = np.where(level > 0, sums[row, level - 1], base)
        member = firsts[row] + starts[row, level] + (value - below) // self._extra[level]
        out[raised] = np.concatenate([row.members for row in rows])[member]
        return out
