"""Runs: measure the items, write everything to a hidden folder, and rename it when it is complete.

The report of a run is one self-contained HTML file, and Markdown beside its figures.
"""

import contextlib
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from textveil.errors import OutputError, ParameterError
from textveil.json_text import json_file, json_text
from textveil.pages.rendering import rendered
from textveil.version import VERSION
from textveil.vocabulary.grid import checked_device
from textveil.whole_files import write_whole
from textveil_lab.papers import report
from textveil_lab.papers.report import Item, Paper, StudyRun
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.plots import need_matplotlib, save_figure
from textveil_lab.tables import Table, save_table, shown


def to_markdown(run: StudyRun) -> str:
    """Return the report as Markdown, figures by their files' names."""
    lines = [f"# {run.paper.title}", "", f"{run.paper.citation}.", "", run.paper.sources, ""]
    lines += [f"**{report.STAMP}** {report.conditions(run)}", ""]
    lines += ["## In short", "", *_table(*report.in_short(run)), ""]
    if count := report.counted(run):
        lines += [count, ""]
    lines += ["## What was read", "", run.setting.origin, "", *_table(*report.inputs(run)), ""]
    for note in filter(None, (report.corpora(run), *run.paper.notes)):
        lines += [note, ""]
    for item, outcome in run.results:
        lines += _section(run, item, outcome)
    return "\n".join(lines).rstrip() + "\n"


def _section(run: StudyRun, item: Item, outcome: ItemOutcome) -> list[str]:
    lines = [f"## {item.name}: {item.title}", "", f"*{report.basis(item, outcome)}.* {item.about}", ""]
    if outcome.judgment is not None:
        lines += [outcome.judgment.why, ""]
    head, rows = report.settings(run, item, outcome)
    if rows:
        lines += [*_table(head, rows), ""]
    for file in report.images(run, item):
        lines += [f"![{item.title}]({file})", ""]
    if outcome.comparisons:
        lines += [*_table(*report.compared(outcome)), ""]
    lines += [*(f"- {finding}" for finding in outcome.findings), ""]
    for key, table in outcome.tables.items():
        if len(table.rows) <= report.LONGEST and not outcome.charts:
            lines += [table.to_markdown(), ""]
        lines += [f"Numbers: {', '.join(report.of_table(run, item, key))}.", ""]
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def to_html(run: StudyRun, folder: Path) -> str:
    """Return the report as one page, which loads nothing from the network or other files.

    Args:
        run: the measured run.
        folder: of its items' files.
    """
    links = [f"#{item.name}" for item, _ in run.results]
    return rendered(
        "study.html", title=run.paper.title, run=run, report=report, folder=folder, links=links, rows_of=_first_rows
    )


def _first_rows(table: Table) -> list[list[str]]:
    return [[shown(cell) for cell in row] for row in table.rows[: report.LONGEST]]


REPORT = "report.json"  # File that marks a folder as one of ours, and lists the files of its items
_MARKS = frozenset({"paper", "version", "for_release", "items"})
"""Keys that our reports have together, and those of other programs hardly."""

_PARTIAL = ".partial"
_KINDS = frozenset({".png", ".svg", ".csv", ".json"})  # Endings of the files of an item


def reproduce(
    paper: Paper,
    items: Sequence[Item],
    folder: Path,
    setting: StudySetting,
    finished: Callable[[Item, ItemOutcome, float], None] = lambda item, outcome, seconds: None,
) -> StudyRun:
    """Measure the items and write their figures, numbers and report into ``folder``.

    Everything is written to a hidden folder first. If ``folder`` does not exist, the hidden folder is renamed to it.
    Otherwise it must be empty or hold an earlier report: the files are moved there one by one, index.html last; then
    files that the earlier report lists and this run did not write are removed. Other files stay.

    Args:
        paper: of the items.
        items: at least one item to measure.
        folder: made if missing; its parent must exist.
        setting: of the run; its ``progress`` is called with the share of the whole run.
        finished: called with each item, its outcome and its seconds, as soon as it is measured.

    Raises:
        ParameterError: the folder cannot be made or written or has other content, or an item refuses the setting.
        OutputError: the disk is full.
        MissingExtra: matplotlib is not installed, or torch, if an item trains networks.
    """
    _need_all(items, setting)
    with _whole_folder(folder) as staging:
        results, files, seconds, samples = [], {}, {}, {}
        for index, item in enumerate(items):

            def report(share: float, done: int = index) -> None:
                setting.progress((done + share) / len(items))

            start = time.monotonic()
            own = replace(setting, progress=report, samples=[])
            outcome = item.run(own)
            samples[item.name] = tuple(dict.fromkeys(own.samples))
            files[item.name] = _written(item, outcome, staging)
            seconds[item.name] = time.monotonic() - start
            finished(item, outcome, seconds[item.name])
            results.append((item, outcome))
            setting.progress((index + 1) / len(items))
        run = StudyRun(
            paper=paper,
            setting=setting,
            results=results,
            files=files,
            samples=samples,
            seconds=seconds,
            version=VERSION,
        )
        write_whole(staging / "report.md", to_markdown(run).encode("utf-8"))
        facts = json_text(run.facts(), indent=1, sort_keys=True)
        write_whole(staging / REPORT, facts.encode("utf-8"))
        write_whole(staging / "index.html", to_html(run, staging).encode("utf-8"))
    return run


def _need_all(items: Sequence[Item], setting: StudySetting) -> None:
    """Refuse early what an item would refuse only after minutes: a missing package, device or corpus."""
    if any(item.draws for item in items):
        need_matplotlib()
    if any(item.trains for item in items) or setting.device != "cpu":
        checked_device(setting.device)
    for item in items:
        for name in item.texts:
            setting.text(name)


def _written(item: Item, outcome: ItemOutcome, folder: Path) -> list[str]:
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
    """Yield a hidden folder whose files appear in ``folder`` if the block ends without an error, else vanish."""
    target = folder.absolute()
    there = target.is_dir()
    staging = (target if there else target.parent) / f".textveil-{secrets.token_hex(8)}{_PARTIAL}"
    try:
        if target.exists() and not there:
            raise FileExistsError(17, "a file of that name")
        earlier = _earlier_files(target) if there else ()
        staging.mkdir()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError(
            f"`output` must be a folder that can be written, in one that exists; got {reason}. Name another."
        ) from None
    try:
        yield staging
        if there:
            _replaced(target, staging, earlier)
        else:
            staging.rename(target)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"the output could not be written: {error.strerror}. No incomplete file is left.") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _replaced(target: Path, staging: Path, earlier: Sequence[str]) -> None:
    """Move the files of ``staging`` to ``target``, index.html last; then remove the earlier ones not written again."""
    new = sorted(staging.iterdir(), key=lambda one: (one.name == "index.html", one.name))
    for path in new:
        path.replace(target / path.name)
    try:
        for orphan in {target / name for name in earlier} - {target / path.name for path in new}:
            if orphan.is_file():
                orphan.unlink()
    except OSError as error:
        raise OutputError(
            f"files of the earlier run could not be removed: {error.strerror}. The new ones are in place."
        ) from None


def _earlier_files(folder: Path) -> tuple[str, ...]:
    """Return the files of items that an earlier report in ``folder`` lists; none if the folder is empty.

    Only names without a folder and with an item's ending count: anybody may have changed the report.

    Raises:
        ParameterError: the folder has files but no report of ours.
    """
    hidden = (".textveil-", _PARTIAL)  # of a run that was killed, or is under way
    if all(path.name.startswith(hidden[0]) and path.name.endswith(hidden[1]) for path in folder.iterdir()):
        return ()
    try:
        facts = json_file(folder / REPORT)
        if not set(facts) >= _MARKS:
            raise ValueError("another program's report")
        names = [str(name) for item in facts["items"] for name in item["files"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError):
        raise ParameterError(
            f"`output` must be a new or empty folder, or one with a {REPORT} of textveil; got a folder of other files. "
            "Name another, or empty it."
        ) from None
    return tuple(name for name in names if Path(name).name == name and Path(name).suffix in _KINDS)
