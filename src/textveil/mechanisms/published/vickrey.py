"""Vickrey as public code has it, without the input word among the candidates: for audits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from textveil.mechanisms.additive.neighbor_choice import NeighborChoice, NeighborRates, SecondShare, neighbor_choice
from textveil.mechanisms.additive.perturb_project import clipped_points, drawn_from_noise
from textveil.mechanisms.additive.spherical_laplace import spherical_noise
from textveil.mechanisms.base import checked_ids
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Clip, Epsilon, EpsilonPerDistance, given
from textveil.nearest.ranked import nearest_few
from textveil.noise.spherical_laplace import SphericalLaplace
from textveil.privacy.guarantees import MetricDP, Status
from textveil.randomness import resolve
from textveil.types import Ids, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/vickrey_published.md"


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PublishedVickrey:
    """The choice of ``vickrey`` among the k nearest words, or, where the nearest is the input word, among the next k.

    The choice looks at the input after the noise was added: it is no post-processing. The class offers its noise to no
    audit of noisy vectors, for what is released is not computed from the noisy vector alone.

    Attributes:
        parameters: public parameters, for reports.
        vocabulary: the public words and vectors.
        noise: what is added to a vector.
        guarantee: the claim.
        choice: among the candidates.
        points: what noise is added to, shape (n, dim).
    """

    parameters: Mapping[str, Any]
    vocabulary: Vocabulary
    noise: SphericalLaplace
    guarantee: MetricDP
    choice: NeighborChoice
    points: Vectors = field(repr=False)

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "vickrey-published"

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``WordMechanism.privatize``."""
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)
        count = self.choice.count

        def chosen(inputs: Ids, vectors: Vectors) -> Ids:
            near, distances = nearest_few(self.points, vectors, count + 1)
            first = (near[:, 0] == inputs).astype(np.int64)[:, None]  # the defect: the input word is looked at
            places = first + np.arange(count)
            taken = np.take_along_axis
            return self.choice(taken(near, places, axis=1), taken(distances, places, axis=1), generator)

        return drawn_from_noise(self.points, words, self.noise, generator, chosen)


@declared(
    family="perturb and project",
    notion="metric DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    source="public code: sjmeis/MLDP, VickreyMechanism",
    summary="Vickrey that passes over the input word where it is the nearest; its claim is false.",
    instead="vickrey",
)
def vickrey_published(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    t: SecondShare = 0.75,
    neighbor_rates: NeighborRates | None = None,
    clip: Clip | None = None,
) -> PublishedVickrey:
    """``vickrey`` with the input word left out where it is the nearest to the noisy vector, and with the same claim.

    Use ``vickrey`` for a guarantee that holds. MLDP's own choice is ``neighbor_rates="1,0"`` (on squared distances, by
    faiss). Whether the paper's algorithm leaves the word out as well could not be read.
    Source: https://github.com/sjmeis/MLDP, VickreyMechanism; refutation: privacy/proofs/vickrey_published.md.

    Args:
        vocabulary: public words and vectors, three words at least.
        epsilon: the claimed nats for any two words.
        epsilon_per_distance: the claimed nats per unit of Euclidean distance: the rate of the noise.
        t: between 0, the nearest candidate, and 1, the second nearest.
        neighbor_rates: numbers >= 0 with commas, in place of t.
        clip: Euclidean norm to which longer vectors are shortened; None leaves them.
    """
    choice = neighbor_choice(t, neighbor_rates, len(vocabulary), spare=1)
    noise, guarantee, spent = spherical_noise(
        vocabulary, epsilon=epsilon, epsilon_per_distance=epsilon_per_distance, clip=clip
    )
    claim = MetricDP(
        epsilon_per_distance=guarantee.epsilon_per_distance,
        metric=guarantee.metric,
        diameter=guarantee.diameter,
        status=Status.REFUTED,
        source=REFUTATION,
    )
    return PublishedVickrey(
        parameters={
            **spent,
            **({"t": t} if neighbor_rates is None else {}),
            **given(neighbor_rates=neighbor_rates),
            "clip": clip,
        },
        vocabulary=vocabulary,
        noise=noise,
        guarantee=claim,
        choice=choice,
        points=clipped_points(vocabulary, clip),
    )
