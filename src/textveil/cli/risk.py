"""``textveil risk``: what an attacker can do with a release whose originals are at hand."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import renamed
from textveil.errors import need
from textveil.json_text import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textveil.risk.report import Release, RiskReport

NUMBERS = "risk.json"
DOCUMENTS = 1000  # records that are attacked at most, where nothing else is asked: it bounds the time


@dataclass(frozen=True, kw_only=True)
class _AttackOptions:
    background: str | None = opt.value(
        "FILE", "Public texts: the n-th is about the person of the n-th record; those behind them are about others."
    )
    policies: str = opt.value(
        "A,B,...",
        "Release the originals by these policies too and compare: names, NAME:8 for an epsilon, NAME:low for a "
        "level, or TOML files.",
        default="",
    )
    encoder: Path | None = opt.value("DIR", "Folder of a sentence encoder, to compare meanings too; takes longest.")
    documents: int = opt.value("N", "Attack so many records, chosen at random.", default=DOCUMENTS)


@opt.grouped
def risk_command(
    *,
    source: Annotated[str, typer.Argument(metavar="RELEASE", help="A file of text, or of records with --field.")],
    original: str = opt.value("FILE", "The originals: a record for each of RELEASE, in its order.", default=...),
    output: Path | None = opt.value("DIR", "Folder for the page and the numbers, for you alone."),
    attacks: _AttackOptions,
    formats: opt.SampleOptions,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Attack a release: who is recognized in it by comparison with the originals and with public texts."""
    from textveil.cli.progress import counting
    from textveil.pages.tables import results_folder
    from textveil.randomness import seeded_generator
    from textveil.risk.attack import risk
    from textveil.risk.page import write_page
    from textveil.whole_files import write_whole

    need(attacks.documents >= 1, "documents", attacks.documents, ">= 1")
    folder = None if output is None else results_folder(output, NUMBERS, mode=0o700)
    released, originals = (_texts(path, formats) for path in (source, original))
    background = None if attacks.background is None else _texts(attacks.background, formats, loosely=True)
    policies = opt.parts_of(attacks.policies)
    with counting("attacking", "records") as progress, renamed(policy="policies"):
        report = risk(
            released,
            originals,
            background,
            policies,
            attacks.encoder,
            documents=attacks.documents,
            vocabulary=vocabulary.load() if policies else None,
            rng=None if seed is None else seeded_generator(seed),
            progress=progress,
        )
    if folder is not None:
        write_whole(folder / NUMBERS, json_text(report.to_data(), indent=1).encode("ascii"), private=True)
        write_page(report, folder)
    sys.stdout.write(json_text(report.to_data()) if as_json else _text(report))


def _texts(source: str, formats: opt.SampleOptions, *, loosely: bool = False) -> list[str]:
    """Read the text of every record, empty if it has none; ``loosely``: plain text if the others are records."""
    from textveil.cli.progress import counting
    from textveil.corpora.files.inputs import released_blocks
    from textveil.corpora.formats.choice import FormatChoice

    choice = formats.choice()
    if loosely and FormatChoice().name([source]) == "txt":
        choice = FormatChoice(corpus_format="txt")
    inputs = opt.inputs_of([source], choice)
    with counting("reading", "bytes") as reading:
        blocks = released_blocks(choice.reader(inputs), inputs, reading)
        return [parts[0] if parts else "" for block in blocks for parts in block.records.texts]


def _text(report: RiskReport) -> str:
    from textveil.risk.report import ABOUT

    attacked = "" if report.attacked == report.records else f"; {report.attacked:,} of them attacked"
    lines = [f"{report.records:,} records{attacked}", "", *_table(report.release), ""]
    words, content_words = report.release.kept
    lines.append(f"Kept: {words:.2f} of the words, {content_words:.2f} of the content words.")
    if report.unique is not None:
        alone = report.unique.alone
        lines.append(f"Singled out by the values left: {alone.share:.2f} of the records.")
    if report.others is not None and report.joined is not None:
        others, joined = report.others, report.joined
        lines.append(
            f"Names of other persons left: {others.left:,} of {others.names:,}, in {others.records:,} records."
        )
        lines.append(
            f"Pairs of records that equal surrogates join: {joined.pairs:,}, {joined.right:,} of them rightly."
        )
    lines.append("")
    if report.compared:
        lines += [*_curve((*report.compared[:1], report.release, *report.compared[1:])), ""]
    return "\n".join([*lines, *report.warnings, ABOUT]) + "\n"


def _table(release: Release) -> Iterator[str]:
    head = f"{'named first':>24s} {'among five':>10s} {'median rank':>11s} {'chance':>7s}"
    yield f"{'attacker':10s} {'against':12s} {head}"
    for attack in release.linkage:
        named = f"{attack.top1:.2f}"
        if attack.low is not None and attack.high is not None:
            named += f" ({attack.low:.2f} to {attack.high:.2f})"
        numbers = f"{named:>24s} {attack.top5:10.2f} {attack.median_rank:11,.1f} {1 / attack.candidates:7.3f}"
        yield f"{attack.attacker:10s} {attack.against:12s} {numbers}"


def _curve(releases: tuple[Release, ...]) -> Iterator[str]:
    attacks = [f"{attack.attacker}, {attack.against}" for attack in releases[0].linkage]
    yield "Named at the first try, by what is kept:"
    yield " ".join([f"{'release':24s} {'words':>6s} {'content':>8s}", *(f" {attack:>20s}" for attack in attacks)])
    for release in releases:
        shares = " ".join(f" {attack.top1:20.2f}" for attack in release.linkage)
        yield f"{release.name[-24:]:24s} {release.kept.words:6.2f} {release.kept.content_words:8.2f} {shares}"
