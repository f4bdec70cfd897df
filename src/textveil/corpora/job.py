"""A job: its output grows in a hidden folder, block by block, and can go on after any kind of death.

The order of writes, by which no document is released twice and none is lost: (1) a block's bytes are brought to the
disk in the partial output, (2) its line is brought to the disk in the ledger, and the block is *committed*. A job that
goes on cuts the partial output back to the last committed block and does the ones behind it. Their draws depend on the
job's secret, the settings and the block alone: one that was written, but not committed, comes back byte for byte.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, final

from textveil.corpora.atomic import atomic_writers, sync_folder
from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.job_folder import ENDING, JobFolder
from textveil.corpora.ledger import Totals, append, block_ends, block_line, past, totals_line
from textveil.corpora.records import Assembled, CorpusFormat
from textveil.corpora.sources import compressing
from textveil.errors import OutputError, ParameterError

SYNC_SECONDS = 1.0
"""Blocks are committed together about this often."""

COMPRESSED = (".gz", ".zst")
"""Endings of outputs that are compressed."""

_PIECE = 2**20


@final
@dataclass(slots=True)
class Job:
    """An output under way. Make it with ``opened_job``.

    Attributes:
        folder: its state.
        secret: from which all draws are derived.
        totals: over the committed blocks and those written since.
        committed: how many blocks are committed.
        ended: whether all are.
    """

    folder: JobFolder
    secret: bytes = field(repr=False)
    totals: Totals
    committed: int
    ended: bool
    _form: CorpusFormat
    _ledger: BinaryIO = field(repr=False)
    _output: RawIOBase | None = field(repr=False)
    _sync_seconds: float
    _lines: list[dict[str, Any]] = field(default_factory=list)
    _synced: float = field(default_factory=time.monotonic)

    def remaining(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """The blocks that are not committed, after those that are were compared with what they were.

        Raises:
            ParameterError: the input is another.
        """
        done, chain = self.totals.blocks, self.totals.chain
        found = ""
        for block in blocks:
            if block.number >= done:
                if found != chain:
                    break
                yield block
            else:
                found = block.chain
        if found != chain:
            raise _refused("the input with which the job began", "its first records are other ones now")

    def write(self, outcome: Outcome) -> None:
        """Add a block; it is committed soon.

        Raises:
            OutputError: the disk is full, or fails.
        """
        length = self.totals.length
        data = outcome.data if length or not outcome.data else outcome.head + outcome.data
        with _written_or_refused():
            try:
                self._append(data)
            except OSError:
                # The blocks before this one are whole and can still be committed.
                with contextlib.suppress(OSError):
                    self._append(b"", at=length)
                raise
        length += len(data)
        self.totals.add(outcome, length)
        self._lines.append(block_line(outcome, length))
        if time.monotonic() - self._synced >= self._sync_seconds:
            self.commit()

    def commit(self) -> None:
        """Bring what was written to the disk, then its lines to the ledger.

        Raises:
            OutputError: the disk is full, or fails.
        """
        if self._lines and self._output is not None:
            with _written_or_refused():
                os.fsync(self._output.fileno())
                append(self._ledger, self._lines)
            self.committed = self.totals.blocks
            self._lines = []
        self._synced = time.monotonic()

    def end(self, spent: Mapping[str, Any]) -> None:
        """Note that there are no more blocks, and what was spent in all."""
        self.commit()
        if not self.ended:
            with _written_or_refused():
                append(self._ledger, [{**totals_line(self.totals), "guarantee": spent}])
            self.ended = True

    def finish(self, report: Path | None, text: str, *, keep: bool) -> None:
        """Give the output and the report their names, together; then forget the secret.

        Args:
            report: where the report goes.
            text: the report.
            keep: leave the ledger where it is, so that the job can be told to be finished.
        """
        assert self.ended
        paths = [] if report is None else [report]
        with _written_or_refused():
            hidden = self._whole()
        also = [] if hidden is None else [(hidden, self.folder.output)]
        with atomic_writers(paths, also) as sinks:
            for sink in sinks:
                sink.write(text.encode("ascii"))
        sync_folder(self.folder.output.parent)
        with _written_or_refused():
            append(self._ledger, [{"finished": True}])
        if keep:
            self.folder.cleared()
        else:
            self._ledger.close()
            self.folder.removed()

    def close(self) -> None:
        """Commit what can be; a job without a committed block leaves nothing behind."""
        with contextlib.suppress(OSError):
            self.commit()
        if self._output is not None:
            with contextlib.suppress(OSError):
                self._output.close()
        with contextlib.suppress(OSError):
            self._ledger.close()
        if self.committed == 0 and not self.ended:
            self.folder.removed()

    def hint(self) -> str:
        """What can be done with a job that did not end, in a sentence; empty where nothing is left of it."""
        if self.committed == 0 and not self.ended:
            return ""
        return (
            f"{self.totals.tally.documents} documents are kept: --resume goes on behind them, "
            f"deleting the folder *{ENDING} beside the output forgets them."
        )

    def forget(self) -> None:
        """Remove all of it."""
        self._lines = []
        self.committed, self.ended = 0, False

    def _append(self, data: bytes, at: int | None = None) -> None:
        """Write behind what is there, or behind ``at`` bytes of it."""
        assert self._output is not None
        if at is not None:
            self._output.truncate(at)
            self._output.seek(at)
        view = memoryview(data)
        while view:
            view = view[self._output.write(view) or 0 :]

    def _whole(self) -> Path | None:
        """The complete output under its hidden name, on the disk; None where it has its own already."""
        if self._output is not None:
            self._output.close()
        if not self.folder.partial.exists():
            return None
        if is_direct(self._form, self.folder.output):
            return self.folder.partial
        with self.folder.partial.open("rb") as partial, self.folder.written_anew(self.folder.assembled) as target:
            if isinstance(self._form, Assembled):
                sink = self._form.sink(target)
                for data in self._blocks(partial):
                    sink.write(data)
                sink.close()
            else:
                # Not by block: where blocks end depends on how long the private words are.
                writer = compressing(target, self.folder.output.name)
                while data := partial.read(_PIECE):
                    writer.write(data)
                writer.flush_frame()
        return self.folder.assembled

    def _blocks(self, partial: BinaryIO) -> Iterator[bytes]:
        """The data of block after block."""
        for length in block_ends(self._ledger):
            if length > partial.tell():
                yield partial.read(length - partial.tell())


def is_direct(form: CorpusFormat, output: Path) -> bool:
    """Whether the data of the blocks, one after another, are the output file."""
    return not isinstance(form, Assembled) and output.suffix.lower() not in COMPRESSED


def opened_job(
    output: Path, form: CorpusFormat, settings: Mapping[str, Any], private: str, *, resume: bool, sync_seconds: float
) -> Job:
    """Begin the job of an output, or go on with it.

    Args:
        output: a file, or where one will be.
        form: the format of both.
        settings: public facts on which the draws depend; they stand in the ledger.
        private: facts on which it depends too, of which the ledger holds a salted digest.
        resume: go on with a job that is not finished; without one a new job begins.
        sync_seconds: blocks are committed together about this often.

    Raises:
        ParameterError: there is a job to go on with, and ``resume`` is not set; settings or inputs are others now; or
            another run is at it.
        JobFinished: there is nothing left to do.
        OutputError: the folder cannot be made.
    """
    folder = JobFolder(Path(os.path.realpath(output)))
    ledger = folder.opened()
    try:
        with _written_or_refused():
            return _opened(folder, ledger, form, settings, private, resume=resume, sync_seconds=sync_seconds)
    except BaseException:
        ledger.close()
        raise


def _opened(
    folder: JobFolder,
    ledger: BinaryIO,
    form: CorpusFormat,
    settings: Mapping[str, Any],
    private: str,
    *,
    resume: bool,
    sync_seconds: float,
) -> Job:
    there = folder.partial.stat().st_size if folder.partial.exists() else None
    found = past(ledger, there)
    if there is None and not found.ended:
        found = past(ledger, 0)
    totals, begin, secret = found.totals, found.begin, folder.remembered()
    begun = totals.blocks > 0 or found.ended
    if begun and not found.finished and not resume:
        raise ParameterError(
            f"--output has an unfinished job, in which {totals.tally.documents} documents are released. Go on with "
            f"--resume, or delete the folder *{ENDING} beside the output to forget it."
        )
    if resume and begin is not None and (refusal := _other(begin, settings, private)) and begun:
        raise refusal
    if resume and found.finished:
        folder.cleared()
        raise JobFinished(totals)
    if resume and begun and secret is None:
        raise _refused("the secret of the job", "it is gone")
    if resume and begin is not None and not refusal and secret is not None:
        ledger.truncate(found.length)
    else:
        ledger.truncate(0)
        secret, totals = folder.begun(), Totals()
        salt = secrets.token_hex(16)
        append(ledger, [{"begin": 1, "settings": settings, "salt": salt, "inputs": _salted(salt, private)}])
        sync_folder(folder.path)
    ended = found.ended and totals is found.totals
    stream = None if ended else folder.continued(totals.length)
    return Job(folder, secret, totals, totals.blocks, ended, form, ledger, stream, sync_seconds)


def _other(begin: Mapping[str, Any], settings: Mapping[str, Any], private: str) -> ParameterError | None:
    """Why a job cannot go on, or is not the one that is finished."""
    if begin["settings"] != dict(settings):
        return _refused("the options with which the job began", "they differ now")
    if begin["inputs"] != _salted(begin["salt"], private):
        return _refused("the inputs with which the job began", "their names, sizes or the seed differ now")
    return None


def _salted(salt: str, private: str) -> str:
    # Not keyed by the secret: what a finished job was about can be asked when that is gone.
    raw = private.encode("utf-8", "surrogateescape")
    return hashlib.blake2b(raw, key=bytes.fromhex(salt), digest_size=32, person=b"textveil inputs").hexdigest()


def _refused(wanted: str, got: str) -> ParameterError:
    return ParameterError(
        f"--resume needs {wanted}; {got}. Delete the folder *{ENDING} beside the output to forget the job."
    )


@contextlib.contextmanager
def _written_or_refused() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        reason = error.strerror or type(error).__name__
    else:
        return
    raise OutputError(f"the output could not be written: {reason}. No file stands half written.")


@final
class JobFinished(Exception):
    """There is nothing left to do; holds the job's totals."""

    def __init__(self, totals: Totals) -> None:
        super().__init__("the job is finished")
        self.totals = totals
