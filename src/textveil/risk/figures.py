"""Drawings of linkage as inline SVG: releases along content words kept, and the attacks on one release as bars.

They are drawn for a column of 400 units, so that their letters are legible on a phone too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from textveil.pages.rendering import rendered
from textveil.risk.linkage import Linkage
from textveil.risk.report import Release

SHOWN_NAMES: Final = {"originals": "as it is", "blank": "all blank", "release": "your release"}
"""What readers call releases that are no policy's."""

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

    Args:
        releases: attacked by the same attackers, in any order.
        against: of the attacks that are drawn.
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
