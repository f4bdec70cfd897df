"""Vickrey: noise on the vector, then one of the nearest words, chosen by the noisy vector alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from textveil.mechanisms.additive.mahalanobis import CovarianceWeight, elliptical_distances, elliptical_noise
from textveil.mechanisms.additive.neighbor_choice import NeighborChoice, NeighborRates, SecondShare, neighbor_choice
from textveil.mechanisms.additive.perturb_project import clipped_distances, clipped_points, drawn_from_noise
from textveil.mechanisms.additive.spherical_laplace import spherical_noise
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.kinds import checked_ids
from textveil.mechanisms.parameters import Clip, Epsilon, EpsilonPerDistance, given
from textveil.nearest.ranked import nearest_few
from textveil.noise.distribution import NoiseDistribution
from textveil.privacy.guarantees import MetricDP, Status
from textveil.randomness import resolve
from textveil.types import Ids, Progress, Reals, Vectors, WordDistances
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/vickrey.md"


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class Vickrey:
    """y = one of the k words nearest to clip(v(x)) + noise, by their distances from that noisy vector.

    The noise and the choice are fresh for every token. The choice sees the noisy vector and public vectors, never the
    word: it is post-processing, and the guarantee is that of the noise.

    Attributes:
        parameters: public parameters, for reports.
        vocabulary: the public words and vectors.
        distribution: the distribution of the noise.
        clip: norm to which longer vectors were shortened; None where they were not.
        guarantee: of one token.
        choice: among the nearest words.
        points: what noise is added to, shape (n, dim).
        distances: the metric of the guarantee.
    """

    name: ClassVar[str] = "vickrey"
    parameters: Mapping[str, Any]
    vocabulary: Vocabulary
    distribution: NoiseDistribution
    clip: float | None
    guarantee: MetricDP
    choice: NeighborChoice
    points: Vectors = field(repr=False)
    distances: WordDistances = field(repr=False)

    def word_distances(self, ids: Ids) -> Reals:
        """See ``capabilities.OnWordDistances``."""
        return self.distances(checked_ids(ids, len(self.vocabulary)))

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``WordMechanism.privatize``."""
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)

        def chosen(_: Ids, vectors: Vectors) -> Ids:
            return self.choice(*nearest_few(self.points, vectors, self.choice.count), generator)

        return drawn_from_noise(self.points, words, self.distribution, generator, chosen)


@declared(
    family="perturb and project",
    notion="metric DP",
    status=Status.PROVED,
    proof=PROOF,
    source="Xu, Aggarwal, Feyisetan and Teissier 2021",
    summary="Noise of density exp(-rate ||z||), then the nearest word or the second, by their distances.",
)
def vickrey(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    t: SecondShare = 0.75,
    neighbor_rates: NeighborRates | None = None,
    covariance_weight: CovarianceWeight = 0.0,
    clip: Clip | None = None,
    progress: Progress | None = None,
) -> Vickrey:
    """The nearest word with probability (1 - t) d_2 / (t d_1 + (1 - t) d_2), else the second.

    d_1 <= d_2 are their distances from the noisy vector. The noise is that of ``cmp``, or with a covariance weight
    that of ``mahalanobis``, in whose distance the guarantee then is. The choice sees the noisy vector alone; code that
    leaves out the input word has no such guarantee (``vickrey-published``). With ``neighbor_rates`` the choice is among
    as many words, the i-th with weight exp(-rate_i d_i).
    Source: Xu, Aggarwal, Feyisetan and Teissier 2021 (the choice as pyPANTERA has it, the rates as MLDP has
    them); proof: privacy/proofs/vickrey.md.

    The rate is ``epsilon_per_distance``, or ``epsilon`` divided by the exact diameter.
    """
    choice = neighbor_choice(t, neighbor_rates, len(vocabulary))
    noise: NoiseDistribution
    distances: WordDistances
    if covariance_weight == 0:
        noise, guarantee, spent = spherical_noise(
            vocabulary, epsilon=epsilon, epsilon_per_distance=epsilon_per_distance, clip=clip
        )
        distances = clipped_distances(vocabulary, clip)
    else:
        noise, guarantee, spent = elliptical_noise(
            vocabulary,
            epsilon=epsilon,
            epsilon_per_distance=epsilon_per_distance,
            covariance_weight=covariance_weight,
            clip=clip,
            progress=progress,
        )
        distances = elliptical_distances(vocabulary, noise, clip)
    promise = MetricDP(
        epsilon_per_distance=guarantee.epsilon_per_distance,
        metric=guarantee.metric,
        diameter=guarantee.diameter,
        status=Status.PROVED,
        source=PROOF,
    )
    return Vickrey(
        parameters={
            **spent,
            **({"t": t} if neighbor_rates is None else {}),
            **given(neighbor_rates=neighbor_rates),
            "covariance_weight": covariance_weight,
            "clip": clip,
        },
        vocabulary=vocabulary,
        distribution=noise,
        clip=clip,
        guarantee=promise,
        choice=choice,
        points=clipped_points(vocabulary, clip),
        distances=distances,
    )
