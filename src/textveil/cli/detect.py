"""``textveil detect`` shows what detectors find in texts, or measures it on labelled ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from textveil.cli import options as opt
from textveil.cli.progress import counting
from textveil.cuts import between
from textveil.errors import ParameterError, need
from textveil.json_text import json_text
from textveil.pages.messages import counted, row
from textveil.whole_files import write_whole

if TYPE_CHECKING:
    from textveil.detection.evaluation import Evaluation
    from textveil.detection.spans import DetectedSpan, Detector

    _Found: TypeAlias = tuple[str, Sequence[DetectedSpan]]

_STYLES = {
    "person": "bold bright_red",
    "place": "bold green",
    "organization": "bold bright_blue",
    "when": "bold magenta",
    "number": "bold bright_black",
    "id": "bold cyan",
    "amount": "bold cyan",
}
"""By group of kinds."""
_STYLE = "bold yellow"
_MEASURED = "identifiers"  # the policy that is measured where none is named


@opt.grouped
def detect_command(
    *,
    source: opt.Sources = None,
    detector: list[str] | None = opt.value(
        "NAME",
        "embedded, numbers, presidio, spacy:FOLDER, transformers:FOLDER or gliner:FOLDER; may be repeated.  "
        "[default: embedded and numbers; with --evaluate the policy's]",
        None,
        "--detector",
        "-d",
    ),
    policy: str | None = opt.value(
        "NAME|FILE",
        "What a policy replaces, by its own detectors, lists and scores.  [default: none; with --evaluate identifiers]",
    ),
    as_json: bool = opt.switch("A line for each document: a list of start, end, kind and score."),
    why: bool = opt.switch("Say what each span was found by: title, list, cue, mention, guess and others."),
    page: Path | None = opt.value("FILE", "Write a page with the spans marked (mode 0600)."),
    labelled: Path | None = opt.value("FILE", "Labelled texts: precision, recall and F2, without their text."),
    missed: Path | None = opt.value("FILE", "With --evaluate: write what was missed, for you alone."),
    confidence: float = opt.value("P", "With --evaluate: of every interval.", default=0.95),
    min_score: float | None = opt.value("S", "Leave out spans with a lower score (0.35: guesses).  [default: 0]"),
    reading: opt.ReadingOptions,
) -> None:
    """Show what detectors find in texts, or measure it on labelled ones.

    What is printed holds the texts, or says where names stand in them: it is as private as they are.
    """
    if missed is not None and labelled is None:
        raise ParameterError("--missed needs --evaluate; got none.")
    if labelled is not None:
        if source or page is not None:
            raise ParameterError("--evaluate reads its own file; got INPUT or --html besides.")
        if not detector and min_score is None:
            policy = policy or _MEASURED
        detector = detector if policy or detector else ["embedded"]
        _evaluated(labelled, *_detector(policy, detector, min_score), confidence, missed, as_json)
        return
    spans_of, _ = _detector(policy, detector, min_score)
    blocks = reading.texts(source or ["-"], "detecting")
    documents: Iterable[_Found] = chain.from_iterable(
        zip(texts, spans_of.detect(texts), strict=True) for texts in blocks
    )
    if page is not None:
        from textveil.detection.evaluation import spans_page

        documents = list(documents)
        _write_private(page, spans_page(documents, spans_of.name, reading.layouts(source or ["-"])))
        count = counted(sum(len(spans) for _, spans in documents), "span")
        sys.stderr.writelines(
            line + "\n" for line in row("detect", f"{count} -> {page}, for you alone: open it in a browser")
        )
    if as_json:
        for _, spans in documents:
            sys.stdout.write(json.dumps([_row(span, why=why) for span in spans]) + "\n")
    elif page is None:
        _show(documents, why=why)


def _detector(
    policy: str | None, names: list[str] | None, min_score: float | None
) -> tuple[Detector, dict[str, str] | None]:
    if policy is None:
        from textveil.detection.detectors import DEFAULT, combined

        return combined(names or list(DEFAULT), min_score or 0.0), None
    if names or min_score is not None:
        raise ParameterError("--policy says what finds spans, and with what score; got --detector or --min-score too.")
    from textveil.sanitize.policy.choice import policy as policy_named
    from textveil.sanitize.policy.making import PolicyDetector, measured_of

    chosen = policy_named(policy)
    return PolicyDetector(chosen), measured_of(chosen)


def _row(span: DetectedSpan, *, why: bool) -> dict[str, object]:
    row: dict[str, object] = {"start": span.start, "end": span.end, "kind": span.kind, "score": span.score}
    return {**row, "why": span.why} if why else row


def _write_private(path: Path, content: str) -> None:
    outputs = opt.Outputs(path)
    write_whole(path, content.encode("utf-8"), private=True)
    outputs.tell()


def _show(documents: Iterable[_Found], *, why: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    from textveil.detection.kinds import GROUPS

    console = Console(highlight=False, markup=False, emoji=False)
    for text, spans in documents:
        *stretches, last = between(text, spans)
        shown = Text()
        for stretch, span in zip(stretches, spans, strict=True):
            style = _STYLES.get(GROUPS.get(span.kind, "own"), _STYLE)
            shown.append(stretch)
            shown.append(f"[{text[span.start : span.end]}]", style=style)
            reason = f"({span.why} {span.score:g})" if why and span.why else ""
            shown.append(span.kind + reason, style=style.replace("bold", "italic"))
        shown.append(last.rstrip("\n"))
        console.print(shown, soft_wrap=True)


def _evaluated(
    path: Path, detector: Detector, policy: dict[str, str] | None, confidence: float, missed: Path | None, as_json: bool
) -> None:
    from textveil.detection.evaluation import evaluate, read_labelled

    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    with counting("detecting", "documents") as progress:
        labels = read_labelled(path, detector.kinds)
        evaluation = evaluate(
            detector, labels, corpus=path.name, policy=policy, confidence=confidence, progress=progress
        )
    if missed is not None:
        lines = [json.dumps(span._asdict(), ensure_ascii=False) + "\n" for span in evaluation.missed]
        _write_private(missed, "".join(lines))
    if as_json:
        sys.stdout.write(json_text(evaluation.to_data()))
    else:
        sys.stdout.write(_table(evaluation))


def _table(evaluation: Evaluation) -> str:
    lines = [
        f"{evaluation.detector} on {evaluation.corpus}: {evaluation.documents:,} documents; "
        f"intervals at {evaluation.all.confidence:.0%}",
        f"{'kind':14s} {'labelled':>8s} {'found':>8s}  {'precision':18s}  {'recall':18s}  {'F2':18s}  whole  open",
    ]
    for kind, score in [*evaluation.kinds.items(), ("all, any kind", evaluation.all)]:
        cells = "  ".join(f"{_bound(bound):18s}" for bound in (score.precision, score.recall, score.f2))
        whole = f"{score.covered / score.labelled:.3f}" if score.labelled else "-"
        left = f"{score.open / score.characters:.3f}" if score.characters else "-"
        lines.append(f"{kind:14s} {score.labelled:8,d} {score.found:8,d}  {cells}  {whole:>5s}  {left}")
    if evaluation.policy is None:
        lines.append("of detectors, not of a policy: no report of a release quotes it (--policy P measures one)")
    lines.append("whole: labelled spans of which no character stays; open: labelled characters that stay")
    return "\n".join(lines) + "\n"


def _bound(bound: Any) -> str:
    return "-" if bound is None else f"{bound.estimate:.3f} {bound.lower:.3f}-{bound.upper:.3f}"
