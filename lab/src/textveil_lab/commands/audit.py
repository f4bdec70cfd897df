"""``textveil audit``: a verdict on a claim, of the catalog's mechanisms or of any code."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import MechanismCommand, complaint, given, make, renamed
from textveil.errors import InputError, OutputError, ParameterError
from textveil.registry.options import GUARANTEE
from textveil_lab.commands.arguments import MechanismOrNone, ModelPath
from textveil_lab.commands.decode import read_model

if TYPE_CHECKING:
    from textveil_lab.audit.report.report import AuditReport, Claim

_FOREIGN = "Code of others"  # A heading of help
_AGGREGATES = "Releases about a corpus"  # A heading of help
REFUTED = 4  # Exit code if an audit refutes the claim, or draws contradict what the mechanism states of them
NO_VERDICT = 1  # Exit code if an audit can say nothing: a script must not take that for a pass


@dataclass(frozen=True, kw_only=True)
class _ForeignOptions:
    python: Annotated[
        str | None,
        opt.option(
            "MODULE:CALLABLE", "Foreign code instead: a function from a list of words to a list of words.", _FOREIGN
        ),
    ] = None
    words: Annotated[str | None, opt.option("A,B,...", "For --python: public words to try, two or more.", _FOREIGN)] = (
        None
    )
    batch: Annotated[
        int | None,
        opt.option("N", "For --python: words a call, where they are drawn independently.  [default: 1]", _FOREIGN),
    ] = None
    time_limit: Annotated[
        float | None, opt.option("S", "For --python: seconds one call may take.  [default: 60]", _FOREIGN)
    ] = None
    no_hygiene: Annotated[bool, opt.flag("--no-hygiene", "For --python: leave out the hygiene checks.", _FOREIGN)] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class _ClaimOptions:
    claim_epsilon: Annotated[
        float | None, opt.option("E", "Test this epsilon instead of the one that the mechanism promises.", GUARANTEE)
    ] = None
    claim_delta: Annotated[
        float | None, opt.option("D", "Test this delta, with --claim-epsilon.  [default: 0]", GUARANTEE)
    ] = None

    def claim(self) -> Claim | None:
        """Return the claim; None is the mechanism's own."""
        from textveil_lab.audit.report.report import Claim

        if self.claim_epsilon is not None:
            with renamed(epsilon="claim_epsilon", delta="claim_delta"):
                return Claim(epsilon=self.claim_epsilon, log_delta=_log(self.claim_delta))
        if self.claim_delta is not None:
            raise ParameterError("--claim-delta needs --claim-epsilon; got none.")
        return None


@dataclass(frozen=True, kw_only=True)
class _SamplingOptions:
    samples: Annotated[
        int | None, opt.option("N", "Draws for each word of a pair. For the catalog's mechanisms: add a sampled audit.")
    ] = None
    confidence: Annotated[float, opt.option("P", "Of all sampled bounds together.")] = 0.999


@dataclass(frozen=True, kw_only=True)
class _AttackOptions:
    no_attacks: Annotated[bool, opt.flag("--no-attacks", "Leave out the attacks.")] = False
    reference: Annotated[
        Path | None,
        opt.option(
            "FILE", "Public text, a document a line: release it, decode it, and count the words that come back."
        ),
    ] = None
    model: ModelPath = None


@dataclass(frozen=True, kw_only=True)
class _AggregateOptions:
    aggregate: Annotated[
        str | None,
        opt.option(
            "NAME",
            "count, learn or synthesize instead, on a small public corpus: is a canary in it? Or a tempting shortcut: "
            "unselected-words, private-bound, private-choice, clear-labels.",
            _AGGREGATES,
        ),
    ] = None
    copies: Annotated[
        int | None,
        opt.option("N", "For --aggregate: records of the canary, all of one person.  [default: 1]", _AGGREGATES),
    ] = None


@opt.grouped
def audit_command(
    context: typer.Context,
    *,
    mechanism: MechanismOrNone = None,
    foreign: _ForeignOptions,
    canaries: _AggregateOptions,
    claimed: _ClaimOptions,
    sampling: _SamplingOptions,
    attacks: _AttackOptions,
    as_json: opt.AsJson = False,
    html: Annotated[Path | None, opt.option("R.html", "Write a page that stands alone.", None, "--html")] = None,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> int:
    """Prove, certify or refute a mechanism's claim; exit code 4 if it is refuted or contradicted."""
    if [mechanism, foreign.python, canaries.aggregate].count(None) != 2:
        raise ParameterError("exactly one of --mechanism, --python and --aggregate must be given. Name what to audit.")
    if canaries.copies is not None and canaries.aggregate is None:
        raise ParameterError("--copies is for --aggregate; got none.")
    if html is not None and not html.parent.is_dir():
        raise OutputError("the folder of --html must exist; got none. Make it first.")
    claim = claimed.claim()
    if canaries.aggregate is not None:
        if foreign != _ForeignOptions() or attacks != _AttackOptions() or vocabulary.given:
            raise ParameterError("--aggregate takes no option of foreign code, vocabularies or attacks; got one.")
        copies = 1 if canaries.copies is None else canaries.copies
        report = _audited_aggregate(context, canaries.aggregate, copies, claim, sampling, seed)
    elif foreign.python is not None:
        if attacks != _AttackOptions() or vocabulary.given or seed is not None:
            raise _foreign_refusal()
        report = _audited_code(context, foreign.python, foreign, claim, sampling)
    else:
        if foreign != _ForeignOptions():
            raise ParameterError("--words, --batch, --time-limit and --no-hygiene are for --python; got --mechanism.")
        report = _audited_mechanism(context, mechanism or "", claim, sampling, attacks, vocabulary, seed)
    return _written(report, as_json, html)


def _audited_aggregate(
    context: typer.Context, name: str, copies: int, claim: Claim | None, sampling: _SamplingOptions, seed: int | None
) -> AuditReport:
    from textveil.cli.progress import counting
    from textveil_lab.audit.canaries import SAMPLES, audit_aggregate

    asked = given(context)
    epsilon, delta = asked.pop("epsilon", None), asked.pop("delta", None)
    if asked or epsilon is None or delta is None:
        raise ParameterError("--aggregate needs --epsilon and --delta, and takes no other option of mechanisms.")
    with counting("auditing", "releases") as progress:
        return audit_aggregate(
            name,
            epsilon=float(epsilon),
            delta=float(delta),
            copies=copies,
            claim=claim,
            samples=SAMPLES if sampling.samples is None else sampling.samples,
            confidence=sampling.confidence,
            seed=seed,
            progress=progress,
        )


def _foreign_refusal() -> ParameterError:
    return ParameterError("--python takes no seed and no option of mechanisms, vocabularies or attacks; got one.")


def _audited_code(
    context: typer.Context, python: str, foreign: _ForeignOptions, claim: Claim | None, sampling: _SamplingOptions
) -> AuditReport:
    from textveil_lab.audit.report.report import Claim
    from textveil_lab.audit.whole_audit import SAMPLES, WORDS, audit_callable

    of_mechanisms = given(context)
    epsilon, delta = of_mechanisms.pop("epsilon", None), of_mechanisms.pop("delta", None)
    if of_mechanisms:
        raise _foreign_refusal()
    if claim is not None and (epsilon is not None or delta is not None):
        raise ParameterError("--epsilon and --claim-epsilon are one claim for --python; got both. Give one.")
    if epsilon is None and claim is None:
        raise ParameterError("--python needs its claim: --epsilon, and --delta where it is not 0. Got none.")
    return audit_callable(
        python,
        claim if claim is not None else Claim(epsilon=float(epsilon or 0), log_delta=_log(delta)),
        words=WORDS if foreign.words is None else [word for word in foreign.words.split(",") if word],
        samples=SAMPLES if sampling.samples is None else sampling.samples,
        confidence=sampling.confidence,
        time_limit=60.0 if foreign.time_limit is None else foreign.time_limit,
        batch=1 if foreign.batch is None else foreign.batch,
        hygiene=not foreign.no_hygiene,
    )


def _audited_mechanism(
    context: typer.Context,
    name: str,
    claim: Claim | None,
    sampling: _SamplingOptions,
    attacks: _AttackOptions,
    vocabulary: opt.VocabularyOptions,
    seed: int | None,
) -> AuditReport:
    from textveil.cli.progress import counting, tell
    from textveil.mechanisms.kinds import Channel
    from textveil_lab.audit.whole_audit import audit_mechanism
    from textveil_lab.mechanisms.product_columns import over_base

    words = vocabulary.load()
    with mechanisms_spelling(context.command):
        mechanism = make(context, name, words)
    if isinstance(mechanism, Channel) and over_base(mechanism) is None and len(mechanism.vocabulary) > 5000:
        tell(
            f"computing the whole table over {len(mechanism.vocabulary)} words, more than once; "
            "this may take minutes. A smaller vocabulary is faster."
        )
    if attacks.model is not None and attacks.reference is None:
        raise ParameterError("--model reads what --reference releases; got no --reference.")
    texts = None if attacks.reference is None else _lines(attacks.reference)
    model = None if attacks.model is None else read_model(attacks.model, words)
    with counting("auditing", "steps") as progress:
        return audit_mechanism(
            mechanism,
            claim=claim,
            samples=sampling.samples or 0,
            confidence=sampling.confidence,
            seed=seed,
            attacks=not attacks.no_attacks,
            reference=texts,
            model=model,
            progress=progress,
        )


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(
            f"--reference must be a text file in UTF-8 that can be read; got one that cannot ({reason})."
        ) from None
    return [line for line in text.splitlines() if line.strip()]


def _log(delta: float | None) -> float:
    """Return ln of a delta; 0 claims pure DP."""
    if delta is None or delta == 0:
        return -math.inf
    if not 0 < delta < 1:
        raise ParameterError(f"delta must be in [0, 1); got {delta}.")
    return math.log(delta)


def _written(report: AuditReport, as_json: bool, html: Path | None) -> int:
    from textveil_lab.audit.report.report import Verdict

    if html is not None:
        from textveil.whole_files import atomic_writers
        from textveil_lab.audit.report.page import to_html

        page = to_html(report).encode("utf-8", "backslashreplace")
        outputs = opt.Outputs(html)
        with atomic_writers([html]) as sinks:
            sinks[0].write(page)
        outputs.tell()
    sys.stdout.write(report.to_json() if as_json else report.summary() + "\n")
    return REFUTED if report.verdict.fails else NO_VERDICT if report.verdict is Verdict.NO_VERDICT else 0


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("audit", cls=MechanismCommand)(audit_command)


@contextlib.contextmanager
def mechanisms_spelling(command: Any) -> Iterator[None]:
    """Name a parameter, in errors of the block, as a mechanism's option, also if the command has one of that name."""
    try:
        yield
    except ParameterError as error:
        if isinstance(command, MechanismCommand):
            error.args, error.parameter = (complaint(error, command.spellings()),), ""
        raise
