"""Tables as figures, for pages that take no text."""

import textwrap
from collections.abc import Sequence

from textveil.errors import MissingExtra, need
from textveil_lab.plots import GRAY, Chart, new_figure
from textveil_lab.tables import Table, shown

_POINTS = 8.0
_ACROSS = 0.645 * _POINTS  # Width of a character of the typewriter font, in points, with room for the figure's margins
_DOWN = 1.45 * _POINTS
_BETWEEN = 2  # Characters between columns


def drawn_if_possible(title: str, table: Table, widths: Sequence[int]) -> dict[str, Chart]:
    """Return ``drawn_table`` under the key "", or nothing if matplotlib is not installed: the numbers do without."""
    try:
        return {"": drawn_table(title, table, widths)}
    except MissingExtra:
        return {}


def drawn_table(title: str, table: Table, widths: Sequence[int]) -> Chart:
    """Return a figure of a table, long cells in several lines.

    Args:
        title: of the figure.
        table: to draw; numbers have four digits.
        widths: characters in a line of each column, shape (columns,).

    Raises:
        ParameterError: the numbers of widths and columns differ.
    """
    need(len(widths) == len(table.columns), "widths", len(widths), f"one for each of the {len(table.columns)} columns")
    rows = [table.columns, *([shown(cell) for cell in row] for row in table.rows)]
    cells = [[textwrap.wrap(cell, width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    heights = [max(1, *map(len, row)) + 0.5 for row in cells]
    across, down = sum(widths) + _BETWEEN * len(widths), sum(heights) + 0.5
    size = (across * _ACROSS / 72, down * _DOWN / 72 + 0.4)
    chart = new_figure([title], x="", y="", panel_size=size)
    axes = chart.panels[0].axes
    axes.set_axis_off()
    axes.set(xlim=(0, across), ylim=(down, 0))
    top = 0.0
    for number, (row, height) in enumerate(zip(cells, heights, strict=True)):
        left = 0
        for lines, width in zip(row, widths, strict=True):
            weight = "bold" if number == 0 else "normal"
            axes.text(left, top + 0.3, "\n".join(lines), va="top", fontsize=_POINTS, family="monospace", weight=weight,
                      linespacing=1.2)  # fmt: skip
            left += width + _BETWEEN
        top += height
        axes.plot([0, across - _BETWEEN], [top, top], color=GRAY, linewidth=1.0 if number == 0 else 0.3)
    return chart
