"""Distances of a word's neighbors, and the gaps that decide which word noise turns it into.

With noise eta on the vector of a word w, and u the unit vector from one candidate to the other, the nearest word to w +
eta follows from comparing projections <eta, u> with fixed thresholds. Let x_k be the k-th nearest other word:

    w stays nearer than x_1     exactly if  <eta, u> <= ||w - x_1|| / 2                                      (eq. 18)
    x_1 stays nearer than x_k   exactly if  <eta, u> <= (||w - x_k||^2 - ||w - x_1||^2) / (2 ||x_k - x_1||)  (eq. 19)

The directions differ, so passing one threshold says little about another. But if the first threshold is long and the
second ones are short, noise that is likely to leave w has a spread that is large compared with the second ones. The
word that it reaches is then nearly chance, and seldom x_1. Source: Asghar, Carpentier, Zhao and Kaafar 2026, arXiv
2411.13784, section 4, theorems 1 and 2, equations 18 and 19; the means of both are its Table 2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import checked_ids
from textveil.randomness import resolve
from textveil.types import Ids, Progress, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import checked_clip
from textveil_lab.vocabulary.geometry import clip as clip_vectors

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)  # The quantiles that a ``Spread`` holds
FAR_RANKS = (2, 101)  # The ranks that the paper's Table 2 sets against the first neighbor
_UNIT = 2.0**-53
_COLUMNS = 2048
_SCORES = 1 << 22  # Scores that are held at once: 33 MB


class Spread(NamedTuple):
    """Mean, standard deviation and ``QUANTILES`` of one quantity over words."""

    mean: float
    sd: float
    quantiles: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NeighborGeometry:
    """Thresholds of equations 18 and 19 for a set of words, in units of distance."""

    vocabulary: str  # name of the vocabulary
    ids: Ids  # the words, shape (batch,)
    ranks: tuple[int, ...]  # the ranks k that are set against the first neighbor
    first: Reals  # ||w - x_1||, shape (batch,); 0 if another word shares the vector
    further: Reals  # ||w - x_k||, shape (batch, len(ranks))
    half_first: Reals  # the right side of equation 18, ||w - x_1|| / 2, shape (batch,)
    # the right side of equation 19, shape (batch, len(ranks)); 0 if x_1 and x_k share a vector, as no noise tells
    # them apart
    gaps: Reals

    def __post_init__(self) -> None:
        for array in (self.ids, self.first, self.further, self.half_first, self.gaps):
            array.flags.writeable = False

    @property
    def duplicates(self) -> int:
        """Number of words with a duplicate vector: their original is never sure to come out."""
        return int(np.count_nonzero(self.first == 0))

    def spreads(self) -> tuple[Spread, ...]:
        """Return spreads of ``half_first`` and of each column of ``gaps``: the paper's Table 2 and more than means."""
        return tuple(spread(column) for column in (self.half_first, *self.gaps.T))


def spread(values: Reals) -> Spread:
    """Return mean, standard deviation (divisor m - 1; 0 for one value) and ``QUANTILES`` of m >= 1 values."""
    need(values.ndim == 1 and len(values) > 0, "values", f"shape {values.shape}", "of shape (m,), m >= 1")
    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return Spread(float(values.mean()), deviation, tuple(float(q) for q in np.quantile(values, QUANTILES)))


def sample_words(vocabulary: Vocabulary, count: int, rng: np.random.Generator | None = None) -> Ids:
    """Return ``count`` different words, uniformly at random, in order of id.

    Args:
        count: between 1 and the number of words.

    Raises:
        ParameterError: count is out of its domain.
    """
    n = len(vocabulary)
    need(1 <= count <= n, "count", count, f"between 1 and the {n} words of the vocabulary")
    return np.sort(resolve(rng).choice(n, size=count, replace=False)).astype(np.int64)


def neighbors_at_ranks(
    vocabulary: Vocabulary,
    ids: Ids,
    ranks: Sequence[int],
    *,
    clip: float | None = None,
    progress: Progress | None = None,
) -> tuple[Ids, Reals]:
    """Return the k-th nearest other word of each word, and its Euclidean distance, for every k in ``ranks``.

    The result is exact: distances that the matrix product leaves in doubt are computed again from the two vectors, so a
    row depends on its word alone. Words at the same distance are ranked by id; a word with the same vector is a
    neighbor at distance 0.

    Args:
        vocabulary: public words and vectors; duplicate vectors are allowed.
        ids: the words, shape (batch,).
        ranks: k >= 1, at most the number of other words.
        clip: shorten longer vectors to this norm first; None leaves them.

    Returns:
        Ids, int64, and distances, float64, both of shape (batch, len(ranks)).

    Raises:
        ParameterError: an id, a rank or the clip is out of its domain.
    """
    words = checked_ids(ids, len(vocabulary))
    wanted = _checked_ranks(ranks, len(vocabulary))
    points = _points(vocabulary, clip)
    found = np.empty((len(words), len(wanted)), dtype=np.int64)
    distances = np.empty((len(words), len(wanted)))
    for part in _parts(len(words), len(points)):
        scores, reach = _scores(points, words[part])
        scores[np.arange(len(scores)), words[part]] = -np.inf  # rank 0 is the word itself
        edges = np.partition(scores, sorted(set(wanted)), axis=1)[:, wanted]
        # Two scores are each off by at most (2 dim + 8) roundings of terms up to 2 reach.
        doubt = (8 * points.shape[1] + 64) * _UNIT * reach
        for index, (row, row_edges) in enumerate(zip(scores, edges, strict=True), part.start):
            for column, (rank, edge) in enumerate(zip(wanted, row_edges, strict=True)):
                band = np.flatnonzero(np.abs(row - edge) <= doubt)
                exact = _distances(points, words[index], band)
                nearer = np.count_nonzero(row < edge - doubt)
                chosen = np.lexsort((band, exact))[rank - nearer]
                found[index, column], distances[index, column] = band[chosen], exact[chosen]
        if progress is not None:
            progress(part.stop, len(words))
    return found, distances


def neighbor_distances(
    vocabulary: Vocabulary,
    ids: Ids,
    ranks: Sequence[int],
    *,
    clip: float | None = None,
    progress: Progress | None = None,
) -> Reals:
    """Return the distances of ``neighbors_at_ranks``, shape (batch, len(ranks)); same arguments, same errors."""
    return neighbors_at_ranks(vocabulary, ids, ranks, clip=clip, progress=progress)[1]


def neighbor_geometry(
    vocabulary: Vocabulary,
    ids: Ids | None = None,
    *,
    ranks: Sequence[int] = FAR_RANKS,
    clip: float | None = None,
    progress: Progress | None = None,
) -> NeighborGeometry:
    """Return the thresholds of equations 18 and 19 for some words, or for all.

    Args:
        vocabulary: public words and vectors; duplicate vectors are allowed.
        ids: at least one word; None takes all.
        ranks: compared with the first neighbor, each between 2 and the number of other words.
        clip: shorten longer vectors to this norm first; None leaves them, as the paper does.

    Raises:
        ParameterError: an id, a rank or the clip is out of its domain, or there is no word.
    """
    words = np.arange(len(vocabulary)) if ids is None else checked_ids(ids, len(vocabulary)).copy()
    need(len(words) > 0, "ids", "none", "at least one word")
    need(
        all(rank >= 2 for rank in ranks), "ranks", list(ranks), "each 2 or more", "The first neighbor is always taken."
    )
    found, distances = neighbors_at_ranks(vocabulary, words, (1, *ranks), clip=clip, progress=progress)
    points = _points(vocabulary, clip)
    between = np.stack([_distances(points, row[0], row[1:]) for row in found])
    first, further = distances[:, 0].copy(), distances[:, 1:].copy()
    # The difference of squares as a product: it does not cancel if the two distances are close.
    rise = (further - first[:, None]) * (further + first[:, None])
    gaps = np.divide(rise, 2 * between, out=np.zeros_like(rise), where=between > 0)
    return NeighborGeometry(
        vocabulary=vocabulary.name,
        ids=words,
        ranks=tuple(int(rank) for rank in ranks),
        first=first,
        further=further,
        half_first=first / 2,
        gaps=gaps,
    )


def _checked_ranks(ranks: Sequence[int], n: int) -> list[int]:
    wanted = [int(rank) for rank in ranks]
    need(len(wanted) > 0, "ranks", "none", "at least one rank")
    for rank in wanted:
        need(1 <= rank < n, "ranks", rank, f"between 1 and {n - 1}, the number of other words")
    return wanted


def _points(vocabulary: Vocabulary, clip: float | None) -> Vectors:
    norm = checked_clip(clip)
    return vocabulary.vectors if norm is None else clip_vectors(vocabulary.vectors, norm)


def _scores(points: Vectors, ids: Ids) -> tuple[Reals, float]:
    left = points[ids].astype(np.float64)
    scores = np.empty((len(ids), len(points)))
    reach = 0.0
    for start in range(0, len(points), _COLUMNS):
        columns = slice(start, min(start + _COLUMNS, len(points)))
        right = points[columns].astype(np.float64)
        squares = np.einsum("nd,nd->n", right, right)
        np.matmul(left, right.T, out=scores[:, columns])
        np.subtract(squares / 2, scores[:, columns], out=scores[:, columns])
        reach = max(reach, float(squares.max()))
    return scores, reach


def _distances(points: Vectors, own: int, others: Ids) -> Reals:
    gaps = points[others].astype(np.float64) - points[own].astype(np.float64)
    # Sums along contiguous rows of one length add in one order, whatever else is in the table.
    return np.sqrt((gaps * gaps).sum(axis=1))


def _parts(batch: int, n: int) -> Iterator[slice]:
    rows = max(8, _SCORES // n)
    return (slice(start, min(start + rows, batch)) for start in range(0, batch, rows))
