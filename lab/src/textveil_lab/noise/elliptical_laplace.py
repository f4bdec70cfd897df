"""Elliptical Laplace noise: the density falls with a Mahalanobis norm."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need
from textveil.randomness import resolve
from textveil.types import Reals
from textveil_lab.noise.distribution import (
    Draws,
    Precision,
    as_points,
    check_draw,
    check_parameters,
    checked_shift,
    drawn,
    l2_times,
)
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.spherical_profile import SphericalProfile

_RESIDUAL = 2.0**-26
"""Largest error of the inverse of the root; lengths in own coordinates are known to this precision."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EllipticalLaplace:
    """Noise Z = S Y with Y spherical Laplace noise: density proportional to exp(-rate ||S^-1 z||_2) on R^dim.

    With M = S S^T the norm is sqrt(z^T M^-1 z). In its own coordinates S^-1 z the noise is spherical, so delta between
    two vectors grows with that norm of their difference and depends on nothing else.

    Source: Xu, Aggarwal, Feyisetan and Teissier 2020; proof: textveil_lab/proofs/mahalanobis.md.
    """

    norm: ClassVar[int] = 2  # See ``capabilities.ProfiledNoise``: L2 in own coordinates
    root: Reals = field(repr=False)  # S, float64, invertible and not nearly singular, shape (dim, dim)
    rate: float  # nats per unit of the norm, finite and > 0
    _inverse: Reals = field(init=False, repr=False)

    def __post_init__(self) -> None:
        root = np.array(self.root, dtype=np.float64)
        square = root.ndim == 2 and root.shape[0] == root.shape[1] >= 1 and bool(np.isfinite(root).all())
        need(square, "root", f"shape {root.shape}", "a finite matrix of shape (dim, dim)")
        check_parameters(len(root), rate=self.rate)
        try:
            inverse = np.linalg.inv(root)
        except np.linalg.LinAlgError:
            inverse = np.full_like(root, np.nan)
        with np.errstate(invalid="ignore", over="ignore"):
            residual = float(np.linalg.norm(inverse @ root - np.eye(len(root))))  # this side bounds lengths
        need(residual < _RESIDUAL, "root", "a nearly singular one", "invertible to 8 digits")
        for name, value in (("root", root), ("_inverse", inverse)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def dim(self) -> int:
        return len(self.root)

    @property
    def variance(self) -> float:
        """Variance of one coordinate, averaged over them: (dim + 1) tr(M) / (dim rate^2)."""
        return self.spherical.variance * float(np.square(self.root).sum()) / self.dim

    @property
    def spherical(self) -> SphericalLaplace:
        return SphericalLaplace(dim=self.dim, rate=self.rate)

    def coordinates(self, vectors: ArrayLike) -> Reals:
        """Return S^-1 v for each row v; see ``capabilities.OwnCoordinates``."""
        return as_points(vectors, self.dim) @ self._inverse.T

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return spherical draws times S in float64; shape (count, dim).

        The tail is unbounded (``noise.unbounded``).
        """
        check_draw(count, dtype, rate=self.rate)
        source = resolve(rng)
        return drawn(count, self.dim, dtype, lambda rows: self.spherical.sample(rows, source, np.float64) @ self.root.T)

    def log_density(self, z: ArrayLike) -> Reals:
        """Return ln of the density; shape (batch, dim) to (batch,)."""
        return self.spherical.log_density(self.coordinates(z)) - float(np.linalg.slogdet(self.root)[1])

    def log_densities(self, points: ArrayLike, centers: ArrayLike) -> Reals:
        own = self.spherical.log_densities(self.coordinates(points), self.coordinates(centers))
        return own - float(np.linalg.slogdet(self.root)[1])

    def privacy_profile(self, shift: ArrayLike) -> SphericalProfile:
        """Return the profile by the shift's own length, rounded up by less than 2^-24."""
        own = self.coordinates(checked_shift(shift, self.dim)[None])[0]
        return SphericalProfile(dim=self.dim, largest_loss=l2_times(own, self.rate) * (1 + 2 * _RESIDUAL))

    def worst_log_delta(self, epsilon: float, reach: float, widest: float) -> float:
        """Return the bound of ``capabilities.ProfiledNoise``; the reach is in own coordinates."""
        return self.spherical.worst_log_delta(epsilon, reach, widest)

    def log_tail(self, direction: Reals, distance: Reals) -> tuple[Reals, Reals] | None:
        """Return the tail of spherical noise along S^T u; see ``capabilities.LineNoise``."""
        along = self.root.T @ direction
        length = math.hypot(*along.tolist())
        return self.spherical.log_tail(along / length, distance / length)
