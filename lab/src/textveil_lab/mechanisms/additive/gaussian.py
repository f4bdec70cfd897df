"""Perturb and project with Gaussian noise."""

import math

from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.privacy.guarantees import ApproximateDP
from textveil.privacy.proved import status_of
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject, perturb_project
from textveil_lab.mechanisms.parameters import (
    CALIBRATIONS,
    Calibration,
    Clip,
    Delta,
    ProjectionName,
    RankConstant,
    outward,
)
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.vocabulary.geometry import clipped_diameter

PROOF = "textveil_lab/proofs/gaussian.md"


@proved(
    family="perturb and project",
    notion="approximate DP",
    proof=PROOF,
    source="Balle and Wang 2018, theorem 8",
    summary="Gaussian noise, analytically calibrated, then the nearest word.",
)
def gaussian(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    delta: Delta = 1e-5,
    clip: Clip | None = 1.0,
    calibration: Calibration = "analytic",
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Noise N(0, sigma^2 I), sigma calibrated to the exact L2 diameter of the public clipped vectors.

    Source: Balle and Wang 2018, theorem 8 (analytic); Dwork and Roth 2014, theorem A.1 (classical, epsilon
    at most 1); proof: textveil_lab/proofs/gaussian.md.
    """
    sigma = CALIBRATIONS[calibration](epsilon, delta, outward(clipped_diameter(vocabulary, clip, 2)))
    return perturb_project(
        vocabulary,
        Gaussian(dim=vocabulary.dim, sigma=sigma),
        ApproximateDP(epsilon=epsilon, log_delta=math.log(delta), status=status_of(__name__, PROOF), source=PROOF),
        name="gaussian",
        parameters={"epsilon": epsilon, "delta": delta, "sigma": sigma, "calibration": calibration},
        clip=clip,
        rank_constant=rank_constant,
        projection=projection,
    )
