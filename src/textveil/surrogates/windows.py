"""A staircase on a public row of values: those near the true one are raised by e^epsilon, all others weigh the same."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np

from textveil.errors import need
from textveil.numerics.integer_weights import TwoLevelWeights, exp_floor, two_level_weights


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """P(y | x) = e^epsilon / T for the ``width`` places around x, else 1 / T; T is the same for every x.

    So the loss is epsilon for any two places. Around a place near an end stand the places at that end; on a circle the
    row goes on at its beginning. Proof: privacy/proofs/surrogates.md.

    Attributes:
        weights: the two integers that are drawn by; None is a uniform draw.
    """

    size: int
    weights: TwoLevelWeights | None
    circle: bool = False

    @property
    def width(self) -> int:
        """How many places are raised; all of them in a uniform draw."""
        return self.size if self.weights is None else self.weights.members

    def first(self, place: int) -> int:
        """The first place of the window around ``place``; on a circle it may lie before 0."""
        begin = place - self.width // 2
        return begin if self.circle else min(max(begin, 0), self.size - self.width)

    def draw(self, place: int, rng: np.random.Generator) -> int:
        """A place for the one that is given, in [0, size)."""
        if self.weights is None:
            return int(rng.integers(self.size))
        uniform, member = self.weights.draw(1, rng)
        return int(uniform[0]) if uniform[0] >= 0 else (self.first(place) + int(member[0])) % self.size

    def probabilities(self, place: int) -> list[Fraction]:
        """P(y | place) for every y, exactly."""
        if self.weights is None:
            return [Fraction(1, self.size)] * self.size
        raised = {(self.first(place) + member) % self.size for member in range(self.width)}
        total, large, small = self.weights.total, self.weights.inside, self.weights.outside
        return [Fraction(large if other in raised else small, total) for other in range(self.size)]


@lru_cache(maxsize=256)
def window(*, size: int, epsilon: float, width: int | None = None, circle: bool = False) -> Window:
    """The staircase at ``epsilon`` nats for any two places.

    Args:
        size: number of places, >= 2.
        epsilon: nats, >= 0; 0 draws uniformly.
        width: places that are raised; None takes the width whose mean distance to the true place is least.
    """
    need(size >= 2, "size", size, "at least 2")
    if epsilon == 0:
        return Window(size=size, weights=None, circle=circle)
    members = best_width(size, epsilon, circle=circle) if width is None else width
    need(1 <= members <= size, "width", members, f"between 1 and {size}")
    return Window(size=size, weights=two_level_weights(size=size, members=members, epsilon=epsilon), circle=circle)


def best_width(size: int, epsilon: float, *, circle: bool = False) -> int:
    """The odd width of least mean distance between a place and its draw, for a uniform place away from the ends."""
    gain = exp_floor(min(epsilon, 40.0), 1 << 20) - (1 << 20)
    far = Fraction(size, 4) if circle else Fraction(size * size - 1, 3 * size)

    def mean_distance(half: int) -> Fraction:
        return (gain * half * (half + 1) + (far * size * (1 << 20))) / (gain * (2 * half + 1) + size * (1 << 20))

    return 2 * min(range((size + 1) // 2), key=mean_distance) + 1
