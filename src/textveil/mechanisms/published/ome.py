"""OME as published: bits at even and odd places drawn by odds of their own. For audits."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import POSITIVE, Option
from textveil.mechanisms.vectors.bits import TOTAL, BitOdds, FixedPoint, FractionBits, IntegerBits, NoisyBits, facts
from textveil.mechanisms.vectors.options import REPRESENTATIONS, VectorDim, VectorEpsilon, dim_of
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_VECTOR
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/ome_published.md"

_FACTOR = Option(
    domain=POSITIVE,
    help="Randomization factor, lambda in the paper.",
    metavar="L",
    group=REPRESENTATIONS,
)


@declared(
    family="vectors",
    notion="pure DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    adjacency=ANY_VECTOR,
    source="Lyu et al. 2020 (SIGIR), optimized multiple encoding, as public code has it",
    summary="Bits at even places stay with probability lambda / (1 + lambda); its claim is false for lambda above 1.",
    instead="unary-encoding",
)
def ome_published(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    vector_dim: VectorDim | None = None,
    integer_bits: IntegerBits = 5,
    fraction_bits: FractionBits = 4,
    randomization: Annotated[float, _FACTOR] = 100.0,
) -> NoisyBits:
    """P(1 | 1) = L / (1 + L) at even places and 1 / (1 + L^3) at odd ones, P(1 | 0) = 1 / (1 + L e^(epsilon / b)).

    Use ``unary-encoding`` for a guarantee that holds. The status is computed: ``PROVED`` where the exact loss of all b
    bits is within the claim (as at L = 1), else ``REFUTED``. Source: Lyu, Li, He and Xiao 2020; the formula is that of
    two public codes, the paper's text was not at hand; refutation: privacy/proofs/ome_published.md.

    Args:
        vocabulary: gives the dimension where none is given.
        epsilon: the claimed nats, finite and > 0.
        vector_dim: numbers of a vector; None is that of the vocabulary's vectors.
        integer_bits: of each number, before the point.
        fraction_bits: of each number, after the point.
        randomization: L, finite and > 0.
    """
    encoding = FixedPoint(dim=dim_of(vocabulary, vector_dim), integer_bits=integer_bits, fraction_bits=fraction_bits)
    factor, nats = math.log(randomization), epsilon / encoding.size
    zeros = _parts(-factor - nats)
    claim = PureDP(epsilon=epsilon, status=Status.REFUTED, source=REFUTATION, adjacency=ANY_VECTOR)
    made = NoisyBits(
        name="ome-published",
        encoding=encoding,
        even=BitOdds(ones=_parts(factor), zeros=zeros),
        odd=BitOdds(ones=_parts(-3 * factor), zeros=zeros),
        guarantee=claim,
        parameters={},
    )
    loss = made.worst_profile().largest_loss
    status = Status.PROVED if loss <= epsilon else Status.REFUTED
    stated = facts(encoding, epsilon, randomization=randomization, true_epsilon=loss)
    return replace(made, guarantee=replace(claim, status=status), parameters=stated)


def _parts(log_odds: float) -> int:
    """1 / (1 + e^-log_odds) in parts of 2^53, never none and never all."""
    if log_odds >= 0:
        return TOTAL - _parts(-log_odds) if log_odds > 0 else TOTAL // 2
    odds = math.exp(max(log_odds, -700.0))
    return max(1, round(TOTAL * (odds / (1 + odds))))
