"""Channels read by their outputs: for each output, the inputs that make it likelier than others do.

One column needs all rows of a channel. So the first request makes columns for the whole vocabulary; nothing shows which
of them a text asked for.
"""

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.raised_rows import RaisedEntries
from textveil.mechanisms.raised_table import gathered, starts_of
from textveil.types import Ids, Integers, Reals


class Columns(NamedTuple):
    """Columns of several outputs y in a row: the inputs x with P(y | x) above the minimum.

    ``complete``: whether that is exact. If a channel tells all its inputs apart, only the likeliest are listed, and
    ``log_least`` is ln of the mean over the others.
    """

    starts: Integers  # where the inputs of each output begin and the last end, shape (outputs + 1,)
    inputs: Ids  # ids x, each once for an output, rising
    log_ratios: Reals  # ln P(y | x) - `log_least` of y, nats, > 0; shape as `inputs`
    log_least: Reals  # ln P(y | x) of every other input, the smallest float if it is 0; shape (outputs,)
    complete: bool = True

    @property
    def places(self) -> Integers:
        """Output of each entry, by its index; shape as ``inputs``."""
        return np.repeat(np.arange(len(self.log_least)), np.diff(self.starts))


def above_least(starts: Integers, inputs: Ids, log_ratios: Reals, log_least: Reals) -> Columns:
    """Return columns without entries at the minimum."""
    kept = log_ratios > 0
    before = np.zeros(len(inputs) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    return Columns(before[starts], inputs[kept], log_ratios[kept], log_least)


class OverBase(NamedTuple):
    """Integer weights of rows with one sum, as a shared base and gains: w(x, y) = base(y) + unit * gain(x, y).

    ``entries``: all gains > 0, each (input, output) once; in parts, with all entries of an input in one part.
    """

    base: Integers  # of every output, int64, shape (n,)
    unit: int  # weight of a gain of one
    entries: Iterator[RaisedEntries]


RaisedRows: TypeAlias = Callable[[], RaisedEntries]  # makes all raised entries of a channel


class RaisedColumns:
    """Raised entries of a channel by output, made at the first request and kept. Threads may share it.

    A pickled copy makes them again.

    ``size``: number of words n; ``make``: returns all raised entries; must be picklable.
    """

    def __init__(self, size: int, make: RaisedRows) -> None:
        self._size, self._make = size, make
        self._entries: tuple[Integers, NDArray[Any], NDArray[Any]] | None = None
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return RaisedColumns, (self._size, self._make)

    def of(self, outputs: Ids) -> tuple[Integers, Ids, NDArray[Any]]:
        """Return ``Columns.starts``, the inputs that raise each output, rising, and their gains."""
        starts, inputs, gains = self._made()
        places, at = gathered(starts, outputs)
        return places, inputs[at].astype(np.int64), gains[at]

    def _made(self) -> tuple[Integers, NDArray[Any], NDArray[Any]]:
        with self._lock:
            if self._entries is None:
                self._entries = by_output(self._make(), self._size)
            return self._entries


def by_output(entries: RaisedEntries, size: int) -> tuple[Integers, NDArray[Any], NDArray[Any]]:
    """Return entries in order of output, then of input, and the start of each output's."""
    if bool((entries.inputs[1:] >= entries.inputs[:-1]).all()):
        order = np.argsort(entries.outputs, kind="stable")  # by counting, for up to 65,536 words
    else:
        order = np.lexsort((entries.inputs, entries.outputs))
    return starts_of(np.bincount(entries.outputs, minlength=size)), entries.inputs[order], entries.gains[order]
