"""Laplace noise of hyperbolic space: the density falls with the hyperbolic distance, and is drawn exactly."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import betainc, betaincinv, betaln

from textveil.errors import need
from textveil.statistics import Bound, exactly
from textveil.types import Reals
from textveil_lab.noise.unbounded import exponentials, gammas, normals

_CELLS, _TAIL = 500, 40  # cells of equal mass in either direction, and those that part the first and the last of them
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperbolicLaplace:
    """Random point z around a point x of hyperbolic space, density proportional to exp(-rate d(x, z)).

    The distance r has density proportional to sinh(r)^(dim - 1) exp(-rate r), which has a finite integral only if rate
    > dim - 1; then exp(-2 r) has the distribution Beta((rate - dim + 1) / 2, dim). The direction is uniform.

    Source: Feyisetan, Diethe and Drake 2019 (the density); proof of the sampler:
    textveil_lab/proofs/hyperbolic_laplace.md.
    """

    dim: int  # of the space, >= 2
    rate: float  # nats per unit of distance, above dim - 1

    def __post_init__(self) -> None:
        need(self.dim >= 2, "dim", self.dim, ">= 2")
        wanted = f"finite and above {self.dim - 1}, the dimension less 1: else the density has no integral"
        need(self.dim - 1 < self.rate < math.inf, "rate", self.rate, wanted)

    @property
    def shape(self) -> float:
        """First parameter of the beta distribution of exp(-2 r)."""
        return (self.rate - self.dim + 1) / 2

    def radii(self, count: int, generator: np.random.Generator) -> Reals:
        """Return distances r; shape (count,).

        A beta variable is one of two gamma variables over their sum, here in logarithms.
        """
        small = np.log(gammas(self.shape + 1, count, generator)) - exponentials(count, generator) / self.shape
        large = np.log(gammas(self.dim, count, generator))
        return np.logaddexp(0.0, large - small) / 2

    def sample(self, points: Reals, generator: np.random.Generator) -> Reals:
        """Return a noisy point for each point of the hyperboloid, up to a positive factor; shapes (batch, dim + 1).

        Around the origin it is (cosh r, sinh r u), u a uniform direction; the boost that moves the origin to the point
        moves it too. The factor exp(-r) avoids overflow and changes no nearest word.
        """
        directions = normals(points.shape[0] * self.dim, generator).reshape(-1, self.dim)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        shrunk = np.exp(-2 * self.radii(len(points), generator))
        time, space = (1 + shrunk) / 2, directions * ((1 - shrunk) / 2)[:, None]
        along = np.einsum("nd,nd->n", points[:, 1:], space)
        moved = space + points[:, 1:] * (along / (1 + points[:, 0]) + time)[:, None]
        return np.concatenate([(points[:, 0] * time + along)[:, None], moved], axis=1)

    def log_density(self, distance: Reals) -> Reals:
        """Return ln of the density at points at this distance from x, with respect to hyperbolic volume; any shape."""
        log_surface = math.log(2) + self.dim / 2 * math.log(math.pi) - math.lgamma(self.dim / 2)
        log_radial = -self.dim * math.log(2) + float(betaln(self.shape, self.dim))
        return -self.rate * distance - log_surface - log_radial


@dataclass(frozen=True, kw_only=True)
class HyperbolicProfile:
    """Privacy profile of the noise around two points; see ``noise.capabilities.PrivacyProfile``.

    The loss at a point at distance r from x, at the angle a from the direction to x', is rate (d' - r), d' its distance
    from x'. It falls with r and grows with a, so sums over cells of (r, a), at their corners, bound delta.
    """

    log_outside: ClassVar[Bound] = exactly(-math.inf)  # No mass leaves the support, which is the whole space

    noise: HyperbolicLaplace  # the noise
    distance: float  # of the two points, > 0

    @property
    def largest_loss(self) -> float:
        """Rate times distance, rounded up: the loss behind x, seen from x'."""
        return math.nextafter(self.noise.rate * self.distance, math.inf)

    def log_delta(self, epsilon: float) -> Bound:
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if epsilon >= self.largest_loss:
            return exactly(-math.inf)
        masses, least, most = self._cells
        lower = float((masses * np.maximum(0.0, -np.expm1(epsilon - least))).sum()) * (1 - _ROUNDING)
        upper = float((masses * np.maximum(0.0, -np.expm1(epsilon - most))).sum()) * (1 + _ROUNDING) + _ROUNDING**2
        low = math.log(lower) if lower > 0 else -math.inf
        high = min(0.0, math.log(upper))
        return Bound(low, math.log((lower + upper) / 2), high, 1.0)

    @cached_property
    def _cells(self) -> tuple[Reals, Reals, Reals]:
        """Masses of cells, with the smallest and largest loss in each; shape (radii, angles)."""
        fine = np.geomspace(1e-12, 1 / _CELLS, _TAIL, endpoint=False)
        even = np.concatenate([[0.0], fine, np.linspace(0, 1, _CELLS + 1)[1:-1], 1 - fine[::-1], [1.0]])
        shape, dim = self.noise.shape, self.noise.dim
        shrunk = betaincinv(shape, dim, 1 - even)  # exp(-2 r), from 1 at r = 0 down to 0
        shrunk[0], shrunk[-1] = 1.0, 0.0
        half = (dim - 1) / 2
        turned = betaincinv(half, half, even)  # (1 - cos a) / 2
        turned[0], turned[-1] = 0.0, 1.0
        masses = -np.diff(betainc(shape, dim, shrunk))[:, None] * np.diff(betainc(half, half, turned))
        losses = self._loss(shrunk[:, None], turned)
        return masses, losses[1:, :-1], losses[:-1, 1:]

    def _loss(self, shrunk: Reals, turned: Reals) -> Reals:
        near, far = math.exp(-self.distance), math.exp(self.distance)
        toward = near + 2 * turned * math.sinh(self.distance)  # cosh D - sinh D cos a
        away = far - 2 * turned * math.sinh(self.distance)  # cosh D + sinh D cos a
        twice = toward + shrunk * away  # 2 exp(-r) cosh d'
        inverse = np.minimum(1.0, 4 * shrunk / twice**2)  # 1 / cosh^2 d'
        return self.noise.rate * (np.log(twice / 2) + np.log1p(np.sqrt(1 - inverse)))
