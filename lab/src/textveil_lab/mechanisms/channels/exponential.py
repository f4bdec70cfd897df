"""Exponential mechanism on distances (SanText), with integer weights."""

import math
from functools import partial

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.types import Ids, Progress, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import Clip, EpsilonPerDistance, metric_name, one_of, outward, proved_metric
from textveil_lab.mechanisms.sampling.distance_weights import DistanceWeights, distance_weights, rate_with_room
from textveil_lab.vocabulary.geometry import clipped_diameter
from textveil_lab.vocabulary.grid_distances import distances_on

PROOF = "textveil_lab/proofs/exponential.md"


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PROOF,
    source="McSherry and Talwar 2007, section 3; Yue et al. 2021 (SanText), section 4",
    summary="Weight exp(-rate d) on the distance to each word.",
)
def exponential(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    clip: Clip | None = 1.0,
    progress: Progress | None = None,
) -> IntegerChannel:
    """P(y | x) proportional to exp(-rate * ||v(x) - v(y)||) over all words y.

    Exactly one of the two parameters must be given. With ``epsilon`` the rate is the steepest that the normalizers of
    all words allow, between epsilon / (2 diameter) and twice that; with ``epsilon_per_distance`` it is half of it.

    Raises:
        ParameterError: neither or both parameters, one out of its domain, or (for the metric form) words whose vectors
            coincide, or weights too small for integers.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    if name == "epsilon":
        weights = distance_weights(
            vocabulary, epsilon=epsilon, epsilon_per_distance=None, clip=clip, proof=PROOF, progress=progress
        )
    else:
        weights = _by_distance(vocabulary, value, clip)
    facts = {**weights.promise.numbers, "epsilon_per_distance": 2 * weights.rate, "clip": clip}
    rows, distances = weights.rows(vocabulary), partial(_distances, vocabulary, clip)
    return IntegerChannel(vocabulary, "exponential", facts, weights.promise, rows, distances)


def _by_distance(vocabulary: Vocabulary, epsilon_per_distance: float, clip: float | None) -> DistanceWeights:
    diameter = outward(clipped_diameter(vocabulary, clip, 2))
    need(diameter > 0, "vocabulary", "one vector for all words", "one with two different vectors at least")
    top = 1 << (61 - math.ceil(math.log2(len(vocabulary))))
    promise = proved_metric(epsilon_per_distance, metric_name("euclidean", clip), diameter, PROOF)
    smallest = top * math.exp(-epsilon_per_distance / 2 * diameter)
    most = f"at most {2 * (math.log(top) - 20 * math.log(2)) / diameter:.4g}, which keeps integer weights above 2^20"
    need(smallest >= 2**20, "epsilon_per_distance", epsilon_per_distance, most)
    rate = rate_with_room(vocabulary, epsilon_per_distance, smallest, clip)  # room for rounding: proof, section 2
    return DistanceWeights(rate=rate, top=top, floor=1, clip=clip, promise=promise)


def _distances(vocabulary: Vocabulary, clip: float | None, ids: Ids) -> Reals:
    return distances_on(integer_grid(vocabulary), ids, clip)
