"""Estimates of the memory that kept conversations, private maps and restorers take, in bytes.

Strings are measured. The constants are sizes of objects in CPython 3.11 on 64 bits; tests compare the sums with
``tracemalloc``.
"""

from collections.abc import Iterable
from sys import getsizeof
from typing import Final

from textveil.sanitize.release import Release
from textveil.surrogates.private_map import PrivateMap

CONVERSATION: Final = 2600
"""Bytes of a conversation without texts: its dictionaries, its lock, its entry in the table of conversations."""

ENTRY: Final = 230
"""Bytes of a dictionary entry whose key is a digest."""

ANSWER: Final = 500
"""Bytes of an answer's identifier, which finds its conversation: two digests."""

SCOPE_VALUE: Final = 420
"""Bytes of a value and its surrogate in a scope, without the value's characters."""

RESTORED_PIECE: Final = 2600
"""Bytes that a restorer takes for a piece of a private map: a tree of its words, and the original."""

RESTORED_MAP: Final = 400
"""Bytes that a restorer takes for a private map, without its decoded text and its pieces."""

_MAP: Final = 120
_PIECE: Final = 160
_RELEASE: Final = 450
_SPAN: Final = 150


def map_bytes(private_map: PrivateMap) -> int:
    """Bytes of a private map with its released text."""
    originals = sum(getsizeof(piece.original) for piece in private_map.replaced)
    return _MAP + getsizeof(private_map.released) + _PIECE * len(private_map.replaced) + originals


def restorer_bytes(maps: Iterable[PrivateMap]) -> int:
    """Bytes of a restorer for these private maps, without the maps themselves."""
    return sum(
        RESTORED_MAP
        + getsizeof(private_map.released)
        + RESTORED_PIECE * sum(bool(piece.kind) for piece in private_map.replaced)
        for private_map in maps
    )


def release_bytes(release: Release) -> int:
    """Bytes of a release, its private map and the values that a scope remembers of it."""
    spans = _SPAN * (len(release.spans) + len(release.drawn_spans))
    private_map = release.private_map
    if private_map is None:
        return _RELEASE + spans + getsizeof(release.text)
    values = sum(getsizeof(piece.original) for piece in private_map.replaced)
    return _RELEASE + spans + map_bytes(private_map) + values
