"""Largest and smallest share of every output, exactly: the pure loss and the best attack follow from them.

If a channel states its rows over a base, one pass over their entries gives the shares; else all rows are made. Every
part of the entries is checked, whoever made the channel.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from textveil.errors import ParameterError, need
from textveil.mechanisms.raised_rows import RaisedEntries
from textveil.types import Ids, Integers, Progress, Reals
from textveil_lab.audit.channels.rows import IntegerRows, blocks
from textveil_lab.mechanisms.sampling.output_columns import OverBase

_TOTAL_LIMIT = 2.0**62


class Part(NamedTuple):
    """All entries of some inputs, sorted by input and then by output."""

    words: Ids  # the inputs, rising
    starts: Integers  # where the entries of each begin
    outputs: Ids
    gains: Integers  # of every entry, > 0

    def of(self, place: int) -> slice:
        stop = self.starts[place + 1] if place + 1 < len(self.starts) else len(self.outputs)
        return slice(int(self.starts[place]), int(stop))


def parts(over: OverBase, size: int, progress: Progress | None = None) -> Iterator[Part]:
    """Yield the entries of a channel of ``size`` words, and check that all rows have one sum below 2^62.

    Raises:
        ParameterError: ids or gains outside their domain, an entry twice, an input in two parts, or other sums.
    """
    fits = over.base.shape == (size,) and over.base.dtype.kind in "iu" and bool((over.base >= 0).all())
    need(fits and over.unit >= 0, "weights", "another base", "integers >= 0, one for each word")
    sums = np.zeros(size, dtype=np.int64)
    done = 0
    for entries in over.entries:
        if not len(entries.outputs):
            continue
        part = _checked(entries, size)
        need(not sums[part.words].any(), "weights", "an input in two parts", "all entries of an input in one")
        sums[part.words] = np.add.reduceat(part.gains, part.starts)
        yield part
        done += len(part.words)
        if progress is not None:
            progress(done, size)
    need(bool((sums == sums[0]).all()), "weights", "rows of different sums", "one sum for all")
    total = total_of(over, int(sums[0]))
    need(0 < total < _TOTAL_LIMIT, "weights", f"rows with sum {total:.3g}", "of a sum above 0 and below 2^62")


def total_of(over: OverBase, gained: int) -> int:
    """Return the sum of a row that gains ``gained`` units."""
    return sum(over.base.tolist()) + over.unit * gained


def compared(part: Part, over: OverBase, source: IntegerRows) -> None:
    """Compare the entries of random inputs with the channel's rows.

    Raises:
        ParameterError: the entries differ from the rows.
    """
    places = np.flatnonzero(np.isin(part.words, source.compared))
    if not len(places):
        return
    for place, row in zip(places.tolist(), np.asarray(source.make(part.words[places])), strict=True):
        here, stated = part.of(place), over.base.astype(np.int64)
        stated[part.outputs[here]] += part.gains[here] * over.unit
        same = bool((stated == row).all())
        need(same, "weights", f"other entries of input {part.words[place]}", "those of the rows that are stated")


def _checked(entries: RaisedEntries, size: int) -> Part:
    inputs, outputs, gains = entries
    same = inputs.shape == outputs.shape == gains.shape == (len(outputs),)
    need(same, "weights", "entries of different lengths", "an input, an output and a gain for each")
    for ids in (inputs, outputs):
        inside = ids.dtype.kind in "iu" and int(ids.min()) >= 0 and int(ids.max()) < size
        need(inside, "weights", "an entry outside", f"ids in [0, {size})")
    positive = gains.dtype.kind in "iu" and int(gains.min()) > 0 and float(gains.max()) * size < _TOTAL_LIMIT
    need(positive, "weights", "a gain that is none", "integers > 0 of sums below 2^62")
    keys = inputs.astype(np.int64) * size
    keys += outputs
    if not bool((keys[1:] > keys[:-1]).all()):
        order = np.argsort(keys)
        inputs, outputs, gains, keys = inputs[order], outputs[order], gains[order], keys[order]
        need(bool((keys[1:] > keys[:-1]).all()), "weights", "an entry twice", "each output of an input once")
    starts = np.append(0, np.flatnonzero(inputs[1:] != inputs[:-1]) + 1)
    kinds = (array.astype(np.int64, copy=False) for array in (inputs[starts], starts, outputs, gains))
    return Part(*kinds)


CLOSE = 1 - 2.0**-48  # Shares nearer to each other than this are compared as fractions; a float share is within 2^-51


class Extremes:
    """Largest (or smallest) share w / T of every column so far, with its row; exact also in near ties."""

    def __init__(self, columns: int, *, largest: bool) -> None:
        self._sign = 1 if largest else -1
        self.share: Reals = np.full(columns, -1.0 if largest else np.inf)
        self.weight: Integers = np.full(columns, -1 if largest else 2**62)
        self.total: Integers = np.ones(columns, dtype=np.int64)
        self.row: Integers = np.zeros(columns, dtype=np.int64)

    def exact(self, column: int) -> Fraction:
        return Fraction(int(self.weight[column]), int(self.total[column]))

    def row_of(self, output: int, source: IntegerRows) -> int:
        """Return the row in which a column has this share; search for it if a pass over entries kept none."""
        if self.row[output] < 0:
            self.row[output] = _located(source, output, int(self.weight[output]))
        return int(self.row[output])

    def take(self, weights: Integers, totals: Integers, shares: Reals, first: int) -> None:
        columns = np.arange(shares.shape[1])
        index = shares.argmax(axis=0) if self._sign > 0 else shares.argmin(axis=0)
        value = shares[index, columns]
        better = value > self.share if self._sign > 0 else value < self.share
        self._set(columns[better], index[better], weights, totals, shares, first)
        # Entries within float rounding of the best, but made of other integers, are compared exactly.
        near = shares >= self.share * CLOSE if self._sign > 0 else shares * CLOSE <= self.share
        near &= (weights != self.weight) | (totals[:, None] != self.total)
        near[:, self.share == 0] = False
        for row in np.flatnonzero(near.any(axis=1)).tolist():
            open_columns = np.flatnonzero(near[row])
            sign = _compared(
                weights[row, open_columns], self.total[open_columns], self.weight[open_columns], totals[row]
            )
            wins = open_columns[sign == self._sign]
            self._set(wins, np.full(len(wins), row), weights, totals, shares, first)

    def _set(
        self, columns: Integers, indices: Integers, weights: Integers, totals: Integers, shares: Reals, first: int
    ) -> None:
        self.share[columns], self.weight[columns] = shares[indices, columns], weights[indices, columns]
        self.total[columns], self.row[columns] = totals[indices], indices + first


def _compared(a: Integers, b: Integers, c: Integers, d: Integers | np.int64) -> Integers:
    def digits(left: Integers, right: Integers | np.int64) -> tuple[Integers, Integers, Integers]:
        mask = (1 << 31) - 1
        low = (left & mask) * (right & mask)
        middle = (left >> 31) * (right & mask) + (left & mask) * (right >> 31) + (low >> 31)
        return (left >> 31) * (right >> 31) + (middle >> 31), middle & mask, low & mask

    sign = np.zeros(a.shape, dtype=np.int64)
    for first, second in zip(digits(a, b), digits(c, d), strict=True):
        sign = np.where(sign != 0, sign, np.sign(first - second))
    return sign


_FOUND: WeakKeyDictionary[IntegerRows, tuple[Extremes, Extremes]] = WeakKeyDictionary()
"""Results of live sources, since several methods of one audit ask."""


def extremes_of(source: IntegerRows, progress: Progress | None = None) -> tuple[Extremes, Extremes]:
    """Return the largest and the smallest share of every output, computed once for a source.

    Raises:
        ParameterError: the rows are no channel, or their entries over the base are not those of the rows.
    """
    extremes = _FOUND.get(source)
    if extremes is None:
        over = source.over_base
        extremes = _from_rows(source, progress) if over is None else _from_entries(source, over(), progress)
        _FOUND[source] = extremes
    return extremes


def _from_rows(source: IntegerRows, progress: Progress | None) -> tuple[Extremes, Extremes]:
    high, low = (Extremes(source.shape[1], largest=largest) for largest in (True, False))
    for start, stop in blocks(source.shape):
        weights, totals = source.weights(start, stop)
        shares = weights / totals[:, None].astype(np.float64)
        for extremes in (high, low):
            extremes.take(weights, totals, shares, start)
        if progress is not None:
            progress(stop, source.shape[0])
    return high, low


def _from_entries(source: IntegerRows, over: OverBase, progress: Progress | None) -> tuple[Extremes, Extremes]:
    """Compute the shares in one pass. All rows have one sum, so the largest share is that of the largest weight.

    An output's smallest weight is its base if some input does not raise it, else the smallest that inputs raise it to.
    """
    n = source.shape[0]
    most, least = np.zeros(n, dtype=np.int64), np.full(n, np.iinfo(np.int64).max)
    every = np.ones(n, dtype=np.bool_)  # whether all inputs so far raise an output
    words = gained = 0
    for part in parts(over, n, progress):
        compared(part, over, source)
        np.maximum.at(most, part.outputs, part.gains)
        every &= np.bincount(part.outputs, minlength=n) == len(part.words)
        if every.any():
            kept = every[part.outputs]
            np.minimum.at(least, part.outputs[kept], part.gains[kept])
        words += len(part.words)
        gained = int(part.gains[part.of(0)].sum())
    least[~every | (words < n)] = 0
    total = total_of(over, gained)
    high, low = over.base + most * over.unit, over.base + least * over.unit
    return _of_weights(high, total, largest=True), _of_weights(low, total, largest=False)


def _of_weights(weights: Integers, total: int, *, largest: bool) -> Extremes:
    extremes = Extremes(len(weights), largest=largest)
    extremes.weight, extremes.total = weights, np.full(len(weights), total)
    extremes.share = weights / np.float64(total)
    extremes.row = np.full(len(weights), -1)
    return extremes


def _located(source: IntegerRows, output: int, weight: int) -> int:
    if source.weights(output, output + 1)[0][0, output] == weight:
        return output
    start, n = 0, source.shape[0]
    step = 1
    while start < n:
        stop = min(n, start + step)
        rows = np.flatnonzero(source.weights(start, stop)[0][:, output] == weight)
        if len(rows):
            return start + int(rows[0])
        start, step = stop, min(2 * step, 64)
    raise ParameterError(f"rows must have the weights that entries state; got no {weight} of output {output}.")
