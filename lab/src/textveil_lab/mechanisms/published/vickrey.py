"""Vickrey as in public code, without the input word among the candidates: for audits."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

import numpy as np

from textveil.mechanisms.declaration import refuted
from textveil.mechanisms.kinds import Epsilon, checked_ids
from textveil.privacy.guarantees import MetricDP, Status
from textveil.randomness import resolve, seeded_generator
from textveil.statistics import clopper_pearson
from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import clipped_points, drawn_from_noise, euclidean
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_noise
from textveil_lab.mechanisms.additive.vickrey import NeighborChoice, NeighborRates, SecondShare, neighbor_choice
from textveil_lab.mechanisms.parameters import Clip, EpsilonPerDistance, given
from textveil_lab.mechanisms.published.claims import (
    ABSOLUTE,
    METRIC,
    MLDP,
    ComputedTable,
    PublishedClaim,
    TrialSetting,
    breaks_of,
    integral,
    laplace,
    line,
    metric_table,
)
from textveil_lab.nearest.projection import nearest_few
from textveil_lab.noise.spherical_laplace import SphericalLaplace

REFUTATION = "textveil_lab/proofs/vickrey_published.md"
_WORDS, _OFTEN = 256, 8
"""Numbers of words whose draws show frequent outputs, and of frequent outputs tried with their nearest word."""

_SCORES = 1 << 24
_FEWEST, _MOST = 1 << 9, 1 << 13  # distances that the draws of one word may take, and between how many draws that is
_SEED = 11
_TEST_SEED: Final = 12
_CONFIDENCE: Final = 1 - 1e-9
"""Confidence of each of the two intervals: a true claim is accused with probability at most 1e-9."""


@dataclass(frozen=True, slots=True)
class DrawnWitness:
    """Output that tells two words apart, with a lower bound on its loss."""

    output: int  # its id
    likely: int  # the input under which it is likelier
    other: int  # the other input
    loss_at_least: float  # a lower bound on ln P(output | likely) / P(output | other), at confidence 1 - 1e-9

    def to_data(self, vocabulary: Vocabulary) -> dict[str, Any]:
        """Return JSON data for reports: the three words and the bound."""
        named = {"output": self.output, "likely": self.likely, "other": self.other}
        return {**{key: vocabulary.words[word] for key, word in named.items()}, "loss_at_least": self.loss_at_least}


def drawn_witness(
    draw: Callable[[Ids, np.random.Generator], Ids], words: Ids, allowed: Reals, *, draws: int
) -> DrawnWitness | None:
    """Return the two words, with an output, that exceed their allowed loss most; None if none do.

    Half of the draws choose the two and the output, the other half test them: the choice does not bias the test.

    Args:
        draw: function that draws an output for each input, freshly.
        words: different words, shape (words,).
        allowed: claimed nats for every pair of them, shape (words, words).
        draws: number of draws of each word, in each half.
    """
    rng = seeded_generator(_TEST_SEED)
    drawn = draw(words.repeat(draws), rng)
    outputs, which = np.unique(drawn, return_inverse=True)
    counts = np.zeros((len(words), len(outputs)))
    np.add.at(counts, (np.arange(len(words)).repeat(draws), which.reshape(-1)), 1)
    best, chosen = 0.0, None
    for likely in range(len(words)):
        # Few hits of the likelier input and none of the other look like much, and prove nothing.
        gains = np.log((counts[likely] + 0.5) / (counts + 16.0)) - allowed[likely, :, None]
        other, place = np.unravel_index(int(gains.argmax()), gains.shape)
        if gains[other, place] > best:
            best, chosen = float(gains[other, place]), (likely, int(other), int(outputs[place]))
    if chosen is None:
        return None
    likely, other_place, output = chosen
    hits = [int((draw(np.full(draws, words[place]), rng) == output).sum()) for place in (likely, other_place)]
    lower = clopper_pearson(hits[0], draws, _CONFIDENCE).lower
    upper = clopper_pearson(hits[1], draws, _CONFIDENCE).upper
    loss = math.log(lower / upper) if lower > 0 else -math.inf
    if loss <= allowed[likely, other_place]:
        return None
    return DrawnWitness(output, int(words[likely]), int(words[other_place]), loss)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class PublishedVickrey:
    """The choice of ``vickrey`` among the k nearest words, or among the next k if the nearest is the input word.

    The choice uses the input after the noise was added, so it is no post-processing. The class does not offer its noise
    to audits of noisy vectors, since the release depends on more than the noisy vector.
    """

    name: ClassVar[str] = "vickrey-published"
    parameters: Mapping[str, Any]
    vocabulary: Vocabulary
    noise: SphericalLaplace  # of a vector
    guarantee: MetricDP
    choice: NeighborChoice  # among the candidates
    points: Vectors = field(repr=False)  # points to which noise is added, shape (n, dim)

    def word_distances(self, ids: Ids) -> Reals:
        return euclidean(self.points, checked_ids(ids, len(self.vocabulary)))

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)
        return _drawn(self.points, words, self.noise, self.choice, generator)


def _drawn(
    points: Vectors, words: Ids, noise: SphericalLaplace, choice: NeighborChoice, generator: np.random.Generator
) -> Ids:
    def chosen(inputs: Ids, vectors: Vectors) -> Ids:
        near, distances = nearest_few(points, vectors, choice.count + 1)
        first = (near[:, 0] == inputs).astype(np.int64)[:, None]  # the defect: the choice uses the input word
        places = first + np.arange(choice.count)
        taken = np.take_along_axis
        return choice(taken(near, places, axis=1), taken(distances, places, axis=1), generator)

    return drawn_from_noise(points, words, noise, generator, chosen)


def _witness(points: Vectors, noise: SphericalLaplace, choice: NeighborChoice) -> DrawnWitness | None:
    """Return two words that lose more than the rate times their distance, if draws show it.

    Frequent outputs are tried with their nearest word: they come out less often for themselves.
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


@refuted(
    family="perturb and project",
    notion="metric DP",
    proof=REFUTATION,
    source="public code: sjmeis/MLDP, VickreyMechanism",
    summary="Vickrey that passes over the input word where it is the nearest; its claim is false.",
    instead="vickrey",
    shown_at={"epsilon": 0.5, "t": 0.25},
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
    """``vickrey`` without the input word if it is the nearest to the noisy vector, under the same claim.

    Use ``vickrey`` for a guarantee that holds. MLDP's own choice is ``neighbor_rates="1,0"`` (on squared distances, by
    faiss). The status is computed: ``REFUTED`` if a frequent output tells itself and its nearest word apart by more
    than claimed, by draws under a public seed at confidence 1 - 1e-9; else ``CLAIMED``. Whether the paper's algorithm
    leaves the word out as well is unknown.
    """
    choice = neighbor_choice(t, neighbor_rates, len(vocabulary), spare=1)
    points = clipped_points(vocabulary, clip)
    noise, guarantee, spent = spherical_noise(
        vocabulary, epsilon=epsilon, epsilon_per_distance=epsilon_per_distance, clip=clip
    )
    witness = _witness(points, noise, choice)
    status = Status.CLAIMED if witness is None else Status.REFUTED
    claim = replace(guarantee, status=status, source=REFUTATION)
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


def two_nearest(setting: TrialSetting, *, skips: bool) -> ComputedTable:
    """Return a table: Laplace noise, then the nearest word (weight exp(-distance)) or the second (weight 1).

    ``skips``: leave the input word out.
    """
    points, scale = setting.points, 1 / setting.epsilon

    def row(x: int) -> Reals:
        def values(at: Reals) -> Reals:
            apart = np.abs(at[:, None] - points[None, :])
            order = np.argsort(apart, axis=1, kind="stable")
            first = np.where(skips & (order[:, 0] == x), 1, 0)
            places = np.arange(len(at))
            nearest, second = order[places, first], order[places, first + 1]
            weight = np.exp(-apart[places, nearest])
            shares = np.zeros((len(at), len(points)))
            shares[places, nearest] = weight / (1 + weight)
            shares[places, second] += 1 / (1 + weight)
            return shares * laplace(at, points[x], scale)[:, None]

        return integral(values, breaks_of(points), scale)

    return metric_table(setting, np.stack([row(x) for x in range(len(points))]), ABSOLUTE)


CLAIMS: Final = (
    PublishedClaim(
        name="mldp-vickrey",
        work="MLDP",
        part="Vickrey",
        claim=METRIC,
        source=f"{MLDP}, class VickreyMechanism; Xu et al., arXiv 2104.11838",
        why="Where the nearest word is the input it is dropped: the choice consults the true word.",
        repair="choose among the nearest words of the noisy vector, the input among them",
        instead="vickrey",
        form="vickrey-published",
        setting=line(1.0, 0.0, 1.0, 2.0, 3.0),
        published=lambda setting: two_nearest(setting, skips=True),
        repaired=lambda setting: two_nearest(setting, skips=False),
    ),
)
