"""How often words, pairs and topics occur in the texts behind a release, with confidence intervals.

The number of tokens is public. Intervals cover the randomness of the channel, given the texts: the true count lies in
them with the stated confidence over the draws, whatever the texts are (by the normal approximation of a sum of
independent draws). They say nothing of other texts of the same kind.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from textveil.errors import need
from textveil.mechanisms.kinds import Described, checked_ids
from textveil.statistics import Bound
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.facts import word_frequencies
from textveil_lab.estimation.channel_matrix import ChannelMatrix, channel_matrix, most_likely_counts
from textveil_lab.estimation.weights import Weights, weights_for
from textveil_lab.posterior.words import checked_prior

_TOLD = 0.5
"""An estimate is vague if this share of its interval's width, or more, comes from words that cannot be told apart."""


class CountEstimate(NamedTuple):
    """Number of occurrences in the texts behind a release."""

    total: Bound  # with its interval; the estimate itself is within it
    released: float  # the same number in the release, of which nothing was corrected
    noise: float  # standard error of the estimate
    # width of the interval for words that the channel does not tell apart; 0 if the estimate is unbiased
    bias: float
    confused: tuple[int, ...] = ()  # ids of the words that this is for most of all; none if noise is the larger part


class PairEstimate(NamedTuple):
    """Number of times that one word directly follows another, with both words."""

    first: int
    second: int
    estimate: CountEstimate


class FrequencyEstimator:
    """Estimator of counts from releases of one channel.

    Args:
        mechanism: a channel that draws each word alone.
        prior: public frequencies of the words: they only choose among valid weights; None takes the vocabulary's.
        confidence: of two-sided intervals, in (0, 1).
        progress: called while the channel is read.

    Raises:
        UnsupportedGuarantee: the mechanism is no such channel.
        ParameterError: ``confidence`` or ``prior`` is outside its domain.
    """

    def __init__(
        self,
        mechanism: Described | ChannelMatrix,
        *,
        prior: Reals | None = None,
        confidence: float = 0.95,
        progress: Progress | None = None,
    ) -> None:
        need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
        self.matrix = mechanism if isinstance(mechanism, ChannelMatrix) else channel_matrix(mechanism, progress)
        self.vocabulary = self.matrix.vocabulary
        chosen = word_frequencies(self.vocabulary).counts if prior is None else prior
        self.prior = checked_prior(np.asarray(chosen), len(self.matrix))
        self.confidence = confidence
        self._classes = self.matrix.classes()

    def alike(self, word: int) -> Ids:
        """Return the words whose outputs have this word's distribution, itself too: no release tells them apart."""
        return np.flatnonzero(self._classes == self._classes[word])

    def likeliest(self, released: Ids, number: int) -> Ids:
        """Return the words that are most frequent by ``likelihood``, in falling order."""
        counts = np.bincount(checked_ids(released, len(self.matrix)), minlength=len(self.matrix)).astype(np.float64)
        start = (self.prior + 1 / len(self.matrix)) / 2
        return np.argsort(-most_likely_counts(self.matrix, counts, start), kind="stable")[:number]

    def words(self, released: Ids, words: Ids) -> list[CountEstimate]:
        """Return how often each word occurs; indistinguishable words (``alike``) are counted together.

        Args:
            released: ids of all released words, shape (tokens,).
            words: shape (words,).
        """
        return self.topics(released, self._indicators(checked_ids(words, len(self.matrix))))

    def sets(self, released: Ids, members: Reals) -> list[CountEstimate]:
        """Return how often words of each set occur, together with words that cannot be told from them.

        Args:
            released: ids of all released words, shape (tokens,).
            members: 1 for the members of a set, one column for each set, shape (n, sets).
        """
        chosen = np.zeros((int(self._classes.max()) + 1, members.shape[1]))
        np.maximum.at(chosen, self._classes, members)
        return self.topics(released, chosen[self._classes])

    def topics(self, released: Ids, topics: Reals) -> list[CountEstimate]:
        """Return how much of each topic the texts hold: the sum of g over their words.

        Args:
            released: ids of all released words, shape (tokens,).
            topics: g for every word, one column for each topic, shape (n, topics); a set of words is a column of 0 and
                1. Indistinguishable words have their mean value.
        """
        counts = np.bincount(checked_ids(released, len(self.matrix)), minlength=len(self.matrix)).astype(np.float64)
        goals = self._levelled(np.asarray(topics, dtype=np.float64))
        if not counts.any() or not goals.shape[1]:
            return [CountEstimate(Bound(0.0, 0.0, 0.0, self.confidence), 0.0, 0.0, 0.0)] * goals.shape[1]
        squares = goals**2
        plain = bool(np.all(squares == goals))
        both = goals if plain else np.hstack([goals, squares])
        weights = weights_for(self.matrix, both, tokens=float(counts.sum()), prior=self.prior)
        known = goals.shape[1]
        own = Weights(*(part[:, :known] for part in weights))
        return _estimates(
            self.matrix, counts, goals, own, weights.middle[:, -known:], self.confidence, self._confused(own)
        )

    def pairs(self, released: Ids, bounds: Integers, words: Ids) -> list[PairEstimate]:
        """Return how often any of ``words`` follows any of them directly in a text, most frequent first.

        Intervals hold for each pair by itself.

        Args:
            released: ids of all released words, text after text, shape (tokens,).
            bounds: start of each text in them and end of the last, shape (texts + 1,).
            words: distinct, shape (words,); all their pairs are estimated.
        """
        ids, wanted = checked_ids(released, len(self.matrix)), np.unique(checked_ids(words, len(self.matrix)))
        follows = np.ones(len(ids), dtype=bool)
        follows[np.asarray(bounds, dtype=np.int64)[:-1][np.diff(bounds) > 0]] = False
        seconds = np.flatnonzero(follows)
        if not len(seconds) or not len(wanted):
            return []
        weights = weights_for(self.matrix, self._indicators(wanted), tokens=float(len(ids)), prior=self.prior)
        tail = float(ndtri((1 + self.confidence) / 2))
        pair_bounds = []
        for first, word in enumerate(wanted.tolist()):
            for second, other in enumerate(wanted.tolist()):
                bound = _pair_bound(weights, first, second, ids, seconds, tail)
                seen = float(np.sum((ids[seconds - 1] == word) & (ids[seconds] == other)))
                count = Bound(bound[0], bound[1], bound[2], self.confidence)
                pair_bounds.append(PairEstimate(word, other, CountEstimate(count, seen, bound[3], bound[4])))
        return sorted(pair_bounds, key=lambda pair: (-pair.estimate.total.estimate, pair.first, pair.second))

    def _indicators(self, words: Ids) -> Reals:
        return (self._classes[:, None] == self._classes[words][None, :]).astype(np.float64)

    def _levelled(self, goals: Reals) -> Reals:
        size = len(self.matrix)
        need(goals.ndim == 2 and len(goals) == size, "topics", f"shape {goals.shape}", f"of shape ({size}, topics)")
        need(bool(np.isfinite(goals).all()), "topics", "one value that is not", "finite everywhere")
        number = np.bincount(self._classes)
        if len(number) == size:
            return goals
        means = [np.bincount(self._classes, weights=column) / number for column in goals.T]
        return np.stack(means, axis=1)[self._classes]

    def _confused(self, weights: Weights) -> list[tuple[int, ...]]:
        share = np.abs(weights.missed) * (self.prior + 1 / len(self.matrix))[:, None]
        return [tuple(np.argsort(-column, kind="stable")[:3].tolist()) for column in share.T]


def _estimates(
    matrix: ChannelMatrix,
    counts: Reals,
    goals: Reals,
    weights: Weights,
    squares: Reals,
    confidence: float,
    confused: Sequence[tuple[int, ...]],
) -> list[CountEstimate]:
    tokens, tail = float(counts.sum()), float(ndtri((1 + confidence) / 2))
    noise = [
        np.sqrt(np.maximum(counts @ (part**2 - squares), tokens * _least_variance(matrix, part)))
        for part in (weights.below, weights.middle, weights.above)
    ]
    ends = counts @ weights.below, counts @ weights.middle, counts @ weights.above
    estimates = []
    for goal in range(goals.shape[1]):
        least, most = tokens * goals[:, goal].min(), tokens * goals[:, goal].max()
        low = float(np.clip(ends[0][goal] - tail * noise[0][goal], least, most))
        high = float(np.clip(ends[2][goal] + tail * noise[2][goal], least, most))
        bias = float(ends[2][goal] - ends[0][goal]) / 2
        vague = bias > _TOLD * tail * float(noise[1][goal])
        middle = float(np.clip(ends[1][goal], low, high))
        count = Bound(low, middle, high, confidence)
        estimates.append(
            CountEstimate(
                count,
                float(counts @ goals[:, goal]),
                float(noise[1][goal]),
                bias if vague else 0.0,
                confused[goal] if vague else (),
            )
        )
    return estimates


def _least_variance(matrix: ChannelMatrix, weights: Reals) -> Reals:
    """Return the smallest variance of one output's weight over all inputs, as a floor for variance estimates."""
    variances = matrix.expected(weights**2) - matrix.expected(weights) ** 2
    return np.maximum(variances.min(axis=0), 0.0)


def _pair_bound(
    weights: Weights, first: int, second: int, ids: Ids, seconds: Ids, tail: float
) -> tuple[float, float, float, float, float]:
    """Return low, estimate, high, noise and bias of the count of one pair.

    With upper weights u and lower weights l of the two words, u1 u2 is an upper weight of the pair, as both have means
    >= 0, and u1 l2 + l1 u2 - u1 u2 is a lower one.
    """
    part_of_first = [part[ids, first] for part in weights[:3]]
    other = [part[ids, second] for part in weights[:3]]
    (below, middle, above), (below2, middle2, above2) = part_of_first, other
    before = seconds - 1
    upper = above[before] * above2[seconds]
    lower = above[before] * below2[seconds] + below[before] * above2[seconds] - upper
    plain = middle[before] * middle2[seconds]
    noise = [_pair_noise(values, seconds) for values in (lower, plain, upper)]
    low = max(0.0, float(lower.sum()) - tail * noise[0])
    high = max(low, float(upper.sum()) + tail * noise[2])
    estimate = min(max(float(plain.sum()), low), high)
    bias = float(upper.sum() - lower.sum()) / 2
    return low, estimate, high, noise[1], bias if bias > _TOLD * tail * noise[1] else 0.0


def _pair_noise(values: Reals, seconds: Ids) -> float:
    """Return a standard error that errs on the large side: pairs that share a word vary together.

    The sum over every other pair has independent terms; twice the variances of both sums bound that of the whole.
    """
    joined = seconds[1:] == seconds[:-1] + 1
    together = float(values[1:][joined] @ values[:-1][joined])
    squares = float(values @ values)
    return float(np.sqrt(max(squares + 2 * together, squares)))
