"""DPNR with the sensitivity that its vectors have: word dropout, vectors on [0, 1], noise on every number."""

from __future__ import annotations

import math
from typing import Annotated

from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import Option, interval
from textveil.mechanisms.parameters import (
    REPRESENTATIONS,
    Highest,
    Lowest,
    VectorDelta,
    VectorDim,
    VectorEpsilon,
    dim_of,
)
from textveil.mechanisms.vectors.noisy_cube import PROOF, Cube, NoisyCube, noisy_cube
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ANY_VECTOR
from textveil.vocabulary.vocabulary import Vocabulary

_DROPOUT = Option(
    interval("in [0, 1)", 0, 1, without=(1,)),
    "Probability with which each word was dropped before the vector was computed, mu in the paper.",
    "MU",
    REPRESENTATIONS,
)


@declared(
    family="vectors",
    notion="pure or approximate DP",
    status=Status.PROVED,
    proof=PROOF,
    adjacency=ANY_VECTOR,
    source=f"Lyu, He and Li 2020 (Findings of EMNLP); sensitivity: {PROOF}",
    summary="A vector on [0, 1] with Laplace noise of scale k / epsilon, or Gaussian noise, on each of its k numbers.",
)
def dpnr(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    delta: VectorDelta | None = None,
    vector_dim: VectorDim | None = None,
    lowest: Lowest = -1.0,
    highest: Highest = 1.0,
    dropout: Annotated[float, _DROPOUT] = 0.0,
) -> NoisyCube:
    """The vector on [0, 1]^k plus noise: the L1 sensitivity is k and the L2 sensitivity sqrt(k), where the paper has 1.

    The paper maps each vector to [0, 1] by its own smallest and largest number; here the two ends are public.
    With word dropout (``text_vectors.mean_word_vectors`` does it) two texts that differ in one word, and whose words
    are dropped with probability mu each, cost ``epsilon_of_one_word`` = ln((1 - mu) e^epsilon + mu), as in the paper;
    it stands in ``parameters``. Any two texts cost epsilon.
    Source: Lyu, He and Li 2020; proof: privacy/proofs/noisy_vectors.md.

    The vocabulary gives the dimension where ``vector_dim`` does not.
    """
    cube = Cube(dim=dim_of(vocabulary, vector_dim), lowest=lowest, highest=highest)
    more = (
        {"dropout": dropout, "epsilon_of_one_word": _one_word(epsilon, dropout)}
        if delta is None
        else {"dropout": dropout}
    )
    return noisy_cube("dpnr", cube, epsilon, delta, **more)


def _one_word(epsilon: float, dropout: float) -> float:
    """ln((1 - mu) e^epsilon + mu), rounded up."""
    if dropout == 0:
        return epsilon
    exact = epsilon + math.log1p(-dropout) + math.log1p(dropout / (1 - dropout) * math.exp(-epsilon))
    return min(epsilon, exact + 2.0**-48 * (1 + epsilon))
