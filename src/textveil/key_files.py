"""Secret keys in files: 32 random bytes as text, which only their owner can read."""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from textveil.errors import InputError, OutputError, ParameterError

SECRET_BYTES: Final = 32  # length of a key

_MOST_BYTES = 1000
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_key(path: Path, name: str) -> bytes:
    """The key in a file: 64 hexadecimal digits, or base64.

    Args:
        path: the file.
        name: the parameter that names it, for errors.

    Raises:
        InputError: there is no such file, or it cannot be read.
        ParameterError: it holds something else, or others than its owner can open it.
    """
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            text = stream.read(_MOST_BYTES).strip()
    except OSError as error:
        reason = error.strerror or type(error).__name__
    else:
        _need_private(mode, name)
        return decoded_key(text, name)
    raise InputError(f"the file of `{name}` must be readable: {reason}.")


def read_or_made_key(path: Path, name: str) -> bytes:
    """The key in a file; where there is no such file it is made, with a new key, for its owner alone (mode 0600).

    Args:
        path: the file.
        name: the parameter that names it, for errors.

    Raises:
        OutputError: it cannot be made.
        InputError: as ``read_key``.
        ParameterError: as ``read_key``.
    """
    key = secrets.token_bytes(SECRET_BYTES)
    if path.exists():
        return read_key(path, name)
    hidden = path.with_name(f".textveil-{secrets.token_hex(8)}.partial")
    try:
        with os.fdopen(os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(key.hex().encode("ascii") + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.link(hidden, path)  # whole, and of two runs at once for one of them alone
    except FileExistsError:
        return read_key(path, name)
    except OSError as error:
        reason = error.strerror or type(error).__name__
    else:
        return key
    finally:
        hidden.unlink(missing_ok=True)
    raise OutputError(f"the file of `{name}` could not be made: {reason}.")


def decoded_key(text: bytes, name: str) -> bytes:
    """The key that a text says: 64 hexadecimal digits, or base64.

    Args:
        text: without white space around it.
        name: the parameter that names it, for errors.

    Raises:
        ParameterError: it says something else.
    """
    for decode in (binascii.unhexlify, lambda text: base64.b64decode(text, validate=True)):
        try:
            key = decode(text)
        except ValueError:  # which binascii.Error is
            continue
        if len(key) == SECRET_BYTES:
            return key
    raise ParameterError(
        f"`{name}` must hold {SECRET_BYTES} bytes as {2 * SECRET_BYTES} hexadecimal digits or as base64; it holds "
        "something else. Name a file that is not there, and a key is made."
    )


def _need_private(mode: int, name: str) -> None:
    if os.name == "posix" and stat.S_ISREG(mode) and mode & _OTHERS:
        raise ParameterError(
            f"`{name}` must be a file that only you can open; this one has mode {mode & 0o777:04o}. Run chmod 600 on "
            "it, and make a new key if somebody else may have read it."
        )
