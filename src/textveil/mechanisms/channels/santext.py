"""SanText: the exponential mechanism on the distances of the vectors as they are."""

from __future__ import annotations

from typing import Annotated, Final

from textveil.mechanisms.channels.integer_channel import IntegerChannel
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import GUARANTEE, POSITIVE, Option
from textveil.mechanisms.parameters import Clip
from textveil.mechanisms.sampling.distance_weights import distance_weights
from textveil.privacy.guarantees import Status
from textveil.types import Progress
from textveil.vocabulary.vocabulary import Vocabulary

PROOF: Final = "privacy/proofs/santext.md"

PER_DISTANCE: Final = 3.0
"""Nats per unit of distance in the paper's experiments on GloVe vectors."""

PURE = Option(
    POSITIVE,
    "In place of epsilon_per_distance: privacy loss in nats of one token, for any two words that are compared.",
    "E",
    GUARANTEE,
)
PAPER = Option(
    POSITIVE, "Nats per unit of distance.", "E", GUARANTEE, unset=f"{PER_DISTANCE:g}, where epsilon is not given"
)


def asked(epsilon: float | None, epsilon_per_distance: float | None) -> tuple[float | None, float | None]:
    """The two parameters, with the paper's where none is given."""
    return epsilon, PER_DISTANCE if epsilon is None and epsilon_per_distance is None else epsilon_per_distance


@declared(
    family="channel",
    notion="pure or metric DP",
    status=Status.PROVED,
    proof=PROOF,
    source="Yue et al. 2021 (SanText)",
    summary="Weight exp(-rate d) on the distance to each word, with the paper's settings.",
)
def santext(
    vocabulary: Vocabulary,
    *,
    epsilon: Annotated[float, PURE] | None = None,
    epsilon_per_distance: Annotated[float, PAPER] | None = None,
    clip: Clip | None = None,
    progress: Progress | None = None,
) -> IntegerChannel:
    """P(y | x) proportional to exp(-epsilon_per_distance / 2 * ||v(x) - v(y)||), as in the paper.

    It is ``exponential`` without clipping, and its metric form is not refused where weights would be too small for
    integers: words so far away that their weight is below about 2^-30 of the largest share the least weight.
    Source: Yue et al., Findings of ACL 2021; proof: privacy/proofs/santext.md.

    With ``epsilon``, which the paper does not have, the rate is the steepest that the normalizers of all words allow.

    Raises:
        ParameterError: both of the first two, one out of its domain, or (for the metric form) words whose vectors
            coincide.
    """
    epsilon, per_distance = asked(epsilon, epsilon_per_distance)
    weights = distance_weights(
        vocabulary, epsilon=epsilon, epsilon_per_distance=per_distance, clip=clip, proof=PROOF, progress=progress
    )
    facts = {**weights.promise.numbers, "epsilon_per_distance": per_distance or 2 * weights.rate, "clip": clip}
    rows, distances = weights.rows(vocabulary), weights.distances(vocabulary)
    return IntegerChannel(vocabulary, "santext", facts, weights.promise, rows, distances)
