"""Mahalanobis noise as public code draws it, with the direction scaled to length 1 too late: for audits."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from textveil.mechanisms.additive.mahalanobis import CovarianceWeight, elliptical_distances, elliptical_noise
from textveil.mechanisms.additive.perturb_project import PerturbProject, clipped_points, perturb_project
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Clip, Epsilon, EpsilonPerDistance, ProjectionName
from textveil.noise.renormalized_laplace import RenormalizedLaplace
from textveil.privacy.guarantees import MetricDP, Status
from textveil.types import Progress, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/mahalanobis_published.md"

_WORDS = 64
"""Words whose pairs are tried for a witness."""

_MARGIN = 1e-9
"""Relative: by how much a loss must exceed the claim to count; floating point is off by far less."""


@declared(
    family="perturb and project",
    notion="metric DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    source="public code: pyPANTERA, Mahalanobis",
    summary="Mahalanobis noise whose direction is scaled to length 1 after it was turned; its claim is false.",
    instead="mahalanobis",
)
def mahalanobis_published(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    covariance_weight: CovarianceWeight = 0.5,
    clip: Clip | None = None,
    projection: ProjectionName | None = None,
    progress: Progress | None = None,
) -> PerturbProject:
    """Noise R S V / ||S V|| with R ~ Gamma(dim, 1 / rate), claimed to be the Mahalanobis mechanism at that rate.

    Use ``mahalanobis`` for a guarantee that holds. The status is computed: ``REFUTED`` where two words of the
    vocabulary, of some that are tried, lose more than is claimed of them; at covariance weight 0 and in one dimension
    it is spherical noise and ``PROVED``; else ``CLAIMED``.
    Source: https://github.com/Kekkodf/pypantera, Mahalanobis; refutation: privacy/proofs/mahalanobis_published.md.

    Args:
        vocabulary: public words and vectors.
        epsilon: the claimed nats for any two words, by the diameter in the Mahalanobis distance.
        epsilon_per_distance: the claimed nats per unit of that distance: the rate.
        covariance_weight: between 0 and 1; at 1 the covariance must be invertible.
        clip: Euclidean norm to which longer vectors are shortened; None leaves them.
        projection: how the nearest word is searched; None is the fastest exact way that is installed.
        progress: called as the diameter is measured.
    """
    sound, guarantee, spent = elliptical_noise(
        vocabulary,
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        covariance_weight=covariance_weight,
        clip=clip,
        progress=progress,
    )
    noise = RenormalizedLaplace(root=sound.root, rate=sound.rate)
    return perturb_project(
        vocabulary,
        noise,
        MetricDP(
            epsilon_per_distance=guarantee.epsilon_per_distance,
            metric=guarantee.metric,
            diameter=guarantee.diameter,
            status=_status(noise, clipped_points(vocabulary, clip), covariance_weight),
            source=REFUTATION,
        ),
        name="mahalanobis-published",
        parameters={name: value for name, value in spent.items() if name != "euclidean_epsilon_per_distance"},
        clip=clip,
        projection=projection,
        distances=elliptical_distances(vocabulary, sound, clip),
    )


def _status(noise: RenormalizedLaplace, points: Vectors, weight: float) -> Status:
    """Whether two of some evenly spaced words lose more than the rate times their distance."""
    if weight == 0 or noise.dim == 1:
        return Status.PROVED
    chosen = np.unique(np.linspace(0, len(points) - 1, _WORDS).astype(np.int64))
    for first, second in combinations(points[chosen].astype(np.float64), 2):
        shift = first - second
        claimed = noise.rate * float(noise.stretch(shift[None])[0])
        if shift.any() and noise.privacy_profile(shift).largest_loss > claimed * (1 + _MARGIN):
            return Status.REFUTED
    return Status.CLAIMED
