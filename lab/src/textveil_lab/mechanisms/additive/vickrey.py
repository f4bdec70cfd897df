"""Vickrey: noise on the vector, then one of the nearest words, chosen by the noisy vector alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, checked_ids
from textveil.privacy.guarantees import MetricDP
from textveil.randomness import resolve
from textveil.registry.options import VECTORS, Domain, Option, interval
from textveil.types import Ids, Progress, Reals, Vectors, WordDistances
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.mahalanobis import CovarianceWeight, elliptical_distances, elliptical_noise
from textveil_lab.mechanisms.additive.perturb_project import clipped_distances, clipped_points, drawn_from_noise
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_noise
from textveil_lab.mechanisms.parameters import Clip, EpsilonPerDistance, given
from textveil_lab.nearest.projection import nearest_few
from textveil_lab.noise.distribution import NoiseDistribution


def _numbers(text: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        return ()
    return numbers if all(0 <= number < np.inf for number in numbers) else ()


SecondShare: TypeAlias = Annotated[
    float,
    Option(
        interval("between 0 and 1", 0, 1),
        "Preference for the second nearest word: at 0 always the nearest, at 1 always the second.",
        "T",
        VECTORS,
    ),
]
NeighborRates: TypeAlias = Annotated[
    str,
    Option(
        Domain(
            "two numbers >= 0 or more, with commas between them",
            lambda value: len(_numbers(value)) >= 2,
            inside=("2,0.5",),
            outside=("", "1", "1,x", "1,-1"),
        ),
        "In place of t: of the k nearest words take the i-th with weight exp(-rate_i d_i); the k rates.",
        "R,R",
        VECTORS,
        unset="the two nearest, by t",
    ),
]


@dataclass(frozen=True, slots=True)
class NeighborChoice:
    """Choice among the k nearest words, given their distances d_1 <= ... <= d_k from the noisy vector.

    With ``t``, for k = 2: the nearest with probability (1 - t) d_2 / (t d_1 + (1 - t) d_2). With ``rates``: the i-th
    with probability proportional to exp(-rates_i d_i).
    """

    t: float  # between 0 and 1; not used if there are rates
    rates: tuple[float, ...] = ()  # none, or k >= 2 of them, finite and >= 0

    def __post_init__(self) -> None:
        need(0 <= self.t <= 1, "t", self.t, "between 0 and 1")

    @property
    def count(self) -> int:
        """Number k of words to choose from."""
        return len(self.rates) or 2

    def shares(self, distances: Reals) -> Reals:
        """Return the probabilities of the k words; shape (batch, k) to (batch, k)."""
        if self.rates:
            heights = -distances * np.array(self.rates)
            weights = np.exp(heights - heights.max(axis=1, keepdims=True))
            return weights / weights.sum(axis=1, keepdims=True)
        first, second = distances.T
        below = self.t * first + (1 - self.t) * second
        # Both distances are 0, or one is and t is 1: the limit from larger ones.
        nearest = np.divide((1 - self.t) * second, below, out=np.full(len(below), 1 - self.t), where=below > 0)
        return np.stack([nearest, 1 - nearest], axis=1)

    def __call__(self, ids: Ids, distances: Reals, generator: np.random.Generator) -> Ids:
        """Return one of the k words of each row; shapes (batch, k), (batch, k) to (batch,)."""
        passed = self.shares(distances).cumsum(axis=1)[:, :-1]
        place = (generator.random(len(ids))[:, None] >= passed).sum(axis=1)
        return ids[np.arange(len(ids)), place]


def neighbor_choice(t: float, neighbor_rates: str | None, size: int, spare: int = 0) -> NeighborChoice:
    """Return the choice that the options ask for.

    Args:
        t: see ``NeighborChoice``.
        neighbor_rates: numbers with commas; None: ``t`` decides.
        size: number of words of the vocabulary.
        spare: number of words needed beyond the k.

    Raises:
        ParameterError: the vocabulary has too few words.
    """
    choice = NeighborChoice(t, () if neighbor_rates is None else _numbers(neighbor_rates))
    need(
        choice.count + spare <= size, "neighbor_rates", choice.count, f"at most {size - spare} numbers for {size} words"
    )
    return choice


PROOF = "textveil_lab/proofs/vickrey.md"


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class Vickrey:
    """Release one of the k words nearest to clip(v(x)) + noise, by their distances from that noisy vector.

    The noise and the choice are fresh for every token. The choice sees the noisy vector and public vectors, never the
    word: it is post-processing, and the guarantee is that of the noise.
    """

    name: ClassVar[str] = "vickrey"
    parameters: Mapping[str, Any]
    vocabulary: Vocabulary
    distribution: NoiseDistribution
    clip: float | None
    guarantee: MetricDP
    choice: NeighborChoice  # among the nearest words
    points: Vectors = field(repr=False)  # points to which noise is added, shape (n, dim)
    distances: WordDistances = field(repr=False)  # the metric of the guarantee

    def word_distances(self, ids: Ids) -> Reals:
        return self.distances(checked_ids(ids, len(self.vocabulary)))

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)

        def chosen(_: Ids, vectors: Vectors) -> Ids:
            return self.choice(*nearest_few(self.points, vectors, self.choice.count), generator)

        return drawn_from_noise(self.points, words, self.distribution, generator, chosen)


@proved(
    family="perturb and project",
    notion="metric DP",
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

    d_1 <= d_2 are their distances from the noisy vector. The noise is that of ``cmp``, or with a covariance weight that
    of ``mahalanobis``, in whose distance the guarantee then is. The choice sees the noisy vector alone; code that
    excludes the input word has no such guarantee (``vickrey-published``). With ``neighbor_rates`` the choice is among
    as many words as there are rates, the i-th with weight exp(-rate_i d_i). Source: Xu, Aggarwal, Feyisetan and
    Teissier 2021 (the choice as in pyPANTERA, the rates as in MLDP); proof: textveil_lab/proofs/vickrey.md.

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
        guarantee=replace(guarantee, source=PROOF),
        choice=choice,
        points=clipped_points(vocabulary, clip),
        distances=distances,
    )
