"""Common style of textveil's figures: readable in color, in gray and with any color vision.

Colors are Okabe and Ito's; every series also has its own line, marker or hatch, so nothing depends on color alone.
Files are the same bytes for the same data. Only this module imports matplotlib.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import MissingExtra, need
from textveil.whole_files import write_whole

Numbers: TypeAlias = Sequence[float] | NDArray[Any]
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), "-")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "///", "...", "xx", "\\\\", "++", "oo")
GRAY = "#555555"
PANEL_SIZE = (5.2, 3.7)  # Width and height of one panel in inches
DPI = 150

_STYLE: Mapping[str, Any] = MappingProxyType(
    {
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "axes.titlesize": 11,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "legend.frameon": True,
        "legend.framealpha": 0.85,
        "legend.edgecolor": "none",
        "legend.fontsize": 9,
        "hatch.linewidth": 0.6,
        "svg.fonttype": "path",
        "svg.hashsalt": "textveil",
        "path.simplify": False,
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One pair of axes in the common style; ``axes`` is matplotlib's own object, for other drawing."""

    axes: Any

    def line(
        self,
        x: Numbers,
        y: Numbers,
        label: str | None = None,
        *,
        style: int = 0,
        low: Numbers | None = None,
        high: Numbers | None = None,
        marked: bool = True,
        pattern: int | None = None,
    ) -> None:
        """Draw a series as a line, its interval as a band.

        Args:
            x: shape (points,).
            y: shape (points,).
            label: for the legend; None leaves it out.
            style: number of color, line and marker, from 0; a number looks the same in every figure.
            low: lower ends of the interval of y, shape (points,).
            high: upper ends of it.
            marked: whether some of the points carry the marker.
            pattern: kind of line, if not that of ``style``: 0 solid, 1 dashed.
        """
        index = style % len(COLORS)
        every = max(1, len(x) // 8)
        self.axes.plot(
            x,
            y,
            label=label,
            color=COLORS[index],
            linestyle=LINES[index if pattern is None else pattern],
            linewidth=1.8,
            marker=MARKERS[index] if marked else None,
            markersize=5,
            markevery=(min(index, every - 1), every),
        )
        if low is not None and high is not None:
            self.axes.fill_between(x, low, high, color=COLORS[index], alpha=0.18, linewidth=0)

    def points(
        self, x: Numbers, y: Numbers, label: str | None = None, *, style: int = 0, size: float | Numbers = 18
    ) -> None:
        """Draw a series as markers only."""
        index = style % len(COLORS)
        self.axes.scatter(
            x, y, s=size, label=label, color=COLORS[index], marker=MARKERS[index], edgecolors="white", linewidths=0.3
        )

    def stacked(self, names: Sequence[str], parts: Mapping[str, Numbers]) -> None:
        """Draw horizontal bars, one for each name from the top down, each of the parts in order.

        Args:
            names: one for each bar.
            parts: label to the lengths of that part, shape (names,).
        """
        rows = np.arange(len(names))
        left = np.zeros(len(names))
        for number, (label, lengths) in enumerate(parts.items()):
            widths = np.asarray(lengths, dtype=np.float64)
            color, hatch = COLORS[number % len(COLORS)], HATCHES[number % len(HATCHES)]
            self.axes.barh(
                rows, widths, left=left, height=0.7, label=label, color=color, hatch=hatch, edgecolor="white"
            )
            left += widths
        self.axes.set_yticks(rows, list(names))
        self.axes.invert_yaxis()
        self.axes.grid(axis="y", visible=False)

    def level(self, value: float, label: str, *, upright: bool = False, under: bool = False) -> None:
        """Draw a thin gray line at one value of y (of x if ``upright``), its label beside it or ``under`` it."""
        if upright:
            self.axes.axvline(value, color=GRAY, linewidth=1, linestyle=(0, (2, 2)))
            anchor, turned = (value, 0.98), 90
            self.axes.annotate(label, anchor, xytext=(-3, 0), textcoords="offset points", rotation=turned,
                               va="top", ha="right", color=GRAY, fontsize=8.5,
                               xycoords=self.axes.get_xaxis_transform())  # fmt: skip
            return
        self.axes.axhline(value, color=GRAY, linewidth=1, linestyle=(0, (2, 2)))
        self.axes.annotate(label, (0.99, value), xytext=(0, -4 if under else 3), textcoords="offset points",
                           va="top" if under else "bottom", ha="right", color=GRAY, fontsize=8.5,
                           xycoords=self.axes.get_yaxis_transform())  # fmt: skip

    def ticks(self, values: Sequence[float], *, upwards: bool = False) -> None:
        """Put ticks at these values only, written as plain decimals, on the x axis, or on the y axis if ``upwards``."""
        axis = self.axes.yaxis if upwards else self.axes.xaxis
        axis.set_ticks([], minor=True)
        axis.set_ticks(list(values), [f"{value:g}" for value in values])

    def legend(self, position: str = "best", *, title: str | None = None, columns: int = 1) -> None:
        """Draw the panel's legend; ``position`` in matplotlib's words, ``"below"``, or ``"beside"`` in free space."""
        if position == "below":
            self.axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=columns, title=title,
                             columnspacing=1.4, borderpad=0.2)  # fmt: skip
        elif position == "beside":
            self.axes.legend(loc="upper left", bbox_to_anchor=(1.08, 1.0), title=title, ncols=columns)
            self.axes.get_legend().set_in_layout(False)
        else:
            self.axes.legend(loc=position, title=title, ncols=columns)


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """Figure with its panels, row by row, for ``save_figure``."""

    figure: Any
    panels: tuple[Panel, ...]

    def legend(self, *, columns: int = 3) -> None:
        """Draw one legend for all panels, that of the first, below them, so that it covers no points."""
        drawn = self.panels[0].axes.get_legend_handles_labels()
        self.figure.legend(*drawn, loc="outside lower center", ncols=columns)

    def patterns(self, meanings: Sequence[str], position: tuple[float, float]) -> None:
        """Draw a legend of the kinds of line, 0 solid and 1 dashed, whatever their color.

        Args:
            meanings: one for each kind, in the order of ``pattern`` of ``Panel.line``.
            position: the upper left corner, as shares of the figure's width and height; a spot without axes.
        """
        handles = [
            self.panels[0].axes.plot([], [], color=GRAY, linestyle=LINES[kind], linewidth=1.8, label="_")[0]
            for kind in range(len(meanings))
        ]
        shown = self.figure.legend(handles, list(meanings), loc="upper left", bbox_to_anchor=position, labelspacing=1.2)
        shown.set_in_layout(False)


def new_figure(
    titles: Sequence[str],
    *,
    x: str | Sequence[str],
    y: str | Sequence[str],
    columns: int | None = None,
    panel_size: tuple[float, float] = PANEL_SIZE,
    x_scale: str = "linear",
    y_scale: str = "linear",
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
) -> Chart:
    """Return a figure with a panel for each title, in the common style.

    Args:
        titles: of the panels, at least one; an empty one draws no title.
        x: labels with units, one for all panels or one for each.
        y: the same, upwards.
        columns: panels in a row; None puts up to three.
        panel_size: inches.
        x_scale: ``"linear"`` or ``"log"``.
        y_scale: the same, upwards.
        x_range: limits of the axis; None fits the data.
        y_range: the same, upwards.
    """
    need(len(titles) > 0, "titles", "none", "one or more")
    rc, make_figure, _ = _matplotlib()
    across = min(columns or 3, len(titles))
    down = -(-len(titles) // across)
    with rc(dict(_STYLE)):
        figure = make_figure(figsize=(panel_size[0] * across, panel_size[1] * down), layout="constrained")
        panels = []
        for index, title in enumerate(titles):
            axes = figure.add_subplot(down, across, index + 1)
            axes.set(title=title, xscale=x_scale, yscale=y_scale)
            axes.set_xlabel(x if isinstance(x, str) else x[index])
            axes.set_ylabel(y if isinstance(y, str) else y[index])
            if x_range is not None:
                axes.set_xlim(*x_range)
            if y_range is not None:
                axes.set_ylim(*y_range)
            panels.append(Panel(axes))
    return Chart(figure, tuple(panels))


def save_figure(chart: Chart, folder: Path, name: str) -> list[Path]:
    """Write ``name``.png and ``name``.svg into ``folder``: the same bytes for the same figure, no dates.

    Raises:
        OutputError: the folder does not exist or cannot be written.
    """
    rc, _, canvas = _matplotlib()
    written = []
    with rc(dict(_STYLE)):
        canvas(chart.figure)
        chart.figure.set_dpi(DPI)
        chart.figure.draw_without_rendering()  # which lays it out, once for both
        chart.figure.set_layout_engine(None)
        for form, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
            out = io.BytesIO()
            chart.figure.savefig(out, format=form, dpi=DPI, metadata=metadata)
            written.append(write_whole(folder / f"{name}.{form}", out.getvalue()))
    return written


def need_matplotlib() -> None:
    """Raise ``MissingExtra`` if figures cannot be drawn; to be called before long work."""
    _matplotlib()


def _matplotlib() -> tuple[Any, Any, Any]:
    """Import matplotlib's settings, figure and a canvas without a screen; it shares no state with pyplot."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plots") from None
    return rc_context, Figure, FigureCanvasAgg
