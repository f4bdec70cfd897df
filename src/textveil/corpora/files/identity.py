"""Which file this is: the same one under a name as behind a handle, the same bytes as before."""

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

_PIECE = 2**20


class Whole(NamedTuple):
    """An output that is complete: its bytes, and their digest (of a release; it tells nothing else)."""

    bytes: int
    sha256: str


def whole_of(path: Path) -> Whole | None:
    """A file's length and digest; None if it cannot be read or is no regular file."""
    try:
        if not path.is_file():
            return None
        digest, length = hashlib.sha256(), 0
        with path.open("rb") as stream:
            while data := stream.read(_PIECE):
                digest.update(data)
                length += len(data)
    except OSError:
        return None
    return Whole(length, digest.hexdigest())


def is_whole(path: Path, whole: Whole) -> bool:
    """Return whether the file is there with the same bytes; other lengths are seen without reading it."""
    try:
        if path.stat().st_size != whole.bytes:
            return False
    except OSError:
        return False
    return whole_of(path) == whole


def same_file(handle: int, path: Path) -> bool:
    """Return whether an open file still stands under its name; False if the name is gone."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False
