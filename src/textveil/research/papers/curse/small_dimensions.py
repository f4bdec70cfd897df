"""Figures 1 and 3: one dimension and two, where close outputs are common; all is computed, nothing is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from textveil.research.evaluation.plots import Panel, new_figure
from textveil.research.evaluation.tables import Cell, Table
from textveil.research.laws.rank_profile import exact_rank_profile
from textveil.research.papers.curse.facts import CLOSE
from textveil.research.papers.curse.integer_laplace import IntegerLaplace, integer_shares
from textveil.research.papers.curse.state_map import PlanarLaplace, state_points, state_vocabulary
from textveil.research.papers.setting import ItemOutcome, StudySetting
from textveil.types import Reals, Vectors

INTEGER_RATES = tuple(float(f"{rate:.3g}") for rate in np.geomspace(0.003, 10, 40))
"""Nats per unit."""

STATE_RATES = tuple(float(f"{rate:.3g}") for rate in np.geomspace(0.0005, 0.05, 24))
"""Nats per kilometer."""

STATES_CLOSE = 10
"""Ranks that count as close among 49 states."""

STATE = "Kansas"
STATE_RATE = 0.005
"""The state and the rate (nats per kilometer: a mean distance of 400 km) of the map."""

STATES_NAMED = 10
"""The likeliest states, which the map names."""

STATES_ERROR = 2e-5
"""The probabilities on the map are averages over directions: with more directions they move by less than this."""

_ANGLES = 1024


def figure_1(setting: StudySetting) -> ItemOutcome:
    """Laplace noise on the integers, rounded: shares against epsilon, and the distribution of the offset."""
    rates = setting.thinned(INTEGER_RATES)
    shares = [integer_shares(rate, CLOSE) for rate in rates]
    chart = new_figure(
        ["What comes out", "Distribution of the output around the input"],
        x=["epsilon (nats per unit)", "output - input"],
        y=["share of outputs", "probability"],
        panel_size=(6.6, 3.9),
    )
    left, right = chart.panels
    left.axes.set(xscale="log", ylim=(-0.03, 1.03))
    for style, name in enumerate(("original integer", f"close: the {CLOSE} nearest others", "distant")):
        left.line(rates, [one[style] for one in shares], name, style=style)
    left.legend("below", columns=3)
    middle, reach = 500, np.arange(-12, 13)
    rows: list[tuple[Cell, ...]] = [(rate, *one) for rate, one in zip(rates, shares, strict=True)]
    for style, rate in enumerate((0.1, 0.3, 1.0)):
        distribution = IntegerLaplace(rate).probabilities(middle)[middle + reach]
        right.line(reach, distribution, f"epsilon = {rate:g}", style=style)
    right.axes.set_ylim(bottom=0)
    right.legend("below", columns=3)
    best = max(shares, key=lambda one: one.near)
    columns = ("epsilon per unit", "original", "close", "distant")
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts={"close": CLOSE, "exact": True})},
        charts={"": chart},
        findings=(
            f"On the integers the {CLOSE} nearest others take up to {100 * best.near:.0f} % of the outputs: in one "
            "dimension what is not the original is mostly close. The curse is one of dimensions, not of the noise.",
        ),
    )


def figure_3(setting: StudySetting) -> ItemOutcome:
    """Planar Laplace noise on the map of 49 states: outputs from one state, and shares against epsilon."""
    states = state_vocabulary()
    rates = setting.thinned(STATE_RATES)
    every = np.arange(len(states), dtype=np.int64)
    profiles = []
    for index, rate in enumerate(rates):
        distribution = PlanarLaplace(rate, states, _ANGLES)
        profiles.append(exact_rank_profile(distribution, every, close=STATES_CLOSE))
        setting.progress((index + 1) / len(rates))
    chart = new_figure(
        [f"Outputs from {STATE} at epsilon = {STATE_RATE:g} per km", "What comes out, mean over 49 states"],
        x=["east of 96 degrees west (km)", "epsilon (nats per km)"],
        y=["north of 23 degrees north (km)", "share of outputs"],
        panel_size=(7.0, 4.4),
    )
    left, right = chart.panels
    start = states.id_of(STATE)
    assert start is not None
    distribution_of_state = PlanarLaplace(STATE_RATE, states).probabilities(start)
    codes = {point.name: point.code for point in state_points()}
    _draw_map(left, states.vectors, [codes[name] for name in states.words], distribution_of_state, start)
    right.axes.set(xscale="log", ylim=(-0.03, 1.03))
    names = ("original state", f"close: ranks 1 to {STATES_CLOSE}", "distant")
    for style, (field, name) in enumerate(zip(("original", "near", "distant"), names, strict=True)):
        right.line(rates, [getattr(one, field).estimate for one in profiles], name, style=style)
    right.legend("below", columns=3)
    rows = [
        (rate, one.original.estimate, one.near.estimate, one.distant.estimate)
        for rate, one in zip(rates, profiles, strict=True)
    ]
    best = max(profiles, key=lambda one: one.near.estimate)
    landed = [
        (states.words[int(state)], float(distribution_of_state[state])) for state in np.argsort(-distribution_of_state)
    ]
    facts = {"close": STATES_CLOSE, "states": len(states), "error_below": STATES_ERROR}
    columns = ("epsilon per km", "original", "close", "distant")
    return ItemOutcome(
        tables={
            "": Table(columns=columns, rows=tuple(rows), facts=facts),
            "map": Table(
                columns=("output", "probability"),
                rows=tuple(landed),
                facts={"from": STATE, "rate": STATE_RATE, "error_below": STATES_ERROR},
            ),
        },
        charts={"": chart},
        findings=(
            f"On the map the {STATES_CLOSE} nearest states take up to {100 * best.near.estimate:.0f} % of the outputs: "
            "in two dimensions most of what is not the original is still close.",
            "The map leaves Alaska out and keeps Hawaii; the District of Columbia is not a state.",
        ),
    )


def _draw_map(panel: Panel, points: Vectors, codes: Sequence[str], distribution: Reals, start: int) -> None:
    """The states as areas of probability; the likeliest by postal code, in the dot where it has room, else right of it.

    Their probabilities stand in the corner, where the map has no state; Hawaii lies beyond the left edge.
    """
    areas = 10 + 2500 * distribution
    others = np.arange(len(distribution)) != start
    panel.points(points[others, 0], points[others, 1], size=areas[others])
    # A square of side s has more area than a circle of diameter s, and both are given as s * s.
    panel.points(points[start : start + 1, 0], points[start : start + 1, 1], style=1, size=areas[start] * np.pi / 4)
    likeliest = np.argsort(-distribution)[:STATES_NAMED]
    for state in likeliest:
        across = float(np.sqrt(areas[state]))
        inside = across >= 17
        panel.axes.annotate(
            codes[state],
            points[state],
            xytext=(0.0 if inside else across / 2 + 1.5, -0.5),
            textcoords="offset points",
            fontsize=8,
            fontweight="bold",
            color="white" if inside else "black",
            ha="center" if inside else "left",
            va="center",
        )
    shares = "\n".join(f"{codes[state]} {100 * distribution[state]:.0f} %" for state in likeliest)
    panel.axes.text(0.02, 0.03, shares, transform=panel.axes.transAxes, fontsize=8.5, linespacing=1.3)
    panel.axes.text(0.15, 0.03, "area: probability\nHawaii, beyond the edge,\nis among the 49 states",
                    transform=panel.axes.transAxes, fontsize=8.5, linespacing=1.3)  # fmt: skip
    panel.axes.set(xlim=(-2300, 2400), ylim=(150, 3150))
    panel.axes.set_aspect("equal")
