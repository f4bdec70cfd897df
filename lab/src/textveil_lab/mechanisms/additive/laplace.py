"""Perturb and project with independent Laplace noise on every coordinate, whole or truncated."""

import math

from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.privacy.guarantees import ApproximateDP, PureDP
from textveil.privacy.proved import status_of
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject, perturb_project
from textveil_lab.mechanisms.parameters import Clip, Delta, ProjectionName, RankConstant, outward
from textveil_lab.noise.calibration import laplace_scale, truncated_laplace_bound
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace
from textveil_lab.vocabulary.geometry import clipped_diameter

PROOF = "textveil_lab/proofs/coordinate_laplace.md"


@proved(
    family="perturb and project",
    notion="pure DP",
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
    """
    scale = laplace_scale(epsilon, outward(clipped_diameter(vocabulary, clip, 1)))
    return perturb_project(
        vocabulary,
        CoordinateLaplace(dim=vocabulary.dim, scale=scale),
        PureDP(epsilon=epsilon, status=status_of(__name__, PROOF), source=PROOF),
        name="laplace",
        parameters={"epsilon": epsilon, "scale": scale},
        clip=clip,
        rank_constant=rank_constant,
        projection=projection,
    )


TRUNCATED_PROOF = "textveil_lab/proofs/truncated_laplace.md"


@proved(
    family="perturb and project",
    notion="approximate DP",
    proof=TRUNCATED_PROOF,
    source=f"{TRUNCATED_PROOF}; one dimension: Geng et al. 2020",
    summary="Truncated Laplace noise, valid in any dimension, then the nearest word.",
)
def truncated_laplace(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    delta: Delta = 1e-5,
    clip: Clip | None = 1.0,
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Independent coordinates, density proportional to exp(-|z| / scale) on [-bound, bound].

    scale = Delta_1 / epsilon and bound = scale ln(1 + (e^epsilon - 1) / (2 delta)), with Delta_1 the exact L1 diameter
    of the public clipped vectors.
    """
    sensitivity = outward(clipped_diameter(vocabulary, clip, 1))
    distribution = TruncatedLaplace(
        dim=vocabulary.dim,
        scale=laplace_scale(epsilon, sensitivity),
        bound=truncated_laplace_bound(epsilon, delta, sensitivity),
    )
    return perturb_project(
        vocabulary,
        distribution,
        ApproximateDP(
            epsilon=epsilon,
            log_delta=math.log(delta),
            status=status_of(__name__, TRUNCATED_PROOF),
            source=TRUNCATED_PROOF,
        ),
        name="truncated-laplace",
        parameters={"epsilon": epsilon, "delta": delta, "scale": distribution.scale, "bound": distribution.bound},
        clip=clip,
        rank_constant=rank_constant,
        projection=projection,
    )
