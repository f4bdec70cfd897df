"""A frontier as files: figures, numbers, and one page that holds all and needs no network."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from textveil.frontiers.charts import drawn_frontier
from textveil.frontiers.page import to_html
from textveil.frontiers.points import Frontier
from textveil.json_text import json_text
from textveil.pages.folders import results_folder
from textveil.pages.plots import need_matplotlib, save_figure
from textveil.pages.tables import save_table
from textveil.whole_files import write_whole

NAME: Final = "frontier"
PAGE: Final = "index.html"
LIMITS: Final = "limits"
LOSSES: Final = "shown-losses"


def checked_folder(folder: Path) -> Path:
    """A folder that results can be written to, made where it does not exist; to be called before long work.

    Raises:
        ParameterError: it cannot be made, or holds something and no results of an earlier run.
        MissingExtra: matplotlib is not installed.
    """
    need_matplotlib()
    return results_folder(folder, f"{NAME}.json")


def write_frontier(found: Frontier, folder: Path) -> list[Path]:
    """Write all files of a frontier.

    Args:
        folder: see ``checked_folder``.
    """
    home = checked_folder(folder)
    files = save_table(found.table(), home, NAME)
    files += save_table(found.limit_table(), home, LIMITS)
    files += save_table(found.shown_losses(), home, LOSSES)
    files += save_figure(drawn_frontier(found), home, NAME)
    files.append(write_whole(home / PAGE, to_html(found, home).encode("utf-8")))
    return files


def frontier_json(found: Frontier) -> str:
    """The points and facts as JSON text, for the command line."""
    whole = {"points": found.table().to_data(), "limits": found.limit_table().to_data()}
    return json_text(whole, sort_keys=True)
