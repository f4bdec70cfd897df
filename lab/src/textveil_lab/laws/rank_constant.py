"""Constant of the rank resampling, chosen by a criterion on public vectors instead of by hand.

After the noise the fix replaces the nearest word w by its i-th neighbor with probability proportional to exp(-c epsilon
i), i = 0 being w. The exponential mechanism around w uses exp(-epsilon d_i / 2), d_i the distance of that neighbor, at
the same nats per unit of distance. Three criteria make the first distribution similar to the second:

    LOG_PROBABILITIES  least squares between the logarithms of the two distributions over ranks 1 to ``close``, up to a
                       constant for each word. They are -c epsilon i and -epsilon d_i / 2, so c is half the slope of the
                       mean d_i over i, whatever epsilon is: one constant a vocabulary, as in the paper.
    MEAN_DISTANCE      the mean distance between w and its replacement is the same.
    MEAN_RANK          the mean rank is the same. Of all distributions proportional to exp(-decay i) this one has the
        smallest Kullback-Leibler divergence from the exponential mechanism's mean rank distribution.

The last two depend on epsilon. In high dimension the exponential mechanism either stays or spreads over much of the
vocabulary, and so does a fix that matches all of it: ``compare_with_exponential`` shows both distributions. The first
uses only how the exponential mechanism falls over the close neighbors, which is the purpose of the fix. All numbers
come from public vectors, without draws, averaged over a stated set of words. Source of the fix: Asghar, Carpentier,
Zhao and Kaafar 2026, arXiv 2411.13784, which sets c = 0.04 for GloVe and 0.007 for word2vec by hand; of the exponential
mechanism: Yue et al. 2021 (SanText). The criteria are ours.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import checked_ids
from textveil.types import Ids, Progress, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_profile import CLOSE
from textveil_lab.mechanisms.parameters import checked_clip
from textveil_lab.vocabulary.grid_distances import distances_on

SAMPLED_WORDS = 1000
"""Default number of averaged words, evenly spaced in the vocabulary, so they are the same every time."""

_SCORES = 1 << 21
_SMALLEST, _LARGEST = 1e-12, 700.0
"""Range of tried decays; beyond it the law is uniform, or stays at rank 0, to within float64."""


class Criterion(Enum):
    """Property in which the fix matches the exponential mechanism."""

    LOG_PROBABILITIES = "log-probabilities"
    MEAN_DISTANCE = "mean-distance"
    MEAN_RANK = "mean-rank"


class RankShares(NamedTuple):
    """Probabilities of rank 0, of ranks 1 to ``close``, and of the ranks above."""

    original: float
    near: float
    distant: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RankConstant:
    """Constant, with its criterion."""

    value: float  # c, for ``rank_constant`` of ``mechanisms.spherical_laplace``
    criterion: Criterion  # matched property
    epsilon_per_distance: float | None  # nats per unit of distance at which it was; None if c does not depend on it
    # what was to be met: the slope, or the mean distance or rank of the exponential mechanism or asked for
    target: float
    achieved: float  # its value for the fix with c = ``value``
    words: int  # number of words that were averaged over
    close: int | None  # last rank of the least squares; None for the other criteria


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RankDistributions:
    """Laws of the fix and of the exponential mechanism around the same word, averaged over words."""

    rank_constant: float  # c of the fix
    epsilon_per_distance: float  # nats per unit of distance of both
    words: int  # number of words that were averaged over
    close: int  # last of the near ranks
    resampling: Reals  # distribution of the fix over ranks 0 to n - 1
    exponential: Reals  # mean distribution of the exponential mechanism over them
    distances: Reals  # mean distance of the word at each rank; 0 at rank 0
    resampling_distance: float  # mean distance of the fix's replacement
    exponential_distance: float  # mean distance of the exponential mechanism's output

    def __post_init__(self) -> None:
        for array in (self.resampling, self.exponential, self.distances):
            array.flags.writeable = False

    @property
    def resampling_shares(self) -> RankShares:
        return _shares(self.resampling, self.close)

    @property
    def exponential_shares(self) -> RankShares:
        return _shares(self.exponential, self.close)

    @property
    def total_variation(self) -> float:
        return float(np.abs(self.resampling - self.exponential).sum() / 2)


def geometric_ranks(decay: float, size: int) -> Reals:
    """Return the distribution of the fix: P(i) proportional to exp(-decay i) over ranks 0 to size - 1."""
    need(0 < decay < math.inf, "decay", decay, "finite and > 0")
    need(size >= 1, "size", size, "1 or more")
    with np.errstate(under="ignore"):
        weights = np.exp(-decay * np.arange(size))
    return weights / weights.sum()


def calibrate_rank_constant(
    vocabulary: Vocabulary,
    *,
    criterion: Criterion = Criterion.LOG_PROBABILITIES,
    epsilon_per_distance: float | None = None,
    target: float | None = None,
    ids: Ids | None = None,
    close: int = CLOSE,
    clip: float | None = None,
    progress: Progress | None = None,
) -> RankConstant:
    """Return the constant c at which the fix meets ``criterion`` on this vocabulary.

    Args:
        criterion: what to match; see the module's docstring.
        epsilon_per_distance: nats per unit of distance, finite and > 0; for ``LOG_PROBABILITIES`` None.
        target: mean distance or mean rank to match; None is the exponential mechanism's.
        ids: words to average over; None takes ``SAMPLED_WORDS`` evenly spaced ones (all, if there are fewer).
        close: last rank of the least squares, at least 2 and at most the number of other words.

    Raises:
        ParameterError: an argument is out of its domain, ``epsilon_per_distance`` is missing or superfluous, or no
            constant meets the criterion (the target is 0 or that of a uniform draw, or all distances are equal).
    """
    n = len(vocabulary)
    fixed = criterion is Criterion.LOG_PROBABILITIES
    name, epsilon = "epsilon_per_distance", epsilon_per_distance
    need(fixed == (epsilon is None), name, epsilon, "None for LOG_PROBABILITIES and a number for the other criteria")
    need(target is None or not fixed, "target", target, "None for LOG_PROBABILITIES")
    if epsilon is None:
        need(2 <= close < n, "close", close, f"between 2 and {n - 1}, the number of other words")
        words, curve, _, _ = _curves(vocabulary, ids, None, clip, progress)
        slope = _slope(curve[1 : close + 1])
        need(slope > 0, "vocabulary", "one whose neighbors are all equally far", "one where distances grow with rank")
        return RankConstant(
            value=slope / 2,
            criterion=criterion,
            epsilon_per_distance=None,
            target=slope,
            achieved=slope,
            words=words,
            close=close,
        )
    need(0 < epsilon < math.inf, name, epsilon, "finite and > 0")
    words, curve, distribution, distance = _curves(vocabulary, ids, epsilon, clip, progress)
    scale = curve if criterion is Criterion.MEAN_DISTANCE else np.arange(n, dtype=np.float64)
    if target is None:
        target = distance if criterion is Criterion.MEAN_DISTANCE else float(distribution @ scale)

    def achieved(decay: float) -> float:
        return float(geometric_ranks(decay, n) @ scale)

    least, most = achieved(_LARGEST), achieved(_SMALLEST)
    need(least < target < most, "target", f"{target:.4g}", f"above {least:.3g} and below {most:.6g}, a uniform draw's")
    decay = _decreasing_root(achieved, target)
    return RankConstant(
        value=decay / epsilon,
        criterion=criterion,
        epsilon_per_distance=epsilon,
        target=target,
        achieved=achieved(decay),
        words=words,
        close=None,
    )


def constants_by_last_rank(
    vocabulary: Vocabulary, lasts: Sequence[int], *, ids: Ids | None = None, clip: float | None = None
) -> tuple[Reals, Reals]:
    """Return the constant of ``LOG_PROBABILITIES`` for several values of ``close``; it falls where distances flatten.

    Args:
        lasts: last ranks of the least squares, each at least 2 and at most the number of other words.
        ids: words to average over; None takes ``SAMPLED_WORDS`` evenly spaced ones (all, if there are fewer).

    Returns:
        The constants, shape (lasts,), and the mean distance at each rank from 0 to the largest of ``lasts``.
    """
    n = len(vocabulary)
    need(len(lasts) > 0 and min(lasts) >= 2 and max(lasts) < n, "lasts", list(lasts), f"between 2 and {n - 1}")
    curve = _curves(vocabulary, ids, None, clip, None)[1]
    slopes = np.array([_slope(curve[1 : last + 1]) for last in lasts])
    return slopes / 2, curve[: max(lasts) + 1]


def compare_with_exponential(
    vocabulary: Vocabulary,
    *,
    rank_constant: float,
    epsilon_per_distance: float,
    ids: Ids | None = None,
    close: int = CLOSE,
    clip: float | None = None,
    progress: Progress | None = None,
) -> RankDistributions:
    """Return both laws of a word's replacement, at the same nats per unit of distance.

    Args:
        rank_constant: c of the fix, finite and > 0.
        epsilon_per_distance: nats per unit of distance, finite and > 0.
        ids: words to average over; None takes ``SAMPLED_WORDS`` evenly spaced ones (all, if there are fewer).
        close: last of the near ranks, between 1 and the number of other words.
    """
    n = len(vocabulary)
    need(0 < rank_constant < math.inf, "rank_constant", rank_constant, "finite and > 0")
    need(0 < epsilon_per_distance < math.inf, "epsilon_per_distance", epsilon_per_distance, "finite and > 0")
    need(1 <= close < n, "close", close, f"between 1 and {n - 1}, the number of other words")
    words, curve, distribution, distance = _curves(vocabulary, ids, epsilon_per_distance, clip, progress)
    ranks = geometric_ranks(rank_constant * epsilon_per_distance, n)
    return RankDistributions(
        rank_constant=rank_constant,
        epsilon_per_distance=epsilon_per_distance,
        words=words,
        close=close,
        resampling=ranks,
        exponential=distribution,
        distances=curve,
        resampling_distance=float(ranks @ curve),
        exponential_distance=distance,
    )


def _curves(
    vocabulary: Vocabulary, ids: Ids | None, epsilon: float | None, clip: float | None, progress: Progress | None
) -> tuple[int, Reals, Reals, float]:
    n, norm = len(vocabulary), checked_clip(clip)
    count = min(n, SAMPLED_WORDS)
    words = np.arange(count, dtype=np.int64) * n // count if ids is None else checked_ids(ids, n)
    need(len(words) > 0, "ids", "none", "at least one word")
    grid = integer_grid(vocabulary)
    curve, distribution, distance = np.zeros(n), np.zeros(n), 0.0
    block = max(1, _SCORES // n)
    for start in range(0, len(words), block):
        part = words[start : start + block]
        rows = np.sort(distances_on(grid, part, norm), axis=1)
        curve += rows.sum(axis=0)
        if epsilon is not None:
            with np.errstate(under="ignore"):
                weights = np.exp(-epsilon / 2 * rows)
                weights /= weights.sum(axis=1, keepdims=True)
                distribution += weights.sum(axis=0)
                distance += float(np.einsum("bn,bn->", weights, rows))
        if progress is not None:
            progress(start + len(part), len(words))
    return len(words), curve / len(words), distribution / len(words), distance / len(words)


def _slope(values: Reals) -> float:
    indices = np.arange(len(values)) - (len(values) - 1) / 2
    return float(indices @ values / (indices @ indices))


def _decreasing_root(function: Callable[[float], float], target: float) -> float:
    low, high = math.log(_SMALLEST), math.log(_LARGEST)
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (middle, high) if function(math.exp(middle)) > target else (low, middle)
    return math.exp((low + high) / 2)


def _shares(distribution: Reals, close: int) -> RankShares:
    return RankShares(
        float(distribution[0]), float(distribution[1 : close + 1].sum()), float(distribution[close + 1 :].sum())
    )
