"""The key of map files: 32 random bytes in a file that only its owner can read, as text."""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import stat
from pathlib import Path

from textveil.errors import InputError, OutputError, ParameterError
from textveil.surrogates.map_cipher import SECRET_BYTES

_MOST_BYTES = 1000
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_key(path: Path) -> bytes:
    """The key in a file: 64 hexadecimal digits, or base64.

    Raises:
        InputError: there is no such file, or it cannot be read.
        ParameterError: it holds something else, or others than its owner can open it.
    """
    key = None
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            text = stream.read(_MOST_BYTES).strip()
    except OSError as error:
        reason = error.strerror or type(error).__name__
    else:
        _need_private(mode)
        key = _decoded(text)
        if key is not None:
            return key
        raise ParameterError(
            f"`map_key` must hold {SECRET_BYTES} bytes as {2 * SECRET_BYTES} hexadecimal digits or as base64; it holds "
            "something else. Name a file that is not there, and a key is made."
        )
    raise InputError(f"the file of `map_key` must be readable: {reason}.")


def read_or_made_key(path: Path) -> bytes:
    """The key in a file; where there is no such file it is made, with a new key, for its owner alone (mode 0600).

    Raises:
        OutputError: it cannot be made.
        InputError: as ``read_key``.
        ParameterError: as ``read_key``.
    """
    key = secrets.token_bytes(SECRET_BYTES)
    try:
        # Of two runs at once one makes it, and the other reads it.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_key(path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
    else:
        with os.fdopen(handle, "wb") as stream:
            stream.write(key.hex().encode("ascii") + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        return key
    raise OutputError(f"the file of `map_key` could not be made: {reason}.")


def _need_private(mode: int) -> None:
    if os.name == "posix" and stat.S_ISREG(mode) and mode & _OTHERS:
        raise ParameterError(
            f"`map_key` must be a file that only you can open; this one has mode {mode & 0o777:04o}. Run chmod 600 on "
            "it, and make a new key if somebody else may have read it."
        )


def _decoded(text: bytes) -> bytes | None:
    for decode in (binascii.unhexlify, lambda text: base64.b64decode(text, validate=True)):
        try:
            key = decode(text)
        except ValueError:  # which binascii.Error is
            continue
        if len(key) == SECRET_BYTES:
            return key
    return None
