"""Perturb and project with the noise of Huang et al. 2024 as printed, theorems 2 and 3: for audits."""

import math
from typing import Annotated, Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import refuted
from textveil.mechanisms.kinds import Epsilon
from textveil.privacy.composition import gaussian_log_delta
from textveil.privacy.guarantees import ApproximateDP, Status
from textveil.privacy.proved import status_of
from textveil.registry.options import VECTORS, Option, at_least
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject, perturb_project
from textveil_lab.mechanisms.parameters import ClaimedDelta, Clip, ProjectionName, RankConstant, given, outward
from textveil_lab.mechanisms.published.claims import (
    TWO_VECTORS,
    ClaimBasis,
    FormTrial,
    MovedNoise,
    PublishedClaim,
    TrialSetting,
    line,
    noise_on_two,
)
from textveil_lab.noise.calibration import laplace_scale, truncated_laplace_bound
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.truncated_laplace import TruncatedLaplace
from textveil_lab.noise.truncation import published_truncation
from textveil_lab.vocabulary.geometry import clipped_diameter

REFUTATION = "textveil_lab/proofs/truncated_laplace_published.md"

_NOISE_DIM = Option(
    at_least(1),
    "Dimension in the published formulas, dummy ones included.",
    "D",
    VECTORS,
    unset="the least that suffices",
)


@refuted(
    family="perturb and project",
    notion="approximate DP",
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

    If epsilon is too large for the dimension, dummy dimensions are added as in the paper.
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
            **given(delta=delta),
        },
        clip=clip,
        rank_constant=rank_constant,
        projection=projection,
    )


_GAUSSIAN_PROOF = "textveil_lab/proofs/gaussian_classical_published.md"

_GAUSSIAN_DIM = Option(
    at_least(1), "Dimension d in delta = 4^-d, dummy ones included.", "D", VECTORS, unset="that of the vectors"
)


@refuted(
    family="perturb and project",
    notion="approximate DP",
    proof=_GAUSSIAN_PROOF,
    source="Huang et al. 2024 (EMNLP), theorem 2",
    summary="Gaussian noise by the classical formula at any epsilon; its claim can be false above 1.",
    instead="gaussian",
    shown_at={"epsilon": 40.0},
)
def gaussian_classical_published(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    delta: ClaimedDelta | None = None,
    clip: Clip | None = 1.0,
    noise_dim: Annotated[int, _GAUSSIAN_DIM] | None = None,
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Noise N(0, sigma^2 I) with sigma^2 = 8 clip^2 ln(1.25 / delta) / epsilon^2, whatever epsilon is.

    Use ``gaussian`` for a guarantee that holds. The status is computed: ``PROVED`` if the smallest delta of this
    vocabulary, which is known exactly, is within the claim, else ``REFUTED``.
    """
    need(clip is not None, "clip", "none", "a norm: the published formula needs one")
    assert clip is not None
    both = delta is not None and noise_dim is not None
    need(not both, "noise_dim", noise_dim, "left out where delta is given: it stands for delta = 4^-noise_dim")
    log_delta = -(noise_dim or vocabulary.dim) * math.log(4) if delta is None else math.log(delta)
    sigma = 2 * clip / epsilon * math.sqrt(2 * (math.log(1.25) - log_delta))
    true_log_delta = gaussian_log_delta(epsilon, sigma, outward(clipped_diameter(vocabulary, clip, 2)))
    status = status_of(__name__, _GAUSSIAN_PROOF) if true_log_delta <= log_delta else Status.REFUTED
    return perturb_project(
        vocabulary,
        Gaussian(dim=vocabulary.dim, sigma=sigma),
        ApproximateDP(epsilon=epsilon, log_delta=log_delta, status=status, source=_GAUSSIAN_PROOF),
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


def _theorem_three(setting: TrialSetting) -> MovedNoise:
    form = published_truncation(dim=setting.dim, epsilon=setting.epsilon, clip=1.0)
    return _truncated(setting, form.scale, form.bound, form.log_delta)


def _valid_truncation(setting: TrialSetting) -> MovedNoise:
    """Return the valid truncation at this epsilon; delta 1e-6, since at 4^-dim it is nearly plain Laplace noise."""
    wide = 2 * math.sqrt(setting.dim)
    bound = truncated_laplace_bound(setting.epsilon, 1e-6, wide)
    return _truncated(setting, laplace_scale(setting.epsilon, wide), bound, math.log(1e-6))


def _truncated(setting: TrialSetting, scale: float, bound: float, log_delta: float) -> MovedNoise:
    noise = TruncatedLaplace(dim=setting.dim, scale=scale, bound=bound)
    return MovedNoise(
        distribution=noise,
        shift=np.full(setting.dim, 2 / math.sqrt(setting.dim)),
        epsilon=setting.epsilon,
        log_delta=log_delta,
        facts={"bound": noise.bound, "scale": noise.scale},
    )


CLAIMS: Final = (
    PublishedClaim(
        name="truncated-laplace-theorem",
        work="Huang et al. 2024 (EMNLP)",
        part="theorem 3",
        claim="(epsilon, 4^-dim) for any two words",
        source="Huang et al., EMNLP 2024, theorem 3, arXiv 2410.08027",
        basis=ClaimBasis.PAPER,
        why="The proof takes what leaves the support in all coordinates for what leaves it in any.",
        repair="truncate where the sum over coordinates is paid for (delta 1e-6 here)",
        instead="truncated-laplace",
        form="truncated-laplace-published",
        setting=line(1.0, 0.0, 1.0, dim=300),
        published=_theorem_three,
        repaired=_valid_truncation,
    ),
    PublishedClaim(
        name="trlaplace-shared",
        work="Trlaplace (public code)",
        part="noise of a batch",
        claim="(epsilon, 4^-300), for two texts that differ in one word",
        source="github.com/Skyyyy0920/Trlaplace, method.py and model.py",
        why="One vector of noise is added to every token of a batch: differences of tokens are exact.",
        repair="noise of its own for every token",
        instead="truncated-laplace",
        published=noise_on_two(TWO_VECTORS, shared=True, log_delta=-300 * math.log(4)),
        repaired=noise_on_two(TWO_VECTORS, shared=False, log_delta=-300 * math.log(4)),
    ),
)

# The largest epsilon of the paper's tables, with its delta 4^-300.
GAUSSIAN_TRIAL: Final = FormTrial(
    options={"epsilon": 20.0, "noise_dim": 300},
    opposites=True,
    reading=(
        "Theorem 2 is stated for epsilon up to 1; table 3 has Gaussian noise at epsilon 20, with delta 4^-300. For "
        "its truncated Laplace noise the paper pads vectors to 1,700 dimensions there; if these count for Gaussian "
        "noise too, delta is 4^-1700 and the claim holds."
    ),
)
