"""A noise: independent logistic noise on every coordinate of the vector, then the nearest word."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

import textveil as tv
from textveil.errors import need
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.kinds import Epsilon
from textveil.randomness import resolve
from textveil.statistics import Bound, exactly
from textveil.types import Reals
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject, perturb_project
from textveil_lab.mechanisms.parameters import Clip, ProjectionName, outward
from textveil_lab.noise.calibration import laplace_scale
from textveil_lab.noise.distribution import (
    Draws,
    Precision,
    as_points,
    check_draw,
    check_parameters,
    checked_shift,
    l1_over,
)
from textveil_lab.vocabulary.geometry import clipped_diameter

PROOF = "textveil_plugin/proofs/logistic.md"

LARGEST_DELTA = 1e-6
"""Where the tails that no draw reaches weigh more than this, the mechanism is refused."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """Density product over i of 1 / (4 scale cosh^2(z_i / (2 scale))) on R^dim.

    Attributes:
        dim: number of coordinates, >= 1.
        scale: in units of the vectors, finite and > 0.
    """

    dim: int
    scale: float

    def __post_init__(self) -> None:
        check_parameters(self.dim, scale=self.scale)

    @property
    def variance(self) -> float:
        """Variance of one coordinate: (pi scale)^2 / 3."""
        return (math.pi * self.scale) ** 2 / 3

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Vectors by inversion in float64, one a row; shape (count, dim)."""
        check_draw(count, dtype, scale=self.scale)
        noise: Draws = resolve(rng).logistic(scale=self.scale, size=(count, self.dim))
        return noise.astype(dtype, copy=False)

    def log_density(self, z: ArrayLike) -> Reals:
        """Natural logarithm of the density; shape (batch, dim) to (batch,)."""
        steps = np.abs(as_points(z, self.dim)) / self.scale
        return (-steps - 2 * np.log1p(np.exp(-steps))).sum(axis=1) - self.dim * math.log(self.scale)

    @property
    def norm(self) -> int:
        """Shifts are compared in the L1 norm."""
        return 1

    def privacy_profile(self, shift: ArrayLike) -> LogisticProfile:
        """How far the noise and its copy moved by ``shift``, shape (dim,), are apart: for audits in closed form."""
        moved = checked_shift(shift, self.dim)
        steps = np.abs(moved[moved != 0]) / self.scale
        return LogisticProfile(steps=tuple(steps.tolist()), largest_loss=l1_over(moved, self.scale))

    def worst_log_delta(self, epsilon: float, reach: float, widest: float) -> float:
        """An upper bound on ln delta for every shift of L1 norm at most ``reach``."""
        return _log_gap(epsilon - math.nextafter(reach / self.scale, math.inf))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticProfile:
    """The privacy profile of one shift, between two bounds (proof, section 4).

    Attributes:
        steps: the shift's entries that are not zero, as multiples of the scale.
        largest_loss: their sum, rounded up.
    """

    steps: tuple[float, ...]
    largest_loss: float

    @property
    def log_outside(self) -> Bound:
        """No mass: every point can come from every word."""
        return exactly(-math.inf)

    def log_delta(self, epsilon: float) -> Bound:
        """Natural logarithm of the least delta at epsilon, between two bounds."""
        upper = _log_gap(epsilon - self.largest_loss)
        if upper == -math.inf:
            return exactly(upper)
        lower = -math.inf
        for start in np.linspace(0.0, 40.0, 81).tolist():
            inside = sum(_log_below(-start) for _ in self.steps)
            moved = epsilon + sum(_log_below(-start - step) for step in self.steps)
            if moved < inside - _SLACK:
                lower = max(lower, inside + _log_gap(moved - inside) - _SLACK)
        return Bound(min(lower, upper), upper, upper, 1.0)


_SLACK = 1e-9
"""More than what rounding takes from the logarithms of a bound."""


def _log_below(end: float) -> float:
    """Ln P(z <= end) of the standard logistic distribution, for end <= 0."""
    return end - math.log1p(math.exp(end))


def _log_gap(difference: float) -> float:
    """ln(1 - e^difference), rounded up; -inf where the difference is not below 0."""
    return math.log(-math.expm1(difference)) * (1 - 2.0**-40) if difference < 0 else -math.inf


@declared(
    family="perturb and project",
    notion="approximate DP",
    status=tv.Status.PROVED,
    proof=PROOF,
    source="textveil_plugin",
    summary="Logistic noise on every coordinate, then the nearest word.",
)
def logistic(
    vocabulary: tv.Vocabulary,
    *,
    epsilon: Epsilon,
    clip: Clip | None = 1.0,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Logistic noise of scale L1 diameter / epsilon.

    Args:
        vocabulary: public words and vectors.
        epsilon: nats for any two words, finite and > 0.
        clip: Euclidean norm to which longer vectors are shortened; None leaves them.
        projection: how the nearest word is searched; None is the fastest exact way that is installed.

    Raises:
        ParameterError: an option is outside its domain, or so large that tails matter which no draw reaches.
    """
    scale = laplace_scale(epsilon, outward(clipped_diameter(vocabulary, clip, 1)))
    log_delta = log_delta_of_tails(epsilon, vocabulary.dim)
    largest = math.log(LARGEST_DELTA) - math.log(vocabulary.dim) + 52 * math.log(2)
    need(
        log_delta <= math.log(LARGEST_DELTA),
        "epsilon",
        epsilon,
        f"below {largest:.3g} in {vocabulary.dim} dimensions: beyond, the tails matter that no draw reaches",
        "Use a channel, whose draws are exact.",
    )
    return perturb_project(
        vocabulary,
        Logistic(dim=vocabulary.dim, scale=scale),
        tv.ApproximateDP(epsilon=epsilon, log_delta=log_delta, status=tv.Status.PROVED, source=PROOF),
        name="logistic",
        parameters={"epsilon": epsilon, "scale": scale},
        clip=clip,
        projection=projection,
    )


def log_delta_of_tails(epsilon: float, dim: int) -> float:
    """ln((1 + e^epsilon) dim 2^-52), rounded up: what the tails cost that no draw reaches (proof, section 2)."""
    return (float(np.logaddexp(0.0, epsilon)) + math.log(dim) - 52 * math.log(2)) * (1 - 2.0**-40)
