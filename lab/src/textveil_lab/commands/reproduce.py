"""``textveil reproduce``: measures a paper's figures and tables again, with a report that compares them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.environment import SHARED
from textveil.errors import ParameterError, need
from textveil.json_text import json_text
from textveil_lab.commands.arguments import cells_beside

if TYPE_CHECKING:
    from textveil_lab.papers.report import Item
    from textveil_lab.papers.setting import ItemOutcome

app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})


@app.command()
def reproduce_command(
    paper: Annotated[
        str | None, typer.Argument(metavar="PAPER", help="A paper; without one, papers and items are listed.")
    ] = None,
    item: Annotated[list[str] | None, typer.Argument(metavar="[ITEM]...", help="Its items.  [default: all]")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder for figures, numbers and report.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few points, small samples and vocabularies, to see that it runs.")
    ] = False,
    vocabulary: Annotated[
        list[Path] | None,
        typer.Option(
            "--vocabulary",
            metavar="PATH",
            help="Word vectors, any number of times.  [default: those of --data, else the embedded ones]",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder with data/vectors and data/text, laid out as docs/data.md says.  [default: $TEXTVEIL_SHARED]",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Words drawn from each vocabulary.  [default: 5000, with --quick 200; all where there are fewer]",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Of every draw; studies repeat and are not for release.")
    ] = None,
    cells: Annotated[
        Path | None,
        typer.Option(
            "--cells",
            metavar="DIR",
            help="Where a study of texts keeps each measurement, so that a stopped run goes on.  [default: "
            "DIR.cells beside --output]",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Where networks are trained: cpu, or cuda at the paper's sizes.  [default: cpu]"
        ),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(metavar="N", help="Measurements of a study of texts side by side.  [default: 1]")
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """Measure a paper's figures and tables again; write PNG, SVG, CSV, JSON and a report."""
    from textveil_lab.papers.report import paper as paper_of
    from textveil_lab.papers.report import papers

    if paper is None:
        given = (output, vocabulary or None, data, sample, seed, cells, device, processes)
        if quick or as_json or any(one is not None for one in given):
            known_names = ", ".join(known.name for known in papers())
            raise ParameterError(f"PAPER must be one of {known_names}; got none. Name it before the options.")
        for known in papers():
            sys.stdout.write(f"{known.name}: {known.title} ({known.citation})\n")
            sys.stdout.writelines(f"  {one.name:<16} {one.title}\n" for one in known.items)
        return
    chosen = paper_of(paper)
    items = chosen.chosen(item or [])
    if output is None:
        raise ParameterError("--output must be a folder for the results; got none. Give -o DIR.")
    from textveil.cli.progress import counting
    from textveil_lab.frontiers.comparison import first_words
    from textveil_lab.papers.reproduction import REPORT, reproduce
    from textveil_lab.papers.setting import DEFAULT_SEED, QUICK_WORDS, StudySetting
    from textveil_lab.papers.texts import found_texts
    from textveil_lab.papers.vocabularies import chosen_vocabularies

    if not chosen.keeps_cells and any(one is not None for one in (cells, device, processes)):
        raise ParameterError(f"--cells, --device and --processes are for studies of texts; {chosen.name} is of words.")
    if chosen.keeps_cells and sample is not None:
        raise ParameterError(f"--sample is for studies of words; {chosen.name} is of texts. Leave it out.")

    outputs = opt.Outputs(output / REPORT)

    def show(one: Item, outcome: ItemOutcome, seconds: float) -> None:
        if not as_json:
            findings = "".join(f"  {finding}\n" for finding in outcome.findings)
            sys.stdout.write(f"{one.name}  {one.title}  ({seconds:.0f} s)\n{findings}")
            sys.stdout.flush()

    with _data_in(data):
        with counting("reading vectors") as reading:
            vocabularies, origin = chosen_vocabularies(vocabulary or [], chosen.vocabularies, reading)
        if quick:
            vocabularies = tuple(first_words(one, QUICK_WORDS, one.name) for one in vocabularies)
            origin += f" The first {QUICK_WORDS:,} words of each, as the run is a quick one."
        with counting("reproducing", "steps") as steps:
            setting = StudySetting(
                vocabularies=vocabularies,
                origin=origin,
                named=bool(vocabulary),
                sample=sample,
                seed=DEFAULT_SEED if seed is None else seed,
                quick=quick,
                texts=found_texts(chosen.texts),
                cells=(cells or cells_beside(output)) if chosen.keeps_cells else None,
                device=device or "cpu",
                processes=1 if processes is None else processes,
                progress=lambda share: steps(round(1000 * share), 1000),
            )
            run = reproduce(chosen, items, output, setting, show)
    outputs.tell()
    if as_json:
        sys.stdout.write(json_text(run.facts(), sort_keys=True))
        return
    sys.stdout.write(f"{origin} Experiment with seed {setting.seed}, not for release.\n")
    sys.stdout.write("Report: index.html and report.md in the folder of --output.\n")


@contextlib.contextmanager
def _data_in(folder: Path | None) -> Iterator[None]:
    if folder is None:
        yield
        return
    there = (folder / "data/text").is_dir() or (folder / "data/vectors").is_dir()
    need(there, "--data", "no such folder", "a folder that holds data/text or data/vectors", "docs/data.md has both.")
    earlier = os.environ.get(SHARED)
    os.environ[SHARED] = str(folder.absolute())
    try:
        yield
    finally:
        os.environ.pop(SHARED)
        if earlier is not None:
            os.environ[SHARED] = earlier
