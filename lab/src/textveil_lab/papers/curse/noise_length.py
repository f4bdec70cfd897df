"""Figure 4: the density of the noise's length, which hardly varies in many dimensions.

It also compares draws with their exact distribution.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from textveil.types import Reals
from textveil_lab.laws.noise_components import NoiseLength
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import Panel, new_figure
from textveil_lab.tables import Cell, Table


def largest_gap(drawn: Reals, cdf: Callable[[Reals], Reals]) -> float:
    """Return Kolmogorov's distance between draws' empirical distribution, shape (draws,), and a distribution function.

    For draws from that distribution, 99.9 % of samples stay below about 1.95 / sqrt(draws).
    """
    exact = cdf(np.sort(drawn))
    steps = np.arange(len(drawn) + 1) / len(drawn)
    return float(max(np.abs(exact - steps[1:]).max(), np.abs(exact - steps[:-1]).max()))


def agrees(gap: float, draws: int) -> bool:
    """Tell whether chance allows that distance, at 0.1 %."""
    return gap < 1.95 / draws**0.5


def gap_sentence(what: str, gap: float, draws: int) -> str:
    """Return the distance and its threshold as a sentence of a report."""
    return (
        f"{draws:,} draws of {what} differ from the exact distribution function by {gap:.4f} at most; 99.9 % of such "
        f"samples stay below {1.95 / draws**0.5:.4f} (Kolmogorov)."
    )


DIMENSIONS: Final = (25, 50, 100, 200, 300)  # Those of the paper's vocabularies
RATE: Final = 1.0  # Nats per unit of distance; at another rate lengths are divided by it
_DRAWS: Final = 10_000
_QUICK_DRAWS: Final = 1000
_POINTS: Final = 401
_SPREAD: Final = 0.05  # Lengths within this share of the mean are counted


def figure_4(setting: StudySetting) -> ItemOutcome:
    """Plot Gamma(n, 1 / epsilon) for several n, also as a share of its mean, with lengths of drawn noise on top."""
    chart = new_figure(
        [f"Density of the noise's length at epsilon = {RATE:g}", "The same as a share of the mean length"],
        x=["length of the noise (units of distance)", "length / mean length"],
        y="density",
        panel_size=(6.2, 4.0),
    )
    left, right = chart.panels
    lengths = np.linspace(0, 1.25 * DIMENSIONS[-1] / RATE, _POINTS)
    shares = np.linspace(0.3, 1.9, _POINTS)
    rows: list[tuple[Cell, ...]] = []
    for style, dim in enumerate(DIMENSIONS):
        law = NoiseLength(dim, RATE)
        left.line(lengths, law.pdf(lengths), f"n = {dim}", style=style, marked=False)
        right.line(shares, law.pdf(shares * law.mean) * law.mean, f"n = {dim}", style=style, marked=False)
        low, high = law.quantile([0.005, 0.995])
        rows.append((dim, law.mean, law.variance**0.5, (dim - 1) / RATE, float(low), float(high), _near_mean(law)))
    dim = DIMENSIONS[-1]
    drawn = _drawn_lengths(setting, dim, _DRAWS if not setting.quick else _QUICK_DRAWS)
    _histogram(left, drawn, f"{len(drawn):,} draws, n = {dim}")
    for panel in chart.panels:
        panel.axes.set_ylim(bottom=0)
        panel.legend("upper right")
    law, gap = NoiseLength(dim, RATE), largest_gap(drawn, NoiseLength(dim, RATE).cdf)
    columns = (
        "n",
        "mean length",
        "sd",
        "mode",
        "0.5 % below",
        "0.5 % above",
        f"within {100 * _SPREAD:g} % of the mean",
    )
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts={"epsilon": RATE, "exact": True})},
        charts={"": chart},
        findings=(
            "The length is Gamma(n, 1 / epsilon): mean n / epsilon, standard deviation sqrt(n) / epsilon. It grows "
            "with n, and as a share of its mean it narrows like 1 / sqrt(n).",
            f"In {dim} dimensions {100 * _near_mean(law):.0f} % of the lengths are within {100 * _SPREAD:g} % of the "
            f"mean, in {DIMENSIONS[0]} dimensions {100 * _near_mean(NoiseLength(DIMENSIONS[0], RATE)):.0f} %: noise in "
            f"many dimensions lies in a thin shell. It is shorter than half its mean with probability "
            f"{_below_half(law):.1e}, in {DIMENSIONS[0]} dimensions "
            f"{_below_half(NoiseLength(DIMENSIONS[0], RATE)):.1e}.",
            gap_sentence(f"the length in {dim} dimensions", gap, len(drawn)),
        ),
        settings={"n": tuple(map(float, DIMENSIONS)), "epsilon": RATE, "draws in the histogram": len(drawn)},
        judgment=Judgment(
            reproduced=Reproduced.YES if agrees(gap, len(drawn)) else Reproduced.NO,
            why="The density is that of Gamma(n, 1 / epsilon), as the paper says, and draws of the noise "
            f"{'agree' if agrees(gap, len(drawn)) else 'do not agree'} with it. The paper's n and epsilon were "
            "not at hand.",
        ),
    )


def _near_mean(law: NoiseLength) -> float:
    low, high = law.cdf([law.mean * (1 - _SPREAD), law.mean * (1 + _SPREAD)])
    return float(high - low)


def _below_half(law: NoiseLength) -> float:
    return float(law.cdf(law.mean / 2))


def _drawn_lengths(setting: StudySetting, dim: int, count: int) -> Reals:
    noise = SphericalLaplace(dim=dim, rate=RATE).sample(count, setting.generator(5, dim), np.float64)
    return np.linalg.norm(noise, axis=1)


def _histogram(panel: Panel, drawn: Reals, label: str) -> None:
    heights, edges = np.histogram(drawn, bins=24, density=True)
    panel.points((edges[1:] + edges[:-1]) / 2, heights, label, style=6)
