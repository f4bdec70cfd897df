"""``textveil sanitize``: text in, released text out, with a report of what was spent."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from textveil.cli import options as opt
from textveil.errors import InputError, OutputError, ParameterError

if TYPE_CHECKING:
    from textveil.corpora.records import CorpusFormat
    from textveil.release import Report
    from textveil.sanitizer import Sanitizer

FORMATS = ("txt", "jsonl", "csv")

_FOREIGN = (
    *("json", "tsv", "xml", "html", "htm", "pdf", "docx", "odt", "rtf", "xlsx", "parquet", "arrow"),
    *("gz", "bz2", "xz", "zst", "zip", "tar"),
)
"""Endings of files whose markup or container must not be taken for text without being told."""


def sanitize_command(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="File to sanitize; - is standard input.")] = "-",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Output file.  [default: standard output]")
    ] = None,
    mechanism: opt.Mechanism_ = "neighborhood",
    epsilon: opt.Epsilon = None,
    epsilon_per_distance: opt.EpsilonPerDistance = None,
    delta: opt.Delta = None,
    number_epsilon: Annotated[
        float | None,
        typer.Option(metavar="E", help="Nats for one number, shared over its digits.  [default: as for a word]"),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", "-f", metavar="NAME", help="txt, jsonl or csv.  [default: by INPUT's ending]"),
    ] = None,
    whole_file: Annotated[
        bool, typer.Option("--whole-file", help="For txt: one document instead of one a line.")
    ] = False,
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="F", help="For jsonl and csv: field to sanitize; may be repeated.  [default: text]"),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="F", help="For jsonl and csv: field to copy as it is; may be repeated. All others are dropped."
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="R.json", help="Write the report as JSON.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary on standard error.")] = False,
    clip: opt.Clip = None,
    no_clip: opt.NoClip = False,
    neighborhood_size: opt.NeighborhoodSize = None,
    calibration: opt.Calibration = None,
    rank_constant: opt.RankConstant = None,
    noise_dim: opt.NoiseDim = None,
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
    seed: opt.Seed = None,
) -> None:
    """Replace every word and number by a random one, under a guarantee that is stated and proved."""
    # Everything that can be wrong with the options is found before a byte of input is read.
    if report is not None and str(report) == "-":
        raise ParameterError("--report must be a file; got -, which is the text's. Name a file.")
    output = None if output is not None and str(output) == "-" else output
    reader = _reader(form or _guess(source), whole_file, field, keep, max_document_bytes)
    from textveil.randomness import seeded_generator
    from textveil.sanitizer import Sanitizer

    rng = None if seed is None else seeded_generator(seed)
    words = opt.load(vocabulary, vocabulary_format, vocabulary_limit)
    sanitizer = Sanitizer(
        opt.make(
            mechanism,
            words,
            epsilon=epsilon,
            epsilon_per_distance=epsilon_per_distance,
            delta=delta,
            clip=clip,
            no_clip=no_clip,
            neighborhood_size=neighborhood_size,
            calibration=calibration,
            rank_constant=rank_constant,
            noise_dim=noise_dim,
        ),
        number_epsilon=number_epsilon,
        rng=rng,
        allow_refuted=allow_refuted,
    )
    finished = _run(sanitizer, reader, source, output, report)
    said = finished.setting.warnings() if quiet else [finished.summary()]
    sys.stderr.writelines(line + "\n" for line in said)


def _guess(source: str) -> str:
    """The format by the input's ending; txt where the ending does not speak of another format."""
    ending = Path(source).suffix.lower().removeprefix(".")
    if ending in _FOREIGN:
        raise ParameterError(
            f"--format cannot be told from the ending .{ending}: it is none of {', '.join(FORMATS)}. "
            "Convert the file, or give --format txt to take it as plain text."
        )
    return {"ndjson": "jsonl"}.get(ending, ending) if ending in (*FORMATS, "ndjson") else "txt"


def _reader(
    form: str, whole_file: bool, field: list[str] | None, keep: list[str] | None, limit: int | None
) -> CorpusFormat:
    """The reader and writer of the format, with options that fit it."""
    from textveil.corpora.csv_table import CsvTable
    from textveil.corpora.fields import FieldChoice
    from textveil.corpora.jsonl import JsonLines
    from textveil.corpora.plain import PlainText
    from textveil.corpora.records import MAX_DOCUMENT_BYTES

    size = MAX_DOCUMENT_BYTES if limit is None else limit
    if form not in FORMATS:
        raise ParameterError(f"--format must be one of {', '.join(FORMATS)}; got {form!r}.")
    if form == "txt":
        if field or keep:
            raise ParameterError("--field and --keep need --format jsonl or csv; got txt.")
        return PlainText(whole=whole_file, max_document_bytes=size)
    if whole_file:
        raise ParameterError(f"--whole-file needs --format txt; got {form}.")
    choice = FieldChoice(tuple(field or ("text",)), tuple(keep or ()))
    if form == "jsonl":
        return JsonLines(choice=choice, max_document_bytes=size)
    return CsvTable(choice=choice, max_document_bytes=size)


def _run(
    sanitizer: Sanitizer,
    reader: CorpusFormat,
    source: str,
    output: Path | None,
    report: Path | None,
) -> Report:
    """Stream the input through the sanitizer; both files appear whole or not at all."""
    from textveil.corpora.atomic import atomic_writers
    from textveil.release import Report, Tally

    _refuse_same_file(source, output, report)
    tally = Tally()
    paths = [path for path in (output, report) if path is not None]
    with _opened(source) as (stream, total), atomic_writers(paths) as sinks:
        sink = sinks[0] if output is not None else _standard_output()
        _pump(sanitizer, reader, stream, total, sink, tally)
        choice = getattr(reader, "choice", None)
        fields = (choice.sanitized, choice.kept) if choice is not None else ((), ())
        finished = Report(setting=sanitizer.setting, tally=tally, sanitized_fields=fields[0], kept_fields=fields[1])
        # Made before any file gets its name: a report that cannot be made must not leave an output behind.
        text = finished.to_json()
        if report is not None:
            sinks[-1].write(text.encode("ascii"))
    return finished


def _standard_output() -> BinaryIO:
    """Standard output, where it is open."""
    if sys.stdout is None:
        raise OutputError("standard output must be open; got a closed one. Name a file with --output.")
    return sys.stdout.buffer


def _pump(
    sanitizer: Sanitizer,
    reader: CorpusFormat,
    stream: BinaryIO,
    total: int | None,
    sink: BinaryIO,
    tally: object,
) -> None:
    """Read, release and write records in batches; count them."""
    from textveil.cli.progress import Bar
    from textveil.corpora.stream import released_records
    from textveil.release import Tally

    assert isinstance(tally, Tally)
    bar = Bar("sanitizing", "words")
    try:
        for chunk, progress in released_records(sanitizer, reader, stream, tally):
            sink.write(chunk)
            bar.update(progress, total, tally.kinds["word"])
        sink.flush()
    finally:
        bar.close()
    if tally.documents == 0:
        raise InputError("the input must hold at least one document; got none. Is the file empty?")


@contextlib.contextmanager
def _opened(source: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The input as a binary stream, with its size where that is known."""
    if source == "-":
        if sys.stdin is None:
            raise InputError("standard input must be open; got a closed one. Name a file.")
        if sys.stdin.isatty():
            sys.stderr.write("textveil: reading standard input; end it with Ctrl-D.\n")
        yield sys.stdin.buffer, None
        return
    try:
        stream = Path(source).open("rb")  # noqa: SIM115  closed below; opening alone may fail
    except OSError as error:
        raise InputError(f"the input must be a readable file; got {error.strerror}.") from None
    with stream:
        size = os.fstat(stream.fileno()).st_size
        yield stream, size or None


def _refuse_same_file(source: str, output: Path | None, report: Path | None) -> None:
    """No two of the input, the output and the report may be one file."""
    files = [path.resolve() for path in (Path(source) if source != "-" else None, output, report) if path]
    if len(set(files)) != len(files):
        raise ParameterError("the input, --output and --report must be different files; got one twice.")
