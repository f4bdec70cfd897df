"""Figure 10: the length of a uniform point of a disc has density 2 r / R^2, and is not uniform.

The ring between r and r + dr has area 2 pi r dr, the share 2 r dr / R^2 of the disc's pi R^2. In n dimensions the shell
at radius r grows like r^(n - 1), and that factor turns noise of density exp(-epsilon ||z||) into a length of density
proportional to r^(n - 1) exp(-epsilon r): Gamma(n, 1 / epsilon). Source: Asghar, Carpentier, Zhao and Kaafar 2026,
appendix B.
"""

import math
from itertools import pairwise
from typing import Any, Final

import numpy as np

from textveil.statistics import clopper_pearson
from textveil.types import Reals, Vectors
from textveil_lab.papers.curse.noise_length import agrees, gap_sentence, largest_gap
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import COLORS, GRAY, Panel, new_figure
from textveil_lab.tables import Cell, Table

RADIUS: Final = 1.0  # R of the disc
RING: Final = (0.7, 0.76)  # Where the ring that is drawn begins and ends, r and r + dr
CIRCLES: Final = 10  # Circles at equal steps of the radius; the table counts points between them
_DRAWS: Final = 20_000
_QUICK_DRAWS: Final = 2000
_SHOWN: Final = 1500  # Points that a panel shows; the table counts all


def ring_share(inner: float, outer: float, radius: float = RADIUS) -> float:
    """Return P(inner < length <= outer) for a uniform point: the integral of 2 r / R^2, the share of the ring."""
    return (outer * outer - inner * inner) / (radius * radius)


def disc_lengths(count: int, rng: np.random.Generator, radius: float = RADIUS) -> Reals:
    """Return lengths of density 2 r / R^2 on [0, R] by inversion of r^2 / R^2; shape (count,)."""
    return radius * np.sqrt(1 - rng.random(count))


def figure_10(setting: StudySetting) -> ItemOutcome:
    """Draw circles and a thin ring: points of uniform length, which crowd at the center, and of density 2 r / R^2."""
    count = _DRAWS if not setting.quick else _QUICK_DRAWS
    rng = setting.generator(6)
    even, angles = disc_lengths(count, rng), 2 * np.pi * rng.random(count)
    crowded = RADIUS * rng.random(count)
    chart = new_figure(
        [
            "The ring at r has area 2πr dr,\na share 2r dr / R² of the disc",
            "Length of density 1 / R:\npoints crowd at the center",
            "Length of density 2r / R²:\nthe disc is filled evenly",
        ],
        x="x / R",
        y="y / R",
        panel_size=(4.3, 4.6),
    )
    for panel in chart.panels:
        _disc(panel)
    _ring(chart.panels[0])
    for style, (panel, lengths) in enumerate(zip(chart.panels[1:], (crowded, even), strict=True)):
        shown = _placed(lengths, angles)[:_SHOWN]
        panel.points(shown[:, 0], shown[:, 1], style=style, size=7)
    edges = np.linspace(0, RADIUS, CIRCLES + 1)
    rows: list[tuple[Cell, ...]] = []
    for low, high in pairwise(edges):
        cells: list[Cell] = [float(low), float(high), ring_share(float(low), float(high))]
        for lengths in (even, crowded):
            inside = clopper_pearson(int(((lengths > low) & (lengths <= high)).sum()), count)
            cells += [inside.estimate, inside.lower, inside.upper]
        rows.append(tuple(cells))
    gap = largest_gap(even, lambda length: (length / RADIUS) ** 2)
    setting.progress(1.0)
    drawn = tuple(f"{name}{end}" for name in ("density 2r/R^2", "uniform") for end in ("", ", lower", ", upper"))
    columns = ("ring from", "to", "share of the area (exact)", *drawn)
    facts = {"draws": count, "seed": setting.seed, "confidence": 0.99}
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts=facts)},
        charts={"": chart},
        findings=(
            f"The inner half of the radius holds {ring_share(0, RADIUS / 2):.0%} of the disc's area; with a uniform "
            f"length it gets {float((crowded <= RADIUS / 2).mean()):.1%} of the points, with density 2r / R² "
            f"{float((even <= RADIUS / 2).mean()):.1%}.",
            gap_sentence("the length with density 2r / R²", gap, count),
            "In n dimensions the factor r becomes r^(n - 1): that is why noise of density proportional to "
            "exp(-epsilon |z|) has a length with distribution Gamma(n, 1 / epsilon), and not an exponential one "
            "(figure 4).",
        ),
        settings={"draws": count, "points shown": min(count, _SHOWN)},
        judgment=Judgment(
            reproduced=Reproduced.YES if agrees(gap, count) else Reproduced.NO,
            why="The thin ring has a share 2r dr / R² of the area, and lengths drawn with that density fill the "
            "disc evenly.",
        ),
    )


def _placed(lengths: Reals, angles: Reals) -> Vectors:
    return np.stack([lengths * np.cos(angles), lengths * np.sin(angles)], axis=1)


def _disc(panel: Panel) -> None:
    turn = np.linspace(0, 2 * np.pi, 361)
    for step in range(1, CIRCLES + 1):
        circle = _placed(np.full(len(turn), RADIUS * step / CIRCLES), turn)
        last = step == CIRCLES
        panel.axes.plot(circle[:, 0], circle[:, 1], color="#000000" if last else GRAY, linewidth=1.3 if last else 0.5)
    panel.axes.set(xlim=(-1.08, 1.08), ylim=(-1.08, 1.08))
    panel.axes.set_aspect("equal")
    panel.axes.grid(visible=False)


def _ring(panel: Panel) -> None:
    inner, outer = RING
    turn = np.linspace(0, 2 * np.pi, 361)
    outside, inside = _placed(np.full(361, outer), turn), _placed(np.full(361, inner), turn)[::-1]
    panel.axes.fill(
        np.concatenate([outside[:, 0], inside[:, 0]]),
        np.concatenate([outside[:, 1], inside[:, 1]]),
        color=COLORS[0],
        alpha=0.6,
        linewidth=0,
    )
    _arrow(panel, inner, math.radians(35), "r")
    _arrow(panel, RADIUS, math.radians(-40), "R")
    edge = _placed(np.array([(inner + outer) / 2]), np.array([math.radians(120)]))[0]
    panel.axes.annotate("dr", edge, xytext=(-0.95, 0.98), fontsize=11, arrowprops={"arrowstyle": "-", "color": GRAY})


def _arrow(panel: Panel, length: float, angle: float, label: str) -> None:
    tip = (length * math.cos(angle), length * math.sin(angle))
    arrow: dict[str, Any] = {"arrowstyle": "-|>", "color": "#000000", "shrinkA": 0, "shrinkB": 0}
    panel.axes.annotate("", tip, xytext=(0, 0), arrowprops=arrow)
    panel.axes.annotate(label, (tip[0] / 2, tip[1] / 2), xytext=(2, 5), textcoords="offset points", fontsize=12,
                        bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"})  # fmt: skip
