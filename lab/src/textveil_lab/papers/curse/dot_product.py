"""Figure 6, the conditions on the nearest word; and beyond the paper, the exact noisy dot product and its tails."""

import numpy as np

from textveil_lab.laws.conditions import necessary_probability
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.laws.neighbors import neighbor_geometry
from textveil_lab.laws.tail_bounds import BOUNDS
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.papers.curse.facts import TABLE_2
from textveil_lab.papers.curse.noise_length import gap_sentence, largest_gap
from textveil_lab.papers.curse.rank_no_metric import label
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import Panel, new_figure
from textveil_lab.tables import Cell, Table

DIMENSIONS = (2, 25, 50, 300)
EPSILONS = tuple(float(epsilon) for epsilon in range(1, 51))  # Figure 6's grid, as in the artifact
DRAWS = 10_000  # Noise vectors of the Monte Carlo that the closed form replaces, as in the artifact


def dot_product(setting: StudySetting) -> ItemOutcome:
    """Plot the noisy dot product's density in several dimensions, with draws of the noise on top."""
    chart = new_figure(
        ["At epsilon = 1", "Scaled to variance 1, against the normal distribution"],
        x=["noisy dot product z (units of distance)", "z / sqrt(variance)"],
        y=["density", "log10 (density / normal density)"],
    )
    rows: list[tuple[Cell, ...]] = []
    z, scaled = np.linspace(-40, 40, 401), np.linspace(-4, 4, 401)
    normal = np.exp(-(scaled**2) / 2) / np.sqrt(2 * np.pi)
    heavier = {}
    for style, dim in enumerate(DIMENSIONS):
        distribution = NoisyDotProduct(dim=dim, rate=1.0)
        deviation = distribution.variance**0.5
        chart.panels[0].line(z, distribution.pdf(z), f"{dim} dimensions", style=style)
        ratio = distribution.pdf(scaled * deviation) * deviation / normal
        chart.panels[1].line(scaled, np.log10(ratio), f"{dim} dimensions", style=style)
        heavier[dim] = float(ratio[-1])
        rows += [
            (dim, float(at), float(density)) for at, density in zip(z[::10], distribution.pdf(z[::10]), strict=True)
        ]
    drawn = _drawn_products(setting, DIMENSIONS[-1], DRAWS if not setting.quick else 1000)
    heights, edges = np.histogram(drawn, bins=30, range=(-40, 40), density=True)
    label_of_draws = f"{len(drawn):,} draws in\n{DIMENSIONS[-1]} dimensions"
    chart.panels[0].points((edges[1:] + edges[:-1]) / 2, heights, label_of_draws, style=6)
    chart.panels[0].axes.set_ylim(bottom=0)
    chart.panels[0].legend("upper right")
    chart.panels[1].level(0.0, "the normal distribution", under=True)
    chart.panels[1].legend("upper center")
    gap = largest_gap(drawn, NoisyDotProduct(dim=DIMENSIONS[-1], rate=1.0).cdf)
    return ItemOutcome(
        tables={"": Table(columns=("dim", "z at epsilon 1", "density"), rows=tuple(rows), facts={"exact": True})},
        charts={"": chart},
        findings=(
            "The distribution is symmetric variance-gamma, in closed form; no Monte Carlo is needed. At epsilon 1 its "
            "standard deviation is sqrt(dim + 1), though the length of the noise is dim on average: in high dimension "
            "the noise is nearly orthogonal to any direction.",
            gap_sentence(f"the noise in {DIMENSIONS[-1]} dimensions", gap, len(drawn)),
            f"Scaled to variance 1, the density at four standard deviations is {heavier[DIMENSIONS[0]]:.2g} times the "
            f"normal one in {DIMENSIONS[0]} dimensions and {heavier[DIMENSIONS[-1]]:.2g} times in {DIMENSIONS[-1]}.",
        ),
    )


def tail_bounds(setting: StudySetting) -> ItemOutcome:
    """Plot upper tails of the noisy dot product against bounds, and the nats that the bounds lose."""
    dim = DIMENSIONS[-1]
    distribution = NoisyDotProduct(dim=dim, rate=1.0)
    z = np.linspace(1.0, 12 * distribution.variance**0.5, 120 if not setting.quick else 20)
    exact = distribution.log_survival(z)
    chart = new_figure(
        [f"Upper tail in {dim} dimensions at epsilon = 1", "What the bounds give away"],
        x="threshold z (units of distance)",
        y=["log10 P(Z > z)", "log10 (bound / exact)"],
    )
    left, right = chart.panels
    left.line(z, exact / np.log(10), "exact", style=6, marked=False)
    rows: list[tuple[Cell, ...]] = [
        ("exact", float(at), float(value)) for at, value in zip(z, exact / np.log(10), strict=True)
    ]
    findings = []
    for style, bound in enumerate(BOUNDS):
        name, logs = bound.name, bound.function(z, dim, 1.0)
        left.line(z, logs / np.log(10), name, style=style)
        right.line(z, (logs - exact) / np.log(10), name, style=style)
        rows += [(name, float(at), float(value)) for at, value in zip(z, logs / np.log(10), strict=True)]
        index = int(np.searchsorted(z, 5 * distribution.variance**0.5))
        excess = np.exp(min(logs[index] - exact[index], 700))
        findings.append(f'At five standard deviations the bound "{name}" is {excess:.3g} times the exact tail.')
    left.axes.set_ylim(top=0.5, bottom=1.1 * float(exact[-1]) / np.log(10))
    left.legend("lower left")
    right.legend("upper left")
    columns = ("curve", "z at epsilon 1", "log10 of the tail or its bound")
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts={"dim": dim, "exact": True})},
        charts={"": chart},
        findings=tuple(findings),
    )


def figure_6(setting: StudySetting) -> ItemOutcome:
    """Plot exact P(Z <= z) at thresholds of equations 18 and 19 against epsilon; the paper draws 10,000 vectors."""
    families = ("GloVe-Wiki", "GloVe-Twitter")
    epsilons = setting.thinned(EPSILONS)
    chart = new_figure(
        [f"{family}, thresholds of the paper's Table 2" for family in families] + ["Thresholds measured here"],
        x="epsilon (nats per unit of distance)",
        y="probability",
        y_range=(0.45, 1.02),
        columns=2,
        panel_size=(6.0, 4.4),
    )
    chart.patterns(
        ["solid: the original word stays nearer\nthan its first neighbor (eq. 18)",
         "dashed: the first neighbor stays nearer\nthan the second (eq. 19)"],
        position=(0.53, 0.22),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    worst, done = 0.0, 0
    for panel, family in zip(chart.panels, families, strict=False):
        known = [(name, row) for name, row in TABLE_2.items() if name.startswith(family + " ")]
        for style, (name, row) in enumerate(known):
            dim = int(name.rsplit(" ", 1)[1].removesuffix("d"))
            for kind, threshold in (("original against x1", row.half_first), ("x1 against x2", row.second)):
                assert threshold is not None
                exact = _curve(panel, name, kind, threshold, dim, epsilons, style)
                rows += [(name, "paper", kind, threshold, at, value) for at, value in zip(epsilons, exact, strict=True)]
                if not setting.quick:
                    worst = max(worst, _monte_carlo_gap(setting, dim, threshold, epsilons, exact))
            done += 1
            setting.progress(done / 10)
    for style, vocabulary in enumerate(setting.vocabularies):
        geometry = neighbor_geometry(vocabulary, setting.words(vocabulary, style), ranks=(2,))
        for kind, threshold in (
            ("original against x1", geometry.half_first.mean()),
            ("x1 against x2", geometry.gaps.mean()),
        ):
            name = label(vocabulary)
            exact = _curve(chart.panels[2], name, kind, float(threshold), vocabulary.dim, epsilons, style)
            rows += [(name, "here", kind, threshold, at, value) for at, value in zip(epsilons, exact, strict=True)]
    for panel in chart.panels[:-1]:
        panel.legend("below", columns=2)
    chart.panels[-1].legend("beside")
    comparisons: tuple[Comparison, ...] = ()
    if not setting.quick:
        comparisons = (
            Comparison(
                what="P(Z <= z), largest difference between the exact distribution and the paper's Monte Carlo",
                paper="10,000 draws a point (the plot prints no numbers)",
                ours=f"{worst:.4f} over all points, against our own 10,000 draws",
            ),
        )
    columns = ("vocabulary", "thresholds of", "condition", "threshold", "epsilon per distance", "probability")
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts={"exact": True})},
        charts={"": chart},
        findings=(
            "Solid: the original word stays nearer than its first neighbor (eq. 18). Dashed: the first neighbor stays "
            "nearer than the second (eq. 19). The solid curves reach 1 soon, so that no neighbor can come out (eq. "
            "20); the dashed ones rise slowly from 1/2, so that no neighbor stands out among them (eq. 21).",
        ),
        comparisons=comparisons,
        settings={
            "thresholds": "Table 2 of the paper, and those measured here",
            "draws a point": "none: the distribution is exact",
            "epsilon": epsilons,
        },
        judgment=_dominates(rows),
    )


def _dominates(rows: list[tuple[Cell, ...]]) -> Judgment:
    paper = [row for row in rows if row[1] == "paper"]
    first, second = (
        [float(str(row[-1])) for row in paper if row[2] == kind] for kind in ("original against x1", "x1 against x2")
    )
    above = sum(one > other for one, other in zip(first, second, strict=True))
    return Judgment(
        reproduced=Reproduced.YES if above == len(first) else Reproduced.PARTLY,
        why=f"With the paper's thresholds the original word's curve lies above that of its first neighbor at "
        f"{above} of "
        f"{len(first)} points. The paper estimates the same probabilities from draws; these are exact.",
    )


def _curve(
    panel: Panel, name: str, kind: str, threshold: float, dim: int, epsilons: tuple[float, ...], style: int
) -> list[float]:
    solid = kind.startswith("original")
    exact = necessary_probability(threshold, dim, epsilons)
    panel.line(epsilons, exact, name if solid else None, style=style, pattern=0 if solid else 1)
    return [float(value) for value in exact]


def _drawn_products(setting: StudySetting, dim: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    noise = SphericalLaplace(dim=dim, rate=1.0).sample(count, setting.generator(2, dim))
    return noise[:, 0].astype(np.float64)


def _monte_carlo_gap(
    setting: StudySetting, dim: int, threshold: float, epsilons: tuple[float, ...], exact: list[float]
) -> float:
    drawn = _drawn_products(setting, dim, DRAWS)
    return max(
        abs(float((drawn / epsilon <= threshold).mean()) - value)
        for epsilon, value in zip(epsilons, exact, strict=True)
    )
