"""Text to vectors: releases the noisy vector of each token. Metric DP."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.privacy.guarantees import MetricDP
from textveil.privacy.units import ONE_TOKEN
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import (
    Clip,
    EpsilonPerDistance,
    VectorDim,
    checked_vectors,
    dim_of,
    given,
    metric_name,
    one_of,
    outward,
    proved_metric,
    rate_within,
)
from textveil_lab.noise.integer_noise import Postprocessed
from textveil_lab.noise.spherical_laplace import SphericalLaplace

PROOF = "textveil_lab/proofs/text_to_vectors.md"
STEPS: Final = 1 << 20  # steps of the public grid in a unit of length: a released number is a whole number of them


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class NoisyTokenVectors:
    """Release a token's vector, clipped to a norm, plus spherical Laplace noise, rounded to a public grid."""

    name: ClassVar[str] = "text-to-vectors"
    clip: float  # the norm
    noise: SphericalLaplace  # of density proportional to exp(-rate ||z||_2)
    guarantee: MetricDP
    parameters: Mapping[str, Any]

    @property
    def dim(self) -> int:
        return self.noise.dim

    @property
    def released_dim(self) -> int:
        return self.noise.dim

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        """Return one noisy row for each token; see ``VectorMechanism``."""
        noisy = self._clipped(vectors)
        noisy += self.noise.sample(len(noisy), rng, np.float64)
        return np.rint(noisy * STEPS) / STEPS

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return opposite vectors of the clipping norm; see ``capabilities.WorstInputs``."""
        ends = np.zeros((2, self.dim))
        ends[:, 0] = self.clip, -self.clip
        return ends[0], ends[1]

    def worst_profile(self) -> Postprocessed:
        first, second = self.worst_inputs()
        return Postprocessed(self.noise.privacy_profile(first - second))

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        """Return the log-likelihood ratio, up to the width of the grid; see ``capabilities.LikelihoodRatio``."""
        here, there = (self.noise.log_density(released - self._clipped(vector[None])) for vector in (first, second))
        return here - there

    def _clipped(self, vectors: ArrayLike) -> Reals:
        array = checked_vectors(vectors, self.dim)
        largest = np.abs(array).max(axis=1, keepdims=True, initial=0.0)
        unit = np.where(largest > 0, largest, 1.0)  # so that no square overflows
        norms = unit * np.linalg.norm(array / unit, axis=1, keepdims=True)
        return array * (self.clip / np.maximum(norms, self.clip))


@proved(
    family="vectors",
    notion="metric DP",
    proof=PROOF,
    adjacency=ONE_TOKEN,
    source="Qu et al. 2021 (CIKM), token representations; noise: Feyisetan et al. 2020, section 2.6",
    summary="Noise of density exp(-rate ||z||) on the vector of each token, which is released as it is.",
)
def text_to_vectors(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    clip: Clip = 1.0,
    vector_dim: VectorDim | None = None,
) -> NoisyTokenVectors:
    """Clip(v) + spherical Laplace noise, calibrated by exactly one of its two parameters.

    The guarantee compares any two vectors of norm at most ``clip``: the diameter is 2 clip, whatever the words. A
    vector must be a function of its own token alone: a contextual vector from a network tells of the whole text.

    With ``epsilon`` the rate is epsilon / (2 clip); ``epsilon_per_distance`` is the rate itself, eta in the paper.
    Without ``vector_dim`` the dimension is the vocabulary's.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    diameter = outward(2 * clip)
    rate = value if name == "epsilon_per_distance" else rate_within(value, diameter)
    dim = dim_of(vocabulary, vector_dim)
    return NoisyTokenVectors(
        clip=clip,
        noise=SphericalLaplace(dim=dim, rate=rate),
        guarantee=proved_metric(rate, metric_name("euclidean", clip), diameter, PROOF),
        parameters={
            "epsilon": rate * diameter,
            "rate": rate,
            "clip": clip,
            "vector_dim": dim,
            **given(epsilon_per_distance=epsilon_per_distance),
        },
    )
