"""Sums over a whole table of utilities, block by block, for the solver of the optimal channel.

Utilities are float32 numbers u(x, y). With levels L(x), base probabilities q(y) and a prior pi, three sums are needed,
all over the pairs whose utility is above the level of their row. A small table is kept; a large one is made again block
by block. If a row has few such pairs, only its most useful outputs are kept, in order.
"""

import math
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids, Progress, Reals

KEPT_BYTES: Final = 3 << 29
"""Largest number of bytes of a table, or of its most useful outputs."""

_BLOCK_BYTES: Final = 1 << 22
"""Bytes of a block for elementwise work: about a core's cache."""

_PAIRS: Final = 1 << 18
"""Number of pairs in one pass."""

_MADE_ROWS: Final = 256
"""Number of rows made at once."""


class Utilities(Protocol):
    """Utility of each output for each input, over one set of n public words."""

    @property
    def size(self) -> int:
        """Number of words."""

    def rows(self, ids: Ids) -> NDArray[np.float32]:
        """Return u(x, y) for these x and every y, finite float32, shape (batch, n)."""


class Sums(NamedTuple):
    """Sums over the pairs (x, y) with u(x, y) above the level of x.

    Attributes:
        raised: for every x the sum of q(y), shape (n,).
        gain: for every y the sum of pi(x) (u(x, y) - L(x)), shape (n,).
        share: for every y the sum of pi(x), shape (n,).
    """

    raised: Reals
    gain: Reals
    share: Reals


class Cuts(NamedTuple):
    """Rows of largest utility for given base probabilities, as fractional knapsacks.

    Attributes:
        levels: utility of the output that is raised last, in part, shape (n,).
        values: gain from raising, in units of e^epsilon - 1: sum over y of the raised q(y) u(x, y), shape (n,).
        lengths: number of raised outputs, shape (n,).
    """

    levels: Reals
    values: Reals
    lengths: NDArray[np.int64]


class UtilityTable(Protocol):
    """Store of utilities that allows sums."""

    @property
    def least_levels(self) -> Reals | float:
        """Levels below which the table knows no pairs, shape (n,); -inf if it knows all."""

    def sums(self, levels: Reals, base: Reals, prior: Reals) -> Sums:
        """Return the sums over pairs above the levels, see ``Sums``."""

    def cuts(self, base: Reals, raised: float) -> Cuts:
        """Return the cuts, see ``Cuts``; every row raises outputs of base probability ``raised`` in all."""


def blocks(utilities: Utilities, progress: Progress | None = None) -> Iterator[tuple[Ids, NDArray[np.float32]]]:
    """Yield ids and rows of all inputs, some hundred at once."""
    for start in range(0, utilities.size, _MADE_ROWS):
        ids = np.arange(start, min(start + _MADE_ROWS, utilities.size), dtype=np.int64)
        yield ids, utilities.rows(ids)
        if progress is not None:
            progress(start + len(ids), utilities.size)


class WholeTable:
    """Store of all utilities: as floats, or rounded to 256 numbers, or made again for every sum.

    Args:
        utilities: u.
        kept: float32 or uint8; None keeps nothing. Bytes give a channel that is good for utilities off by 1 / 510 of
            their range; its value must be computed from the utilities themselves.
    """

    __slots__ = ("_kept", "_least", "_step", "_utilities")

    def __init__(self, utilities: Utilities, kept: type[np.float32 | np.uint8] | None = None) -> None:
        self._utilities = utilities
        self._least, self._step = 0.0, 1.0
        self._kept: NDArray[Any] | None = None
        if kept is np.uint8:
            ends = [(float(rows.min()), float(rows.max())) for _, rows in blocks(utilities)]
            self._least = min(end[0] for end in ends)
            self._step = max(max(end[1] for end in ends) - self._least, float(np.finfo(np.float32).tiny)) / 255
        if kept is not None:
            table = np.empty((utilities.size, utilities.size), dtype=kept)
            for ids, rows in blocks(utilities):
                table[ids] = rows if kept is np.float32 else np.rint((rows - self._least) / self._step)
            self._kept = table

    @property
    def least_levels(self) -> float:
        """Levels below which the table knows no pairs: -inf."""
        return -math.inf

    def _rows(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        step = max(1, _BLOCK_BYTES // (4 * self._utilities.size))
        whole = [(np.zeros(1, np.int64), self._kept)] if self._kept is not None else blocks(self._utilities)
        for ids, rows in whole:
            first = int(ids[0])
            for start in range(0, len(rows), step):
                part = rows[start : start + step]
                yield slice(first + start, first + start + len(part)), part

    def sums(self, levels: Reals, base: Reals, prior: Reals) -> Sums:
        """Return ``UtilityTable.sums``: in float32, added in float64 block by block."""
        size = self._utilities.size
        raised, gain, share = np.empty(size), np.zeros(size), np.zeros(size)
        level = ((levels - self._least) / self._step).astype(np.float32)
        weight, mass = prior.astype(np.float32), base.astype(np.float32)
        space = np.empty((2, max(1, _BLOCK_BYTES // (4 * size)), size), dtype=np.float32)
        for where, rows in self._rows():
            above, ones = space[:, : len(rows)]
            np.subtract(rows, level[where, None], out=above)
            np.copyto(ones, above > 0)
            above *= ones
            gain += weight[where] @ above
            share += weight[where] @ ones
            raised[where] = ones @ mass
        return Sums(raised, gain * self._step, share)

    def cuts(self, base: Reals, raised: float) -> Cuts:
        """Return ``UtilityTable.cuts``."""
        cuts = _empty_cuts(self._utilities.size)
        for where, rows in self._rows():
            order = np.argsort(-rows.astype(np.float32), axis=1)
            near = np.take_along_axis(rows, order, axis=1).astype(np.float32)
            _cut(cuts, where, near * np.float32(self._step) + np.float32(self._least), base[order], raised)
        return cuts


class NearestLists:
    """Store of the most useful outputs of every input by falling utility; other pairs count as below."""

    __slots__ = ("_outputs", "_utilities")

    def __init__(self, utilities: Utilities, length: int, progress: Progress | None = None) -> None:
        size = utilities.size
        self._outputs: NDArray[Any] = np.empty((size, length), dtype=np.min_scalar_type(size - 1))
        self._utilities = np.empty((size, length), dtype=np.float32)
        for ids, rows in blocks(utilities, progress):
            best = np.argpartition(-rows, length - 1, axis=1)[:, :length] if length < size else None
            kept = rows if best is None else np.take_along_axis(rows, best, axis=1)
            order = np.argsort(-kept, axis=1)
            self._utilities[ids] = np.take_along_axis(kept, order, axis=1)
            self._outputs[ids] = order if best is None else np.take_along_axis(best, order, axis=1)

    @property
    def least_levels(self) -> Reals:
        """Last utilities of the lists, see ``UtilityTable``; a level at one counts all other pairs."""
        return self._utilities[:, -1].astype(np.float64)

    def _parts(self) -> Iterator[slice]:
        size, length = self._outputs.shape
        step = max(1, _BLOCK_BYTES // (4 * length))
        for start in range(0, size, step):
            yield slice(start, min(start + step, size))

    def sums(self, levels: Reals, base: Reals, prior: Reals) -> Sums:
        """Return ``UtilityTable.sums``."""
        size = len(levels)
        raised, gain, share = np.empty(size), np.zeros(size), np.zeros(size)
        level = levels.astype(np.float32)
        counts = self._above(level)
        ends = np.cumsum(counts)
        start = 0
        while start < size:  # parts of so many pairs, or of one row
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + _PAIRS, side="right")))
            where, pairs = slice(start, stop), counts[start:stop]
            owner = np.repeat(np.arange(stop - start), pairs)
            within = np.arange(int(ends[stop - 1]) - before) - (ends[where] - pairs - before)[owner]
            at = owner * self._outputs.shape[1] + within
            outputs = self._outputs[where].reshape(-1)[at]
            over = self._utilities[where].reshape(-1)[at] - level[where][owner]
            weights = prior[where][owner]
            raised[where] = np.bincount(owner, weights=base[outputs], minlength=stop - start)
            gain += np.bincount(outputs, weights=weights * over, minlength=size)
            share += np.bincount(outputs, weights=weights, minlength=size)
            start = stop
        return Sums(raised, gain, share)

    def _above(self, level: NDArray[np.float32]) -> NDArray[np.int64]:
        rows = np.arange(len(level))
        low = np.zeros(len(level), dtype=np.int64)
        high = np.full(len(level), self._outputs.shape[1])
        while (low < high).any():
            middle = np.minimum((low + high) >> 1, self._outputs.shape[1] - 1)
            above = (self._utilities[rows, middle] > level) & (low < high)
            low, high = np.where(above, middle + 1, low), np.where(above, high, np.minimum(middle, high))
        return low

    def cuts(self, base: Reals, raised: float) -> Cuts:
        """Return ``UtilityTable.cuts``; a row whose list is too short raises all of it, and its last output more."""
        cuts = _empty_cuts(len(self._outputs))
        for where in self._parts():
            _cut(cuts, where, self._utilities[where], base[self._outputs[where]], raised)
        return cuts


def _empty_cuts(size: int) -> Cuts:
    return Cuts(np.empty(size), np.empty(size), np.empty(size, dtype=np.int64))


def _cut(cuts: Cuts, where: slice, utilities: NDArray[np.float32], base: Reals, raised: float) -> None:
    reached = np.cumsum(base, axis=1)
    # A sum that rounding leaves just short of ``raised`` counts as reached, else the row would raise one output more.
    last = np.minimum((reached < raised * (1 - 1e-12)).sum(axis=1), reached.shape[1] - 1)
    rows = np.arange(len(last))
    level = utilities[rows, last].astype(np.float64)
    before = np.where(last > 0, reached[rows, np.maximum(last - 1, 0)], 0.0)
    inside = np.arange(reached.shape[1]) < last[:, None]
    whole = np.einsum("xy,xy->x", np.where(inside, base, 0.0), utilities, dtype=np.float64)
    cuts.levels[where], cuts.lengths[where] = level, last + 1
    cuts.values[where] = whole + (raised - before) * level


def sample_cuts(utilities: Utilities, base: Reals, raised: float) -> int:
    """Return the largest number of outputs that nearly every row raises: the 99th percentile of 256 rows."""
    ids = np.unique(np.linspace(0, utilities.size - 1, _MADE_ROWS).astype(np.int64))
    rows = utilities.rows(ids)
    order = np.argsort(-rows, axis=1)
    cuts = _empty_cuts(len(ids))
    _cut(cuts, slice(0, len(ids)), np.take_along_axis(rows, order, axis=1), base[order], raised)
    return max(1, math.ceil(float(np.quantile(cuts.lengths, 0.99))))


class Slopes(NamedTuple):
    """Sums for every output y: of pi(x) phi(u(x, y) - L(x)) over x, rounded up, and of pi(x) over x with u above L."""

    slopes: Reals
    share: Reals


def slopes(utilities: Utilities, prior: Reals, levels: Reals, lift: float, progress: Progress | None = None) -> Slopes:
    """Return the slopes with phi(t) = t + lift max(t, 0), in float64, each sum rounded up by more than its error.

    A sum of n terms in any order is off by less than n 2^-52 times the sum of their magnitudes, and a term by a few
    ulps. |t| is at most 2 max(t, 0) - t.
    """
    size = utilities.size
    plain, gain, share = np.zeros(size), np.zeros(size), np.zeros(size)
    for ids, rows in blocks(utilities, progress):
        over = rows - levels[ids, None]
        plain += prior[ids] @ over
        ones = (over > 0).astype(np.float64)
        over *= ones
        gain += prior[ids] @ over
        share += prior[ids] @ ones
    magnitude = np.abs(plain) + (lift + 2) * gain
    return Slopes(plain + lift * gain + (size + 16) * 2.0**-50 * magnitude, share)


def upper_bound(
    utilities: Utilities,
    prior: Reals,
    levels: Reals,
    epsilon: float,
    *,
    rounds: int = 4,
    progress: Progress | None = None,
) -> tuple[float, NDArray[np.float32]]:
    """Return an upper bound on the mean utility of every epsilon-DP channel, and the levels that prove it.

    For any levels L the bound is sum pi L + max(0, max over y of sum over x of pi(x) phi(u(x, y) - L(x))). All levels
    are shifted by one number to make the maximum about 0, at which the bound is smallest. It is rounded up. Proof:
    ``textveil_lab/proofs/optimal.md``, section 2.

    Args:
        utilities: u.
        prior: pi, > 0, sum 1 to rounding, shape (n,).
        levels: L, any numbers, shape (n,).
        epsilon: nats.
        rounds: number of passes over the table; with one, the levels stay.
        progress: called as rows of all passes are done.
    """
    lift = math.exp(epsilon) * (1 + 2.0**-50) - 1  # a larger lift only raises the bound
    best, proving = math.inf, levels.astype(np.float32)
    shift = 0.0
    for number in range(rounds):
        tried = (levels + shift).astype(np.float32)
        exact = tried.astype(np.float64)
        slopes_of_part = slopes(utilities, prior, exact, lift, _within(progress, number, rounds))
        worst = float(slopes_of_part.slopes.max())
        rounding = 2.0**-50 * math.fsum(np.abs(prior * exact).tolist()) + 2.0**-1000
        reached = math.fsum((prior * exact).tolist()) + max(0.0, worst) + rounding
        if reached < best:
            best, proving = reached, tried
        # Newton's step for the largest of convex functions: from the left it stays on the left.
        shift += float((slopes_of_part.slopes / (1 + lift * slopes_of_part.share)).max())
    return best, proving


def _within(progress: Progress | None, number: int, rounds: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, whole: progress(done + number * (whole or 0), rounds * (whole or 0))
