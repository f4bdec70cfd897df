"""Figure 1, one dimension, and the shares on a map of the states: all computed, without random draws.

One dimension: Laplace noise on an integer, rounded to the nearest integer.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import brentq

from textveil.errors import need
from textveil.mechanisms.kinds import checked_word_id
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_profile import exact_rank_profile
from textveil_lab.papers.curse.state_map import PlanarLaplace, state_vocabulary
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import new_figure
from textveil_lab.tables import Cell, Table

LARGEST = 1 << 24  # Integers below this are exact in float32


class IntegerShares(NamedTuple):
    """Probabilities of the original integer, of its ``close`` nearest others, and of the rest."""

    original: float
    near: float
    distant: float


def integer_shares(rate: float, close: int) -> IntegerShares:
    """Return the rank profile of x + noise, rounded, on all integers; noise of density (rate / 2) exp(-rate |z|).

    The offset k has probability 1 - e^(-rate/2) for k = 0, else e^(-rate (|k| - 1/2)) (1 - e^-rate) / 2. The nearest
    integers are -1, 1, -2, 2, ... away, so with close = 2 m the near share is e^(-rate/2) (1 - e^(-rate m)).

    Args:
        rate: nats per unit, finite and > 0.
        close: number of nearest other integers that count as close, >= 1.
    """
    _check_rate(rate)
    need(close >= 1, "close", close, "1 or more")
    whole, odd = divmod(close, 2)
    stray = math.exp(-rate / 2)
    last = odd * math.exp(-rate * whole) * -math.expm1(-rate) / 2
    near = stray * (-math.expm1(-rate * whole) + last)
    rest = stray * (math.exp(-rate * whole) - last)
    return IntegerShares(-math.expm1(-rate / 2), near, rest)


def integer_vocabulary(size: int) -> Vocabulary:
    """Return the integers 0 to size - 1 as words, each with itself as its one coordinate.

    Raises:
        ParameterError: size is not between 2 and ``LARGEST``.
    """
    need(2 <= size <= LARGEST, "size", size, f"between 2 and {LARGEST}")
    numbers = np.arange(size)
    return Vocabulary([str(i) for i in range(size)], numbers[:, None].astype(np.float32), "integers")


@dataclass(frozen=True, slots=True, eq=False)
class IntegerLaplace:
    """Exact distribution of the integer in 0 to size - 1 that is nearest to x + Laplace noise."""

    rate: float  # nats per unit, finite and > 0
    # the integers, from ``integer_vocabulary``
    vocabulary: Vocabulary = field(default_factory=lambda: integer_vocabulary(1001))

    def __post_init__(self) -> None:
        _check_rate(self.rate)
        expected = np.arange(len(self.vocabulary))
        fits = self.vocabulary.dim == 1 and bool(np.array_equal(self.vocabulary.vectors[:, 0], expected))
        need(fits, "vocabulary", self.vocabulary.name, "the integers 0 to n - 1", "Use integer_vocabulary(n).")

    @property
    def name(self) -> str:
        return "laplace on integers"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"rate": self.rate, "clip": None}

    def probabilities(self, word_id: int) -> Reals:
        """Return P(y | x = word_id), shape (size,); the ends get the mass beyond them."""
        n = len(self.vocabulary)
        word = checked_word_id(word_id, n)
        away = np.abs(np.arange(n) - word)
        # P(|noise| between |k| - 1/2 and |k| + 1/2, on one side), from the tails: no cancellation far away.
        with np.errstate(over="ignore"):  # so far away the tail is zero
            beyond = np.exp(-self.rate * (np.maximum(away, 1) - 0.5)) / 2
        distribution = beyond * -math.expm1(-self.rate)
        distribution[[0, n - 1]] = beyond[[0, n - 1]]
        distribution[word] = 1 - math.exp(-self.rate / 2) / 2 if word in (0, n - 1) else -math.expm1(-self.rate / 2)
        return distribution


def _check_rate(rate: float) -> None:
    need(0 < rate < math.inf, "rate", rate, "finite and > 0")


INTEGER_RATES: Final = tuple(float(f"{rate:.3g}") for rate in np.geomspace(0.003, 10, 40))
"""Epsilons: nats for two integers that differ by 1."""

CLOSE_DISTANCES: Final = (5, 50)
"""Distances up to which integers are close; within 50 are the 100 nearest others."""

STATE_RATES: Final = tuple(float(f"{rate:.3g}") for rate in np.geomspace(0.0005, 0.05, 24))  # Nats per kilometer
STATES_CLOSE: Final = 10  # Ranks that count as close among 49 states
STATES_ERROR: Final = 2e-5
"""Error of probabilities on the map, which average over directions: more directions change them by less."""

_ANGLES: Final = 1024


def figure_1(setting: StudySetting) -> ItemOutcome:
    """Plot shares against epsilon for rounded Laplace noise on a positive integer, for two distances of close ones."""
    rates = setting.thinned(INTEGER_RATES)
    chart = new_figure(
        [f"Close: at most {distance} from the input" for distance in CLOSE_DISTANCES]
        + ["Distribution of the output around the input"],
        x=["epsilon (nats per unit)", "epsilon (nats per unit)", "output - input"],
        y=["share of outputs", "share of outputs", "probability"],
        panel_size=(5.2, 3.9),
    )
    rows: list[tuple[Cell, ...]] = []
    findings = []
    for panel, distance in zip(chart.panels, CLOSE_DISTANCES, strict=False):
        shares = [integer_shares(rate, 2 * distance) for rate in rates]
        panel.axes.set(xscale="log", ylim=(-0.03, 1.03))
        for style, name in enumerate(("original", "close", "distant")):
            panel.line(rates, [one[style] for one in shares], name, style=style)
        panel.legend("below", columns=3)
        rows += [(distance, rate, *one) for rate, one in zip(rates, shares, strict=True)]
        to_close, to_original = turning_rates(distance)
        best = integer_shares(closest_rate(distance), 2 * distance).near
        findings.append(
            f"Close within {distance}: distant integers lead below epsilon {to_close:.3g}, close ones from there to "
            f"{to_original:.3g}, the original above. Close ones reach {best:.1%} of the outputs, "
            f"at {closest_rate(distance):.3g}."
        )
    middle, reach = 500, np.arange(-12, 13)
    for style, rate in enumerate((0.1, 0.3, 1.0)):
        distribution = IntegerLaplace(rate).probabilities(middle)[middle + reach]
        chart.panels[-1].line(reach, distribution, f"epsilon = {rate:g}", style=style)
    chart.panels[-1].axes.set_ylim(bottom=0)
    chart.panels[-1].legend("below", columns=3)
    columns = ("close within", "epsilon per unit", "original", "close", "distant")
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts={"exact": True})},
        charts={"": chart},
        findings=(
            *findings,
            "So in one dimension what is not the original is mostly close: the curse is one of dimensions, not of the "
            "noise.",
            "The shares are those of any positive integer that is farther from 1 than close integers may be: what "
            "falls "
            f"below 1 is rounded to 1, which is then distant. From how far on the paper calls an output distant was "
            f"not "
            f"at hand: {CLOSE_DISTANCES[0]} and {CLOSE_DISTANCES[1]} are ours; within {CLOSE_DISTANCES[1]} lie the 100 "
            "nearest others, which are close in all other figures.",
        ),
        settings={
            "noise": "Laplace, rounded",
            "close": f"within {CLOSE_DISTANCES[0]} and within {CLOSE_DISTANCES[1]}",
            "epsilon": rates,
        },
        judgment=Judgment(
            reproduced=Reproduced.YES if _distant_then_original(rows) else Reproduced.NO,
            why="At small epsilon distant outputs lead, and soon close ones and the original do. From what "
            "distance on the "
            "paper calls an output distant was not at hand, so two distances are shown.",
        ),
    )


def closest_rate(distance: int) -> float:
    """Return the epsilon that maximizes the share of close integers, exp(-epsilon / 2) (1 - exp(-epsilon distance)).

    The derivative is zero at exp(epsilon distance) = 1 + 2 distance.
    """
    return math.log1p(2 * distance) / distance


def turning_rates(distance: int) -> tuple[float, float]:
    """Return the epsilons at which close integers overtake distant ones, and at which the original overtakes close.

    Both orders change once: the original's share rises with epsilon and the distant share falls.

    Args:
        distance: largest distance of close integers, >= 1.
    """

    def lead_of_original(rate: float) -> float:
        shares = integer_shares(rate, 2 * distance)
        return shares.original - shares.near

    # Of what moves, exp(-epsilon distance) goes beyond the close ones. From ln 4 on at least half has not moved.
    first = math.log(2) / distance
    return first, float(brentq(lead_of_original, first, 2 * math.log(2), xtol=1e-12))


def _distant_then_original(rows: list[tuple[Cell, ...]]) -> bool:
    found = []
    for distance in CLOSE_DISTANCES:
        first, *_, last = [tuple(float(str(cell)) for cell in row[2:]) for row in rows if row[0] == distance]
        found.append(first[2] > first[0] + first[1] and last[2] < last[0] + last[1])
    return all(found)


def states(setting: StudySetting) -> ItemOutcome:
    """Plot planar Laplace noise on the map of 49 states: shares against epsilon, mean over the states."""
    table = state_vocabulary()
    rates = setting.thinned(STATE_RATES)
    every = np.arange(len(table), dtype=np.int64)
    profiles = []
    for index, rate in enumerate(rates):
        profiles.append(exact_rank_profile(PlanarLaplace(rate, table, _ANGLES), every, close=STATES_CLOSE))
        setting.progress((index + 1) / len(rates))
    chart = new_figure(
        [f"What comes out, mean over {len(table)} states"],
        x="epsilon (nats per km)",
        y="share of outputs",
        x_scale="log",
        y_range=(-0.03, 1.03),
        panel_size=(7.0, 4.2),
    )
    names = ("original state", f"close: ranks 1 to {STATES_CLOSE}", "distant")
    for style, (attribute, name) in enumerate(zip(("original", "near", "distant"), names, strict=True)):
        chart.panels[0].line(rates, [getattr(one, attribute).estimate for one in profiles], name, style=style)
    chart.panels[0].legend("below", columns=3)
    rows: list[tuple[Cell, ...]] = [
        (rate, one.original.estimate, one.near.estimate, one.distant.estimate)
        for rate, one in zip(rates, profiles, strict=True)
    ]
    best = max(profiles, key=lambda one: one.near.estimate)
    facts = {"close": STATES_CLOSE, "states": len(table), "error_below": STATES_ERROR}
    columns = ("epsilon per km", "original", "close", "distant")
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts=facts)},
        charts={"": chart},
        findings=(
            f"On the map the {STATES_CLOSE} nearest states take up to {100 * best.near.estimate:.0f} % of the outputs: "
            "in two dimensions most of what is not the original is still close.",
            "The map leaves Alaska out and keeps Hawaii; the District of Columbia is not a state.",
        ),
    )
