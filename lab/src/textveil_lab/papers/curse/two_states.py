"""Figure 3: the same noise around Hawaii and around Kansas, and the nearest state to the noisy point."""

from types import MappingProxyType
from typing import Final

import numpy as np
from scipy.spatial import Voronoi

from textveil.types import Ids, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_profile import ranks_around
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.papers.curse.small_dimensions import STATES_CLOSE, STATES_ERROR
from textveil_lab.papers.curse.state_map import PlanarLaplace, state_points, state_vocabulary
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import Panel, new_figure
from textveil_lab.tables import Cell, Table

STATES: Final = ("Hawaii", "Kansas")  # Alone in the ocean, and in the middle of the others
RATE: Final = 0.003  # Nats per kilometer, around both: the noise is 667 km long on average
_DRAWS: Final = 400  # Noisy points that each panel shows; the numbers are computed
_NAMED: Final = 7  # The likeliest outputs that a panel names
_WIDE: Final = ((-8700.0, 2700.0), (-1500.0, 4200.0))  # Limits of the map in kilometers, with room for the noise
_PAPER: Final = MappingProxyType({"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.8})
"""Background of letters that lie on points."""

_PARTS: Final = ("comes back to {state}", "one of its {close} nearest", "a distant state")
_LOOKS: Final = (2, 0, 1)  # Styles of the three parts


def figure_3(setting: StudySetting) -> ItemOutcome:
    """Draw two maps with the regions of each state, noise around one of them, and exact shares."""
    table = state_vocabulary()
    chart = new_figure(
        [f"Noise around {state}, epsilon = {RATE:g} per km" for state in STATES],
        x="east of 96 degrees west (km)",
        y="north of 23 degrees north (km)",
        x_range=_WIDE[0],
        y_range=_WIDE[1],
        columns=1,
        panel_size=(9.4, 5.0),
    )
    laws, shares = {}, {}
    for number, (panel, state) in enumerate(zip(chart.panels, STATES, strict=True)):
        start = table.id_of(state)
        assert start is not None
        laws[state] = PlanarLaplace(RATE, table).probabilities(start)
        ranks = _ranks(table, start)
        shares[state] = tuple(
            float(laws[state][part].sum())
            for part in (ranks == 0, (ranks >= 1) & (ranks <= STATES_CLOSE), ranks > STATES_CLOSE)
        )
        _regions(panel, table)
        noise = SphericalLaplace(dim=2, rate=RATE).sample(_DRAWS, setting.generator(7, number), np.float64)
        _noisy(panel, table, start, ranks, noise)
        _list(panel, table, laws[state])
        panel.legend("upper left")
        setting.progress((number + 1) / len(STATES))
    parts = ("original", "close", "distant")
    rows: list[tuple[Cell, ...]] = [
        (state, part, shares[state][at]) for state in STATES for at, part in enumerate(parts)
    ]
    by_state: list[tuple[Cell, ...]] = [
        (name, *(float(laws[state][index]) for state in STATES)) for index, name in enumerate(table.words)
    ]
    facts = {"epsilon per km": RATE, "close": STATES_CLOSE, "error_below": STATES_ERROR, "points drawn": _DRAWS}
    return ItemOutcome(
        tables={
            "": Table(columns=("noise around", "output", "probability"), rows=tuple(rows), facts=facts),
            "states": Table(
                columns=("output", *(f"from {state}" for state in STATES)), rows=tuple(by_state), facts=facts
            ),
        },
        charts={"": chart},
        findings=(
            *(
                f"Around {state}: {shares[state][0]:.1%} of the outputs are {state}, {shares[state][1]:.1%} one of its "
                f"{STATES_CLOSE} nearest states, {shares[state][2]:.1%} distant."
                for state in STATES
            ),
            f"At one epsilon an isolated state is kept and a crowded one is left. {STATES[0]} stands for a word whose "
            "neighbors are far: noise falls into the void around it and comes back.",
            "Thin lines part the regions of which each is nearest to one state's internal point; there are no other "
            "borders. The points are a seeded sample, the shares are computed.",
        ),
        settings={"map": "the states without Alaska, Hawaii kept", "epsilon per km": RATE, "points drawn": _DRAWS},
        judgment=Judgment(
            reproduced=Reproduced.YES if shares[STATES[0]][0] > 0.5 > shares[STATES[1]][0] else Reproduced.NO,
            why=f"At one epsilon, {shares[STATES[0]][0]:.1%} of the outputs around {STATES[0]} are {STATES[0]} "
            f"again, and "
            f"{shares[STATES[1]][0]:.1%} of those around {STATES[1]} are {STATES[1]}. The paper's epsilon was "
            f"not at hand.",
        ),
    )


def _ranks(table: Vocabulary, start: int) -> Ids:
    every = np.arange(len(table), dtype=np.int64)
    return ranks_around(integer_grid(table), np.array([start]), every[None, :])[0]


def _regions(panel: Panel, table: Vocabulary) -> None:
    far = 1e5  # four points so far out that every region near the map is closed
    points = np.concatenate([table.vectors.astype(np.float64), far * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])])
    found = Voronoi(points)
    for ends in found.ridge_vertices:
        if min(ends) >= 0:
            line = found.vertices[ends]
            panel.axes.plot(line[:, 0], line[:, 1], color="#AAAAAA", linewidth=0.6, zorder=1)
    panel.axes.scatter(table.vectors[:, 0], table.vectors[:, 1], s=7, color="#000000", zorder=3)
    panel.axes.set_aspect("equal")
    panel.axes.grid(visible=False)


def _noisy(panel: Panel, table: Vocabulary, start: int, ranks: Ids, noise: Reals) -> None:
    spots = table.vectors[start].astype(np.float64) + noise
    gaps = np.linalg.norm(spots[:, None, :] - table.vectors[None, :, :], axis=2)
    landed = ranks[gaps.argmin(axis=1)]
    kinds = np.digitize(landed, (1, STATES_CLOSE + 1))
    for kind, (name, style) in enumerate(zip(_PARTS, _LOOKS, strict=True)):
        own = spots[kinds == kind]
        label = name.format(state=table.words[start], close=STATES_CLOSE)
        panel.points(own[:, 0], own[:, 1], label, style=style, size=20)


def _list(panel: Panel, table: Vocabulary, law: Reals) -> None:
    codes = {point.name: point.code for point in state_points()}
    likeliest = [int(state) for state in np.argsort(-law)[:_NAMED] if law[state] >= 0.001]
    lines = "\n".join(f"{codes[table.words[state]]} {law[state]:.1%}" for state in likeliest)
    panel.axes.text(0.445, 0.03, f"exact probabilities\n{lines}", transform=panel.axes.transAxes, fontsize=9,
                    linespacing=1.35, bbox=dict(_PAPER))  # fmt: skip
    for state in likeliest:
        panel.axes.annotate(codes[table.words[state]], table.vectors[state], xytext=(3, 3), textcoords="offset points",
                            fontsize=8, fontweight="bold", bbox=dict(_PAPER))  # fmt: skip
