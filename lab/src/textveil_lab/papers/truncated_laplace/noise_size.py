"""Why the public code shows the paper's pattern: length of the noise relative to the vectors, and the loss at it."""

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.papers.truncated_laplace.facts import BLOCKS, MECHANISMS
from textveil_lab.papers.truncated_laplace.public_code import CLIP, clip_of, mechanism_of, public_noise
from textveil_lab.papers.truncated_laplace.results import Results, results_of
from textveil_lab.papers.truncated_laplace.sentences import RewritingCell, cells_of, clean_cell
from textveil_lab.papers.truncated_laplace.tables import settings_of
from textveil_lab.papers.truncated_laplace.verdicts import ExperimentWay
from textveil_lab.plots import Chart, new_figure
from textveil_lab.tables import Table
from textveil_lab.vocabulary.geometry.facts import norms


class Lengths(NamedTuple):
    """Lengths of one cell, in units of the vectors."""

    noise: float  # root mean square length of a word's noise
    vector: float  # mean length of the vectors to which it is added

    @property
    def ratio(self) -> float:
        return self.noise / self.vector


def lengths_of(cell: RewritingCell, vocabulary: Vocabulary) -> Lengths | None:
    """Return noise and vector lengths of a cell; None if words are drawn without noise on vectors."""
    assert cell.mechanism is not None
    assert cell.epsilon is not None
    if cell.way is ExperimentWay.CODE:
        noise = public_noise(cell.mechanism, cell.epsilon, vocabulary.vectors)
        return Lengths(noise.size(1), float(np.mean(norms(vocabulary.vectors))))
    mechanism = mechanism_of(cell, vocabulary)
    if not isinstance(mechanism, PerturbProject):
        return None
    distribution = mechanism.distribution
    return Lengths(math.sqrt(distribution.dim * distribution.variance), clip_of(vocabulary))


def noise_size(setting: StudySetting) -> ItemOutcome:
    """Plot the noise's length over the vectors' in every cell, and the loss at each ratio."""
    results = results_of(setting, BLOCKS)
    rows = []
    for block, material in results.materials.items():
        for way in ExperimentWay:
            for cell in cells_of(results.size, way, block):
                found = lengths_of(cell, material.vocabulary)
                if found is not None:
                    losses = (results.scores(cell, "seen").loss, results.scores(cell).loss)
                    start = (block.corpus, block.embeddings, way.value, cell.mechanism, cell.epsilon)
                    rows.append((*start, found.noise, found.vector, found.ratio, *losses, results.scores(cell).n_w))
    columns = ("corpus", "embeddings", "way", "mechanism", "epsilon", "noise length", "vector length", "noise / vector",
               "loss, trained sentences", "loss, held out", "N_w, held out")  # fmt: skip
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts={"size": results.size.to_data()})},
        charts={"": _chart(results)},
        findings=_findings(results),
        settings=settings_of(results),
    )


def _chart(results: Results) -> Chart:
    block = next(iter(results.materials))
    vocabulary = results.materials[block].vocabulary
    titles = [f"{block.corpus}, {block.embeddings}: {way.value}" for way in ExperimentWay]
    titles += ["Loss against noise / vector, public code", "N_w against noise / vector, word by word"]
    y = ["noise length / vector length"] * 3 + ["loss, nats a sentence", "N_w, held out"]
    chart = new_figure(titles, x=["epsilon"] * 3 + ["noise length / vector length"] * 2, y=y, x_scale="log")
    for panel, way in zip(chart.panels, ExperimentWay, strict=False):
        panel.axes.set_yscale("log")
        for style, mechanism in enumerate(MECHANISMS):
            own = [cell for cell in cells_of(results.size, way, block) if cell.mechanism == mechanism]
            ratios = [found.ratio for cell in own if (found := lengths_of(cell, vocabulary)) is not None]
            panel.line([cell.epsilon or 0.0 for cell in own], ratios, mechanism, style=style)
        panel.level(1.0, "noise as long as the vectors")
        panel.ticks(results.size.epsilons)
    loss, words = chart.panels[3:]
    scattered = (
        (loss, (ExperimentWay.CODE,), "loss", "seen"),
        (words, (ExperimentWay.TEXT, ExperimentWay.VALID), "n_w", "held_out"),
    )
    for panel, ways, metric, part in scattered:
        for style, mechanism in enumerate(MECHANISMS):
            cells = [cell for way in ways for cell in cells_of(results.size, way, block) if cell.mechanism == mechanism]
            known = [(found.ratio, cell) for cell in cells if (found := lengths_of(cell, vocabulary)) is not None]
            scores = [getattr(results.scores(cell, part), metric) for _, cell in known]
            panel.points([ratio for ratio, _ in known], scores, mechanism, style=style, size=30)
    loss.level(results.scores(clean_cell(block), "seen").loss, "without noise")
    chart.legend()
    return chart


def _findings(results: Results) -> tuple[str, ...]:
    block = next(iter(results.materials))
    vocabulary = results.materials[block].vocabulary
    low = results.size.epsilons[0]
    lengths = {
        way: {name: lengths_of(RewritingCell(block, way, name, low), vocabulary) for name in MECHANISMS}
        for way in ExperimentWay
    }
    code, text = lengths[ExperimentWay.CODE], lengths[ExperimentWay.TEXT]
    short, long = code["truncated-laplace"], code["laplace"]
    printed, printed_gaussian = text["truncated-laplace"], text["gaussian"]
    assert short is not None
    assert long is not None
    assert printed is not None
    assert printed_gaussian is not None
    ranked = [cell for cell in cells_of(results.size, ExperimentWay.CODE, block) if cell.mechanism in MECHANISMS]
    ratios = [found.ratio for cell in ranked if (found := lengths_of(cell, vocabulary)) is not None]
    correlation = float(np.corrcoef(rankdata(ratios), rankdata([_loss(results, cell) for cell in ranked]))[0, 1])
    losses = {cell.mechanism: _loss(results, cell) for cell in ranked if cell.epsilon == low}
    clean = _loss(results, clean_cell(block))
    stay = max(results.scores(RewritingCell(block, ExperimentWay.TEXT, name, low)).n_w for name in MECHANISMS)
    return (
        f"Public code, epsilon {low:g} ({block.corpus}, {block.embeddings}): vectors have length {short.vector:.2f} "
        f"and are not clipped; truncated Laplace noise, sized for vectors of length C = {CLIP:g}, has length "
        f"{short.noise:.2f}, Laplace noise {long.noise:.0f}. The loss on trained sentences is {clean:.1f} without "
        f"noise, {losses['truncated-laplace']:.1f} under the first and {losses['laplace']:.1f} under the second. "
        f"Over the {len(ranked)} cells of the public code's way with these words, the ranks of the loss and of the "
        f"noise's length over the vector's have a correlation of {correlation:.2f}, whatever the noise is called.",
        f"As the text says, epsilon {low:g}: vectors are clipped to C, and the noise is {printed.ratio:.0f} times as "
        f"long for truncated Laplace and {printed_gaussian.ratio:,.0f} times for Gaussian noise (delta = 4^-300), "
        f"whatever C is. At most {100 * stay:.1f} % of the words stay.",
    )


def _loss(results: Results, cell: RewritingCell) -> float:
    return results.scores(cell, "seen").loss
