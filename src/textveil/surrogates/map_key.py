"""The key of map files: see ``key_files``."""

from __future__ import annotations

from pathlib import Path

from textveil import key_files


def read_key(path: Path) -> bytes:
    """The key in a file, for ``map_key``; see ``key_files.read_key``."""
    return key_files.read_key(path, "map_key")


def read_or_made_key(path: Path) -> bytes:
    """The key in a file that is made where it is not there, for ``map_key``; see ``key_files.read_or_made_key``."""
    return key_files.read_or_made_key(path, "map_key")
