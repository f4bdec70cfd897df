"""Mahalanobis noise as public code draws it, with the direction normalized too late: for audits."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammainc

from textveil.errors import need
from textveil.mechanisms.declaration import refuted
from textveil.mechanisms.kinds import Epsilon
from textveil.privacy.guarantees import Status
from textveil.privacy.proved import status_of
from textveil.randomness import resolve
from textveil.statistics import Bound, exactly
from textveil.types import Progress, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.mahalanobis import CovarianceWeight, elliptical_distances, elliptical_noise
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject, clipped_points, perturb_project
from textveil_lab.mechanisms.parameters import Clip, EpsilonPerDistance, ProjectionName
from textveil_lab.mechanisms.published.claims import DensityAtPoint, FormTrial, PublishedClaim, TrialSetting, line
from textveil_lab.noise.distribution import (
    Draws,
    Precision,
    as_points,
    check_draw,
    check_parameters,
    checked_shift,
    drawn,
)
from textveil_lab.noise.elliptical_laplace import EllipticalLaplace
from textveil_lab.noise.unbounded import gammas, normals

_DOWN = 1 - 1e-9  # covers the rounding of losses and masses that must not be above the true ones


@dataclass(frozen=True, eq=False, kw_only=True)
class RenormalizedLaplace:
    """Z = R S V / ||S V||, V uniform on the sphere and R ~ Gamma(dim, 1/rate) independent of it.

    The density is proportional to g(z / ||z||) exp(-rate ||z||), g(u) = (u^T M^-1 u)^(-dim/2), M = S S: not a function
    of a norm. Source: public code, see textveil_lab/proofs/mahalanobis_published.md.
    """

    norm: ClassVar[int] = 1
    """Norm of the witness pair; no norm orders the shifts. See ``capabilities.ProfiledNoise``."""
    root: Reals = field(repr=False)  # S, symmetric and positive definite, float64, shape (dim, dim)
    rate: float  # nats per unit of Euclidean distance, finite and > 0

    def __post_init__(self) -> None:
        shape = np.shape(self.root)
        need(len(shape) == 2 and shape[0] == shape[1] >= 1, "root", f"shape {shape}", "of shape (dim, dim)")
        check_parameters(shape[0], rate=self.rate)
        need(bool(self.scales[0] > 0), "root", "a singular one", "positive definite")

    @property
    def dim(self) -> int:
        return len(self.root)

    @cached_property
    def scales(self) -> Reals:
        return np.asarray(np.linalg.eigvalsh(self.root), dtype=np.float64)

    @property
    def variance(self) -> float:
        """Variance of one coordinate, on average: (dim + 1) / rate^2."""
        return (self.dim + 1) / self.rate / self.rate

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return draws made in float64; shape (count, dim)."""
        check_draw(count, dtype, rate=self.rate)
        source = resolve(rng)

        def draw(rows: int) -> Reals:
            turned: Reals = normals(rows * self.dim, source).reshape(rows, self.dim) @ self.root
            lengths = np.linalg.norm(turned, axis=1)
            turned *= (gammas(self.dim, rows, source) / self.rate / np.where(lengths > 0, lengths, 1.0))[:, None]
            return turned

        return drawn(count, self.dim, dtype, draw)

    def log_density(self, z: ArrayLike) -> Reals:
        """Return ln of the density; infinite at 0, shape (batch, dim) to (batch,)."""
        points = as_points(z, self.dim)
        lengths = np.linalg.norm(points, axis=1)
        half = self.dim / 2
        log_sphere = math.lgamma(half) - math.log(2) - half * math.log(math.pi)
        log_radial = self.dim * math.log(self.rate) - math.lgamma(self.dim)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_direction = -np.log(self.scales).sum() - self.dim * np.log(self.stretch(points) / lengths)
            return log_sphere + log_radial + log_direction - self.rate * lengths

    def stretch(self, points: Reals) -> Reals:
        """Return ||S^-1 z|| of each row; shape (batch, dim) to (batch,)."""
        return np.linalg.norm(np.linalg.solve(self.root, points.T), axis=0)

    def privacy_profile(self, shift: ArrayLike) -> RenormalizedProfile:
        return RenormalizedProfile(noise=self, shift=checked_shift(shift, self.dim))

    def worst_log_delta(self, epsilon: float, reach: float, widest: float) -> float:
        """Return 0, for delta up to 1: nothing is proved. See ``capabilities.ProfiledNoise``."""
        return 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class RenormalizedProfile:
    """Lower bounds on how much two vectors differ under the noise; see ``noise.capabilities.PrivacyProfile``."""

    log_outside: ClassVar[Bound] = exactly(-math.inf)  # No mass leaves the support, which is everything

    noise: RenormalizedLaplace  # the noise
    shift: Reals  # difference of the two vectors

    @property
    def _lengths(self) -> tuple[float, float]:
        return float(np.linalg.norm(self.shift)), float(self.noise.stretch(self.shift[None])[0])

    @property
    def largest_loss(self) -> float:
        """Lower bound on the supremum of the loss: a neighborhood of the first vector exceeds it.

        Near the first vector, in the direction of S's largest eigenvalue s, the loss tends to dim ln(s ||S^-1 shift|| /
        ||shift||) + rate ||shift||.
        """
        length, own = self._lengths
        excess = self.noise.dim * math.log(max(1.0, float(self.noise.scales[-1]) * own / length))
        return (excess + self.noise.rate * length) * _DOWN

    def log_delta(self, epsilon: float) -> Bound:
        """Return ln delta at epsilon: a lower bound by a cone at the first vector, no upper bound."""
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if self.noise.dim == 1:
            return Bound(-math.inf, -math.inf, 0.0, 1.0)
        lower = self._cone(epsilon)
        log_lower = math.log(lower) if lower > 0 else -math.inf
        return Bound(log_lower, log_lower, 0.0, 1.0)

    def _cone(self, epsilon: float) -> float:
        """Return the largest P (1 - e^(epsilon - L)) of some cones, P the mass of one and L the smallest loss in it.

        The cone holds noise of length at most r whose V has (V . e)^2 >= t, e the eigenvector of the largest scale.
        """
        noise, dim = self.noise, self.noise.dim
        length, own = self._lengths
        reach = length * np.geomspace(1e-6, 0.5, 80)[:, None]
        inside = 1 - np.geomspace(1e-6, 0.999, 80)
        mass = gammainc(dim, noise.rate * reach) * (1 - betainc(0.5, (dim - 1) / 2, inside))
        left = np.maximum(own - reach / float(noise.scales[0]), 1e-300) / (length + reach)
        loss = (
            dim * np.log(left * float(noise.scales[-1])) + dim / 2 * np.log(inside) + noise.rate * (length - 2 * reach)
        )
        return float((mass * -np.expm1(np.minimum(0.0, epsilon - loss * _DOWN))).max()) * _DOWN


REFUTATION = "textveil_lab/proofs/mahalanobis_published.md"
_WORDS = 64  # words whose pairs are tried for a witness
_MARGIN = 1e-9  # Relative: by how much a loss must exceed the claim to count; floating point is off by far less


@refuted(
    family="perturb and project",
    notion="metric DP",
    proof=REFUTATION,
    source="public code: pyPANTERA, Mahalanobis",
    summary="Mahalanobis noise whose direction is scaled to length 1 after it was turned; its claim is false.",
    instead="mahalanobis",
    shown_at={"epsilon": 1.0, "covariance_weight": 0.9},
)
def mahalanobis_published(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    covariance_weight: CovarianceWeight = 0.5,
    clip: Clip | None = None,
    projection: ProjectionName | None = None,
    progress: Progress | None = None,
) -> PerturbProject:
    """Noise R S V / ||S V|| with R ~ Gamma(dim, 1 / rate), claimed to be the Mahalanobis mechanism at that rate.

    Use ``mahalanobis`` for a guarantee that holds. The status is computed: ``REFUTED`` if two of the tried words lose
    more than their claim; ``PROVED`` at covariance weight 0 or in one dimension, since the noise is then spherical;
    else ``CLAIMED``.
    """
    sound, guarantee, spent = elliptical_noise(
        vocabulary,
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        covariance_weight=covariance_weight,
        clip=clip,
        progress=progress,
    )
    noise = RenormalizedLaplace(root=sound.root, rate=sound.rate)
    status = _status(noise, clipped_points(vocabulary, clip), covariance_weight)
    return perturb_project(
        vocabulary,
        noise,
        replace(guarantee, status=status, source=REFUTATION),
        name="mahalanobis-published",
        parameters={name: value for name, value in spent.items() if name != "euclidean_epsilon_per_distance"},
        clip=clip,
        projection=projection,
        distances=elliptical_distances(vocabulary, sound, clip),
    )


def _status(noise: RenormalizedLaplace, points: Vectors, weight: float) -> Status:
    if weight == 0 or noise.dim == 1:
        return status_of(__name__, REFUTATION)
    chosen = np.unique(np.linspace(0, len(points) - 1, _WORDS).astype(np.int64))
    for first, second in combinations(points[chosen].astype(np.float64), 2):
        shift = first - second
        claimed = noise.rate * float(noise.stretch(shift[None])[0])
        if shift.any() and noise.privacy_profile(shift).largest_loss > claimed * (1 + _MARGIN):
            return Status.REFUTED
    return Status.CLAIMED


_AXES: Final = (1.8, 0.2)
"""Variances of two coordinates, with mean 1 as the paper scales them, at lambda = 1."""


def _direction(setting: TrialSetting, *, renormalized: bool) -> DensityAtPoint:
    """Return the densities for two near words on the long axis, at an output beside one of them.

    Seen from the other word, the output lies along the axis. The density of the published direction is not constant, so
    it jumps between directions near the word.
    """
    long, short = (math.sqrt(variance) for variance in _AXES)
    apart, height = 0.05 / setting.epsilon, 0.001 / setting.epsilon
    seen = np.array([[0.0, -height], [-apart, -height]])
    kind = RenormalizedLaplace if renormalized else EllipticalLaplace
    logs = kind(rate=setting.epsilon, root=np.diag([long, short])).log_density(seen).tolist()
    return DensityAtPoint(
        log_density=logs[1],
        other_log_density=logs[0],
        error=1e-9,
        # Distance in the metric of the shape, in which the claim is made.
        claimed=setting.epsilon * apart / long,
        facts={"input": [apart, 0.0], "other_input": [0.0, 0.0], "output": [0.0, -height], "variances": list(_AXES)},
    )


CLAIMS: Final = (
    PublishedClaim(
        name="pypantera-mahalanobis",
        work="pyPANTERA",
        part="Mahalanobis",
        claim="epsilon times the Mahalanobis distance, for any two words",
        source="github.com/Kekkodf/pypantera, EmbeddingPerturbationMechanism/mahalanobis.py",
        why="The bent direction is set to length 1 again, so its density jumps between directions near the word.",
        repair="leave the bent direction as long as it is",
        instead="mahalanobis",
        form="mahalanobis-published",
        setting=line(1.0, 0.0, 1.0),
        published=lambda setting: _direction(setting, renormalized=True),
        repaired=lambda setting: _direction(setting, renormalized=False),
    ),
)

TRIAL: Final = FormTrial(options={"epsilon": 1.0})
