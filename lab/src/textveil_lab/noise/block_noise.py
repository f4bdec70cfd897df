"""Symmetric noise on the integers that is constant on blocks: a table of integer weights, drawn by integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, vstack

from textveil.errors import need
from textveil.numerics.integer_weights import log_ratio_up
from textveil.statistics import Bound
from textveil.types import Integers, Progress, Reals

_SLACK = 2.0**-48  # covers the rounding of a sum of differences of probabilities


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockNoise:
    """Noise with weight weights[|b|] for block b, the ``width`` integers around b ``width``; uniform in a block.

    Source: textveil_lab/proofs/truncated_noise.md.
    """

    weights: Integers  # of blocks 0, 1, ..., the last; integers >= 1, whose sum over all blocks is below 2^62
    width: int  # odd

    def __post_init__(self) -> None:
        positive = self.weights.ndim == 1 and len(self.weights) >= 1 and bool((self.weights >= 1).all())
        need(positive, "weights", f"an array of shape {self.weights.shape}", "integers >= 1, one at least")
        need(self.width >= 1 and self.width % 2 == 1, "width", self.width, "odd and >= 1")
        total = 2 * float(self.weights.sum(dtype=np.float64))
        need(total < 2.0**62, "weights", f"a sum of {total:.3g}", "of a sum below 2^62")

    @property
    def last(self) -> int:
        return len(self.weights) - 1

    @cached_property
    def masses(self) -> Reals:
        both = np.concatenate([self.weights[:0:-1], self.weights])
        return both / float(both.sum())

    @property
    def variance(self) -> float:
        blocks = np.arange(-self.last, self.last + 1, dtype=np.float64)
        return float((self.masses * blocks**2).sum()) * self.width**2 + (self.width**2 - 1) / 12

    def sample(self, count: int, rng: np.random.Generator) -> Integers:
        sums = np.concatenate([self.weights[:0:-1], self.weights]).cumsum()
        blocks = np.searchsorted(sums, rng.integers(0, sums[-1], count, dtype=np.int64), side="right") - self.last
        return blocks * self.width + rng.integers(0, self.width, count) - self.width // 2

    def log_mass(self, values: Reals) -> Reals:
        blocks = np.abs(np.floor((values + self.width // 2) / self.width))
        inside = np.minimum(blocks, self.last).astype(np.int64)
        return np.where(blocks > self.last, -np.inf, np.log(self.weights[inside].astype(np.float64)))

    def profile(self, shift: Sequence[int]) -> BlockProfile:
        """Return the profile of one number; see ``integer_noise.IntegerNoise``."""
        need(len(shift) == 1, "shift", f"{len(shift)} numbers", "one")
        return BlockProfile(noise=self, shift=abs(shift[0]))

    def delta_of_blocks(self, epsilon: float, blocks: int) -> float:
        """Return the smallest delta at epsilon for two numbers that differ by ``blocks`` whole blocks, to 2^-48."""
        far = np.concatenate([np.zeros(blocks), self.masses])
        near = np.concatenate([self.masses, np.zeros(blocks)])
        factor = math.exp(min(epsilon, 700.0))  # infinity times no mass would be no number; delta falls with epsilon
        return float(np.maximum(0.0, near - factor * far).sum())

    def outside(self, blocks: int) -> float:
        return float(self.masses[: min(blocks, len(self.masses))].sum())

    def largest_ratio(self, blocks: int) -> float:
        """Return the largest finite loss under a move by ``blocks`` blocks, rounded up; 0 if none is positive."""
        both = np.concatenate([self.weights[:0:-1], self.weights])
        if blocks >= len(both):
            return 0.0
        near, far = both[blocks:], both[: len(both) - blocks]
        place = int(np.argmax(near / far))
        top, bottom = int(near[place]), int(far[place])
        return log_ratio_up(top, bottom) if top > bottom else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockProfile:
    """Privacy profile of two numbers at distance ``shift``; see ``noise.capabilities.PrivacyProfile``.

    A move by j blocks and the share f of another acts on every integer as a move by j or by j + 1 blocks, on the share
    f of integers by the latter. So delta is the mean of the two, weighted 1 - f and f.
    """

    noise: BlockNoise  # the noise
    shift: int  # >= 1

    def _mean(self, of_blocks: Sequence[float]) -> float:
        share = self.shift % self.noise.width / self.noise.width
        return (1 - share) * of_blocks[0] + share * of_blocks[1]

    @property
    def _blocks(self) -> tuple[int, int]:
        whole = self.shift // self.noise.width
        return whole, whole + (self.shift % self.noise.width > 0)

    @property
    def largest_loss(self) -> float:
        """Largest loss over the integers that both numbers reach, rounded up."""
        return max(self.noise.largest_ratio(blocks) for blocks in self._blocks)

    @property
    def log_outside(self) -> Bound:
        return _logs(self._mean([self.noise.outside(blocks) for blocks in self._blocks]))

    def log_delta(self, epsilon: float) -> Bound:
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if epsilon >= self.largest_loss:
            return self.log_outside
        return _logs(self._mean([self.noise.delta_of_blocks(epsilon, blocks) for blocks in self._blocks]))


def _logs(delta: float) -> Bound:
    lower, upper = delta * (1 - 2.0**-40) - _SLACK, min(1.0, delta * (1 + 2.0**-40) + _SLACK)
    low = math.log(lower) if lower > 0 else -math.inf
    return Bound(low, math.log(delta) if delta > 0 else -math.inf, math.log(upper), 1.0)


def worst_delta(noise: BlockNoise, epsilon: float, reach: int) -> float:
    """Return an upper bound on delta at epsilon for every move up to ``reach`` integers: that of whole blocks."""
    most = -(-reach // noise.width)
    return max(noise.delta_of_blocks(epsilon, blocks) for blocks in range(1, most + 1)) * (1 + 2.0**-40) + _SLACK


_TOTAL_BITS = 58
_GROWTH = 1 + 2.0**-6
_MOST_BLOCKS = 1 << 20
_FEASIBLE = 1e-10


def geng_noise(epsilon: float, delta: float, reach: int, width: int) -> BlockNoise:
    """Return weights exp(-epsilon |b| / n) on as few blocks as keep delta; n blocks span ``reach``.

    Args:
        epsilon: nats for two numbers at most ``reach`` apart.
        delta: in (0, 1).
        reach: largest distance of numbers on the grid.
        width: of a block, odd.

    Raises:
        ParameterError: epsilon is too small or too large for a table of integers.
    """
    blocks = -(-reach // width)
    last = math.ceil(geng_bound(epsilon, delta, blocks))
    need(last <= _MOST_BLOCKS, "epsilon", epsilon, "larger, or delta, for the noise to fit in a table")
    while worst_delta(noise := _laplace(epsilon / blocks, last, width), epsilon, reach) > delta:
        last = math.ceil(last * _GROWTH)
        need(last <= 4 * geng_bound(epsilon, delta, blocks) + 4, "epsilon", epsilon, "at most about 20 at this delta")
    return noise


def geng_bound(epsilon: float, delta: float, blocks: float) -> float:
    """Return the end of Geng's density in blocks: (n / epsilon) ln(1 + (e^epsilon - 1) / (2 delta)), n the sensitivity.

    Source: Geng, Ding, Guo and Kumar 2020.
    """
    return blocks / epsilon * float(np.logaddexp(0.0, epsilon + math.log(-math.expm1(-epsilon) / (2 * delta))))


def _laplace(rate: float, last: int, width: int) -> BlockNoise:
    heights = np.exp(-rate * np.arange(last + 1))
    top = 2.0**_TOTAL_BITS / (2 * float(heights.sum()))
    return BlockNoise(weights=np.maximum(1, (heights * top).astype(np.int64)), width=width)


def least_variance_noise(
    epsilon: float, delta: float, reach: int, blocks: int, progress: Progress | None = None
) -> BlockNoise:
    """Return the noise of smallest variance that is constant on ``blocks`` blocks of ``reach`` at (epsilon, delta).

    It solves a linear program: masses p_b >= 0 of sum 1, p_b = p_-b, and for every move by j <= blocks the sum over b
    of the positive part of p_b - e^epsilon p_(b-j) is at most delta. Its solution is rounded to integers, and delta is
    computed from those.

    Args:
        epsilon: nats for two numbers at most ``reach`` apart.
        delta: in (0, 1).
        reach: largest distance of numbers on the grid.
        blocks: number of blocks that span ``reach``.
    """
    width = -(-reach // blocks) | 1
    last = math.ceil(geng_bound(epsilon, delta, blocks)) + blocks
    for tries in range(5):
        masses = _program(epsilon, delta * (1 - 2.0 ** (2 * tries - 12)), blocks, last)
        if progress is not None:
            progress(tries + 1, None)
        weights = np.floor(masses * 2.0 ** (_TOTAL_BITS - 1)).astype(np.int64)
        weights = weights[: int(np.flatnonzero(weights >= 1 << 12)[-1]) + 1]
        noise = BlockNoise(weights=np.maximum(1, weights), width=width)
        if worst_delta(noise, epsilon, reach) <= delta:
            return noise
    need(False, "delta", delta, "larger at this epsilon: the program is too sharp for floating point")
    raise AssertionError


def _program(epsilon: float, delta: float, blocks: int, last: int) -> Reals:
    count = last + 1
    rows: list[csr_array] = []
    sizes = [2 * last + 1 + move for move in range(1, blocks + 1)]
    excess = sum(sizes)
    done = 0
    for move, size in zip(range(1, blocks + 1), sizes, strict=True):
        places = np.arange(size)
        near, far = np.abs(places - last), np.abs(places - move - last)
        parts: list[tuple[Reals, Integers, Integers]] = [
            (np.ones(int((near <= last).sum())), places[near <= last], near[near <= last]),
            (np.full(int((far <= last).sum()), -math.exp(epsilon)), places[far <= last], far[far <= last]),
            (-np.ones(size), places, count + done + places),
        ]
        values, at, columns = (np.concatenate(column) for column in zip(*parts, strict=True))
        rows.append(csr_array(coo_array((values, (at, columns)), shape=(size, count + excess))))
        together = (np.ones(size), (np.zeros(size, dtype=np.int64), count + done + places))
        rows.append(csr_array(coo_array(together, shape=(1, count + excess))))
        done += size
    limits = np.concatenate([np.append(np.zeros(size), delta) for size in sizes])
    twice = np.append(1.0, np.full(last, 2.0))
    cost = np.concatenate([twice * np.arange(count, dtype=np.float64) ** 2, np.zeros(excess)])
    solution = linprog(
        cost / blocks**2,
        A_ub=cast(Any, vstack(rows)),
        b_ub=limits,
        A_eq=cast(Any, csr_array(np.concatenate([twice, np.zeros(excess)])[None])),
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
        options={"primal_feasibility_tolerance": _FEASIBLE, "dual_feasibility_tolerance": _FEASIBLE},
    )
    solved = solution.status == 0 and solution.x is not None
    need(solved, "epsilon", epsilon, "one at which the linear program has a solution")
    masses = np.maximum(np.asarray(solution.x, dtype=np.float64)[:count], 0.0)
    return masses / float((masses * twice).sum())
