"""Tables of truncated noise for one number: Geng's Laplace, and the noise of least variance by a linear program."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, vstack

from textveil.errors import need
from textveil.noise.block_noise import BlockNoise, worst_delta
from textveil.types import Integers, Progress, Reals

_TOTAL_BITS = 58
_GROWTH = 1 + 2.0**-6
_MOST_BLOCKS = 1 << 20
_FEASIBLE = 1e-10


def geng_noise(epsilon: float, delta: float, reach: int, width: int) -> BlockNoise:
    """Weights exp(-epsilon |b| / n) on blocks up to the least last one that keeps delta; n blocks hold ``reach``.

    Args:
        epsilon: nats for two numbers at most ``reach`` apart.
        delta: in (0, 1).
        reach: of numbers on the grid.
        width: of a block, odd.

    Raises:
        ParameterError: epsilon so small or so large that no table of integers holds the noise.
    """
    blocks = -(-reach // width)
    last = math.ceil(geng_bound(epsilon, delta, blocks))
    need(last <= _MOST_BLOCKS, "epsilon", epsilon, "larger, or delta, for the noise to fit in a table")
    while worst_delta(noise := _laplace(epsilon / blocks, last, width), epsilon, reach) > delta:
        last = math.ceil(last * _GROWTH)
        need(last <= 4 * geng_bound(epsilon, delta, blocks) + 4, "epsilon", epsilon, "at most about 20 at this delta")
    return noise


def geng_bound(epsilon: float, delta: float, blocks: float) -> float:
    """Where Geng's density ends, in blocks: (n / epsilon) ln(1 + (e^epsilon - 1) / (2 delta)), n the sensitivity.

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
    """The noise of least variance that is level on ``blocks`` blocks of ``reach`` and keeps (epsilon, delta).

    A linear program: masses p_b >= 0 of sum 1, p_b = p_-b, and for every move by j <= blocks the sum over b of the
    positive part of p_b - e^epsilon p_(b-j) is at most delta. Its solution is rounded to integers, and delta is
    computed of those.

    Args:
        epsilon: nats for two numbers at most ``reach`` apart.
        delta: in (0, 1).
        reach: of numbers on the grid.
        blocks: that hold ``reach``.
        progress: called as programs are solved.
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
    """Masses of blocks 0, ..., last, by the linear program."""
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
    need(
        solution.status == 0 and solution.x is not None,
        "epsilon",
        epsilon,
        "one at which the linear program has a solution",
    )
    masses = np.maximum(np.asarray(solution.x, dtype=np.float64)[:count], 0.0)
    return masses / float((masses * twice).sum())
