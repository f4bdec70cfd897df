"""Where an item of this study keeps its cells: in a folder of its own, beside those of the others."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from textveil.research.papers.cells import Named, Values, measured, open_cells
from textveil.research.papers.setting import StudySetting


def kept_cells(
    setting: StudySetting,
    item: str,
    terms: Mapping[str, Any],
    cells: Sequence[Named],
    measure: Callable[[Any], Values],
) -> dict[str, Values]:
    """What every cell found, by its name; see ``cells.measured``.

    Args:
        setting: of the run; without a folder of cells none is kept.
        item: the folder's name ends with it.
        terms: all that a cell's values depend on beside its own name.
        cells: of distinct names.
        measure: gives the values of one cell.
    """
    with tempfile.TemporaryDirectory() as passing:
        kept = setting.cells
        folder = Path(passing) / item if kept is None else kept.with_name(f"{kept.name}-{item}")
        opened = open_cells(folder, terms)
        return measured(opened, cells, measure, processes=setting.processes, progress=setting.progress)
