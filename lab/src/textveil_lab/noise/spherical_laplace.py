"""Spherical (multidimensional) Laplace noise: the density falls with the Euclidean norm."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from textveil.randomness import resolve
from textveil.types import Reals
from textveil_lab.noise.distribution import (
    Draws,
    Precision,
    as_points,
    check_draw,
    check_parameters,
    checked_shift,
    distances,
    drawn,
    l2_times,
    rounded_log,
)
from textveil_lab.noise.spherical_profile import SphericalProfile, log_tail_of_product
from textveil_lab.noise.unbounded import gammas, normals

_TAILS = 512  # tails of the product with a direction that are computed at once, some milliseconds each


@dataclass(frozen=True, slots=True, kw_only=True)
class SphericalLaplace:
    """Noise of density rate^dim Gamma(dim/2) / (2 pi^(dim/2) Gamma(dim)) exp(-rate ||z||_2) on R^dim.

    The norm has distribution Gamma(dim, 1/rate), the direction is uniform on the sphere, and the two are independent.
    Coordinates are uncorrelated but not independent.

    Source: Feyisetan, Balle, Drake and Diethe 2020, section 2.6; proof: textveil_lab/proofs/spherical_laplace.md.
    """

    norm: ClassVar[int] = 2
    dim: int  # number of coordinates, >= 1
    rate: float  # nats per unit of Euclidean distance, finite and > 0

    def __post_init__(self) -> None:
        check_parameters(self.dim, rate=self.rate)

    @property
    def variance(self) -> float:
        """Variance of one coordinate: (dim + 1) / rate^2."""
        return (self.dim + 1) / self.rate / self.rate

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return gamma norms times uniform directions, made in float64; shape (count, dim).

        A direction is a vector of independent normals divided by its norm. The norms are unbounded
        (``noise.unbounded``).
        """
        check_draw(count, dtype, rate=self.rate)
        source = resolve(rng)

        def draw(rows: int) -> Reals:
            noise = normals(rows * self.dim, source).reshape(rows, self.dim)
            squares = np.einsum("ij,ij->i", noise, noise)
            while not squares.all():  # a row of zeros has no direction; it may turn up in one dimension
                zeros = np.flatnonzero(squares == 0)
                noise[zeros] = normals(len(zeros) * self.dim, source).reshape(-1, self.dim)
                squares[zeros] = np.square(noise[zeros]).sum(axis=1)
            noise *= (gammas(self.dim, rows, source) / self.rate / np.sqrt(squares))[:, None]
            return noise

        return drawn(count, self.dim, dtype, draw)

    def log_density(self, z: ArrayLike) -> Reals:
        """Return ln of the density; shape (batch, dim) to (batch,)."""
        points = as_points(z, self.dim)
        largest = np.abs(points).max(axis=1)
        unit = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)  # so that no square overflows
        return self._at_norms(unit * np.linalg.norm(points / unit[:, None], axis=1))

    def log_densities(self, points: ArrayLike, centers: ArrayLike) -> Reals:
        return self._at_norms(distances(points, centers, self.dim, "euclidean"))

    def _at_norms(self, norms: Reals) -> Reals:
        half = self.dim / 2
        log_peak = self.dim * math.log(self.rate) + math.lgamma(half) - math.lgamma(self.dim)
        return log_peak - math.log(2) - half * math.log(math.pi) - self.rate * norms

    def privacy_profile(self, shift: ArrayLike) -> SphericalProfile:
        return SphericalProfile(dim=self.dim, largest_loss=l2_times(checked_shift(shift, self.dim), self.rate))

    def worst_log_delta(self, epsilon: float, reach: float, widest: float) -> float:
        if Fraction(self.rate) * Fraction(reach) <= Fraction(epsilon):
            return -math.inf
        return SphericalProfile(dim=self.dim, largest_loss=self.rate * reach * (1 + 2.0**-52)).log_delta(epsilon).upper

    def log_tail(self, direction: Reals, distance: Reals) -> tuple[Reals, Reals] | None:
        """Return the tail along any unit vector, which is variance-gamma; see ``capabilities.LineNoise``."""
        if self.dim == 1:
            return rounded_log(-math.log(2) - self.rate * distance)
        if np.unique(distance).size > _TAILS:
            return None
        return log_tail_of_product(self.dim, self.rate * distance)
