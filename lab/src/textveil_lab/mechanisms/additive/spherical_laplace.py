"""Perturb and project with spherical (multidimensional) Laplace noise: metric DP."""

from typing import Any

from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.privacy.guarantees import MetricDP
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject, clipped_distances, perturb_project
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
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.vocabulary.geometry import clipped_diameter

PROOF = "textveil_lab/proofs/spherical_laplace.md"


@proved(
    family="perturb and project",
    notion="metric DP",
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

    The rate is ``epsilon_per_distance``, per unit of Euclidean distance, or ``epsilon`` divided by the exact L2
    diameter.
    """
    noise, guarantee, spent = spherical_noise(
        vocabulary, epsilon=epsilon, epsilon_per_distance=epsilon_per_distance, clip=clip
    )
    return perturb_project(
        vocabulary,
        noise,
        guarantee,
        name="spherical-laplace",
        parameters=spent,
        clip=clip,
        rank_constant=rank_constant,
        projection=projection,
        distances=clipped_distances(vocabulary, clip),
    )


def spherical_noise(
    vocabulary: Vocabulary, *, epsilon: float | None, epsilon_per_distance: float | None, clip: float | None
) -> tuple[SphericalLaplace, MetricDP, dict[str, Any]]:
    """Return the noise, the guarantee of the noisy vector, and the parameters that state it."""
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    diameter = outward(clipped_diameter(vocabulary, clip, 2))
    rate = value if name == "epsilon_per_distance" else rate_within(value, diameter)
    guarantee = proved_metric(rate, metric_name("euclidean", clip), diameter, PROOF)
    spent = {"epsilon": rate * diameter, "rate": rate, **given(epsilon_per_distance=epsilon_per_distance)}
    return SphericalLaplace(dim=vocabulary.dim, rate=rate), guarantee, spent
