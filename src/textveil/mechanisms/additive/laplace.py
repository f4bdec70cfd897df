"""Perturb and project with independent Laplace noise on every coordinate."""

from __future__ import annotations

from textveil.mechanisms.additive.perturb_project import PerturbProject, perturb_project
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Clip, Epsilon, ProjectionName, RankConstant, outward
from textveil.noise.coordinate_laplace import CoordinateLaplace
from textveil.privacy.calibration import laplace_scale
from textveil.privacy.guarantees import PureDP, Status
from textveil.vocabulary.geometry import clipped_diameter
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/coordinate_laplace.md"


@declared(
    family="perturb and project",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    source="Dwork, McSherry, Nissim and Smith 2006",
    summary="Laplace noise on every coordinate, then the nearest word.",
)
def laplace(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    clip: Clip | None = 1.0,
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Noise density proportional to exp(-||z||_1 / scale), scale = L1 diameter / epsilon.

    The sensitivity is the exact L1 diameter of the public clipped vectors.
    Source: Dwork, McSherry, Nissim and Smith 2006; proof: privacy/proofs/coordinate_laplace.md.
    """
    scale = laplace_scale(epsilon, outward(clipped_diameter(vocabulary, clip, 1)))
    return perturb_project(
        vocabulary,
        CoordinateLaplace(dim=vocabulary.dim, scale=scale),
        PureDP(epsilon=epsilon, status=Status.PROVED, source=PROOF),
        name="laplace",
        parameters={"epsilon": epsilon, "scale": scale},
        clip=clip,
        rank_constant=rank_constant,
        rank_rate=epsilon,
        projection=projection,
    )
