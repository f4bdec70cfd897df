"""Private maps that a client asked to be kept for a while: what puts originals back. Here in memory alone."""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

from textveil.server.held import map_bytes
from textveil.surrogates.private_map import PrivateMap

_ENTRY: Final = 700
"""Bytes of what stands around the maps of a release: its id, its owner, its place among the others."""

Owner: TypeAlias = tuple[str, str | None]
"""Whose maps they are: a tenant and a person of it."""


class MapKeeper(Protocol):
    """Keeps maps for a while; ``KeptMaps`` and ``sealed_maps.SealedMaps`` do."""

    def keep(self, owner: Owner, maps: Sequence[PrivateMap]) -> str:
        """Keep maps of one release; the id that gives them back, which nobody can guess."""

    def find(self, owner: Owner, identity: str) -> tuple[PrivateMap, ...] | None:
        """The maps of that id, for their owner alone; None for anybody else, and when their time is over."""


def new_identity() -> str:
    """An id of 192 random bits."""
    return f"rel_{secrets.token_urlsafe(24)}"


class _Kept(NamedTuple):
    owner: Owner
    maps: tuple[PrivateMap, ...]
    size: int
    until: float


class KeptMaps:
    """Maps by a random id, for those alone whose texts they are; they go when their time is over, or room is needed.

    Args:
        seconds: how long each is kept.
        max_bytes: of all together; the oldest go first.
        clock: seconds that only grow.
    """

    def __init__(self, seconds: float, max_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def keep(self, owner: Owner, maps: Sequence[PrivateMap]) -> str:
        """Keep maps of one release; the id that gives them back, which nobody can guess."""
        identity = new_identity()
        size = _ENTRY + sum(map(map_bytes, maps))
        with self._lock:
            self._kept[identity] = _Kept(owner, tuple(maps), size, self._clock() + self._seconds)
            self._size += size
            self._drop()
        return identity

    def find(self, owner: Owner, identity: str) -> tuple[PrivateMap, ...] | None:
        """The maps of that id; None where there are none, or they are another's: a stranger cannot tell which.

        Args:
            owner: who asks; without a person, any of the tenant's.
            identity: of ``keep``.
        """
        with self._lock:
            self._drop()
            kept = self._kept.get(identity)
        if kept is None or kept.owner[0] != owner[0] or owner[1] not in (None, kept.owner[1]):
            return None
        return kept.maps

    def _drop(self) -> None:
        """Forget what is over, and what there is no room for; the oldest stand first."""
        now = self._clock()
        while self._kept:
            first = next(iter(self._kept.values()))
            if first.until > now and self._size <= self._max_bytes:
                return
            self._kept.popitem(last=False)
            self._size -= first.size
