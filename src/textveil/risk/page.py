"""The report as one HTML page that needs no network: what attackers did, and what that is not."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup

from textveil.pages.results import bullets, drawing, heading, results_page, table, text
from textveil.risk.figures import SHOWN_NAMES, bars_svg, curve_svg
from textveil.risk.linkage import LEAST_RECORDS, Linkage, strongest
from textveil.risk.others import Joined, Others
from textveil.risk.report import RiskReport
from textveil.risk.riskiest import write_riskiest
from textveil.risk.unique import Share, Unique
from textveil.whole_files import write_whole

PAGE: Final = "risk.html"

_TITLE: Final = "Who is recognized in this release"
_NO_GUARANTEE: Final = (
    "Another attacker may know more, or look at other things; no number on this page bounds what they find. A setting "
    "chosen by these numbers on private text tells of that text: choose it on a public sample."
)
_KNOWN: Final = {"originals": "the originals", "background": "public texts about the same persons"}


def write_page(report: RiskReport, folder: Path) -> list[Path]:
    """Write the page, which holds no text, and that of the riskiest records, which does; both for their owner alone.

    Raises:
        OutputError: it cannot be written.
    """
    page = write_whole(folder / PAGE, to_html(report).encode("utf-8"), private=True)
    return [page, write_riskiest(report.riskiest, folder)]


def to_html(report: RiskReport) -> str:
    """Return the page."""
    return results_page(_TITLE, _parts(report))


def _parts(report: RiskReport) -> Iterator[Markup]:
    attacks = report.release.linkage
    known = list(dict.fromkeys(attack.against for attack in attacks))
    releases = (*report.compared, report.release)
    figures = [(curve_svg(releases, against), _curve_caption(against)) for against in known] if report.compared else []
    yield from (text("", lead=named(report, against)) for against in known)
    yield text(_NO_GUARANTEE, lead="An attack that failed is no guarantee.")
    yield bullets(report.warnings)
    panels = [drawing(*each) for each in figures or [(bars_svg(attacks), "Records named at the first try.")]]
    yield Markup("<div class='panels'>{}</div>").format(Markup().join(panels))
    yield text(
        f"There are fewer than {LEAST_RECORDS} records, so no interval is given."
        if report.attacked < LEAST_RECORDS
        else "Lines are 95 % intervals over records."
    )
    yield heading("Attacks on the release")
    chosen = f", of which {report.attacked:,} chosen at random were attacked"
    words, content_words = report.release.kept
    yield text(
        f"{report.records:,} records{chosen if report.attacked < report.records else ''}. The release keeps "
        f'{words:.2f} of the words, {content_words:.2f} of the content words (all but words such as "the" and "of").'
    )
    yield table(*_attacks(attacks), stacked=True)
    if report.compared:
        yield heading("Releases of the same records compared")
        yield table(*_compared(report), stacked=True)
    if report.unique is not None:
        yield heading("What is left that singles records out")
        yield from _unique(report.unique)
    if report.others is not None or report.joined is not None:
        yield heading("Other persons, and documents that are joined")
        yield bullets([*_others(report.others), *_joined(report.joined)])
    yield text(
        "The riskiest records, with what gave them away, are in riskiest.html beside this page: for the sender alone."
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


def _unique(unique: Unique) -> Iterator[Markup]:
    yield text(
        f"{_count(unique.alone)} are singled out by the values left in them: no other record holds all of these. For "
        f"{_count(unique.small)}, fewer than five records do."
    )
    yield text(f"With dates by year alone and ages by decade, {_count(unique.coarse)} are singled out.")
    yield text(
        "The values are those that the embedded detector finds in the record or its release; what it misses in both "
        "is not counted. A listed name is on a public keep list: a medicine, a product, a company."
    )
    head = ("kind", "records in which some are left", "values left", "records that these alone single out")
    rows = [(kind, f"{left.records:,}", f"{left.values:,}", f"{left.alone:,}") for kind, left in unique.kinds.items()]
    if rows:
        yield table(head, rows, stacked=True)


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
