"""The report as one HTML page that needs no network, with linkage drawn as inline SVG for a column of 400 units."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Final

from markupsafe import Markup

from textveil.pages.rendering import bullets, drawing, heading, rendered, results_page, table, text
from textveil.risk.blanking import TELLS, Blanked
from textveil.risk.language_model import CANDIDATES
from textveil.risk.linkage import LEAST_PERSONS, Linkage, Share
from textveil.risk.population import ASSUMED, Population
from textveil.risk.report import Release, RiskReport, write_riskiest
from textveil.risk.values import Joined, Others, Unique
from textveil.whole_files import write_whole

SHOWN_NAMES: Final = {"originals": "as it is", "blank": "all blank", "release": "your release"}
"""Names for readers of releases that are no policy's."""

_WIDTH: Final = 400
_LEFT: Final = 62
_HEIGHT: Final = 250  # units of the axis upwards
_LETTER: Final = 8.2  # units of a letter, at most about
_LABELS_APART: Final = 16
_SERIES_APART: Final = 5
_LONGEST: Final = 24  # letters of a label


@dataclass(frozen=True, slots=True)
class _Point:
    x: float
    y: float
    low: float
    high: float


def curve_svg(releases: Sequence[Release], against: str) -> str:
    """Records named at the first try along content words kept, one line for each attacker, releases named above.

    ``releases``: attacked by the same attackers, in any order; ``against``: of the attacks that are drawn.
    """
    releases = sorted(releases, key=lambda release: release.kept.content_words)
    names = [SHOWN_NAMES.get(release.name, release.name)[:_LONGEST] for release in releases]
    top = 20 + _LETTER * max(map(len, names))
    xs = [_across(release.kept.content_words) for release in releases]
    rows = [[attack for attack in release.linkage if attack.against == against] for release in releases]
    attackers = [attack.attacker for attack in rows[0]]
    series = []
    for number, attacker in enumerate(attackers):
        shift = _SERIES_APART * (number - (len(attackers) - 1) / 2)
        points = [_point(x + shift, row[number], top) for x, row in zip(xs, rows, strict=True)]
        series.append((attacker, points))
    return rendered(
        "risk-curve.svg",
        title=f"Records named at the first try against content words kept; attackers have the {against}",
        width=_WIDTH,
        left=_LEFT,
        top=top,
        floor=top + _HEIGHT,
        across=_across,
        labels=list(zip(names, xs, _apart(xs), strict=True)),
        series=series,
        chance=_down(1 / max(attack.candidates for row in rows for attack in row), top),
        legend=list(_legend([*attackers, "chance"])),
    )


def bars_svg(attacks: Sequence[Linkage]) -> str:
    """Records named at the first try in one release, a bar for each attack."""
    return rendered(
        "risk-bars.svg",
        title="Records named at the first try, by attack",
        width=_WIDTH,
        bars=[
            (
                f"{attack.attacker}, with the {attack.against}",
                f"{attack.top1:.2f}",
                _along(attack.top1),
                None if attack.low is None or attack.high is None else (_along(attack.low), _along(attack.high)),
            )
            for attack in attacks
        ],
        along=_along,
    )


def _across(share: float) -> float:
    return _LEFT + 10 + (_WIDTH - _LEFT - 24) * share


def _along(share: float) -> float:
    return 8 + (_WIDTH - 60) * share


def _down(share: float, top: float) -> float:
    return top + _HEIGHT * (1 - share)


def _point(x: float, attack: Linkage, top: float) -> _Point:
    shares = (attack.top1, attack.top1 if attack.low is None else attack.low, attack.high or attack.top1)
    return _Point(x, *(_down(share, top) for share in shares))


def _apart(places: Sequence[float]) -> list[float]:
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + _LABELS_APART) if moved else place)
    limit = _across(1.0)
    for index in range(len(moved) - 1, -1, -1):
        moved[index] = min(moved[index], limit)
        limit = moved[index] - _LABELS_APART
    return moved


def _legend(names: Iterable[str]) -> Iterable[tuple[str, float]]:
    place = 4.0
    for name in names:
        yield name, place
        place += 38 + _LETTER * len(name)


PAGE: Final = "risk.html"
_TITLE: Final = "Who is recognized in this release"

_NO_GUARANTEE: Final = (
    "Another attacker may know more, or look at other things; no number on this page bounds what they find. A setting "
    "chosen by these numbers on private text tells of that text: choose it on a public sample."
)

_KNOWN: Final = {"originals": "the originals", "background": "public texts about the same persons"}


def write_page(report: RiskReport, folder: Path) -> list[Path]:
    """Write the page, which holds no text, and that of the riskiest records, which does; both for their owner alone.

    Raises OutputError: it cannot be written.
    """
    page = write_whole(folder / PAGE, to_html(report).encode("utf-8"), private=True)
    return [page, write_riskiest(report.riskiest, folder)]


def to_html(report: RiskReport) -> str:
    """Return the page."""
    return results_page(_TITLE, _parts(report))


def _parts(report: RiskReport) -> Iterator[Markup]:
    attacks = report.linkage
    known = list(dict.fromkeys(attack.against for attack in attacks))
    releases = (*report.compared, report.release)
    caption = (
        "Records named at the first try along content words kept, by attackers with {}. Lower and further right is "
        "better."
    )
    drawn = known if report.compared else []
    figures = [(curve_svg(releases, against), caption.format(_KNOWN.get(against, against))) for against in drawn]
    yield from (text(compared(report, against), lead=named(report, against)) for against in known)
    yield text(_NO_GUARANTEE, lead="An attack that failed is no guarantee.")
    yield bullets(report.warnings)
    panels = [drawing(*each) for each in figures or [(bars_svg(attacks), "Records named at the first try.")]]
    yield Markup("<div class='panels'>{}</div>").format(Markup().join(panels))
    yield text(
        f"There are fewer than {LEAST_PERSONS} persons, so no interval is given."
        if report.persons < LEAST_PERSONS
        else "Lines are 95 % intervals. Persons are the sampled unit: intervals hold for persons like these, among as "
        "many candidates."
    )
    yield heading("Attacks on the release")
    chosen = f", of which {report.attacked:,} chosen at random were attacked"
    clustered = f" They are about {report.persons:,} persons, who count the same, however many records they have."
    words, content_words = report.release.kept
    yield text(
        f"{report.records:,} records{chosen if report.attacked < report.records else ''}."
        f"{clustered if report.persons < report.attacked else ''} The release keeps "
        f'{words:.2f} of the words, {content_words:.2f} of the content words (all but words such as "the" and "of").'
    )
    yield table(*_attacks(report, attacks), stacked=True)
    if report.by_model is not None:
        asked = report.by_model
        yield text(
            f"The language model is {asked.model} at {asked.host}. It was sent {_number(asked.requests, 'release')}, "
            f"each with what is publicly known of {min(CANDIDATES, asked.linkage.candidates)} persons, and no "
            f"original. {_number(asked.unanswered, 'answer')} had another form than asked for: the attacker guesses."
        )
    if report.compared:
        yield heading("Releases of the same records compared")
        yield table(*_compared(report), stacked=True)
    if report.unique is not None:
        yield heading("What is left that singles records out")
        yield from _unique(report.unique)
    if report.blanked is not None:
        yield heading("The release with further blanks")
        yield from _blanked(report, report.blanked)
    if report.population is not None:
        yield heading("How many people share what is left")
        yield from _population(report.population)
    if report.others is not None or report.joined is not None:
        yield heading("Other persons, and documents that are joined")
        yield bullets([*_others(report.others), *_joined(report.joined)])
    yield text(
        "The riskiest records, with what gave them away, are in riskiest.html beside this page: for the sender alone."
    )


def named(report: RiskReport, against: str) -> str:
    """Return a sentence: how many records the strongest attacker with these texts names."""
    best = report.strongest(against)
    count = best.top1 * best.records
    about = "" if count == round(count) else "about "
    records = f"{about}{round(count):,} of {best.records:,} records"
    if best.persons < best.records:
        records = f"{best.top1:.2f} of the records of each of {best.persons:,} persons, on average,"
    interval = ""
    if best.low is not None and best.high is not None:
        interval = f", 95 % interval {best.low:.2f} to {best.high:.2f}"
    return (
        f"An attacker with {_KNOWN.get(against, against)} names {records} at the first try ({best.attacker}{interval})."
    )


def compared(report: RiskReport, against: str) -> str:
    """Return sentences that compare the strongest attacker's share with chance and with the originals."""
    best = report.strongest(against)
    before = report.on_originals(best)
    same = best.low is not None and best.low <= best.chance
    originals = "" if before is None else f" The same attack on the originals names {_with_interval(before)}."
    guess = "; the interval does not tell the attack from guessing" if same else ""
    return f"A guess names {best.chance:.3f}{guess}.{originals}"


def _attacks(report: RiskReport, attacks: Sequence[Linkage]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    head = (
        *("attacker", "has", "named at the first try", "of the originals", "by chance"),
        *("among its first five", "median rank"),
    )
    rows: list[tuple[str, ...]] = [
        (
            attack.attacker,
            _KNOWN.get(attack.against, attack.against),
            _with_interval(attack),
            "not sent" if (before := report.on_originals(attack)) is None else _with_interval(before),
            f"{attack.chance:.3f}",
            _ends(attack.top5, attack.top5_low, attack.top5_high, ".2f"),
            f"{_ends(attack.median_rank, attack.median_low, attack.median_high, ',g')} of {attack.candidates:,}",
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
    return _ends(attack.top1, attack.low, attack.high, ".2f")


def _ends(number: float, low: float | None, high: float | None, written: str) -> str:
    interval = "" if low is None or high is None else f" ({low:{written}} to {high:{written}})"
    return f"{number:{written}}{interval}"


def _unique(unique: Unique) -> Iterator[Markup]:
    yield text(
        f"{_count(unique.alone)} are singled out by the values left in them: no other person holds all of these. For "
        f"{_count(unique.small)}, fewer than five persons do."
    )
    yield text(f"With dates by year alone and ages by decade, {_count(unique.coarse)} are singled out.")
    yield text(
        "The values are those that the embedded detector finds in the record or its release; what it misses in both "
        "is not counted. A listed name is on a public keep list: a medicine, a product, a company."
    )
    head = ("kind", "records in which some are left", "values left", "records that these alone single out")
    rows = [
        (kind, f"{left.records:,}", f"{left.values:,}", f"{left.alone:,}{_shares(left.low, left.high)}")
        for kind, left in unique.kinds.items()
    ]
    if rows:
        yield table(head, rows, stacked=True)


def _count(share: Share) -> str:
    count = f"{round(share.share * share.records):,} of {share.records:,} records"
    if share.persons < share.records:
        count = f"{share.share:.2f} of each person's records on average"
    if share.low is None or share.high is None:
        return count
    return f"{count} (95 % interval {share.low:.2f} to {share.high:.2f})"


def _fitting(blanked: Blanked) -> str:
    most = blanked.chosen_by.candidates
    return f"{min(most, ceil(1 / blanked.limit - 1e-9)) if blanked.limit else most:,} persons"


def _blanked(report: RiskReport, blanked: Blanked) -> Iterator[Markup]:
    yield text(
        f"In {len(blanked.numbers):,} of {report.records:,} records, {_number(blanked.words, 'mention')} of words were "
        f"blanked, by the evidence of tf-idf with {_KNOWN.get(blanked.against, blanked.against)}, until at "
        f"least {_fitting(blanked)} fit each record as well as its own."
    )
    best, before = blanked.held_out, blanked.held_out_before
    rows = [
        ("tf-idf, which chose", report.attack("tf-idf", blanked.against), blanked.chosen_by),
        (f"{best.attacker}, held out", before, best),
    ]
    yield table(
        ("attacker", "named before", "named after", "among its first five after"),
        [
            (name, _with_interval(was), _with_interval(now), _ends(now.top5, now.top5_low, now.top5_high, ".2f"))
            for name, was, now in rows
        ],
        stacked=True,
    )
    yield text(TELLS, lead=blanked.verdict)


def _population(population: Population) -> Iterator[Markup]:
    median = f"{population.median:,.0f}" if population.median >= 10 else f"{population.median:.2g}"
    yield text(
        f"Of {population.population:,} people, fewer than {population.fewer_than:,} are expected to share the "
        f"attributes left in {_count(population.small)}. In the median record, {median} do."
    )
    yield text(ASSUMED)
    rows = [(attribute, f"{records:,}") for attribute, records in population.attributes.items()]
    yield table(("attribute", "records in which a value is left"), rows)


def _shares(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({100 * low:.0f} to {100 * high:.0f} %)"


def _others(others: Others | None) -> Iterator[str]:
    if others is not None:
        yield (
            f"Names of other persons: {others.left:,} of {others.names:,} stand whole in the releases, in "
            f"{_number(others.records, 'record')}{_shares(others.share.low, others.share.high)}. The person whom a "
            "record names most often counts as its subject."
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
