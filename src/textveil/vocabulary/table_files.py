"""The file of a table: a header that says what it was made from, then arrays that are mapped as they are.

The first 4,096 bytes are a JSON object, padded with spaces: the format's number, the kind of table, everything that
entered it, name, type, shape and offset of each array, and the SHA-256 of what follows. A file is written under
another name in the same folder, brought to the disk and renamed, so under its name it is whole or not there. It is read
only if its header is the one expected, to the letter, and its length and digest are right. A file that another user
could write is copied into memory and not mapped: what was checked is then what is used.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import mmap
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.json_text import json_data
from textveil.whole_files import sync_folder

FORMAT: Final = 1
SUFFIX: Final = ".table"
_PARTIAL: Final = ".partial"
_HEADER_BYTES: Final = 4096  # a page: the arrays behind it are aligned
_ALIGNED: Final = 64
UNTOLD: Final = -1
"""A first dimension that only making the array tells: the file's header states it, and the file's name does not.

No checksum covers the header; who reads such a table asks of the arrays whether they fit each other."""

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


class ArrayShape(NamedTuple):
    """Name, type (``"<u2"``) and shape of an array of a table; the first dimension may be ``UNTOLD``."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKey:
    """The key that tells a table from every other.

    ``made_from``: all that entered, of JSON's types: digest of the vocabulary, grid, rule, parameters.
    """

    kind: str  # what it holds; lower-case letters and hyphens
    made_from: Mapping[str, str | int | float | None]
    arrays: tuple[ArrayShape, ...]

    def __post_init__(self) -> None:
        need(self.kind.replace("-", "").isalpha() and self.kind.islower(), "kind", repr(self.kind), "letters, hyphens")
        little = all(np.dtype(array.dtype).newbyteorder("<").str == array.dtype for array in self.arrays)
        need(little, "arrays", [array.dtype for array in self.arrays], "of little-endian types, spelled as NumPy does")

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of all of it and of the format's number."""
        return hashlib.sha256(_canonical(self._fields())).hexdigest()

    @property
    def file_name(self) -> str:
        return f"{self.kind}-{self.digest[:32]}{SUFFIX}"

    @property
    def told(self) -> bool:
        return all(array.shape[0] != UNTOLD for array in self.arrays)

    @property
    def nbytes(self) -> int:
        """Length of the file; all dimensions must be told."""
        need(self.told, "arrays", "a length that is not told", "of told lengths")
        return _HEADER_BYTES + sum(_padded(array.nbytes) for array in self.arrays)

    def with_lengths(self, lengths: Mapping[str, int]) -> TableKey:
        """The key of a table whose arrays have these lengths, where this one does not tell them."""
        arrays = (
            array if array.shape[0] != UNTOLD else array._replace(shape=(lengths[array.name], *array.shape[1:]))
            for array in self.arrays
        )
        return replace(self, arrays=tuple(arrays))

    def _fields(self) -> dict[str, Any]:
        arrays = [[array.name, array.dtype, list(array.shape)] for array in self.arrays]
        return {"textveil table": FORMAT, "kind": self.kind, "made_from": dict(self.made_from), "arrays": arrays}

    def header(self, content: str) -> bytes:
        """The file's first bytes; ``content`` is the SHA-256 of what follows them."""
        text = _canonical({**self._fields(), "sha256": content})
        need(len(text) < _HEADER_BYTES, "made_from", f"{len(text)} bytes", f"less than {_HEADER_BYTES}")
        return text.ljust(_HEADER_BYTES - 1) + b"\n"


def encoded(key: TableKey, arrays: Arrays) -> list[bytes | memoryview]:
    """The bytes of a table's file, in parts; the arrays are as the key says."""
    if not key.told:
        key = key.with_lengths({name: len(array) for name, array in arrays.items()})
    parts = list(_parts(key, arrays))
    mixed = hashlib.sha256()
    for part in parts:
        mixed.update(part)
    return [key.header(mixed.hexdigest()), *parts]


def write_table(folder: Path, key: TableKey, arrays: Arrays) -> Path:
    """Write a whole table, or nothing.

    ``folder``: made if it is missing. Nothing private is in it: its files may be read by others; ``key``: of the
    table; the arrays are as it says. Raises OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / key.file_name
    write_table_as(target, key, arrays)
    return target


def write_table_as(target: Path, key: TableKey, arrays: Arrays) -> None:
    """Write a whole table under a name of its own, or nothing; its folder is there.

    Raises OSError: it cannot be written.
    """
    folder = target.parent
    parts = encoded(key, arrays)
    hidden = folder / f".{target.name}-{secrets.token_hex(8)}{_PARTIAL}"
    try:
        handle = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())
        hidden.replace(target)
    finally:
        with contextlib.suppress(OSError):
            hidden.unlink(missing_ok=True)
    sync_folder(folder)


def read_table(path: Path, key: TableKey, *, ours_alone: bool = False) -> dict[str, NDArray[Any]] | None:
    """The arrays of a table, read-only, mapped if only this user and the system's administrator can write the file.

    None if there is no such file or it is not intact; with ``ours_alone`` also if others can write it.
    """
    if not key.told:
        stated = _stated(_contents(path))
        if stated is None or {array.name for array in stated.arrays} != {array.name for array in key.arrays}:
            return None
        key = key.with_lengths({array.name: array.shape[0] for array in stated.arrays})
    if (contents := _contents(path, key.nbytes)) is None or (ours_alone and not isinstance(contents, mmap.mmap)):
        return None
    content = hashlib.sha256(memoryview(contents)[_HEADER_BYTES:]).hexdigest()
    if contents[:_HEADER_BYTES] != key.header(content):
        return None
    arrays = {}
    offset = _HEADER_BYTES
    for array in key.arrays:
        flat = np.frombuffer(contents, dtype=array.dtype, count=math.prod(array.shape), offset=offset)
        arrays[array.name] = flat.reshape(array.shape)
        offset += _padded(array.nbytes)
    return arrays


def read_key(path: Path) -> TableKey | None:
    """Return what a table's header says it is, or None if there is no such file or header."""
    return _stated(_contents(path))


class TableFile(NamedTuple):
    """A file of the folder: its name, bytes, and what its header says; ``made_from`` is None if it says nothing."""

    name: str
    nbytes: int
    kind: str
    made_from: dict[str, Any] | None
    arrays: tuple[ArrayShape, ...]
    intact: bool


def table_files(folder: Path) -> list[TableFile]:
    """The tables in a folder by name, those that are not intact too."""
    return [_described(path) for path in sorted(folder.glob(f"*{SUFFIX}"))] if folder.is_dir() else []


def clear_tables(folder: Path) -> tuple[int, int]:
    """Remove the tables in a folder, and what builders that were killed left; how many files and bytes.

    Processes that have a table open keep it. Raises OSError: a file cannot be removed.
    """
    files = bytes_freed = 0
    for path in [*folder.glob(f"*{SUFFIX}"), *folder.glob(f".*{SUFFIX}-*{_PARTIAL}")] if folder.is_dir() else []:
        size = path.lstat().st_size
        path.unlink(missing_ok=True)
        files, bytes_freed = files + 1, bytes_freed + size
    return files, bytes_freed


def _parts(key: TableKey, arrays: Arrays) -> Iterator[bytes | memoryview]:
    need(set(arrays) == {array.name for array in key.arrays}, "arrays", sorted(arrays), "those that the key names")
    for wanted in key.arrays:
        array = arrays[wanted.name]
        need(array.shape == wanted.shape, wanted.name, f"shape {array.shape}", f"shape {wanted.shape}")
        yield np.ascontiguousarray(array, dtype=wanted.dtype).reshape(-1).view(np.uint8).data
        yield bytes(_padded(wanted.nbytes) - wanted.nbytes)


def _contents(path: Path, size: int | None = None) -> mmap.mmap | bytes | None:
    """A regular file of that size, or at least the header of one of any size; None if it is not to be had."""
    # Not to wait for who writes to a pipe of that name.
    flags = [getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")]
    try:
        handle = os.open(path, os.O_RDONLY | flags[0] | flags[1] | flags[2])
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        fits = status.st_size == size if size is not None else status.st_size >= _HEADER_BYTES
        if not (stat.S_ISREG(status.st_mode) and fits):
            return None
        if _is_ours(status):
            return mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
        wanted = _HEADER_BYTES if size is None else size
        with os.fdopen(handle, "rb", closefd=False) as stream:
            copy = stream.read(wanted)
        return copy if len(copy) == wanted else None
    except (OSError, ValueError):
        return None
    finally:
        os.close(handle)


def _is_ours(status: os.stat_result) -> bool:
    """Tell whether nobody but this user and the administrator can write the file, as far as the system tells."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & 0o022


def _described(path: Path) -> TableFile:
    size = path.lstat().st_size
    nothing = TableFile(path.name, size, "unknown", None, (), False)
    if (key := _stated(_contents(path))) is None:
        return nothing
    return TableFile(path.name, size, key.kind, dict(key.made_from), key.arrays, read_table(path, key) is not None)


def _stated(contents: mmap.mmap | bytes | None) -> TableKey | None:
    """Return what a file's header claims that it holds, or None if it says nothing."""
    if contents is None:
        return None
    try:
        header = json_data(contents[:_HEADER_BYTES])
        arrays = tuple(ArrayShape(name, kind, tuple(shape)) for name, kind, shape in header["arrays"])
        key = TableKey(kind=header["kind"], made_from=dict(header["made_from"]), arrays=arrays)
        sizes = [size for array in arrays for size in array.shape]
        return key if all(type(size) is int and size >= 0 for size in sizes) and key.nbytes else None
    except (ValueError, TypeError, KeyError, AttributeError, IndexError):  # need() raises a ValueError
        return None


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False).encode("ascii")


def _padded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
