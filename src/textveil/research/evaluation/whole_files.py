"""A file that appears under its name whole, or not at all."""

from __future__ import annotations

import secrets
from pathlib import Path

from textveil.errors import OutputError


def write_whole(path: Path, data: bytes) -> Path:
    """Write ``data`` to a hidden file beside ``path`` and give it that name when it is complete.

    Raises:
        OutputError: the folder does not exist or cannot be written, or the disk is full.
    """
    hidden = path.with_name(f".textveil-{secrets.token_hex(8)}.partial")
    try:
        try:
            with hidden.open("xb") as stream:
                stream.write(data)
            hidden.replace(path)
        finally:
            hidden.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"the folder of a figure or table must exist and be writable; got {reason}.") from None
    return path
