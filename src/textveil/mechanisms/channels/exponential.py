"""The exponential mechanism on distances (SanText), with integer weights."""

from __future__ import annotations

import math
from functools import partial

from textveil.errors import need
from textveil.mechanisms.channels.integer_channel import IntegerChannel
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Clip, Epsilon, EpsilonPerDistance, metric_name, one_of, outward
from textveil.mechanisms.sampling.distance_weights import rate_with_room
from textveil.mechanisms.sampling.weight_rows import WeightRows
from textveil.numerics.integer_weights import exp_minus_half_ceiling, log_ratio_up
from textveil.privacy.guarantees import MetricDP, PureDP, Status
from textveil.types import Ids, Reals
from textveil.vocabulary.geometry import clipped_diameter
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/exponential.md"


@declared(
    family="channel",
    notion="pure or metric DP",
    status=Status.PROVED,
    proof=PROOF,
    source="McSherry and Talwar 2007, section 3; Yue et al. 2021 (SanText), section 4",
    summary="Weight exp(-epsilon d / 2) on the distance to each word.",
)
def exponential(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    clip: Clip | None = 1.0,
) -> IntegerChannel:
    """P(y | x) proportional to exp(-epsilon_per_distance / 2 * ||v(x) - v(y)||) over all words y.

    Exactly one of the two parameters is given; with ``epsilon`` the rate is epsilon / (2 diameter). Source: McSherry
    and Talwar 2007, section 3; Yue et al. 2021 (SanText), section 4; proof: privacy/proofs/exponential.md.

    Raises:
        ParameterError: neither or both parameters, one out of its domain, or (for the metric form) words
            whose vectors coincide, or weights too small for integers.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    diameter = outward(clipped_diameter(vocabulary, clip, 2))
    need(diameter > 0, "vocabulary", "one vector for all words", "one with two different vectors at least")
    top = 1 << (61 - math.ceil(math.log2(len(vocabulary))))
    if name == "epsilon":
        floor = exp_minus_half_ceiling(value, top)
        # Where epsilon is so large that the floor is 1, weights span no more than top: less is spent.
        most = 2 * log_ratio_up(top, floor)
        rate = min(value, most) / (2 * diameter)
        stated = most if most < value - 1e-9 else value
        promise: PureDP | MetricDP = PureDP(epsilon=stated, status=Status.PROVED, source=PROOF)
    else:
        floor = 1
        rate = _rate_with_room(value, diameter, top, vocabulary, clip)
        promise = MetricDP(
            epsilon_per_distance=value,
            metric=metric_name("euclidean", clip),
            diameter=diameter,
            status=Status.PROVED,
            source=PROOF,
        )
    rows = WeightRows(vocabulary, rate=rate, clip=clip, top=top, floor=floor)
    facts = {**promise.numbers, "epsilon_per_distance": 2 * rate, "clip": clip}
    return IntegerChannel(vocabulary, "exponential", facts, promise, rows, partial(_distances, vocabulary, clip))


def _distances(vocabulary: Vocabulary, clip: float | None, ids: Ids) -> Reals:
    return integer_grid(vocabulary).distances(ids, clip)


def _rate_with_room(
    epsilon_per_distance: float, diameter: float, top: int, vocabulary: Vocabulary, clip: float | None
) -> float:
    """The rate that leaves room for the rounding of weights and distances (proof, section 2)."""
    smallest = top * math.exp(-epsilon_per_distance / 2 * diameter)
    need(
        smallest >= 2**20,
        "epsilon_per_distance",
        epsilon_per_distance,
        f"at most {2 * (math.log(top) - 20 * math.log(2)) / diameter:.4g}, which keeps integer weights above 2^20",
    )
    return rate_with_room(vocabulary, epsilon_per_distance, smallest, clip)
