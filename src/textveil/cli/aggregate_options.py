"""Options that the commands about a whole corpus share: ``count``, ``learn``, ``synthesize``, ``topics``."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import PERSONS, renamed
from textveil.errors import OutputError, ParameterError

if TYPE_CHECKING:
    from textveil.aggregates.report import AggregateReport
    from textveil.aggregates.request import CorpusRequest, PersonalRecords
    from textveil.corpora.payment import Payer
    from textveil.privacy.guarantees import Guarantee

Corpus: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="INPUT...", help="Files, folders or patterns; - is standard input.")
]
Labels: TypeAlias = Annotated[str, opt.Declared("request")]
Delta: TypeAlias = Annotated[float, opt.Declared("request")]


@dataclass(frozen=True, kw_only=True)
class AggregateOptions:
    """Whose records these are, and what the release may cost."""

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
        from textveil.budget.database import url_of
        from textveil.corpora.jobs.ledger import PAID, JobFolder
        from textveil.corpora.payment import Payer

        url_of(self.ledger)
        payer = Payer(self.ledger, self.tenant)
        if output is None or (output.exists() and not output.is_file()):
            yield payer
            return
        folder = JobFolder(Path(os.path.realpath(output)), PAID)
        with folder.opened():  # no other run may go on with it meanwhile
            try:
                yield replace(payer, folder=folder, anew=self.overwrite)
            except BaseException as error:
                if not folder.paid.exists():
                    folder.removed()
                elif isinstance(error, OutputError):
                    error.args = (f"{error} The release is paid: the same command goes on with it.",)
                raise
            folder.removed()


def checked_outputs(inputs: Sequence[str], *outputs: Path | None, overwrite: bool) -> opt.Outputs:
    """Return the outputs of a release. Refuse one that cannot be written, exists, is an input or is named twice."""
    from textveil.corpora.files.sources import one_file
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
    target: Path | None, data: bytes, report: AggregateReport, reports: Sequence[Path] | None, *, as_json: bool
) -> None:
    """Write a release to its file, else to standard output (not beside ``as_json``); and its report if asked for."""
    from textveil.whole_files import write_whole

    if target is None:
        opt.standard_output().write(data)
    else:
        write_whole(target, data)
    write_reports(reports, report.to_data())
    if as_json:
        sys.stdout.write(report.to_json())


def write_reports(paths: Sequence[Path] | None, data: Mapping[str, Any]) -> None:
    """Write a report to each path: a page where the name ends in .html, else JSON."""
    from textveil.aggregates.report import report_page
    from textveil.json_text import json_text
    from textveil.whole_files import write_whole

    for path in paths or ():
        is_page = path.suffix.lower() == ".html"
        write_whole(path, (report_page(data) if is_page else json_text(data, indent=1)).encode("utf-8"))


def tell_sender(what: str, guarantee: Guarantee, request: CorpusRequest, persons: int) -> None:
    """Write what came out, what is not covered, and warnings by the private number of persons."""
    from textveil.pages.messages import row
    from textveil.privacy.guarantees import Status
    from textveil.privacy.units import Unit

    seeded = "" if request.rng is None else "; seeded: not for release"
    status = "" if guarantee.status is Status.PROVED else f" [{guarantee.status.shown}]"
    record = guarantee.adjacency.unit is not Unit.PERSON
    whose = "each record" if record else "each person"
    uncovered = "all records of one person together" if record else "what others wrote about a person"
    lines = row("released", f"{what}; {guarantee}{status} for {whose}{seeded}")
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
