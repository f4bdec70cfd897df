"""``textveil risk``: what an attacker can do with a release whose originals are at hand."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.json_text import json_text

if TYPE_CHECKING:
    from textveil.risk.report import RiskReport

NUMBERS = "risk.json"


@opt.grouped
def risk_command(
    *,
    source: Annotated[str, typer.Argument(metavar="RELEASE", help="A file of text, or of records with --field.")],
    original: Annotated[str, opt.option("FILE", "The originals, a record for each of the release, in its order.")],
    background: Annotated[
        str | None,
        opt.option(
            "FILE",
            "Public texts: the n-th is about the person of the n-th record, those behind them about other persons.",
        ),
    ] = None,
    output: Annotated[
        Path | None, opt.option("DIR", "Folder for the page and the numbers.", None, "--output", "-o")
    ] = None,
    formats: opt.SampleOptions,
    as_json: opt.AsJson = False,
) -> None:
    """Attack a release: who is recognized in it by comparison with the originals and with public texts."""
    from textveil.pages.folders import results_folder
    from textveil.risk.run import risk
    from textveil.whole_files import write_whole

    folder = None if output is None else results_folder(output, NUMBERS, mode=0o700)
    report = risk(
        _texts(source, formats), _texts(original, formats), None if background is None else _texts(background, formats)
    )
    if folder is not None:
        write_whole(folder / NUMBERS, json_text(report.to_data(), indent=1).encode("ascii"), private=True)
    sys.stdout.write(json_text(report.to_data()) if as_json else _text(report))


def _texts(source: str, formats: opt.SampleOptions) -> list[str]:
    """The text of every record, empty where it has none."""
    from textveil.cli.progress import counting
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.texts import released_blocks

    choice = FormatChoice(
        corpus_format=formats.corpus_format,
        sanitized=() if formats.field is None else (formats.field,),
        delimiter=formats.delimiter,
    )
    inputs = opt.inputs_of([source], choice)
    with counting("reading", "bytes") as reading:
        blocks = released_blocks(choice.reader(inputs), inputs, reading)
        return [parts[0] if parts else "" for block in blocks for parts in block.records.texts]


def _text(report: RiskReport) -> str:
    """The report for a terminal."""
    from textveil.risk.report import ABOUT

    lines = [f"{report.records:,} records"]
    for attack in report.release.linkage:
        lines.append(f"{attack.attacker} against {attack.against}: {attack.top1:.2f} named at the first try")
    return "\n".join([*lines, ABOUT]) + "\n"
