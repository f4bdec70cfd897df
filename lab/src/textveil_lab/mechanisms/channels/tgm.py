"""Truncated Gumbel mechanism among all words, calibrated by its own channel; its epsilon has a lower bound."""

import math
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.numerics.integer_weights import exp_floor, stated_epsilon
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.registry.options import GUARANTEE, POSITIVE, Option
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import Clip, outward
from textveil_lab.mechanisms.sampling.listed_rows import ComputedRows
from textveil_lab.vocabulary.geometry import clipped_diameter
from textveil_lab.vocabulary.grid_distances import distance_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class GumbelNoise:
    """Gumbel noise of location 0 within [-limit, limit]."""

    scale: float  # b of the paper, > 0
    limit: float  # the diameter of the vectors

    def sample(self, count: int, rng: np.random.Generator) -> Reals:
        """Return draws by the inverse of the distribution function, shape (count,)."""
        low, high = (math.exp(-math.exp(-end / self.scale)) for end in (-self.limit, self.limit))
        uniform = low + (high - low) * rng.random(count)
        noise: Reals = -self.scale * np.log(-np.log(np.clip(uniform, 1e-300, 1 - 2.0**-53)))
        return np.clip(noise, -self.limit, self.limit)

    def survival(self, at: Reals) -> Reals:
        below, high, low = self._below(at)
        return np.clip((high - below) / (high - low), 0.0, 1.0)

    def masses(self, edges: Reals) -> Reals:
        """Return the probabilities of cells between rising ``edges`` within the bounds, accurate for small ones."""
        below, high, low = self._below(edges)
        return np.diff(below) / (high - low)

    def _below(self, at: Reals) -> tuple[Reals, float, float]:
        ends = np.array([-self.limit, self.limit])
        with np.errstate(over="ignore"):
            below = np.exp(-np.exp(-np.clip(at, *ends) / self.scale))
            low, high = np.exp(-np.exp(-ends / self.scale)).tolist()
        return below, high, low


STEPS: Final = 256  # of the diameter
_TOTAL: Final = 1 << 61
_SLACK: Final = 1 << 13  # by how much the sum of a row may be off beside what rounding down each weight takes
_LEAST: Final = 1 << 8  # times what a weight may be moved by: the smallest weight, whose digits that keeps
STEEPEST: Final = 26.0  # Nats that weights can be apart: the smallest of them keep their digits below the total
_MARGIN: Final = 1e-6  # Nats of the calibration that rounding may take; rows are off by far less
_ACTIVE: Final = 256  # words with which a calibration begins; those at which the loss is the largest join them
_SMALLEST, _LARGEST = 0.02, 4.0
"""Range of tried scales, in diameters: within it the loss falls with the scale to a minimum, and then rises."""

_BISECTIONS: Final = 40
_GOLDEN: Final = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class StepCounts:
    """Number of words at each number of steps from each word."""

    diameter: float  # that ``STEPS`` steps make
    counts: Integers  # shape (n, STEPS + 1)
    last: Integers  # the step of the farthest word, shape (n,)


class Loss(NamedTuple):
    """Largest loss of two of some words, bounded by their most and least probable outputs."""

    nats: float  # infinite if an output is impossible
    words: tuple[int, int]  # whose outputs these are


_COUNTED: WeakKeyDictionary[Vocabulary, dict[float | None, StepCounts]] = WeakKeyDictionary()


def step_counts(vocabulary: Vocabulary, clip: float | None, progress: Progress | None = None) -> StepCounts:
    """Return the counts, cached as long as the vocabulary lives."""
    kept = _COUNTED.setdefault(vocabulary, {})
    if clip not in kept:
        n, diameter = len(vocabulary), outward(clipped_diameter(vocabulary, clip, 2))
        need(diameter > 0, "vocabulary", "one vector for all words", "one with two different vectors at least")
        counts = np.zeros((n, STEPS + 1), dtype=np.int64)
        last = np.empty(n, dtype=np.int64)
        for word, row in enumerate(distance_rows(integer_grid(vocabulary), np.arange(n), clip)):
            steps = steps_of(row, diameter)
            counts[word] = np.bincount(steps, minlength=STEPS + 1)
            last[word] = steps.max()
            if progress is not None and word % 1024 == 0:
                progress(word, n)
        kept[clip] = StepCounts(diameter, counts, last)
    return kept[clip]


def steps_of(distances: Reals, diameter: float) -> Integers:
    """Return distances in steps, rounded."""
    return np.minimum(np.rint(distances * (STEPS / diameter)), STEPS).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class LeastSum:
    """Probabilities of the word with the smallest sum, by its step."""

    survivals: Reals  # ln of the probability that a word at a step has its sum beyond a cell, shape (steps, cells)
    hazards: Reals  # of having it in the cell, divided by that, shape (steps, cells)

    def __call__(self, counts: Integers) -> Reals:
        """Return P of one word at each step, shape (words, steps), for rows of counts."""
        none_yet = np.exp(counts.astype(np.float64) @ self.survivals)
        chances = none_yet @ self.hazards.T
        return np.asarray(chances / (counts * chances).sum(axis=1, keepdims=True), dtype=np.float64)

    def loss(self, counted: StepCounts, words: Ids) -> Loss:
        """Return the bound ln(max P(x | x) / min P(farthest from x | x)) over some words x."""
        rows = self(counted.counts[words])
        most, least = rows[:, 0], rows[np.arange(len(words)), counted.last[words]]
        places = int(most.argmax()), int(least.argmin())
        top, bottom = float(most[places[0]]), float(least[places[1]])
        nats = math.log(top / bottom) if bottom > 0 and math.isfinite(top / bottom) else math.inf
        return Loss(nats, (int(words[places[0]]), int(words[places[1]])))


def least_sum(scale: float, diameter: float) -> LeastSum:
    """Return the probabilities at a scale of the noise, which is truncated at the diameter on both sides."""
    noise, width = GumbelNoise(scale=scale, limit=diameter), diameter / STEPS
    edges: Reals = (np.arange(-STEPS, STEPS + 1) * width).astype(np.float64)
    masses, ends = noise.masses(edges), noise.survival(edges)
    beyond = np.maximum((ends[1:] + ends[:-1]) / 2, 1e-300)
    cells = 2 * STEPS  # beyond them the word itself has its sum for sure
    survivals, hazards = np.zeros((STEPS + 1, cells)), np.zeros((STEPS + 1, cells))
    for step in range(STEPS + 1):
        survivals[step, step:] = np.log(beyond[: cells - step])
        hazards[step, step:] = (masses / beyond)[: cells - step]
    return LeastSum(survivals, hazards)


class ScaleSearch:
    """Loss at every scale, over a growing set of words that includes those of largest loss.

    Args:
        counted: of all words.
    """

    def __init__(self, counted: StepCounts) -> None:
        n = len(counted.counts)
        self._counted, self._every = counted, np.arange(n)
        nearest = counted.counts[:, : STEPS // 2].sum(axis=1)
        some = np.linspace(0, n - 1, min(n, _ACTIVE)).astype(np.int64)
        self._words = np.unique(np.append(some, [int(nearest.argmin()), int(nearest.argmax())]))

    def least(self) -> tuple[float, float]:
        diameter = self._counted.diameter
        while True:
            low, high = math.log(_SMALLEST), math.log(_LARGEST)
            for _ in range(_BISECTIONS):
                first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
                # Both infinite: a small scale makes far words impossible.
                if self._loss(math.exp(first) * diameter) < self._loss(math.exp(second) * diameter):
                    high = second
                else:
                    low = first
            scale = math.exp((low + high) / 2) * diameter
            if self._holds(scale, self._loss(scale) + _MARGIN / 4):
                return self._loss(scale), scale

    def smallest(self, epsilon: float, scale: float) -> float:
        """Return the smallest scale up to ``scale`` at which the loss of all words is at most epsilon, within 2^-40."""
        while True:
            low, high = _SMALLEST * self._counted.diameter, scale
            for _ in range(_BISECTIONS):
                middle = (low + high) / 2
                low, high = (low, middle) if self._loss(middle) <= epsilon else (middle, high)
            if self._holds(high, epsilon + _MARGIN / 4):
                return high

    def _loss(self, scale: float) -> float:
        return least_sum(scale, self._counted.diameter).loss(self._counted, self._words).nats

    def _holds(self, scale: float, epsilon: float) -> bool:
        law = least_sum(scale, self._counted.diameter)
        worst: list[int] = []
        for part in np.array_split(self._every, -(-len(self._every) // 4096)):
            worst += law.loss(self._counted, part).words
        before = len(self._words)
        self._words = np.union1d(self._words, np.array(worst))
        return len(self._words) == before or self._loss(scale) <= epsilon


@dataclass(frozen=True, slots=True, eq=False)
class GumbelRows:
    """Maker of a row's integer weights; see ``ComputedRows``."""

    vocabulary: Vocabulary
    clip: float | None
    diameter: float  # of the vectors
    scale: float  # of the noise
    epsilon: float  # nats between the two bounds of weights
    least: int  # the smaller bound

    def __call__(self, words: Ids) -> Integers:
        """Return the weights, between ``least`` and floor(least e^epsilon); every row has the same sum."""
        law = least_sum(self.scale, self.diameter)
        most = exp_floor(self.epsilon, self.least)
        out = np.empty((len(words), len(self.vocabulary)), dtype=np.int64)
        rows = distance_rows(integer_grid(self.vocabulary), words, self.clip)
        for weights, distances in zip(out, rows, strict=True):
            steps = steps_of(distances, self.diameter)
            shares = law(np.bincount(steps, minlength=STEPS + 1)[None])[0]
            room = _room(len(weights))
            by_step = np.clip((shares * _TOTAL).astype(np.int64), self.least + room, most - room)
            weights[:] = by_step[steps]
            _bring_to_total(weights)
        return out


def _room(size: int) -> int:
    return 3 + _SLACK // size


def _bring_to_total(weights: Integers) -> None:
    missing, n = _TOTAL - int(weights.sum()), len(weights)
    if abs(missing) > n * (_room(n) - 1):
        raise ArithmeticError(f"a row of truncated Gumbel noise is off its total by {missing}: report this")
    weights += missing // n
    weights[: missing % n] += 1


def least_weight(counted: StepCounts, scale: float, epsilon: float) -> int:
    """Return the lower bound on weights at which the most probable output of all rows is just within the upper one.

    Raises:
        ParameterError: it would be too small to keep its precision.
    """
    law, n = least_sum(scale, counted.diameter), len(counted.counts)
    parts = np.array_split(np.arange(n), -(-n // 4096))
    top = max(float(law(counted.counts[part])[:, 0].max()) for part in parts)
    least = math.ceil((top * _TOTAL + 2 * _room(n)) * math.exp(-epsilon) * (1 + _MARGIN / 8)) + 1
    got, hint = f"one of {n} words whose weights would be {epsilon:.4g} nats apart", "Set clip, or take fewer words."
    need(least >= _LEAST * _room(n), "vocabulary", got, "one whose rows integers can hold", hint)
    return least


PROOF: Final = "textveil_lab/proofs/tgm.md"

_EPSILON = Option(
    POSITIVE,
    "Privacy loss in nats of one token, for any two words; it has a lower bound that depends on the vocabulary.",
    "E",
    GUARANTEE,
    unset="the least that the vocabulary allows",
)

_ROOM: Final = 1e-5  # Nats above the smallest loss of any scale from which on an epsilon is taken


@proved(
    family="channel",
    notion="pure DP",
    proof=PROOF,
    source="after Xu, Feyisetan, Aggarwal, Xu and Teissier 2021 (FLAIRS), whose text was not available; "
    "textveil_lab/proofs/tgm.md",
    summary="The word whose distance plus truncated Gumbel noise is smallest; epsilon has a lower bound.",
    shown_at={"epsilon": 20.0},  # epsilon has a lower bound
)
def tgm(
    vocabulary: Vocabulary,
    *,
    epsilon: Annotated[float, _EPSILON] | None = None,
    clip: Clip | None = 1.0,
    progress: Progress | None = None,
) -> IntegerChannel:
    """Y = argmin over all words of d(x, y) + g_y, g_y Gumbel noise of scale b within [-D, D], D the diameter.

    Distances are rounded to steps of D / 256. The scale is the smallest at which no two words lose more than epsilon,
    found from the channel itself: every probability is computed, as a sum over the smallest sum, and drawn as an
    integer between two bounds of ratio e^epsilon, with one total for all words. At a small scale far words are nearly
    impossible; at a large one the smallest of many sums is nearly always a near word's. So epsilon has a lower bound.
    Source: Xu et al. 2021 and public code, whose list of few nearest words is left out because it has no guarantee
    (``tgm-published``); proof: textveil_lab/proofs/tgm.md.

    Raises:
        ParameterError: epsilon is below this vocabulary's lower bound, or all words share one vector.
    """
    counted = step_counts(vocabulary, clip, progress)
    search = ScaleSearch(counted)
    loss, scale = search.least()
    domain = float(f"{loss + 2 * _ROOM:.7g}")
    asked = domain if epsilon is None else epsilon
    need(asked >= domain, "epsilon", asked, f"at least {domain:.7g} here, the domain of truncated Gumbel noise")
    spent = max(domain, min(asked, STEEPEST))
    scale = search.smallest(spent - _ROOM / 2, scale)
    least = least_weight(counted, scale, spent)
    facts = {"epsilon": asked, "least_epsilon": domain, "scale": scale, "limit": counted.diameter, "clip": clip}
    rows = GumbelRows(vocabulary, clip, counted.diameter, scale, spent, least)
    promise = PureDP(epsilon=stated_epsilon(spent, asked), status=status_of(__name__, PROOF), source=PROOF)
    return IntegerChannel(vocabulary, "tgm", facts, promise, ComputedRows(len(vocabulary), rows))
