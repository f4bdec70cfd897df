"""``textveil detect``: the spans of names, dates, numbers and addresses in texts, and how many of them are found."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.cli import options as opt
from textveil.errors import ParameterError
from textveil.json_text import json_text

if TYPE_CHECKING:
    from rich.console import Console

    from textveil.detection.base import DetectedSpan, Detector
    from textveil.detection.evaluation import Evaluation

_STYLES = {
    "person": "bold bright_red",
    "place": "bold green",
    "organization": "bold bright_blue",
    "date": "bold magenta",
    "time": "bold magenta",
    "age": "bold magenta",
    "number": "bold bright_black",
    "id": "bold cyan",
    "money": "bold cyan",
}
_STYLE = "bold yellow"


def detect_command(
    source: opt.Sources = None,
    detector: Annotated[
        list[str] | None,
        typer.Option(
            "--detector",
            "-d",
            metavar="NAME",
            help="embedded, numbers, presidio, spacy:FOLDER, transformers:FOLDER or gliner:FOLDER; may be repeated.  "
            "[default: embedded and numbers; with --evaluate embedded]",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="A line for each document: a list of start, end, kind and score.")
    ] = False,
    page: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with the spans marked (mode 0600).")
    ] = None,
    labelled: Annotated[
        Path | None,
        typer.Option(
            "--evaluate", metavar="FILE", help="Labelled texts: precision, recall and F2, without their text."
        ),
    ] = None,
    missed: Annotated[
        Path | None,
        typer.Option("--missed", metavar="FILE", help="With --evaluate: write what was missed, for you alone."),
    ] = None,
    confidence: Annotated[float, typer.Option(metavar="P", help="With --evaluate: of every interval.")] = 0.95,
    corpus_format: opt.FormatName = None,
    field: Annotated[list[str] | None, opt.fields("field to read; may be repeated.  [default: text]")] = None,
    delimiter: opt.Delimiter = None,
    whole_file: opt.WholeFile = False,
) -> None:
    """Show what detectors find in texts, or measure it on labelled ones.

    What is printed holds the texts, or says where names stand in them: it is as private as they are.
    """
    from textveil.detection.detectors import DEFAULT, combined

    if missed is not None and labelled is None:
        raise ParameterError("--missed needs --evaluate; got none.")
    if labelled is not None:
        if source or page is not None:
            raise ParameterError("--evaluate reads its own file; got INPUT or --html besides.")
        _evaluated(labelled, combined(detector or ["embedded"]), confidence, missed, as_json)
        return
    found = combined(detector or list(DEFAULT))
    texts = _texts(source or ["-"], corpus_format, tuple(field or ()), delimiter, whole_file)
    documents = _detected(found, texts)
    if page is not None:
        from textveil.detection.page import spans_page

        documents = list(documents)
        _write_private(page, spans_page(documents, found.name))
    if as_json:
        for _, spans in documents:
            rows = [{"start": one.start, "end": one.end, "kind": one.kind, "score": one.score} for one in spans]
            sys.stdout.write(json.dumps(rows) + "\n")
    elif page is None:
        _show(documents)


def _texts(
    patterns: list[str], corpus_format: str | None, fields: tuple[str, ...], delimiter: str | None, whole: bool
) -> Iterator[list[str]]:
    """The texts of the inputs, block by block."""
    from textveil.cli.progress import counting
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.texts import released_blocks

    choice = FormatChoice(corpus_format=corpus_format, whole=whole, sanitized=fields, delimiter=delimiter)
    inputs = opt.inputs_of(patterns, choice)
    with counting("detecting", "bytes") as progress:
        for block in released_blocks(choice.reader(inputs), inputs, progress):
            yield block.texts


def _detected(detector: Detector, blocks: Iterable[list[str]]) -> Iterable[tuple[str, Sequence[DetectedSpan]]]:
    for texts in blocks:
        yield from zip(texts, detector.detect(texts), strict=True)


def _write_private(path: Path, content: str) -> None:
    """Write a file that its owner alone can open."""
    from textveil.whole_files import write_whole

    write_whole(path, content.encode("utf-8"), private=True)


def _show(documents: Iterable[tuple[str, Sequence[DetectedSpan]]]) -> None:
    """The texts with their spans in color, and the name of each kind after it."""
    from rich.text import Text

    console = _console()
    for text, spans in documents:
        shown, position = Text(), 0
        for span in spans:
            style = _STYLES.get(span.kind, _STYLE)
            shown.append(text[position : span.start])
            shown.append(f"[{text[span.start : span.end]}]", style=style)
            shown.append(span.kind, style=style.replace("bold", "italic"))
            position = span.end
        shown.append(text[position:].rstrip("\n"))
        console.print(shown, soft_wrap=True)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def _evaluated(path: Path, detector: Detector, confidence: float, missed: Path | None, as_json: bool) -> None:
    from textveil.detection.evaluation import evaluate
    from textveil.detection.labelled import read_labelled
    from textveil.errors import need

    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    found = evaluate(detector, read_labelled(path), corpus=path.name, confidence=confidence)
    if missed is not None:
        lines = [json.dumps(one._asdict(), ensure_ascii=False) + "\n" for one in found.missed]
        _write_private(missed, "".join(lines))
    if as_json:
        sys.stdout.write(json_text(found.to_data()))
    else:
        sys.stdout.write(_table(found))


def _table(found: Evaluation) -> str:
    """The scores for a reader."""
    lines = [
        f"{found.detector} on {found.corpus}: {found.documents:,} documents; intervals at {found.all.confidence:.0%}",
        f"{'kind':14s} {'labelled':>8s} {'found':>8s}  {'precision':18s}  {'recall':18s}  {'F2':18s}  whole  open",
    ]
    for kind, score in [*found.kinds.items(), ("all, any kind", found.all)]:
        cells = "  ".join(f"{_bound(one):18s}" for one in (score.precision, score.recall, score.f2))
        whole = f"{score.covered / score.labelled:.3f}" if score.labelled else "-"
        left = f"{score.open / score.characters:.3f}" if score.characters else "-"
        lines.append(f"{kind:14s} {score.labelled:8,d} {score.found:8,d}  {cells}  {whole:>5s}  {left}")
    lines.append("whole: labelled spans of which no character stays; open: labelled characters that stay")
    return "\n".join(lines) + "\n"


def _bound(bound: Any) -> str:
    return "-" if bound is None else f"{bound.estimate:.3f} {bound.lower:.3f}-{bound.upper:.3f}"
