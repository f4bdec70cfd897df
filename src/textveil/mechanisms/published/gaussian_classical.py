"""Perturb and project with Gaussian noise by the classical formula at any epsilon, as papers use it: for audits."""

from __future__ import annotations

import math
from typing import Annotated, Final

from textveil.errors import need
from textveil.mechanisms.additive.gaussian import gaussian_mechanism
from textveil.mechanisms.additive.perturb_project import PerturbProject
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import VECTORS, Option, at_least
from textveil.mechanisms.parameters import ClaimedDelta, Clip, Epsilon, ProjectionName, RankConstant, given, outward
from textveil.mechanisms.published.claims import FormTrial
from textveil.privacy.calibration import gaussian_log_delta
from textveil.privacy.guarantees import ApproximateDP, Status
from textveil.vocabulary.geometry import clipped_diameter
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/gaussian_classical_published.md"

_NOISE_DIM = Option(
    domain=at_least(1),
    help="Dimension d in delta = 4^-d, dummy ones included.",
    metavar="D",
    group=VECTORS,
    unset="that of the vectors",
)


@declared(
    family="perturb and project",
    notion="approximate DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    source="Huang et al. 2024 (EMNLP), theorem 2",
    summary="Gaussian noise by the classical formula at any epsilon; its claim can be false above 1.",
    instead="gaussian",
)
def gaussian_classical_published(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    delta: ClaimedDelta | None = None,
    clip: Clip | None = 1.0,
    noise_dim: Annotated[int, _NOISE_DIM] | None = None,
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Noise N(0, sigma^2 I) with sigma^2 = 8 clip^2 ln(1.25 / delta) / epsilon^2, whatever epsilon is.

    Use ``gaussian`` for a guarantee that holds. The status is computed: ``PROVED`` where the least delta of this
    vocabulary, which is known exactly, is within the claim, ``REFUTED`` where it is not.
    Source: Huang et al., EMNLP 2024, theorem 2; refutation: privacy/proofs/gaussian_classical_published.md.
    """
    need(clip is not None, "clip", "none", "a norm: the published formula needs one")
    assert clip is not None
    both = delta is not None and noise_dim is not None
    need(not both, "noise_dim", noise_dim, "left out where delta is given: it stands for delta = 4^-noise_dim")
    log_delta = -(noise_dim or vocabulary.dim) * math.log(4) if delta is None else math.log(delta)
    sigma = 2 * clip / epsilon * math.sqrt(2 * (math.log(1.25) - log_delta))
    true_log_delta = gaussian_log_delta(epsilon, sigma, outward(clipped_diameter(vocabulary, clip, 2)))
    status = Status.PROVED if true_log_delta <= log_delta else Status.REFUTED
    return gaussian_mechanism(
        vocabulary,
        sigma,
        ApproximateDP(epsilon=epsilon, log_delta=log_delta, status=status, source=REFUTATION),
        name="gaussian-classical-published",
        parameters={
            "epsilon": epsilon,
            "sigma": sigma,
            "log_delta": log_delta,
            "true_log_delta": true_log_delta,
            **given(delta=delta, noise_dim=noise_dim),
        },
        clip=clip,
        rank_constant=rank_constant,
        projection=projection,
    )


# The largest epsilon of the paper's tables, with its delta 4^-300.
TRIAL: Final = FormTrial(
    options={"epsilon": 20.0, "noise_dim": 300},
    opposites=True,
    reading=(
        "Theorem 2 is stated for epsilon up to 1; table 3 has Gaussian noise at epsilon 20, with delta 4^-300. For "
        "its truncated Laplace noise the paper pads vectors to 1,700 dimensions there; if these count for Gaussian "
        "noise too, delta is 4^-1700 and the claim holds."
    ),
)
