"""Gumbel noise within bounds, and the least of several distances with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from textveil.types import Reals


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GumbelNoise:
    """Gumbel noise of location 0 within [-limit, limit].

    Attributes:
        scale: b of the paper, > 0.
        limit: the diameter of the vectors.
    """

    scale: float
    limit: float

    def sample(self, count: int, rng: np.random.Generator) -> Reals:
        """Draws by the inverse of the distribution function, shape (count,)."""
        low, high = (math.exp(-math.exp(-end / self.scale)) for end in (-self.limit, self.limit))
        uniform = low + (high - low) * rng.random(count)
        noise: Reals = -self.scale * np.log(-np.log(np.clip(uniform, 1e-300, 1 - 2.0**-53)))
        return np.clip(noise, -self.limit, self.limit)

    def survival(self, at: Reals) -> Reals:
        """The probability of a draw above ``at``."""
        below, high, low = self._below(at)
        return np.clip((high - below) / (high - low), 0.0, 1.0)

    def masses(self, edges: Reals) -> Reals:
        """The probabilities of the cells between rising ``edges`` within the bounds; small ones keep their digits."""
        below, high, low = self._below(edges)
        return np.diff(below) / (high - low)

    def _below(self, at: Reals) -> tuple[Reals, float, float]:
        """The distribution function without bounds, there and at the two bounds."""
        ends = np.array([-self.limit, self.limit])
        with np.errstate(over="ignore"):
            below = np.exp(-np.exp(-np.clip(at, *ends) / self.scale))
            low, high = np.exp(-np.exp(-ends / self.scale)).tolist()
        return below, high, low
