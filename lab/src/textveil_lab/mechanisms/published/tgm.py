"""Truncated Gumbel mechanism (TGM) as in a public package: for audits."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

import numpy as np
from scipy.special import gammaln, lambertw
from scipy.stats import poisson

from textveil.errors import need
from textveil.mechanisms.declaration import refuted
from textveil.mechanisms.kinds import checked_ids, checked_word_id
from textveil.privacy.guarantees import MetricDP, Status
from textveil.randomness import resolve
from textveil.registry.options import GUARANTEE, POSITIVE, Option
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.tgm import GumbelNoise
from textveil_lab.mechanisms.parameters import Clip, metric_name, outward
from textveil_lab.mechanisms.published.claims import (
    METRIC,
    MLDP,
    ComputedTable,
    PublishedClaim,
    TrialSetting,
    integral,
    line,
    metric_table,
)
from textveil_lab.mechanisms.published.words import exponential
from textveil_lab.vocabulary.geometry import clipped_diameter, minimum_distance
from textveil_lab.vocabulary.grid_distances import distances_on

REFUTATION: Final = "textveil_lab/proofs/tgm_published.md"
_RANKS: Final = 160  # words of a list whose probabilities are computed: a longer list comes with less than 1e-120
_POINTS: Final = 2001  # of the integral over the smallest sum
_USUAL: Final = 2.0

_PER_DISTANCE = Option(
    POSITIVE, "The claimed nats per unit of distance.", "E", GUARANTEE, unset="twice the least that the formulas take"
)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class TruncatedGumbel:
    """Release the word of smallest distance plus noise among the k nearest, k from a Poisson law below n."""

    name: ClassVar[str] = "tgm-published"
    vocabulary: Vocabulary
    parameters: Mapping[str, Any]
    guarantee: MetricDP
    noise: GumbelNoise  # of each distance
    clip: float | None

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)
        out = words.copy()
        lengths = self._lengths(len(words), generator)
        for word in np.unique(words).tolist():
            here = np.flatnonzero((words == word) & (lengths > 0))
            if len(here):
                near, far = self._nearest(word, int(lengths[here].max()))
                for place in here.tolist():
                    k = int(lengths[place])
                    out[place] = near[int(np.argmin(far[:k] + self.noise.sample(k, generator)))]
        return out

    def probabilities(self, word_id: int) -> Reals:
        """Return P(y | word_id), shape (n,): sums over k of integrals over the smallest sum; 0 below 1e-120."""
        n = len(self.vocabulary)
        word = checked_word_id(word_id, n)
        most = min(n - 1, _RANKS)
        near, far = self._nearest(word, most)
        lengths = self._log_lengths(most)
        ranks = np.zeros(most)
        ranks[0] += math.exp(lengths[0])  # no list at all: the package returns the word
        # Over the smallest sum t: word i wins with its density there, times what all others of the list leave above t.
        sums = np.linspace(far[0] - self.noise.limit, far[-1] + self.noise.limit, _POINTS)
        density = -np.diff(self.noise.survival(sums - far[:, None]), axis=1)
        above = self.noise.survival((sums[1:] + sums[:-1]) / 2 - far[:, None])
        with np.errstate(divide="ignore"):
            all_above = np.exp(np.cumsum(np.log(above), axis=0))
        alone = np.divide(density, above, out=np.zeros_like(density), where=above > 0)
        chances = alone @ all_above.T
        for k in range(1, most + 1):
            ranks[:k] += math.exp(lengths[k]) * chances[:k, k - 1] / chances[:k, k - 1].sum()
        row = np.zeros(n)
        row[near] = ranks / ranks.sum()
        return row

    def word_distances(self, ids: Ids) -> Reals:
        return distances_on(integer_grid(self.vocabulary), ids, self.clip)

    def _nearest(self, word: int, count: int) -> tuple[Ids, Reals]:
        far = self.word_distances(np.array([word]))[0]
        ranked = far.copy()
        ranked[word] = -1.0
        near: Integers = np.argsort(ranked, kind="stable")[:count]
        return near, far[near]

    def _log_lengths(self, most: int) -> Reals:
        """Return ln P(k) for k = 0 to ``most``: Poisson of mean ln(n - 1), below n."""
        mean = math.log(len(self.vocabulary) - 1)
        k = np.arange(most + 1)
        logs = k * (math.log(mean) if mean > 0 else -np.inf) - mean - gammaln(k + 1.0)
        logs[0] = -mean
        return np.asarray(logs - math.log(float(np.exp(logs).sum())), dtype=np.float64)

    def _lengths(self, count: int, rng: np.random.Generator) -> Integers:
        n = len(self.vocabulary)
        out = rng.poisson(math.log(n - 1), count).astype(np.int64)
        while len(over := np.flatnonzero(out > n - 1)):
            out[over] = rng.poisson(math.log(n - 1), len(over))
        return out


def _scale(epsilon: float, n: int, least: float, diameter: float) -> float:
    slope = (epsilon - 2 * (1 + math.log(n)) / least) / 3
    return 2 * diameter / min(float(lambertw(2 * slope * diameter).real), math.log(slope * least))


@refuted(
    family="channel",
    notion="metric DP",
    proof=REFUTATION,
    source="Xu et al. 2021 (FLAIRS); public code of Meisenbacher et al. 2024 (MLDP, mldp-text), class TruncatedGumbel",
    summary="The smallest distance plus Gumbel noise among few nearest words: how many are near tells words apart.",
    instead="tgm",
)
def tgm_published(
    vocabulary: Vocabulary,
    *,
    epsilon_per_distance: Annotated[float, _PER_DISTANCE] | None = None,
    clip: Clip | None = None,
) -> TruncatedGumbel:
    """The one of the k nearest words with smallest d + g, g Gumbel noise of scale b within the diameter D.

    k is Poisson of mean ln(n - 1), below n; b = 2 D / min(W(2 a D), ln(a d)), a = (epsilon - 2 (1 + ln n) / d) / 3, W
    Lambert's function, d the smallest distance of two words. The claim is epsilon d-privacy. The word farthest from x
    is never released for x, but is for itself: the claim is false for every vocabulary. The paper was not read;
    formulas and the order of steps are the package's.
    """
    n = len(vocabulary)
    need(n >= 3, "vocabulary", f"{n} words", "one of three words at least")
    least, diameter = minimum_distance(vocabulary, clip), outward(clipped_diameter(vocabulary, clip, 2))
    need(least > 0, "vocabulary", "two words of one vector", "one of different vectors", "Remove the duplicates.")
    domain = (2 * (1 + math.log(n)) + 3) / least
    epsilon = _USUAL * domain if epsilon_per_distance is None else epsilon_per_distance
    need(epsilon > domain, "epsilon_per_distance", epsilon, f"above {domain:.6g} here, the domain of the formulas")
    scale = _scale(epsilon, n, least, diameter)
    promise = MetricDP(
        epsilon_per_distance=epsilon,
        metric=metric_name("euclidean", clip),
        diameter=diameter,
        status=Status.REFUTED,
        source=REFUTATION,
    )
    facts = {"epsilon_per_distance": epsilon, "clip": clip, "scale": scale, "least_distance": least}
    return TruncatedGumbel(vocabulary, facts, promise, GumbelNoise(scale=scale, limit=diameter), clip)


def _law(setting: TrialSetting) -> ComputedTable:
    n, apart = len(setting.points), setting.distances
    least, most = float(apart[apart > 0].min()), float(apart.max())
    noise = GumbelNoise(scale=_scale(setting.epsilon, n, least, most), limit=most)
    numbers = poisson.pmf(np.arange(n), math.log(n - 1))
    numbers /= numbers.sum()
    rows = np.zeros((n, n))
    for x in range(n):
        order = np.argsort(apart[x], kind="stable")
        rows[x, x] += numbers[0]
        for k in range(1, n):
            rows[x, order[:k]] += numbers[k] * _least_of(apart[x, order[:k]], noise)
    return metric_table(setting, rows, 1e-9, scale=noise.scale)


def _least_of(centers: Reals, noise: GumbelNoise) -> Reals:
    scale, limit = noise.scale, noise.limit
    ends = [math.exp(-math.exp(limit / scale)), math.exp(-math.exp(-limit / scale))]

    def values(at: Reals) -> Reals:
        t = (at[:, None] - centers[None, :]) / scale
        inside = np.clip(t, -limit / scale, limit / scale)
        above = (ends[1] - np.exp(-np.exp(-inside))) / (ends[1] - ends[0])
        density = np.where(inside == t, np.exp(-inside - np.exp(-inside)), 0.0) / (scale * (ends[1] - ends[0]))
        others = [np.delete(above, i, axis=1).prod(axis=1) for i in range(len(centers))]
        return density * np.stack(others, axis=1)

    return integral(values, [*(centers - limit).tolist(), *(centers + limit).tolist()], scale / 8)


CLAIMS: Final = (
    PublishedClaim(
        name="mldp-truncated-gumbel",
        work="MLDP",
        part="truncated Gumbel",
        claim=METRIC,
        source=f"{MLDP}, class TruncatedGumbel; Xu et al., FLAIRS 2021",
        why="Fewer words than there are take part, so the word farthest from the input never comes out.",
        repair="the exponential mechanism on the same distances",
        instead="exponential",
        form="tgm-published",
        setting=line(9.0, 0.0, 1.0, 2.0, 4.0),
        published=_law,
        repaired=exponential,
    ),
)
