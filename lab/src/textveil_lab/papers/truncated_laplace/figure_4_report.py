"""Tables, figure and sentences of figure 4 from the measurements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from textveil_lab.downstream.scorers import UNCHANGED
from textveil_lab.frontiers.downstream.measured import CONFIDENCE, ON_RELEASES, ON_TEXTS, Measured
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced
from textveil_lab.papers.truncated_laplace.facts import clean_accuracy
from textveil_lab.papers.truncated_laplace.verdicts import ExperimentWay
from textveil_lab.plots import Chart, new_figure
from textveil_lab.tables import Cell, Table

CALLED: Final = {**{way: way.value for way in ExperimentWay}, ExperimentWay.CODE: "noise of the public code"}
"""Names of the three ways in the report.

The second differs from the public code: its classifiers learn from and are tested on the original texts, by the table
of vectors of its auto-encoder, and no noise reaches them. So here its noise is added to the vectors that a classifier
reads.
"""

_PRINTED: Final = {"sst2": "sst-2", "agnews": "ag-news"}
_TITLES: Final = {"sst2": "SST-2", "agnews": "AG News"}
_CHANCE: Final = {"sst2": 1 / 2, "agnews": 1 / 4}
_SCORES: Final = tuple(f"{name}, {tested}" for name in ("linear", "network") for tested in (ON_RELEASES, ON_TEXTS))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Point:
    """One measurement; ``way`` and ``mechanism`` are empty for the original texts."""

    corpus: str
    embeddings: str
    way: str
    mechanism: str
    epsilon: float | None
    measured: Measured


def reported(points: Sequence[Point], facts: Mapping[str, Any]) -> ItemOutcome:
    """Return the table of all points, a figure for each embeddings, and sentences.

    Args:
        points: every cell.
        facts: conditions of the measurements.
    """
    kinds = list(dict.fromkeys(point.embeddings for point in points if point.way))  # some are read clean alone
    return ItemOutcome(
        tables={"": _table(points, facts)},
        charts={kind: _chart([point for point in points if point.embeddings == kind]) for kind in kinds},
        findings=tuple(_findings(points)),
        comparisons=tuple(_comparisons(points)),
        settings=_settings(facts),
        judgment=_judgment(points),
    )


def _settings(facts: Mapping[str, Any]) -> dict[str, Cell | tuple[float, ...]]:
    flat = {key: value for key, value in facts.items() if isinstance(value, str | int | float)}
    flat |= {f"network, {key}": value for key, value in facts["networks"].items()}
    return {**flat, **{f"embeddings, {kind}": name for kind, name in facts["vocabularies"].items()}}


def _table(points: Sequence[Point], facts: Mapping[str, Any]) -> Table:
    columns = ["corpus", "embeddings", "way", "mechanism", "epsilon"]
    for name in (*_SCORES, UNCHANGED, "recovered by a Bayes attacker"):
        columns += [name, f"{name}, lower", f"{name}, upper"]
    lines: list[tuple[Cell, ...]] = []
    for point in points:
        cells: list[Cell] = [_TITLES[point.corpus], point.embeddings, point.way, point.mechanism, point.epsilon]
        found = point.measured
        bounds = [found.bound(name) if name in found.scores else None for name in (*_SCORES, UNCHANGED)]
        for bound in (*bounds, found.recovered):
            cells += [None] * 3 if bound is None else [bound.estimate, bound.lower, bound.upper]
        lines.append(tuple(cells))
    return Table(columns=tuple(columns), rows=tuple(lines), facts={**facts, "confidence": CONFIDENCE})


def _chart(points: Sequence[Point]) -> Chart:
    corpora, ways = (list(dict.fromkeys(getattr(one, name) for one in points if one.way)) for name in ("corpus", "way"))
    panels = [(corpus, way) for corpus in corpora for way in ways]
    chart = new_figure(
        [f"{_TITLES[corpus]}, {way}" for corpus, way in panels],
        x="epsilon",
        y=f"accuracy, network {ON_RELEASES}",
        columns=len(ways),
        panel_size=(4.4, 3.4),
        x_scale="log",
        y_range=(0, 1),
    )
    names = list(dict.fromkeys(point.mechanism for point in points if point.mechanism))
    score = f"network, {ON_RELEASES}"
    for panel, (corpus, way) in zip(chart.panels, panels, strict=True):
        here = [point for point in points if point.corpus == corpus]
        for style, name in enumerate(names):
            mine = [(p.epsilon, p.measured.bound(score)) for p in here if (p.way, p.mechanism) == (way, name)]
            x = [float(epsilon) for epsilon, _ in mine if epsilon is not None]
            low, middle, high = ([bound[place] for _, bound in mine] for place in range(3))
            panel.line(x, middle, name, style=style, low=low, high=high)
        clean = next(point for point in here if not point.way)
        panel.level(clean.measured.bound(score).estimate, "texts as they are")
    chart.legend(columns=4)
    return chart


def _findings(points: Sequence[Point]) -> Iterator[str]:
    yield (
        "The public code gives its classifiers no noise: they read the texts as they are, beginning with the table of "
        "vectors that the auto-encoder was left with. Here its noises are on the vectors that a classifier reads."
    )
    yield (
        "Where noise is added to vectors, the attacker is given the noisy vector, which is more than is released; he "
        "knows how often each word occurs in the documents that are learned from."
    )
    for corpus in dict.fromkeys(point.corpus for point in points):
        for way in dict.fromkeys(point.way for point in points if point.way):
            here = [p for p in points if (p.corpus, p.way, p.embeddings) == (corpus, way, "GloVe")]
            ends = sorted({p.epsilon for p in here if p.epsilon is not None})
            told = [
                f"at epsilon {epsilon:g}, {'; '.join(_told(p) for p in here if p.epsilon == epsilon)}"
                for epsilon in dict.fromkeys((ends[0], ends[-1]))
            ]
            head = f"{_TITLES[corpus]}, GloVe, {way}, linear classifier (chance {_CHANCE[corpus]:g})"
            yield f"{head}: {'. And '.join(told)}."


def _told(point: Point) -> str:
    found = point.measured
    parts = [f"{point.mechanism} {found.bound(f'linear, {ON_RELEASES}').estimate:.2f}"]
    if f"linear, {ON_TEXTS}" in found.scores:
        parts.append(f"{found.bound(f'linear, {ON_TEXTS}').estimate:.2f} on clean text")
    if found.recovered is not None:
        parts.append(f"attacker {found.recovered.estimate:.2f}")
    return ", ".join(parts)


def _comparisons(points: Sequence[Point]) -> Iterator[Comparison]:
    for point in points:
        if point.way:
            continue
        linear, network = (point.measured.bound(f"{name}, {ON_TEXTS}") for name in ("linear", "network"))
        yield Comparison(
            what=f"{_TITLES[point.corpus]}, {point.embeddings}: accuracy without privacy",
            paper=f"{clean_accuracy(_PRINTED[point.corpus], point.embeddings):.4f}",
            ours=f"network {network.estimate:.3f}, linear {linear.estimate:.3f}",
            note="Fewer and shorter documents, and fewer words, than the paper's."
            if point.embeddings != "random"
            else "The paper's networks learn next to nothing on random vectors.",
        )


def _judgment(points: Sequence[Point]) -> Judgment:
    score = f"network, {ON_RELEASES}"
    kept: dict[str, list[tuple[float, float, float]]] = {way: [] for way in CALLED.values()}
    for point in (one for one in points if one.way):
        least = min(p.epsilon or 0 for p in points if p.way and p.embeddings == point.embeddings)
        if point.mechanism == "truncated-laplace" and point.epsilon == least and point.embeddings != "random":
            same = [p for p in points if not p.way and (p.corpus, p.embeddings) == (point.corpus, point.embeddings)]
            chance, clean = _CHANCE[point.corpus], same[0].measured.bound(score).estimate
            low, middle, high = ((one - chance) / max(clean - chance, 1e-9) for one in point.measured.bound(score)[:3])
            kept[point.way].append((low, middle, high))
    shares = {
        way: [sum(ends) / len(ends) for ends in zip(*values, strict=True)] for way, values in kept.items() if values
    }
    told = "; ".join(
        f"{way}, {100 * middle:.0f} % (between {100 * low:.0f} and {100 * high:.0f})"
        for way, (low, middle, high) in shares.items()
    )
    apart = shares[CALLED[ExperimentWay.CODE]][0] > 0.5 > shares[CALLED[ExperimentWay.TEXT]][2]
    held = Reproduced.PARTLY if apart else Reproduced.NO
    return Judgment(
        reproduced=held,
        why="What truncated Laplace noise leaves at the least epsilon of all that can be learned without privacy, "
        f"fastText and GloVe together: {told}. The public code's noise is one small vector for a whole batch and "
        "protects nothing; and in that code itself classifiers read no noise at all.",
    )
