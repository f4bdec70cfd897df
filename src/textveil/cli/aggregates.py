"""``textveil count``, ``learn`` and ``predict``, under one epsilon for all that a person wrote; and shared options.

``synthesize`` and ``topics`` have the same options.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import PERSONS, renamed
from textveil.errors import ParameterError

if TYPE_CHECKING:
    from textveil.aggregates.counts import CountRelease
    from textveil.aggregates.report import AggregateReport
    from textveil.aggregates.request import CorpusRequest, PersonalRecords
    from textveil.corpora.payment import Payer
    from textveil.privacy.guarantees import Guarantee


@opt.grouped
def count_command(
    *,
    source: Corpus,
    aggregate: AggregateOptions,
    delta: Delta,
    ngrams: Annotated[int, opt.Declared("count")],
    label: Annotated[str | None, opt.fields("field with a label: count for each label.", None)] = None,
    labels: Labels,
    items_per_person: Annotated[int, opt.Declared("count")],
    repeats: Annotated[int, opt.Declared("count")],
    words: Annotated[str, opt.Declared("count")],
    output: opt.Output = None,
    report: opt.NewReports = None,
    as_json: opt.AsJson = False,
    seed: opt.Seed = None,
) -> None:
    """Count how many persons wrote each word and n-gram: one epsilon for all that a person wrote.

    Writes CSV: item, label if asked for, count, noise_low, noise_high: where the noise alone leads with 95 %.
    Words outside the public list, and n-grams, come out only if many persons wrote them.
    """
    from textveil.aggregates.count_run import count
    from textveil.cli.progress import counting as bar
    from textveil.pages.messages import counted, row

    target = opt.file_of(output)
    needs_output(target, as_json=as_json)
    records = aggregate.records(source, label)
    outputs = checked_outputs(records.inputs, target, *(report or ()), overwrite=aggregate.overwrite)
    with aggregate.paying(target) as payer:
        with bar("counting", "bytes", records.inputs) as progress, renamed(items="items_per_person"):
            request = aggregate.request(
                records, delta=delta, seed=seed, labels=opt.parts_of(labels), payer=payer, progress=progress
            )
            release, facts = count(
                request, ngrams=ngrams, items_per_person=items_per_person, repeats=repeats, words=words
            )
        table = _table(release, labelled=label is not None)
        write_release(target, table, facts, report, payer, as_json=as_json)
    tell_sender(counted(len(release.counts), "count"), release.guarantee, request, max(release.persons, 1))
    outputs.tell()
    if not release.counts:
        told = "No item stands out of the noise. Raise epsilon, or count the records of more persons."
        sys.stderr.writelines(line + "\n" for line in row("CHECK", told))


def _table(release: CountRelease, *, labelled: bool) -> bytes:
    from textveil.whole_files import csv_text

    names = ["item", *(["label"] if labelled else []), "count", "noise_low", "noise_high"]
    rows = [
        [line.item, *([line.label] if labelled else []), line.count, line.noise_low, line.noise_high]
        for line in release.counts
    ]
    return csv_text([names, *rows]).encode("utf-8", "surrogatepass")


@opt.grouped
def learn_command(
    *,
    source: Corpus,
    label: Annotated[str, opt.fields("field with the label.", None)],
    aggregate: AggregateOptions,
    delta: Delta,
    output: Annotated[Path, opt.option("FOLDER", "Folder for the model.", None, "--output", "-o")],
    labels: Labels,
    report: opt.NewReports = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Learn a classifier of texts: one epsilon for all that a person wrote.

    The model may be given away, and tested: textveil predict. In Python: textveil.load_model(FOLDER).predict(texts).
    """
    from textveil.aggregates.classifier import FACTS, WEIGHTS
    from textveil.aggregates.learning import learn
    from textveil.cli.progress import counting
    from textveil.pages.messages import row
    from textveil.whole_files import results_folder

    records = aggregate.records(source, label, again=True)
    checked_outputs(records.inputs, *(report or ()), overwrite=aggregate.overwrite)
    there = all((output / name).exists() for name in (FACTS, WEIGHTS))
    if there and not aggregate.overwrite:
        raise opt.refused_output("a folder with a model")
    outputs = opt.Outputs(output / FACTS, *(report or ()))
    is_new = not output.exists()
    folder = results_folder(output, FACTS)
    try:
        with aggregate.paying(output / FACTS) as payer:
            with counting("reading", "bytes", records.inputs) as progress:
                request = aggregate.request(
                    records,
                    delta=delta,
                    seed=seed,
                    labels=opt.parts_of(labels),
                    vocabulary=vocabulary.load(),
                    payer=payer,
                    progress=progress,
                )
                model, persons = learn(request)
            model.save(folder)
            write_reports(report, model.report)
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):  # it is not empty: a release is paid for and not written
                folder.rmdir()
        raise
    if as_json:
        print_report(model.report, payer)
    test = shlex.join(["textveil", "predict", str(output), "TEST", "--label", label])
    tell_sender(f"a classifier of {len(model.labels):,} labels", model.guarantee, request, persons)
    told = (
        "how often it is right is not measured. Test it on texts of persons who are not in INPUT, and keep those "
        "private:"
    )
    sys.stderr.writelines(line + "\n" for line in [*row("CHECK", told), *row("", test)])
    outputs.tell()


@opt.grouped
def predict_command(
    *,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Folder that textveil learn wrote.")],
    source: Corpus,
    label: Annotated[str | None, opt.fields("field with the true label: says how many are right.")] = None,
    options: opt.SampleOptions,
    output: opt.Output = None,
    vocabulary: opt.VocabularyOptions,
) -> None:
    """Write the label that a model of textveil learn gives each text, one a line.

    What it writes is computed from the texts, so it is as private as they are. The model costs nothing to ask.
    """
    from textveil.aggregates.classifier import load_model
    from textveil.aggregates.request import EACH_RECORD, PersonalRecords
    from textveil.cli.progress import counting
    from textveil.pages.messages import row as columns
    from textveil.statistics import clopper_pearson
    from textveil.whole_files import write_whole

    inputs = opt.inputs_of(source, options.choice())
    learned = load_model(model, vocabulary=vocabulary.load())
    records = PersonalRecords(
        inputs=inputs,
        unit=EACH_RECORD,
        text=options.field,
        label=label,
        corpus_format=options.corpus_format,
        delimiter=options.delimiter,
        encoding=options.encoding,
    )
    outputs = opt.Outputs(output)
    lines: list[str] = []
    right = texts = 0
    with counting("reading", "bytes", inputs) as progress:
        for batch in records.batches(progress):
            said = learned.predict(batch.texts)
            for row, one in zip(batch.persons.tolist(), said, strict=True):
                lines += [""] * (row - len(lines)) + [one]  # an empty line for a record without a text
            texts += len(said)
            right += sum(map(str.__eq__, said, batch.labels))
    data = "".join(line + "\n" for line in lines).encode("utf-8")
    if output is None:
        opt.standard_output().write(data)
    else:
        write_whole(output, data)
    outputs.tell()
    if label is not None and texts:
        bound = clopper_pearson(right, texts, 0.95)
        share = f"{bound.estimate:.3f}, {bound.lower:.3f} to {bound.upper:.3f} at 95 %"
        told = f"{right:,} of {texts:,} labels are right ({share}); this number is as private as these texts"
        sys.stderr.writelines(line + "\n" for line in columns("tested", told))


Corpus: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="INPUT...", help="Files, folders or patterns; - is standard input.")
]
Labels: TypeAlias = Annotated[str, opt.Declared("request")]
Delta: TypeAlias = Annotated[float, opt.Declared("request")]


@dataclass(frozen=True, kw_only=True)
class AggregateOptions:
    """The persons whose records these are, and the budget of the release."""

    unit: Annotated[
        str,
        opt.option(
            "F", "Field that names the person whose a record is; `document`: each record is a unit.", PERSONS, "--unit"
        ),
    ]
    epsilon: Annotated[float, opt.Declared("request")]
    records_per_person: Annotated[
        int | None, opt.option("N", "The first N records of each person count.  [default: all]", PERSONS)
    ] = None
    field: Annotated[str | None, opt.fields("field with the text.  [default: text]")] = None
    corpus_format: opt.FormatName = None
    delimiter: opt.Delimiter = None
    encoding: opt.Encoding = None
    ledger: opt.LedgerOrNone = None
    tenant: opt.Tenant = "local"
    overwrite: opt.Overwrite = False

    def records(self, sources: list[str], label: str | None = None, *, again: bool = False) -> PersonalRecords:
        """Return the records of the inputs, with labels if a column of them is named; ``again``: read twice."""
        from textveil.aggregates.request import PersonalRecords

        inputs = opt.inputs_of(
            opt.files_of(sources), opt.format_choice(self, None if self.field is None else [self.field])
        )
        if again and not all(Path(name).is_file() for name in inputs):
            raise ParameterError(
                "INPUT must be files, which are read more than once; got a stream. Save it to a file first."
            )
        with renamed(limit="records_per_person", text="field"):
            return PersonalRecords(
                inputs=inputs,
                unit=self.unit,
                text=self.field,
                label=label,
                limit=self.records_per_person,
                corpus_format=self.corpus_format,
                delimiter=self.delimiter,
                encoding=self.encoding,
            )

    def request(self, records: PersonalRecords, *, seed: int | None = None, **settings: Any) -> CorpusRequest:
        """Return the request of a command; without a seed it draws by the operating system's randomness."""
        from textveil.aggregates.request import CorpusRequest
        from textveil.randomness import seeded_generator

        rng = None if seed is None else seeded_generator(seed)
        return CorpusRequest(records, epsilon=self.epsilon, rng=rng, **settings)

    @contextlib.contextmanager
    def paying(self, output: Path | None) -> Iterator[Payer | None]:
        """Yield whose budget pays, until the release is written.

        What was paid is remembered beside the output (unless that is None or a device): if the block fails after that,
        or is killed, the same command goes on with the same draws.
        """
        if self.ledger is None:
            yield None
            return
        from textveil.aggregates.payment import remembered
        from textveil.budget.database import url_of
        from textveil.corpora.payment import Payer

        url_of(self.ledger)
        payer = Payer(self.ledger, self.tenant)
        if output is None or (output.exists() and not output.is_file()):
            yield payer
            return
        with remembered(payer, output, anew=self.overwrite) as remembering:
            yield remembering


def checked_outputs(inputs: Sequence[str], *outputs: Path | None, overwrite: bool) -> opt.Outputs:
    """Return the outputs of a release. Refuse one that cannot be written, exists, is an input or is named twice."""
    from textveil.corpora.sources import one_file
    from textveil.whole_files import check_folder

    files = [path for path in outputs if path is not None]
    for path in files:
        check_folder(path)
    again = len({os.path.realpath(path) for path in files}) != len(files)
    if again or any(one_file(name, path) for name in inputs for path in files):
        raise ParameterError("every input and output must be a file of its own; got one twice. Name another output.")
    return opt.Outputs(*outputs, paid=not overwrite)


def needs_output(output: Path | None, *, as_json: bool) -> None:
    """Refuse to print the report if the release has no place: it would be lost, and paid."""
    if as_json and output is None:
        raise ParameterError("`as_json` prints the report, so `output` must name a file for the release; got none.")


def write_release(
    target: Path | None,
    data: bytes,
    report: AggregateReport,
    reports: Sequence[Path] | None,
    payer: Payer | None,
    *,
    as_json: bool,
) -> None:
    """Write a release to its file, else to standard output (not beside ``as_json``); and its report if asked for."""
    from textveil.whole_files import write_whole

    if target is None:
        opt.standard_output().write(data)
    else:
        write_whole(target, data)
    write_reports(reports, report.to_data())
    if as_json:
        print_report(report.to_data(), payer)


def print_report(data: Mapping[str, Any], payer: Payer | None) -> None:
    """Print a report, and for the sender alone what the release left to those who paid: files of reports lack that."""
    from textveil.json_text import json_text

    if payer is not None and payer.charged:
        data = {**data, "for_you_alone": {"ledger": payer.charged[-1].to_data()}}
    sys.stdout.write(json_text(data, indent=1))


def write_reports(paths: Sequence[Path] | None, data: Mapping[str, Any]) -> None:
    """Write a report to each path: a page if the name ends in .html, else JSON."""
    from textveil.aggregates.report import report_page
    from textveil.json_text import json_text
    from textveil.whole_files import write_whole

    for path in paths or ():
        is_page = path.suffix.lower() == ".html"
        write_whole(path, (report_page(data) if is_page else json_text(data, indent=1)).encode("utf-8"))


def tell_sender(what: str, guarantee: Guarantee, request: CorpusRequest, persons: int) -> None:
    """Write what came out, what is not covered, and warnings by the private number of persons."""
    from textveil.cli.ledger import charged_lines
    from textveil.pages.messages import row
    from textveil.privacy.guarantees import Status
    from textveil.privacy.units import Unit

    seeded = "" if request.rng is None else "; seeded: not for release"
    status = "" if guarantee.status is Status.PROVED else f" [{guarantee.status.shown}]"
    record = guarantee.adjacency.unit is not Unit.PERSON
    whose = "each record" if record else "each person"
    uncovered = "all records of one person together" if record else "what others wrote about a person"
    lines = row("released", f"{what}; {guarantee}{status} for {whose}{seeded}")
    lines += charged_lines(request.payer)
    lines += row("limits", f"not covered: {uncovered}, and what holds of many")
    sys.stderr.writelines(line + "\n" for line in lines)
    if persons == 0:
        warn("no record was read.")
    if persons * request.delta >= 1:
        warn(
            "delta is at least 1 / number of persons: the guarantee may fail for one of them. Lower --delta and run "
            "again; this run is paid."
        )


def warn(text: str) -> None:
    """Write what follows from the private records, and so is for the sender alone."""
    from textveil.pages.messages import row, said

    sys.stderr.writelines(line + "\n" for line in row("WARNING", f"{said('for you alone')}: {said(text)}"))
