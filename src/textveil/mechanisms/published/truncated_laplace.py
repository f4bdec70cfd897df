"""Perturb and project with truncated Laplace noise as published: for audits, its claim is false."""

from __future__ import annotations

import math
from typing import Annotated

from textveil.errors import need
from textveil.mechanisms.additive.perturb_project import PerturbProject, perturb_project
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import VECTORS, Option, at_least
from textveil.mechanisms.parameters import (
    ClaimedDelta,
    Clip,
    Epsilon,
    ProjectionName,
    RankConstant,
    given,
    rank_decay,
)
from textveil.noise.truncated_laplace import TruncatedLaplace
from textveil.privacy.guarantees import ApproximateDP, Status
from textveil.privacy.truncation import published_truncation
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/truncated_laplace_published.md"

_NOISE_DIM = Option(
    domain=at_least(1),
    help="Dimension in the published formulas, dummy ones included.",
    metavar="D",
    group=VECTORS,
    unset="the least that suffices",
)


@declared(
    family="perturb and project",
    notion="approximate DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    source="Huang et al. 2024 (EMNLP), theorem 3",
    summary="Truncated Laplace noise as printed; its claim is false above one dimension.",
    instead="truncated-laplace",
)
def truncated_laplace_published(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    delta: ClaimedDelta | None = None,
    clip: Clip | None = 1.0,
    noise_dim: Annotated[int, _NOISE_DIM] | None = None,
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Theorem 3 of Huang et al. 2024 as printed; use ``truncated_laplace`` for a guarantee that holds.

    Where epsilon is too large for the dimension, dummy dimensions are added as in the paper.
    Source: Huang et al., EMNLP 2024, Theorem 3 and Algorithm 1; refutation:
    privacy/proofs/truncated_laplace_published.md.

    Args:
        vocabulary: public words and vectors.
        epsilon: the claimed nats, finite and > 0.
        delta: the claimed delta, in (0, 1); None is the paper's 4^-noise_dim.
        clip: Euclidean norm C to which longer vectors are shortened; the formulas need one.
        noise_dim: dimension in the formulas, dummy ones included; None is the least that suffices.
        rank_constant: c of the resampling exp(-c epsilon i) of ranks around the nearest word; None leaves it out.
        projection: how the nearest word is searched; None is the fastest exact way that is installed.
    """
    need(clip is not None, "clip", "none", "a norm: the published formulas need one")
    assert clip is not None
    published = published_truncation(
        dim=vocabulary.dim,
        epsilon=epsilon,
        clip=clip,
        log_delta=None if delta is None else math.log(delta),
        noise_dim=noise_dim,
        dummy_dimensions=True,
    )
    # In one dimension the printed proof is right: all coordinates and any coordinate are the same event.
    status = Status.CLAIMED if published.noise_dim == 1 else Status.REFUTED
    return perturb_project(
        vocabulary,
        TruncatedLaplace(dim=vocabulary.dim, scale=published.scale, bound=published.bound),
        ApproximateDP(epsilon=epsilon, log_delta=published.log_delta, status=status, source=REFUTATION),
        name="truncated-laplace-published",
        parameters={
            "epsilon": epsilon,
            "log_delta": published.log_delta,
            "noise_dim": published.noise_dim,
            "scale": published.scale,
            "bound": published.bound,
            **given(delta=delta, rank_constant=rank_constant),
        },
        clip=clip,
        rank_decay=rank_decay(rank_constant, epsilon),
        projection=projection,
    )
