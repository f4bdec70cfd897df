"""Reads what rows add to a base that all share, part by part, and checks each part, whoever made the channel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from textveil.errors import need
from textveil.mechanisms.sampling.output_columns import OverBase, RaisedEntries
from textveil.types import Ids, Integers, Progress

if TYPE_CHECKING:
    from textveil_lab.audit.channels.rows import IntegerRows

_TOTAL_LIMIT = 2.0**62


class Part(NamedTuple):
    """All entries of some inputs, by input and then by output."""

    words: Ids  # the inputs, rising
    starts: Integers  # where the entries of each begin
    outputs: Ids
    gains: Integers  # of every entry, > 0

    def of(self, place: int) -> slice:
        """The entries of input number ``place``."""
        stop = self.starts[place + 1] if place + 1 < len(self.starts) else len(self.outputs)
        return slice(int(self.starts[place]), int(stop))


def parts(over: OverBase, size: int, progress: Progress | None = None) -> Iterator[Part]:
    """The entries of a channel of ``size`` words; once all were read, all rows have one sum below 2^62.

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
    """The sum of a row that gains so many units."""
    return sum(over.base.tolist()) + over.unit * gained


def compared(part: Part, over: OverBase, source: IntegerRows) -> None:
    """Compare the entries of the source's random inputs with the channel's rows.

    Raises:
        ParameterError: entries are not those of the rows.
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
