"""Perturb and project with Gaussian noise by the classical formula, where that formula is private."""

from __future__ import annotations

import math
from typing import Annotated

from textveil.mechanisms.additive.gaussian import gaussian_mechanism
from textveil.mechanisms.additive.perturb_project import PerturbProject
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import GUARANTEE, Domain, Option
from textveil.mechanisms.parameters import Clip, Delta, ProjectionName, RankConstant, outward
from textveil.privacy.calibration import classical_gaussian_sigma
from textveil.privacy.guarantees import ApproximateDP, Status
from textveil.vocabulary.geometry import clipped_diameter
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/gaussian.md"

_EPSILON = Option(
    domain=Domain(
        "in (0, 1]",
        lambda value: 0 < value <= 1,
        hint="Above 1 the classical formula is not proved. Use gaussian: it holds at any epsilon and adds less noise.",
    ),
    help="Privacy loss in nats of one token, for any two words; at most 1.",
    metavar="E",
    group=GUARANTEE,
)


@declared(
    family="perturb and project",
    notion="approximate DP",
    status=Status.PROVED,
    proof=PROOF,
    source="Dwork and Roth 2014, theorem A.1",
    summary="Gaussian noise by the classical formula, for epsilon at most 1, then the nearest word.",
)
def gaussian_classical(
    vocabulary: Vocabulary,
    *,
    epsilon: Annotated[float, _EPSILON] = 1.0,
    delta: Delta = 1e-5,
    clip: Clip | None = 1.0,
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Noise N(0, sigma^2 I), sigma = D sqrt(2 ln(1.25 / delta)) / epsilon for the exact L2 diameter D.

    A baseline of the literature: ``gaussian`` adds less noise for the same guarantee. Source: Dwork and Roth 2014,
    theorem A.1; proof: privacy/proofs/gaussian.md.
    """
    sigma = classical_gaussian_sigma(epsilon, delta, outward(clipped_diameter(vocabulary, clip, 2)))
    return gaussian_mechanism(
        vocabulary,
        sigma,
        ApproximateDP(epsilon=epsilon, log_delta=math.log(delta), status=Status.PROVED, source=PROOF),
        name="gaussian-classical",
        parameters={"epsilon": epsilon, "delta": delta, "sigma": sigma},
        clip=clip,
        rank_constant=rank_constant,
        projection=projection,
    )
