"""``textveil sanitize``: text in, released text out, with a report of what was spent."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal, cast

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import make
from textveil.cli.spelling import options_of, spelled
from textveil.errors import InputError, OutputError, ParameterError
from textveil.mechanisms.options import GUARANTEE

if TYPE_CHECKING:
    from textveil.corpora.engines.base import Engine
    from textveil.corpora.formats.records import CorpusFormat
    from textveil.corpora.run import Finished, Run
    from textveil.text.marks import Marks

FORMATS = ("txt", "jsonl", "csv", "parquet")

_FOREIGN = (
    *("json", "tsv", "xml", "html", "htm", "pdf", "docx", "odt", "rtf", "xlsx", "arrow", "feather"),
    *("bz2", "xz", "zip", "tar", "tgz"),
)
"""Endings of files whose markup or container must not be taken for text without being told."""

_COMPRESSED = ("gz", "zst")
"""Endings that are set aside: compression is told by an input's first bytes, the format by the ending before."""

_SHOWN = 20
"""Skipped records that are named on standard error."""


def sanitize_command(
    context: typer.Context,
    source: Annotated[
        list[str] | None,
        typer.Argument(metavar="[INPUT]...", help="Files or patterns; - is standard input.  [default: -]"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Output file.  [default: standard output]")
    ] = None,
    mechanism: opt.MechanismName = "neighborhood",
    number_epsilon: Annotated[
        float | None,
        typer.Option(
            metavar="E",
            help="Nats for one number, shared over its digits.  [default: as for a word]",
            rich_help_panel=GUARANTEE,
        ),
    ] = None,
    digit_keep_limit: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="No digit stays with a larger probability, whatever its budget; 1 is no limit.  [default: 0.5]",
        ),
    ] = None,
    marks: Annotated[
        str,
        typer.Option(
            metavar="DO",
            help="White space and punctuation: normalize them to single spaces and ASCII marks, or keep them.",
        ),
    ] = "normalize",
    corpus_format: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", metavar="NAME", help="txt, jsonl, csv or parquet.  [default: by INPUT's ending]"
        ),
    ] = None,
    whole_file: Annotated[
        bool, typer.Option("--whole-file", help="For txt: one document instead of one a line.")
    ] = False,
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="F", help="For jsonl, csv and parquet: field to sanitize; may be repeated.  [default: text]"
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="F",
            help="For jsonl, csv and parquet: field to copy as it is; may be repeated. All others are dropped.",
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="R.json", help="Write the report as JSON.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary on standard error.")] = False,
    allow_refuted: Annotated[
        bool,
        typer.Option("--allow-refuted", help="Run a mechanism whose claim is refuted; there is then no guarantee."),
    ] = False,
    vocabulary: opt.VocabularyPath = None,
    vocabulary_format: opt.VocabularyFormat = None,
    vocabulary_limit: opt.VocabularyLimit = None,
    max_document_bytes: Annotated[
        int | None, typer.Option(metavar="N", help="Refuse larger documents.  [default: 16777216]")
    ] = None,
    on_error: Annotated[
        str,
        typer.Option(metavar="DO", help="At a record that cannot be read: stop, or skip it, name it and exit with 1."),
    ] = "stop",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the job of OUT where it was interrupted, or begin it.")
    ] = False,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Processes.  [default: one for each core]")] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="local or ray.")] = "local",
    seed: opt.Seed = None,
) -> int:
    """Replace every word and number by a random one, under a guarantee that is stated and proved."""
    # Everything that can be wrong with the options is found before a byte of input is read.
    if report is not None and str(report) == "-":
        raise ParameterError("--report must be a file; got -, which is the text's. Name a file.")
    output = None if output is not None and str(output) == "-" else output
    if resume and not _is_file(output):
        raise ParameterError("--resume needs --output and a regular file; the job is kept beside it.")
    patterns = source or ["-"]
    reader = _reader(corpus_format or _guess(patterns), whole_file, field, keep, max_document_bytes, len(patterns) > 1)
    chosen = _engine(engine, workers)
    from textveil.corpora.files.sources import expanded

    inputs = tuple(expanded(patterns))
    if len(inputs) > 1:
        reader = _reader(corpus_format or _guess(inputs), whole_file, field, keep, max_document_bytes, True)
    _refuse_ending(output, corpus_format or _guess(inputs))
    _refuse_same_file(inputs, output, report)
    _check_streams(inputs, output)
    from textveil.corpora.run import Run
    from textveil.errors import need
    from textveil.mechanisms.channels.digits import KEEP_LIMIT
    from textveil.sanitize.options import SanitizerOptions
    from textveil.text.marks import checked_marks

    need(seed is None or seed >= 0, "seed", seed, "an integer >= 0")
    need(on_error in ("stop", "skip"), "--on-error", on_error, "stop or skip")
    words = opt.load(vocabulary, vocabulary_format, vocabulary_limit)
    made = make(context, mechanism, words)
    run = Run(
        options=SanitizerOptions(
            mechanism=made,
            seed=seed,
            number_epsilon=number_epsilon,
            digit_keep_limit=KEEP_LIMIT if digit_keep_limit is None else digit_keep_limit,
            marks=checked_marks(cast("Marks", marks)),
            allow_refuted=allow_refuted,
        ),
        corpus_format=reader,
        inputs=inputs,
        engine=chosen,
        on_error=cast(Literal["stop", "skip"], on_error),
    )
    return _told(_done(run, output, report, resume, context.command), quiet, context.command)


def _is_file(output: Path | None) -> bool:
    """Whether the output is a regular file, or where one will be: only then there is a job."""
    return output is not None and (not output.exists() or output.is_file() or output.is_dir())


def _guess(sources: Sequence[str]) -> str:
    """The format by the inputs' endings; txt where they do not speak of another format."""
    found = {_by_ending(source) for source in sources}
    if len(found) > 1:
        raise ParameterError(f"--format must be one for all inputs; their endings say {', '.join(sorted(found))}.")
    return found.pop()


def _ending(path: Path) -> str:
    """The ending that may speak of a format, without that of a compression."""
    if path.suffix.lower().removeprefix(".") in _COMPRESSED:
        path = path.with_suffix("")
    return path.suffix.lower().removeprefix(".")


def _refuse_ending(output: Path | None, corpus_format: str) -> None:
    """An output's ending may not speak of another format than it will have; endings that say nothing pass."""
    ending = "" if output is None else _ending(output)
    known = {"ndjson": "jsonl"}.get(ending, ending)
    if (known in FORMATS and known != corpus_format) or known in _FOREIGN:
        raise ParameterError(
            f"--output must be named as what it will be, {corpus_format}; got the ending .{ending}. Rename it."
        )
    if output is not None and corpus_format == "parquet" and output.suffix.lower().removeprefix(".") in _COMPRESSED:
        raise ParameterError("--output must end in .parquet; such a file is compressed within. Rename it.")


def _by_ending(source: str) -> str:
    ending = _ending(Path(source))
    if ending in _FOREIGN:
        raise ParameterError(
            f"--format cannot be told from the ending .{ending}: it is none of {', '.join(FORMATS)}. "
            "Convert the file, or give --format txt to take it as plain text."
        )
    return {"ndjson": "jsonl"}.get(ending, ending) if ending in (*FORMATS, "ndjson") else "txt"


def _reader(
    corpus_format: str,
    whole_file: bool,
    field: list[str] | None,
    keep: list[str] | None,
    limit: int | None,
    several: bool,
) -> CorpusFormat:
    """The reader and writer of the format, with options that fit it."""
    from textveil.corpora.formats.csv_table import CsvTable
    from textveil.corpora.formats.fields import FieldChoice
    from textveil.corpora.formats.jsonl import JsonLines
    from textveil.corpora.formats.plain import PlainText
    from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES

    size = MAX_DOCUMENT_BYTES if limit is None else limit
    if corpus_format not in FORMATS:
        raise ParameterError(f"--format must be one of {', '.join(FORMATS)}; got {corpus_format!r}.")
    if corpus_format == "txt":
        if field or keep:
            raise ParameterError("--field and --keep need --format jsonl, csv or parquet; got txt.")
        return PlainText(whole=whole_file, ended=several, max_document_bytes=size)
    if whole_file:
        raise ParameterError(f"--whole-file needs --format txt; got {corpus_format}.")
    choice = FieldChoice(tuple(field or ("text",)), tuple(keep or ()))
    if corpus_format == "jsonl":
        return JsonLines(choice=choice, max_document_bytes=size)
    if corpus_format == "csv":
        return CsvTable(choice=choice, max_document_bytes=size)
    from textveil.corpora.formats.parquet import Parquet

    return Parquet(choice=choice, max_document_bytes=size)


def _engine(name: str, workers: int | None) -> Engine:
    """Where blocks are released."""
    from textveil.corpora.engines.processes import Processes, cores

    if name == "local":
        return Processes(cores() if workers is None else workers)
    if name != "ray":
        raise ParameterError(f"--engine must be local or ray; got {name[:20]!r}.")
    from textveil.integrations.ray import RayEngine

    return RayEngine(workers)


def _done(run: Run, output: Path | None, report: Path | None, resume: bool, command: Any) -> Finished:
    """Run it, with a bar, to wherever the output goes."""
    from dataclasses import replace

    from textveil.cli.progress import Bar
    from textveil.corpora.files.atomic import atomic_writers

    bar = Bar("sanitizing", "words")
    making = Bar("building the table of neighbors", "words")

    def building(done: int, total: int | None) -> None:
        making.update(done, total, done)
        if done == total:
            making.close()

    def tell(line: str) -> None:
        sys.stderr.write(f"textveil: {line}\n")

    run = replace(run, progress=bar.update, building=building, tell=tell)
    try:
        if output is not None and _is_file(output):
            return run.to_file(output, report, resume=resume)
        paths = [path for path in (output, report) if path is not None]
        with atomic_writers(paths) as sinks:
            finished = run.to_stream(sinks[0] if output is not None else _standard_output())
            if report is not None:
                sinks[-1].write(finished.to_json().encode("ascii"))
        return finished
    except (KeyboardInterrupt, SystemExit) as interrupt:
        bar.close()
        for note in getattr(interrupt, "__notes__", ()):
            sys.stderr.write(f"textveil: {spelled(note, options_of(command))}\n")
        raise
    finally:
        bar.close()


def _told(finished: Finished, quiet: bool, command: Any) -> int:
    """Say what was done, on standard error; the exit code."""
    report = finished.report
    lines = report.setting.warnings() if quiet else [report.summary()]
    if finished.already:
        lines.append("The job of this output was finished before; nothing was released now.")
    options = options_of(command) if finished.totals.skipped else {}  # which imports every mechanism
    named = [f"skipped: {spelled(skip.reason, options)}" for skip in finished.totals.skipped[:_SHOWN]]
    if finished.skipped > len(named):
        named.append(f"skipped: {finished.skipped - len(named)} more; --report names the first of them")
    sys.stderr.writelines(line + "\n" for line in [*lines, *named])
    return 1 if finished.skipped and not finished.already else 0


def _standard_output() -> BinaryIO:
    """Standard output, where it is open."""
    if sys.stdout is None:
        raise OutputError("standard output must be open; got a closed one. Name a file with --output.")
    return sys.stdout.buffer


def _check_streams(inputs: Sequence[str], output: Path | None) -> None:
    """Refuse closed streams before anything is read; tell who waits at a terminal what for."""
    if output is None:
        _standard_output()
    if "-" in inputs:
        if sys.stdin is None:
            raise InputError("standard input must be open; got a closed one. Name a file.")
        if sys.stdin.isatty():
            sys.stderr.write("textveil: reading standard input; end it with Ctrl-D.\n")


def _refuse_same_file(inputs: Sequence[str], output: Path | None, report: Path | None) -> None:
    """No two of the inputs, the output and the report may be one file."""
    from textveil.corpora.files.sources import one_file

    files = [path for path in (output, report) if path is not None]
    again = len({os.path.realpath(path) for path in files}) != len(files)
    if again or any(one_file(name, path) for name in inputs for path in files):
        raise ParameterError("the input, --output and --report must be different files; got one twice.")
