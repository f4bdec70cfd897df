"""Cells are kept whole or not at all, a run goes on where it stopped, and another setting is refused."""

import os
import signal
from dataclasses import dataclass
from functools import partial

import pytest

from textveil.environment import cores
from textveil.errors import OutputError, ParameterError, TextveilError
from textveil_lab.frontiers.cells import TERMS, CellFolder, measured, open_cells


@dataclass(frozen=True)
class Cell:
    name: str


CELLS = tuple(Cell(f"cell-{number}") for number in range(5))


def counted(calls: list[str], cell: Cell) -> dict[str, object]:
    calls.append(cell.name)
    return {"name": cell.name, "value": len(cell.name)}


def failing_at(name: str, calls: list[str], cell: Cell) -> dict[str, object]:
    if cell.name == name:
        raise OutputError("the disk is full.")
    return counted(calls, cell)


def test_a_stopped_run_goes_on_and_measures_nothing_twice(tmp_path) -> None:
    folder = open_cells(tmp_path / "cells", {"seed": 1})
    calls: list[str] = []
    with pytest.raises(OutputError):
        measured(folder, CELLS, partial(failing_at, "cell-3", calls))
    assert calls == ["cell-0", "cell-1", "cell-2"]
    again: list[str] = []
    shares: list[float] = []
    folder = open_cells(tmp_path / "cells", {"seed": 1})
    found = measured(folder, CELLS, partial(counted, again), progress=shares.append)
    assert again == ["cell-3", "cell-4"]
    assert shares == [0.8, 1.0]
    assert found == {cell.name: {"name": cell.name, "value": 6} for cell in CELLS}
    assert list(found) == [cell.name for cell in CELLS]
    assert measured(folder, CELLS, partial(failing_at, "cell-0", [])) == found


def test_a_damaged_cell_is_measured_again(tmp_path) -> None:
    folder = open_cells(tmp_path / "cells", {})
    measured(folder, CELLS[:4], partial(counted, []))
    (tmp_path / "cells/cell-0.json").write_text('{"name": "cel')
    (tmp_path / "cells/cell-1.json").write_text("[]")
    (tmp_path / "cells/cell-2.json").write_text('{"other": 1}')
    changed = (tmp_path / "cells/cell-3.json").read_text().replace('"value": 6', '"value": 7')
    (tmp_path / "cells/cell-3.json").write_text(changed)
    calls: list[str] = []
    found = measured(folder, CELLS[:4], partial(counted, calls))
    assert calls == ["cell-0", "cell-1", "cell-2", "cell-3"]
    assert found["cell-0"]["value"] == 6


def test_another_setting_is_refused_and_named_and_nothing_is_lost(tmp_path) -> None:
    path = tmp_path / "cells"
    measured(open_cells(path, {"seed": 1, "epochs": 3, "same": [1]}), CELLS, partial(counted, []))
    before = {file.name: file.read_bytes() for file in path.iterdir()}
    with pytest.raises(ParameterError, match=r"epochs 3 there, 10 now; sizes none there, \"x\" now\. Give") as refused:
        open_cells(path, {"seed": 1, "epochs": 10, "same": (1,), "sizes": "x"})
    assert "seed" not in str(refused.value)
    assert "same" not in str(refused.value)
    assert str(tmp_path) not in str(refused.value)
    assert {file.name: file.read_bytes() for file in path.iterdir()} == before


def test_a_folder_without_a_cell_takes_another_setting(tmp_path) -> None:
    open_cells(tmp_path / "cells", {"device": "cuda"})
    measured(open_cells(tmp_path / "cells", {"device": "cpu"}), CELLS[:1], partial(counted, []))
    with pytest.raises(ParameterError, match='device "cpu" there, "cuda" now'):
        open_cells(tmp_path / "cells", {"device": "cuda"})


@pytest.mark.parametrize("terms", [None, "", "[]", "{"])
def test_a_folder_of_other_files_is_refused_and_left_alone(tmp_path, terms: str | None) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    if terms is not None:
        (tmp_path / TERMS).write_text(terms)
    with pytest.raises(ParameterError, match="`cells` must be a new or empty folder"):
        open_cells(tmp_path, {})
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_folders_that_cannot_be_made(tmp_path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "missing/cells"):
        with pytest.raises(OutputError, match="folder of cells"):
            open_cells(path, {})
    assert open_cells(tmp_path / "file.cells", {}) == CellFolder(tmp_path / "file.cells")


def test_values_that_json_has_no_number_for_are_not_kept(tmp_path) -> None:
    folder = open_cells(tmp_path / "cells", {})
    with pytest.raises(ValueError, match="JSON"):
        measured(folder, CELLS[:1], lambda cell: {"loss": float("nan")})
    assert folder.kept("cell-0") is None


def described(cell: Cell) -> dict[str, object]:
    return {"name": cell.name}


def test_processes_give_the_same_values(tmp_path) -> None:
    alone = measured(open_cells(tmp_path / "one", {}), CELLS[:3], described)
    shares: list[float] = []
    many = measured(open_cells(tmp_path / "two", {}), CELLS[:3], described, processes=2, progress=shares.append)
    assert many == alone == {cell.name: {"name": cell.name} for cell in CELLS[:3]}
    assert list(many) == [cell.name for cell in CELLS[:3]]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert (tmp_path / "two/cell-2.json").read_bytes() == (tmp_path / "one/cell-2.json").read_bytes()


def threads(cell: Cell) -> dict[str, object]:
    return {"threads": int(os.environ["OPENBLAS_NUM_THREADS"])}


def test_processes_share_the_threads_of_numerical_libraries(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    found = measured(open_cells(tmp_path / "cells", {}), CELLS[:3], threads, processes=2)
    assert [one["threads"] for one in found.values()] == [max(1, cores() // 2)] * 3


def killed(cell: Cell) -> dict[str, object]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def test_a_process_that_is_killed_is_told_in_one_line_and_nothing_is_half_kept(tmp_path) -> None:
    folder = open_cells(tmp_path / "cells", {})
    with pytest.raises(TextveilError, match=r"^a process that measured cells ended by itself, .* Start the run again"):
        measured(folder, CELLS[:3], killed, processes=2)
    assert [folder.kept(cell.name) for cell in CELLS[:3]] == [None] * 3
