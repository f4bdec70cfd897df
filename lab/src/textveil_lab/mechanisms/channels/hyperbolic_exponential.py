"""Exponential mechanism on the hyperbolic distance, with integer weights."""

import math
from dataclasses import dataclass

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.numerics.integer_weights import stated_epsilon
from textveil.privacy.guarantees import MetricDP, PureDP
from textveil.privacy.proved import status_of
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.hyperbolic_laplace import (
    HyperbolicDim,
    Points,
    PointsSource,
    Radius,
    hyperbolic_points,
)
from textveil_lab.mechanisms.parameters import EpsilonPerDistance, one_of, proved_metric
from textveil_lab.mechanisms.sampling.listed_rows import ComputedRows
from textveil_lab.mechanisms.sampling.normalizer_bounds import bounds_of, steepest
from textveil_lab.vocabulary.geometry import remembered
from textveil_lab.vocabulary.hyperbolic import distances, least_distance, rounding

PROOF = "textveil_lab/proofs/hyperbolic_exponential.md"
_RADIUS = 3.0
_LEAST_BITS = 20


@dataclass(frozen=True, slots=True, eq=False)
class FallingWeights:
    """Weights max(floor, floor(top exp(-rate d(x, y)))), d hyperbolic; shape (batch,) to (batch, n)."""

    ball: Reals  # points of all words
    rate: float  # nats per unit of distance
    top: int  # weight at distance 0
    floor: int  # smallest weight

    def __call__(self, words: Ids) -> Integers:
        weights = np.exp(-self.rate * distances(self.ball, words)) * float(self.top)
        return np.maximum(weights.astype(np.int64), self.floor)


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PROOF,
    source="McSherry and Talwar 2007; distance: Feyisetan, Diethe and Drake 2019",
    summary="Weight exp(-rate d) on the hyperbolic distance to each word.",
)
def hyperbolic_exponential(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    points: PointsSource = "made",
    hyperbolic_dim: HyperbolicDim | None = None,
    radius: Radius | None = None,
    progress: Progress | None = None,
) -> IntegerChannel:
    """P(y | x) proportional to exp(-epsilon_per_distance / 2 d(x, y)), d hyperbolic, calibrated by one parameter.

    It is the exponential form of hyperbolic noise, defined at every epsilon in every dimension.

    With ``epsilon`` the rate is the steepest that the normalizers of all words allow.

    Raises:
        ParameterError: neither or both parameters, one out of its domain, invalid points, or (for the metric form) two
            words at one point or weights too small for integers.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    placed = hyperbolic_points(vocabulary, points, hyperbolic_dim, radius, _RADIUS)
    top = 1 << (61 - math.ceil(math.log2(len(vocabulary))))
    promise: PureDP | MetricDP
    if name == "epsilon":
        key = ("hyperbolic normalizers", placed.parameters["points_digest"])
        words, reach = np.arange(len(vocabulary)), placed.diameter
        bounds = remembered(vocabulary, key, lambda: bounds_of(placed.word_distances, words, reach, progress))
        rate, _, floor = weights = steepest(value, top, placed.diameter, (bounds,))
        spent = bounds.loss(weights)
        promise = PureDP(epsilon=stated_epsilon(spent, value), status=status_of(__name__, PROOF), source=PROOF)
    else:
        floor, rate = 1, _rate_with_room(value, placed, top)
        promise = proved_metric(value, placed.metric, placed.diameter, PROOF)
    return IntegerChannel(
        vocabulary,
        "hyperbolic-exponential",
        {**promise.numbers, "epsilon_per_distance": 2 * rate, **placed.parameters},
        promise,
        ComputedRows(len(vocabulary), FallingWeights(placed.ball, rate, top, floor)),
        placed.word_distances,
    )


def _rate_with_room(value: float, placed: Points, top: int) -> float:
    name, rate = "epsilon_per_distance", value / 2
    least = least_distance(placed.ball)
    need(least > 0, name, value, "used where no two words share a point", "Use epsilon instead, or remove duplicates.")
    smallest = top * math.exp(-rate * placed.diameter)
    most = 2 * (math.log(top) - _LEAST_BITS * math.log(2)) / placed.diameter
    need(smallest >= 1 << _LEAST_BITS, name, value, f"at most {most:.4g}, which keeps weights above 2^{_LEAST_BITS}")
    slip = 2 / smallest + rate * rounding(placed.ball, placed.diameter) + 2.0**-48
    room = 2 * slip / least
    need(room < rate, name, value, f"above {2 * room:.3g}, what rounding takes")
    return rate - room
