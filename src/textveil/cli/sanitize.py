"""``textveil sanitize``: text in, released text out, with a report of what was spent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal, cast

import typer

from textveil.cli import options as opt
from textveil.cli.help_groups import DETAILS, FAULTS, JOBS, PERSONS, UNDO
from textveil.cli.mechanism_options import make
from textveil.cli.policies import chosen_policy
from textveil.cli.spelling import options_of, spelled
from textveil.errors import OutputError, ParameterError

if TYPE_CHECKING:
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.payment import Payer
    from textveil.corpora.places import Places
    from textveil.corpora.run import Finished, Run
    from textveil.mechanisms.base import Mechanism
    from textveil.sanitize.policy.policy import Policy
    from textveil.text.marks import Marks

_SHOWN = 20
"""Skipped records that are named on standard error."""


def sanitize_command(
    context: typer.Context,
    source: opt.Sources = None,
    output: opt.Output = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="NAME|FILE",
            help="What happens to each kind of word and span: a name from: textveil policies, or a TOML file. With "
            "--epsilon for its words.",
        ),
    ] = None,
    detection_report: Annotated[
        Path | None,
        typer.Option(
            metavar="D.json",
            help="What textveil detect --evaluate --json measured of the policy's detection, for the report.",
            rich_help_panel=DETAILS,
        ),
    ] = None,
    mechanism: opt.MechanismName = "neighborhood",
    number_epsilon: Annotated[
        float | None,
        typer.Option(
            metavar="E",
            help="Nats for one number, shared over its digits.  [default: as for a word]",
            rich_help_panel=DETAILS,
        ),
    ] = None,
    digit_keep_limit: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="No digit stays with a larger probability, whatever its budget; 1 is no limit.  [default: 0.5]",
            rich_help_panel=DETAILS,
        ),
    ] = None,
    marks: Annotated[
        str | None,
        typer.Option(
            metavar="DO",
            help="White space and punctuation: normalize them to single spaces and ASCII marks, or keep them.  "
            "[default: normalize, or what the policy says]",
            rich_help_panel=DETAILS,
        ),
    ] = None,
    corpus_format: opt.FormatName = None,
    whole_file: opt.WholeFile = False,
    delimiter: opt.Delimiter = None,
    output_format: opt.OutputFormat = None,
    field: Annotated[
        list[str] | None,
        opt.fields("field to sanitize; repeat it for several.  [default: text]", None),
    ] = None,
    keep: Annotated[
        list[str] | None,
        opt.fields("field to copy as it is; repeat it for several. All others are dropped.", None),
    ] = None,
    unit: Annotated[
        str | None,
        opt.fields(
            "whose a record is: the report adds up what one person's records cost. Of txt, with --ledger: whose the "
            "texts are.",
            PERSONS,
        ),
    ] = None,
    ledger: opt.LedgerOrNone = None,
    tenant: opt.Tenant = "local",
    scope_column: Annotated[
        str | None,
        opt.fields(
            "whose a record is: one value has one surrogate in all of them (with --policy).",
            PERSONS,
        ),
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option(
            metavar="F=KIND",
            help="For records: field whose value is of a kind (patient=person), found in the texts too (with "
            "--policy); repeat it for several.",
            rich_help_panel=PERSONS,
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="R.json", help="Write the report as JSON.")] = None,
    decode: Annotated[
        bool,
        typer.Option(
            "--decode",
            help="Then decode the release in --output: OUT.txt stays the release, OUT.decoded.txt stands beside it.",
        ),
    ] = False,
    sender_report: Annotated[
        Path | None,
        typer.Option(metavar="S.json", help="Write what is for you alone as JSON: unknown words, skipped records."),
    ] = None,
    private_map: Annotated[
        Path | None,
        typer.Option(
            "--map",
            metavar="FILE",
            help="Keep how to undo the release, encrypted, for textveil restore; needs a --policy. Never pass it on.",
            rich_help_panel=UNDO,
        ),
    ] = None,
    map_key: Annotated[
        Path | None,
        typer.Option(
            "--map-key",
            metavar="FILE",
            help="The file of the map's key; made, for you alone, where there is none.",
            rich_help_panel=UNDO,
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary on standard error.")] = False,
    allow_refuted: Annotated[
        bool,
        typer.Option(
            "--allow-refuted",
            help="Run a mechanism whose claim is refuted; there is then no guarantee.",
            rich_help_panel=DETAILS,
        ),
    ] = False,
    vocabulary: opt.VocabularyPath = None,
    vocabulary_format: opt.VocabularyFormat = None,
    vocabulary_limit: opt.VocabularyLimit = None,
    max_document_bytes: Annotated[
        int | None,
        typer.Option(metavar="N", help="Refuse larger documents.  [default: 16777216]", rich_help_panel=FAULTS),
    ] = None,
    max_expansion: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Stop at an input that decompresses to more than X times its size.",
            rich_help_panel=FAULTS,
        ),
    ] = None,
    on_error: Annotated[
        str,
        typer.Option(
            metavar="DO",
            help="At a record that cannot be read: stop, or skip it, name it and exit with 1.",
            rich_help_panel=FAULTS,
        ),
    ] = "stop",
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with the job of OUT where it was interrupted, or begin it.",
            rich_help_panel=JOBS,
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Processes.  [default: one for each core]", rich_help_panel=JOBS),
    ] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="local or ray.", rich_help_panel=JOBS)] = "local",
    seed: opt.Seed = None,
) -> int:
    """Replace every word and number by a random one, under a guarantee that is stated and proved."""
    from dataclasses import replace

    from textveil.corpora.columns import RecordColumns, known_columns
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES
    from textveil.corpora.places import Places, check_outputs
    from textveil.corpora.run import Run
    from textveil.errors import need
    from textveil.integrations.engines import engine as engine_of
    from textveil.mechanisms.channels.digits import KEEP_LIMIT
    from textveil.sanitize.options import SanitizerOptions
    from textveil.sanitize.policy.recall import read_recall
    from textveil.text.marks import checked_marks

    # Everything that can be wrong with the options is found before a byte of input is read.
    output = None if output is not None and str(output) == "-" else output
    check_outputs(output, [report, sender_report], private_map, resume=resume)
    patterns = source or ["-"]
    choice = FormatChoice(
        corpus_format=corpus_format,
        whole=whole_file,
        sanitized=tuple(field or ()),
        kept=tuple(keep or ()),
        delimiter=delimiter,
        output_format=output_format,
        max_document_bytes=MAX_DOCUMENT_BYTES if max_document_bytes is None else max_document_bytes,
    )
    chosen = engine_of(engine, workers)
    inputs = opt.inputs_of(patterns, choice)
    payer, unit = _payer(ledger, tenant, unit, choice.name(inputs))
    columns = RecordColumns(unit=unit, scope=scope_column, known=known_columns(known or ()))
    choice = replace(choice, read=columns.names)
    reader = choice.reader(inputs, output)
    choice.check_output(inputs, output)
    places = Places(
        inputs=inputs,
        output=output,
        report=report,
        sender_report=sender_report,
        resume=resume,
        private_map=private_map,
        map_key=map_key,
    )
    _check_streams(places)
    need(seed is None or seed >= 0, "seed", seed, "an integer >= 0")
    need(max_expansion is None or max_expansion >= 1, "max_expansion", max_expansion, ">= 1")
    need(on_error in ("stop", "skip"), "on_error", on_error, "stop or skip")
    public_words = opt.load(vocabulary, vocabulary_format, vocabulary_limit)
    recall = None if detection_report is None else read_recall(detection_report)
    made: Mechanism | Policy
    if policy is None:
        need(recall is None, "detection_report", "one", "left out where there is no `policy`")
        made = make(context, mechanism, public_words, note=whole_file)
    else:
        made = chosen_policy(context, policy, public_words, marks, note=whole_file)
    run = Run(
        options=SanitizerOptions(
            mechanism=made,
            seed=seed,
            number_epsilon=number_epsilon,
            digit_keep_limit=KEEP_LIMIT if digit_keep_limit is None else digit_keep_limit,
            marks=checked_marks(cast("Marks", "normalize" if marks is None or policy is not None else marks)),
            allow_refuted=allow_refuted,
        ),
        corpus_format=reader,
        inputs=inputs,
        columns=columns,
        engine=chosen,
        max_expansion=max_expansion,
        on_error=cast(Literal["stop", "skip"], on_error),
        recall=recall,
        payer=payer,
    )
    words = run.drawing  # what a policy names is made, or refused, before anything is read
    beside = _beside(output, words) if decode else None
    run = _undoable(run, places)
    code = _told(_done(run, places, context.command), quiet, context.command)
    if beside is not None and output is not None and words is not None:
        _decode(run, words, choice, output, beside, quiet)
    return code


def _payer(ledger: str | None, tenant: str, unit: str | None, name: str) -> tuple[Payer | None, str | None]:
    """Whose budget it is taken from, and the column that names persons: plain text has none, and is one person's."""
    if ledger is None:
        return None, unit
    from textveil.budget.database import url_of
    from textveil.corpora.payment import Payer

    url_of(ledger)
    return (Payer(ledger, tenant, unit), None) if name == "txt" else (Payer(ledger, tenant), unit)


def _undoable(run: Run, places: Places) -> Run:
    """The run with the key of its private map, where one is kept; the last that is checked, for it may be made."""
    from dataclasses import replace

    from textveil.surrogates.map_key import read_or_made_key
    from textveil.whole_files import check_folder

    if places.private_map is None:
        if places.map_key is not None:
            raise ParameterError("`map_key` needs `private_map`, which it encrypts; got none.")
        return run
    if places.map_key is None:
        raise ParameterError("`private_map` needs `map_key`, by which it is encrypted; got none.")
    run.need_undo()
    check_folder(places.private_map)
    return replace(run, map_key=read_or_made_key(places.map_key))


def _beside(output: Path | None, mechanism: Mechanism | None) -> Path:
    """Where the decoded text goes; refuses, before anything is released, what could not be decoded."""
    from textveil.decoding.decode import default_model
    from textveil.mechanisms.columns import need_columns
    from textveil.whole_files import check_folder

    if output is None:
        raise ParameterError("--decode needs --output: the release is kept there, and the decoded text beside it.")
    if mechanism is None:
        raise ParameterError("--decode needs a release whose words are all drawn; the policy keeps some. Leave it out.")
    default_model(need_columns(mechanism).vocabulary)
    beside = decoded_name(output)
    check_folder(beside)
    return beside


def _decode(run: Run, mechanism: Mechanism, choice: FormatChoice, output: Path, beside: Path, quiet: bool) -> None:
    """Decode what was released, read again from its file: nothing else of this run is at hand there."""
    from textveil.cli.decode import decoded
    from textveil.decoding.options import DecoderOptions

    reader = choice.released(run.inputs, output).reader([str(output)])
    documents = decoded(mechanism, None, DecoderOptions(), None, reader, (str(output),), beside)
    if not quiet:
        sys.stderr.write(f"decoded     {documents} documents, beside the release: {beside.name}\n")


def decoded_name(output: Path) -> Path:
    """``notes.decoded.txt`` for ``notes.txt``; endings that tell format and compression stay the last."""
    endings = output.suffixes[-2:] if output.suffix.lower() in (".gz", ".zst") else output.suffixes[-1:]
    ending = "".join(endings)
    return output.with_name(f"{output.name.removesuffix(ending)}.decoded{ending}")


def _done(run: Run, places: Places, command: Any) -> Finished:
    """Run it, with a bar, to wherever the output goes."""
    from dataclasses import replace

    from textveil.cli.progress import Bar

    bar = Bar("sanitizing", "words")
    making = Bar("building the table of neighbors", "words")

    def building(done: int, total: int | None) -> None:
        making.update(done, total, done)
        if done == total:
            making.close()

    def tell(line: str) -> None:
        sys.stderr.write(f"textveil: {line}\n")

    watched = replace(run, progress=bar.update, building=building, tell=tell)
    try:
        return watched.to_places(places, _standard_output)
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
    lines = report.setting.warnings() if quiet else [report.summary(), *finished.sender_report.lines()]
    if finished.already:
        lines.append("The job of this output was finished before; nothing was released now.")
    if finished.modified:
        since = "not released" if finished.already else "released as it is now, where it was not released before"
        lines.append(f"An input may have changed since the job began: what is new in it was {since}.")
    options = options_of(command) if finished.totals.skipped else {}  # which imports every mechanism
    named = [f"skipped: {spelled(skip.reason, options)}" for skip in finished.totals.skipped[:_SHOWN]]
    if finished.skipped > len(named):
        named.append(f"skipped: {finished.skipped - len(named)} more; --sender-report names the first of them")
    sys.stderr.writelines(line + "\n" for line in [*lines, *named])
    return 1 if finished.skipped and not finished.already else 0


def _standard_output() -> BinaryIO:
    """Standard output, where it is open."""
    if sys.stdout is None:
        raise OutputError("standard output must be open; got a closed one. Name a file with --output.")
    return sys.stdout.buffer


def _check_streams(places: Places) -> None:
    """Refuse a closed stream before anything is read; tell who waits at a terminal what for."""
    if places.output is None:
        _standard_output()
    if "-" in places.inputs and sys.stdin.isatty():
        sys.stderr.write("textveil: reading standard input; end it with Ctrl-D.\n")
