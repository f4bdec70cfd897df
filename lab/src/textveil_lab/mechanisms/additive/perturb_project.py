"""Perturb and project: clip the word's vector, add noise from a distribution, take the nearest word."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.kinds import checked_ids, stated_distances
from textveil.privacy.guarantees import Guarantee
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals, Vectors, WordDistances
from textveil.vocabulary.grid import IntegerGrid, integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import checked_clip, given
from textveil_lab.nearest.choice import nearest
from textveil_lab.nearest.projection import Projection, half_squares
from textveil_lab.noise.distribution import NoiseDistribution, block_rows
from textveil_lab.vocabulary.geometry import clip as clip_vectors
from textveil_lab.vocabulary.grid_distances import distances_on

_ROWS = 64


@dataclass(frozen=True, slots=True, eq=False)
class RankResampling:
    """Replacement of a word by its i-th nearest, i geometric with ratio exp(-decay), cut at the vocabulary's size.

    It sees only the nearest word, never the input, so it is post-processing and free. Source: Asghar et al. 2026
    (dX-privacy for text and the curse of dimensionality), the section on the fix.
    """

    grid: IntegerGrid  # the public vectors
    clip: float | None  # their clipping norm, as in the mechanism before it
    decay: float  # nats per rank, > 0 (the paper's c * epsilon)

    def __post_init__(self) -> None:
        need(0 < self.decay < math.inf, "decay", self.decay, "finite and > 0")

    def ranks(self, count: int, rng: np.random.Generator) -> Integers:
        """Return ranks in [0, n) with P(i) proportional to exp(-decay * i); shape (count,)."""
        mass = -math.expm1(-self.decay * self.grid.size)
        drawn = np.floor(-np.log1p(-rng.random(count) * mass) / self.decay)
        return np.minimum(drawn, self.grid.size - 1).astype(np.int64)

    def __call__(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """Return the resampled words; shape (batch,). The lower id wins a distance tie."""
        ranks = self.ranks(len(ids), rng)
        out = ids.copy()
        moved = np.flatnonzero(ranks > 0)
        words, which = np.unique(ids[moved], return_inverse=True)
        order = np.argsort(which, kind="stable")
        bounds = np.searchsorted(which[order], np.arange(len(words) + 1))
        for start in range(0, len(words), _ROWS):
            rows = distances_on(self.grid, words[start : start + _ROWS], self.clip)
            for offset, row in enumerate(rows):
                row[words[start + offset]] = -1.0  # rank 0 is the word itself, even beside a twin
                where = moved[order[bounds[start + offset] : bounds[start + offset + 1]]]
                out[where] = _at_ranks(row, ranks[where])
        return out


def _at_ranks(distances: np.ndarray[tuple[int], np.dtype[np.float64]], ranks: Integers) -> Ids:
    deepest = int(ranks.max()) + 1
    if deepest < len(distances):
        edge = np.partition(distances, deepest - 1)[deepest - 1]
        near = np.flatnonzero(distances <= edge)
    else:
        near = np.arange(len(distances))
    return near[np.argsort(distances[near], kind="stable")][ranks]


_BLOCK = 4096  # tokens that are searched for at once: 5 MB of noisy vectors at 300 dimensions


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class PerturbProject:
    """Release the nearest word to clip(v(x)) + noise, or to noise on a public map's image; fresh noise for every token.

    The guarantee is that of the noisy vector; the nearest word and the resampling of ranks see only that vector and
    public tables. Noisy vectors stay in this class.
    """

    name: str
    parameters: Mapping[str, Any]
    vocabulary: Vocabulary
    distribution: NoiseDistribution  # the distribution of the noise, of the dimension of ``points``
    clip: float | None
    guarantee: Guarantee
    resampling: RankResampling | None  # post-processing around the nearest word, or None
    # points to which noise is added: the clipped vectors or their images under a public map, shape (n, dim)
    points: Vectors = field(repr=False)
    projection: Projection = field(repr=False)  # the search for the nearest word
    distances: WordDistances | None = field(default=None, repr=False)  # the metric of a guarantee per distance

    def word_distances(self, ids: Ids) -> Reals:
        return stated_distances(self.distances)(checked_ids(ids, len(self.vocabulary)))

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        words = checked_ids(ids, len(self.vocabulary))
        generator = resolve(rng)
        out = drawn_from_noise(
            self.points, words, self.distribution, generator, lambda _, vectors: self.projection(vectors)
        )
        return out if self.resampling is None else self.resampling(out, generator)


def noisy_vectors(
    points: Vectors, words: Ids, distribution: NoiseDistribution, generator: np.random.Generator
) -> Vectors:
    """Return vectors of words with fresh noise, float32, shape (batch, dim).

    The noise is added in float64 and then rounded: rounding is a function of the noisy vector alone.
    """
    out = np.empty((len(words), distribution.dim), dtype=np.float32)
    rows = block_rows(distribution.dim)
    for start in range(0, len(words), rows):
        part = words[start : start + rows]
        noise = distribution.sample(len(part), generator, np.float64)
        noise += points[part]
        out[start : start + rows] = noise
    return out


def drawn_from_noise(
    points: Vectors,
    words: Ids,
    distribution: NoiseDistribution,
    generator: np.random.Generator,
    choose: Callable[[Ids, Vectors], Ids],
) -> Ids:
    """Return one output word for each word; shape (batch,).

    Args:
        points: noise is added to these, shape (n, dim).
        words: ids, shape (batch,).
        generator: source of randomness.
        choose: function from a block of words and their noisy vectors to output ids. A private mechanism uses the
            vectors only.
    """
    distribution.sample(0, generator)  # refuses noise that would not fit the search's float32
    out = np.empty(len(words), dtype=np.int64)
    for start in range(0, len(words), _BLOCK):
        block = words[start : start + _BLOCK]
        out[start : start + len(block)] = choose(block, noisy_vectors(points, block, distribution, generator))
    return out


def euclidean(points: NDArray[Any], ids: Ids) -> Reals:
    """Return distances from these words' points to all points, shape (batch, n); by differences, for near points."""
    from scipy.spatial.distance import cdist  # only audits measure them

    return np.asarray(cdist(points[ids], points), dtype=np.float64)


def clipped_distances(vocabulary: Vocabulary, clip: float | None) -> WordDistances:
    """Return Euclidean distances between the vectors, longer ones shortened to the norm ``clip``."""
    return partial(_clipped_distances, vocabulary, clip)


def _clipped_distances(vocabulary: Vocabulary, clip: float | None, ids: Ids) -> Reals:
    return euclidean(clipped_points(vocabulary, clip), ids)


def clipped_points(vocabulary: Vocabulary, clip: float | None) -> Vectors:
    """Return the vectors, the longer ones shortened to the norm ``clip``; None leaves them.

    Raises:
        ParameterError: they are too long for the nearest-word search.
    """
    norm = checked_clip(clip)
    points = vocabulary.vectors if norm is None else clip_vectors(vocabulary.vectors, norm)
    half_squares(points)  # refuses them
    return points


def perturb_project(
    vocabulary: Vocabulary,
    distribution: NoiseDistribution,
    guarantee: Guarantee,
    *,
    name: str,
    parameters: Mapping[str, Any],
    clip: float | None,
    points: Vectors | None = None,
    rank_constant: float | None = None,
    rank_rate: float | None = None,
    projection: str | None = None,
    distances: WordDistances | None = None,
) -> PerturbProject:
    """Assemble the mechanism; the caller must prove its guarantee.

    Args:
        distribution: noise of the dimension of ``points``.
        parameters: public parameters for reports; the clip, the ranks and the projection are added.
        guarantee: of ``distribution`` at the diameter of the clipped vectors.
        points: images of the clipped vectors under a public map, to which noise is added; the released word has the
            nearest image. None: the clipped vectors.
        rank_constant: the paper's c of the resampling around the nearest word; None: no resampling.
        rank_rate: factor of c, for nats per rank; None is the epsilon of the guarantee.
        projection: a backend of ``nearest.choice``; None is the fastest exact one that is installed.
        distances: the metric of a guarantee per distance.
    """
    if points is None:
        points = clipped_points(vocabulary, clip)
    rate = next(iter(guarantee.numbers.values())) if rank_rate is None else rank_rate
    decay = None if rank_constant is None else rank_constant * rate
    ranks = {**given(rank_constant=rank_constant), "clip": clip, "rank_decay": decay}
    return PerturbProject(
        name=name,
        parameters={**parameters, **ranks, **given(projection=projection)},
        vocabulary=vocabulary,
        distribution=distribution,
        clip=clip,
        guarantee=guarantee,
        resampling=None if decay is None else RankResampling(integer_grid(vocabulary), clip, decay),
        points=points,
        projection=nearest(points, projection),
        distances=distances,
    )
