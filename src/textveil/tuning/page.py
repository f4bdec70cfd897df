"""A run as files: a figure and numbers without text, and a page with examples that nobody else may read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from textveil.json_text import json_text
from textveil.pages.folders import results_folder
from textveil.pages.plots import save_figure
from textveil.pages.rendering import rendered
from textveil.tuning import lines
from textveil.tuning.figure import drawn
from textveil.tuning.tuning import Tuning
from textveil.whole_files import write_whole

FIGURE: Final = "tuning"
NUMBERS: Final = "tuning.json"
PAGE: Final = "index.html"

_TITLE: Final = "What policies keep and hide on a sample"

_PRIVATE: Final = (
    "FOR THE SENDER ONLY: this page quotes the sample. Its file is readable by its owner alone; keep it so. The "
    "numbers and the figure hold no text, but tell of the sample too."
)


def checked_folder(folder: Path) -> Path:
    """A folder that results can be written to, made where it does not exist; for its owner alone then.

    Raises:
        ParameterError: it cannot be made, or holds something and no results of an earlier run.
    """
    return results_folder(folder, NUMBERS, mode=0o700)


def write_results(run: Tuning, folder: Path) -> list[Path]:
    """Write the figure (PNG, SVG), the numbers (JSON) and the page; the page for its owner alone.

    Raises:
        OutputError: it cannot be written.
        MissingExtra: matplotlib is not installed.
    """
    files = save_figure(drawn(run), folder, FIGURE)
    files.append(write_whole(folder / NUMBERS, json_text(run.facts(), indent=1).encode("ascii")))
    files.append(write_whole(folder / PAGE, to_html(run, folder).encode("utf-8", "backslashreplace"), private=True))
    return files


def to_html(run: Tuning, folder: Path) -> str:
    """The page: private, since it quotes the sample."""
    names = ["(the text)", *(outcome.name for outcome in run.outcomes)]
    return rendered(
        "tuning.html",
        title=_TITLE,
        run=run,
        lines=lines,
        warnings=() if run.public else (_PRIVATE, lines.LEAKS),
        drawing=folder / f"{FIGURE}.svg",
        numbers=folder / NUMBERS,
        examples=[list(zip(names, (example.text, *example.releases), strict=True)) for example in run.examples],
    )
