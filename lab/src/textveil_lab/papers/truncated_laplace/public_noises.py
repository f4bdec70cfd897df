"""Noises of the public code as objects: the noise of a batch, its size, and the delta of a single token.

``public_code`` says where each stands in the code.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import need
from textveil.randomness import resolve
from textveil.types import Reals, Vectors
from textveil_lab.noise.distribution import (
    Draws,
    Precision,
    ProfiledNoise,
    check_draw,
    check_parameters,
    checked_shift,
    drawn,
)
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace
from textveil_lab.noise.unbounded import gammas, normals


class PublicNoise(Protocol):
    """One noise of the public code; ``sample(1)`` is a batch's noise if ``one_vector_a_batch``."""

    @property
    def dim(self) -> int:
        """Number of coordinates of a token's vector."""

    @property
    def one_vector_a_batch(self) -> bool:
        """Whether the code adds the same vector to all tokens of a batch."""

    def size(self, tokens: int) -> float:
        """Return the root mean squared norm of one token's noise, in a batch of so many tokens."""

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return noise vectors, one a row, shape (count, dim); ``rng=None`` is the operating system's randomness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedNoise:
    """Noise of one of textveil's distributions, drawn once for a batch."""

    distribution: ProfiledNoise  # of that one vector
    one_vector_a_batch: bool = True

    @property
    def dim(self) -> int:
        return self.distribution.dim

    def size(self, tokens: int) -> float:
        """Return ``PublicNoise.size``; the tokens do not matter."""
        return math.sqrt(self.dim * self.distribution.variance)

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        return self.distribution.sample(count, rng, dtype)

    def delta(self, shift: ArrayLike, epsilon: float) -> float:
        """Return the smallest delta for two words ``shift`` apart, rounded up, in a batch of one token, the best case.

        Args:
            shift: difference of their vectors, which are not clipped, shape (dim,).
            epsilon: nats, finite and >= 0.
        """
        return min(1.0, math.exp(self.distribution.privacy_profile(shift).log_delta(epsilon).upper) * (1 + 2.0**-50))


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSidedTruncatedLaplace:
    """Independent coordinates of density exp(-x / scale) / normalizer on [0, bound]: no sign is ever negative."""

    dim: int  # number of coordinates, >= 1
    scale: float  # in units of the vectors, finite and > 0
    bound: float  # upper end of the support, same units, finite and > 0
    one_vector_a_batch: bool = True

    def __post_init__(self) -> None:
        check_parameters(self.dim, scale=self.scale, bound=self.bound)

    def size(self, tokens: int) -> float:
        """Return ``PublicNoise.size``: squares are those of the two-sided noise."""
        return math.sqrt(self.dim * self._two_sided.variance)

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return ``PublicNoise.sample``: magnitudes of the two-sided noise."""
        noise = self._two_sided.sample(count, rng, dtype)
        return np.abs(noise, out=noise)

    def delta(self, shift: ArrayLike, epsilon: float) -> float:
        """Return the smallest delta for two words ``shift`` apart, in a batch of one token, the best case.

        Where both densities are positive their log-ratio is one constant, -sum(shift) / scale. So delta is the mass
        that leaves the moved support, plus (1 - e^(epsilon - constant)) of the rest if the constant exceeds epsilon.
        The larger of the two directions is returned, to rounding.

        Args:
            shift: difference of their vectors, which are not clipped, shape (dim,).
            epsilon: nats, finite and >= 0.
        """
        moved = checked_shift(shift, self.dim)
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        return max(self._one_way(moved, epsilon), self._one_way(-moved, epsilon))

    def _one_way(self, shift: Reals, epsilon: float) -> float:
        width = np.minimum(np.abs(shift), self.bound)
        whole = -math.expm1(-self.bound / self.scale)
        # A coordinate leaves the other's support [shift, bound + shift] below it, or above it if shift < 0.
        below = -np.expm1(-width / self.scale) / whole
        above = np.exp((width - self.bound) / self.scale) * -np.expm1(-width / self.scale) / whole
        stays = np.prod(1.0 - np.where(shift > 0, below, above))
        loss = -float(shift.sum()) / self.scale
        return float(1.0 - stays * min(1.0, math.exp(min(0.0, epsilon - loss))))

    @property
    def _two_sided(self) -> TruncatedLaplace:
        return TruncatedLaplace(dim=self.dim, scale=self.scale, bound=self.bound)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BatchMahalanobis:
    """Noise l_t A v_t for the t-th token: l_t ~ Gamma(dim, 1/rate), A = weight S + (1 - weight) I.

    v_t are normal vectors; each *coordinate* is divided by its norm over the batch, so the noise shrinks as the batch
    grows. S is the second moment of the vectors; the code uses those of the private batch.

    Attributes:
        second_moment: S, float64, shape (dim, dim).
        rate: epsilon of the code.
        weight: lambda.
    """

    second_moment: Reals
    rate: float
    weight: float = 0.5  # the code calls it with this
    one_vector_a_batch: bool = False

    def __post_init__(self) -> None:
        shape = self.second_moment.shape
        need(len(shape) == 2 and shape[0] == shape[1], "second_moment", f"shape {shape}", "of shape (dim, dim)")
        check_parameters(self.dim, rate=self.rate)
        need(0 <= self.weight <= 1, "weight", self.weight, "between 0 and 1")

    @property
    def dim(self) -> int:
        return self.second_moment.shape[0]

    def size(self, tokens: int) -> float:
        need(tokens >= 1, "tokens", tokens, ">= 1")
        return math.sqrt(self.dim * (self.dim + 1) / tokens) / self.rate * float(np.linalg.norm(self._shape))

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return ``PublicNoise.sample``; the rows belong to one batch and depend on one another."""
        check_draw(count, dtype, rate=self.rate)
        source = resolve(rng)
        if count == 0:
            return np.empty((0, self.dim), dtype=dtype)
        directions = normals(count * self.dim, source).reshape(count, self.dim)
        directions /= np.linalg.norm(directions, axis=0)
        lengths = gammas(self.dim, count, source) / self.rate
        return ((directions @ self._shape.T) * lengths[:, None]).astype(dtype)

    @property
    def _shape(self) -> Reals:
        return self.weight * self.second_moment + (1 - self.weight) * np.eye(self.dim)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThereAndBack:
    """PTE of the code: x becomes P^T (P x + z), P of entries N(0, 1/m^2), ||z|| ~ Gamma(m, 1/rate) in m dimensions.

    P and z are drawn once for a batch. E[P^T P] = I / m, so the word's vector shrinks m-fold.
    """

    dim: int  # number of coordinates of a token
    rate: float  # epsilon / (1 + beta)
    projected: int  # m
    one_vector_a_batch: bool = True

    def __post_init__(self) -> None:
        check_parameters(self.dim, rate=self.rate)
        need(self.projected >= 1, "projected", self.projected, ">= 1")

    def size(self, tokens: int) -> float:
        """Return ``PublicNoise.size`` of the noise P^T z alone."""
        return math.sqrt(self.dim * (self.projected + 1) / self.projected) / self.rate

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return the noise P^T z alone, a new P for each row: given z, normal with standard deviation ||z|| / m."""
        check_draw(count, dtype, rate=self.rate)
        source = resolve(rng)

        def draw(rows: int) -> Reals:
            lengths = gammas(self.projected, rows, source) / (self.rate * self.projected)
            return normals(rows * self.dim, source).reshape(rows, self.dim) * lengths[:, None]

        return drawn(count, self.dim, dtype, draw)

    def perturb(self, vectors: Vectors, rng: np.random.Generator | None = None) -> Vectors:
        """Return P^T (P x + z) for each row x of a batch; shape (tokens, dim) to the same."""
        source = resolve(rng)
        m = self.projected
        projection = normals(m * self.dim, source).reshape(m, self.dim) / m
        noise = SphericalLaplace(dim=m, rate=self.rate).sample(1, source, np.float64)
        return ((vectors @ projection.T + noise) @ projection).astype(np.float32)


def second_moment(vectors: NDArray[np.floating]) -> Reals:
    """Return the mean of x x^T over the rows, not centered, shape (dim, dim): the code's "covariance"."""
    rows = vectors.astype(np.float64)
    return rows.T @ rows / len(rows)
