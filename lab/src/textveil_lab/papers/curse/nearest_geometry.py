"""Figure 5: which part of the noise decides whether a word, or its first neighbor, stays nearest.

With noise eta on the vector of w and u = (x - w) / ||x - w||, w stays nearer than x if and only if <eta, u> is at most
||x - w|| / 2 (theorem 1 of the paper's section 4). The first neighbor x1 stays nearer than the second, x2, if and only
if <eta, v> is at most (||w - x2||^2 - ||w - x1||^2) / (2 ||x2 - x1||), v the direction from x1 to x2 (theorem 2). The
    figure shows one arrangement in the plane; drawn noise counts how often the conditions and the distances agree.
"""

from typing import Final

import numpy as np

from textveil.types import Reals
from textveil_lab.laws.conditions import necessary_probability, neighbor_threshold, triple
from textveil_lab.laws.expected_loss import first_stays, squared_losses
from textveil_lab.laws.rank_profile import mean_probability
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import COLORS, GRAY, Panel, new_figure
from textveil_lab.tables import Cell, Table

DIMENSIONS: Final = (2, 25, 300)  # In which drawn noise tests the conditions
_DRAWS: Final = 20_000
_QUICK_DRAWS: Final = 2000
WORD: Final = (1.0, 0.6)
NEIGHBOR: Final = (3.6, 1.9)  # w and x of panel (a), in the plane; (b) moves w to the origin and turns x onto the axis
STAYS: Final = (0.2, 1.9)  # Noise of panel (a), which leaves w nearest
BESIDE, ACROSS = (-0.8, 2.1), (2.0, -1.3)
"""Noise of panel (b) that leaves w nearest although it is long, and noise that does not."""

FIRST, SECOND = (2.0, 1.3), (2.9, -0.9)  # x1 and x2 of panel (c), with w at the origin
_CORNERS: Final = ((-0.1, -0.7), (-1.4, -2.0), (-0.8, -2.0))
"""Lower left corners of the panels, which are ``_WIDTH`` by ``_HEIGHT``."""

_WIDTH, _HEIGHT = 5.0, 4.5


def figure_5(setting: StudySetting) -> ItemOutcome:
    """Draw the three panels, and count that the two conditions agree with the distances."""
    chart = new_figure(
        [
            "(a) w stays nearest while the projection of\nthe noise on x - w is at most half of it",
            "(b) the same with w at the origin: only the part\nalong x counts, however long the noise is",
            "(c) first against second neighbor: the part\nalong x2 - x1 against the line between them",
        ],
        x="",
        y="",
        panel_size=(5.0, 5.2),
    )
    _word_and_neighbor(chart.panels[0])
    _at_the_origin(chart.panels[1])
    _two_neighbors(chart.panels[2])
    for panel, (left, bottom) in zip(chart.panels, _CORNERS, strict=True):
        panel.axes.set(xlim=(left, left + _WIDTH), ylim=(bottom, bottom + _HEIGHT))
        panel.axes.set_aspect("equal")
        panel.axes.grid(visible=False)
        panel.axes.set_xticks([])
        panel.axes.set_yticks([])
    count = _DRAWS if not setting.quick else _QUICK_DRAWS
    rows: list[tuple[Cell, ...]] = []
    disagreeing = 0
    for number, dim in enumerate(DIMENSIONS):
        for kind in (1, 2):
            row, wrong = _counted(setting, dim, kind, count)
            rows.append(row)
            disagreeing += wrong
        setting.progress((number + 1) / len(DIMENSIONS))
    columns = (
        "n", "theorem", "threshold", "epsilon", "P(stays nearer), exact", "share of draws", "lower", "upper",
        "draws in which condition and distances differ",
    )  # fmt: skip
    facts = {"draws": count, "seed": setting.seed, "confidence": 0.99}
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts=facts)},
        charts={"": chart},
        findings=(
            f"Put to {count:,} draws of noise for each theorem in {', '.join(map(str, DIMENSIONS))} dimensions, the "
            f"conditions differ from a comparison of the distances in {disagreeing} of {len(rows) * count:,} cases.",
            "What is at a right angle to the line between two words moves neither nearer: noise may be many times "
            "longer than the way to the neighbor and still come back to the word.",
        ),
        settings={"draws a theorem and n": count, "n of the check": tuple(map(float, DIMENSIONS))},
        judgment=Judgment(
            reproduced=Reproduced.YES if disagreeing == 0 else Reproduced.NO,
            why="The three drawings are the paper's, and in all draws of noise the two conditions said what the "
            "distances say."
            if disagreeing == 0
            else f"The conditions and the distances differ in {disagreeing} draws.",
        ),
    )


def _counted(setting: StudySetting, dim: int, kind: int, count: int) -> tuple[tuple[Cell, ...], int]:
    rng = setting.generator(8, dim, kind)
    word, first, second = np.zeros(dim), rng.standard_normal(dim), rng.standard_normal(dim)
    first *= 2.0 / np.linalg.norm(first)
    second *= 2.5 / np.linalg.norm(second)
    near, far = (word, first) if kind == 1 else (first, second)
    threshold = float(neighbor_threshold(*triple(word, near, far)))
    rate = float(np.sqrt(dim + 1)) / 2  # the projection's standard deviation is 2
    noise = SphericalLaplace(dim=dim, rate=rate).sample(count, rng, np.float64)
    losses = squared_losses(word + noise, np.stack([near, far]))
    compared = losses[:, 0] <= losses[:, 1]
    share = mean_probability(int(compared.sum()), count)
    exact = float(necessary_probability(threshold, dim, rate))
    wrong = int((first_stays(word, near, far, noise) != compared).sum())
    return (dim, kind, threshold, rate, exact, share.estimate, share.lower, share.upper, wrong), wrong


def _word_and_neighbor(panel: Panel) -> None:
    word, neighbor, noise = np.array(WORD), np.array(NEIGHBOR), np.array(STAYS)
    _halves(panel, word, neighbor, ("w nearest", "x nearest"))
    _arrow(panel, word, neighbor, GRAY, "x - w", (0.78, -6, -17))
    _arrow(panel, word, word + noise, COLORS[0], "η", (0.55, -11, 0))
    _projection(panel, word, neighbor, noise)
    _dots(panel, {"w": word, "x": neighbor})
    panel.axes.annotate("w + η", word + noise, xytext=(0, 6), textcoords="offset points", fontsize=11, ha="center")


def _at_the_origin(panel: Panel) -> None:
    distance = float(np.linalg.norm(np.array(NEIGHBOR) - np.array(WORD)))
    word, neighbor = np.zeros(2), np.array([distance, 0.0])
    _halves(panel, word, neighbor, ("w nearest", "x nearest"))
    panel.axes.plot([0, distance], [0, 0], color=GRAY, linewidth=1)
    for number, (noise, label, place) in enumerate(
        ((BESIDE, "η stays", (0.6, 27, 2)), (ACROSS, "η' leaves", (0.5, -30, -14)))
    ):
        tip = np.array(noise)
        _arrow(panel, word, tip, COLORS[number], label, place)
        panel.axes.plot([tip[0], tip[0]], [tip[1], 0], color=COLORS[number], linewidth=1, linestyle=(0, (2, 2)))
        panel.axes.plot([0, tip[0]], [0, 0], color=COLORS[number], linewidth=4, alpha=0.6, solid_capstyle="butt")
    panel.axes.annotate("‖x‖ / 2", (distance / 2, 0), xytext=(4, 5), textcoords="offset points", fontsize=9)
    _dots(panel, {"w = 0": word, "x": neighbor})


def _two_neighbors(panel: Panel) -> None:
    word, first, second = np.zeros(2), np.array(FIRST), np.array(SECOND)
    sides = triple(word, first, second)
    along = (second - first) / sides.between
    threshold = float(neighbor_threshold(*sides))
    _halves(panel, first, second, ("x1 nearer than x2", "x2 nearer than x1"))
    _arrow(panel, first, second, GRAY, "x2 - x1", (0.25, 30, -4))
    _arrow(panel, word, threshold * along, COLORS[1], "threshold", (1.0, 24, -15))
    noise = np.array([1.5, 0.15])
    _arrow(panel, word, noise, COLORS[0], "η", (0.7, 0, 7))
    part = (noise @ along) * along
    panel.axes.plot([0, part[0]], [0, part[1]], color=COLORS[0], linewidth=4, alpha=0.6, solid_capstyle="butt")
    panel.axes.plot([noise[0], part[0]], [noise[1], part[1]], color=COLORS[0], linewidth=1, linestyle=(0, (2, 2)))
    _dots(panel, {"w = 0": word, "x1": first, "x2": second})


def _halves(panel: Panel, near: Reals, far: Reals, names: tuple[str, str]) -> None:
    middle, along = (near + far) / 2, (far - near) / np.linalg.norm(far - near)
    border = np.array([-along[1], along[0]])
    ends = np.stack([middle - 9 * border, middle + 9 * border])
    corners = np.concatenate([ends, ends[::-1] + 18 * along])
    panel.axes.fill(corners[:, 0], corners[:, 1], color=COLORS[4], alpha=0.18, linewidth=0, zorder=0)
    panel.axes.plot(ends[:, 0], ends[:, 1], color="#000000", linewidth=1.2, linestyle="--")
    for name, left in zip(names, (0.03, 0.97), strict=True):
        panel.axes.text(
            left, 0.03, name, transform=panel.axes.transAxes, fontsize=9, ha="left" if left < 0.5 else "right"
        )


def _projection(panel: Panel, word: Reals, neighbor: Reals, noise: Reals) -> None:
    along = (neighbor - word) / np.linalg.norm(neighbor - word)
    part = word + (noise @ along) * along
    tip = word + noise
    panel.axes.plot([word[0], part[0]], [word[1], part[1]], color=COLORS[0], linewidth=4, alpha=0.6)
    panel.axes.plot([tip[0], part[0]], [tip[1], part[1]], color=COLORS[0], linewidth=1, linestyle=(0, (2, 2)))
    half = (word + neighbor) / 2
    panel.axes.annotate("half of it", half, xytext=(6, -12), textcoords="offset points", fontsize=9)


def _arrow(panel: Panel, start: Reals, tip: Reals, color: str, label: str, place: tuple[float, float, float]) -> None:
    """Draw an arrow; its name stands at the share ``place[0]`` of the way, moved by the rest of ``place`` points."""
    arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
    panel.axes.annotate("", tip, xytext=start, arrowprops=arrow)
    panel.axes.annotate(label, start + place[0] * (tip - start), xytext=place[1:], textcoords="offset points",
                        color=color, fontsize=10.5, ha="center")  # fmt: skip


def _dots(panel: Panel, named: dict[str, Reals]) -> None:
    places = {"w = 0": (-42, -17), "x1": (5, 7)}
    for name, point in named.items():
        panel.axes.scatter(*point, s=28, color="#000000", zorder=4)
        panel.axes.annotate(name, point, xytext=places.get(name, (5, -15)), textcoords="offset points", fontsize=11)
