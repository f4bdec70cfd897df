"""Vickrey's choice among the words nearest to a noisy vector: by their distances from it, and by nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias, final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.options import VECTORS, Domain, Option, interval
from textveil.types import Ids, Reals


def _numbers(text: str) -> tuple[float, ...]:
    """The numbers of "1,0"; none where it is something else."""
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


@final
@dataclass(frozen=True, slots=True)
class NeighborChoice:
    """Which of the k nearest words is released, given their distances d_1 <= ... <= d_k from the noisy vector.

    By ``t``, of two words: the nearest with probability (1 - t) d_2 / (t d_1 + (1 - t) d_2). By ``rates``: the i-th
    with probability proportional to exp(-rates_i d_i).

    Attributes:
        t: between 0 and 1; not looked at where there are rates.
        rates: none, or k >= 2 of them, finite and >= 0.
    """

    t: float
    rates: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        need(0 <= self.t <= 1, "t", self.t, "between 0 and 1")

    @property
    def count(self) -> int:
        """How many words it chooses among: k."""
        return len(self.rates) or 2

    def shares(self, distances: Reals) -> Reals:
        """The probabilities of the k words; shape (batch, k) to (batch, k)."""
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
        """One of the k words of each row; shapes (batch, k), (batch, k) to (batch,)."""
        passed = self.shares(distances).cumsum(axis=1)[:, :-1]
        place = (generator.random(len(ids))[:, None] >= passed).sum(axis=1)
        return ids[np.arange(len(ids)), place]


def neighbor_choice(t: float, neighbor_rates: str | None, size: int, spare: int = 0) -> NeighborChoice:
    """The choice that options ask for.

    Args:
        t: see ``NeighborChoice``.
        neighbor_rates: numbers with commas; None is by ``t``.
        size: words of the vocabulary.
        spare: words that are needed beyond those chosen among.

    Raises:
        ParameterError: the vocabulary has too few words.
    """
    choice = NeighborChoice(t, () if neighbor_rates is None else _numbers(neighbor_rates))
    need(
        choice.count + spare <= size, "neighbor_rates", choice.count, f"at most {size - spare} numbers for {size} words"
    )
    return choice
