"""Rows that several processes of one machine make once for all of them, in common memory.

A row is a function of its word and of public tables, so it does not matter who makes it, and two that make one at
the same time write the same bytes. Claims only keep them from doing so often: nobody relies on one, and a
process that dies with a claim costs the others a short wait.

Which rows are there tells which words were seen. The memory can be read by this user alone, and it is gone when the
``with`` block ends; if the process is killed, Python's resource tracker removes it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.shared_memory import SharedMemory
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids

Make = Callable[[Ids], NDArray[Any]]
"""Rows of words, shape (batch, size)."""

_CLAIMED: Final = 1
_READY: Final = 2
_PATIENCE: Final = 1.0
"""Seconds without a new row after which claims of others are taken for dead."""

_PAUSE: Final = 0.002


@contextmanager
def shared_rows(mechanism: Any) -> Iterator[None]:
    """While open, copies of ``mechanism`` that are pickled to child processes share the rows they make.

    For mechanisms that keep no rows, and where all rows would not fit in the byte budget, it does nothing.

    Args:
        mechanism: any mechanism; its pickled copies may live in processes started by ``multiprocessing``.
    """
    rows = getattr(mechanism, "_rows", None)
    share = getattr(rows, "share", None)
    if rows is None or share is None or not share():
        yield
        return
    try:
        yield
    finally:
        rows.unshare()


@final
class SharedTable:
    """One row for each word, in memory that processes share; made when first asked for.

    Args:
        count: number of words.
        size: entries of a row.
        kind: type of an entry.
        name: of the memory to open; None makes it.

    Raises:
        OSError: there is no memory of that name, or none to be had.
    """

    __slots__ = ("__weakref__", "_close", "_held", "_known", "_memory", "_owner", "_size")

    def __init__(self, count: int, size: int, kind: np.dtype[Any], name: str | None = None) -> None:
        entries = count * size * kind.itemsize
        self._memory = SharedMemory(name, create=name is None, size=entries + count)
        self._owner = name is None
        rows: NDArray[Any] = np.ndarray((count, size), dtype=kind, buffer=self._memory.buf)
        flags: NDArray[Any] = np.ndarray(count, dtype=np.uint8, buffer=self._memory.buf, offset=entries)
        self._held: list[NDArray[Any]] = [rows, flags]
        self._known = np.zeros(count, dtype=np.bool_)
        self._size = size
        self._close = weakref.finalize(self, _closed, self._memory, self._held, self._owner, os.getpid())

    @property
    def name(self) -> str:
        """The name by which another process opens it."""
        return self._memory.name

    def close(self) -> None:
        """Give the memory back; where it was made, it is gone for all."""
        self._close()

    def members(self, ids: Ids, places: Ids, make: Make, block: int) -> Ids:
        """Entry ``places[i]`` of row ``ids[i]``; rows that are missing are made by ``make``, a block at a time."""
        known = self._known
        new = np.unique(ids[~known[ids]])
        if len(new):
            self._provide(new, make, block)
        rows = self._held[0]
        return rows[ids, places].astype(np.int64)

    def _provide(self, words: Ids, make: Make, block: int) -> None:
        """See to it that all rows of ``words`` are there and known to be."""
        flags = self._held[1]
        # Every process begins at another place, so that they claim different words.
        turn = np.roll(words, -(os.getpid() * 7919 % len(words)))
        while len(free := turn[flags[turn] == 0]):
            self._made(free[:block], make)
        waited, missing = time.monotonic(), len(words) + 1
        while len(late := turn[flags[turn] != _READY]):
            if len(late) < missing:
                waited, missing = time.monotonic(), len(late)
            elif time.monotonic() - waited > _PATIENCE:
                self._made(late[:block], make)
            else:
                time.sleep(_PAUSE)
        _fence()
        self._known[words] = True

    def _made(self, words: Ids, make: Make) -> None:
        """Make the rows of ``words`` and say so once they stand."""
        rows, flags = self._held
        flags[words] = _CLAIMED
        rows[words] = make(words)
        _fence()
        flags[words] = _READY


def child_of_multiprocessing() -> bool:
    """Whether this process was started by ``multiprocessing``, and so shares its parent's resource tracker."""
    return multiprocessing.parent_process() is not None


def _fence() -> None:
    """No read or write moves from one side of this to the other, on any processor.

    A lock that is given back and another that is taken keep their order, and each holds one side.
    """
    for _ in range(2):
        with threading.Lock():
            pass


def _closed(memory: SharedMemory, held: list[NDArray[Any]], owner: bool, process: int) -> None:
    """Let go of the arrays, then of the memory; a fork's child must not remove what its parent uses."""
    held.clear()
    with contextlib.suppress(BufferError):  # a thread that still draws keeps its view until it is done
        memory.close()
    if owner and process == os.getpid():
        with contextlib.suppress(FileNotFoundError):
            memory.unlink()
