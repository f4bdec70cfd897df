"""Cells of a study: long measurements, each kept in its own file, whole or not at all.

A stopped run continues: kept cells are not measured again. A folder of cells belongs to one setting; a run with another
is refused, since its tables would mix the two.
"""

import hashlib
import json
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from textveil.environment import shared_among
from textveil.errors import OutputError, ParameterError, TextveilError
from textveil.json_text import json_data, json_file, json_text
from textveil.whole_files import write_whole

Values: TypeAlias = dict[str, Any]  # Values of one cell, as JSON
TERMS = "setting.json"  # File that marks a folder as one of cells, with the conditions of their measurement
_DIGEST = "digest"  # Of a cell's other values, in its file: a changed cell is measured again


class Named(Protocol):
    """Interface of a cell; it is sent to other processes, so it must be picklable."""

    @property
    def name(self) -> str:
        """Name of the cell's file, distinct among the cells of a study."""


def cell_seed(cell: Named, seed: int) -> int:
    """Return the seed of a cell from that of the study: no two cells share draws, whatever their order."""
    digest = hashlib.blake2b(f"{seed} {cell.name}".encode(), digest_size=7).digest()
    return int.from_bytes(digest, "big")


@dataclass(frozen=True, slots=True)
class CellFolder:
    """Folder of kept cells; made by ``open_cells``."""

    path: Path

    def kept(self, name: str) -> Values | None:
        """Return the values of the cell of that name; None if it was not measured, or its file is damaged."""
        try:
            values = json_file(self.path / f"{name}.json")
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(values, dict) or values.pop(_DIGEST, None) != _digest(values):
            return None
        return values

    def keep(self, name: str, values: Values) -> None:
        """Write the values of a cell; its file appears whole.

        Raises:
            OutputError: the folder cannot be written or the disk is full.
        """
        plain = json_data(json.dumps(values, allow_nan=False))
        text = json_text({**plain, _DIGEST: _digest(plain)}, indent=1, sort_keys=True)
        write_whole(self.path / f"{name}.json", text.encode("utf-8"))


def open_cells(path: Path, terms: Mapping[str, Any]) -> CellFolder:
    """Return the folder of cells measured under ``terms``; it is made if missing.

    Args:
        path: of the folder; its parent must exist.
        terms: JSON values: all that a cell's values depend on beside its own name.

    Raises:
        ParameterError: its cells were measured under other terms, or it holds something else.
    """
    wanted: dict[str, Any] = json_data(json_text(terms))
    if path.is_dir() and any(path.iterdir()):
        earlier = _terms(path)
        differing = sorted(key for key in {*earlier, *wanted} if earlier.get(key) != wanted.get(key))
        empty = all(file.name == TERMS for file in path.iterdir())  # of a run that was refused before its first cell
        if differing and not empty:
            listed = "; ".join(
                f"{key} {_short(earlier.get(key))} there, {_short(wanted.get(key))} now" for key in differing
            )
            raise ParameterError(
                f"`cells` must be a folder of cells measured under this setting; got others: {listed}. "
                "Give that setting again to go on, or name another folder."
            )
        if not differing:
            return CellFolder(path)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"the folder of cells must be one that can be made; got {reason}. Name another.") from None
    write_whole(path / TERMS, json_text(wanted, indent=1, sort_keys=True).encode("utf-8"))
    return CellFolder(path)


def measured(
    folder: CellFolder,
    cells: Sequence[Named],
    measure: Callable[[Any], Values],
    *,
    processes: int = 1,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Values]:
    """Return the values of every cell: read if kept, else measured and kept.

    Args:
        cells: of distinct names.
        measure: function that measures one cell; with ``processes`` above 1 it and the cells must be picklable.
        processes: number of concurrent measurements; the values do not depend on it.

    Returns:
        Values by the cell's name, in the order of ``cells``.
    """
    kept = {cell.name: folder.kept(cell.name) for cell in cells}
    missing = [cell for cell in cells if kept[cell.name] is None]
    for number, (name, values) in enumerate(_answers(missing, measure, processes), 1):
        folder.keep(name, values)
        kept[name] = folder.kept(name)  # as a resumed run reads it
        if progress is not None:
            progress((len(cells) - len(missing) + number) / len(cells))
    return {name: values for name, values in kept.items() if values is not None}


def _answers(cells: Sequence[Named], measure: Callable[[Any], Values], processes: int) -> Iterator[tuple[str, Values]]:
    if processes == 1 or len(cells) < 2:
        for cell in cells:
            yield cell.name, measure(cell)
        return
    # Started anew rather than forked: threads and locks of this process cannot harm them. What measures is sent once.
    context = multiprocessing.get_context("spawn")
    count = min(processes, len(cells))
    with ProcessPoolExecutor(count, mp_context=context, initializer=_start, initargs=(measure,)) as pool:
        with shared_among(count):  # all of them start here
            waiting: dict[Future[Values], str] = {pool.submit(_measured_here, cell): cell.name for cell in cells}
        try:
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        except BrokenProcessPool:
            raise TextveilError(
                "a process that measured cells ended by itself, as when memory runs out. Start the run again: it goes "
                "on with the cells that are kept; fewer `processes` need less memory."
            ) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_MEASURES: list[Callable[[Any], Values]] = []  # Arguments of a process that measures cells


def _start(measure: Callable[[Any], Values]) -> None:
    _MEASURES[:] = [measure]
    _end_with_parent()


def _measured_here(cell: Named) -> Values:
    return _MEASURES[0](cell)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _terms(path: Path) -> dict[str, Any]:
    try:
        terms = json_file(path / TERMS)
    except (OSError, ValueError):
        terms = None
    if not isinstance(terms, dict):
        raise ParameterError(
            f"`cells` must be a new or empty folder, or one with a {TERMS} of an earlier run; got a folder of other "
            "files. Name another."
        )
    return terms


def _digest(values: Mapping[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(values, sort_keys=True).encode("utf-8"), digest_size=16).hexdigest()


def _short(value: Any) -> str:
    text = "none" if value is None else json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
