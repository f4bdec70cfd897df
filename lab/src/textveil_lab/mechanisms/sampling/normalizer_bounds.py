"""Bounds on the normalizers of all words at every rate, from one pass over their distances, and rates found by them.

The numbers of words within each of 512 steps of a word bound its normalizer from both sides, for any weights that fall
with the distance. The table keeps the smallest of these counts over all words, and the largest over words whose
farthest word is about as far. Proof: ``textveil_lab/proofs/exponential.md``, section 1.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np

from textveil.numerics.integer_weights import exp_minus_half_ceiling, log_ratio_up
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.public_tables import PublicTable
from textveil.vocabulary.table_files import Arrays, ArrayShape, TableKey
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary import DATA
from textveil_lab.vocabulary.geometry import remembered
from textveil_lab.vocabulary.grid_distances import grid_distances

STEPS: Final = 512  # of the span: a normalizer is bounded to the factor exp(rate span / 512)
FARTHEST: Final = 128  # ranges of the distance of a word's farthest word, between half the span and the span
LEAST, MOST = "least", "most"  # the arrays of a kept table
SHIPPED: Final = {1.0: DATA / "normalizers-clipped.table", None: DATA / "normalizers.table"}  # by the clipping norm
_KEPT: Final = 4096  # words from which on counts are kept on disk
_RULE: Final = "words within steps of the span; 1"
_WIDER: Final = 1 + 2.0**-16
"""Factor by which the span exceeds the diameter, since computed distances may exceed it by rounding."""

_BLOCK: Final = 128
_MARGIN: Final = 2.0**-30  # Relative; covers the rounding of exponentials, edges and sums
_BISECTIONS: Final = 45
DistanceRows: TypeAlias = Callable[[Ids], Iterable[Reals]]
"""Function from words to the distances of their rows' words, shape (outputs,); these may be overwritten."""


class Falling(NamedTuple):
    """Weights max(floor, floor(top exp(-rate d)))."""

    rate: float  # nats per unit of distance
    top: int  # weight at distance 0
    floor: int  # smallest weight

    def above(self, distances: Reals) -> Reals:
        return np.maximum(self.floor, np.exp(-self.rate * distances) * float(self.top)) * (1 + _MARGIN)

    def below(self, distances: Reals) -> Reals:
        return np.maximum(self.floor, np.exp(-self.rate * distances) * (self.top * (1 - _MARGIN)) - 1.0)


class Normalizers(Protocol):
    """Knowledge of the normalizers of compared words."""

    def loss(self, weights: Falling) -> float:
        """Return an upper bound on the loss of any two of them, nats."""


@dataclass(frozen=True, slots=True, eq=False)
class ListedNormalizers:
    """Exact distances of several groups of equal size; the loss is that of two words of one group."""

    distances: Reals  # shape (groups, words, words)

    def loss(self, weights: Falling) -> float:
        """Return the largest ln(max P(y | x) / min P(y | x)) of a group."""
        falling = (np.exp(-weights.rate * self.distances) * float(weights.top)).astype(np.int64)
        integers = np.maximum(falling, weights.floor)
        totals = integers.sum(axis=2).astype(np.float64)
        ratios = (integers.max(axis=2) / totals).max(axis=1) * (totals / integers.min(axis=2)).max(axis=1)
        return math.log(float(ratios.max())) + _MARGIN


@dataclass(frozen=True, slots=True, eq=False)
class NormalizerBounds:
    """Number of words (or their base weight) near every compared word."""

    span: float  # no distance is above it
    least: Integers  # within each step, for every word at least; shape (STEPS,)
    # within each step, for the words of each range of farthest distances at most; shape (FARTHEST, STEPS)
    most: Integers

    def loss(self, weights: Falling) -> float:
        """Return an upper bound on the loss of any two words in nats, ln(max P(y | x) / min P(y | x)) if flat."""
        edges = np.linspace(0.0, self.span, STEPS + 1)
        smallest = float(np.diff(self.least, prepend=0) @ weights.below(edges[1:]))
        largest = np.diff(self.most, prepend=0, axis=1) @ weights.above(edges[:-1])
        farthest = self.span * (1 + np.arange(1, FARTHEST + 1) / FARTHEST) / 2
        ratio = float((largest / weights.below(farthest)).max()) * (weights.top / smallest)
        by_weights = log_ratio_up(weights.top**2, weights.floor**2)
        return min(by_weights, math.log(ratio) + _MARGIN)


def steepest(epsilon: float, top: int, reach: float, bounds: Iterable[Normalizers], most: float = math.inf) -> Falling:
    """Return the steepest weights, within 2^-45, that lose at most ``epsilon``, by the counts of each group of words.

    The rate lies between epsilon / (2 reach), at which no count is needed, and epsilon / reach.

    Args:
        epsilon: nats for any two words of a group.
        top: weight at distance 0.
        reach: distance beyond which all words have equal weight.
        bounds: one for each group of compared words.
        most: upper limit of 2 ln(top / floor) in nats.
    """
    groups = tuple(bounds)
    smallest = exp_minus_half_ceiling(most, top)
    deepest = math.log(top)

    def at(rate: float) -> Falling:
        return Falling(rate, top, max(smallest, exp_minus_half_ceiling(2 * rate * reach, top)))

    # Half of epsilon needs no counts: the weights themselves are bounded.
    best = Falling(min(epsilon / 2, deepest) / reach, top, exp_minus_half_ceiling(min(epsilon, most), top))
    low, high = best.rate, max(best.rate, min(epsilon, deepest) / reach)
    tried = at(high)
    if max(group.loss(tried) for group in groups) <= epsilon:
        return tried
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        tried = at(middle)
        if max(group.loss(tried) for group in groups) <= epsilon:
            low, best = middle, tried
        else:
            high = middle
    return best


def counted(
    rows: DistanceRows, words: Ids, diameter: float, base: Integers | None = None, progress: Progress | None = None
) -> Arrays:
    """Return the counts of one pass over the distances of some words.

    Args:
        rows: distances of the words.
        words: whose normalizers are bounded.
        diameter: largest distance of two words, up to rounding.
        base: weight of each output; None is 1.
    """
    span = diameter * _WIDER
    least, most = np.full(STEPS, np.iinfo(np.int64).max), np.zeros((FARTHEST, STEPS), dtype=np.int64)
    for start in range(0, len(words), _BLOCK):
        for distances in rows(words[start : start + _BLOCK]):
            farthest = float(distances.max())
            if not farthest < span:
                raise ArithmeticError("a row has a distance above its diameter: report this")
            distances *= STEPS / span
            steps = np.bincount(np.minimum(distances.astype(np.intp), STEPS - 1), weights=base, minlength=STEPS)
            within = steps.cumsum().astype(np.int64)
            np.minimum(least, within, out=least)
            # A word of a range is taken for one at its upper end; one below half the span for one of the first range.
            into = most[min(FARTHEST - 1, max(0, math.floor((2 * farthest / span - 1) * FARTHEST + _MARGIN)))]
            np.maximum(into, within, out=into)
        if progress is not None:
            progress(min(start + _BLOCK, len(words)), len(words))
    return {LEAST: least, MOST: most}


def bounds_of(rows: DistanceRows, words: Ids, diameter: float, progress: Progress | None = None) -> NormalizerBounds:
    """Return ``counted`` as bounds, without a stored table."""
    arrays = counted(rows, words, diameter, progress=progress)
    return NormalizerBounds(diameter * _WIDER, arrays[LEAST], arrays[MOST])


def distance_bounds(
    vocabulary: Vocabulary,
    clip: float | None,
    diameter: float,
    *,
    base: Integers | None = None,
    members: Ids | None = None,
    progress: Progress | None = None,
) -> NormalizerBounds:
    """Return bounds for Euclidean distances of a vocabulary; made once, and kept on disk for many words.

    Args:
        diameter: of the clipped vectors.
        base: weight of each output; None is 1.
        members: compared words, which are also the only outputs; None is all.
    """
    words = np.arange(len(vocabulary)) if members is None else members
    table = normalizer_table(vocabulary, clip, diameter, words, base)

    def made() -> NormalizerBounds:
        few = len(words) < _KEPT
        arrays = table.make(progress) if few else (table.opened() or table.build(progress).table).arrays
        return NormalizerBounds(diameter * _WIDER, arrays[LEAST].astype(np.int64), arrays[MOST].astype(np.int64))

    return remembered(vocabulary, table.key.digest, made)


def normalizer_table(
    vocabulary: Vocabulary, clip: float | None, diameter: float, words: Ids, base: Integers | None = None
) -> PublicTable:
    """Return the table of counts; those of the embedded vocabulary, clipped to 1 and unclipped, are shipped.

    Its ``sound`` checks only the form of a file, so files that others can write are not read.
    """
    total = len(words) if base is None else int(base[words].sum())
    dtype = "<u2" if total < 1 << 16 else "<i8"

    def make(progress: Progress | None) -> Arrays:
        arrays = counted(
            _among(vocabulary, clip, words, diameter), words, diameter, None if base is None else base[words], progress
        )
        return {name: array.astype(dtype) for name, array in arrays.items()}

    def sound(arrays: Arrays) -> bool:
        rising = all(bool((np.diff(array.astype(np.int64)) >= 0).all()) for array in arrays.values())
        ends = np.unique(arrays[MOST][:, -1])
        return rising and int(arrays[LEAST][-1]) == total and set(ends.tolist()) <= {0, total}

    key = TableKey(
        kind="normalizers",
        made_from={
            "vocabulary": vocabulary.digest,
            "clip": clip,
            "diameter": diameter.hex(),
            "words": _digest(words),
            "base": None if base is None else _digest(base),
            "rule": _RULE,
        },
        arrays=(ArrayShape(LEAST, dtype, (STEPS,)), ArrayShape(MOST, dtype, (FARTHEST, STEPS))),
    )
    return PublicTable(
        key=key,
        describe=f"the counts of near words of {len(words):,} words",
        make=make,
        sound=sound,
        shipped=SHIPPED.get(clip),
        ours_alone=True,
    )


def _among(vocabulary: Vocabulary, clip: float | None, words: Ids, diameter: float) -> DistanceRows:
    """Return distances to some words, cut at the diameter, beyond which weights are the floor whatever rounding adds.

    If vectors nearly coincide, computed distances are mostly rounding, and may be several diameters.
    """
    measured = grid_distances(integer_grid(vocabulary), clip)
    every = len(words) == len(vocabulary)

    def rows(ids: Ids) -> Iterator[Reals]:
        for row in measured.rows(ids):
            yield np.minimum(row, diameter, out=row) if every else np.minimum(row[words], diameter)

    return rows


def _digest(numbers: Integers) -> str:
    return hashlib.sha256(np.ascontiguousarray(numbers, dtype="<i8").tobytes()).hexdigest()
