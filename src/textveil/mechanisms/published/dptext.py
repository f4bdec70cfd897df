"""DPText as published: a reparametrized Laplace draw that is never negative. For audits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.mechanisms.declaration import declared
from textveil.mechanisms.vectors.noisy_cube import Cube
from textveil.mechanisms.vectors.options import Highest, Lowest, VectorDim, VectorEpsilon, dim_of
from textveil.noise.coarse_profiles import ShownInput
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_VECTOR
from textveil.randomness import resolve
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/dptext_published.md"


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class OneSided:
    """A vector on [0, 1]^k plus noise: -scale ln(1 - 2 u) in each number, u uniform on (0, 1), and 0 where u > 1/2.

    Attributes:
        cube: what vectors are mapped to [0, 1].
        scale: k / epsilon.
        guarantee: the claim, refuted.
    """

    cube: Cube
    scale: float
    guarantee: PureDP

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "dptext-published"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        cube = self.cube
        ends = {"vector_dim": cube.dim, "lowest": cube.lowest, "highest": cube.highest}
        return {"epsilon": self.guarantee.epsilon, "scale": self.scale, **ends}

    @property
    def dim(self) -> int:
        """Numbers of a vector that goes in."""
        return self.cube.dim

    @property
    def released_dim(self) -> int:
        """As many come out."""
        return self.cube.dim

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        """See ``VectorMechanism``."""
        inside = self.cube.scaled(vectors)
        uniform = resolve(rng).random(inside.shape)
        drawn = -np.log1p(
            -2 * np.where(uniform < 0.5, uniform, 0.0)
        )  # what is no number there becomes 0, as in the code
        return inside + self.scale * drawn

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """See ``capabilities.WorstInputs``: a corner below which the other's releases never lie."""
        return self.cube.corners()

    def worst_profile(self) -> ShownInput:
        """See ``capabilities.WorstInputs``: the probability that some number stays below 1."""
        return ShownInput(log_shown=math.log1p(-math.exp(-self.dim * math.log(2) - self.dim / self.scale)))

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        """See ``capabilities.LikelihoodRatio``."""
        rests = [released - self.cube.scaled(one[None]) for one in (first, second)]
        possible = [(rest >= 0).all(axis=1) for rest in rests]
        kept = [(rest == 0).sum(axis=1) for rest in rests]
        density = (rests[1] - rests[0]).sum(axis=1) / self.scale
        inside = np.where(kept[0] > kept[1], math.inf, np.where(kept[0] < kept[1], -math.inf, density))
        either = np.where(possible[0], math.inf, np.where(possible[1], -math.inf, 0.0))
        return np.where(possible[0] & possible[1], inside, either)


@declared(
    family="vectors",
    notion="pure DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    adjacency=ANY_VECTOR,
    source="Beigi et al. 2019; refuted by Habernal 2022 (ACL)",
    summary="Noise from a wrong inverse of Laplace's distribution: never negative, and 0 half of the time.",
    instead="dpnr",
)
def dptext_published(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    vector_dim: VectorDim | None = None,
    lowest: Lowest = -1.0,
    highest: Highest = 1.0,
) -> OneSided:
    """The published draw: the inverse of Laplace's distribution on (-1/2, 1/2), fed with a number uniform on (0, 1).

    Use ``dpnr`` for a guarantee that holds. Source: Beigi, Shu, Guo, Wang and Liu 2019, as Habernal 2022 and its public
    code have it; refutation: privacy/proofs/dptext_published.md.

    Args:
        vocabulary: gives the dimension where none is given.
        epsilon: the claimed nats, finite and > 0.
        vector_dim: k, numbers of a vector; None is that of the vocabulary's vectors.
        lowest: smaller numbers are raised to it; it becomes 0.
        highest: larger numbers are lowered to it; it becomes 1.
    """
    cube = Cube(dim=dim_of(vocabulary, vector_dim), lowest=lowest, highest=highest)
    claim = PureDP(epsilon=epsilon, status=Status.REFUTED, source=REFUTATION, adjacency=ANY_VECTOR)
    return OneSided(cube=cube, scale=cube.dim / epsilon, guarantee=claim)
