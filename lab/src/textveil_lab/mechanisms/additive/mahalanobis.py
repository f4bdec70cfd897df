"""Perturb and project with elliptical noise, shaped by the public vectors: metric DP in its own metric."""

import math
from functools import partial
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.privacy.guarantees import MetricDP
from textveil.registry.options import VECTORS, Option, interval
from textveil.types import Ids, Progress, Reals, Vectors, WordDistances
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject, clipped_points, euclidean, perturb_project
from textveil_lab.mechanisms.parameters import (
    Clip,
    EpsilonPerDistance,
    ProjectionName,
    RankConstant,
    given,
    metric_name,
    one_of,
    outward,
    proved_metric,
    rate_within,
)
from textveil_lab.noise.elliptical_laplace import EllipticalLaplace
from textveil_lab.vocabulary.geometry import farthest_pair, remembered

PROOF = "textveil_lab/proofs/mahalanobis.md"
_LEAST = 1e-10  # the smallest eigenvalue of the shape, relative to the largest: its root is then inverted to 9 digits

CovarianceWeight: TypeAlias = Annotated[
    float,
    Option(
        interval("between 0 and 1", 0, 1),
        "Share of the vectors' covariance in the shape of the noise; the rest is a sphere.",
        "W",
        VECTORS,
    ),
]


@proved(
    family="perturb and project",
    notion="metric DP",
    proof=PROOF,
    source="Xu, Aggarwal, Feyisetan and Teissier 2020, section 3",
    summary="Noise of density exp(-rate ||z||) in a Mahalanobis norm, then the nearest word.",
)
def mahalanobis(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    covariance_weight: CovarianceWeight = 0.5,
    clip: Clip | None = 1.0,
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
    progress: Progress | None = None,
) -> PerturbProject:
    """Noise density proportional to exp(-rate ||z||_M), ||z||_M^2 = z^T M^-1 z, calibrated by exactly one parameter.

    M = w S + (1 - w) I, w = covariance_weight, S the covariance of the public clipped vectors, scaled to trace dim: the
    regularized Mahalanobis norm. At w = 0 it is ``spherical_laplace``. The guarantee is in the distance ||v - v'||_M;
    the parameter ``euclidean_epsilon_per_distance`` states the resulting one for the Euclidean distance.

    The rate is ``epsilon_per_distance``, per unit of the norm, or ``epsilon`` divided by the exact diameter in the
    norm. At ``covariance_weight`` 1 the covariance must be invertible. Measuring the diameter takes ten seconds for
    30,000 words.
    """
    noise, guarantee, spent = elliptical_noise(
        vocabulary,
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        covariance_weight=covariance_weight,
        clip=clip,
        progress=progress,
    )
    return perturb_project(
        vocabulary,
        noise,
        guarantee,
        name="mahalanobis",
        parameters=spent,
        clip=clip,
        rank_constant=rank_constant,
        projection=projection,
        distances=elliptical_distances(vocabulary, noise, clip),
    )


def elliptical_noise(
    vocabulary: Vocabulary,
    *,
    epsilon: float | None,
    epsilon_per_distance: float | None,
    covariance_weight: float,
    clip: float | None,
    progress: Progress | None = None,
) -> tuple[EllipticalLaplace, MetricDP, dict[str, Any]]:
    """Return the noise, the guarantee of the noisy vector, and the parameters that state it; see ``mahalanobis``."""
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    points = clipped_points(vocabulary, clip)
    root, least = covariance_root(points, covariance_weight)
    unit = EllipticalLaplace(root=root, rate=1.0)
    reach = remembered(
        vocabulary,
        ("mahalanobis", clip, covariance_weight),
        lambda: outward(farthest_pair(vocabulary, unit.coordinates(points), 2, progress).value),
    )
    rate = value if name == "epsilon_per_distance" else rate_within(value, reach)
    guarantee = proved_metric(
        rate, metric_name(f"Mahalanobis of covariance weight {covariance_weight:g}", clip), reach, PROOF
    )
    spent = {
        "epsilon": rate * reach,
        "rate": rate,
        "covariance_weight": covariance_weight,
        "euclidean_epsilon_per_distance": outward(rate / least),
        **given(epsilon_per_distance=epsilon_per_distance),
    }
    return EllipticalLaplace(root=root, rate=rate), guarantee, spent


def elliptical_distances(vocabulary: Vocabulary, noise: EllipticalLaplace, clip: float | None) -> WordDistances:
    """Return Mahalanobis distances between clipped vectors, in the coordinates of the noise."""
    return partial(_elliptical_distances, vocabulary, noise, clip)


def _elliptical_distances(vocabulary: Vocabulary, noise: EllipticalLaplace, clip: float | None, ids: Ids) -> Reals:
    return euclidean(noise.coordinates(clipped_points(vocabulary, clip)), ids)


def covariance_root(points: Vectors, weight: float) -> tuple[Reals, float]:
    """Return the symmetric root of M, and its smallest eigenvalue.

    Raises:
        ParameterError: M is singular, or nearly so, and its root cannot be inverted.
    """
    values, directions = np.linalg.eigh(weight * _scaled_covariance(points) + (1 - weight) * np.eye(points.shape[1]))
    wanted = "below 1 where the covariance of the vectors is singular or nearly so"
    need(bool(values[0] > _LEAST * values[-1]), "covariance_weight", weight, wanted, "Give one such as 0.5.")
    roots = np.sqrt(values)
    return (directions * roots) @ directions.T, float(roots[0])


def _scaled_covariance(points: NDArray[np.float32]) -> Reals:
    rows = points.astype(np.float64)
    rows -= rows.mean(axis=0)
    products = rows.T @ rows
    trace = float(np.trace(products))
    return products * (len(products) / trace) if math.isfinite(trace) and trace > 0 else np.eye(points.shape[1])
