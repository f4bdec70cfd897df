"""Weights of outputs whose sum over a release estimates a sum over its inputs, with bounds on their error.

The goal is g . n = sum over x of g(x) n(x), for the unknown counts n of the inputs. A release has counts c with mean P'
n, so the sum of h(y) c(y) has mean (P h) . n: it is unbiased if P h = g. If the channel hardly tells some words apart,
such h are very large. Then h minimizes noise and bias together, the bias at public frequencies and their spread (a
ridge), and the remainder r = g - P h is bounded for every n: counts are >= 0, so any k >= 0 with P k >= r+ makes h + k
an upper weight, (P (h + k)) . n >= g . n for every n, and likewise below. No matrix is inverted, and the less the
channel tells, the wider the interval. (Strict bounds: Stark 1992; Kuusela and Stark 2017.)
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from textveil.types import Reals
from textveil_lab.estimation.channel_matrix import ChannelMatrix

SCALES: Final = (1.0, 0.3, 0.1)
"""Tried spreads of the inputs, as multiples of the public frequencies: a larger one means less bias.

Estimates use the first; each end of an interval uses the one that is expected to put it nearest.
"""

_STEPS: Final = 25
_EXACT_STEPS: Final = 60
_EXACT: Final = 1e-10  # Largest part of a goal that exact weights may miss: rounding
_WILD: Final = 1.5
"""Exact weights are used up to this ratio of noise, or of width.

The noise is compared with that of a channel that mixes each word with the base alone, the interval's width with that of
bounded weights.
"""

_COVERS: Final = 4
_WIDTH: Final = 1.96


class Weights(NamedTuple):
    """Weights of outputs for several goals, each of shape (n, goals)."""

    middle: Reals  # h, for the estimate
    below: Reals  # h - k with P (h - k) <= g
    above: Reals  # h + k with P (h + k) >= g
    missed: Reals  # r = g - P h


def weights_for(matrix: ChannelMatrix, goals: Reals, *, tokens: float, prior: Reals) -> Weights:
    """Return exact weights if possible, else those of the ridges with the narrowest expected intervals.

    Exact weights P h = g are unique if the matrix can be inverted; if not, these have the smallest variance.

    Args:
        goals: g, shape (n, goals).
        tokens: number of tokens of the release, > 0; public.
        prior: public frequencies of the inputs, with sum 1, shape (n,).
    """
    size = len(matrix)
    spread = prior + 1 / size
    usual = matrix.outputs((prior + 1 / size) / 2)
    exact = _completed(matrix, goals, _solved(matrix, goals, usual, np.zeros(size), _EXACT_STEPS))
    tried = []
    for scale in SCALES:
        ridge = 1 / (tokens * (scale * spread) ** 2)
        tried.append(_completed(matrix, goals, _solved(matrix, goals, usual, ridge, _STEPS)))
    below, low = _nearest([weights.below for weights in tried], -1, usual, tokens)
    above, high = _nearest([weights.above for weights in tried], 1, usual, tokens)
    bounded = tried[0]._replace(below=below, above=above)
    reached = np.abs(exact.missed).max(axis=0) <= _EXACT * np.maximum(1.0, np.abs(goals).max(axis=0))
    noise = 2 * _WIDTH * np.sqrt(tokens * (usual @ exact.middle**2))
    own = matrix.raised.diagonal()[:, None]
    alone = np.divide(goals, own, out=np.zeros_like(goals, dtype=np.float64), where=own > 0)
    plain = 2 * _WIDTH * np.sqrt(tokens * (usual @ alone**2))
    tame = reached & ((noise <= _WILD * plain) | (noise <= _WILD * (low + high)))
    return Weights(*(np.where(tame, exact_part, other) for exact_part, other in zip(exact, bounded, strict=True)))


def _solved(matrix: ChannelMatrix, goals: Reals, usual: Reals, ridge: Reals, steps: int) -> Reals:
    """Return the weights that minimize the sum of usual h^2 + (g - P h)^2 / ridge, by conjugate gradients."""
    scale = 1 / (matrix.squared_row_sums(1 / usual) + ridge)
    inputs, left = np.zeros_like(goals), goals.astype(np.float64)
    scaled = scale[:, None] * left
    along, size = scaled.copy(), np.einsum("xk,xk->k", left, scaled)
    enough = 1e-24 * size
    for _ in range(steps):
        image = matrix.expected(matrix.outputs(along) / usual[:, None]) + ridge[:, None] * along
        curvature = np.einsum("xk,xk->k", along, image)
        going = (size > enough) & (curvature > 0)
        if not going.any():
            break
        step = np.divide(size, curvature, out=np.zeros_like(size), where=going)
        inputs += step * along
        left -= step * image
        scaled = scale[:, None] * left
        size, before = np.einsum("xk,xk->k", left, scaled), size
        along = scaled + np.divide(size, before, out=np.zeros_like(size), where=going) * along
    return matrix.outputs(inputs) / usual[:, None]


def _completed(matrix: ChannelMatrix, goals: Reals, middle: Reals) -> Weights:
    missed = goals - matrix.expected(middle)
    return Weights(middle, middle - _cover(matrix, -missed), middle + _cover(matrix, missed), missed)


def _cover(matrix: ChannelMatrix, wanted: Reals) -> Reals:
    """Return weights k >= 0 with P k >= ``wanted`` and a small sum, for each column.

    Each output starts with the need of its own word; then any excess over the needs of all words that raise the output
    is taken back, a few times. A constant covers any need too, since rows of P have sum 1; it serves needs that no
    output covers.
    """
    above = np.maximum(wanted, 0.0)
    own = matrix.raised.diagonal()[:, None]
    constant = np.where(own > 0, 0.0, above).max(axis=0)
    above = np.maximum(above - constant, 0.0)
    cover = np.divide(above, own, out=np.zeros_like(above), where=own > 0)
    filled = np.flatnonzero(np.diff(matrix.raised.indptr))
    firsts, inputs = matrix.raised.indptr[:-1][filled], matrix.raised.indices
    for _ in range(_COVERS):
        reached = matrix.raised @ cover
        needed = np.divide(above, reached, out=np.zeros_like(above), where=reached > 0)
        for goal in range(cover.shape[1]):
            cover[filled, goal] *= np.maximum.reduceat(needed[inputs, goal], firsts)
    cheaper = above.max(axis=0) < (matrix.base + np.asarray(matrix.raised.mean(axis=0)).ravel()) @ cover
    return np.where(cheaper, above.max(axis=0), cover) + constant


def _nearest(ends: Sequence[Reals], side: int, usual: Reals, tokens: float) -> tuple[Reals, Reals]:
    """Return for each goal the weights whose end of an interval is expected to lie nearest if outputs come as usual.

    Public facts alone choose them: the release does not choose among its own bounds.

    Returns:
        The weights, and the expected distance of that end.
    """
    reach = [side * tokens * (usual @ end) + _WIDTH * np.sqrt(tokens * (usual @ end**2)) for end in ends]
    best = np.argmin(reach, axis=0)
    chosen = np.stack([ends[which][:, goal] for goal, which in enumerate(best)], axis=1)
    return chosen, np.min(reach, axis=0)
