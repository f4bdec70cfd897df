"""A lock for caches of rows: one thread at a time, and never a lock that a fork left held."""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import final


@final
class RowLock:
    """``with`` block for the state of a cache of rows.

    In the child of a fork the lock is new: the thread that may have held it does not exist there. Caches write
    a row before they say that it is there, so what the child inherits is whole.
    """

    __slots__ = ("_lock", "_owner")

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
