"""TEM as a public package scores its last element: for audits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Final, final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.channels.integer_channel import IntegerChannel
from textveil.mechanisms.channels.tem import BETA
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import GUARANTEE, POSITIVE, Option
from textveil.mechanisms.parameters import Clip, metric_name, outward
from textveil.mechanisms.sampling.listed_rows import ListedRow, ListedRows
from textveil.privacy.guarantees import MetricDP, Status
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.geometry import clipped_diameter
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION: Final = "privacy/proofs/tem_published.md"

_TOP_BITS: Final = 61

_STEEPEST: Final = 20.0
"""Nats over the diameter up to which no integer weight is so small that its rounding could break the claim."""

_COMPARED: Final = 128
"""Words among which a pair that breaks the claim is looked for, evenly spaced in the vocabulary's order."""

_MARGIN: Final = 1e-6
"""Relative: by how much a loss must exceed the claim to count; integers and floats are off by far less."""

_PER_DISTANCE = Option(domain=POSITIVE, help="The claimed nats per unit of distance.", metavar="E", group=GUARANTEE)


@final
@dataclass(frozen=True, slots=True, eq=False)
class PublishedRows:
    """Makes the row of a word as the package scores it; see ``ListRows``."""

    vocabulary: Vocabulary
    rate: float
    gamma: float
    clip: float | None

    def __call__(self, words: Ids) -> list[ListedRow]:
        """The rows of these words, all words listed."""
        every = np.arange(len(self.vocabulary))
        return [ListedRow(every, np.cumsum(self._weights(row))) for row in self.distances(words)]

    def distances(self, words: Ids) -> Reals:
        """Distances of the clipped vectors, shape (batch, n)."""
        return integer_grid(self.vocabulary).distances(words, self.clip)

    def _weights(self, far: Reals) -> Integers:
        """exp(-rate d) within gamma; beyond, the share of one of the others of exp(-rate gamma) n / within."""
        inside = far <= self.gamma
        within, n = int(inside.sum()), len(far)
        weights = np.exp(-self.rate * np.minimum(far, self.gamma))
        if within < n:
            weights[~inside] *= n / (within * (n - within))
        top = 1 << (_TOP_BITS - math.ceil(math.log2(n)))
        return np.maximum((weights * top).astype(np.int64), 1)


@declared(
    family="channel",
    notion="metric DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    source="public code of Meisenbacher et al. 2024 (MLDP, mldp-text), class TEM",
    summary="tem with another score for the words beyond the truncation distance; its claim fails where words differ "
    "in how many are near.",
    instead="tem",
)
def tem_published(
    vocabulary: Vocabulary,
    *,
    epsilon_per_distance: Annotated[float, _PER_DISTANCE] = 1.0,
    beta: Annotated[float, BETA] = 0.001,
    clip: Clip | None = None,
) -> IntegerChannel:
    """TEM with the score -gamma + 2 ln(n / within) / epsilon for the element that stands for the words beyond gamma.

    The paper's score counts the others, n - within. What is claimed is epsilon d-privacy. The status is computed:
    ``PROVED`` where all words are within gamma of each other (it is ``santext`` then) and no weight is tiny,
    ``REFUTED`` where two of up to 128 words break the claim, ``CLAIMED`` where none of those do. Where all words are
    within gamma of the input, the package fails if it draws the last element; here that is left out.
    Refutation: privacy/proofs/tem_published.md.

    Args:
        vocabulary: public words and vectors.
        epsilon_per_distance: the claimed nats per unit of distance, finite and > 0.
        beta: of the truncation distance 2 ln((1 - beta) n / beta) / epsilon, which is rounded to one decimal.
        clip: norm to which longer vectors are shortened; None, as in the package, leaves them.

    Raises:
        ParameterError: an option outside its domain, or at which the truncation distance is 0.
    """
    n = len(vocabulary)
    gamma = round(2 * math.log((1 - beta) * n / beta) / epsilon_per_distance, 1)
    most = 20 * 2 * math.log((1 - beta) * n / beta)
    need(gamma > 0, "epsilon_per_distance", epsilon_per_distance, f"below {most:.4g}, where gamma is rounded to 0")
    diameter = outward(clipped_diameter(vocabulary, clip, 2))
    made = PublishedRows(vocabulary, epsilon_per_distance / 2, gamma, clip)
    promise = MetricDP(
        epsilon_per_distance=epsilon_per_distance,
        metric=metric_name("euclidean", clip),
        diameter=diameter,
        status=Status.PROVED if diameter <= min(gamma, _STEEPEST / made.rate) else _status(made, epsilon_per_distance),
        source=REFUTATION,
    )
    facts = {"epsilon_per_distance": epsilon_per_distance, "beta": beta, "gamma": gamma, "clip": clip}
    return IntegerChannel(vocabulary, "tem-published", facts, promise, ListedRows(n, made), made.distances)


def _status(made: PublishedRows, claimed: float) -> Status:
    """Whether two of some evenly spaced words lose more than is claimed for their distance."""
    n = len(made.vocabulary)
    ids = np.unique(np.linspace(0, n - 1, min(n, _COMPARED)).astype(np.int64))
    logs = np.stack([np.log(np.diff(row.sums, prepend=0) / float(row.sums[-1])) for row in made(ids)])
    for row, far in zip(logs, made.distances(ids)[:, ids], strict=True):
        losses = (row - logs).max(axis=1)
        if bool((losses > claimed * far * (1 + _MARGIN) + _MARGIN).any()):
            return Status.REFUTED
    return Status.CLAIMED
