"""Symmetric noise on the integers that is level on blocks: a table of integer weights, drawn by integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from textveil.errors import need
from textveil.numerics.integer_weights import log_ratio_up
from textveil.statistics import Bound
from textveil.types import Integers, Reals

_SLACK = 2.0**-48
"""Covers the rounding of a sum of differences of probabilities."""


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class BlockNoise:
    """Block b, of ``width`` integers around b ``width``, has weight weights[|b|]; in a block all integers are alike.

    Attributes:
        weights: of blocks 0, 1, ..., the last; integers >= 1, whose sum over all blocks is below 2^62.
        width: odd.

    Source: privacy/proofs/truncated_noise.md.
    """

    weights: Integers
    width: int

    def __post_init__(self) -> None:
        positive = self.weights.ndim == 1 and len(self.weights) >= 1 and bool((self.weights >= 1).all())
        need(positive, "weights", f"an array of shape {self.weights.shape}", "integers >= 1, one at least")
        need(self.width >= 1 and self.width % 2 == 1, "width", self.width, "odd and >= 1")
        total = 2 * float(self.weights.sum(dtype=np.float64))
        need(total < 2.0**62, "weights", f"a sum of {total:.3g}", "of a sum below 2^62")

    @property
    def last(self) -> int:
        """Number of the last block."""
        return len(self.weights) - 1

    @cached_property
    def masses(self) -> Reals:
        """Probabilities of blocks -last, ..., last."""
        both = np.concatenate([self.weights[:0:-1], self.weights])
        return both / float(both.sum())

    @property
    def variance(self) -> float:
        """Of the noise."""
        blocks = np.arange(-self.last, self.last + 1, dtype=np.float64)
        return float((self.masses * blocks**2).sum()) * self.width**2 + (self.width**2 - 1) / 12

    def sample(self, count: int, rng: np.random.Generator) -> Integers:
        """See ``integer_noise.IntegerNoise``."""
        sums = np.concatenate([self.weights[:0:-1], self.weights]).cumsum()
        blocks = np.searchsorted(sums, rng.integers(0, sums[-1], count, dtype=np.int64), side="right") - self.last
        return blocks * self.width + rng.integers(0, self.width, count) - self.width // 2

    def log_mass(self, values: Reals) -> Reals:
        """See ``integer_noise.IntegerNoise``."""
        blocks = np.abs(np.floor((values + self.width // 2) / self.width))
        inside = np.minimum(blocks, self.last).astype(np.int64)
        return np.where(blocks > self.last, -np.inf, np.log(self.weights[inside].astype(np.float64)))

    def profile(self, shift: Sequence[int]) -> BlockProfile:
        """See ``integer_noise.IntegerNoise``; of one number."""
        need(len(shift) == 1, "shift", f"{len(shift)} numbers", "one")
        return BlockProfile(noise=self, shift=abs(shift[0]))

    def delta_of_blocks(self, epsilon: float, blocks: int) -> float:
        """The least delta at epsilon where one of two numbers is moved by so many whole blocks, to 2^-48."""
        far = np.concatenate([np.zeros(blocks), self.masses])
        near = np.concatenate([self.masses, np.zeros(blocks)])
        factor = math.exp(min(epsilon, 700.0))  # infinity times no mass would be no number; delta falls with epsilon
        return float(np.maximum(0.0, near - factor * far).sum())

    def outside(self, blocks: int) -> float:
        """The mass that the copy moved by so many blocks cannot reach."""
        return float(self.masses[: min(blocks, len(self.masses))].sum())

    def largest_ratio(self, blocks: int) -> float:
        """The largest finite loss under a move by so many blocks, rounded up; 0 where there is none above it."""
        both = np.concatenate([self.weights[:0:-1], self.weights])
        if blocks >= len(both):
            return 0.0
        near, far = both[blocks:], both[: len(both) - blocks]
        place = int(np.argmax(near / far))
        top, bottom = int(near[place]), int(far[place])
        return log_ratio_up(top, bottom) if top > bottom else 0.0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BlockProfile:
    """The privacy profile of one number and another at distance ``shift``; see ``noise.capabilities.PrivacyProfile``.

    A move by j blocks and the share f of another is, on every integer, a move by j or by j + 1 blocks: on f of the
    integers by the latter. So delta is the mean of the two.

    Attributes:
        noise: the noise.
        shift: >= 1.
    """

    noise: BlockNoise
    shift: int

    def _mean(self, of_blocks: Sequence[float]) -> float:
        share = self.shift % self.noise.width / self.noise.width
        return (1 - share) * of_blocks[0] + share * of_blocks[1]

    @property
    def _blocks(self) -> tuple[int, int]:
        whole = self.shift // self.noise.width
        return whole, whole + (self.shift % self.noise.width > 0)

    @property
    def largest_loss(self) -> float:
        """Over the integers that both reach, rounded up."""
        return max(self.noise.largest_ratio(blocks) for blocks in self._blocks)

    @property
    def log_outside(self) -> Bound:
        """The mass that the other cannot reach."""
        return _logs(self._mean([self.noise.outside(blocks) for blocks in self._blocks]))

    def log_delta(self, epsilon: float) -> Bound:
        """Natural logarithm of the least delta at epsilon."""
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if epsilon >= self.largest_loss:
            return self.log_outside
        return _logs(self._mean([self.noise.delta_of_blocks(epsilon, blocks) for blocks in self._blocks]))


def _logs(delta: float) -> Bound:
    """A sum of probabilities as logarithms, with what rounding may have done to it."""
    lower, upper = delta * (1 - 2.0**-40) - _SLACK, min(1.0, delta * (1 + 2.0**-40) + _SLACK)
    low = math.log(lower) if lower > 0 else -math.inf
    return Bound(low, math.log(delta) if delta > 0 else -math.inf, math.log(upper), 1.0)


def worst_delta(noise: BlockNoise, epsilon: float, reach: int) -> float:
    """An upper bound on delta at epsilon for every move by up to ``reach`` integers: the largest of whole blocks."""
    most = -(-reach // noise.width)
    return max(noise.delta_of_blocks(epsilon, blocks) for blocks in range(1, most + 1)) * (1 + 2.0**-40) + _SLACK
