"""Where an item of this study keeps its cells: in a folder of its own, beside those of the others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textveil.version import VERSION
from textveil_lab.frontiers.cells import Named, Values, measured, open_cells
from textveil_lab.papers.setting import StudySetting


@contextmanager
def cells_path(setting: StudySetting, item: str) -> Iterator[Path]:
    """The folder of an item's cells; without a folder of cells in the setting, one that is gone afterwards."""
    if setting.cells is not None:
        yield setting.cells.with_name(f"{setting.cells.name}-{item}")
        return
    with TemporaryDirectory() as passing:
        yield Path(passing) / item


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
        terms: all that a cell's values depend on beside its own name; the version is added.
        cells: of distinct names.
        measure: gives the values of one cell.
    """
    with cells_path(setting, item) as path:
        folder = open_cells(path, {"version": VERSION, **terms})
        return measured(folder, cells, measure, processes=setting.processes, progress=setting.progress)
