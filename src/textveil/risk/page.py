"""The report as one HTML page that needs no network: what attackers did, and what that is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from textveil.pages.rendering import rendered
from textveil.risk.figures import SHOWN_NAMES, bars_svg, curve_svg
from textveil.risk.linkage import LEAST_RECORDS, Linkage, strongest
from textveil.risk.others import Joined, Others
from textveil.risk.report import RiskReport
from textveil.risk.riskiest import write_riskiest
from textveil.risk.unique import Share, Unique
from textveil.whole_files import write_whole

PAGE: Final = "risk.html"

_TITLE: Final = "Who is recognized in this release"
_KNOWN: Final = {"originals": "the originals", "background": "public texts about the same persons"}


def write_page(report: RiskReport, folder: Path) -> list[Path]:
    """Write the page, which holds no text, and that of the riskiest records, which does; both for their owner alone.

    Raises:
        OutputError: it cannot be written.
    """
    page = write_whole(folder / PAGE, to_html(report).encode("utf-8"), private=True)
    return [page, write_riskiest(report.riskiest, folder)]


def to_html(report: RiskReport) -> str:
    """The page."""
    attacks = report.release.linkage
    known = list(dict.fromkeys(attack.against for attack in attacks))
    releases = (*report.compared, report.release)
    figures = [(curve_svg(releases, against), _curve_caption(against)) for against in known] if report.compared else []
    if not figures:
        figures = [(bars_svg(attacks), "Records named at the first try.")]
    return rendered(
        "risk.html",
        title=_TITLE,
        report=report,
        lead=[named(report, against) for against in known],
        figures=figures,
        note=f"There are fewer than {LEAST_RECORDS} records, so no interval is given."
        if report.attacked < LEAST_RECORDS
        else "Lines are 95 % intervals over records.",
        attacks=_attacks(attacks),
        compared=_compared(report) if report.compared else None,
        unique=None if report.unique is None else _unique(report.unique),
        persons=[*_others(report.others), *_joined(report.joined)],
    )


def named(report: RiskReport, against: str) -> str:
    """How many records the strongest attacker names who has these texts, as a sentence."""
    best = strongest([attack for attack in report.release.linkage if attack.against == against])
    count = best.top1 * best.records
    about = "" if count == round(count) else "about "
    interval = ""
    if best.low is not None and best.high is not None:
        interval = f", 95 % interval {best.low:.2f} to {best.high:.2f}"
    return (
        f"An attacker with {_KNOWN.get(against, against)} names {about}{round(count):,} of {best.records:,} records at "
        f"the first try ({best.attacker}{interval})."
    )


def _curve_caption(against: str) -> str:
    return (
        f"Records named at the first try along content words kept, by attackers with {_KNOWN.get(against, against)}. "
        "Lower and further right is better."
    )


def _attacks(attacks: Sequence[Linkage]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    head = ("attacker", "has", "named at the first try", "among its first five", "median rank", "by chance")
    rows: list[tuple[str, ...]] = [
        (
            attack.attacker,
            _KNOWN.get(attack.against, attack.against),
            _with_interval(attack),
            f"{attack.top5:.2f}",
            f"{attack.median_rank:,g} of {attack.candidates:,}",
            f"{1 / attack.candidates:.3f}",
        )
        for attack in attacks
    ]
    return head, rows


def _compared(report: RiskReport) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    releases = sorted((*report.compared, report.release), key=lambda release: -release.kept.content_words)
    attacks = [f"named by {attack.attacker}, {attack.against}" for attack in report.release.linkage]
    rows = [
        (
            SHOWN_NAMES.get(release.name, release.name),
            f"{release.kept.content_words:.2f}",
            f"{release.kept.words:.2f}",
            *map(_with_interval, release.linkage),
        )
        for release in releases
    ]
    return ("release", "content words kept", "words kept", *attacks), rows


def _with_interval(attack: Linkage) -> str:
    if attack.low is None or attack.high is None:
        return f"{attack.top1:.2f}"
    return f"{attack.top1:.2f} ({attack.low:.2f} to {attack.high:.2f})"


def _unique(unique: Unique) -> tuple[list[str], tuple[str, ...], list[tuple[str, str, str, str]]]:
    lines = [
        f"{_count(unique.alone)} are singled out by the values left in them: no other record holds all of these. For "
        f"{_count(unique.small)}, fewer than five records do.",
        f"With dates by year alone and ages by decade, {_count(unique.coarse)} are singled out.",
        "The values are those that the embedded detector finds in the record or its release; what it misses in both "
        "is not counted. A listed name is on a public keep list: a medicine, a product, a company.",
    ]
    head = ("kind", "records in which some are left", "values left", "records that these alone single out")
    rows = [(kind, f"{left.records:,}", f"{left.values:,}", f"{left.alone:,}") for kind, left in unique.kinds.items()]
    return lines, head, rows


def _count(share: Share) -> str:
    count = f"{round(share.share * share.records):,} of {share.records:,} records"
    if share.low is None or share.high is None:
        return count
    return f"{count} (95 % interval {share.low:.2f} to {share.high:.2f})"


def _others(others: Others | None) -> Iterator[str]:
    if others is not None:
        yield (
            f"Names of other persons: {others.left:,} of {others.names:,} stand whole in the releases, in "
            f"{_number(others.records, 'record')}. The person whom a record names most often counts as its subject."
        )


def _joined(joined: Joined | None) -> Iterator[str]:
    if joined is not None:
        pairs, values = _number(joined.pairs, "pair"), _number(joined.values, "drawn value")
        yield f"Equal surrogates: {values} in two releases or more, which join {pairs} of releases."
        if joined.pairs:
            yield (
                f"Of these pairs, {joined.right:,} share a value in their records too; "
                f"{joined.by_chance:.1f} would by chance."
            )


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
