"""What several commands of the lab read from their arguments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textveil.cli.options import parts_of
from textveil.errors import ParameterError

if TYPE_CHECKING:
    from textveil.mechanisms.kinds import Mechanism
    from textveil.vocabulary.vocabulary import Vocabulary
    from textveil_lab.rebuild import ReleaseReport


def rebuilt_mechanism(report: ReleaseReport, vocabulary: Vocabulary, prior: Path | None) -> Mechanism:
    """Return the mechanism of a release, from its report; under a progress bar, for it may take a minute."""
    from textveil.cli.progress import counting
    from textveil_lab.rebuild import rebuilt

    with counting("making the mechanism", "words") as progress:
        return rebuilt(report, vocabulary, prior=None if prior is None else str(prior), progress=progress)


def numbers_in(text: str, option: str) -> list[float]:
    """Return the numbers of a list with commas; an error names the option."""
    try:
        return [float(part) for part in parts_of(text)]
    except ValueError:
        raise ParameterError(f"{option} must be numbers separated by commas; got others. Write 3,5,8.") from None


def cells_beside(output: Path) -> Path:
    """Return the folder of cells of a run, next to that of its results: these appear together, cells one by one."""
    target = output.absolute()
    return target.with_name(f"{target.name}.cells")
