"""DPNR as published: one noisy number for all of a vector, calibrated to a sensitivity of 1. For audits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.mechanisms.base import checked_vectors
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import Option, at_least
from textveil.mechanisms.vectors.options import REPRESENTATIONS, VectorEpsilon
from textveil.noise.coarse_profiles import ShownInput
from textveil.noise.coordinate_laplace import CoordinateLaplace
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_VECTOR
from textveil.types import Flags, Reals
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/dpnr_published.md"

DimOfTwo = Option(
    domain=at_least(2),
    help="Numbers of a vector, two at least.",
    metavar="K",
    group=REPRESENTATIONS,
    unset="that of the vocabulary's vectors",
)
"""Of published forms that map a vector by its own smallest and largest number."""

_SAME = 1e-9
"""Relative: numbers that differ by less are one number."""


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class OneNoise:
    """A vector mapped to [0, 1] by its own smallest and largest number, plus one Laplace number on all of it.

    Attributes:
        dim: numbers of a vector, >= 2.
        noise: Laplace, in one dimension, of scale 1 / epsilon.
        guarantee: the claim, refuted.
    """

    dim: int
    noise: CoordinateLaplace
    guarantee: PureDP

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "dpnr-published"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        return {"epsilon": self.guarantee.epsilon, "vector_dim": self.dim, "scale": self.noise.scale}

    @property
    def released_dim(self) -> int:
        """As many numbers come out."""
        return self.dim

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        """See ``VectorMechanism``."""
        inside = self._scaled(vectors)
        return inside + self.noise.sample(len(inside), rng, np.float64)

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """See ``capabilities.WorstInputs``: two unit vectors."""
        first, second = np.eye(self.dim)[:2]
        return first, second

    def worst_profile(self) -> ShownInput:
        """See ``capabilities.WorstInputs``: differences of released numbers are those of the vector, surely."""
        return ShownInput(log_shown=0.0)

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        """See ``capabilities.LikelihoodRatio``."""
        here, there = (self._on_line(released - self._scaled(one[None])) for one in (first, second))
        return np.where(here & ~there, math.inf, np.where(there & ~here, -math.inf, 0.0))

    def _scaled(self, vectors: ArrayLike) -> Reals:
        array = checked_vectors(vectors, self.dim)
        low, high = array.min(axis=1, keepdims=True), array.max(axis=1, keepdims=True)
        wide = np.where(high > low, high - low, 1.0)
        return (array - low) / wide

    def _on_line(self, rest: Reals) -> Flags:
        """Where all numbers of a row are one number."""
        return np.ptp(rest, axis=1) <= _SAME * (1 + np.abs(rest).max(axis=1))


@declared(
    family="vectors",
    notion="pure DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    adjacency=ANY_VECTOR,
    source="Lyu, He and Li 2020 (Findings of EMNLP), and its public code",
    summary="One Laplace number on all of a vector: differences of its numbers are released as they are.",
    instead="dpnr",
)
def dpnr_published(
    vocabulary: Vocabulary, *, epsilon: VectorEpsilon, vector_dim: Annotated[int, DimOfTwo] | None = None
) -> OneNoise:
    """The published form: each vector to [0, 1] by its own ends, plus one Laplace number of scale 1 / epsilon.

    Use ``dpnr`` for a guarantee that holds. Source: Lyu, He and Li 2020, and its public code (xlhex/dpnlp,
    model.py); refutation: privacy/proofs/dpnr_published.md.

    Args:
        vocabulary: gives the dimension where none is given.
        epsilon: the claimed nats, finite and > 0.
        vector_dim: numbers of a vector, >= 2; None is that of the vocabulary's vectors.
    """
    dim = max(2, vocabulary.dim) if vector_dim is None else vector_dim
    claim = PureDP(epsilon=epsilon, status=Status.REFUTED, source=REFUTATION, adjacency=ANY_VECTOR)
    return OneNoise(dim=dim, noise=CoordinateLaplace(dim=1, scale=1 / epsilon), guarantee=claim)
