"""How many bytes of memory a process holds of what it keeps: strings as they are measured, objects as CPython has them.

The numbers are those of CPython 3.11 on 64 bits; tests compare them with what ``tracemalloc`` finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from sys import getsizeof
from typing import Final

from textveil.sanitize.release import Release
from textveil.surrogates.private_map import PrivateMap

CONVERSATION: Final = 2600
"""Of a conversation without a text: its dictionaries, its lock, its place among the others."""

ENTRY: Final = 230
"""Of an entry of a dictionary under a digest."""

ANSWER: Final = 500
"""Of an answer's identifier, by which its conversation is found: two digests."""

SCOPE_VALUE: Final = 420
"""Of a value and its surrogate in a scope, without the value's characters."""

RESTORED_PIECE: Final = 2600
"""Of a piece of a private map in what restores: its words in a tree, and what they stand for."""

RESTORED_MAP: Final = 400
"""Of a private map in what restores, without its text as it is read."""

_MAP: Final = 120
_PIECE: Final = 160
_RELEASE: Final = 450
_SPAN: Final = 150


def map_bytes(private_map: PrivateMap) -> int:
    """Bytes of a private map, its released text included."""
    originals = sum(getsizeof(piece.original) for piece in private_map.replaced)
    return _MAP + getsizeof(private_map.released) + _PIECE * len(private_map.replaced) + originals


def restorer_bytes(maps: Iterable[PrivateMap]) -> int:
    """Bytes of what restores by private maps, without these."""
    return sum(
        RESTORED_MAP
        + getsizeof(private_map.released)
        + RESTORED_PIECE * sum(bool(piece.kind) for piece in private_map.replaced)
        for private_map in maps
    )


def release_bytes(release: Release) -> int:
    """Bytes of a release with its private map, and of the values of it that a scope remembers."""
    spans = _SPAN * (len(release.spans) + len(release.drawn_spans))
    private_map = release.private_map
    if private_map is None:
        return _RELEASE + spans + getsizeof(release.text)
    values = sum(getsizeof(piece.original) for piece in private_map.replaced)
    return _RELEASE + spans + map_bytes(private_map) + values
