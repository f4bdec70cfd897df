"""The exponential mechanism on distances (SanText), with integer weights."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.base import checked_ids, checked_word_id
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Clip, Epsilon, EpsilonPerDistance, metric_name, one_of, outward
from textveil.mechanisms.sampling.distance_weights import rate_with_room
from textveil.mechanisms.sampling.weight_rows import WeightRows
from textveil.numerics.integer_weights import exp_minus_half_ceiling, log_ratio_up
from textveil.privacy.guarantees import MetricDP, PureDP, Status
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.geometry import clipped_diameter
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/exponential.md"


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Exponential:
    """P(y | x) proportional to exp(-epsilon_per_distance / 2 * ||v(x) - v(y)||) over all words y.

    Integer weights between ``floor`` and ``top`` are sampled, without floating point in the draw.
    Source: McSherry and Talwar 2007, section 3; Yue et al. 2021 (SanText), section 4; proof:
    privacy/proofs/exponential.md.

    Attributes:
        vocabulary: the public words and vectors.
        epsilon_per_distance: twice the rate of the weights, nats per unit of distance.
        clip: vectors longer than this were shortened to it; None where they were not.
        guarantee: pure DP where ``epsilon`` was asked for, metric DP where ``epsilon_per_distance`` was.
    """

    vocabulary: Vocabulary
    epsilon_per_distance: float
    clip: float | None
    guarantee: PureDP | MetricDP
    _rows: WeightRows = field(repr=False)

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "exponential"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        return {**self.guarantee.numbers, "epsilon_per_distance": self.epsilon_per_distance, "clip": self.clip}

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``WordMechanism.privatize``."""
        return self._rows.draw(checked_ids(ids, len(self.vocabulary)), resolve(rng))

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        word = checked_word_id(word_id, len(self.vocabulary))
        row = self._rows.weights(np.array([word]))[0]
        return row / float(row.sum())

    def integer_weights(self, ids: Ids) -> Integers:
        """See ``capabilities.IntegerWeights``."""
        return self._rows.weights(checked_ids(ids, len(self.vocabulary)))

    def word_distances(self, ids: Ids) -> Reals:
        """See ``capabilities.OnWordDistances``."""
        return integer_grid(self.vocabulary).distances(checked_ids(ids, len(self.vocabulary)), self.clip)


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
) -> Exponential:
    """The exponential mechanism, calibrated by exactly one of its two parameters.

    With ``epsilon`` the rate is epsilon / (2 diameter).

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
    return Exponential(vocabulary, 2 * rate, clip, promise, rows)


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
