"""Points of hyperbolic space for the words of a vocabulary, made or given, with the options that say so."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeAlias, final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.options import POSITIVE, VECTORS, Option, at_least, named
from textveil.mechanisms.parameters import outward
from textveil.types import Ids, Reals
from textveil.vocabulary.geometry import remembered
from textveil.vocabulary.hyperbolic import FarthestPoints, distances, farthest_points, popularity_points
from textveil.vocabulary.vocabulary import Vocabulary

MADE, GIVEN = "made", "given"

PointsSource: TypeAlias = Annotated[
    str,
    Option(
        named(MADE, GIVEN),
        "Points of hyperbolic space: made of vectors and frequency order, or given as vectors of norm below 1.",
        "NAME",
        VECTORS,
    ),
]
HyperbolicDim: TypeAlias = Annotated[
    int, Option(at_least(2), "Dimension of the hyperbolic space of made points.", "D", VECTORS, unset="2")
]
Radius: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE,
        "Hyperbolic distance of the farthest made point from the origin.",
        "R",
        VECTORS,
        unset="3, or less where epsilon needs it",
    ),
]

_LARGEST: Final = 20.0
"""Beyond this radius points of the ball are nearer to its border than floats can tell."""

_SMALLEST: Final = 1e-3


@final
@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Public points of all words.

    Attributes:
        ball: in the Poincare ball, float64, shape (n, dim).
        farthest: the two that are farthest apart.
        source: ``"made"`` or ``"given"``.
        radius: of made points; 0 for given ones.
    """

    ball: Reals = field(repr=False)
    farthest: FarthestPoints
    source: str
    radius: float

    @property
    def dim(self) -> int:
        """Of the space."""
        return int(self.ball.shape[1])

    @property
    def diameter(self) -> float:
        """The largest distance, enlarged as diameters are."""
        return outward(self.farthest.distance)

    def word_distances(self, ids: Ids) -> Reals:
        """Hyperbolic distances from each id to every word, shape (batch, n)."""
        return distances(self.ball, ids)

    @property
    def metric(self) -> str:
        """What distances are measured on."""
        return f"hyperbolic, {self.source} points in {self.dim} dimensions"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        of_the_map = {"hyperbolic_dim": self.dim, "radius": self.radius} if self.source == MADE else {}
        digest = hashlib.sha256(self.ball.astype("<f4").tobytes()).hexdigest()[:16]
        return {"points": self.source, **of_the_map, "points_digest": digest}


def hyperbolic_points(
    vocabulary: Vocabulary, source: str, dim: int | None, radius: float | None, usual: float
) -> Points:
    """The points that options ask for.

    Args:
        vocabulary: public words and vectors.
        source: ``"made"`` or ``"given"``.
        dim: of made points; None is 2.
        radius: of made points; None is ``usual``.
        usual: the radius where none is asked for.

    Raises:
        ParameterError: options that do not fit the source, points outside the ball, or one point for all words.
    """
    if source == MADE:
        chosen, reach = dim or 2, usual if radius is None else radius
        need(_SMALLEST <= reach <= _LARGEST, "radius", reach, f"between {_SMALLEST:g} and {_LARGEST:g}")
        ball = popularity_points(vocabulary, chosen, reach)
        key = f"hyperbolic {chosen} {reach!r}"
    else:
        need(dim is None and radius is None, "hyperbolic_dim and radius", "given", "left out where points are given")
        ball, reach, key = vocabulary.vectors.astype(np.float64), 0.0, "hyperbolic given"
        longest = float(np.linalg.norm(ball, axis=1).max())
        need(longest < np.tanh(_LARGEST / 2), "points", "vectors of norm 1 or more", "made, or vectors of norm below 1")
        need(ball.shape[1] >= 2, "points", "vectors of one dimension", "made, or vectors of two dimensions at least")
    far = remembered(vocabulary, key, lambda: farthest_points(ball))
    need(far.distance > 0, "vocabulary", "one point for all words", "one with two different points at least")
    return Points(ball, far, source, reach)
