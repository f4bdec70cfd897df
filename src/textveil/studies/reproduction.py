"""A run: measure the items, write everything to a hidden folder, and give it its name when all of it is there."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from textveil.errors import OutputError, ParameterError
from textveil.evaluation.plots import need_matplotlib, save_figure
from textveil.evaluation.tables import save_table
from textveil.evaluation.whole_files import write_whole
from textveil.studies.registry import Item, Paper
from textveil.studies.report import Run, to_html, to_markdown
from textveil.studies.setting import Outcome, Setting
from textveil.version import VERSION


def reproduce(paper: Paper, items: Sequence[Item], folder: Path, setting: Setting) -> Run:
    """Measure the items and write their figures, numbers and report into ``folder``.

    Everything is written to a hidden folder first. Where ``folder`` did not exist, that folder gets its name; where
    it did, its files are moved there one by one, index.html last, and other files there are left alone.

    Args:
        paper: whose items they are.
        items: what to measure, one or more.
        folder: made where it does not exist; the folder above it must.
        setting: of the run; its ``progress`` is called with the share of the whole run.

    Raises:
        ParameterError: the folder cannot be made or written, or an item refuses the setting.
        OutputError: the disk is full.
        MissingExtra: matplotlib is not installed.
    """
    if any(item.draws for item in items):
        need_matplotlib()  # before minutes of work, not after
    with _whole_folder(folder) as staging:
        results, files, seconds = [], {}, {}
        for place, item in enumerate(items):

            def report(share: float, done: int = place) -> None:
                setting.progress((done + share) / len(items))

            start = time.monotonic()
            outcome = item.run(replace(setting, progress=report))
            files[item.name] = _written(item, outcome, staging)
            seconds[item.name] = time.monotonic() - start
            results.append((item, outcome))
            setting.progress((place + 1) / len(items))
        run = Run(
            paper=paper,
            setting=setting,
            results=results,
            files=files,
            seconds=seconds,
            version=VERSION,
        )
        write_whole(staging / "report.md", to_markdown(run).encode("utf-8"))
        facts = json.dumps(run.facts(), indent=1, sort_keys=True) + "\n"
        write_whole(staging / "report.json", facts.encode("utf-8"))
        write_whole(staging / "index.html", to_html(run).encode("utf-8"))
    return run


def _written(item: Item, outcome: Outcome, folder: Path) -> list[str]:
    """The files of an item: figures as PNG and SVG, numbers as CSV and JSON."""
    made: list[Path] = []
    for key, chart in outcome.charts.items():
        made += save_figure(chart, folder, _stem(item, key))
    for key, table in outcome.tables.items():
        made += save_table(table, folder, _stem(item, key))
    return [path.name for path in made]


def _stem(item: Item, key: str) -> str:
    return f"{item.name}-{key}" if key else item.name


@contextlib.contextmanager
def _whole_folder(folder: Path) -> Iterator[Path]:
    """A hidden folder whose files appear in ``folder`` when the block ends without an error, and else vanish."""
    target = folder.absolute()
    there = target.is_dir()
    staging = (target if there else target.parent) / f".textveil-{secrets.token_hex(8)}.partial"
    try:
        if target.exists() and not there:
            raise FileExistsError(17, "a file of that name")
        staging.mkdir()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError(
            f"--output must be a folder that can be written, in one that exists; got {reason}. Name another."
        ) from None
    try:
        yield staging
        if there:
            for path in sorted(staging.iterdir(), key=lambda one: (one.name == "index.html", one.name)):
                path.replace(target / path.name)
        else:
            staging.rename(target)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"the output could not be written: {error.strerror}. Nothing stands half written.") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
