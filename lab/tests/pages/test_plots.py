"""Figures: the same bytes for the same data, one look a series, no state outside the figure, one clear error."""

import sys
from pathlib import Path

import numpy as np
import pytest

import textveil
import textveil_lab
from textveil.errors import MissingExtra, OutputError, ParameterError
from textveil_lab import plots
from textveil_lab.plots import new_figure, save_figure


def drawn() -> plots.Chart:
    chart = new_figure(["left", "right"], x="epsilon (nats)", y=["share", "probability"], y_range=(0, 1))
    x = np.linspace(0, 1, 9)
    chart.panels[0].line(x, x, "one", low=x - 0.1, high=x + 0.1)
    chart.panels[0].line(x, x**2, "two", style=1, pattern=0)
    chart.panels[0].points(x, x**3, "three", style=2, size=x * 20)
    chart.panels[0].level(0.5, "half")
    chart.panels[0].level(0.2, "upright", upright=True)
    chart.panels[0].level(0.8, "below the line", under=True)
    chart.panels[0].ticks([0.0, 0.5])
    chart.panels[0].legend("below", columns=3)
    chart.legend()
    chart.patterns(["first kind", "second kind"], (0.1, 0.9))
    chart.panels[1].stacked(["a", "b"], {"first": [0.2, 0.5], "second": [0.8, 0.5]})
    chart.panels[1].legend(title="parts")
    return chart


def test_the_same_bytes_for_the_same_data(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    paths = save_figure(drawn(), tmp_path, "one") + save_figure(drawn(), tmp_path, "two")
    assert [path.name for path in paths] == ["one.png", "one.svg", "two.png", "two.svg"]
    assert paths[0].read_bytes() == paths[2].read_bytes()
    assert paths[1].read_bytes() == paths[3].read_bytes()
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    svg = paths[1].read_text()
    assert "<svg" in svg
    assert "<dc:date>" not in svg
    assert str(Path.home()) not in svg


def test_every_series_differs_by_more_than_color() -> None:
    assert len(set(plots.COLORS)) == len(set(plots.MARKERS)) == len(set(plots.HATCHES)) == len(plots.LINES)


def test_ticks_are_plain_decimals_and_no_others() -> None:
    pytest.importorskip("matplotlib")
    chart = new_figure(["one"], x="", y="", x_scale="log", y_scale="log")
    panel = chart.panels[0]
    panel.line([0.1, 30.0], [0.5, 200.0], "one")
    panel.ticks([0.1, 0.3, 1, 10])
    panel.ticks([1, 100], upwards=True)
    chart.figure.draw_without_rendering()
    for axis, wanted in ((panel.axes.xaxis, ["0.1", "0.3", "1", "10"]), (panel.axes.yaxis, ["1", "100"])):
        assert [tick.get_text() for tick in axis.get_ticklabels()] == wanted
        assert len(axis.get_minorticklocs()) == 0


def test_one_legend_for_all_panels_covers_none() -> None:
    pytest.importorskip("matplotlib")
    chart = new_figure(["left", "right"], x="x", y="y")
    for panel in chart.panels:
        panel.line([0.0, 1.0], [0.0, 1.0], "one")
    chart.legend()
    chart.figure.draw_without_rendering()
    below = chart.figure.legends[0].get_window_extent()
    assert [text.get_text() for text in chart.figure.legends[0].get_texts()] == ["one"]
    assert all(not below.overlaps(panel.axes.get_tightbbox()) for panel in chart.panels)


def test_kinds_of_line_are_told_apart_and_named() -> None:
    pytest.importorskip("matplotlib")
    chart = new_figure(["left", ""], x="x", y="y")
    chart.panels[0].line([0.0, 1.0], [0.0, 1.0], "one")
    limits = chart.panels[0].axes.get_xlim()
    chart.patterns(["solid: this", "dashed: that"], (0.6, 0.9))
    shown = chart.figure.legends[0]
    assert [text.get_text() for text in shown.get_texts()] == ["solid: this", "dashed: that"]
    assert [line.get_linestyle() for line in shown.get_lines()] == ["-", "--"]
    assert chart.panels[0].axes.get_xlim() == limits
    assert chart.panels[0].axes.get_legend_handles_labels()[1] == ["one"]


def test_no_state_outside_the_figure() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    before = dict(matplotlib.rcParams)
    drawn()
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or before


def test_bad_input(tmp_path) -> None:
    with pytest.raises(ParameterError):
        new_figure([], x="", y="")
    pytest.importorskip("matplotlib")
    with pytest.raises(OutputError):
        save_figure(drawn(), tmp_path / "missing", "one")


def test_without_matplotlib_the_extra_is_named(monkeypatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'textveil\[plots\]'"):
        new_figure(["one"], x="", y="")


def test_matplotlib_is_imported_in_one_file() -> None:
    packages = [Path(package.__file__).parent for package in (textveil, textveil_lab)]
    marks = ("import matplotlib", "from matplotlib")
    found = {
        path.name
        for package in packages
        for path in package.rglob("*.py")
        if any(line.strip().startswith(marks) for line in path.read_text(encoding="utf-8").splitlines())
    }
    assert found == {"plots.py"}
