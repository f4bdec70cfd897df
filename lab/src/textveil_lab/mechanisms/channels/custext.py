"""CusText: draws a word from its public cluster, nearer ones with more weight; CusText+ releases function words."""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.randomized_response import GroupedChannel
from textveil.numerics.integer_weights import exp_minus_half_ceiling, log_ratio_up, stated_epsilon
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import Adjacency, within_groups
from textveil.registry.options import NEIGHBORHOODS, VECTORS, Option, at_least, named
from textveil.text.english import FUNCTION_WORDS
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.adjacencies import CLUSTERED_CONTENT
from textveil_lab.mechanisms.parameters import GroupEpsilon, given
from textveil_lab.mechanisms.sampling.listed_rows import ListedRow, ListedRows
from textveil_lab.mechanisms.sampling.normalizer_bounds import ListedNormalizers, Normalizers, bounds_of, steepest
from textveil_lab.vocabulary.clusters import EUCLIDEAN, MEASURES, distances_among, frequency_clusters
from textveil_lab.vocabulary.geometry import remembered

PROOF: Final = "textveil_lab/proofs/custext.md"
SOURCE: Final = "Chen et al. 2023 (CusText)"
K: Final = 20  # K of the paper's experiments
_LISTED: Final = 64  # words of a cluster up to which all of its scores are held
CLUSTERS: Final = within_groups("cluster")  # which two words are compared

TOP_K: Final = Option(
    at_least(2),
    "Words in a cluster: a divisor of the number of words.",
    "K",
    NEIGHBORHOODS,
    unset="20, the last cluster with what is left",
)
MEASURE: Final = Option(named(*MEASURES), "How far a word is from the others.", "NAME", VECTORS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWeights:
    """Integer weights of scores u in [0, 1]: max(floor, floor(top * exp(-epsilon / 2 * (1 - u))))."""

    epsilon: float  # of the exponent, nats
    top: int  # weight of the score 1
    floor: int  # least weight, at least top * exp(-epsilon / 2)

    def __call__(self, scores: Reals) -> Integers:
        """Return the weights, int64, same shape."""
        falling = float(self.top) * np.exp(-self.epsilon / 2 * (1.0 - scores))
        return np.clip(falling.astype(np.int64), self.floor, self.top)

    @property
    def loss(self) -> float:
        """2 ln(top / floor), rounded up: the largest log-ratio of two rows over the same words."""
        return log_ratio_up(self.top**2, self.floor**2)


def score_weights(epsilon: float, outputs: int) -> ScoreWeights:
    """Return the weights whose loss over at most ``outputs`` outputs is at most ``epsilon``."""
    top = 1 << (61 - math.ceil(math.log2(outputs)))
    return ScoreWeights(epsilon=epsilon, top=top, floor=exp_minus_half_ceiling(epsilon, top))


def scores(distances: Reals) -> Reals:
    """Return the paper's score: 1 at the smallest distance of a list, 0 at the largest; 1 if all are equal."""
    low, high = float(distances.min()), float(distances.max())
    return np.ones_like(distances) if high <= low else (high - distances) / (high - low)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterRows:
    """Maker of a word's row: its cluster's words with their weights, or the word alone; see ``ListRows``."""

    vocabulary: Vocabulary
    clusters: Integers  # the cluster of every word, shape (n,)
    kept: NDArray[np.bool_]  # words that are released unchanged, shape (n,)
    weights: ScoreWeights  # of scores
    measure: str  # of distances

    def __call__(self, words: Ids) -> list[ListedRow]:
        grid, rows = integer_grid(self.vocabulary), []
        members: dict[int, NDArray[Any]] = {}
        for word in words.tolist():
            if self.kept[word]:
                rows.append(ListedRow(np.array([word]), np.array([1])))
                continue
            cluster = int(self.clusters[word])
            if cluster not in members:
                members[cluster] = np.flatnonzero(self.clusters == cluster)
            here = members[cluster]
            far = distances_among(grid, word, here, self.measure)
            rows.append(ListedRow(here, np.cumsum(self.weights(scores(far)))))
        return rows


@proved(
    family="channel",
    notion="pure DP",
    proof=PROOF,
    source=SOURCE,
    summary="A word of the same public cluster, the nearer the likelier; clusters stay visible.",
    adjacency=CLUSTERS,
)
def custext(
    vocabulary: Vocabulary,
    *,
    epsilon: GroupEpsilon,
    top_k: Annotated[int, TOP_K] | None = None,
    measure: Annotated[str, MEASURE] = EUCLIDEAN,
    progress: Progress | None = None,
) -> GroupedChannel:
    """P(y | x) proportional to exp(epsilon u(x, y) / 2) over the words y of the cluster of x.

    u is the nearness of y to x, scaled over the cluster to [0, 1]. Clusters partition the vocabulary: the most frequent
    remaining word takes its nearest remaining words. The guarantee compares two words of one cluster; the cluster of
    each word is released.

    The cosine measure is 1 less the cosine. ``top_k`` is K of the paper, between 2 and all words.

    Raises:
        ParameterError: an option outside its domain, or a ``top_k`` that does not divide the vocabulary.
    """
    kept = np.zeros(len(vocabulary), dtype=bool)
    return clustered("custext", vocabulary, kept, epsilon, top_k, measure, progress)


def clustered(
    name: str,
    vocabulary: Vocabulary,
    kept: NDArray[np.bool_],
    epsilon: float,
    top_k: int | None,
    measure: str,
    progress: Progress | None,
    adjacency: Adjacency = CLUSTERS,
) -> GroupedChannel:
    """Return the channel of that name, with some public words released unchanged; see ``custext``."""
    size = _cluster_size(top_k, len(vocabulary))
    clusters = frequency_clusters(vocabulary, size, measure, progress)
    weights, spent = _steepest_scores(vocabulary, epsilon, clusters, measure, progress)
    groups = np.where(kept, -1, clusters)
    groups.flags.writeable = False
    promise = PureDP(
        epsilon=stated_epsilon(spent, epsilon), status=status_of(__name__, PROOF), source=PROOF, adjacency=adjacency
    )
    rows = ListedRows(len(vocabulary), ClusterRows(vocabulary, clusters, kept, weights, measure))
    facts = {"epsilon": promise.epsilon, **given(top_k=top_k), "cluster_size": size, "measure": measure}
    return GroupedChannel(vocabulary, name, facts, promise, rows, groups=groups)


def _steepest_scores(
    vocabulary: Vocabulary, epsilon: float, clusters: Integers, measure: str, progress: Progress | None
) -> tuple[ScoreWeights, float]:
    top = 1 << (61 - math.ceil(math.log2(int(np.bincount(clusters).max()))))
    key = ("cluster normalizers", hashlib.sha256(clusters.tobytes()).digest(), measure)
    known = remembered(vocabulary, key, lambda: _normalizers(vocabulary, clusters, measure, progress))
    weights = steepest(epsilon, top, 1.0, known)
    scores_fall = ScoreWeights(epsilon=2 * weights.rate, top=top, floor=weights.floor)
    return scores_fall, max(group.loss(weights) for group in known)


def _normalizers(
    vocabulary: Vocabulary, clusters: Integers, measure: str, progress: Progress | None
) -> list[Normalizers]:
    grid, out = integer_grid(vocabulary), list[Normalizers]()
    listed: dict[int, list[Reals]] = {}

    def falls(here: Ids, words: Ids) -> Iterator[Reals]:
        return (1.0 - scores(distances_among(grid, word, here, measure)) for word in words.tolist())

    order, sizes = np.argsort(clusters, kind="stable"), np.bincount(clusters)
    for done, here in enumerate(np.split(order, np.cumsum(sizes)[:-1])):
        if len(here) > _LISTED:
            out.append(bounds_of(partial(falls, here), here, 1.0, progress))
            continue
        listed.setdefault(len(here), []).append(np.array(list(falls(here, here))))
        if progress is not None:
            progress(done + 1, len(sizes))
    return [*out, *(ListedNormalizers(np.stack(groups)) for groups in listed.values())]


def _cluster_size(top_k: int | None, words: int) -> int:
    if top_k is None:
        return min(K, words)
    divisors = [size for size in range(2, words + 1) if words % size == 0]
    shown = ", ".join(map(str, divisors if len(divisors) <= 8 else [*divisors[:7], f"... {words}"]))
    hint = "Leave it out for 20, the last cluster with what is left."
    need(top_k in divisors, "top_k", top_k, f"a divisor of the {words} words ({shown})", hint)
    return top_k


_SOURCE: Final = "Chen et al. 2023 (CusText+)"


@proved(
    family="channel",
    notion="pure DP",
    proof=PROOF,
    source=_SOURCE,
    summary="custext that releases English function words as they are.",
    adjacency=CLUSTERED_CONTENT,
)
def custext_plus(
    vocabulary: Vocabulary,
    *,
    epsilon: GroupEpsilon,
    top_k: Annotated[int, TOP_K] | None = None,
    measure: Annotated[str, MEASURE] = EUCLIDEAN,
    progress: Progress | None = None,
) -> GroupedChannel:
    """``custext`` for all but English function words, which are released unchanged and unprotected.

    The list of function words is public (``text.english``; the paper takes NLTK's stop words).

    The guarantee covers all other words.

    Raises:
        ParameterError: as ``custext``; or the vocabulary has only function words.
    """
    kept = np.array([word in FUNCTION_WORDS for word in vocabulary.words])
    need(not kept.all(), "vocabulary", "function words alone", "one with other words")
    return clustered("custext-plus", vocabulary, kept, epsilon, top_k, measure, progress, CLUSTERED_CONTENT)
