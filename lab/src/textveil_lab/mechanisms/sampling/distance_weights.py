"""Integer weights that fall with the Euclidean distance of words up to a reach, calibrated to a given loss.

The weight of y for x is base(y) max(floor, floor(top exp(-rate d(x, y)))): beyond the distance at which the exponential
reaches ``floor`` all words have equal weight. Proof: ``textveil_lab/proofs/tem.md``.
"""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.raised_rows import ROW_BYTES, RowCache
from textveil.numerics.integer_weights import exp_minus_half_ceiling, stated_epsilon
from textveil.privacy.guarantees import MetricDP, PureDP
from textveil.privacy.proved import status_under
from textveil.privacy.units import ONE_TOKEN, Adjacency
from textveil.types import Ids, Integers, Progress, Reals, WordDistances
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import metric_name, one_of, outward, proved_metric
from textveil_lab.mechanisms.sampling.normalizer_bounds import distance_bounds, steepest
from textveil_lab.vocabulary.geometry import clip as clip_vectors
from textveil_lab.vocabulary.geometry import clipped_diameter, minimum_distance
from textveil_lab.vocabulary.grid_distances import GridDistances, distances_on, grid_distances, rounding_of

SPAN: Final = 64  # words whose weights are kept as one sum
_BLOCK: Final = 128  # words whose inner products are made at once: 17 MB at 33,000 words
_SHARED: Final = 32  # rows from which two threads make them
_DRAWS: Final = 1 << 12  # draws within one span that are looked up at once: their weights take 2 MB


class WeightRows:
    """Weights of each word's row; the sums of its spans are made when a word first appears.

    All running sums would take 8.6 GB at 33,000 words. Only the sum at the end of every ``SPAN`` words is kept; the
    weights of a span with draws are computed again, for all its draws at once.

    The weight of output y for word x is base(y) * max(floor, floor(top * exp(-rate * d(x, y)))), an integer that
    depends on x and y alone (see ``vocabulary.grid``); 0 if x and y are in different groups. ``base`` and the groups
    are integers >= 0 of shape (n,); the defaults are 1 and a single group.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        rate: float,
        clip: float | None,
        top: int,
        floor: int,
        base: Integers | None = None,
        groups: Integers | None = None,
        budget: int = ROW_BYTES,
    ) -> None:
        self._base, self._groups = base, groups
        self._vocabulary, self._rate, self._clip, self._top, self._floor = vocabulary, rate, clip, top, floor
        self._budget = budget
        self._distances: GridDistances | None = None
        spans = -(-len(vocabulary) // SPAN)
        self._rows = RowCache(len(vocabulary), block=_BLOCK, width=spans, dtype=np.int64, budget=budget)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy starts empty: which rows are kept tells which words were seen.
        options: dict[str, Any] = {"rate": self._rate, "clip": self._clip, "top": self._top, "floor": self._floor}
        options |= {"base": self._base, "groups": self._groups}
        return partial(WeightRows, **options, budget=self._budget), (self._vocabulary,)

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        # On 16 bits NumPy sorts by digits, ten times as fast; the order is the same.
        order = np.argsort(ids.astype(np.min_scalar_type(len(self._vocabulary) - 1)), kind="stable")
        ordered = ids[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        words, bounds = ordered[starts], [*starts.tolist(), len(ids)]
        spans, rest = np.empty(len(ids), dtype=np.int64), np.empty(len(ids), dtype=np.int64)
        for block in range(0, len(words), _BLOCK):
            with self._rows.rows(words[block : block + _BLOCK], self._make) as slots:  # until the draws are made
                for offset, slot in enumerate(slots.tolist()):
                    sums = self._rows.table[slot]
                    here = slice(bounds[block + offset], bounds[block + offset + 1])
                    uniform = rng.integers(0, sums[-1], size=here.stop - here.start, dtype=np.int64)
                    outputs = np.searchsorted(sums, uniform, side="right")
                    spans[here] = outputs
                    rest[here] = uniform - np.where(outputs > 0, sums[outputs - 1], 0)
        out = np.empty(len(ids), dtype=np.int64)
        out[order] = self._within(ordered, spans, rest)
        return out

    def _within(self, ids: Ids, spans: Integers, rest: Integers) -> Ids:
        """Return the word at which a span's running sum of weights passes ``rest``, for each id; shapes (batch,)."""
        distances = self._measured()
        out = np.empty(len(ids), dtype=np.int64)
        order = np.argsort(spans, kind="stable")
        edges = np.flatnonzero(np.diff(spans[order], prepend=-1, append=-1)).tolist()
        for first, last in pairwise(edges):
            for start in range(first, last, _DRAWS):
                here = order[start : min(start + _DRAWS, last)]
                begin = int(spans[here[0]]) * SPAN
                columns = slice(begin, min(begin + SPAN, len(self._vocabulary)))
                words, which = np.unique(ids[here], return_inverse=True)
                weights = self._weighed(distances.within(words, columns))
                self._restrict(weights, words, columns)
                sums = weights.cumsum(axis=1)
                out[here] = begin + (sums[which] <= rest[here, None]).sum(axis=1)
        return out

    def _make(self, words: Ids, table: Integers, slots: Integers, wanted: int) -> None:
        """Make the sums of new rows; two threads share many, since exponentials use one core."""
        starts = np.arange(0, len(self._vocabulary), SPAN)

        def fill(part: slice) -> None:
            for row, slot in zip(self._weight_rows(words[part]), slots[part].tolist(), strict=True):
                np.cumsum(np.add.reduceat(row, starts), out=table[slot])

        if len(words) < _SHARED:
            fill(slice(None))
            return
        middle = len(words) // 2
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(fill, (slice(middle), slice(middle, None))))

    def weights(self, words: Ids) -> Integers:
        """Return integer weights, shape (batch, n)."""
        rows = [row.copy() for row in self._weight_rows(words)]
        return np.array(rows, dtype=np.int64).reshape(len(words), len(self._vocabulary))

    def _weight_rows(self, words: Ids) -> Iterator[Integers]:
        out = np.empty(len(self._vocabulary), dtype=np.int64)
        every = slice(0, len(self._vocabulary))
        for index, row in enumerate(self._measured().rows(words)):
            weights = self._weighed(row, out)
            self._restrict(weights[None], words[index : index + 1], every)
            yield weights

    def _restrict(self, weights: Integers, words: Ids, columns: slice) -> None:
        if self._base is not None:
            weights *= self._base[columns]
        if self._groups is not None:
            weights *= self._groups[words, None] == self._groups[columns]

    def _measured(self) -> GridDistances:
        if self._distances is None:
            self._distances = grid_distances(integer_grid(self._vocabulary), self._clip)
        return self._distances

    def _weighed(self, distances: Reals, out: Integers | None = None) -> Integers:
        out = np.empty(distances.shape, dtype=np.int64) if out is None else out
        distances *= -self._rate
        np.exp(distances, out=distances)
        distances *= float(self._top)
        out[...] = distances  # truncates, which is the floor of a number >= 0
        return np.maximum(out, self._floor, out=out)


_LEAST: Final = 1 << 16
"""Smallest weight of the metric form: rounding down moves the logarithm of a weight by at most 2^-15."""

_MOST_BITS: Final = 58


@dataclass(frozen=True, slots=True, kw_only=True)
class DistanceWeights:
    """Weights of distances, with their guarantee."""

    rate: float  # nats per unit of distance by which a weight falls
    top: int  # weight at distance 0
    floor: int  # smallest weight
    clip: float | None
    promise: PureDP | MetricDP  # the guarantee of a row of these weights

    def distances(self, vocabulary: Vocabulary) -> WordDistances:
        """Return the metric of a guarantee per distance: Euclidean between clipped vectors, at most the reach."""
        return partial(_cut_distances, vocabulary, self.clip, self.reach)

    @property
    def reach(self) -> float:
        return math.log(self.top / self.floor) / self.rate

    def rows(self, vocabulary: Vocabulary, base: Integers | None = None, groups: Integers | None = None) -> WeightRows:
        """Return the rows; see ``WeightRows`` for ``base``, with sum ``total`` of the calibration, and ``groups``."""
        return WeightRows(
            vocabulary, rate=self.rate, clip=self.clip, top=self.top, floor=self.floor, base=base, groups=groups
        )


def _cut_distances(vocabulary: Vocabulary, clip: float | None, reach: float, ids: Ids) -> Reals:
    """Return distances from each id to every word, at most ``reach``, shape (batch, n)."""
    return np.minimum(distances_on(integer_grid(vocabulary), ids, clip), reach)


def distance_weights(
    vocabulary: Vocabulary,
    *,
    epsilon: float | None,
    epsilon_per_distance: float | None,
    clip: float | None,
    proof: str,
    reach: float = math.inf,
    most: float = math.inf,
    total: int = 0,
    adjacency: Adjacency = ONE_TOKEN,
    compared: Sequence[Ids | None] = (None,),
    base: Integers | None = None,
    progress: Progress | None = None,
) -> DistanceWeights:
    """Return the weights, calibrated by exactly one of the first two.

    Args:
        epsilon: nats for any two (adjacent) words; the rate is the steepest that the normalizers allow.
        epsilon_per_distance: nats per unit of min(distance, reach).
        reach: distance beyond which all words have equal weight, > 0; integers may set a smaller one.
        most: upper limit of 2 ln(top / floor) in nats: another way to state the reach.
        total: sum of ``base``; 0 is the number of words.
        adjacency: which two words are compared.
        compared: groups of words that are compared, and to which draws are limited; None is all words.
        base: factors of the columns; None is 1.

    Raises:
        ParameterError: neither or both parameters, or (for the metric form) words whose vectors coincide.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    diameter = outward(clipped_diameter(vocabulary, clip, 2))
    need(diameter > 0, "vocabulary", "one vector for all words", "one with two different vectors at least")
    top = 1 << min(_MOST_BITS, 61 - math.ceil(math.log2(total or len(vocabulary))))
    far = min(reach, diameter)
    if name == "epsilon":
        groups = [
            distance_bounds(vocabulary, clip, diameter, base=base, members=of, progress=progress) for of in compared
        ]
        weights = steepest(value, top, far, groups, most)
        loss = max(group.loss(weights) for group in groups)
        promise: PureDP | MetricDP = PureDP(
            epsilon=stated_epsilon(loss, value), status=status_under(proof), source=proof, adjacency=adjacency
        )
        return DistanceWeights(rate=weights.rate, top=top, floor=weights.floor, clip=clip, promise=promise)
    floor = max(_LEAST, exp_minus_half_ceiling(min(value * far, most), top))
    rate = _rate_with_room(vocabulary, value, top, floor, clip, far)
    at_most = math.log(top / floor) / rate
    cut = f", at most {at_most:.6g}" if at_most < diameter else ""
    promise = proved_metric(
        value, metric_name("euclidean", clip) + cut, min(diameter, at_most * (1 + 2.0**-40)), proof, adjacency
    )
    return DistanceWeights(rate=rate, top=top, floor=floor, clip=clip, promise=promise)


def _rate_with_room(
    vocabulary: Vocabulary, epsilon_per_distance: float, top: int, floor: int, clip: float | None, far: float
) -> float:
    rate = epsilon_per_distance / 2
    reach = math.log(top / floor) / rate or far  # so small a rate that all weights are one is below the room
    return rate_with_room(vocabulary, epsilon_per_distance, floor, clip, reach)


def rate_with_room(
    vocabulary: Vocabulary, epsilon_per_distance: float, smallest: float, clip: float | None, reach: float = math.inf
) -> float:
    """Return half of the promised rate less the rounding of weights and distances (proof of ``exponential``, 2).

    Each logarithm of a weight is off by at most ``slip``; two rows have four of them, which even the closest pair must
    pay for.

    Args:
        epsilon_per_distance: nats per unit of distance, as promised.
        smallest: of the weights, >= 2^16.
        reach: distance beyond which all words have equal weight.

    Raises:
        ParameterError: words share a vector, or rounding takes more than the promise.
    """
    name = "epsilon_per_distance"
    grid, least = integer_grid(vocabulary), minimum_distance(vocabulary, clip)
    rounding = rounding_of(grid, vocabulary.vectors if clip is None else clip_vectors(vocabulary.vectors, clip), clip)
    apart = least - 2 * rounding
    wanted = "used on a vocabulary where no two words share a vector"
    need(apart > 0, name, epsilon_per_distance, wanted, "Use epsilon instead, or remove the duplicates.")
    rate = epsilon_per_distance / 2
    longest = float(grid.lengths.max()) if clip is None else min(clip, float(grid.lengths.max()))
    room = 2 * slip(rate, smallest, longest, apart, rounding) / min(least, reach)
    need(room < rate, name, epsilon_per_distance, f"above {2 * room:.3g}, what rounding takes")
    return rate - room


def slip(rate: float, smallest: float, longest: float, apart: float, rounding: float) -> float:
    """Return a bound on the error of the logarithm of one weight: s of the proof of ``exponential``, section 2.

    Args:
        rate: nats per unit of distance.
        smallest: of the weights, >= 2^16.
        longest: norm of the vectors.
        apart: a lower bound on the computed distance of two words, > 0.
        rounding: the largest distance between a vector and its row of integers.
    """
    distance_error = 2**-47 * longest**2 / apart + 2 * rounding
    return 2 / smallest + rate * distance_error + 2**-48
