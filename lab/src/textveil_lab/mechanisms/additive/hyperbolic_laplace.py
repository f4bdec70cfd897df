"""Public points of hyperbolic space for words, noise around a word's point, then the nearest word: metric DP."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, TypeAlias

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, checked_ids
from textveil.privacy.guarantees import MetricDP
from textveil.randomness import resolve
from textveil.registry.options import POSITIVE, VECTORS, Option, at_least, named
from textveil.types import Ids, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.capabilities import WorstStates
from textveil_lab.mechanisms.parameters import EpsilonPerDistance, given, one_of, outward, proved_metric, rate_within
from textveil_lab.noise.hyperbolic_laplace import HyperbolicLaplace, HyperbolicProfile
from textveil_lab.vocabulary.geometry import remembered
from textveil_lab.vocabulary.hyperbolic import (
    FarthestPoints,
    distances,
    farthest_points,
    on_hyperboloid,
    popularity_points,
)

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

_LARGEST: Final = 20.0  # beyond this radius points of the ball are nearer to its border than floats can tell
_SMALLEST: Final = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Public points of all words."""

    ball: Reals = field(repr=False)  # in the Poincare ball, float64, shape (n, dim)
    farthest: FarthestPoints  # the two that are farthest apart
    source: str  # ``"made"`` or ``"given"``
    radius: float  # of made points; 0 for given ones

    @property
    def dim(self) -> int:
        return int(self.ball.shape[1])

    @property
    def diameter(self) -> float:
        return outward(self.farthest.distance)

    def word_distances(self, ids: Ids) -> Reals:
        """Return hyperbolic distances from each id to every word, shape (batch, n)."""
        return distances(self.ball, ids)

    @property
    def metric(self) -> str:
        return f"hyperbolic, {self.source} points in {self.dim} dimensions"

    @property
    def parameters(self) -> Mapping[str, Any]:
        of_the_map = {"hyperbolic_dim": self.dim, "radius": self.radius} if self.source == MADE else {}
        digest = hashlib.sha256(self.ball.astype("<f4").tobytes()).hexdigest()[:16]
        return {"points": self.source, **of_the_map, "points_digest": digest}


def hyperbolic_points(
    vocabulary: Vocabulary, source: str, dim: int | None, radius: float | None, usual: float
) -> Points:
    """Return the points that the options ask for.

    Args:
        source: ``"made"`` or ``"given"``.
        dim: of made points; None is 2.
        radius: of made points; None is ``usual``.
        usual: default radius.

    Raises:
        ParameterError: options do not fit the source, points are outside the ball, or all words have one point.
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


PROOF = "textveil_lab/proofs/hyperbolic_laplace.md"
_ENTRIES = 1 << 22  # products that are made at once: 32 MB
_RADIUS, _LEAST = 3.0, 0.01


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class HyperbolicResponse:
    """Release the word whose point is nearest to a noisy point around that of x, in hyperbolic space.

    Source: Feyisetan, Diethe and Drake 2019; proof: textveil_lab/proofs/hyperbolic_laplace.md.
    """

    name: ClassVar[str] = "hyperbolic-laplace"
    vocabulary: Vocabulary
    parameters: Mapping[str, Any]
    guarantee: MetricDP  # metric DP in the hyperbolic distance
    noise: HyperbolicLaplace  # of points, fresh for every token
    points: Points  # of words, in the ball
    _lifted: Reals = field(repr=False)

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """Return one draw for each id; see ``WordMechanism.privatize``. The lowest id wins a tie."""
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)
        signs = np.append(-1.0, np.ones(self.noise.dim))
        rows = max(1, _ENTRIES // len(self.vocabulary))
        out = np.empty(len(words), dtype=np.int64)
        for start in range(0, len(words), rows):
            noisy = self.noise.sample(self._lifted[words[start : start + rows]], generator)
            out[start : start + rows] = ((noisy * signs) @ self._lifted.T).argmax(axis=1)
        return out

    def word_distances(self, ids: Ids) -> Reals:
        return self.points.word_distances(checked_ids(ids, len(self.vocabulary)))

    def worst_pair(self) -> WorstStates:
        """Return the worst pair: delta grows with the distance at every epsilon. See ``capabilities.NoisyStates``."""
        far = self.points.farthest
        profile = HyperbolicProfile(noise=self.noise, distance=far.distance)
        return WorstStates(far.first, far.second, far.distance, profile)


@proved(
    family="perturb and project",
    notion="metric DP",
    proof=PROOF,
    source="Feyisetan, Diethe and Drake 2019 (arXiv 1910.08917); sampler: the proof",
    summary="Noise of density exp(-rate d) in hyperbolic space, drawn exactly, then the nearest word there.",
)
def hyperbolic_laplace(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    points: PointsSource = "made",
    hyperbolic_dim: HyperbolicDim | None = None,
    radius: Radius | None = None,
) -> HyperbolicResponse:
    """Density proportional to exp(-rate d(x, z)) of the hyperbolic distance, calibrated by one of two parameters.

    The paper samples by a Markov chain, whose distance from that density after finitely many steps has no known bound;
    here the distance from x is drawn exactly. The density has a finite integral only if the rate is above the dimension
    less 1; else the mechanism is refused (``hyperbolic_exponential`` has no such limit).

    The rate is ``epsilon_per_distance``, above the dimension less 1, or ``epsilon`` divided by the exact diameter of
    the points.

    Raises:
        ParameterError: neither or both parameters, a rate that is too small for the dimension, or invalid points.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    usual = _RADIUS
    if name == "epsilon":  # a diameter of at most 2 radius leaves half as much again as the rate needs
        usual = max(_LEAST, min(_RADIUS, value / (3 * ((hyperbolic_dim or 2) - 1))))
    placed = hyperbolic_points(vocabulary, points, hyperbolic_dim, radius, usual)
    diameter, least = placed.diameter, placed.dim - 1
    rate = rate_within(value, diameter) if name == "epsilon" else value
    if name == "epsilon":
        hint = "Give a smaller radius or fewer dimensions, or use hyperbolic-exponential."
        need(rate > least, "epsilon", value, f"above {least * diameter:.6g}, the diameter times dimension less 1", hint)
    else:
        hint = "Give fewer dimensions, or use hyperbolic-exponential."
        need(rate > least, "epsilon_per_distance", value, f"above {least}, the dimension less 1", hint)
    return HyperbolicResponse(
        vocabulary,
        {
            "epsilon": rate * diameter,
            "rate": rate,
            **given(epsilon_per_distance=epsilon_per_distance),
            **placed.parameters,
        },
        proved_metric(rate, placed.metric, diameter, PROOF),
        HyperbolicLaplace(dim=placed.dim, rate=rate),
        placed,
        on_hyperboloid(placed.ball),
    )
