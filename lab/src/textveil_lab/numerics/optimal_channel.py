"""Base probabilities of the most useful epsilon-DP channel, by a saddle point, with a bound that none can exceed.

Every epsilon-DP channel lies between q(y) and e^epsilon q(y) for some q. For a fixed q the most useful rows are
fractional knapsacks, and L(x), the utility that row x cuts at, is the multiplier of its sum. So the optimum is

    min over L, max over q >= 0 of   sum_x pi(x) L(x) + sum_y q(y) sum_x pi(x) phi(u(x, y) - L(x)),
    phi(t) = t + (e^epsilon - 1) max(t, 0),

concave in q and convex in L. Both are moved at once: L(x) by what row x has too much, ln q(y) by the mean of
u(x, y) - L(x) over the inputs that y comes from. In these units the coupling of the two is a stochastic matrix, whose
norm is 1 whatever the prior and epsilon are, so that fixed steps do for all. Each step is a pass over the table, steps
are extrapolated by the last change (Popov's method), and averages of the iterates converge.
Proof: ``textveil_lab/proofs/optimal.md``.
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
"""Steps over which iterates are averaged, before value and bound are looked at."""

STEPS: Final = 400
"""Steps at most, at large sizes; past them windows double."""

MANY_STEPS: Final = 2560
"""Steps at most where a pass takes no time."""

_SMALL: Final = 2048
"""Words up to which a pass takes no time."""

_LARGE: Final = 20_000
"""Words up to which it takes less than a second."""

_GOAL, _FAR_GOAL = 0.008, 0.02
"""Relative gaps at which a search ends, the second one where passes take long."""

VERSION: Final = "saddle point, 1"
"""Changes when results do."""

_LEVEL_STEP: Final = 0.05
_LOG_STEP: Final = 5.0
_SLOWER: Final = 20.0
"""Steps of levels, in units of the utilities' spread, shrink as 1 / sqrt(1 + step / 20); of ln q they stay."""

_MOST_BASE: Final = 0.98
_LEAST_LOG: Final = -60.0


@dataclass(slots=True, eq=False, kw_only=True)
class Search:
    """Where a search stands: arrays of shape (n,) and numbers, so that it can be kept and taken up again.

    Attributes:
        log_base: ln q.
        levels: L.
        excess: what the rows had too much at the last step.
        slope: the direction of ln q at the last step.
        sum_base: weighted sum of q over this window.
        sum_levels: weighted sum of L over this window.
        best_base: q of the greatest value so far.
        best_levels: L of the least bound so far.
        step: steps done.
        value: of ``best_base``.
        bound: of ``best_levels``, as far as the table goes; without a proof.
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
        """(bound - value) / |value|."""
        return (self.bound - self.value) / abs(self.value) if math.isfinite(self.value) and self.value else math.inf

    def arrays(self) -> dict[str, Reals]:
        """Everything, as arrays by name."""
        return {field.name: np.asarray(getattr(self, field.name), dtype=np.float64) for field in fields(self)}

    def copy(self) -> Search:
        """A search of its own from here; steps replace arrays, they do not write into them."""
        return replace(self)


def search_from(arrays: dict[str, Reals], size: int) -> Search | None:
    """The search that ``Search.arrays`` described; None where these are not arrays of one of that size."""
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
    """Which channel is sought.

    Attributes:
        table: the utilities u.
        mean_utility: sum over x of pi(x) u(x, y), shape (n,).
        prior: pi, > 0, sum 1, shape (n,).
        epsilon: nats.
        spread: how far the best output of an input is above its mean one, on average, > 0.
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
        """e^epsilon - 1."""
        return math.expm1(self.epsilon)

    def value(self, base: Reals) -> float:
        """The mean utility of the best rows over these base probabilities."""
        mass = float(base.sum())
        cuts = self.table.cuts(base, (1 - mass) / self.lift)
        return float(base @ self.mean_utility + self.lift * (self.prior @ cuts.values))

    def slopes(self, levels: Reals, base: Reals) -> tuple[Reals, Reals, Reals]:
        """The derivative of the value by q(y), the share of inputs that raise y, and what rows raise."""
        sums = self.table.sums(levels, base, self.prior)
        return self.lift * sums.gain - (self.prior @ levels - self.mean_utility), sums.share, sums.raised

    def bound(self, levels: Reals) -> tuple[float, Reals]:
        """The bound after three shifts, and the levels that give it; as far as the table goes, without a proof."""
        best, best_levels = math.inf, levels
        for _ in range(3):
            slope, share, _raised = self.slopes(levels, levels)
            reached = float(self.prior @ levels) + max(0.0, float(slope.max()))
            if reached < best:
                best, best_levels = reached, levels
            levels = levels + float((slope / (1 + self.lift * share)).max())
        return best, best_levels


def most_steps(size: int) -> int:
    """Steps at most for so many words."""
    return MANY_STEPS if size <= _SMALL else STEPS


def goal_of(size: int) -> float:
    """The relative gap at which a search over so many words ends."""
    return _GOAL if size <= _LARGE else _FAR_GOAL


def _window_of(step: int) -> tuple[int, int]:
    if step < STEPS:
        return step // WINDOW * WINDOW, (step // WINDOW + 1) * WINDOW
    start, end = STEPS, MANY_STEPS >> 2
    while end <= step:
        start, end = end, 2 * end
    return start, end


def begun(problem: Problem, shares: Reals, base_mass: float) -> Search:
    """A search that begins at base probabilities in proportion to ``shares``, with sum ``base_mass``."""
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
    """The search after at most ``steps`` steps in all, or where value and bound are as near as ``goal``.

    Args:
        problem: which channel.
        search: where to begin; it is not changed.
        steps: in all, those of ``search`` counted; None is ``most_steps``.
        goal: relative gap; None is ``goal_of``.
        tell: called after every step with the search as it stands; to show it, or to keep it.
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
    """Value and bound of the window's averages; a new window begins."""
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
    """The same problem with upper bounds on q."""
    return replace(problem, caps=caps)
