"""The folder in which a job keeps its state, beside the output: nobody else may open it."""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO

from textveil.corpora.files.inputs import same_file
from textveil.errors import OutputError, ParameterError
from textveil.randomness import SECRET_BYTES, new_secret
from textveil.whole_files import no_folder, sync_folder

ENDING = ".textveil-job"
PAID = ".textveil-paid"
"""Endings of the folders of a job, and of a release of a corpus that was paid for and is not written yet."""

_TRIES = 100  # times that a folder is made anew which a run that ends removes at the same moment


@dataclass(frozen=True, slots=True)
class JobFolder:
    """Paths of a job's state."""

    output: Path  # the file that the job will make, links resolved
    ending: str = ENDING

    @property
    def path(self) -> Path:
        """``.NAME.textveil-job`` beside the output, or with the other ending."""
        return self.output.with_name(f".{self.output.name}{self.ending}")

    @property
    def told(self) -> str:
        """The folder, as messages name it."""
        name = self.path.name if self.path.name.isprintable() else f"*{self.ending}"
        return f"the hidden folder {name} beside the output"

    @property
    def secret(self) -> Path:
        return self.path / "secret"  # while it is not finished

    @property
    def partial(self) -> Path:
        return self.path / "partial"  # the output so far

    @property
    def assembled(self) -> Path:
        return self.path / "assembled"  # the output file, where it is assembled from the partial one

    @property
    def private_map(self) -> Path:
        return self.path / "map"  # so far, where one is kept

    @property
    def paid(self) -> Path:
        return self.path / "paid"  # what was taken from a ledger of budgets, where one is asked

    @property
    def ledger(self) -> Path:
        return self.path / "ledger.jsonl"  # one line a block

    def opened(self, *, several: bool = False) -> BinaryIO:
        """The ledger, made if it is not there, locked against other runs until it is closed.

        ``several``: the output is a folder of files.

        Raises:
            ParameterError: another run has it, or the folder is not this user's alone.
            OutputError: it cannot be made.
        """
        if self.output.is_dir() and not several:
            raise OutputError("the output must be a file; got a folder. Name a file in it.")
        for _ in range(_TRIES):
            stream = self._ledger_opened()
            if stream is None:
                continue
            if not _locked(stream):
                stream.close()
                break
            # The run that had the lock may have removed the file meanwhile: then it guards nothing.
            if self.holds(stream):
                return stream
            stream.close()
        raise ParameterError("the job of this output must be run once at a time; it is under way. Wait for it.")

    def _ledger_opened(self) -> BinaryIO | None:
        """The ledger, unlocked; None if the folder goes away at this moment."""
        try:
            self.path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            reason = error.strerror or type(error).__name__
        else:
            try:
                self._check()
                return os.fdopen(os.open(self.ledger, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b")
            except FileNotFoundError:
                return None
            except OSError as error:
                reason = error.strerror or type(error).__name__
        raise no_folder(reason)

    def holds(self, ledger: BinaryIO) -> bool:
        """Whether an open ledger is the one in the folder: the folder may have been deleted, and made by another."""
        return same_file(ledger.fileno(), self.ledger)

    def remembered(self) -> bytes | None:
        """The secret, or None if it is not there or not whole."""
        with contextlib.suppress(OSError):
            secret = self.secret.read_bytes()
            return secret if len(secret) == SECRET_BYTES else None
        return None

    def begun(self) -> bytes:
        """A new secret, on the disk, and an empty partial output."""
        self.cleared()
        secret = new_secret()
        for path, content in ((self.secret, secret), (self.partial, b"")):
            with self.written_anew(path) as stream:
                stream.write(content)
        sync_folder(self.path)
        return secret

    @contextlib.contextmanager
    def written_anew(self, path: Path) -> Iterator[BinaryIO]:
        """A file of this folder that is written from its start, and is on the disk at the end."""
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())

    def continued(self, length: int, path: Path | None = None) -> RawIOBase:
        """The partial output, or ``path``, cut to ``length`` bytes, to be written behind them; unbuffered."""
        stream = os.fdopen(os.open(path or self.partial, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        stream.truncate(length)
        stream.seek(length)
        return stream

    def cleared(self) -> None:
        """Remove everything but the ledger; the secret first."""
        strays = self.path.glob(".textveil-*")  # of a run that was killed while it wrote its report
        for path in (self.secret, self.partial, self.assembled, self.private_map, self.paid, *strays):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def removed(self) -> None:
        """Remove the folder, the ledger last; for who holds the ledger's lock.

        A ledger that cannot be removed while it is open (not on POSIX systems) stays; a finished one does no harm.
        """
        self.cleared()
        with contextlib.suppress(OSError):  # a file of someone else's
            self.ledger.unlink(missing_ok=True)
            self.path.rmdir()

    def _check(self) -> None:
        status = self.path.lstat()
        mine = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)
        if not (stat.S_ISDIR(status.st_mode) and mine):
            raise ParameterError(f"{self.told} must be a folder that only you can open; it is not. Remove it.")


def _locked(stream: BinaryIO) -> bool:
    """Take the file for this process alone; the lock ends with the process. True where there are no locks."""
    try:
        import fcntl
    except ImportError:  # not a POSIX system
        return True
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
