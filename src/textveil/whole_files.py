"""Files that appear under their names whole and together, or not at all; CSV; and secret keys in files."""

import base64
import binascii
import contextlib
import os
import secrets
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from textveil.errors import InputError, OutputError, ParameterError


@dataclass(frozen=True, slots=True)
class _Partial:
    """A file under way: its stream, its hidden name (None if it is written directly) and its name to be."""

    stream: BinaryIO
    hidden: Path | None
    target: Path

    def finish(self) -> None:
        self.stream.flush()
        if self.hidden is not None:
            os.fsync(self.stream.fileno())
        self.stream.close()

    def drop(self) -> None:
        with contextlib.suppress(OSError):
            self.stream.close()
        if self.hidden is not None:
            self.hidden.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_writers(
    paths: Sequence[Path],
    also: Sequence[tuple[Path, Path]] = (),
    own: Path | None = None,
    private: Collection[Path | None] = (),
) -> Iterator[list[BinaryIO]]:
    """Binary streams whose contents get the names ``paths`` when the block ends without an error.

    Until then they are hidden files with random names in the same folders; on an error these are removed and
    whatever stood under the names stands there still. All are complete on disk before the first gets its
    name. A path that exists and is not a regular file (a device, a named pipe) is written directly.

    Args:
        paths: names to be.
        also: hidden files that are complete already, with the names that they get first; kept on an error.
        own: a folder that is cleared by who owns it, whatever kills this process: the hidden files are in it, or, of
            names in other folders than the one that it stands in, under one name each, which the next run takes over.
        private: those of ``paths`` that nobody else may open; None is none.

    Raises OutputError: a folder does not exist or cannot be written, or a disk is full.
    """
    partials: list[_Partial] = []
    try:
        try:
            for path in paths:
                partials.append(_opened(Path(os.path.realpath(path)), own))
        except OutputError:
            raise
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise no_folder(reason) from None
        try:
            yield [partial.stream for partial in partials]
            for partial in partials:
                partial.finish()
            hidden = [(partial.hidden, partial.target) for partial in partials if partial.hidden is not None]
            secluded = {os.path.realpath(path) for path in private if path is not None}
            for path, target in (*also, *hidden):
                if path.is_dir():  # whose files have their modes; an empty folder makes way
                    with contextlib.suppress(OSError):
                        target.rmdir()
                else:
                    path.chmod(0o600 if str(target) in secluded else _mode(target, own))
                path.replace(target)
        except OSError as error:
            if isinstance(error, OutputError | BrokenPipeError):
                raise
            raise OutputError(
                f"the output could not be written: {error.strerror}. No incomplete file is left."
            ) from None
    finally:
        for partial in partials:
            partial.drop()


def no_folder(reason: str) -> OutputError:
    """The error of an output whose folder is not there or cannot be written."""
    return OutputError(f"the folder of an output must exist and be writable; got {reason}. Make it first.")


def check_folder(path: Path) -> None:
    """Raise ``OutputError`` now if a file could not be made later."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OutputError("the output must be a file; got a folder. Name a file in it.")
    folder = target.parent
    if (not target.exists() or target.is_file()) and not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise no_folder("none" if not folder.is_dir() else "a folder that is not")


def need_new(path: Path, name: str) -> None:
    """Refuse the path of an existing file that cannot be made again.

    ``name``: the parameter with the path, for the error. Raises ParameterError: the file exists.
    """
    if path.exists():
        raise ParameterError(
            f"`{name}` must be a new file; got one that exists. It is never replaced, as it cannot be made "
            "again: name another, or move it away."
        )


def write_whole(path: Path, data: bytes, *, private: bool = False) -> Path:
    """Write a file that appears under its name whole, or not at all; returns the name.

    ``path``: its name; ``data``: all of it; ``private``: whether nobody but its owner may open it. Raises OutputError:
    the folder does not exist or cannot be written, or the disk is full.
    """
    with atomic_writers([path], private=[path] if private else []) as (stream,):
        stream.write(data)
    return path


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _opened(target: Path, own: Path | None) -> _Partial:
    if target.is_dir():
        raise OutputError("the output must be a file; got a folder. Name a file in it.")
    if target.exists() and not target.is_file():
        return _Partial(target.open("wb"), None, target)
    if own is None:
        hidden = target.with_name(f".textveil-{secrets.token_hex(8)}.partial")
    elif own.parent == target.parent:  # elsewhere a rename out of it could cross file systems
        hidden = own / f".textveil-{secrets.token_hex(8)}.partial"
    else:
        hidden = target.with_name(f".{target.name}.textveil-partial")
        hidden.unlink(missing_ok=True)
    # Nobody else may read a release that is not finished.
    handle = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    return _Partial(os.fdopen(handle, "wb"), hidden, target)


def _mode(target: Path, own: Path | None) -> int:
    if target.exists():
        return target.stat().st_mode & 0o777
    # Asked of the system by making a file: reading the process's mask would change it for a moment.
    probe = (own or target.parent) / f".textveil-{secrets.token_hex(8)}.probe"
    os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    mode = probe.stat().st_mode & 0o777
    probe.unlink()
    return mode


SECRET_BYTES: Final = 32  # length of a key
_MOST_BYTES = 1000
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_key(path: Path, name: str) -> bytes:
    """The key in a file: 64 hexadecimal digits, or base64.

    ``path``: the file; ``name``: the parameter that names it, for errors. Raises InputError: there is no such file, or
    it cannot be read; ParameterError: it holds something else, or others than its owner can open it.
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
    """The key in a file; if there is no such file it is made, with a new key, for its owner alone (mode 0600).

    ``path``: the file; ``name``: the parameter that names it, for errors. Raises OutputError: it cannot be made;
    InputError: as ``read_key``; ParameterError: as ``read_key``.
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

    ``text``: without white space around it; ``name``: the parameter that names it, for errors. Raises ParameterError:
    it says something else.
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


_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001
"""First characters of cells that spreadsheets compute."""


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV; a text that a spreadsheet would compute has an apostrophe before it, numbers stay as they are.

    Labels, words and names of a released table are whatever somebody wrote, and who opens it trusts its maker.
    """
    import csv  # and what it needs, which other commands do not
    import io

    lines = []
    for row in rows:
        out = io.StringIO()
        # With this line end the writer quotes fields that hold a lone carriage return, which would begin a row.
        cells = [f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULAS) else cell for cell in row]
        csv.writer(out, lineterminator="\r\n").writerow(cells)
        lines.append(out.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


def results_folder(folder: Path, mark: str, *, mode: int = 0o777) -> Path:
    """Return a folder that results can be written to, made if it does not exist; to be called before long work.

    Refused is one with files, unless ``mark``, which every run writes, is among them. ``mode`` is before the umask.
    """
    try:
        folder.mkdir(mode=mode, exist_ok=True)
        names = [path.name for path in folder.iterdir()]
        left_by_kills = all(name.startswith(".") and ".textveil-" in name for name in names)
        foreign = not left_by_kills and not (folder / mark).is_file()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError(
            f"`output` must be a folder that can be written, in one that exists; got {reason}. Name another."
        ) from None
    if foreign:
        raise ParameterError(
            "`output` must be a new folder, an empty one, or one of an earlier run; got one with other files. "
            "Name another."
        )
    return folder
