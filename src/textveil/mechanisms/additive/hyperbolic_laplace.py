"""Noise in hyperbolic space, around a public point of the word, then the nearest word there: metric DP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.additive.hyperbolic_points import (
    HyperbolicDim,
    Points,
    PointsSource,
    Radius,
    hyperbolic_points,
)
from textveil.mechanisms.capabilities import WorstStates
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.kinds import checked_ids
from textveil.mechanisms.parameters import Epsilon, EpsilonPerDistance, given, one_of, rate_within
from textveil.noise.hyperbolic_laplace import HyperbolicLaplace, HyperbolicProfile
from textveil.privacy.guarantees import MetricDP, Status
from textveil.randomness import resolve
from textveil.types import Ids, Reals
from textveil.vocabulary.hyperbolic import on_hyperboloid
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/hyperbolic_laplace.md"

_ENTRIES = 1 << 22
"""Products that are made at once: 32 MB."""

_RADIUS, _LEAST = 3.0, 0.01


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class HyperbolicResponse:
    """y = the word whose point is nearest to a noisy point around that of x, in hyperbolic space.

    Source: Feyisetan, Diethe and Drake 2019; proof: privacy/proofs/hyperbolic_laplace.md.

    Attributes:
        vocabulary: the public words and vectors.
        parameters: public parameters, for reports.
        guarantee: metric DP in the hyperbolic distance.
        noise: of points, fresh for every token.
        points: of words, in the ball.
    """

    name: ClassVar[str] = "hyperbolic-laplace"
    vocabulary: Vocabulary
    parameters: Mapping[str, Any]
    guarantee: MetricDP
    noise: HyperbolicLaplace
    points: Points
    _lifted: Reals = field(repr=False)

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``WordMechanism.privatize``. Ties go to the lowest id."""
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)
        signs = np.append(-1.0, np.ones(self.noise.dim))
        rows = max(1, _ENTRIES // len(self.vocabulary))
        out = np.empty(len(words), dtype=np.int64)
        for start in range(0, len(words), rows):
            noisy = self.noise.sample(self._lifted[words[start : start + rows]], generator)
            out[start : start + rows] = ((noisy * signs) @ self._lifted.T).argmax(axis=1)
        return out

    def word_distances(self, ids: Ids) -> Reals:
        """See ``capabilities.OnWordDistances``."""
        return self.points.word_distances(checked_ids(ids, len(self.vocabulary)))

    def worst_pair(self) -> WorstStates:
        """See ``capabilities.NoisyStates``: delta grows with the distance at every epsilon."""
        far = self.points.farthest
        profile = HyperbolicProfile(noise=self.noise, distance=far.distance)
        return WorstStates(far.first, far.second, far.distance, profile)


@declared(
    family="perturb and project",
    notion="metric DP",
    status=Status.PROVED,
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

    The paper samples by a Markov chain, whose distance from that density after finitely many steps nobody bounds; here
    the distance from x is drawn exactly. The density has an integral where the rate is above the dimension less 1: else
    the mechanism is refused (``hyperbolic_exponential`` has no such limit).
    Source: Feyisetan, Diethe and Drake 2019 (arXiv 1910.08917); proof: privacy/proofs/hyperbolic_laplace.md.

    The rate is ``epsilon_per_distance``, above the dimension less 1, or ``epsilon`` divided by the exact diameter
    of the points.

    Raises:
        ParameterError: neither or both parameters, a rate that is too small for the dimension, or points that are none.
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
        MetricDP(
            epsilon_per_distance=rate, metric=placed.metric, diameter=diameter, status=Status.PROVED, source=PROOF
        ),
        HyperbolicLaplace(dim=placed.dim, rate=rate),
        placed,
        on_hyperboloid(placed.ball),
    )
