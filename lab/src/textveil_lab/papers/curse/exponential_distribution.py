"""The exact rank profile of the exponential mechanism's distribution, for many epsilons in one pass over the distances.

The catalog's mechanism draws by integer weights, which bounds epsilon times the diameter; the paper's grid goes far
beyond that bound. So the distribution itself is averaged here: P(y | x) proportional to exp(-epsilon d(x, y) / 2).
"""

from collections.abc import Callable, Sequence

import numpy as np

from textveil.statistics import exactly
from textveil.types import Ids, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_profile import RankProfile, rank_edges
from textveil_lab.papers.curse.facts import CLOSE

_SCORES = 1 << 21  # Distances that are held at once: 17 MB


def exponential_profiles(
    vocabulary: Vocabulary, words: Ids, epsilons: Sequence[float], report: Callable[[float], None]
) -> list[RankProfile]:
    """Rank profiles at each epsilon, averaged over the words, correct to the rounding of float64 sums.

    Args:
        vocabulary: public words and vectors, taken as they are.
        words: shape (batch,), one or more.
        epsilons: nats per unit of distance, each > 0.
        report: called with the share that is done.
    """
    grid, edges = integer_grid(vocabulary), rank_edges(len(vocabulary), CLOSE)
    totals = np.zeros((len(epsilons), len(edges) - 1))
    block = max(1, _SCORES // len(vocabulary))
    for start in range(0, len(words), block):
        rows = np.sort(grid.distances(words[start : start + block]), axis=1)  # the word itself first, at 0
        for index, epsilon in enumerate(epsilons):
            with np.errstate(under="ignore"):
                weights = np.exp(rows * (-epsilon / 2))
            binned = np.add.reduceat(weights, edges[:-1], axis=1)
            totals[index] += (binned / binned.sum(axis=1, keepdims=True)).sum(axis=0)
        report(min(1.0, (start + block) / len(words)))
    return [_profile(row / len(words), len(words), edges) for row in totals]


def _profile(shares: Reals, words: int, edges: np.ndarray[tuple[int], np.dtype[np.int64]]) -> RankProfile:
    split = int(np.searchsorted(edges, CLOSE + 1))
    parts = (shares[0], shares[1:split].sum(), shares[split:].sum())
    original, near, distant = (exactly(float(part)) for part in parts)
    return RankProfile(
        mechanism="exponential",
        words=words,
        draws_per_word=None,
        close=CLOSE,
        original=original,
        near=near,
        distant=distant,
        edges=edges.copy(),
        shares=shares,
    )
