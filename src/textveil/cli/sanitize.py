"""``textveil sanitize``: text in, released text out, with a report of what was spent."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, cast

import typer

from textveil.cli import options as opt
from textveil.cli.documents import checked_images, sanitize_document, the_document, told
from textveil.cli.mechanism_options import (
    DETAILS,
    FAULTS,
    FORMATS,
    JOBS,
    PERSONS,
    UNDO,
    given,
    make,
    options_of,
    spelled,
)
from textveil.cli.progress import Bar, tell
from textveil.cli.verify import ReceiptOptions
from textveil.errors import ParameterError, need
from textveil.pages.messages import counted, row
from textveil.whole_files import read_or_made_key

if TYPE_CHECKING:
    from textveil.corpora.block_worker import Engine
    from textveil.corpora.blocks import RecordColumns
    from textveil.corpora.corpus_run import Finished, Run
    from textveil.corpora.file_by_file import Folder
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.formats.records import CorpusFormat
    from textveil.corpora.inputs import Places
    from textveil.corpora.payment import Payer
    from textveil.mechanisms.kinds import Mechanism
    from textveil.sanitize.chosen import SanitizerOptions
    from textveil.sanitize.policy.policy import Policy, Rule
    from textveil.sanitize.release import Report
    from textveil.text.marks import Marks
    from textveil.vocabulary.vocabulary import Vocabulary

_SHOWN = 20  # skipped records that are named on standard error
_NAMED = 3  # inputs that the command of a review names


@dataclass(frozen=True, kw_only=True)
class _DrawingOptions:
    policy: str | None = opt.value(
        "NAME|FILE",
        "What happens to each kind of word and span: a name from: textveil policies, or a TOML file. With "
        "--epsilon for its words.",
    )
    level: str | None = opt.value(
        "L", "With --policy common-words: low, medium or high, from the fewest words to the most.", DETAILS
    )
    background: Path | None = opt.value(
        "FILE",
        "With --policy common-words: public documents like yours, one a line (or .jsonl with text), whose common "
        "words stay in place of the shipped list.",
        DETAILS,
    )
    others: str | None = opt.value(
        "DO",
        "With --policy common-words, what is written for all other words: blank, class, same-class (a word of the "
        "same class) or draw (with --epsilon).  [default: blank]",
        DETAILS,
    )
    detection_report: Path | None = opt.value(
        "D.json", "What textveil detect --evaluate --policy P --json measured of this policy, for the report.", DETAILS
    )
    date_order: str | None = opt.value(
        "ORDER",
        "With --policy: month-first or day-first, for dates in digits whose text does not tell.  [default: as the "
        "dates of the text tell, else month-first]",
        DETAILS,
    )
    scope: str | None = opt.value(
        "SCOPE",
        "With --policy, where one value has one surrogate: mention, document, or corpus (all records and files of the "
        "run).  [default: as the policy says]",
        DETAILS,
    )
    mechanism: opt.MechanismName = "neighborhood"
    number_epsilon: float | None = opt.value(
        "E", "Nats for one number, shared over its digits.  [default: as for a word]", DETAILS
    )
    digit_keep_limit: float | None = opt.value(
        "P", "No digit stays with a larger probability, whatever its budget; 1 is no limit.  [default: 0.5]", DETAILS
    )
    marks: str | None = opt.value(
        "DO",
        "White space and punctuation: normalize them to single spaces and ASCII marks, or keep them.  "
        "[default: normalize, or what the policy says]",
        DETAILS,
    )
    allow_refuted: bool = opt.switch("Run a mechanism whose claim is refuted; there is then no guarantee.", DETAILS)
    seed: opt.Seed = None

    def sanitizer(self, context: typer.Context, vocabulary: opt.VocabularyOptions, *, note: bool) -> SanitizerOptions:
        """Make the options of the sanitizer; ``note``: one document is released by itself."""
        from textveil.sanitize.chosen import SanitizerOptions

        drawn: Mechanism | Policy
        common = {"level": self.level, "background": self.background, "others": self.others}
        if self.policy is None:
            for name, value in {**common, "date_order": self.date_order, "scope": self.scope}.items():
                need(value is None, name, "one", "left out where there is no `policy`")
            drawn = make(context, self.mechanism, vocabulary.load(), note=note)
        else:
            words = vocabulary.load() if vocabulary.given else None  # a policy loads the embedded one where it draws
            changes = {"marks": self.marks, "scope": self.scope}
            drawn = chosen_policy(context, self.policy, words, changes, note=note, common=common)
            drawn = drawn if self.date_order is None else _with_date_order(drawn, self.date_order)
        return SanitizerOptions(
            mechanism=drawn,
            seed=self.seed,
            number_epsilon=self.number_epsilon,
            digit_keep_limit=self.digit_keep_limit,
            marks=cast("Marks | None", self.marks) if self.policy is None else None,
            allow_refuted=self.allow_refuted,
        )


@dataclass(frozen=True, kw_only=True)
class _RecordOptions:
    field: list[str] | None = opt.record_field("field to sanitize; repeat it for several.  [default: text]")
    keep: list[str] | None = opt.record_field("field to copy as it is; repeat it for several. All others are dropped.")
    unit: str | None = opt.record_field(
        "whose a record is: the report adds up what one person's records cost. Of txt, with --ledger: whose the "
        "texts are.",
        PERSONS,
    )
    ledger: opt.LedgerOrNone = None
    tenant: opt.Tenant = "local"
    scope_column: str | None = opt.record_field(
        "whose a record is: one value has one surrogate in all of them (with --policy).", PERSONS
    )
    scope_key: Path | None = opt.value(
        "FILE",
        "The file of the key of --scope-column, or of patients in fhir and hl7: one value has one surrogate, and "
        "all dates of one person one shift, in all jobs with it. Made, for you alone, where there is none.",
        PERSONS,
    )
    known: list[str] | None = opt.value(
        "F=KIND",
        "For records: field whose value is of a kind (patient=person), found in the texts too (with "
        "--policy); repeat it for several.",
        PERSONS,
    )

    def payer(self, corpus_format: str) -> Payer | None:
        """Return whose budget pays; plain text is one person's."""
        if self.ledger is None:
            return None
        from textveil.budget.database import url_of
        from textveil.corpora.payment import Payer

        url_of(self.ledger)
        return Payer(self.ledger, self.tenant, self.unit if corpus_format == "txt" else None)

    def columns(self, payer: Payer | None) -> RecordColumns:
        """Return the columns that are read; none names persons if the payer is one."""
        from textveil.corpora.blocks import RecordColumns, known_columns

        unit = self.unit if payer is None or payer.unit is None else None
        keyed = self.scope_key is not None and self.scope_column is not None
        return RecordColumns(unit=unit, scope=self.scope_column, known=known_columns(self.known or ()), keyed=keyed)

    def key(self, corpus_format: str) -> bytes | None:
        """Return the key of scopes, which is made if its file is missing; None if there is none."""
        if self.scope_key is None:
            return None
        from textveil.corpora.formats.choice import STRUCTURED

        scoped = self.scope_column is not None or corpus_format in STRUCTURED
        need(scoped, "scope_key", "one", f"given with `scope_column`, or the format {' or '.join(STRUCTURED)}")
        return read_or_made_key(self.scope_key, "scope_key")


@dataclass(frozen=True, kw_only=True)
class _WritingOptions:
    report: list[Path] | None = opt.value(
        "R.json|R.html",
        "Write the report as JSON; where the name ends in .html, as two pages to file. Repeat it for both.",
    )
    risk: Path | None = opt.value(
        "risk.json", "What textveil risk measured of such a release, for the page of --report R.html.", DETAILS
    )
    sender_report: Path | None = opt.value(
        "S.json|S.html", "For you alone, as JSON or a page: unknown words, skipped records, --sample."
    )
    sample: int = opt.value(
        "N", "Show N random documents, before and after side by side, in --sender-report.", DETAILS, default=0
    )
    private_map: Path | None = opt.value(
        "FILE",
        "Keep how to undo the release, encrypted, for textveil restore; needs a --policy. Never pass it on.",
        UNDO,
    )
    map_key: Path | None = opt.value(
        "FILE", "The file of the map's key; made, for you alone, where there is none.", UNDO
    )
    overwrite: opt.Overwrite = False
    quiet: opt.Quiet = False
    language: opt.Language = None
    verbose: bool = opt.switch("Print the whole report instead of the summary in ten lines.")
    images: str = opt.value(
        "DO",
        "Of documents: pictures become blank, are read and painted over (ocr), or refuse the document.",
        FORMATS,
        default="blank",
    )
    resume: bool = opt.switch("Go on with the job of OUT where it was interrupted, or begin it.", JOBS)


@dataclass(frozen=True, kw_only=True)
class _FaultOptions:
    max_document_bytes: int | None = opt.value("N", "Refuse larger documents.  [default: 16777216]", FAULTS)
    max_expansion: float | None = opt.value(
        "X", "Stop at an input that decompresses to more than X times its size.", FAULTS
    )
    record_seconds: float | None = opt.value(
        "S", "A record of which detection takes more than S seconds of a processor is unreadable.", FAULTS
    )
    on_error: str | None = opt.value(
        "DO",
        "At a record that cannot be read: stop, or skip it, name it and exit with 1.  [default: stop; for a folder "
        "as OUT skip]",
        FAULTS,
    )


@dataclass(frozen=True, kw_only=True)
class _EngineOptions:
    workers: int | None = opt.value("N", "Processes.  [default: one for each core, if they pay]", JOBS)
    engine: str = opt.value("NAME", "local or ray.", JOBS, default="local")


_Output: TypeAlias = Annotated[
    str | None,
    opt.option("OUT", "Output file, or a new folder for a release of each file.  [default: standard output]", None),
]


@opt.grouped
def sanitize_command(
    context: typer.Context,
    *,
    source: opt.Sources = None,
    output: _Output = None,
    drawing: _DrawingOptions,
    formats: opt.FormatOptions,
    records: _RecordOptions,
    writing: _WritingOptions,
    receipts: ReceiptOptions,
    faults: _FaultOptions,
    engines: _EngineOptions,
    vocabulary: opt.VocabularyOptions,
) -> int:
    """Replace every word and number by a random one, under a guarantee that is stated and proved."""
    from textveil.corpora.corpus_run import Run
    from textveil.corpora.inputs import Places, check_outputs
    from textveil.sanitize.policy_report import read_recall, read_risk

    # Everything that can be wrong with the options is found before a byte of input is read.
    several = _is_several(source or (), output)
    place = opt.file_of(None if output is None else Path(output))
    reports = tuple(writing.report or ())
    check_outputs(place, [*reports, writing.sender_report], writing.private_map, resume=writing.resume)
    written = (*reports, writing.sender_report, writing.private_map, writing.map_key)
    signer = receipts.signer(place, (*(source or ()), *written))
    if not several and (document := the_document(source)) is not None:
        report = _document(context, document, place, drawing, records, writing, vocabulary, faults.record_seconds)
        receipts.write(signer, report, place, quiet=writing.quiet)
        return 0
    choice = formats.choice(records.field, records.keep)
    if faults.max_document_bytes is not None:
        choice = replace(choice, max_document_bytes=faults.max_document_bytes)
    engine = _engine(engines.engine, engines.workers)
    folder = _folder(source or (), place, choice, writing) if several and place is not None else None
    inputs = opt.inputs_of(source or ["-"], choice) if folder is None else folder.inputs
    if formats.corpus_format is None and drawing.policy is not None and choice.name_of_all(inputs) == "txt":
        from textveil.corpora.formats.choice import need_no_messages

        need_no_messages(inputs)
    payer = records.payer(choice.name(inputs) if folder is None else choice.name_of_all(inputs))
    columns = records.columns(payer)
    choice = replace(choice, read=columns.names)
    reader: CorpusFormat
    if folder is None:
        reader = choice.reader(inputs, place)
        choice.check_output(inputs, place)
    else:
        from textveil.corpora.file_by_file import FileByFile

        drawing = _for_documents(drawing, folder)
        images = checked_images(writing.images)
        in_place = drawing.policy is not None and _finds_spans(drawing.policy)
        reader = FileByFile.chosen(folder, choice, in_place=in_place, images=images, seconds=faults.record_seconds)
    places = Places(
        inputs=inputs,
        output=place,
        reports=reports,
        sender_report=writing.sender_report,
        resume=writing.resume,
        private_map=writing.private_map,
        map_key=writing.map_key,
    )
    paid = payer is not None and not (writing.overwrite or writing.resume)
    outputs = opt.Outputs(*places.files, receipts.receipt, paid=paid)
    _check_streams(places)
    run = Run(
        recall=None if drawing.detection_report is None else read_recall(drawing.detection_report),
        options=drawing.sanitizer(context, vocabulary, note=formats.whole_file),
        corpus_format=reader,
        inputs=inputs,
        columns=columns,
        engine=engine,
        max_expansion=faults.max_expansion,
        record_seconds=faults.record_seconds,
        on_error=cast(Literal["stop", "skip"], faults.on_error or ("stop" if folder is None else "skip")),
        payer=payer,
        scope_key=records.key(choice.name_of_all(inputs)),
        risk=None if writing.risk is None else read_risk(writing.risk),
        sample=writing.sample,
    )
    run = run.hiding_names()
    _ = run.drawing  # what a policy names is made, or refused, before anything is read
    finished = _done(run, places, context.command)
    review = _reviewing(places, source or [], drawing.policy, records.field, formats)
    assumed = formats.corpus_format is None and not formats.whole_file and "-" not in inputs
    lines = assumed and choice.name_of_all(inputs) == "txt"
    by_line = lines and finished.report.tally.documents > len(inputs)
    code = _told(finished, context.command, review, writing, places.output, payer, by_line=by_line)
    receipts.write(signer, finished.report, place, quiet=writing.quiet)
    outputs.tell(quiet=writing.quiet or finished.already)
    return code


def _document(
    context: typer.Context,
    name: str,
    output: Path | None,
    drawing: _DrawingOptions,
    records: _RecordOptions,
    writing: _WritingOptions,
    vocabulary: opt.VocabularyOptions,
    seconds: float | None,
) -> Report:
    from textveil.cli.brief import brief
    from textveil.corpora.inputs import Places

    others = {"resume": writing.resume, "ledger": records.ledger, "sender_report": writing.sender_report}
    for option, value in {**others, "risk": writing.risk, "field": records.field, "unit": records.unit}.items():
        need(not value, option, "one", "left out where a document is released")
    places = Places(
        inputs=(name,),
        output=output,
        reports=tuple(writing.report or ()),
        private_map=writing.private_map,
        map_key=writing.map_key,
    )
    outputs = opt.Outputs(*places.files)
    policy = drawing.policy or "identifiers"  # whose spans are replaced in place: nothing else keeps a look
    options = replace(drawing, policy=policy, marks="keep").sanitizer(context, vocabulary, note=False)
    report = sanitize_document(options, name, places, checked_images(writing.images), seconds)
    if writing.quiet:
        lines = report.warnings()
    else:
        assert report.certificate is not None
        review = _reviewing(places, places.inputs, policy, None, opt.FormatOptions())
        shown = report.summary() if writing.verbose else brief(report, str(output), review)
        lines = [shown, told(report.certificate)]
    sys.stderr.writelines(line + "\n" for line in lines)
    outputs.tell(quiet=writing.quiet)
    return report


def _done(run: Run, places: Places, command: Any) -> Finished:
    bar = Bar("sanitizing", run.counts, run.inputs)

    def building(done: int, total: int | None) -> None:
        bar.turn_to("building the table of neighbors", "words")
        bar(done, total)
        if done == total:
            bar.turn_to("sanitizing", run.counts)

    watched = run.watched(bar.update, building, tell)
    try:
        return watched.to_places(places, opt.standard_output)
    except (KeyboardInterrupt, SystemExit) as interrupt:
        bar.close()
        for note in getattr(interrupt, "__notes__", ()):
            tell(spelled(note, options_of(command)))
        raise
    finally:
        bar.close()


def _reviewing(
    places: Places, sources: Sequence[str], policy: str | None, fields: list[str] | None, formats: opt.FormatOptions
) -> str:
    """Return the command that reviews the release, with the options that this run had."""
    if places.output is None or "-" in places.inputs:
        return "textveil review"
    many = len(sources) > _NAMED
    read = {"format": formats.corpus_format, "delimiter": formats.delimiter, "encoding": formats.encoding}
    options = [("policy", policy), *(("original", name) for name in (["INPUT"] if many else sources))]
    if places.sender_report is not None and places.sender_report.suffix.lower() != ".html":
        options.append(("sender-report", str(places.sender_report)))
    options += [*(("field", name) for name in fields or ()), *read.items()]
    words = ["textveil", "review", str(places.output)]
    words += [word for name, value in options if value is not None for word in (f"--{name}", value)]
    command = shlex.join([*words, *(["--whole-file"] if formats.whole_file else [])])
    return f"{command} (--original for each of {len(sources)} inputs)" if many else command


def _told(
    finished: Finished,
    command: Any,
    review: str,
    writing: _WritingOptions,
    output: Path | None,
    payer: Payer | None,
    *,
    by_line: bool,
) -> int:
    from textveil.cli.brief import brief
    from textveil.cli.ledger import charged_lines

    report = finished.report
    if writing.quiet:
        lines = report.warnings()
    else:
        where = "standard output" if output is None else f"{output}/" if output.is_dir() else str(output)
        where += "   (a line is a text; with --whole-file a file is one)" if by_line else ""
        lines = (
            [report.summary(), *finished.sender_report.lines()] if writing.verbose else [brief(report, where, review)]
        )
        lines += [] if report.certificate is None else [told(report.certificate)]
        lines += charged_lines(payer)
    if finished.names:
        count = counted(len(finished.names), "file")
        lines += row("names", f"{count} called by number: the names tell what is hidden. See --sender-report")
    if finished.already:
        lines += row("CHECK", "The job of this output was finished before; nothing was released now.")
    if finished.modified:
        since = "not released" if finished.already else "released as it is now, where it was not released before"
        lines += row("CHECK", f"An input may have changed since the job began: what is new in it was {since}.")
    options = options_of(command) if finished.totals.skipped else {}  # which imports every mechanism
    named = [f"skipped: {spelled(skip.reason, options)}" for skip in finished.totals.skipped[:_SHOWN]]
    if finished.skipped > len(named):
        named.append(f"skipped: {finished.skipped - len(named)} more; --sender-report names the first of them")
    sys.stderr.writelines(line + "\n" for line in [*lines, *named])
    return 1 if finished.skipped and not finished.already else 0


def _is_several(sources: Sequence[str], output: str | None) -> bool:
    """Tell whether each file has a release of its own: if a folder is read, or is to be written."""
    folders = any(Path(source).is_dir() for source in sources)
    if output is None or output == "-":
        return False
    named = output.endswith(("/", os.sep)) or Path(output).is_dir()
    if named and not folders and "-" in (sources or ["-"]):
        raise ParameterError("`output` must be a file where standard input is read; got a folder. Name a file in it.")
    return folders or named


def _folder(sources: Sequence[str], output: Path, choice: FormatChoice, writing: _WritingOptions) -> Folder:
    from textveil.corpora.file_by_file import Folder
    from textveil.corpora.sources import expanded

    need(choice.output_format is None, "output_format", "one", "left out where `output` is a folder")
    need(writing.private_map is None, "private_map", "one", "left out where `output` is a folder", "Name one output.")
    names = [name for source in sources for name in ([source] if Path(source).is_dir() else expanded([source]))]
    return Folder.of(names, output)


def _for_documents(drawing: _DrawingOptions, folder: Folder) -> _DrawingOptions:
    """Return the options of a run with documents, whose marks stay; without another file the policy is theirs."""
    from textveil.documents.registry import is_document

    documents = [is_document(name) for name in folder.inputs]
    if all(documents) and drawing.policy is None:
        drawing = replace(drawing, policy="identifiers")
    return replace(drawing, marks="keep") if any(documents) and drawing.policy and not drawing.marks else drawing


def _finds_spans(name: str) -> bool:
    from textveil.sanitize.policy.choice import policy

    return policy(name).finds_spans


def _check_streams(places: Places) -> None:
    """Refuse a closed stream before anything is read; tell who waits at a terminal what for."""
    if places.output is None:
        opt.standard_output()
    if "-" in places.inputs and sys.stdin.isatty():
        tell("reading standard input; end it with Ctrl-D.")


_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def chosen_policy(
    context: typer.Context,
    name: str,
    vocabulary: Vocabulary | None,
    changes: Mapping[str, str | None] = _NOTHING,
    *,
    note: bool = False,
    common: Mapping[str, Any] = _NOTHING,
) -> Policy:
    """Return the policy of ``--policy``, with ``--epsilon`` for its words; refuse other options of mechanisms.

    ``changes``: attributes of the policy, None if not given; ``note``: one document is released by itself, so a policy
    that draws all words does as a mechanism would; ``common``: ``--level``, ``--background`` and ``--others``, None if
    not given.
    """
    from textveil.sanitize.policy.choice import policy

    options = given(context)
    epsilon = options.pop("epsilon", None)
    others = [f"--{key.replace('_', '-')}" for key in options]
    if (source := context.get_parameter_source("mechanism")) is not None and source.name == "COMMANDLINE":
        others.insert(0, "--mechanism")
    if others:
        raise ParameterError(
            f"--policy says what draws words; got {', '.join(others)} beside it. Leave one out, or write a policy."
        )
    changed = {key: value for key, value in changes.items() if value is not None}
    chosen = policy(name, vocabulary, epsilon=epsilon, **common, **cast(Any, changed))
    need(chosen.finds_spans or "scope" not in changed, "scope", "one", f"left out: {chosen.name} finds no spans")
    passing = chosen.rule("function-word") or chosen.rule("common-word")
    plain = not chosen.finds_spans and passing is None
    return _for_note(chosen, vocabulary) if note and plain else chosen


def _with_date_order(policy: Policy, order: str) -> Policy:
    from textveil.surrogates.making import surrogate_entries

    entries = surrogate_entries()
    taking = [rule for rule in policy.rules if rule.name in entries and "order" in entries[rule.name].options()]
    need(bool(taking), "date_order", order, f"left out: policy {policy.name} draws no dates")
    order = entries[taking[0].name].options()["order"].checked(order)
    rules = [
        replace(rule, options={**rule.options, "order": order}) if rule in taking else rule for rule in policy.rules
    ]
    return replace(policy, rules=tuple(rules))


def _for_note(policy: Policy, vocabulary: Vocabulary | None) -> Policy:
    from textveil.sanitize.chosen import options_for_note
    from textveil.vocabulary.embedded import load_vocabulary

    words = load_vocabulary() if vocabulary is None else vocabulary

    def changed(rule: Rule) -> Rule:
        added = options_for_note(rule.name, rule.options, words) if rule.kind == "word" else {}
        return replace(rule, options={**rule.options, **added})

    return replace(policy, rules=tuple(changed(rule) for rule in policy.rules))


def _engine(name: str, workers: int | None) -> Engine:
    from textveil.corpora.processes import Processes

    if name == "local":
        return Processes(workers)
    if name != "ray":
        raise ParameterError(f"`engine` must be local or ray; got {name[:20]!r}.")
    from textveil.integrations.ray import RayEngine

    return RayEngine(workers)
