"""Tables as figures: every cell is drawn, long ones in lines of the width that is given."""

import pytest

from textveil.errors import ParameterError
from textveil_lab.plots import save_figure
from textveil_lab.tables import Table

TABLE = Table(
    columns=("name", "value", "text"), rows=(("a", 0.12345678, "one two three four five six"), ("b", None, ""))
)


def test_every_cell_is_drawn_in_its_width(tmp_path) -> None:
    pytest.importorskip("matplotlib", exc_type=ImportError)
    from textveil_lab.evaluation.drawn_tables import drawn_table

    chart = drawn_table("A title", TABLE, (6, 8, 10))
    drawn = [text.get_text() for text in chart.panels[0].axes.texts]
    assert drawn[:6] == ["name", "value", "text", "a", "0.1235", "one two\nthree four\nfive six"]
    assert {path.name for path in save_figure(chart, tmp_path, "t")} == {"t.png", "t.svg"}


def test_widths_must_fit_the_columns() -> None:
    pytest.importorskip("matplotlib", exc_type=ImportError)
    from textveil_lab.evaluation.drawn_tables import drawn_table

    with pytest.raises(ParameterError, match="widths must be one for each of the 3 columns; got 2"):
        drawn_table("x", TABLE, (5, 5))
