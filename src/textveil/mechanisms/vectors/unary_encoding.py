"""Unary encodings of a vector's bits: symmetric, and optimized, each with the loss that its bits have."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal, localcontext

from textveil.errors import need
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import VectorDim, VectorEpsilon, dim_of
from textveil.mechanisms.vectors.bits import (
    TOTAL,
    BitOdds,
    FixedPoint,
    FractionBits,
    IntegerBits,
    NoisyBits,
    facts,
    share,
)
from textveil.numerics.integer_weights import exp_minus_half_ceiling
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_VECTOR
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/unary_encoding.md"


@declared(
    family="vectors",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    adjacency=ANY_VECTOR,
    source="Wang et al. 2017 (USENIX Security); of vectors: Lyu et al. 2020 (SIGIR)",
    summary="Each bit of a vector in fixed point stays with odds e^(epsilon / bits).",
)
def unary_encoding(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    vector_dim: VectorDim | None = None,
    integer_bits: IntegerBits = 5,
    fraction_bits: FractionBits = 4,
) -> NoisyBits:
    """P(1 | 1) = P(0 | 0) = e^x / (1 + e^x) for each of the b bits of a vector, x = epsilon / b.

    Any two vectors may differ in every bit, so b bits cost b x. Source: Wang, Blocki, Li and Jha 2017
    (symmetric unary encoding); Lyu, Li, He and Xiao 2020; proof: privacy/proofs/unary_encoding.md.

    The vocabulary gives the dimension where ``vector_dim`` does not.
    """
    encoding = FixedPoint(dim=dim_of(vocabulary, vector_dim), integer_bits=integer_bits, fraction_bits=fraction_bits)
    flipped = _flip_parts(share(epsilon, encoding.size))
    return _noisy_bits("unary-encoding", encoding, epsilon, BitOdds(ones=TOTAL - flipped, zeros=flipped))


@declared(
    family="vectors",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    adjacency=ANY_VECTOR,
    source="Wang et al. 2017 (USENIX Security); of vectors: Lyu et al. 2020 (SIGIR)",
    summary="Each bit of a vector in fixed point: a 1 stays with probability 1/2, a 0 becomes 1 rarely.",
)
def optimized_unary_encoding(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    vector_dim: VectorDim | None = None,
    integer_bits: IntegerBits = 5,
    fraction_bits: FractionBits = 4,
) -> NoisyBits:
    """P(1 | 1) = 1/2 and P(1 | 0) = e^-x / 2 for each of the b bits of a vector, x = epsilon / b.

    The paper has P(1 | 0) = 1 / (1 + e^y). For one bit that is a loss of ln((1 + e^y) / 2) and no more, so y is taken
    where that loss is x: e^y = 2 e^x - 1. Source: Wang, Blocki, Li and Jha 2017; Lyu, Li, He and Xiao
    2020; proof: privacy/proofs/unary_encoding.md.

    The vocabulary gives the dimension where ``vector_dim`` does not.
    """
    encoding = FixedPoint(dim=dim_of(vocabulary, vector_dim), integer_bits=integer_bits, fraction_bits=fraction_bits)
    zeros = exp_minus_half_ceiling(2 * share(epsilon, encoding.size), TOTAL // 2)
    return _noisy_bits("optimized-unary-encoding", encoding, epsilon, BitOdds(ones=TOTAL // 2, zeros=zeros))


def _flip_parts(nats: float) -> int:
    """The least part b of 2^53 with (2^53 - b) / b <= e^nats, and at least 1."""
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(TOTAL) / (1 + Decimal(min(nats, 100.0)).exp())
        return max(1, int(exact.to_integral_value(rounding=ROUND_CEILING)))


def _noisy_bits(name: str, encoding: FixedPoint, epsilon: float, odds: BitOdds) -> NoisyBits:
    smallest = encoding.size * math.ldexp(1, -48)
    far = odds.ones > odds.zeros and epsilon >= smallest
    need(far, "epsilon", epsilon, f">= {smallest:.3g} for {encoding.size} bits", "Release fewer bits.")
    return NoisyBits(
        name=name,
        encoding=encoding,
        even=odds,
        odd=odds,
        guarantee=PureDP(epsilon=epsilon, status=Status.PROVED, source=PROOF, adjacency=ANY_VECTOR),
        parameters=facts(encoding, epsilon, one_stays=odds.ones / TOTAL, zero_becomes_one=odds.zeros / TOTAL),
    )
