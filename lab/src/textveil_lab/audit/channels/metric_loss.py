"""Smallest epsilon per distance of a finite channel, over all ordered pairs of inputs.

For inputs x and x' at distance d the loss is max over y of ln P(y|x) - ln P(y|x'). It is at most up(x) = max over y of
ln P(y|x) - ln min P(y|.), and at most down(x') = max over y of ln max P(y|.) - ln P(y|x'). A pair is skipped if the
smaller of these bounds, divided by d, does not exceed the largest ratio so far.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from textveil.errors import need
from textveil.statistics import Bound, exactly
from textveil.types import Ids, Progress, Reals
from textveil_lab.audit.channels.rows import Rows, RowSource, blocks, source_of

Distances: TypeAlias = Reals | Callable[[int, int], Reals]
"""Distances d(x, x') as a table of shape (n, n), or a function that returns rows ``start`` to ``stop`` - 1 of it."""

_ABSENT = -1e6  # Stands for ln 0: below every logarithm of a float (-745), and finite, so that 0 against 0 is no loss
_TILE = 1 << 15
_PANEL_BYTES = 1 << 28
_SLACK = 2.0**-40  # Absolute error of a difference of logarithms, with room to spare (they stay below 750)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricLoss:
    """Largest loss per distance, with the inputs and the output at which it is attained."""

    # nats per unit of distance; ``inf`` if two inputs at distance 0 have different rows, or one can give an output
    # that the other cannot
    epsilon_per_distance: Bound
    pair: tuple[int, int]
    output: int
    distance: float  # d(x, x')


def metric_epsilon(rows: Rows, distances: Distances, *, progress: Progress | None = None) -> MetricLoss:
    """Return the smallest e with P(y|x) <= exp(e d(x, x')) P(y|x') for every y and any two inputs; O(n^2 k) at worst.

    Args:
        rows: a channel, a source, or a table of shape (n, k).
        distances: finite and >= 0; see ``Distances``. The order of a pair is (x, x').

    Raises:
        ParameterError: the rows are not a channel, or the distances do not fit them.
    """
    source = source_of(rows)
    search = _RatioSearch(source, distances)
    panels = list(blocks(source.shape, _PANEL_BYTES))
    for number, panel in enumerate(panels):
        search.load(panel)
        for start, stop in blocks(source.shape):
            search.scan(start, stop)
            if progress is not None:
                progress((number * source.shape[0] + stop) // len(panels), source.shape[0])
    return search.result()


class _RatioSearch:
    def __init__(self, source: RowSource, distances: Distances) -> None:
        self._source, self._distances = source, distances
        self._best, self._pair, self._apart = -1.0, (0, 1), 0.0
        k = source.shape[1]
        self._high, self._low = np.full(k, -np.inf), np.full(k, np.inf)
        for start, stop in blocks(source.shape):
            logs = self._logs(start, stop)
            np.maximum(self._high, logs.max(axis=0), out=self._high)
            np.minimum(self._low, logs.min(axis=0), out=self._low)

    def load(self, panel: tuple[int, int]) -> None:
        self._first = panel[0]
        self._panel = np.concatenate(
            [
                self._logs(panel[0] + start, panel[0] + stop)
                for start, stop in blocks((panel[1] - panel[0], self._source.shape[1]))
            ]
        )
        self._down = (self._high - self._panel).max(axis=1)

    def scan(self, start: int, stop: int) -> None:
        logs = self._logs(start, stop)
        limits = np.minimum((logs - self._low).max(axis=1)[:, None], self._down)
        apart = self._apart_block(start, stop)
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = np.nan_to_num((limits + _SLACK) / apart, nan=0.0, posinf=np.inf)
        own = np.arange(max(start, self._first), min(stop, self._first + len(self._panel)))
        limits[own - start, own - self._first] = -1.0
        for index in np.argsort(-limits.max(axis=1), kind="stable").tolist():
            others = np.flatnonzero(limits[index] > self._best)
            # The most promising first: each step raises the bar for the rest.
            others = others[np.argsort(-limits[index, others], kind="stable")]
            step = max(1, _TILE // logs.shape[1])
            for begin in range(0, len(others), step):
                part = others[begin : begin + step]
                if limits[index, part[0]] <= self._best:
                    break
                self._try(start + index, logs[index], part, apart[index, part])

    def _try(self, row: int, logs: Reals, part: Ids, apart: Reals) -> None:
        losses = np.maximum((logs - self._panel[part]).max(axis=1), 0.0)
        losses[losses > -_ABSENT / 2] = np.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(losses > 0, losses / apart, 0.0)  # equal rows at distance 0 lose nothing
        index = int(np.argmax(ratios))
        if ratios[index] > self._best:
            self._best = float(ratios[index])
            self._pair, self._apart = (row, self._first + int(part[index])), float(apart[index])

    def _apart_block(self, start: int, stop: int) -> Reals:
        block = self._distances(start, stop) if callable(self._distances) else self._distances[start:stop]
        table = np.asarray(block, dtype=np.float64)
        n = self._source.shape[0]
        need(table.shape == (stop - start, n), "distances", f"rows of shape {table.shape}", f"of shape (n, {n})")
        need(bool(np.isfinite(table).all() and (table >= 0).all()), "distances", "another value", "finite and >= 0")
        return table[:, self._first : self._first + len(self._panel)]

    def _logs(self, start: int, stop: int) -> Reals:
        rows = self._source.rows(start, stop)
        return np.log(rows, out=np.full(rows.shape, _ABSENT), where=rows > 0)

    def result(self) -> MetricLoss:
        """Return the largest ratio, computed again without the cancellation of two logarithms."""
        first, second = self._pair
        row, other = self._source.rows(first, first + 1)[0], self._source.rows(second, second + 1)[0]
        logs, others = self._logs(first, first + 1)[0], self._logs(second, second + 1)[0]
        output = int(np.argmax(logs - others))
        if not 0 < self._best < math.inf:
            bound = exactly(max(0.0, self._best))
        else:
            ratio = (float(row[output]) - float(other[output])) / float(other[output])
            loss = math.log1p(ratio) if ratio < math.inf else float(logs[output] - others[output])
            slack = 1e-12 * loss + _SLACK
            bound = Bound(max(0.0, loss - slack) / self._apart, loss / self._apart, (loss + slack) / self._apart, 1.0)
        return MetricLoss(epsilon_per_distance=bound, pair=self._pair, output=output, distance=self._apart)
