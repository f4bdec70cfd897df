"""Truncated exponential mechanism (TEM): weights fall with the distance up to a truncation distance."""

import math
from typing import Annotated, Final

from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.registry.options import FRACTION, NEIGHBORHOODS, POSITIVE, Option
from textveil.types import Progress
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import Clip, EpsilonPerDistance, given
from textveil_lab.mechanisms.sampling.distance_weights import distance_weights

PROOF: Final = "textveil_lab/proofs/tem.md"
SOURCE: Final = "Carvalho, Vasiloudis, Feyisetan and Wang 2023 (TEM), algorithm 1"

_TRUNCATION = Option(
    POSITIVE, "Distance beyond which all words weigh alike.", "D", NEIGHBORHOODS, unset="that of the paper for beta"
)
BETA: Final = Option(
    FRACTION,
    "At most about this probability of a word beyond the truncation distance, which is chosen for it.",
    "B",
    NEIGHBORHOODS,
)


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PROOF,
    source=SOURCE,
    summary="Weight exp(-rate d) as far as a truncation distance, beyond which all words weigh alike.",
)
def tem(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    truncation: Annotated[float, _TRUNCATION] | None = None,
    beta: Annotated[float, BETA] = 0.001,
    clip: Clip | None = 1.0,
    progress: Progress | None = None,
) -> IntegerChannel:
    """P(y | x) proportional to exp(-epsilon_per_distance / 2 * min(d(x, y), gamma)): exactly the paper's mechanism.

    The paper draws among the words within gamma and one more element that stands for all others, with the score
    -gamma + 2 ln(others) / epsilon, and then one of the others at random: each of them has weight
    exp(-epsilon gamma / 2). min(d, gamma) is a metric, and the guarantee is stated for it.

    With ``epsilon`` the rate is the steepest that the normalizers of all words allow; with ``beta`` no more than
    2 ln((1 - beta) (n - 1) / beta) is spent. ``truncation`` is gamma of the paper, whose own is
    2 ln((1 - beta) (n - 1) / beta) / epsilon_per_distance; with it ``beta`` is not used.

    Raises:
        ParameterError: neither or both of the first two, one out of its domain, or (for the metric form) words whose
            vectors coincide.
    """
    others = max(2, len(vocabulary)) - 1
    weights = distance_weights(
        vocabulary,
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        clip=clip,
        proof=PROOF,
        reach=math.inf if truncation is None else truncation,
        most=math.inf if truncation is not None else most_spent(beta, others),
        progress=progress,
    )
    facts = {
        **given(epsilon=epsilon, truncation=truncation),
        "epsilon_per_distance": epsilon_per_distance or 2 * weights.rate,
        "reach": weights.reach,
        "beta": beta,
        "clip": clip,
    }
    rows, distances = weights.rows(vocabulary), weights.distances(vocabulary)
    return IntegerChannel(vocabulary, "tem", facts, weights.promise, rows, distances)


def most_spent(beta: float, others: int) -> float:
    """Return the paper's epsilon gamma, 2 ln((1 - beta) others / beta); nearly 0 if that is not positive."""
    return max(2 * math.log((1 - beta) * others / beta), 2.0**-20)
