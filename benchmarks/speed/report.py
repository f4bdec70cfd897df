"""Results of a benchmark as a text table, as JSON and as figures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from speed.measure import Result, machine
from speed.memory import memory
from speed.search import noise, search
from speed.words import channels, mechanisms, rivals, text
from speed.workload import Scale
from textveil.errors import ParameterError
from textveil.json_text import json_text
from textveil.whole_files import write_whole
from textveil_lab.plots import new_figure, save_figure

PARTS: Mapping[str, Callable[[Scale], Iterator[Result]]] = MappingProxyType(
    {
        "search": search,
        "noise": noise,
        "channels": channels,
        "mechanisms": mechanisms,
        "text": text,
        "memory": memory,
        "rivals": rivals,
    }
)
"""Benchmarks by name, in the order in which they run."""


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """The parts of these names, all where none is named.

    Raises:
        ParameterError: there is no such part.
    """
    for name in names:
        if name not in PARTS:
            raise ParameterError(f"PART must be one of {', '.join(PARTS)}; got {name[:60]!r}.")
    return tuple(dict.fromkeys(names)) or tuple(PARTS)


def line(result: Result) -> str:
    """One result for a reader."""
    rate = "-" if result.rate is None else f"{_short(result.rate)} {result.unit}"
    ratio = "" if result.speedup is None else f"{_short(result.speedup)} x {result.against}"
    return f"{result.what:<62} {rate:>18}  {ratio or result.note}".rstrip()


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def to_data(results: Iterable[Result], scale: Scale) -> dict[str, Any]:
    """All results, with the machine, the versions and the threads."""
    sizes = {"sizes": scale.sizes, "batches": scale.batches, "rounds": scale.rounds}
    return {"machine": machine(), "scale": sizes, "results": [result.to_data() for result in results]}


def write(results: Sequence[Result], scale: Scale, folder: Path) -> list[Path]:
    """The table, the JSON and the figures that the results have points for, into a folder.

    Raises:
        MissingExtra: matplotlib is not installed.
        OutputError: the folder cannot be written.
    """
    table = "".join(f"{line(result)}\n" for result in results)
    facts = "".join(f"{name}: {value}\n" for name, value in machine().items())
    written = [
        write_whole(folder / "bench.json", json_text(to_data(results, scale), indent=1).encode("utf-8")),
        write_whole(folder / "bench.txt", (facts + "\n" + table).encode("utf-8")),
    ]
    for draw in (_by_size, _by_batch, _by_corpus):
        written += draw(results, folder)
    return written


def _series(results: Iterable[Result], along: str, fixed: str, keep: Callable[[list[Any]], Any]) -> dict[str, Any]:
    """Name to points (along, rate), where ``fixed`` has the value that ``keep`` chooses."""
    rows = [
        result
        for result in results
        if result.part in ("search", "mechanisms") and result.rate and along in result.facts
    ]
    rows = [result for result in rows if result.against in ("", "faiss IndexFlatL2")]
    series: dict[str, dict[float, float]] = {}
    for name, mine in _grouped(rows).items():
        value = keep([result.facts[fixed] for result in mine])
        for row in mine:
            if row.facts[fixed] == value and row.rate:
                series.setdefault(name, {})[row.facts[along]] = row.rate
                if row.speedup and name.endswith("numpy"):
                    series.setdefault("search, faiss flat", {})[row.facts[along]] = row.rate / row.speedup
    return {name: sorted(points.items()) for name, points in series.items() if len(points) > 1}


def _grouped(rows: Iterable[Result]) -> dict[str, list[Result]]:
    grouped: dict[str, list[Result]] = {}
    for result in rows:
        name = f"search, {result.facts['backend']}" if "backend" in result.facts else str(result.facts["mechanism"])
        grouped.setdefault(name, []).append(result)
    return grouped


def _lines(series: dict[str, Any], title: str, x: str, folder: Path, name: str) -> list[Path]:
    if not series:
        return []
    chart = new_figure([title], x=x, y="words a second", x_scale="log", y_scale="log", panel_size=(6.4, 4.2))
    for style, (label, points) in enumerate(series.items()):
        chart.panels[0].line([at for at, _ in points], [rate for _, rate in points], label, style=style)
    chart.panels[0].legend()
    return save_figure(chart, folder, name)


def _by_size(results: Sequence[Result], folder: Path) -> list[Path]:
    series = _series(results, "words", "batch", max)
    return _lines(
        series, "Speed by vocabulary, largest batch", "words of the vocabulary", folder, "speed-by-vocabulary"
    )


def _by_batch(results: Sequence[Result], folder: Path) -> list[Path]:
    def usual(sizes: list[Any]) -> Any:
        return max((size for size in sizes if size <= 40_000), default=max(sizes))

    series = _series(results, "batch", "words", usual)
    return _lines(series, "Speed by batch, about 30,000 words", "words drawn at once", folder, "speed-by-batch")


def _by_corpus(results: Sequence[Result], folder: Path) -> list[Path]:
    points = sorted(
        (result.facts["corpus bytes"] / 2**20, result.facts["resident bytes"] / 2**20)
        for result in results
        if "resident bytes" in result.facts
    )
    if len(points) < 2:
        return []
    chart = new_figure(
        ["Memory by corpus, workers included"],
        x="corpus, MB",
        y="largest resident memory, MB",
        x_scale="log",
        y_range=(0, 1.3 * max(held for _, held in points)),
        panel_size=(6.4, 4.2),
    )
    chart.panels[0].line([size for size, _ in points], [held for _, held in points])
    return save_figure(chart, folder, "memory-by-corpus")
