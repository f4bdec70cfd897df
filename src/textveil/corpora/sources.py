"""Inputs by name or pattern, opened and decompressed; outputs compressed by their ending."""

from __future__ import annotations

import abc
import contextlib
import errno
import glob
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from textveil.corpora.formats.records import arrow, read
from textveil.errors import InputError, OutputError

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = tuple(bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16))
"""First bytes of a frame without data, which some writers put before the first frame (RFC 8878, §3.1.2)."""

COMPRESSED = (".gz", ".zst")  # Endings of outputs that are compressed
_READ = 2**18  # bytes that are asked of the operating system at once
EXPANSION_FREE = 2**20  # Decompressed bytes up to which no limit on the expansion holds
_FRAME = 4 * 2**20  # bytes after which a compressed output begins a new frame by itself, so that memory stays bounded
_GZIP_LEVEL = 6


class Opened(NamedTuple):
    """An input that is open."""

    stream: BinaryIO  # its bytes, decompressed; seekable where the input is a plain regular file
    size: int | None  # bytes of the file as it lies on the disk; None if that is not known
    position: Callable[[], int]  # how many of those bytes have been read so far


def expanded(patterns: Sequence[str]) -> list[str]:
    """Inputs by name, in the order of ``patterns``; the matches of a pattern by code point.

    ``*``, ``?``, ``[...]`` and the recursive ``**`` match as in a shell, and never a hidden name. A name that exists is
    taken as it is. ``-`` is standard input. Raises InputError: nothing matches, a file is absent or a folder, or a file
    is named twice.
    """
    names: list[str] = []
    seen: set[object] = set()
    for number, pattern in enumerate(patterns, start=1):
        for name in _matches(pattern, number):
            if (file := _identity(name)) in seen:
                raise InputError(
                    f"input {number} must name other files than the ones before it; got a file twice. "
                    "Its documents would be released twice."
                )
            seen.add(file)
            names.append(name)
    return names


def files_in(root: Path) -> list[Path]:
    """Regular files at any depth in the order of their names; links to folders are not followed."""
    found: list[Path] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(folder, name) for name in names if not name.startswith(".") and Path(folder, name).is_file()]
    return sorted(found)


def one_file(name: str, other: Path) -> bool:
    """Return whether an input of ``expanded`` is the same file as one that may be there, whatever both are called."""
    if other.is_file():
        with contextlib.suppress(OSError):
            status = other.stat()
            return _identity(name) == (status.st_dev, status.st_ino)
    return name != "-" and os.path.realpath(name) == os.path.realpath(other)


def _matches(pattern: str, number: int) -> list[str]:
    if pattern == "-":
        return [pattern]
    if os.path.lexists(pattern):
        _check_readable(pattern, number)
        return [pattern]
    if not glob.has_magic(pattern):
        raise InputError(f"{called(pattern, number)} must be a readable file; got No such file or directory.")
    # Not Path.glob: it matches hidden names too, and with them the files of jobs under way.
    names = sorted(name for name in glob.iglob(pattern, recursive=True) if not Path(name).is_dir())  # noqa: PTH207
    if not names:
        raise InputError(f"input {number} must match a file; nothing matches. Check the folder.")
    return names


_PLAIN_NAME: Final = re.compile(r"[\w.-]{1,80}").fullmatch


def called(name: str, number: int) -> str:
    """Return an input's position, with the last part of its name if that cannot be text that nobody quoted."""
    last = Path(name).name
    return f"input {number} ({last})" if Path(last).suffix and _PLAIN_NAME(last) else f"input {number}"


def _check_readable(name: str, number: int) -> None:
    try:
        folder = stat.S_ISDIR(Path(name).stat().st_mode)
    except OSError as error:
        reason = "a symlink loop" if error.errno == errno.ELOOP else error.strerror
    else:
        if not folder:
            return
        reason = "a folder. Name a folder for its releases with `output`, or its files: DIR/*.txt"
    raise InputError(f"{called(name, number)} must be a readable file; got {reason}.")


def _identity(name: str) -> object:
    """Return what two names of one file share: its device and number, if they can be asked."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # standard input may be closed, or no file
        status = os.fstat(sys.stdin.fileno()) if name == "-" else Path(name).stat()
        if name == "-" and not stat.S_ISREG(status.st_mode):
            return name
        # Pipes and devices may be named twice: what is read from them once is gone.
        return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else object()
    return name if name == "-" else os.path.realpath(name)


@contextlib.contextmanager
def opened(source: str, max_expansion: float | None = None) -> Iterator[Opened]:
    """An input of ``expanded``, decompressed if its first bytes are those of gzip or zstd.

    Memory does not grow with the input, nor with how well it is compressed. Several gzip members or zstd frames in a
    row are one input.

    Args:
        source: a file's name; ``-`` is standard input, which is left open.
        max_expansion: bytes that a compressed byte may come to, on the whole; None is no limit. The first
            ``EXPANSION_FREE`` bytes are free.

    Raises:
        InputError: it cannot be read; while reading: it is cut short or damaged, or expands to more.
        MissingExtra: it is zstd and pyarrow is not installed.
    """
    if source == "-":
        if sys.stdin is None:
            raise InputError("standard input must be open; got a closed one. Name a file.")
        yield _recognized(sys.stdin.buffer, max_expansion)
        return
    try:
        file = Path(source).open("rb")  # noqa: SIM115  closed below; opening alone may fail
    except OSError as error:
        raise InputError(f"the input must be a readable file; got {error.strerror}.") from None
    with file:
        yield _recognized(file, max_expansion)


def _recognized(file: BinaryIO, max_expansion: float | None) -> Opened:
    raw = _Counted(file)
    start = raw.peeked(len(_ZSTD))
    size = None
    with contextlib.suppress(OSError):
        status = os.fstat(file.fileno())
        size = (status.st_size or None) if stat.S_ISREG(status.st_mode) else None
    if start.startswith(_GZIP):
        return Opened(_buffered(_Limited(_Gunzipped(raw), raw, max_expansion)), size, raw.position)
    if start == _ZSTD or start in _ZSTD_SKIPPABLE:
        return Opened(_buffered(_Limited(_Unzstd(raw), raw, max_expansion)), size, raw.position)
    if size is not None and file.seekable():
        file.seek(-len(start), os.SEEK_CUR)
        return Opened(file, size, file.tell)
    return Opened(_buffered(raw), size, raw.position)


def _buffered(raw: io.RawIOBase) -> BinaryIO:
    return io.BufferedReader(raw, _READ)


class _Raw(io.RawIOBase, abc.ABC):
    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self.piece(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    @abc.abstractmethod
    def piece(self, size: int) -> bytes:
        """At most ``size`` bytes, size >= 1; none at the end."""


class _Counted(_Raw):
    def __init__(self, file: BinaryIO) -> None:
        # A pipe hands over what it has: waiting for a full buffer would hold back a slow writer's records.
        self._read = getattr(file, "read1", file.read)
        self._held = b""
        self._count = 0

    def peeked(self, size: int) -> bytes:
        while len(self._held) < size and (more := self._asked(size - len(self._held))):
            self._held += more
        return self._held

    def position(self) -> int:
        return self._count

    def piece(self, size: int) -> bytes:
        data, self._held = (self._held[:size], self._held[size:]) if self._held else (self._asked(size), b"")
        self._count += len(data)
        return data

    def _asked(self, size: int) -> bytes:
        return read(self._read, size)


class _Gunzipped(_Raw):
    """The data of gzip members in a row (RFC 1952), their checksums checked; zero bytes may follow the last."""

    def __init__(self, raw: _Counted) -> None:
        self._raw = raw
        self._waiting = b""
        self._member: Any = None
        self._first = True

    def piece(self, size: int) -> bytes:
        while True:
            self._waiting = self._waiting or self._raw.piece(_READ)
            if self._member is None and not self._begun():
                return b""
            if not self._waiting and not self._member.eof:
                raise InputError(
                    "the input ends in the middle of a gzip member; its end is missing. Copy the whole file."
                )
            data = None
            with contextlib.suppress(zlib.error):
                data = self._member.decompress(self._waiting, size)
            if data is None:  # raised out here: no context
                raise InputError("the input must be sound gzip data; it is damaged. Copy the file again.")
            if self._member.eof:
                self._waiting, self._member = self._member.unused_data, None
            else:
                self._waiting = self._member.unconsumed_tail
            if data:
                return data

    def _begun(self) -> bool:
        if not self._first:
            while self._waiting and not (rest := self._waiting.lstrip(b"\0")):
                self._waiting = self._raw.piece(_READ)
            self._waiting = rest if self._waiting else b""
            if not self._waiting:
                return False
        while len(self._waiting) < len(_GZIP) and (more := self._raw.piece(_READ)):
            self._waiting += more
        if not self._waiting.startswith(_GZIP):
            raise InputError("the input must hold nothing but gzip members; other bytes follow one. Was it cut?")
        self._first = False
        self._member = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        return True


class _Unzstd(_Raw):
    """The data of zstd frames in a row (RFC 8878), in windows of at most 128 MiB."""

    def __init__(self, raw: _Counted) -> None:
        pyarrow = arrow()
        self._stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(raw, mode="r"), "zstd")

    def piece(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except OSError as error:
            # Arrow's own words, which tell the faults apart; they hold no data.
            cut, large = "Truncated" in str(error), "memory" in str(error)
        if cut:
            raise InputError("the input ends in the middle of a zstd frame; its end is missing. Copy the whole file.")
        if large:
            raise InputError("the input must be zstd with a window of at most 128 MiB; got a larger one. Use zstd -19.")
        raise InputError("the input must be sound zstd data and nothing else; it is not. Copy the file again.")


class _Limited(_Raw):
    """Decompressed data, up to so many times the bytes that were read for them."""

    def __init__(self, data: _Raw, raw: _Counted, most: float | None) -> None:
        self._data, self._raw, self._most = data, raw, most
        self._count = 0

    def piece(self, size: int) -> bytes:
        piece = self._data.piece(size)
        self._count += len(piece)
        if self._most is not None and self._count > max(EXPANSION_FREE, self._most * self._raw.position()):
            raise InputError(
                f"the input must expand to at most {self._most:g} times its compressed bytes; it is more. "
                "Raise `max_expansion` if the file can be trusted."
            )
        return piece


def compressing(stream: BinaryIO, name: str | None) -> Frames:
    """A sink that compresses into ``stream`` if ``name`` ends in ``.gz`` or ``.zst``; None is taken as it is.

    Frames are the same bytes for the same data: they hold no time and no name. Raises MissingExtra: zstd is asked for
    and pyarrow is not installed.
    """
    ending = Path(name).suffix.lower() if name is not None else ""
    if ending == ".gz":
        return Frames(stream, lambda data: zlib.compress(data, level=_GZIP_LEVEL, wbits=16 + zlib.MAX_WBITS))
    if ending == ".zst":
        codec: Any = arrow().Codec("zstd")
        return Frames(stream, lambda data: codec.compress(data, asbytes=True))
    return Frames(stream, None)


class Frames:
    """Writes bytes by whole frames, each at most ``_FRAME`` bytes of data; without a packer, as they come."""

    def __init__(self, stream: BinaryIO, pack: Callable[[bytes], bytes] | None) -> None:
        self._stream = stream
        self._pack = pack
        self._held = bytearray()

    def write(self, data: bytes, /) -> int:
        if self._pack is None:
            self._written(data)
            return len(data)
        self._held += data
        while len(self._held) >= _FRAME:
            self._packed(_FRAME)
        return len(data)

    def flush_frame(self) -> None:
        """End the frame and hand every byte on: what stands in the stream now can be cut off and added to."""
        if self._held:
            self._packed(len(self._held))
        self._stream.flush()

    def flush(self) -> None:
        """Do nothing: what a reader sees does not depend on when this is called."""

    def _packed(self, size: int) -> None:
        assert self._pack is not None
        self._written(self._pack(bytes(self._held[:size])))
        del self._held[:size]

    def _written(self, data: bytes) -> None:
        # An unbuffered stream may take less than it is given.
        view = memoryview(data)
        while view:
            if not (count := self._stream.write(view)):
                raise OutputError("the output could not be written: it takes no more bytes. Is it full?")
            view = view[count:]
