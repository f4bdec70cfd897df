"""A corpus through a mechanism: inputs in, output and report out, by one engine or another."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, final

from textveil.corpora.blocks import BLOCK_BYTES, Block, Outcome, Skip
from textveil.corpora.engines.base import Engine
from textveil.corpora.engines.block_worker import BlockWorker, OnError
from textveil.corpora.files.atomic import atomic_writers, check_folder
from textveil.corpora.files.inputs import Inputs, file_size
from textveil.corpora.files.pieces import Pieces
from textveil.corpora.formats.records import Assembled, CorpusFormat
from textveil.corpora.jobs.job import SYNC_SECONDS, Job, JobFinished, opened_job
from textveil.corpora.jobs.ledger import Totals
from textveil.corpora.tables import provided_tables
from textveil.errors import InputError, TextveilError
from textveil.randomness import new_secret
from textveil.sanitize.options import SanitizerOptions
from textveil.sanitize.release import Report
from textveil.sanitize.setting import Setting
from textveil.types import Progress as TableProgress

Progress = Callable[[int, int | None, int], None]
"""Called with input bytes read, their total where it is known, and words released."""


@final
@dataclass(frozen=True, kw_only=True)
class Run:
    """What is to be done; ``to_stream`` and ``to_file`` do it.

    Attributes:
        options: of the sanitizer; with a seed the output is the same for any engine and number of processes.
        corpus_format: the format of inputs and output.
        inputs: the inputs, in order.
        engine: where blocks are released.
        on_error: ``"stop"`` at the first record that cannot be read, or ``"skip"`` it.
        progress: called after every block.
        building: called as rows of a table are done, where a large input makes it pay to build one (``tables``).
        tell: called with one line where a table cannot be kept.
        block_bytes: input bytes a block aims at.
        sync_seconds: how often a job commits.
    """

    options: SanitizerOptions
    corpus_format: CorpusFormat
    inputs: tuple[str, ...]
    engine: Engine
    on_error: OnError = "stop"
    progress: Progress = field(default=lambda bytes_read, total, words: None, repr=False)
    building: TableProgress | None = field(default=None, repr=False)
    tell: Callable[[str], None] = field(default=lambda line: None, repr=False)
    block_bytes: int = BLOCK_BYTES
    sync_seconds: float = SYNC_SECONDS

    def to_stream(self, stream: BinaryIO) -> Finished:
        """Release everything to a stream that cannot be taken back.

        Raises:
            InputError: there is no document, or a record cannot be read and the run is to stop; what was released
                before is in the stream.
        """
        worker = self._worker(new_secret())
        totals = Totals()
        pieces = Pieces(stream)
        sink = self.corpus_format.sink(stream) if isinstance(self.corpus_format, Assembled) else None

        def write(outcome: Outcome) -> None:
            if sink is not None:
                sink.write(outcome.data)
            elif outcome.data:
                pieces.write(outcome.data if totals.length else outcome.head + outcome.data)
            totals.add(outcome, totals.length + len(outcome.data))

        try:
            self._pump(worker, self._inputs(worker.secret).blocks(), totals, write)
        except TextveilError:
            pieces.close()
            raise
        self._need_documents(totals)
        if sink is not None:
            sink.close()
        pieces.close()
        return self._finished(totals)

    def to_file(self, output: Path, report: Path | None = None, *, resume: bool = False) -> Finished:
        """Release everything to a file, as a job (see ``job.py``); the report appears with it.

        Args:
            output: a regular file, or where one will be.
            report: where the report goes, as JSON.
            resume: go on with the job of this output, or begin it; its ledger stays when it is finished. Of a
                finished one the report is written again where it is asked for and not there.

        Raises:
            InputError: there is no document, or a record cannot be read and the run is to stop.
            OutputError: a file cannot be written.
            ParameterError: another job is there, or it was begun otherwise.
        """
        settings = json.loads(json.dumps({**self.setting.as_dict(), **self._beside()}))
        private = json.dumps([self.options.seed, [_identity(name) for name in self.inputs]])
        try:
            job = opened_job(
                output, self.corpus_format, settings, private, resume=resume, sync_seconds=self.sync_seconds
            )
        except JobFinished as done:
            finished = self._finished(done.totals, already=True)
            _renew(report, finished.to_json())
            return finished
        try:
            return self._work(job, report, resume)
        except TextveilError as error:
            job.close()
            if not (hint := job.hint()):
                raise
            kind, message = type(error), f"{error} {hint}"
        except (KeyboardInterrupt, SystemExit) as error:
            job.close()
            if hint := job.hint():
                error.add_note(hint)
            raise
        finally:
            job.close()
        raise kind(message)

    def _work(self, job: Job, report: Path | None, resume: bool) -> Finished:
        if report is not None:
            check_folder(report)
        if not job.ended:
            worker = self._worker(job.secret)
            blocks = job.remaining(self._inputs(job.secret).blocks())
            self._pump(worker, blocks, job.totals, job.write)
            if job.totals.tally.documents == 0:
                job.forget()
            self._need_documents(job.totals)
        finished = self._finished(job.totals)
        text = finished.to_json()
        job.end(finished.report.as_dict()["guarantee"])
        job.finish(report, text, keep=resume)
        return finished

    def _pump(
        self, worker: BlockWorker, blocks: Iterator[Block], totals: Totals, write: Callable[[Outcome], None]
    ) -> None:
        total = self._inputs(worker.secret).total()
        held = provided_tables(self.options.mechanism, total, self.tell, self.building)
        for outcome in self.engine.outcomes(worker, blocks):
            skipped = tuple(skip._replace(reason=self._located(skip)) for skip in outcome.skipped)
            if skipped and self.on_error == "stop":
                raise InputError(skipped[0].reason)
            write(replace(outcome, skipped=skipped))
            self.progress(outcome.bytes_read, total, totals.tally.kinds["word"])
        del held  # until here, so that a table that is in memory only stays for this process

    def _located(self, skip: Skip) -> str:
        """The reason, with the input's number where there are several."""
        if len(self.inputs) == 1:
            return skip.reason
        numbered = skip.reason.startswith(("line", "record", "from", "document"))
        return f"input {skip.source}{',' if numbered else ':'} {skip.reason}"

    def _worker(self, secret: bytes) -> BlockWorker:
        return BlockWorker(
            options=self.options,
            corpus_format=self.corpus_format,
            secret=secret,
            settings=self.setting.digest(**self._beside()),
            on_error=self.on_error,
        )

    def _inputs(self, secret: bytes) -> Inputs:
        return Inputs(inputs=self.inputs, corpus_format=self.corpus_format, secret=secret, size=self.block_bytes)

    @cached_property
    def setting(self) -> Setting:
        """What the sanitizer is set to."""
        return self.options.sanitizer().setting

    def _beside(self) -> dict[str, Any]:
        """The public facts on which draws depend beside the sanitizer's setting."""
        choice = getattr(self.corpus_format, "choice", None)
        return {
            "format": type(self.corpus_format).__name__,
            "fields": [choice.sanitized, choice.kept] if choice is not None else [],
            "format_options": repr(self.corpus_format),
            "block_bytes": self.block_bytes,
        }

    def _finished(self, totals: Totals, *, already: bool = False) -> Finished:
        choice = getattr(self.corpus_format, "choice", None)
        report = Report(
            setting=self.setting,
            tally=totals.tally,
            sanitized_fields=choice.sanitized if choice is not None else (),
            kept_fields=choice.kept if choice is not None else (),
        )
        skipping = self.on_error == "skip" or bool(totals.skipped)
        return Finished(report, totals, skipping, already)

    def _need_documents(self, totals: Totals) -> None:
        if totals.tally.documents == 0:
            if totals.skipped:
                raise InputError(f"{totals.skipped[0].reason} No document could be released.")
            raise InputError("the input must hold at least one document; got none. Is the file empty?")


@final
@dataclass(frozen=True, slots=True)
class Finished:
    """What a run did.

    Attributes:
        report: over all inputs.
        totals: with the records that were skipped.
        skipping: whether records may have been skipped.
        already: the job was finished before; nothing was released now.
    """

    report: Report
    totals: Totals
    skipping: bool = False
    already: bool = False

    @property
    def skipped(self) -> int:
        """Entries of records that were not released."""
        return len(self.totals.skipped) + self.totals.more_skipped

    def to_json(self) -> str:
        """The report as JSON text; where records may be skipped, with those that were, for the sender only."""
        if not self.skipping:
            return self.report.to_json()
        data = self.report.as_dict()
        data["sender_only"] = {
            **data["sender_only"],
            "skipped": {"count": self.skipped, "first": [skip._asdict() for skip in self.totals.skipped]},
        }
        return json.dumps(data, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _renew(report: Path | None, text: str) -> None:
    """Write the report of a finished job, unless it is there."""
    if report is None:
        return
    check_folder(report)
    with contextlib.suppress(OSError, ValueError):
        if report.is_file() and report.read_text("ascii") == text:
            return
    with atomic_writers([report]) as sinks:
        sinks[0].write(text.encode("ascii"))


def _identity(name: str) -> list[Any]:
    """A file by its place and size; whatever is no regular file by nothing: its blocks alone tell it."""
    size = file_size(name)
    return ["pipe"] if size is None else [os.path.realpath(name), size]
