"""Figure 8: figure 2 with the paper's fix, at the paper's manual c and at the c of our criterion."""

import math
from typing import NamedTuple

import numpy as np

from textveil.catalog import word_mechanism
from textveil.mechanisms.kinds import WordMechanism
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_constant import constants_by_last_rank
from textveil_lab.papers.curse.facts import CLOSE, FIX_CONSTANT, noise_grid
from textveil_lab.papers.curse.profiles import (
    Curve,
    FigureClaim,
    chosen_constant,
    close_lead,
    curve_of,
    outcome_of,
    printed_constant,
)
from textveil_lab.papers.curse.rank_no_metric import label
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.plots import Chart, new_figure
from textveil_lab.tables import Cell, Table

LAST_RANKS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, CLOSE)
"""Last ranks of the fit for which constants are shown."""


class _Fit(NamedTuple):
    vocabulary: Vocabulary  # whose
    printed: float | None  # the paper's constant; None if it has none
    constants: Reals  # by ``LAST_RANKS``
    distances: Reals  # mean distance at each rank from 0 to the last

    @property
    def same_rank(self) -> int | None:
        """Last rank whose fit is nearest to the paper's constant; None if it has none."""
        if self.printed is None:
            return None
        return LAST_RANKS[int(np.abs(np.log(self.constants / self.printed)).argmin())]


def figure_8(setting: StudySetting) -> ItemOutcome:
    """Measure the fix at the paper's c, if it has one, and at the criterion's; explain the difference."""
    curves = []
    fits = []
    for index, vocabulary in enumerate(setting.vocabularies):
        printed = printed_constant(vocabulary)
        for constant, source in ((printed, "the paper's"), (chosen_constant(vocabulary), "by the criterion")):
            if constant is not None:
                curves.append(_curve(setting, vocabulary, index, constant, source))
        fits.append(_Fit(vocabulary, printed, *constants_by_last_rank(vocabulary, LAST_RANKS)))
        setting.progress((index + 1) / len(setting.vocabularies))
    claim = FigureClaim("with the fix close neighbors are chosen", tuple(FIX_CONSTANT), close_lead)
    outcome = outcome_of(setting, curves, claim)
    return ItemOutcome(
        tables={**outcome.tables, "constants": _constants_table(fits)},
        charts={**outcome.charts, "constants": _constants_chart(fits)},
        findings=(*outcome.findings, *(_why(fit) for fit in fits if fit.printed is not None)),
        comparisons=outcome.comparisons,
        settings={"c": "; ".join(f"{label(one.vocabulary)}: {one.note}" for one in curves), **outcome.settings},
        judgment=outcome.judgment,
    )


def _curve(setting: StudySetting, vocabulary: Vocabulary, index: int, constant: float, source: str) -> Curve:
    def made(epsilon: float) -> WordMechanism:
        return word_mechanism(
            "spherical-laplace", vocabulary, epsilon_per_distance=epsilon, clip=None, rank_constant=constant
        )

    curve = curve_of(setting, vocabulary, index, made, noise_grid(vocabulary, fixed=True))
    return curve._replace(note=f"c = {constant:.3g}, {source}")


def _constants_chart(fits: list[_Fit]) -> Chart:
    shown = next((fit for fit in fits if fit.printed is not None), fits[0])
    chart = new_figure(
        [
            "c of a fit to the first ranks; large marks: the paper's c",
            f"Why: distances by rank, {label(shown.vocabulary)}",
        ],
        x=["last rank of the fit", "rank of the neighbor"],
        y=["c", "mean distance to the neighbor"],
        panel_size=(6.2, 4.2),
    )
    left, right = chart.panels
    left.axes.set(xscale="log", yscale="log")
    for style, fit in enumerate(fits):
        left.line(LAST_RANKS, fit.constants, label(fit.vocabulary), style=style)
        if fit.printed is not None and fit.same_rank is not None:
            left.points([fit.same_rank], [fit.printed], style=style, size=110)
    left.ticks((2, 5, 10, 20, 50, CLOSE))
    left.legend("below", columns=2)
    ranks = np.arange(1, CLOSE + 1)
    right.line(ranks, shown.distances[1:], "measured", style=6, marked=False)
    for style, (constant, last) in enumerate(_lines(shown)):
        fitted = ranks[:last]
        middle = shown.distances[1 : last + 1].mean()
        name = f"slope 2 c = {2 * constant:.3g}, fit to rank {last}"
        right.line(fitted, middle + 2 * constant * (fitted - fitted.mean()), name, style=style, marked=False)
    right.legend("below", columns=1)
    return chart


def _lines(fit: _Fit) -> list[tuple[float, int]]:
    lasts = [one for one in (fit.same_rank, CLOSE) if one is not None]
    return [(float(fit.constants[LAST_RANKS.index(last)]), last) for last in lasts]


def _constants_table(fits: list[_Fit]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (label(fit.vocabulary), last, float(constant), fit.printed)
        for fit in fits
        for last, constant in zip(LAST_RANKS, fit.constants, strict=True)
    ]
    return Table(columns=("vocabulary", "last rank of the fit", "c", "the paper's c"), rows=tuple(rows))


def _why(fit: _Fit) -> str:
    assert fit.printed is not None
    chosen, same = float(fit.constants[-1]), fit.same_rank
    early = float(fit.distances[10] - fit.distances[1]) / 9
    late = float(fit.distances[CLOSE] - fit.distances[CLOSE // 2]) / (CLOSE // 2)
    epsilon = 10.0
    return (
        f"{label(fit.vocabulary)}: the paper's c = {fit.printed:g} is {fit.printed / chosen:.1f} times the criterion's "
        f"{chosen:.2g}. c stands for half of how much farther each next neighbor is. That is {early:.3f} a rank over "
        f"the first 10 neighbors and {late:.4f} over the last {CLOSE // 2} of {CLOSE}, so it depends on the ranks that "
        f"are fitted: the criterion fits all {CLOSE} that count as close, and the paper's c is that of a fit to the "
        f"first {same}. At epsilon {epsilon:g} the paper's c moves the word by {_mean_rank(fit.printed * epsilon):.2g} "
        f"ranks on average, the criterion's by {_mean_rank(chosen * epsilon):.2g}."
    )


def _mean_rank(decay: float) -> float:
    return 1 / math.expm1(decay)
