"""Perturb and project with spherical (multidimensional) Laplace noise: metric DP."""

from __future__ import annotations

from textveil.mechanisms.additive.perturb_project import PerturbProject, perturb_project
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import (
    Clip,
    Epsilon,
    EpsilonPerDistance,
    ProjectionName,
    RankConstant,
    given,
    metric_name,
    one_of,
    outward,
    rank_decay,
    rate_within,
)
from textveil.noise.spherical_laplace import SphericalLaplace
from textveil.privacy.guarantees import MetricDP, Status
from textveil.vocabulary.geometry import clipped_diameter
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/spherical_laplace.md"


@declared(
    family="perturb and project",
    notion="metric DP",
    status=Status.PROVED,
    proof=PROOF,
    source="Feyisetan et al. 2020, section 2.6",
    summary="Noise of density exp(-rate ||z||) on the vector, then the nearest word.",
)
def spherical_laplace(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    clip: Clip | None = 1.0,
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Noise density proportional to exp(-rate ||z||_2), calibrated by exactly one of its two parameters.

    Source: Feyisetan, Balle, Drake and Diethe 2020, section 2.6; proof:
    privacy/proofs/spherical_laplace.md.

    Args:
        vocabulary: public words and vectors.
        epsilon: nats for any two words; the rate is epsilon divided by the exact L2 diameter.
        epsilon_per_distance: the rate itself, nats per unit of Euclidean distance.
        clip: Euclidean norm to which longer vectors are shortened; None leaves them.
        rank_constant: c of the resampling exp(-c rate i) of ranks around the nearest word; None leaves it out.
        projection: how the nearest word is searched; None is the fastest exact way that is installed.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    diameter = outward(clipped_diameter(vocabulary, clip, 2))
    rate = value if name == "epsilon_per_distance" else rate_within(value, diameter)
    return perturb_project(
        vocabulary,
        SphericalLaplace(dim=vocabulary.dim, rate=rate),
        MetricDP(
            epsilon_per_distance=rate,
            metric=metric_name("euclidean", clip),
            diameter=diameter,
            status=Status.PROVED,
            source=PROOF,
        ),
        name="spherical-laplace",
        parameters={
            "epsilon": rate * diameter,
            "rate": rate,
            **given(epsilon_per_distance=epsilon_per_distance, rank_constant=rank_constant),
        },
        clip=clip,
        rank_decay=rank_decay(rank_constant, rate),
        projection=projection,
    )
