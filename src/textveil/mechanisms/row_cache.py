"""Rows of words in memory, made when a word first appears, within a byte budget.

A row is a function of its word and of public parameters alone, bit for bit: the order of arrival, the batch, the thread
and what was given up before change nothing but time. Which rows are kept tells which words were seen, so rows
never leave the process: a pickled copy of what holds them starts empty.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from types import TracebackType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids, Integers


class RowLock:
    """``with`` block for the state of a cache of rows.

    In the child of a fork the lock is new: the thread that may have held it does not exist there. Caches write
    a row before they say that it is there, so what the child inherits is whole.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def __enter__(self) -> None:
        if self._owner != os.getpid():
            self._lock, self._owner = threading.Lock(), os.getpid()
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


ROW_BYTES: Final = 128 * 2**20  # byte budget of the rows of one mechanism; the least recently used go first
Make = Callable[[Ids, NDArray[Any], Integers, int], None]
"""``make(words, table, slots, wanted)`` writes the rows of distinct words into ``table[slots]``; ``wanted`` rows are
about to be made in all."""

_FIRST: Final = 256  # rows for which there is room at first


class RowCache:
    """Rows in one array, ``table``: of ``width`` numbers each, or objects.

    Args:
        words: number of words.
        block: words whose rows are made at once; so many rows are kept whatever the budget.
        width: numbers in a row; None for objects.
        dtype: of the numbers.
        size: bytes of a row that is an object.
        budget: bytes.

    Safe to use from several threads at once.
    """

    def __init__(
        self,
        words: int,
        *,
        block: int,
        width: int | None = None,
        dtype: Any = object,
        size: Callable[[Any], int] | None = None,
        budget: int = ROW_BYTES,
    ) -> None:
        self.table: NDArray[Any] = np.empty((0,) if width is None else (0, width), dtype=dtype)
        most = words if width is None else budget // (width * self.table.itemsize)
        self.capacity = min(words, max(block, most))
        self._block, self._size, self._budget = block, size, budget
        self._slot = np.full(words, -1, dtype=np.int32)
        self._word, self._last, self._bytes = (np.empty(0, dtype=np.int64) for _ in range(3))
        self._clock = self.used = 0
        self._lock = RowLock()

    @property
    def kept(self) -> Ids:
        """The words whose rows are kept, by id."""
        return np.flatnonzero(self._slot >= 0)

    @contextmanager
    def rows(self, words: Ids, make: Make) -> Iterator[Integers]:
        """While open, row ``slots[i]`` of ``table`` is that of ``words[i]``; no other thread has the cache meanwhile.

        ``words``: ids with at most ``capacity`` distinct ones; ``make``: writes rows that are missing, always the same
        function (not kept: its owner holds the cache).
        """
        with self._lock:
            yield self._slots(words, make)

    def entries(self, ids: Ids, columns: Integers, make: Make) -> Ids:
        """Number ``columns[i]`` of the row of ``ids[i]``, shape (batch,); of any number of words."""
        if self.capacity == len(self._slot):
            with self.rows(ids, make) as slots:
                return self.table[slots, columns].astype(np.int64)
        out = np.empty(len(ids), dtype=np.int64)
        words, which = np.unique(ids, return_inverse=True)
        order = np.argsort(which, kind="stable")
        edges = np.searchsorted(which[order], np.arange(0, len(words) + self.capacity, self.capacity))
        for start, stop in pairwise(edges):
            share = order[start:stop]
            with self.rows(ids[share], make) as slots:
                out[share] = self.table[slots, columns[share]]
        return out

    def _slots(self, words: Ids, make: Make) -> Integers:
        slots = self._slot[words]
        missing = slots < 0
        self._clock += 1
        if self.capacity < len(self._slot) or self._size is not None:  # else no row is ever given up
            self._last[slots[~missing]] = self._clock
        if missing.any():
            try:
                self._add(np.unique(words[missing]), make)
            except BaseException:  # an interrupt: which slots hold what is no longer known
                self._forget()
                raise
            slots = self._slot[words]
        return slots.astype(np.int64)

    def _add(self, new: Ids, make: Make) -> None:
        """Make and keep rows. A row is written before the cache says that it is there: a fork may come between."""
        slots = self._room(len(new))
        for start in range(0, len(new), self._block):
            words, places = new[start : start + self._block], slots[start : start + self._block]
            make(words, self.table, places, len(new))
            self._last[places] = self._clock
            self._word[places] = words
            self._slot[words] = places
        if self._size is not None:
            self._bytes[slots] = [self._size(row) for row in self.table[slots]]
            self.used += int(self._bytes[slots].sum())
            self._shrink()

    def _room(self, count: int) -> Integers:
        """Slots for new rows: free ones while there are any, then those of the least recently used words."""
        free = np.flatnonzero(self._word < 0)
        short = count - len(free)
        size = len(self._word)
        if short > 0 and size < self.capacity:
            self._grow(min(self.capacity, max(size + short, 2 * size, _FIRST)))
            free = np.flatnonzero(self._word < 0)
            short = count - len(free)
        if short > 0:
            idle = np.flatnonzero((self._last < self._clock) & (self._word >= 0))
            self._give_up(idle[np.argsort(self._last[idle], kind="stable")][:short])
            free = np.flatnonzero(self._word < 0)
        return free[:count]

    def _grow(self, size: int) -> None:
        grown = np.empty((size, *self.table.shape[1:]), dtype=self.table.dtype)
        grown[: len(self.table)] = self.table
        self.table = grown
        for name in ("_last", "_bytes", "_word"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.full(size - len(old), -1, dtype=np.int64)]))

    def _shrink(self) -> None:
        """Give up the least recently used rows until the others fit the budget; ``block`` of them stay."""
        if self.used <= self._budget:
            return
        taken = np.flatnonzero(self._word >= 0)
        oldest = taken[np.argsort(self._last[taken], kind="stable")][: max(0, len(taken) - self._block)]
        freed = np.cumsum(self._bytes[oldest])
        self._give_up(oldest[: int(np.searchsorted(freed, self.used - self._budget)) + 1])

    def _give_up(self, slots: Integers) -> None:
        self._slot[self._word[slots]] = -1
        self._word[slots] = -1
        if self._size is not None:
            self.used -= int(self._bytes[slots].sum())
            self.table[slots] = None

    def _forget(self) -> None:
        self._slot.fill(-1)
        self._word.fill(-1)
        self.used = 0
