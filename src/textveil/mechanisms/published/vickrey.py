"""Vickrey as public code has it, without the input word among the candidates: for audits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from textveil.mechanisms.additive.neighbor_choice import NeighborChoice, NeighborRates, SecondShare, neighbor_choice
from textveil.mechanisms.additive.perturb_project import clipped_points, drawn_from_noise, euclidean
from textveil.mechanisms.additive.spherical_laplace import spherical_noise
from textveil.mechanisms.base import checked_ids
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Clip, Epsilon, EpsilonPerDistance, given
from textveil.mechanisms.published.witness import DrawnWitness, drawn_witness
from textveil.nearest.ranked import nearest_few
from textveil.noise.spherical_laplace import SphericalLaplace
from textveil.privacy.guarantees import MetricDP, Status
from textveil.randomness import resolve, seeded_generator
from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/vickrey_published.md"

_WORDS, _OFTEN = 256, 8
"""Words of which draws show what comes out often, and how many of these, with their nearest, are tried."""

_SCORES = 1 << 24
_FEWEST, _MOST = 1 << 9, 1 << 13
"""Distances that the draws of one word may take, and between how many draws that is."""

_SEED = 11


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
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

    def word_distances(self, ids: Ids) -> Reals:
        """See ``capabilities.OnWordDistances``."""
        return euclidean(self.points, checked_ids(ids, len(self.vocabulary)))

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``WordMechanism.privatize``."""
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)
        return _drawn(self.points, words, self.noise, self.choice, generator)


def _drawn(
    points: Vectors, words: Ids, noise: SphericalLaplace, choice: NeighborChoice, generator: np.random.Generator
) -> Ids:
    """One output for each word."""

    def chosen(inputs: Ids, vectors: Vectors) -> Ids:
        near, distances = nearest_few(points, vectors, choice.count + 1)
        first = (near[:, 0] == inputs).astype(np.int64)[:, None]  # the defect: the input word is looked at
        places = first + np.arange(choice.count)
        taken = np.take_along_axis
        return choice(taken(near, places, axis=1), taken(distances, places, axis=1), generator)

    return drawn_from_noise(points, words, noise, generator, chosen)


def _witness(points: Vectors, noise: SphericalLaplace, choice: NeighborChoice) -> DrawnWitness | None:
    """Two words that lose more than the rate times their distance, where draws show it.

    Words that come out often are tried with their nearest: they come out less often for themselves.
    """
    n = len(points)
    some = np.unique(np.linspace(0, n - 1, min(n, _WORDS)).astype(np.int64))
    draws = int(np.clip(_SCORES // n, _FEWEST, _MOST))
    drawn = _drawn(points, np.resize(some, draws), noise, choice, seeded_generator(_SEED))
    often, counts = np.unique(drawn, return_counts=True)
    often = often[np.argsort(-counts, kind="stable")[:_OFTEN]]
    words = np.unique(nearest_few(points, points[often], 2)[0])
    gaps = points[words][:, None].astype(np.float64) - points[words]
    allowed = noise.rate * np.linalg.norm(gaps, axis=2) * (1 + 1e-6)
    return drawn_witness(lambda inputs, rng: _drawn(points, inputs, noise, choice, rng), words, allowed, draws=draws)


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
    faiss). The status is computed: ``REFUTED`` where a word that comes out often tells itself and its nearest word
    apart by more than is claimed, by draws under a public seed at confidence 1 - 1e-9; else ``CLAIMED``, for nothing
    proves it. Whether the paper's algorithm leaves the word out as well could not be read.
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
    points = clipped_points(vocabulary, clip)
    noise, guarantee, spent = spherical_noise(
        vocabulary, epsilon=epsilon, epsilon_per_distance=epsilon_per_distance, clip=clip
    )
    witness = _witness(points, noise, choice)
    claim = MetricDP(
        epsilon_per_distance=guarantee.epsilon_per_distance,
        metric=guarantee.metric,
        diameter=guarantee.diameter,
        status=Status.CLAIMED if witness is None else Status.REFUTED,
        source=REFUTATION,
    )
    return PublishedVickrey(
        parameters={
            **spent,
            **({"t": t} if neighbor_rates is None else {}),
            **given(neighbor_rates=neighbor_rates),
            "clip": clip,
            "witness": None if witness is None else witness.to_data(vocabulary),
        },
        vocabulary=vocabulary,
        noise=noise,
        guarantee=claim,
        choice=choice,
        points=points,
    )
