"""Mahalanobis noise as public code draws it, with the direction scaled to length 1 too late: for audits."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from textveil.mechanisms.additive.mahalanobis import CovarianceWeight, elliptical_distances, elliptical_noise
from textveil.mechanisms.additive.perturb_project import PerturbProject, clipped_points, perturb_project
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Clip, Epsilon, EpsilonPerDistance, ProjectionName
from textveil.mechanisms.published.claims import DensityAtPoint, FormTrial, PublishedClaim, TrialSetting, line
from textveil.noise.elliptical_laplace import EllipticalLaplace
from textveil.noise.renormalized_laplace import RenormalizedLaplace
from textveil.privacy.guarantees import Status
from textveil.types import Progress, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/mahalanobis_published.md"

_WORDS = 64  # words whose pairs are tried for a witness
_MARGIN = 1e-9  # Relative: by how much a loss must exceed the claim to count; floating point is off by far less


@declared(
    family="perturb and project",
    notion="metric DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    source="public code: pyPANTERA, Mahalanobis",
    summary="Mahalanobis noise whose direction is scaled to length 1 after it was turned; its claim is false.",
    instead="mahalanobis",
    shown_at={"epsilon": 1.0, "covariance_weight": 0.9},
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
    status = _status(noise, clipped_points(vocabulary, clip), covariance_weight)
    return perturb_project(
        vocabulary,
        noise,
        replace(guarantee, status=status, source=REFUTATION),
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


_AXES: Final = (1.8, 0.2)
"""Variances of two coordinates, 1 in the mean as the paper scales them, all of it the shape (lambda = 1)."""


def _direction(setting: TrialSetting, *, renormalized: bool) -> DensityAtPoint:
    """Two words a little apart along the long axis: an output beside the one is, seen from the other, along that axis.

    The density of the published direction is not constant, so it jumps between directions near the word.
    """
    long, short = (math.sqrt(variance) for variance in _AXES)
    apart, height = 0.05 / setting.epsilon, 0.001 / setting.epsilon
    seen = np.array([[0.0, -height], [-apart, -height]])
    kind = RenormalizedLaplace if renormalized else EllipticalLaplace
    logs = kind(rate=setting.epsilon, root=np.diag([long, short])).log_density(seen).tolist()
    return DensityAtPoint(
        log_density=logs[1],
        other_log_density=logs[0],
        error=1e-9,
        # Distance in the metric of the shape, in which the claim is made.
        claimed=setting.epsilon * apart / long,
        facts={"input": [apart, 0.0], "other_input": [0.0, 0.0], "output": [0.0, -height], "variances": list(_AXES)},
    )


CLAIMS: Final = (
    PublishedClaim(
        name="pypantera-mahalanobis",
        work="pyPANTERA",
        part="Mahalanobis",
        claim="epsilon times the Mahalanobis distance, for any two words",
        source="github.com/Kekkodf/pypantera, EmbeddingPerturbationMechanism/mahalanobis.py",
        why="The bent direction is set to length 1 again, so its density jumps between directions near the word.",
        repair="leave the bent direction as long as it is",
        instead="mahalanobis",
        form="mahalanobis-published",
        setting=line(1.0, 0.0, 1.0),
        published=lambda setting: _direction(setting, renormalized=True),
        repaired=lambda setting: _direction(setting, renormalized=False),
    ),
)

TRIAL: Final = FormTrial(options={"epsilon": 1.0})
