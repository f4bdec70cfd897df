"""``textveil count``, ``synthesize`` and ``topics``: one epsilon for all that a person wrote; and shared options."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, TypeVar

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import PERSONS, renamed
from textveil.cli.progress import counting
from textveil.errors import ParameterError
from textveil.json_text import json_text
from textveil.pages.messages import counted, row, said
from textveil.whole_files import check_folder, csv_text, write_whole

if TYPE_CHECKING:
    from textveil.aggregates.counts import CountRelease
    from textveil.aggregates.report import AggregateReport
    from textveil.aggregates.request import CorpusRequest, PersonalRecords
    from textveil.aggregates.synthesis import SyntheticText
    from textveil.aggregates.topics import Themes
    from textveil.corpora.payment import Payer
    from textveil.privacy.guarantees import Guarantee

T = TypeVar("T")


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
    files: ReleaseFiles,
    as_json: opt.AsJson = False,
    seed: opt.Seed = None,
) -> None:
    """Count how many persons wrote each word and n-gram: one epsilon for all that a person wrote.

    Writes CSV: item, label if asked for, count, noise_low, noise_high: where the noise alone leads with 95 %.
    Words outside the public list, and n-grams, come out only if many persons wrote them.
    """
    from textveil.aggregates.count_run import count

    make = partial(count, ngrams=ngrams, items_per_person=items_per_person, repeats=repeats, words=words)

    def shown(made: tuple[CountRelease, AggregateReport]) -> _Shown:
        release, facts = made
        what = counted(len(release.counts), "count")
        return _Shown(what, _table(release, labelled=label is not None), facts, max(release.persons, 1))

    settings = aggregate.settings(delta=delta, seed=seed, labels=labels)
    release, _ = released(make, shown, source, aggregate, files, settings, as_json=as_json, label=label)
    if not release.counts:
        told = "No item stands out of the noise. Raise epsilon, or count the records of more persons."
        sys.stderr.writelines(line + "\n" for line in row("CHECK", told))


def _table(release: CountRelease, *, labelled: bool) -> bytes:
    names = ["item", *(["label"] if labelled else []), "count", "noise_low", "noise_high"]
    rows = [
        [line.item, *([line.label] if labelled else []), line.count, line.noise_low, line.noise_high]
        for line in release.counts
    ]
    return csv_text([names, *rows]).encode("utf-8", "surrogatepass")


@opt.grouped
def synthesize_command(
    *,
    source: Corpus,
    documents: Annotated[int, opt.Declared("synthesize")],
    aggregate: AggregateOptions,
    delta: Delta,
    public: Pool = None,
    label: Annotated[str | None, opt.fields("field with a label: texts get labels too.", None)] = None,
    labels: Labels,
    files: ReleaseFiles,
    overlaps: Annotated[
        Path | None,
        opt.option("FILE", "For you alone: list the texts that share 8 words in a row with a record, as JSON."),
    ] = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Choose and label public texts so that they resemble a corpus: one epsilon for all that a person wrote.

    Writes JSON lines with the fields text and label. The pool must be public: its texts come out as they are.
    """
    from textveil.aggregates.synthesis import synthesize

    def shown(made: SyntheticText) -> _Shown:
        columns = {"text": made.texts, **({"label": made.labels} if made.labels else {})}
        rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        return _Shown(counted(len(rows), "text"), _json_lines(rows), made.report, made.persons, made.texts)

    make, pool = partial(synthesize, documents=documents), _Pool(public, overlaps)
    settings = aggregate.settings(vocabulary, delta=delta, seed=seed, labels=labels)
    released(make, shown, source, aggregate, files, settings, as_json=as_json, label=label, pool=pool)


@opt.grouped
def topics_command(
    *,
    source: Corpus,
    public: Pool = None,
    aggregate: AggregateOptions,
    topics: Annotated[int, opt.Declared("topics")],
    files: ReleaseFiles,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Find what a corpus is about, in terms of public texts: one epsilon for all that a person wrote.

    Writes JSON lines by falling votes: votes, low, high (95 %, for the noise alone), public words and public texts.
    """
    from textveil.aggregates.topics import topics as topics_of

    def shown(made: Themes) -> _Shown:
        lines = _json_lines([theme.to_data() for theme in made.themes])
        return _Shown(counted(len(made.themes), "topic"), lines, made.report, made.persons)

    make, pool = partial(topics_of, topics=topics), _Pool(public)
    settings = aggregate.settings(vocabulary, delta=0.0, seed=seed)
    released(make, shown, source, aggregate, files, settings, as_json=as_json, pool=pool)


def _json_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode("ascii")


Corpus: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="INPUT...", help="Files, folders or patterns; - is standard input.")
]
Pool: TypeAlias = Annotated[
    str | None,
    opt.option(
        "POOL",
        "Public texts like yours, such as 100,000 sentences of Wikipedia: a file with one a line, or records with a "
        "field `text`.",
    ),
]
Labels: TypeAlias = Annotated[str, opt.Declared("request")]
Delta: TypeAlias = Annotated[float, opt.Declared("request")]


@dataclass(frozen=True, kw_only=True)
class ReleaseFiles:
    """The files of a release."""

    output: opt.Output = None
    report: opt.NewReports = None


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

    def settings(
        self, words: opt.VocabularyOptions | None = None, *, delta: float, seed: int | None, labels: str = ""
    ) -> dict[str, Any]:
        """Return what a request has beside its records; without a seed it draws by the system's randomness."""
        from textveil.randomness import seeded_generator

        vocabulary = {} if words is None else {"vocabulary": words.load()}
        rng = None if seed is None else seeded_generator(seed)
        return {"epsilon": self.epsilon, "delta": delta, "rng": rng, "labels": opt.parts_of(labels), **vocabulary}

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


class _Shown(NamedTuple):
    what: str  # came out, for the sender
    data: bytes  # of the file
    report: AggregateReport
    persons: int  # wrote the records
    texts: list[str] = []  # that came out of a pool  # noqa: RUF012


class _Pool(NamedTuple):
    """Public texts that are compared with the records, and where to list those that share words with them."""

    public: str | None
    overlaps: Path | None = None

    def named(self) -> str:
        if self.public is None:
            raise ParameterError(
                "--public must name public texts like yours; got none. A file with one a line serves: 100,000 "
                "sentences of Wikipedia, or published texts of your field."
            )
        return self.public

    def compare(self, texts: list[str], pool: list[str], records: PersonalRecords) -> None:
        """Read the records once more, to tell what the pool or a release shares with them."""
        from textveil.aggregates.synthesis import compared

        with counting("comparing with the records", "bytes", records.inputs) as progress:
            again = (text for batch in records.batches(progress) for text in batch.texts)
            shared, in_pool = compared(texts, pool, again)
        if self.overlaps is not None:
            listed = json_text([each._asdict() for each in shared], indent=1)
            write_whole(self.overlaps, listed.encode("ascii"), private=True)
        if in_pool:
            warn(
                f"{counted(in_pool, 'record')} in the pool word by word. The pool must be public, and "
                "made without this corpus. If it is not, do not pass on what came out."
            )
        if shared:
            warn(f"{len(shared):,} of the texts share 8 words in a row with a record. --overlaps FILE lists them.")


def released(
    make: Callable[..., T],
    shown: Callable[[T], _Shown],
    source: list[str],
    aggregate: AggregateOptions,
    files: ReleaseFiles,
    settings: Mapping[str, Any],
    *,
    as_json: bool,
    label: str | None = None,
    pool: _Pool | None = None,
) -> T:
    """Read, pay, draw and write; say what came out. Returns what ``make`` made of the request, and of the pool."""
    from textveil.aggregates.request import CorpusRequest
    from textveil.aggregates.synthesis import read_pool
    from textveil.corpora.sources import expanded

    target = opt.file_of(files.output)
    if as_json and target is None:  # the release would be lost, and paid
        raise ParameterError("`as_json` prints the report, so `output` must name a file for the release; got none.")
    public = [] if pool is None else [pool.named()]
    records = aggregate.records(source, label, again=bool(public))
    others = (*(files.report or ()), pool and pool.overlaps)
    outputs = checked_outputs([*records.inputs, *expanded(public)], target, *others, overwrite=aggregate.overwrite)
    with counting("reading the pool", "bytes") as progress:
        texts = [read_pool(name, progress) for name in public]
    with aggregate.paying(target) as payer:
        with (
            counting("reading", "bytes", records.inputs) as progress,
            counting("comparing with the pool", "texts") if public else contextlib.nullcontext() as pool_progress,
            renamed(items="items_per_person"),
        ):
            request = CorpusRequest(records, payer=payer, progress=progress, pool_progress=pool_progress, **settings)
            made = make(request, *texts)
        release = shown(made)
        write_release(target, release.data, release.report, files.report, payer, as_json=as_json)
    if pool is not None:
        pool.compare(release.texts, texts[0], records)
    tell_sender(release.what, release.report.guarantee, request, release.persons)
    outputs.tell()
    return made


def checked_outputs(inputs: Sequence[str], *outputs: Path | None, overwrite: bool) -> opt.Outputs:
    """Return the outputs of a release. Refuse one that cannot be written, exists, is an input or is named twice."""
    from textveil.corpora.sources import one_file

    files = [path for path in outputs if path is not None]
    for path in files:
        check_folder(path)
    again = len({os.path.realpath(path) for path in files}) != len(files)
    if again or any(one_file(name, path) for name in inputs for path in files):
        raise ParameterError("every input and output must be a file of its own; got one twice. Name another output.")
    return opt.Outputs(*outputs, paid=not overwrite)


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
    if target is None:
        opt.standard_output().write(data)
    else:
        write_whole(target, data)
    write_reports(reports, report.to_data())
    if as_json:
        print_report(report.to_data(), payer)


def print_report(data: Mapping[str, Any], payer: Payer | None) -> None:
    """Print a report, and for the sender alone what the release left to those who paid: files of reports lack that."""
    if payer is not None and payer.charged:
        data = {**data, "for_you_alone": {"ledger": payer.charged[-1].to_data()}}
    sys.stdout.write(json_text(data, indent=1))


def write_reports(paths: Sequence[Path] | None, data: Mapping[str, Any]) -> None:
    """Write a report to each path: a page if the name ends in .html, else JSON."""
    from textveil.aggregates.report import report_page

    for path in paths or ():
        is_page = path.suffix.lower() == ".html"
        write_whole(path, (report_page(data) if is_page else json_text(data, indent=1)).encode("utf-8"))


def tell_sender(what: str, guarantee: Guarantee, request: CorpusRequest, persons: int) -> None:
    """Write what came out, what is not covered, and warnings by the private number of persons."""
    from textveil.cli.ledger import charged_lines
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
    sys.stderr.writelines(line + "\n" for line in row("WARNING", f"{said('for you alone')}: {said(text)}"))
