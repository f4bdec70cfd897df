"""Smallest delta of a finite channel at an epsilon, over all ordered pairs of inputs.

For inputs x and x', delta(x, x') = sum over y of (P(y|x) - e^epsilon P(y|x'))+. Let f(y) be the smallest P(y|x') over
all x'. Then

- an output with P(y|x) <= e^epsilon f(y) adds nothing, whatever x' is: only the others ("live") are summed;
- U(x) = sum over y of (P(y|x) - e^epsilon f(y))+ is at least delta(x, x') for every x': an input whose U(x) does
  not exceed the largest delta found so far is skipped.

Neither changes the result. Source: Dwork and Roth 2014, section 3.5, for delta; the rest is above.

Rounding: a, e^epsilon b and their difference each carry relative errors of at most a few 2^-53, and a live term has
e^epsilon b < a, so the terms are off by at most 2^-50 in all; adding k of them costs k 2^-53 of the sum.
"""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from textveil.environment import cores
from textveil.errors import need
from textveil.statistics import Bound
from textveil.types import Ids, Integers, Progress, Reals
from textveil_lab.audit.channels.extremes import extremes_of, parts
from textveil_lab.audit.channels.rows import IntegerRows, Rows, RowSource, blocks, source_of
from textveil_lab.mechanisms.sampling.output_columns import OverBase

PANEL_BYTES = 1 << 28  # Rows x' that are held at once, scaled and transposed: all of them up to 5,700 words
_TILE = 1 << 15  # Terms that are computed at once: 256 kB, which stays in the second-level cache
_SEEDS = 8  # Inputs of the largest U(x) that are tried first: they set the bar for all others
_ENTRY_SEEDS = 2
"""Seeds if a pass over entries tries them: a row that raises few outputs is nearly always disjoint from them."""

_ROUNDS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Largest delta(x, x') at ``epsilon``."""

    epsilon: float  # nats
    delta: Bound  # lower = upper up to rounding, unless the search stopped early
    pair: tuple[int, int]  # rows (x, x') that attain ``delta.lower``
    complete: bool  # whether every pair was covered; False if ``enough`` stopped the search


def delta_at(
    rows: Rows,
    epsilon: float,
    *,
    pairs: Integers | None = None,
    enough: float | None = None,
    progress: Progress | None = None,
) -> Divergence:
    """Return the smallest delta for which the channel is (epsilon, delta)-DP for any two inputs.

    Work is O(n^2 k) at worst, on all cores; the module's docstring says which pairs are skipped.

    Args:
        rows: a channel, a source, or a table of shape (n, k).
        epsilon: nats, finite and >= 0.
        pairs: ordered pairs (x, x') of distinct rows to compare, shape (m, 2); None is all.
        enough: stop as soon as it is known whether delta exceeds this number.

    Raises:
        ParameterError: the rows are no channel, epsilon is outside its domain, or a pair holds one row twice.
    """
    source = source_of(rows)
    need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
    if pairs is not None:
        return _delta_of_pairs(source, epsilon, np.asarray(pairs))
    factor = math.exp(min(epsilon, 700.0))
    over = source.over_base if isinstance(source, IntegerRows) else None
    floor = column_floor(source)
    bounds = _row_bounds(source, floor, factor)
    search = _Search(source, floor, factor)
    order = np.argsort(-bounds, kind="stable")
    seeds = np.sort(order[: _SEEDS if over is None else _ENTRY_SEEDS])
    top = min(1.0, _up(float(bounds.max()), source.shape[1]))
    if enough is not None and top <= enough:
        search.try_first(seeds[:1])
        return _divergence(epsilon, search, top, complete=False)
    search.try_first(seeds)
    # Entries find a seed's worst pair up to rounding alone, so a seed is passed over only by its U(x), as others are.
    rest = np.setdiff1d(np.arange(source.shape[0]), seeds if over is None else [])
    done = source.shape[0] - len(rest)
    for panel in _panels(source.shape):
        for start, stop in blocks(source.shape):
            exceeds = enough is not None and _down(search.best, source.shape[1]) > enough
            if exceeds and bool((bounds[rest] > _up(search.best, source.shape[1])).any()):
                return _divergence(epsilon, search, top, complete=False)
            inputs = rest[(rest >= start) & (rest < stop)]
            # Skipped pairs are at most the largest delta so far, up to rounding; the result pays for it twice.
            open_inputs = inputs[bounds[inputs] > _up(search.best, source.shape[1])]
            search.scan_panel(open_inputs, panel, (start, stop))
            done += len(inputs)
            if progress is not None:
                progress(min(done // len(_panels(source.shape)), source.shape[0]), source.shape[0])
    upper = _up(_up(search.best, source.shape[1]), source.shape[1])
    return _divergence(epsilon, search, min(top, upper), complete=True)


def delta_upper_bound(rows: Rows, epsilon: float) -> float:
    """Return the largest U(x), rounded up: an O(n k) upper bound on delta of every pair."""
    source = source_of(rows)
    need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
    bounds = _row_bounds(source, column_floor(source), math.exp(min(epsilon, 700.0)))
    return min(1.0, _up(float(bounds.max()), source.shape[1]))


def epsilon_at(rows: Rows, delta: float, *, progress: Progress | None = None) -> Bound:
    """Return the smallest epsilon >= 0 for which the channel is (epsilon, delta)-DP for any two inputs, delta > 0.

    The worst pair at a trial epsilon has an exact epsilon of its own, which is the next trial. Trials never exceed the
    answer and rise until no pair is worse. Rounding widens the interval, the more the smaller delta is. ``upper`` is
    ``inf`` if rounding leaves no bound; all three numbers are ``inf`` if no epsilon is enough.
    """
    source = source_of(rows)
    need(0 < delta <= 1, "delta", delta, "in (0, 1]")
    trial, lower, estimate, aim = 0.0, 0.0, math.inf, delta
    for _ in range(_ROUNDS):
        divergence = delta_at(source, trial, progress=progress)
        width = divergence.delta.upper - divergence.delta.lower
        if math.isinf(estimate) and divergence.delta.lower <= delta:
            estimate, aim = trial, delta - 2 * width  # from here on only rounding is left to pay for
        if divergence.delta.upper <= delta:
            return Bound(lower, estimate, trial * (1 + 1e-12), 1.0)
        if aim <= 0:
            break
        row, other = (source.rows(word, word + 1)[0] for word in divergence.pair)
        following = pair_epsilon(row, other, aim)
        if math.isinf(following):
            return Bound(lower if estimate < math.inf else math.inf, estimate, math.inf, 1.0)
        if math.isinf(estimate):
            lower = max(lower, pair_epsilon(row, other, delta + width) * (1 - 1e-12))
        trial = max(following, math.nextafter(trial, math.inf), trial * (1 + 1e-12))
    return Bound(lower, estimate, math.inf, 1.0)


def pair_epsilon(row: Reals, other: Reals, delta: float) -> float:
    """Return the smallest epsilon >= 0 with sum over y of (row - e^epsilon other)+ <= delta; ``inf`` if there is none.

    The sum is convex and piecewise linear in t = e^epsilon, with a corner at every ratio. Between two corners, the
    outputs of the j largest ratios are live and the sum is A - t B.
    """
    live = row > other
    a, b = row[live], other[live]
    with np.errstate(divide="ignore"):
        ratios = a / b
    order = np.argsort(-ratios, kind="stable")
    mass, weight = np.cumsum(a[order]), np.cumsum(b[order])
    if not len(order) or mass[-1] - weight[-1] <= delta:
        return 0.0
    ratios = ratios[order]
    never = ratios == np.inf
    if float(a[order][never].sum()) > delta:
        return math.inf
    # The piece of the j largest ratios ends, as t falls, at the next ratio; the first whose end exceeds delta.
    ends = np.append(ratios[1:], 1.0)
    with np.errstate(invalid="ignore"):
        above = mass - ends * weight > delta
    index = int(np.argmax(above))
    return float(np.log((mass[index] - delta) / weight[index]))


def profile(rows: Rows, epsilons: Reals) -> tuple[tuple[float, float], ...]:
    """Return points (epsilon, delta) of the privacy profile, each delta rounded up."""
    source = source_of(rows)
    return tuple((float(epsilon), delta_at(source, float(epsilon)).delta.upper) for epsilon in epsilons)


def column_floor(source: RowSource) -> Reals:
    """Return the smallest P(y | x) over x, shape (k,)."""
    if isinstance(source, IntegerRows) and source.over_base is not None:
        return extremes_of(source)[1].share
    floor = np.full(source.shape[1], np.inf)
    for start, stop in blocks(source.shape):
        np.minimum(floor, source.rows(start, stop).min(axis=0), out=floor)
    return floor


def _row_bounds(source: RowSource, floor: Reals, factor: float) -> Reals:
    raised = factor * floor
    if isinstance(source, IntegerRows) and source.over_base is not None:
        return _bounds_of_entries(source, source.over_base(), raised)
    out = np.empty(source.shape[0])
    for start, stop in blocks(source.shape):
        out[start:stop] = np.maximum(source.rows(start, stop) - raised, 0.0).sum(axis=1)
    return out


def _bounds_of_entries(source: IntegerRows, over: OverBase, raised: Reals) -> Reals:
    """Return U(x) of every row from its entries: an output at its base adds nothing, whatever epsilon is."""
    out, total = np.zeros(source.shape[0]), _total(source)
    for part in parts(over, source.shape[0]):
        weights = over.base[part.outputs] + part.gains * over.unit
        excess = weights / total - raised[part.outputs]
        out[part.words] = np.add.reduceat(np.maximum(excess, 0.0, out=excess), part.starts)
    return out


def _total(source: IntegerRows) -> np.float64:
    return np.float64(extremes_of(source)[0].total[0])


def _panels(shape: tuple[int, int]) -> list[tuple[int, int]]:
    return list(blocks(shape, PANEL_BYTES))


class _Search:
    """Largest delta(x, x') so far, and the panel of rows x' in memory."""

    def __init__(self, source: RowSource, floor: Reals, factor: float) -> None:
        self.best, self.pair = -1.0, (0, 1)
        self._source, self._raised, self._factor = source, factor * floor, factor
        self._at: tuple[int, int] | None = None
        self._panel: Reals = np.empty((0, 0))

    def try_first(self, inputs: Ids) -> None:
        """Try every pair whose first row is in ``inputs``: by entries if the source has any."""
        if isinstance(self._source, IntegerRows) and self._source.over_base is not None:
            self._scan_entries(inputs, self._source.over_base())
            return
        for panel in _panels(self._source.shape):
            for row in inputs.tolist():
                self.scan_panel(np.array([row]), panel, (row, row + 1))

    def _scan_entries(self, inputs: Ids, over: OverBase) -> None:
        """Bound delta by entries: against a row of bases it is a sum over live outputs, and each entry of x' lowers it.

        The row x' with the largest remainder is then compared term by term, so the result is that of a true pair.
        """
        assert isinstance(self._source, IntegerRows)
        n, total = self._source.shape[0], _total(self._source)
        rows = [self._source.rows(row, row + 1)[0] for row in inputs.tolist()]
        alone = [np.maximum(row - self._factor * (over.base / total), 0.0) for row in rows]
        taken = np.zeros((len(inputs), n))
        for part in parts(over, n):
            others = self._factor * ((over.base[part.outputs] + part.gains * over.unit) / total)
            for sums, row, most in zip(taken, rows, alone, strict=True):
                left = np.maximum(row[part.outputs] - others, 0.0)
                sums[part.words] = np.add.reduceat(most[part.outputs] - left, part.starts)
        taken[np.arange(len(inputs)), inputs] = np.inf  # a row with itself is no pair
        for first, second, row in zip(inputs.tolist(), taken.argmin(axis=1).tolist(), rows, strict=True):
            other = self._source.rows(second, second + 1)[0]
            value = float(np.maximum(row - self._factor * other, 0.0).sum())
            if value > self.best:
                self.best, self.pair = value, (first, second)

    def scan_panel(self, inputs: Ids, panel: tuple[int, int], fetched: tuple[int, int]) -> None:
        """Compare ``inputs``, which lie in the range ``fetched``, with the rows of the panel."""
        if not len(inputs):
            return
        if self._at != panel:
            self._load(panel)
        block = self._source.rows(*fetched)[inputs - fetched[0]]
        workers = min(len(inputs), cores())
        with ThreadPoolExecutor(workers) as pool:
            results = list(pool.map(self._worst, inputs.tolist(), block))
        for row, (value, other) in zip(inputs.tolist(), results, strict=True):
            if value > self.best:
                self.best, self.pair = value, (row, other)

    def _load(self, panel: tuple[int, int]) -> None:
        """Load e^epsilon P(y | x') of the panel's x', transposed so that a live output is a contiguous row."""
        scaled = np.empty((self._source.shape[1], panel[1] - panel[0]))
        for start, stop in blocks((panel[1] - panel[0], self._source.shape[1])):
            scaled[:, start:stop] = self._source.rows(panel[0] + start, panel[0] + stop).T
        scaled *= self._factor
        self._at, self._panel = panel, scaled

    def _worst(self, row: int, probabilities: Reals) -> tuple[float, int]:
        assert self._at is not None
        live = np.flatnonzero(probabilities > self._raised)
        sums = np.zeros(self._panel.shape[1])
        for part in _parts(live, max(1, _TILE // len(sums))):
            terms = self._panel[part]
            np.subtract(probabilities[part][:, None], terms, out=terms)
            np.maximum(terms, 0.0, out=terms)
            sums += terms.sum(axis=0)
        if self._at[0] <= row < self._at[1]:
            sums[row - self._at[0]] = -1.0  # a row with itself is no pair
        index = int(np.argmax(sums))
        return float(sums[index]), self._at[0] + index


def _parts(live: Integers, step: int) -> Iterator[Integers]:
    return (live[start : start + step] for start in range(0, len(live), step))


def _delta_of_pairs(source: RowSource, epsilon: float, pairs: Integers) -> Divergence:
    shaped = pairs.ndim == 2 and pairs.shape[1] == 2 and len(pairs) > 0 and pairs.dtype.kind in "iu"
    need(shaped, "pairs", f"shape {pairs.shape}", "integers of shape (m, 2), m >= 1")
    need(bool((pairs[:, 0] != pairs[:, 1]).all()), "pairs", "one row twice", "of two distinct rows")
    inside = bool(pairs.min() >= 0 and pairs.max() < source.shape[0])
    need(inside, "pairs", "a row outside", f"in [0, {source.shape[0]})")
    factor = math.exp(min(epsilon, 700.0))
    best, worst = -1.0, (0, 1)
    for first, second in pairs.tolist():
        row, other = source.rows(first, first + 1)[0], source.rows(second, second + 1)[0]
        value = float(np.maximum(row - factor * other, 0.0).sum())
        if value > best:
            best, worst = value, (first, second)
    k = source.shape[1]
    bound = Bound(_down(best, k), best, min(1.0, _up(best, k)), 1.0)
    return Divergence(epsilon=epsilon, delta=bound, pair=worst, complete=True)


def _divergence(epsilon: float, search: _Search, upper: float, *, complete: bool) -> Divergence:
    estimate = min(1.0, max(0.0, search.best))
    bound = Bound(_down(estimate, search._source.shape[1]), estimate, max(estimate, upper), 1.0)
    return Divergence(epsilon=epsilon, delta=bound, pair=search.pair, complete=complete)


def _up(delta: float, outputs: int) -> float:
    return delta * (1 + (outputs + 8) * 2.0**-52) + 2.0**-50


def _down(delta: float, outputs: int) -> float:
    return max(0.0, delta * (1 - (outputs + 8) * 2.0**-52) - 2.0**-50)
