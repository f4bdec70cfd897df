"""Base probabilities of the most useful epsilon-DP channel, by a saddle point, with an upper bound for all channels.

Every epsilon-DP channel lies between q(y) and e^epsilon q(y) for some q. For a fixed q the most useful rows are
fractional knapsacks, and L(x), the utility at which row x is cut, is the multiplier of its sum. So the optimum is

    min over L, max over q >= 0 of   sum_x pi(x) L(x) + sum_y q(y) sum_x pi(x) phi(u(x, y) - L(x)),
    phi(t) = t + (e^epsilon - 1) max(t, 0),

concave in q and convex in L. Both move at once: L(x) by the excess of row x, ln q(y) by the mean of u(x, y) - L(x) over
the inputs of y. In these units their coupling is a stochastic matrix, whose norm is 1 for every prior and epsilon, so
fixed steps work for all. Each step is a pass over the table, steps are extrapolated by the last change (Popov's
method), and averages of the iterates converge. Proof: ``textveil_lab/proofs/optimal.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, Final

import numpy as np

from textveil.errors import need
from textveil.types import Reals
from textveil_lab.numerics.utility_sums import UtilityTable

WINDOW: Final = 40
"""Steps over which iterates are averaged, before value and bound are computed."""

STEPS: Final = 400
"""Largest number of steps for large vocabularies; beyond it windows double."""

MANY_STEPS: Final = 2560
"""Largest number of steps if a pass takes no time."""

_SMALL: Final = 2048
"""Largest number of words at which a pass takes no time."""

_LARGE: Final = 20_000
"""Largest number of words at which a pass takes less than a second."""

_GOAL, _FAR_GOAL = 0.008, 0.02
"""Relative gaps at which a search ends; the second if passes take long."""

VERSION: Final = "saddle point, 1"
"""Version of the results, for keys of stored tables."""

_LEVEL_STEP: Final = 0.05
_LOG_STEP: Final = 5.0
_SLOWER: Final = 20.0
"""Steps of levels, in units of the utilities' spread, shrink as 1 / sqrt(1 + step / 20); of ln q they stay."""

_MOST_BASE: Final = 0.98
_LEAST_LOG: Final = -60.0


@dataclass(slots=True, eq=False, kw_only=True)
class Search:
    """State of a search: arrays of shape (n,) and numbers, so that it can be stored and continued.

    Attributes:
        log_base: ln q.
        levels: L.
        excess: of the rows at the last step.
        slope: direction of ln q at the last step.
        sum_base: weighted sum of q over this window.
        sum_levels: weighted sum of L over this window.
        best_base: q of the largest value so far.
        best_levels: L of the smallest bound so far.
        step: number of finished steps.
        value: of ``best_base``.
        bound: of ``best_levels``, by the table only; not proved.
    """

    log_base: Reals
    levels: Reals
    excess: Reals
    slope: Reals
    sum_base: Reals
    sum_levels: Reals
    best_base: Reals
    best_levels: Reals
    step: int = 0
    value: float = -math.inf
    bound: float = math.inf

    @property
    def gap(self) -> float:
        """Relative gap (bound - value) / |value|."""
        return (self.bound - self.value) / abs(self.value) if math.isfinite(self.value) and self.value else math.inf

    def arrays(self) -> dict[str, Reals]:
        """Return all fields as arrays by name."""
        return {field.name: np.asarray(getattr(self, field.name), dtype=np.float64) for field in fields(self)}

    def copy(self) -> Search:
        """Return an independent copy; steps replace arrays, they do not write into them."""
        return replace(self)


def search_from(arrays: dict[str, Reals], size: int) -> Search | None:
    """Return the search of ``Search.arrays``; None if these are no such arrays of that size."""
    kept: dict[str, Any] = {}
    for field in fields(Search):
        array = arrays.get(field.name)
        scalar = field.default is not MISSING
        if array is None or array.shape != (() if scalar else (size,)) or np.isnan(array).any():
            return None
        kept[field.name] = array.item() if scalar else np.array(array, dtype=np.float64)
    return Search(**{**kept, "step": int(kept["step"])})


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Optimization problem of a channel.

    Attributes:
        table: the utilities u.
        mean_utility: sum over x of pi(x) u(x, y), shape (n,).
        prior: pi, > 0, sum 1, shape (n,).
        epsilon: nats.
        spread: mean lead of an input's best output over its mean output, > 0.
        caps: upper bounds on q, shape (n,); None for none.
    """

    table: UtilityTable
    mean_utility: Reals
    prior: Reals
    epsilon: float
    spread: float
    caps: Reals | None = None

    @property
    def lift(self) -> float:
        """e^epsilon - 1, the lift of a raised output."""
        return math.expm1(self.epsilon)

    def value(self, base: Reals) -> float:
        """Return the mean utility of the best rows over these base probabilities."""
        mass = float(base.sum())
        cuts = self.table.cuts(base, (1 - mass) / self.lift)
        return float(base @ self.mean_utility + self.lift * (self.prior @ cuts.values))

    def slopes(self, levels: Reals, base: Reals) -> tuple[Reals, Reals, Reals]:
        """Return the value's derivative by q(y), the share of inputs that raise y, and the raised sums of rows."""
        sums = self.table.sums(levels, base, self.prior)
        return self.lift * sums.gain - (self.prior @ levels - self.mean_utility), sums.share, sums.raised

    def bound(self, levels: Reals) -> tuple[float, Reals]:
        """Return the bound after three shifts, and its levels; by the table only, not proved."""
        best, best_levels = math.inf, levels
        for _ in range(3):
            slope, share, _raised = self.slopes(levels, levels)
            reached = float(self.prior @ levels) + max(0.0, float(slope.max()))
            if reached < best:
                best, best_levels = reached, levels
            levels = levels + float((slope / (1 + self.lift * share)).max())
        return best, best_levels


def most_steps(size: int) -> int:
    """Return the largest number of steps for so many words."""
    return MANY_STEPS if size <= _SMALL else STEPS


def goal_of(size: int) -> float:
    """Return the relative gap at which a search over so many words ends."""
    return _GOAL if size <= _LARGE else _FAR_GOAL


def _window_of(step: int) -> tuple[int, int]:
    if step < STEPS:
        return step // WINDOW * WINDOW, (step // WINDOW + 1) * WINDOW
    start, end = STEPS, MANY_STEPS >> 2
    while end <= step:
        start, end = end, 2 * end
    return start, end


def begun(problem: Problem, shares: Reals, base_mass: float) -> Search:
    """Return a search that begins at base probabilities proportional to ``shares``, with sum ``base_mass``."""
    mass = min(max(base_mass, 1.5 * math.exp(-problem.epsilon)), (1 + math.exp(-problem.epsilon)) / 2)
    most = 1.5 * (1 - mass) / problem.lift
    base = shares * (mass / shares.sum())
    for _ in range(8):  # heads that no row could raise whole
        base = np.minimum(base, max(most, mass / len(base)))
        base *= mass / base.sum()
    levels = problem.table.cuts(base, (1 - mass) / problem.lift).levels
    nothing = np.zeros_like(base)
    return Search(
        log_base=np.maximum(np.log(base), _LEAST_LOG), levels=levels, excess=nothing, slope=nothing,
        sum_base=nothing, sum_levels=nothing, best_base=base, best_levels=levels,
    )  # fmt: skip


def optimized(
    problem: Problem,
    search: Search,
    *,
    steps: int | None = None,
    goal: float | None = None,
    tell: Callable[[Search], None] | None = None,
) -> Search:
    """Return the search after at most ``steps`` steps in all, or once the gap of value and bound is ``goal``.

    Args:
        problem: to solve.
        search: start; it is not changed.
        steps: total, including those of ``search``; None is ``most_steps``.
        goal: relative gap; None is ``goal_of``.
        tell: called after every step with the current search, to show or to store it.
    """
    need(problem.epsilon > 0, "epsilon", problem.epsilon, "> 0")
    now = search.copy()
    most = most_steps(len(now.levels)) if steps is None else steps
    enough = goal_of(len(now.levels)) if goal is None else goal
    while now.step < most and now.gap > enough:
        _moved(problem, now)
        ended = _window_of(now.step)[0] == now.step
        if ended:
            _looked(problem, now)
        if tell is not None:
            tell(now)
    return now


def _moved(problem: Problem, now: Search) -> None:
    base = np.exp(now.log_base)
    slope, share, raised = problem.slopes(now.levels, base)
    excess = np.clip(base.sum() + problem.lift * raised - 1, -1, 1)
    slope = slope / (1 + problem.lift * share)
    if now.step == 0:
        now.excess, now.slope = excess, slope
    pace = _LEVEL_STEP * problem.spread / math.sqrt(1 + now.step / _SLOWER)
    now.levels = np.maximum(now.levels + pace * (2 * excess - now.excess), problem.table.least_levels)
    log_base = now.log_base + np.clip(_LOG_STEP / problem.spread * (2 * slope - now.slope), -0.5, 0.5)
    if problem.caps is not None:
        log_base = np.minimum(log_base, np.log(problem.caps))
    log_base -= max(0.0, math.log(np.exp(log_base).sum() / _MOST_BASE))
    now.log_base, now.excess, now.slope = np.maximum(log_base, _LEAST_LOG), excess, slope
    weight = now.step - _window_of(now.step)[0] + 1.0
    now.sum_base = now.sum_base + weight * np.exp(now.log_base)
    now.sum_levels = now.sum_levels + weight * now.levels
    now.step += 1


def _looked(problem: Problem, now: Search) -> None:
    start, end = _window_of(now.step - 1)
    weight = (end - start) * (end - start + 1) / 2
    base, levels = now.sum_base / weight, now.sum_levels / weight
    value = problem.value(base)
    if value > now.value:
        now.value, now.best_base = value, base
    bound, levels = problem.bound(levels)
    if bound < now.bound:
        now.bound, now.best_levels = bound, levels
    now.sum_base, now.sum_levels = np.zeros_like(base), np.zeros_like(base)


def capped(problem: Problem, caps: Reals) -> Problem:
    """Return the same problem with upper bounds on q."""
    return replace(problem, caps=caps)
