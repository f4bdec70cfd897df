"""A folder for the results of a run: new, empty, or of an earlier run."""

from __future__ import annotations

from pathlib import Path

from textveil.errors import ParameterError


def results_folder(folder: Path, mark: str, *, mode: int = 0o777) -> Path:
    """Return a folder that results can be written to, made where it does not exist; to be called before long work.

    Args:
        folder: the one above it must exist.
        mark: name of a file that every run writes: a folder that has it is of an earlier run.
        mode: of a folder that is made, before the umask.

    Raises:
        ParameterError: it cannot be made, or holds something and no results of an earlier run.
    """
    try:
        folder.mkdir(mode=mode, exist_ok=True)
        foreign = not all(_left_by_a_kill(path.name) for path in folder.iterdir()) and not (folder / mark).is_file()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError(
            f"`output` must be a folder that can be written, in one that exists; got {reason}. Name another."
        ) from None
    if foreign:
        raise ParameterError(
            "`output` must be a new folder, an empty one, or one of an earlier run; got one with other files. "
            "Name another."
        )
    return folder


def _left_by_a_kill(name: str) -> bool:
    return name.startswith(".") and ".textveil-" in name
