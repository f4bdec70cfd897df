"""A corpus through a mechanism: inputs in, output and report out, by one engine or another."""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, cast

from textveil.budget.standing import Charged
from textveil.corpora.block_worker import BlockWorker, Engine, OnError, need_drawn
from textveil.corpora.blocks import BLOCK_BYTES, NO_COLUMNS, Block, Outcome, RecordColumns, Skip
from textveil.corpora.file_by_file import FileByFile, formats_of
from textveil.corpora.formats.records import Assembled, CorpusFormat, Pieces, Structured
from textveil.corpora.inputs import Inputs, Places, Whole, file_size, file_stamp, whole_of
from textveil.corpora.job import SYNC_SECONDS, Job, MapWanted, frame_of
from textveil.corpora.job_ledger import Totals
from textveil.corpora.job_opening import JobFinished, Terms, opened_job
from textveil.corpora.payment import Payer, paid
from textveil.errors import InputError, ParameterError, TextveilError, need
from textveil.json_text import json_data
from textveil.mechanisms.kinds import Mechanism
from textveil.randomness import new_secret
from textveil.sanitize.chosen import SanitizerOptions
from textveil.sanitize.costs import Persons
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.policy_report import MeasuredRisk, SenderReport, check_recall, check_risk
from textveil.sanitize.release import Report
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import Setting
from textveil.surrogates import map_file
from textveil.surrogates.map_file import MapCipher, need_package, read_or_made_key
from textveil.types import Progress
from textveil.whole_files import atomic_writers, check_folder, write_whole

MAX_SAMPLE: Final = 1000  # Documents that a sender's report shows at most
RunProgress: TypeAlias = Callable[[int, int | None, int], None]
"""Called with input bytes read, their total if it is known, and words released."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run over a corpus; ``to_stream`` and ``to_file`` execute it."""

    # of the sanitizer; with a seed the output is the same for any engine and number of processes
    options: SanitizerOptions
    corpus_format: CorpusFormat
    inputs: tuple[str, ...]
    engine: Engine
    columns: RecordColumns = NO_COLUMNS  # whose a record is; its names are among those that the format reads
    on_error: OnError = "stop"  # ``"stop"`` at the first record that cannot be read, or ``"skip"`` it
    # of processor time that detection may take for one record; one that takes longer is one that cannot be read. Values
    # are then found by a process beside each that releases, which is killed over the limit in the middle of a search
    # too, and over three times as much and 10 s by the clock. None is no limit
    record_seconds: float | None = None
    progress: RunProgress = field(default=lambda bytes_read, total, words: None, repr=False)
    # called as rows of a table are done, where a large input makes it pay to build one (``tables``)
    building: Progress | None = field(default=None, repr=False)
    tell: Callable[[str], None] = field(default=lambda line: None, repr=False)
    block_bytes: int = BLOCK_BYTES  # input bytes a block aims at
    sync_seconds: float = SYNC_SECONDS
    max_expansion: float | None = None  # bytes that a byte of a compressed input may come to; None is no limit
    # the user's key of the private map, where one is kept; ``to_places`` reads or makes it
    map_key: bytes | None = field(default=None, repr=False)
    recall: Mapping[str, Any] | None = None  # what was measured of a policy's detection, for the report
    scope_key: bytes | None = field(default=None, repr=False)  # the user's, of scopes that all jobs with it share
    payer: Payer | None = None  # whose budget it is taken from, before anything is drawn; None takes it from none
    risk: MeasuredRisk | None = None  # what attacks on the release came to, for the page of a job that is finished
    sample: int = 0  # documents that the sender's report shows before and after, chosen at random; 0 is none

    def __post_init__(self) -> None:
        need(self.on_error in ("stop", "skip"), "on_error", self.on_error, "stop or skip")
        self._check_seconds()
        need(self.max_expansion is None or self.max_expansion >= 1, "max_expansion", self.max_expansion, ">= 1")
        need(0 <= self.sample <= MAX_SAMPLE, "sample", self.sample, f"from 0 to {MAX_SAMPLE}")

    def to_stream(self, stream: BinaryIO, private_map: BinaryIO | None = None) -> Finished:
        """Release everything to a stream that cannot be taken back.

        ``private_map``: where the private map goes, if one is kept; needs ``map_key``. Raises InputError: there is no
        document, or a record cannot be read and the run is to stop; what was released before is in the stream.
        """
        cipher, start = (None, b"") if private_map is None else self._map_wanted(Path()).begun()
        worker = self._worker(new_secret(), cipher)
        inputs = self._inputs(worker.secret)
        with paid(self.payer, worker, self.engine, inputs, self.setting) as begin:
            return self._streamed(worker, begin, stream, private_map, start)

    def _streamed(
        self,
        worker: BlockWorker,
        begin: Callable[[Iterator[Block]], Iterator[Block]],
        stream: BinaryIO,
        private_map: BinaryIO | None,
        start: bytes,
    ) -> Finished:
        cipher = worker.cipher
        if private_map is not None:
            private_map.write(start)
        totals = Totals()
        pieces = Pieces(stream)
        sink = self.corpus_format.sink(stream) if isinstance(self.corpus_format, Assembled) else None

        def write(outcome: Outcome) -> None:
            if sink is not None:
                sink.write(outcome.data)
            elif outcome.data:
                pieces.write(outcome.data if totals.length else outcome.head + outcome.data)
            if private_map is not None and cipher is not None:
                private_map.write(frame_of(cipher, outcome))
            totals.add(outcome, totals.length + len(outcome.data))

        try:
            self._pump(worker, begin, self._inputs(worker.secret).blocks(), totals, write)
        except TextveilError:
            pieces.close()
            raise
        self._need_documents(totals)
        if sink is not None:
            sink.close()
        pieces.close()
        if private_map is not None and cipher is not None:
            private_map.write(map_file.ended(cipher, totals.blocks, totals.tally.documents))
        return self._finished(totals)

    def to_places(self, places: Places, stream: Callable[[], BinaryIO]) -> Finished:
        """Release everything to where it is wanted: as a job if there can be one.

        Args:
            places: outputs; its inputs are those of this run.
            stream: gives what is written to if no output is named.

        Raises ParameterError: a private map is wanted, and releases have none; MissingExtra: a private map is wanted,
        and ``cryptography`` is not installed; TextveilError: as ``to_file`` and ``to_stream``.
        """
        if places.map_key is not None and self.map_key is None:
            return self._with_key(places).to_places(places, stream)
        if places.job is not None:
            return self.to_file(
                places.job,
                *places.reports,
                sender_report=places.sender_report,
                private_map=places.private_map,
                resume=places.resume,
            )
        self._check_reports(places.reports, places.sender_report)
        check_risk(self.risk, "")
        private = [] if places.private_map is None else [places.private_map]
        with atomic_writers([*private, *places.files], private=[places.private_map, places.sender_report]) as sinks:
            released = sinks[len(private) :]
            out = stream() if places.output is None else released[0]
            finished = self.to_stream(out, sinks[0] if private else None)
            texts = finished.texts(places.reports, places.sender_report)
            for sink, text in zip(released[len(released) - len(texts) :], texts.values(), strict=True):
                sink.write(text.encode("utf-8"))
        return finished

    def to_file(
        self,
        output: Path,
        *reports: Path,
        sender_report: Path | None = None,
        private_map: Path | None = None,
        resume: bool = False,
    ) -> Finished:
        """Release everything to a file, as a job (see ``job.py``); the reports appear with it.

        Args:
            reports: where the report goes: a page to file if a name ends in .html, else JSON.
            sender_report: where what is for the sender alone goes, likewise (mode 0600).
            private_map: where the private map goes, for its owner alone (mode 0600); needs ``map_key``.
            resume: go on with the job of this output, or begin it; its ledger stays when it is finished. Of a finished
                one the reports are written again if they are asked for and not there.

        Raises InputError: there is no document, or a record cannot be read and the run is to stop; OutputError: a file
        cannot be written; ParameterError: another job is there, or it was begun otherwise.
        """
        self._check_reports(reports, sender_report)
        if self.risk is not None:
            there = whole_of(output) if resume else None
            check_risk(self.risk, "" if there is None else there.sha256)
        settings = json_data(json.dumps({**self.setting.to_data(), **self._beside()}))
        kept = None if private_map is None else self._map_wanted(private_map)
        terms = Terms(
            {**settings, "private_map": True} if kept else settings,
            json.dumps(
                [self.options.seed, [_identity(name) for name in self.inputs], *self.options.private, *self._key_digest]
            ),
            json.dumps([file_stamp(name) for name in self.inputs]),
        )
        try:
            job = opened_job(
                output, self.corpus_format, terms, resume=resume, sync_seconds=self.sync_seconds, private_map=kept
            )
        except JobFinished as done:
            finished = self._finished(done.totals, already=True, modified=done.modified)
            sampled = self.sample > 0 and sender_report is not None and sender_report.exists()
            renewed = None if sampled else sender_report  # nothing was released now: an earlier sample stays
            _renew(finished.texts(reports, renewed, whole_of(output)), sender_report)
            return finished
        try:
            return self._work(job, reports, sender_report, private_map, resume)
        except TextveilError as error:
            job.close()
            if hint := job.hint():
                error.args = (f"{error} {hint}",)
            raise
        except (KeyboardInterrupt, SystemExit) as error:
            job.close()
            if hint := job.hint():
                error.add_note(hint)
            raise
        finally:
            job.close()

    def _work(
        self, job: Job, reports: Sequence[Path], sender_report: Path | None, private_map: Path | None, resume: bool
    ) -> Finished:
        for path in (*reports, sender_report, private_map):
            if path is not None:
                check_folder(path)
        if self.risk is not None and not job.totals.blocks:
            job.forget()
        check_risk(self.risk, "")  # what stands there is not this job's
        if not job.ended:
            worker = self._worker(job.secret, job.cipher)
            inputs = self._inputs(job.secret)
            with paid(self.payer, worker, self.engine, inputs, self.setting, job.folder) as begin:
                blocks = job.remaining(inputs.blocks())
                self._pump(worker, begin, blocks, job.totals, job.write)
            if job.totals.tally.documents == 0:
                job.forget()
            self._need_documents(job.totals)
        finished = self._finished(job.totals, modified=job.modified)
        job.end(finished.report.to_data()["guarantee"])
        job.finish(
            lambda whole: finished.texts(reports, sender_report, whole),
            keep=resume,
            private_map=private_map,
            sender_report=sender_report,
        )
        return finished

    def _pump(
        self,
        worker: BlockWorker,
        begin: Callable[[Iterator[Block]], Iterator[Block]],
        blocks: Iterator[Block],
        totals: Totals,
        write: Callable[[Outcome], None],
    ) -> None:
        total, held = self._inputs(worker.secret).total(), list[Any]()
        if (words := self._sanitizer.mechanism) is not None:
            from textveil.corpora.processes import provided_tables

            held = provided_tables(words, total, self.tell, self.building)
        for outcome in self.engine.outcomes(worker, begin(blocks)):
            skipped = tuple(skip._replace(reason=self._located(skip)) for skip in outcome.skipped)
            if skipped and self.on_error == "stop":
                raise InputError(skipped[0].reason)
            write(replace(outcome, skipped=skipped))
            totals.sampled = heapq.nsmallest(self.sample, [*totals.sampled, *outcome.sampled])
            tally = totals.tally
            self.progress(outcome.bytes_read, total, tally.kinds["word"] if self._draws_words else tally.documents)
        del held  # until here, so that a table that is in memory only stays for this process

    @property
    def counts(self) -> str:
        """Return the unit of progress: words if all of them are drawn, else documents."""
        return "words" if self._draws_words else "documents"

    @property
    def _draws_words(self) -> bool:
        return any(part.kind == "word" for part in self.setting.protected)

    def _located(self, skip: Skip) -> str:
        if isinstance(self.corpus_format, FileByFile):
            return f"{self.corpus_format.names[skip.source - 1]}: {skip.reason}"
        if len(self.inputs) == 1:
            return skip.reason
        numbered = skip.reason.startswith(("line", "record", "from", "document"))
        return f"input {skip.source}{',' if numbered else ':'} {skip.reason}"

    def _with_key(self, places: Places) -> Run:
        """The run with the key of its private map; checked last of all, for the key may be made here."""
        policy = self.setting.policy
        if policy is None or not policy.finds_spans:
            raise ParameterError(
                "`private_map` needs a `policy` that replaces spans, which can be undone; this run has none. Leave it "
                "out, or choose one."
            )
        need_package()
        assert places.private_map is not None and places.map_key is not None
        check_folder(places.private_map)
        return replace(self, map_key=read_or_made_key(places.map_key))

    def watched(self, progress: RunProgress, building: Progress, tell: Callable[[str], None]) -> Run:
        """The same run, which tells how far it is; the sanitizer that was made for this one serves it too."""
        run = replace(self, progress=progress, building=building, tell=tell)
        vars(run).update({name: vars(self)[name] for name in ("_sanitizer", "setting") if name in vars(self)})
        return run

    def hiding_names(self) -> Run:
        """The same run; files are called by number whose names tell what is hidden in texts, or all words are drawn."""
        if not isinstance(self.corpus_format, FileByFile):
            return self
        sanitizer = self._sanitizer
        policy = sanitizer.setting.policy

        def hides(texts: Sequence[str]) -> list[list[str]]:
            if policy is None or not policy.finds_spans:
                return [["word"] for _ in texts]
            counts = sanitizer.prepare(texts, maps=False).counts
            drawn = {protected.kind for protected in sanitizer.setting.protected}
            return [[kind for kind, count in kinds.items() if count and kind in drawn] for kinds in counts]

        run = replace(self, corpus_format=self.corpus_format.hiding(hides))
        vars(run).update({name: vars(self)[name] for name in ("_sanitizer", "setting") if name in vars(self)})
        return run

    def _map_wanted(self, path: Path) -> MapWanted:
        if self.map_key is None:
            raise ParameterError("`private_map` needs `map_key`, by which it is encrypted; got none.")
        choice = self.corpus_format.choice
        about = {} if choice is None else {"sanitized": choice.sanitized, "kept": choice.kept}
        return MapWanted(path, self.map_key, about)

    def _worker(self, secret: bytes, cipher: MapCipher | None = None) -> BlockWorker:
        return BlockWorker(
            options=self.options,
            corpus_format=self.corpus_format,
            secret=secret,
            columns=self.columns,
            settings=self.setting.digest(**self._beside()),
            on_error=self.on_error,
            cipher=cipher,
            sample=self.sample,
            record_seconds=self.record_seconds,
            scope_key=self.scope_key,
        )

    def _check_seconds(self) -> None:
        """Refuse a limit on time under which nothing is found, or that may count other records than are released."""
        seconds, policy = self.record_seconds, self.options.mechanism
        if seconds is None:
            return
        need(0 < seconds < math.inf, "record_seconds", seconds, "finite and > 0")
        finds = isinstance(policy, Policy) and policy.finds_spans
        need(finds, "record_seconds", seconds, "left out where no `policy` finds spans")
        need(
            self.payer is None or self.on_error == "stop",
            "record_seconds",
            seconds,
            "left out where a `ledger` pays and records are skipped",
            "One that is too slow to be counted could be released. Use `on_error=stop`.",
        )

    def _check_reports(self, reports: Sequence[Path], sender_report: Path | None) -> None:
        shown = self.risk is None or any(map(_is_page, reports))
        need(shown, "risk", "no such report", "with a `report` that ends in .html")
        need(self.sample == 0 or sender_report is not None, "sample", "none", "with a `sender_report`, which shows it")

    def _inputs(self, secret: bytes) -> Inputs:
        return Inputs(
            inputs=self.inputs,
            corpus_format=self.corpus_format,
            secret=secret,
            size=self.block_bytes,
            max_expansion=self.max_expansion,
        )

    @cached_property
    def setting(self) -> Setting:
        """Return the sanitizer's settings; refuse columns that it has no use for, and another policy's recall."""
        setting = self._sanitizer.setting
        self.columns.check(setting)
        keyed = self.scope_key is not None
        need(not keyed or self.options.seed is None, "seed", "one", "left out where there is a `scope_key`")
        structured = [each for each in formats_of(self.corpus_format) if isinstance(each, Structured)]
        if structured:
            need(
                setting.policy is not None,
                "policy",
                "none",
                "one where fields are known by the format",
                "Use clinical.",
            )
            need_drawn(cast(Policy, self.options.mechanism), frozenset().union(*(each.kinds for each in structured)))
            need(self.map_key is None, "private_map", "one", "left out where fields are known by the format")
        check_recall(self.recall, None if setting.policy is None else setting.policy.digest)
        return setting

    @property
    def _key_digest(self) -> list[str]:
        """Tells a job of another key; ledgers hold a salted digest of it."""
        return [] if self.scope_key is None else [hashlib.sha256(b"scope key" + self.scope_key).hexdigest()]

    @property
    def drawing(self) -> Mechanism | None:
        """The mechanism of all words, or of whole texts; None under a policy that keeps some words, or draws spans."""
        return self._sanitizer.mechanism if self.setting.policy is None else None

    @cached_property
    def _sanitizer(self) -> Sanitizer:
        """One as the workers make for themselves; nothing is drawn from it."""
        return Sanitizer.of(self.options)

    def _beside(self) -> dict[str, Any]:
        choice = self.corpus_format.choice
        return {
            "format": type(self.corpus_format).__name__,
            "fields": [choice.sanitized, choice.kept] if choice is not None else [],
            **self.columns.to_data(),
            "format_options": repr(self.corpus_format),
            "block_bytes": self.block_bytes,
        }

    def _finished(self, totals: Totals, *, already: bool = False, modified: bool = False) -> Finished:
        choice, unit = self.corpus_format.choice, self.columns.unit
        report = Report(
            setting=self.setting,
            tally=totals.tally,
            sanitized_fields=choice.sanitized if choice is not None else (),
            kept_fields=choice.kept if choice is not None else (),
            nulls=totals.nulls,
            recall=self.recall,
            columns=self._columns_told(),
            persons=None if unit is None else Persons.of(unit, totals.persons.values()),
            certificate=None if totals.certificate is None else totals.certificate.to_data(),
        )
        renamed = self.corpus_format.renamed if isinstance(self.corpus_format, FileByFile) else {}
        names = {new: old for old, new in renamed.items()}
        charged = self.payer.charged[-1] if self.payer is not None and self.payer.charged else None
        return Finished(report, totals, already, modified, self.risk, names, charged)

    def _columns_told(self) -> dict[str, Any]:
        structured = [each for each in formats_of(self.corpus_format) if isinstance(each, Structured)]
        public = list(dict.fromkeys(line for each in structured for line in each.public))
        keyed = {"scope_key": True} if self.scope_key is not None else {}
        return self.columns.for_report() | keyed | ({"structure": public} if public else {})

    def _need_documents(self, totals: Totals) -> None:
        if totals.tally.documents == 0:
            if totals.skipped:
                raise InputError(f"{totals.skipped[0].reason} No document could be released.")
            raise InputError("the input must hold at least one document; got none. Is the file empty?")


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a run."""

    report: Report
    totals: Totals
    already: bool = False  # the job was finished before; nothing was released now
    # the job was begun before, and an input was written since: what was not yet committed was released as it is now
    modified: bool = False
    risk: MeasuredRisk | None = None
    names: Mapping[str, str] = field(default_factory=dict, repr=False)  # of files that have another in the release
    charged: Charged | None = None  # where it left those who paid

    @property
    def skipped(self) -> int:
        """Entries of records that were not released."""
        return len(self.totals.skipped) + self.totals.more_skipped

    @property
    def sender_report(self) -> SenderReport:
        """Return what is for the sender alone: how many words the vocabulary lacks, and which records were left out."""
        return SenderReport(
            setting=self.report.setting,
            mapped=self.totals.tally.mapped,
            skipped=[skip._asdict() for skip in self.totals.skipped],
            skipped_count=self.skipped,
            names=self.names,
            ledger=None if self.charged is None else self.charged.to_data(),
            sample=[(document.before, document.after) for document in self.totals.sampled],
        )

    def texts(self, reports: Sequence[Path], sender_report: Path | None, whole: Whole | None = None) -> dict[Path, str]:
        """The reports that are asked for, by where they go: pages if the name ends in .html, else JSON.

        ``reports``: of the release; each is another form of the same.
        """
        texts = {}
        if any(map(_is_page, (*reports, sender_report))):
            from textveil.sanitize.report_pages import report_page, sender_page  # which loads templates
        report = replace(self.report, release_sha256="" if whole is None else whole.sha256)
        for path in reports:
            texts[path] = report_page(report, self.risk) if _is_page(path) else report.to_json()
        if sender_report is not None:
            sender = self.sender_report
            texts[sender_report] = sender_page(sender) if _is_page(sender_report) else sender.to_json()
        return texts


def _is_page(path: Path | None) -> bool:
    return path is not None and path.suffix.lower() == ".html"


def _renew(texts: Mapping[Path, str], sender_report: Path | None) -> None:
    """Write the reports of a finished job, unless they are there; the sender's always, for its mode."""
    for path, text in texts.items():
        check_folder(path)
        with contextlib.suppress(OSError, ValueError):
            if path != sender_report and path.is_file() and path.read_text("utf-8") == text:
                continue
        write_whole(path, text.encode("utf-8"), private=path == sender_report)


def _identity(name: str) -> list[Any]:
    """A file by its place and size; whatever is no regular file by nothing: its blocks alone tell it."""
    size = file_size(name)
    return ["pipe"] if size is None else [os.path.realpath(name), size]
