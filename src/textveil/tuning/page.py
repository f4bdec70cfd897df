"""A run as files: a figure and numbers without text, and a page with examples that nobody else may read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from textveil.pages.folders import results_folder
from textveil.pages.html import html_table, page_head, safe
from textveil.pages.plots import save_figure
from textveil.tuning.figure import drawn
from textveil.tuning.lines import (
    CHOOSES_NOTHING,
    IN_PART,
    LEAKS,
    about_entities,
    about_recovery,
    about_task,
    kinds_of,
    kinds_table,
    main_table,
)
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
_QUOTED: Final = "Each example was released anew by every candidate, so it is another draw than those counted above."


def checked_folder(folder: Path) -> Path:
    """A folder that results can be written to, made where it does not exist; for its owner alone then.

    Raises:
        ParameterError: it cannot be made, or holds something and no results of an earlier run.
    """
    return results_folder(folder, NUMBERS, mode=0o700)


def write_results(run: Tuning, folder: Path) -> list[Path]:
    """Write the figure (PNG, SVG), the numbers (JSON) and the page; the page for its owner alone.

    Args:
        run: what was measured.
        folder: ``checked_folder``.

    Raises:
        OutputError: it cannot be written.
        MissingExtra: matplotlib is not installed.
    """
    made = save_figure(drawn(run), folder, FIGURE)
    made.append(write_whole(folder / NUMBERS, (json.dumps(run.facts(), indent=1) + "\n").encode("ascii")))
    made.append(write_whole(folder / PAGE, to_html(run).encode("utf-8", "backslashreplace"), private=True))
    return made


def to_html(run: Tuning) -> str:
    """The page: private, since it quotes the sample."""
    kind = "public" if run.public else "private"
    parts = [
        page_head(_TITLE),
        f"<h1>{_TITLE}</h1>",
        *(
            []
            if run.public
            else [f"<p><strong>{safe(_PRIVATE)}</strong></p>", f"<p><strong>{safe(LEAKS)}</strong></p>"]
        ),
        f"<p>{run.documents:,} documents of a {kind} sample. {safe(CHOOSES_NOTHING)}</p>",
        f"<div class='wide'><a href='{FIGURE}.png'>"
        f"<img style='min-width:60rem' src='{FIGURE}.png' alt='{_alternative(run)}'></a></div>",
        html_table(*main_table(run)),
        f"<p>{safe(about_task(run))}</p>",
        f"<h2>Entities by kind</h2><p>{safe(about_entities(run))}</p>",
    ]
    if kinds_of(run):
        parts += [html_table(*kinds_table(run)), f"<p>{safe(IN_PART)}</p>", html_table(*kinds_table(run, in_part=True))]
    if about := about_recovery(run):
        parts.append(f"<p>{safe(about)}</p>")
    if run.examples:
        parts.append(f"<h2>Examples</h2><p>{_QUOTED}</p>")
    for example in run.examples:
        rows = [["(the text)", example.text]]
        rows += [[one.name, text] for one, text in zip(run.outcomes, example.releases, strict=True)]
        parts.append(html_table(("policy", "text"), rows))
    parts.append(f"<p>Numbers: <a href='{NUMBERS}'>{NUMBERS}</a>; figure: <a href='{FIGURE}.svg'>{FIGURE}.svg</a>.</p>")
    return "\n".join([*parts, "</body></html>", ""])


def _alternative(run: Tuning) -> str:
    """What the figure shows, for those who cannot see it: the tables below have its numbers."""
    return f"Shares for {len(run.outcomes)} candidates, with intervals; the tables below hold the numbers"
