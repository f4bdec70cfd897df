"""One dimension: Laplace noise on an integer, rounded to the nearest integer.

Here the neighbors of the input lie evenly about it, and what is not the original is mostly close: the curse is one of
dimensions, not of the noise. Source of the question: Asghar, Carpentier, Zhao and Kaafar 2026, arXiv 2411.13784; the
distribution below follows from integrating the density over unit intervals.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import checked_word_id
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary

LARGEST = 1 << 24  # Integers below this are exact in float32


class IntegerShares(NamedTuple):
    """Probabilities of the original integer, of its ``close`` nearest others, and of the rest."""

    original: float
    near: float
    distant: float


def integer_shares(rate: float, close: int) -> IntegerShares:
    """The rank profile on all integers: x + noise, noise of density (rate / 2) exp(-rate |z|), rounded.

    The offset k has probability 1 - e^(-rate/2) for k = 0, else e^(-rate (|k| - 1/2)) (1 - e^-rate) / 2. The nearest
    integers are -1, 1, -2, 2, ... away, so with close = 2 m the near share is e^(-rate/2) (1 - e^(-rate m)).

    Args:
        rate: nats per unit, finite and > 0.
        close: number of nearest other integers that count as close, >= 1.

    Raises:
        ParameterError: an argument is out of its domain.
    """
    _check_rate(rate)
    need(close >= 1, "close", close, "1 or more")
    whole, odd = divmod(close, 2)
    stray = math.exp(-rate / 2)
    last = odd * math.exp(-rate * whole) * -math.expm1(-rate) / 2
    near = stray * (-math.expm1(-rate * whole) + last)
    rest = stray * (math.exp(-rate * whole) - last)
    return IntegerShares(-math.expm1(-rate / 2), near, rest)


def integer_vocabulary(size: int) -> Vocabulary:
    """The integers 0 to size - 1 as words, each with itself as its one coordinate.

    Raises:
        ParameterError: size is not between 2 and ``LARGEST``.
    """
    need(2 <= size <= LARGEST, "size", size, f"between 2 and {LARGEST}")
    numbers = np.arange(size)
    return Vocabulary([str(i) for i in range(size)], numbers[:, None].astype(np.float32), "integers")


@dataclass(frozen=True, slots=True, eq=False)
class IntegerLaplace:
    """The exact distribution of the nearest of the integers 0 to size - 1 to x + Laplace noise."""

    rate: float  # nats per unit, finite and > 0
    # the integers, from ``integer_vocabulary``
    vocabulary: Vocabulary = field(default_factory=lambda: integer_vocabulary(1001))

    def __post_init__(self) -> None:
        _check_rate(self.rate)
        expected = np.arange(len(self.vocabulary))
        fits = self.vocabulary.dim == 1 and bool(np.array_equal(self.vocabulary.vectors[:, 0], expected))
        need(fits, "vocabulary", self.vocabulary.name, "the integers 0 to n - 1", "Use integer_vocabulary(n).")

    @property
    def name(self) -> str:
        """What reports call it."""
        return "laplace on integers"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        return {"rate": self.rate, "clip": None}

    def probabilities(self, word_id: int) -> Reals:
        """P(y | x = word_id), shape (size,); the ends take what falls beyond them."""
        n = len(self.vocabulary)
        word = checked_word_id(word_id, n)
        away = np.abs(np.arange(n) - word)
        # P(|noise| between |k| - 1/2 and |k| + 1/2, on one side), from the tails: no cancellation far away.
        with np.errstate(over="ignore"):  # so far away the tail is zero
            beyond = np.exp(-self.rate * (np.maximum(away, 1) - 0.5)) / 2
        distribution = beyond * -math.expm1(-self.rate)
        distribution[[0, n - 1]] = beyond[[0, n - 1]]
        distribution[word] = 1 - math.exp(-self.rate / 2) / 2 if word in (0, n - 1) else -math.expm1(-self.rate / 2)
        return distribution


def _check_rate(rate: float) -> None:
    need(0 < rate < math.inf, "rate", rate, "finite and > 0")
