"""Files that appear under their name whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from textveil.errors import OutputError


@contextlib.contextmanager
def atomic_writer(path: Path) -> Iterator[BinaryIO]:
    """A binary stream whose content gets the name ``path`` when the block ends without an error.

    Until then it is a hidden file with a random name in the same folder; on an error that file is removed
    and whatever stood under ``path`` stands there still. A path that exists and is not a regular
    file (a device, a named pipe) is written directly.

    Raises:
        OutputError: the folder does not exist or cannot be written, or the disk is full.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OutputError("the output must be a file; got a folder. Name a file in it.")
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
            return
        handle, name = tempfile.mkstemp(prefix=".textveil-", suffix=".partial", dir=target.parent)
    except OSError as error:
        raise OutputError(f"the output must be writable; got {error.strerror}.") from None
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.chmod(_mode(target))
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"the output could not be written: {error.strerror}. Nothing was left behind.") from None
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, else the ones a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
