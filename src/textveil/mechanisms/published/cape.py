"""CAPE as published: one noise vector for the lifetime of a model, calibrated to a sensitivity of 1. For audits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.mechanisms.base import checked_vectors
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.published.dpnr import DimOfTwo
from textveil.mechanisms.vectors.options import VectorEpsilon, dim_of
from textveil.noise.coarse_profiles import ShownInput
from textveil.noise.coordinate_laplace import CoordinateLaplace
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_VECTOR
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/cape_published.md"

_SAME = 1e-9
"""Relative: numbers that differ by less are one number."""


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class ConstantOffset:
    """Vectors mapped to [0, 1] by the smallest and the largest number of their batch, plus one vector for all of them.

    Attributes:
        dim: numbers of a vector, >= 2.
        guarantee: the claim, refuted.
        offset: the noise, drawn once, when the mechanism was made.
    """

    dim: int
    guarantee: PureDP
    offset: Reals = field(repr=False)

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "cape-published"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        return {"epsilon": self.guarantee.epsilon, "vector_dim": self.dim}

    @property
    def released_dim(self) -> int:
        """As many numbers come out."""
        return self.dim

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        """See ``VectorMechanism``; nothing is drawn."""
        return self._scaled(vectors) + self.offset

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """See ``capabilities.WorstInputs``: two unit vectors."""
        first, second = np.eye(self.dim)[:2]
        return first, second

    def worst_profile(self) -> ShownInput:
        """See ``capabilities.WorstInputs``: whoever knows one released text knows the offset, and so all others."""
        return ShownInput(log_shown=0.0)

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        """See ``capabilities.LikelihoodRatio``, for somebody who knows one released text."""
        rest = released - self.offset
        off = [np.abs(rest - self._scaled(one[None])).max(axis=1) for one in (first, second)]
        same = _SAME * (1 + np.abs(self.offset).max())
        return np.where(off[0] <= same, np.where(off[1] <= same, 0.0, math.inf), -math.inf)

    def _scaled(self, vectors: ArrayLike) -> Reals:
        array = checked_vectors(vectors, self.dim)
        low, high = (float(array.min()), float(array.max())) if array.size else (0.0, 1.0)
        return (array - low) / (high - low if high > low else 1.0)


@declared(
    family="vectors",
    notion="pure DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    adjacency=ANY_VECTOR,
    source="Plant, Gkatzia and Giuffrida 2021 (EMNLP), and its public code",
    summary="One Laplace vector for all texts of a model: differences of texts are released as they are.",
    instead="cape",
)
def cape_published(
    vocabulary: Vocabulary, *, epsilon: VectorEpsilon, vector_dim: Annotated[int, DimOfTwo] | None = None
) -> ConstantOffset:
    """The published form: vectors to [0, 1] by their batch, plus Laplace numbers of scale 1 / epsilon drawn once.

    Use ``cape`` for a guarantee that holds. Source: Plant, Gkatzia and Giuffrida 2021, and its public code
    (NapierNLP/CAPE, models.py); refutation: privacy/proofs/cape_published.md.

    Args:
        vocabulary: gives the dimension where none is given.
        epsilon: the claimed nats, finite and > 0.
        vector_dim: numbers of a vector, >= 2; None is that of the vocabulary's vectors.
    """
    dim = max(2, dim_of(vocabulary, vector_dim))
    claim = PureDP(epsilon=epsilon, status=Status.REFUTED, source=REFUTATION, adjacency=ANY_VECTOR)
    offset: Reals = CoordinateLaplace(dim=dim, scale=1 / epsilon).sample(1, None, np.float64)[0]
    offset.flags.writeable = False
    return ConstantOffset(dim=dim, guarantee=claim, offset=offset)
