"""TEM with the last element's score as in a public package: for audits."""

import math
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import refuted
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.privacy.guarantees import MetricDP, Status
from textveil.privacy.proved import status_of
from textveil.registry.options import GUARANTEE, POSITIVE, Option
from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.tem import BETA
from textveil_lab.mechanisms.parameters import Clip, metric_name, outward
from textveil_lab.mechanisms.published.claims import (
    METRIC,
    MLDP,
    ComputedTable,
    PublishedClaim,
    TrialSetting,
    line,
    metric_table,
    softmax,
)
from textveil_lab.mechanisms.sampling.distance_weights import slip
from textveil_lab.mechanisms.sampling.listed_rows import ListedRow, ListedRows
from textveil_lab.nearest.identical_rows import FirstRows, first_rows
from textveil_lab.vocabulary.geometry import clip as clip_vectors
from textveil_lab.vocabulary.geometry import clipped_diameter
from textveil_lab.vocabulary.geometry.pairs import shortest_distance
from textveil_lab.vocabulary.grid_distances import distances_on, rounding_of

REFUTATION: Final = "textveil_lab/proofs/tem_published.md"
_TOP_BITS: Final = 61
_STEEPEST: Final = 20.0  # Nats over the diameter up to which ``slip`` bounds the error of a weight
_COMPARED: Final = 128
"""Number of words searched for a pair that breaks the claim, evenly spaced in the vocabulary."""

_MARGIN: Final = 1e-6
"""Relative margin by which a loss must exceed the claim; integers and floats are far more precise."""

_PER_DISTANCE = Option(POSITIVE, "The claimed nats per unit of distance.", "E", GUARANTEE)


@dataclass(frozen=True, slots=True, eq=False)
class PublishedRows:
    """Maker of a word's row as the package scores it; see ``ListRows``.

    Words that share a vector have one row, bit for bit: computed distances of such words may differ in the last place.
    """

    vocabulary: Vocabulary
    rate: float
    gamma: float
    clip: float | None
    alike: FirstRows

    def __call__(self, words: Ids) -> list[ListedRow]:
        every = np.arange(len(self.vocabulary))
        top = 1 << _top_bits(len(every))
        weights = (published_weights(far, self.rate, self.gamma) for far in self.distances(words))
        return [ListedRow(every, np.cumsum(np.maximum((row * top).astype(np.int64), 1))) for row in weights]

    def distances(self, words: Ids) -> Reals:
        """Return distances of the clipped vectors, shape (batch, n)."""
        far = distances_on(integer_grid(self.vocabulary), self.alike(words), self.clip)
        return far if self.alike.first is None else far[:, self.alike.first]


def published_weights(far: Reals, rate: float, gamma: float) -> Reals:
    """Return exp(-rate d) within gamma; beyond, an equal share of exp(-rate gamma) n / within."""
    inside = far <= gamma
    within, n = int(inside.sum()), len(far)
    weights = np.exp(-rate * np.minimum(far, gamma))
    if within < n:
        weights[~inside] *= n / (within * (n - within))
    return weights


def _top_bits(n: int) -> int:
    """Return the weight at distance 0, a power of two: n such weights stay below 2^62."""
    return _TOP_BITS - math.ceil(math.log2(n))


@refuted(
    family="channel",
    notion="metric DP",
    proof=REFUTATION,
    source="public code of Meisenbacher et al. 2024 (MLDP, mldp-text), class TEM",
    summary="tem with another score for the words beyond the truncation distance; its claim fails where words differ "
    "in how many are near.",
    instead="tem",
    shown_at={"epsilon_per_distance": 0.5, "beta": 0.9},
)
def tem_published(
    vocabulary: Vocabulary,
    *,
    epsilon_per_distance: Annotated[float, _PER_DISTANCE] = 1.0,
    beta: Annotated[float, BETA] = 0.001,
    clip: Clip | None = None,
) -> IntegerChannel:
    """TEM with the score -gamma + 2 ln(n / within) / epsilon for the element in place of the words beyond gamma.

    The paper's score counts the others, n - within. The claim is epsilon d-privacy. The status is computed: ``PROVED``
    if all words are within gamma of each other (it is ``santext`` then) and rounding cannot break the claim,
    ``REFUTED`` if two of up to 128 words break it, else ``CLAIMED``. If all words are within gamma of the input, the
    package fails when it draws the last element; here there is none.
    """
    n = len(vocabulary)
    gamma = round(2 * math.log((1 - beta) * n / beta) / epsilon_per_distance, 1)
    most = 20 * 2 * math.log((1 - beta) * n / beta)
    need(gamma > 0, "epsilon_per_distance", epsilon_per_distance, f"below {most:.4g}, where gamma is rounded to 0")
    diameter = outward(clipped_diameter(vocabulary, clip, 2))
    need(diameter > 0, "vocabulary", "one vector for all words", "one with two different vectors at least")
    points = vocabulary.vectors if clip is None else clip_vectors(vocabulary.vectors, clip)
    alike = first_rows(points)
    rows = PublishedRows(vocabulary, epsilon_per_distance / 2, gamma, clip, alike)
    sound = diameter <= min(gamma, _STEEPEST / rows.rate) and _rounding_is_covered(rows, points, diameter)
    promise = MetricDP(
        epsilon_per_distance=epsilon_per_distance,
        metric=metric_name("euclidean", clip),
        diameter=diameter,
        status=status_of(__name__, REFUTATION) if sound else _status(rows, epsilon_per_distance),
        source=REFUTATION,
    )
    facts = {"epsilon_per_distance": epsilon_per_distance, "beta": beta, "gamma": gamma, "clip": clip}
    return IntegerChannel(vocabulary, "tem-published", facts, promise, ListedRows(n, rows), rows.distances)


def _rounding_is_covered(rows: PublishedRows, points: Vectors, diameter: float) -> bool:
    n, grid = len(points), integer_grid(rows.vocabulary)
    different = points if rows.alike.first is None else points[np.unique(rows.alike.first)]
    least, rounding = shortest_distance(different), rounding_of(grid, points, rows.clip)
    apart = least - 2 * rounding
    if apart <= 0:
        return False
    longest = float(np.linalg.norm(points.astype(np.float64), axis=1).max()) + rounding
    smallest = math.ldexp(math.exp(-rows.rate * (diameter + 2 * rounding)), _top_bits(n) - 1)
    left = -math.log1p(math.expm1(-2 * rows.rate * least) / n)
    return 4 * slip(rows.rate, smallest, longest, apart, rounding) <= left * (1 - 2.0**-20)


def _status(rows: PublishedRows, claimed: float) -> Status:
    n = len(rows.vocabulary)
    ids = np.unique(np.linspace(0, n - 1, min(n, _COMPARED)).astype(np.int64))
    logs = np.stack([np.log(np.diff(row.sums, prepend=0) / float(row.sums[-1])) for row in rows(ids)])
    for row, far in zip(logs, rows.distances(ids)[:, ids], strict=True):
        losses = (row - logs).max(axis=1)
        if bool((losses > claimed * far * (1 + _MARGIN) + _MARGIN).any()):
            return Status.REFUTED
    return Status.CLAIMED


def _radius(setting: TrialSetting) -> float:
    return 2 / setting.epsilon * math.log((1 - 0.001) * (len(setting.points) - 1) / 0.001)


def _law(setting: TrialSetting) -> ComputedTable:
    radius = round(_radius(setting), 1)
    weights = np.stack([published_weights(far, setting.epsilon / 2, radius) for far in setting.distances])
    return metric_table(setting, weights / weights.sum(axis=1, keepdims=True), radius=radius)


def _pantera_law(setting: TrialSetting) -> ComputedTable:
    radius = _radius(setting)
    shares = softmax(-setting.epsilon / 2 * np.minimum(setting.distances, radius))
    beyond = setting.distances > radius
    rows = np.where(beyond, 0.0, shares)
    np.fill_diagonal(rows, rows.diagonal() + np.where(beyond, shares, 0.0).sum(axis=1))
    return metric_table(setting, rows, radius=radius)


def truncated_law(setting: TrialSetting) -> ComputedTable:
    """Return P(y | x) proportional to exp(-epsilon min(d, radius) / 2), the law of the paper's scores."""
    return metric_table(setting, softmax(-setting.epsilon * np.minimum(setting.distances, _radius(setting)) / 2))


CLAIMS: Final = (
    PublishedClaim(
        name="mldp-tem",
        work="MLDP",
        part="TEM",
        claim=METRIC,
        source=f"{MLDP}, class TEM; Carvalho et al., arXiv 2107.07928",
        why="The words beyond the radius are scored by ln(words / words within) where their own number is meant.",
        repair="score the rest by its own number: weights exp(-epsilon min(d, radius) / 2)",
        instead="tem",
        form="tem-published",
        # Three words lie within the radius of the one word and just beyond it for the other.
        setting=line(5.0, -3.37, -3.36, -3.35, 0.0, 0.08, 100.0),
        published=_law,
        repaired=truncated_law,
    ),
    PublishedClaim(
        name="pypantera-tem",
        work="pyPANTERA",
        part="TEM",
        claim=METRIC,
        source="github.com/Kekkodf/pypantera, pypantera/src/SamplingPerturbationMechanism/tem.py",
        why="Drawing a word beyond the radius raises, and what catches it returns the input: none ever comes out.",
        repair="draw a word beyond the radius uniformly",
        instead="tem",
        setting=line(5.0, 0.0, 1.0, 3.0, 5.0),
        published=_pantera_law,
        repaired=truncated_law,
    ),
)
