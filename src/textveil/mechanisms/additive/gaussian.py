"""Perturb and project with Gaussian noise."""

from __future__ import annotations

import math

from textveil.errors import need
from textveil.mechanisms.additive.perturb_project import PerturbProject, perturb_project
from textveil.mechanisms.parameters import checked_clip, outward, rank_decay
from textveil.noise.gaussian import Gaussian
from textveil.privacy.calibration import analytic_gaussian_sigma, classical_gaussian_sigma
from textveil.privacy.guarantees import ApproximateDP, Status
from textveil.vocabulary.geometry import clipped_diameter
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/gaussian.md"

_CALIBRATIONS = {"analytic": analytic_gaussian_sigma, "classical": classical_gaussian_sigma}


def gaussian(
    vocabulary: Vocabulary,
    *,
    epsilon: float,
    delta: float = 1e-5,
    clip: float | None = 1.0,
    calibration: str = "analytic",
    rank_constant: float | None = None,
    projection: str | None = None,
) -> PerturbProject:
    """Noise N(0, sigma^2 I), sigma calibrated to the exact L2 diameter of the public clipped vectors.

    Source: Balle and Wang 2018, theorem 8 (analytic); Dwork and Roth 2014, theorem A.1 (classical, epsilon
    at most 1); proof: privacy/proofs/gaussian.md.

    Args:
        vocabulary: public words and vectors.
        epsilon: nats for any two words, finite and > 0.
        delta: in (0, 1).
        clip: Euclidean norm to which longer vectors are shortened; None leaves them.
        calibration: ``"analytic"``, or ``"classical"``, which is refused above epsilon 1.
        rank_constant: c of the resampling exp(-c epsilon i) of ranks around the nearest word; None leaves it out.
        projection: how the nearest word is searched; None is the fastest exact way that is installed.
    """
    clip = checked_clip(clip)
    need(calibration in _CALIBRATIONS, "calibration", calibration, " or ".join(_CALIBRATIONS))
    sigma = _CALIBRATIONS[calibration](epsilon, delta, outward(clipped_diameter(vocabulary, clip, 2)))
    return perturb_project(
        vocabulary,
        Gaussian(dim=vocabulary.dim, sigma=sigma),
        ApproximateDP(epsilon=epsilon, log_delta=math.log(delta), status=Status.PROVED, source=PROOF),
        name="gaussian",
        parameters={"epsilon": epsilon, "delta": delta, "sigma": sigma},
        clip=clip,
        rank_decay=rank_decay(rank_constant, epsilon),
        projection=projection,
    )
