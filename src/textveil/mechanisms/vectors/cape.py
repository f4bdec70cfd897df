"""CAPE with fresh noise of the sensitivity that its vectors have."""

from __future__ import annotations

from textveil.mechanisms.declaration import declared
from textveil.mechanisms.vectors.noisy_cube import PROOF, Cube, NoisyCube, noisy_cube
from textveil.mechanisms.vectors.options import Highest, Lowest, VectorDelta, VectorDim, VectorEpsilon, dim_of
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ANY_VECTOR
from textveil.vocabulary.vocabulary import Vocabulary


@declared(
    family="vectors",
    notion="pure or approximate DP",
    status=Status.PROVED,
    proof=PROOF,
    adjacency=ANY_VECTOR,
    source=f"Plant, Gkatzia and Giuffrida 2021 (EMNLP); sensitivity: {PROOF}",
    summary="The mean vector of a text on [0, 1], with fresh noise of scale k / epsilon on each of its k numbers.",
)
def cape(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    delta: VectorDelta | None = None,
    vector_dim: VectorDim | None = None,
    lowest: Lowest = -1.0,
    highest: Highest = 1.0,
) -> NoisyCube:
    """The vector on [0, 1]^k plus fresh noise on every number.

    The paper maps vectors to [0, 1] by the smallest and the largest number of a batch, which tells of other texts;
    here the two ends are public. What it learns against an adversary that guesses an attribute is trained on what is
    released: it adds nothing to the guarantee and takes nothing from it.
    Source: Plant, Gkatzia and Giuffrida 2021; proof: privacy/proofs/noisy_vectors.md.

    The vocabulary gives the dimension where ``vector_dim`` does not.
    """
    cube = Cube(dim=dim_of(vocabulary, vector_dim), lowest=lowest, highest=highest)
    return noisy_cube("cape", cube, epsilon, delta)
