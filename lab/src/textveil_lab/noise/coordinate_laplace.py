"""Independent Laplace noise on every coordinate."""

import math
from dataclasses import dataclass
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
    flip_signs,
    rounded_log,
)
from textveil_lab.noise.laplace_profile import LaplaceProfile, worst_laplace_log_delta
from textveil_lab.noise.unbounded import exponentials


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinateLaplace:
    """Laplace noise of density (2 scale)^-dim exp(-||z||_1 / scale) on R^dim.

    Source: Dwork, McSherry, Nissim and Smith 2006; proof: textveil_lab/proofs/coordinate_laplace.md.
    """

    norm: ClassVar[int] = 1
    dim: int  # number of coordinates, >= 1
    scale: float  # mean absolute value of one coordinate, in units of the vectors, finite and > 0

    def __post_init__(self) -> None:
        check_parameters(self.dim, scale=self.scale)

    @property
    def variance(self) -> float:
        """Variance of one coordinate: 2 scale^2."""
        return 2 * self.scale * self.scale

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return exponential magnitudes with random signs, made in float64; shape (count, dim).

        The tail is unbounded (``noise.unbounded``).
        """
        check_draw(count, dtype, scale=self.scale)
        source = resolve(rng)

        def draw(rows: int) -> Reals:
            noise = exponentials(rows * self.dim, source)
            flip_signs(noise, source)
            noise *= self.scale
            return noise

        return drawn(count, self.dim, dtype, draw)

    def log_density(self, z: ArrayLike) -> Reals:
        """Return ln of the density; shape (batch, dim) to (batch,)."""
        return self._at_norms(np.abs(as_points(z, self.dim)).sum(axis=1))

    def log_densities(self, points: ArrayLike, centers: ArrayLike) -> Reals:
        return self._at_norms(distances(points, centers, self.dim, "cityblock"))

    def _at_norms(self, norms: Reals) -> Reals:
        return -norms / self.scale - self.dim * (math.log(2) + math.log(self.scale))

    def privacy_profile(self, shift: ArrayLike) -> LaplaceProfile:
        return LaplaceProfile(shift=checked_shift(shift, self.dim), scale=self.scale)

    def worst_log_delta(self, epsilon: float, reach: float, widest: float) -> float:
        return worst_laplace_log_delta(self.scale, math.inf, epsilon, reach, widest)

    def log_tail(self, direction: Reals, distance: Reals) -> tuple[Reals, Reals] | None:
        """Return bounds on the tail along an axis; None for other directions. See ``capabilities.LineNoise``."""
        if np.count_nonzero(direction) > 1:
            return None
        return rounded_log(-math.log(2) - distance / self.scale)
