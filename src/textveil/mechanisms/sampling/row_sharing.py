"""Rows that several processes of one machine make once for all of them, in common memory.

A row is a function of its word and of public tables, so it does not matter who makes it, and two that make one at
the same time write the same bytes. Claims only keep them from doing so often: nobody relies on one, and a
process that dies with a claim costs the others a short wait.

Which rows are there tells which words were seen. So the memory has no name and no file: processes that
``multiprocessing`` starts anew are handed its descriptor (``memfd_create``; Linux), and with the last of them, however
it dies, it is gone. Where there is no such memory, every process makes rows of its own.
"""

from __future__ import annotations

import mmap
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import reduction
from multiprocessing.context import get_spawning_popen
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
        name: another process's ``name``, of a table of the same shape; None makes the memory.

    Raises:
        OSError: there is no memory of that name, or none to be had.
    """

    __slots__ = ("__weakref__", "_close", "_descriptor", "_held", "_known", "_size")

    def __init__(self, count: int, size: int, kind: np.dtype[Any], name: Any = None) -> None:
        entries = count * size * kind.itemsize
        self._descriptor = _anonymous(entries + count) if name is None else _inherited(name, entries + count)
        memory = mmap.mmap(self._descriptor, entries + count)
        rows: NDArray[Any] = np.ndarray((count, size), dtype=kind, buffer=memory)
        flags: NDArray[Any] = np.ndarray(count, dtype=np.uint8, buffer=memory, offset=entries)
        self._held: list[NDArray[Any]] = [rows, flags]
        self._known = np.zeros(count, dtype=np.bool_)
        self._size = size
        self._close = weakref.finalize(self, _closed, self._descriptor, self._held)
        self._close.atexit = False  # then the system does it, and by now the number may be another file's

    @property
    def name(self) -> Any:
        """What opens the memory in the process that ``multiprocessing`` is starting; None where it starts none."""
        return None if get_spawning_popen() is None else reduction.DupFd(self._descriptor)

    def close(self) -> None:
        """Let go of the memory; it is gone when every process has."""
        self._close()

    def members(self, ids: Ids, indices: Ids, make: Make, block: int) -> Ids:
        """Entry ``places[i]`` of row ``ids[i]``; rows that are missing are made by ``make``, a block at a time."""
        known = self._known
        new = np.unique(ids[~known[ids]])
        if len(new):
            self._provide(new, make, block)
        rows = self._held[0]
        return rows[ids, indices].astype(np.int64)

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


def _fence() -> None:
    """No read or write moves from one side of this to the other, on any processor.

    A lock that is given back and another that is taken keep their order, and each holds one side.
    """
    for _ in range(2):
        with threading.Lock():
            pass


def _anonymous(size: int) -> int:
    """The descriptor of fresh memory, all zero, that has no name."""
    if not hasattr(os, "memfd_create"):
        raise OSError("no anonymous memory here")
    descriptor = os.memfd_create("textveil")
    try:
        os.ftruncate(descriptor, size)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _inherited(name: Any, size: int) -> int:
    """The descriptor that this process was started with."""
    descriptor: int = name.detach()
    if os.fstat(descriptor).st_size != size:
        raise OSError("memory of another size")
    os.set_inheritable(descriptor, False)
    return descriptor


def _closed(descriptor: int, held: list[NDArray[Any]]) -> None:
    """Close the descriptor, and let go of the arrays: the memory stays mapped for a thread that still draws."""
    held.clear()
    os.close(descriptor)
