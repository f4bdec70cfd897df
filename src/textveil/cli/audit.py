"""``textveil audit``: a verdict on a claim, of the catalog's mechanisms or of anybody's code."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.cli.decode import ModelPath, read_model
from textveil.cli.mechanism_options import given, make
from textveil.cli.spelling import mechanisms_spelling, renamed
from textveil.errors import InputError, OutputError, ParameterError
from textveil.mechanisms.options import GUARANTEE

if TYPE_CHECKING:
    from textveil.audit.report.report import AuditReport

_FOREIGN = "Code of others"
"""A heading of help."""

REFUTED = 4
"""Exit code where an audit refutes the claim, or draws contradict what the mechanism states of them."""

NO_VERDICT = 1
"""Exit code where an audit can say nothing: a script must not take that for a pass."""


def audit_command(
    context: typer.Context,
    mechanism: opt.MechanismOrNone = None,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:CALLABLE",
            help="Foreign code instead: a function from a list of words to a list of words.",
            rich_help_panel=_FOREIGN,
        ),
    ] = None,
    claim_epsilon: Annotated[
        float | None,
        typer.Option(
            metavar="E",
            help="Test this epsilon instead of the one that the mechanism promises.",
            rich_help_panel=GUARANTEE,
        ),
    ] = None,
    claim_delta: Annotated[
        float | None,
        typer.Option(
            metavar="D", help="Test this delta, with --claim-epsilon.  [default: 0]", rich_help_panel=GUARANTEE
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Draws for each word of a pair. For the catalog's mechanisms: add a sampled audit."
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(metavar="P", help="Of all sampled bounds together.")] = 0.999,
    words: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...", help="For --python: public words to try, two or more.", rich_help_panel=_FOREIGN
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="For --python: words a call, where they are drawn independently.  [default: 1]",
            rich_help_panel=_FOREIGN,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="For --python: seconds one call may take.  [default: 60]", rich_help_panel=_FOREIGN
        ),
    ] = None,
    no_hygiene: Annotated[
        bool, typer.Option("--no-hygiene", help="For --python: leave out the hygiene checks.", rich_help_panel=_FOREIGN)
    ] = False,
    no_attacks: Annotated[bool, typer.Option("--no-attacks", help="Leave out the attacks.")] = False,
    reference: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Public text, a document a line: release it, decode it, and count the words that come back.",
        ),
    ] = None,
    model: ModelPath = None,
    as_json: opt.AsJson = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="R.html", help="Write a page that stands alone.")
    ] = None,
    vocabulary: opt.VocabularyPath = None,
    vocabulary_format: opt.VocabularyFormat = None,
    vocabulary_limit: opt.VocabularyLimit = None,
    seed: opt.Seed = None,
) -> int:
    """Prove, certify or refute what a mechanism claims; exit code 4 where it is refuted or contradicted."""
    if (mechanism is None) == (python is None):
        raise ParameterError("exactly one of --mechanism and --python must be given. Name what to audit.")
    if html is not None and not html.parent.is_dir():
        raise OutputError("the folder of --html must exist; got none. Make it first.")
    from textveil.audit.report.verdict import Claim
    from textveil.audit.run import SAMPLES, WORDS, audit_callable, audit_mechanism
    from textveil.cli.progress import counting
    from textveil.mechanisms.base import Channel

    claim = None
    if claim_epsilon is not None:
        with renamed(epsilon="claim_epsilon", delta="claim_delta"):
            claim = Claim(epsilon=claim_epsilon, log_delta=_log(claim_delta))
    elif claim_delta is not None:
        raise ParameterError("--claim-delta needs --claim-epsilon; got none.")
    if python is not None:
        of_mechanisms = given(context)
        epsilon, delta = of_mechanisms.pop("epsilon", None), of_mechanisms.pop("delta", None)
        others = (seed, vocabulary, vocabulary_format, vocabulary_limit)
        if (
            of_mechanisms
            or no_attacks
            or reference is not None
            or model is not None
            or any(one is not None for one in others)
        ):
            raise ParameterError(
                "--python takes no seed and no option of mechanisms, vocabularies or attacks; got one."
            )
        if claim is not None and (epsilon is not None or delta is not None):
            raise ParameterError("--epsilon and --claim-epsilon are one claim for --python; got both. Give one.")
        if epsilon is None and claim is None:
            raise ParameterError("--python needs its claim: --epsilon, and --delta where it is not 0. Got none.")
        report = audit_callable(
            python,
            claim if claim is not None else Claim(epsilon=float(epsilon or 0), log_delta=_log(delta)),
            words=WORDS if words is None else [word for word in words.split(",") if word],
            samples=SAMPLES if samples is None else samples,
            confidence=confidence,
            time_limit=60.0 if time_limit is None else time_limit,
            batch=1 if batch is None else batch,
            hygiene=not no_hygiene,
        )
    else:
        if no_hygiene or any(one is not None for one in (words, batch, time_limit)):
            raise ParameterError("--words, --batch, --time-limit and --no-hygiene are for --python; got --mechanism.")
        words_of = opt.load(vocabulary, vocabulary_format, vocabulary_limit)
        with mechanisms_spelling(context.command):
            made = make(context, mechanism or "", words_of)
        if isinstance(made, Channel) and len(made.vocabulary) > 5000:
            sys.stderr.write(
                f"textveil: computing the whole table over {len(made.vocabulary)} words, more than once; "
                "this may take minutes. A smaller vocabulary is faster.\n"
            )
        if model is not None and reference is None:
            raise ParameterError("--model reads what --reference releases; got no --reference.")
        texts = None if reference is None else _lines(reference)
        chosen = None if model is None else read_model(model, words_of)
        with counting("auditing", "steps") as progress:
            report = audit_mechanism(
                made,
                claim=claim,
                samples=samples or 0,
                confidence=confidence,
                seed=seed,
                attacks=not no_attacks,
                reference=texts,
                model=chosen,
                progress=progress,
            )
    return _written(report, as_json, html)


def _lines(path: Path) -> list[str]:
    """The lines of a text file that are not empty."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(
            f"--reference must be a text file in UTF-8 that can be read; got one that cannot ({reason})."
        ) from None
    return [line for line in text.splitlines() if line.strip()]


def _log(delta: float | None) -> float:
    """A delta as its logarithm; 0 claims pure DP."""
    if delta is None or delta == 0:
        return -math.inf
    if not 0 < delta < 1:
        raise ParameterError(f"delta must be in [0, 1); got {delta}.")
    return math.log(delta)


def _written(report: AuditReport, as_json: bool, html: Path | None) -> int:
    """Print the report, write the page, and answer with the exit code."""
    from textveil.audit.report.verdict import Verdict

    if html is not None:
        from textveil.audit.report.page import to_html
        from textveil.whole_files import atomic_writers

        page = to_html(report).encode("utf-8", "backslashreplace")
        with atomic_writers([html]) as sinks:
            sinks[0].write(page)
    sys.stdout.write(report.to_json() if as_json else report.summary() + "\n")
    return REFUTED if report.verdict.fails else NO_VERDICT if report.verdict is Verdict.NO_VERDICT else 0
