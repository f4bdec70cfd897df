"""Public points of hyperbolic space for words, and the distances between them; curvature -1, any dimension >= 2.

Points are kept in the Poincare ball: x of norm below 1, at distance 2 artanh ||x|| from the origin, with

    d(x, y) = 2 arsinh(||x - y|| / sqrt((1 - ||x||^2) (1 - ||y||^2))).

On the hyperboloid the same point is X = (1 + ||x||^2, 2 x) / (1 - ||x||^2), and cosh d = X_0 Y_0 - sum X_i Y_i.
Source: Ratcliffe 2006, Foundations of Hyperbolic Manifolds, chapters 3 and 4.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from textveil.errors import need
from textveil.types import Ids, Reals
from textveil.vocabulary.vocabulary import Vocabulary

_BLOCK = 1024


class FarthestPoints(NamedTuple):
    """The two points farthest apart: their distance and rows."""

    distance: float
    first: int
    second: int


def popularity_points(vocabulary: Vocabulary, dim: int, radius: float) -> Reals:
    """Return points in the Poincare ball: frequent words near the origin, similar vectors in similar directions.

    The i-th word is at distance radius ln(i) / ln(n) from the origin, in the direction of its vector's ``dim`` first
    principal components. Frequent words are then near to many words, like general terms in a trained embedding. Source:
    Papadopoulos, Kitsak, Serrano, Boguna and Krioukov 2012 (popularity and similarity).

    Args:
        vocabulary: public words, the most frequent first, and vectors.
        dim: of the space, between 2 and that of the vectors.
        radius: of the last word, > 0.

    Returns:
        float64, shape (n, dim), norms below 1.

    Raises:
        ParameterError: ``dim`` exceeds the dimension of the vectors.
    """
    need(2 <= dim <= vocabulary.dim, "hyperbolic_dim", dim, f"between 2 and {vocabulary.dim}, that of the vectors")
    rows = vocabulary.vectors - vocabulary.vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(rows.T @ rows)
    main = axes[:, ::-1][:, :dim]
    main = main * np.where(main[np.abs(main).argmax(axis=0), np.arange(dim)] < 0, -1.0, 1.0)
    places = rows @ main
    lengths = np.linalg.norm(places, axis=1)
    places[lengths == 0] = np.eye(dim)[0]
    units = places / np.where(lengths == 0, 1.0, lengths)[:, None]
    ranks = np.log(np.arange(1, len(rows) + 1)) / np.log(max(2, len(rows)))
    return units * np.tanh(radius * ranks / 2)[:, None]


def on_hyperboloid(points: Reals) -> Reals:
    """Return the same points on the hyperboloid; shape (n, dim) to (n, dim + 1), the time coordinate first."""
    squares = np.einsum("nd,nd->n", points, points)[:, None]
    return np.concatenate([1 + squares, 2 * points], axis=1) / (1 - squares)


def farthest_points(points: Reals) -> FarthestPoints:
    """Return the exact diameter; pairs are skipped because d(x, y) is at most the sum of the distances from 0.

    Args:
        points: in the ball, shape (n, dim), not all within 1e-4 of each other.
    """
    lifted = on_hyperboloid(points)
    order = np.argsort(-lifted[:, 0], kind="stable")
    lifted = lifted[order]
    radii = np.arccosh(np.maximum(lifted[:, 0], 1.0))
    signs = np.append(1.0, -np.ones(points.shape[1]))
    best, pair = -np.inf, (0, 0)
    for start in range(0, len(lifted), _BLOCK):
        if np.cosh(2 * radii[start]) <= best:
            break
        for other in range(start, len(lifted), _BLOCK):
            if np.cosh(radii[start] + radii[other]) <= best:
                break
            products = lifted[start : start + _BLOCK] @ (lifted[other : other + _BLOCK] * signs).T
            row, column = np.unravel_index(int(products.argmax()), products.shape)
            if products[row, column] > best:
                best, pair = float(products[row, column]), (start + int(row), other + int(column))
    first, second = int(order[pair[0]]), int(order[pair[1]])
    return FarthestPoints(float(distances(points, np.array([first]))[0, second]), first, second)


def distances(points: Reals, ids: Ids) -> Reals:
    """Return distances of these points to all; shape (batch, n).

    Each depends on its two points alone, to the last bit.
    """
    widths = 1 / np.sqrt(1 - np.einsum("nd,nd->n", points, points))
    squares = np.zeros((len(ids), len(points)))
    for column in points.T:
        gaps = column[ids][:, None] - column
        squares += gaps * gaps
    return 2 * np.arcsinh(np.sqrt(squares) * widths[ids][:, None] * widths)


def least_distance(points: Reals) -> float:
    """Return a lower bound on all distances: twice the arsinh of the smallest Euclidean distance in the ball."""
    gaps: Reals = np.asarray(cKDTree(points).query(points, k=[2])[0])
    return float(2 * np.arcsinh(gaps.min()))


def rounding(points: Reals, widest: float) -> float:
    """Return a bound on the error of ``distances``, which grows as points approach the border of the ball."""
    room = float((1 - np.einsum("nd,nd->n", points, points)).min())
    return 2.0**-49 * (points.shape[1] + 8) / room * (1 + widest)
