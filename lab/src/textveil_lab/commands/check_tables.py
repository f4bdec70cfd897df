"""``textveil check-tables``: checks the integers behind guarantees with a small independent program."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from typer.core import TyperCommand

from textveil.cli import options as opt

WRONG = 4  # Exit code if a statement does not follow


def check_tables_command(
    reports: Annotated[
        list[Path] | None, typer.Argument(metavar="[REPORT]...", help="Reports of releases, beside the tables.")
    ] = None,
    output: Annotated[
        Path | None, opt.option("FILE", "Keep the statements, to check them elsewhere.", None, "--output", "-o")
    ] = None,
) -> None:
    """Check every shipped table and the sums of reports from integers alone; exit code 4 if one does not follow.

    The checker, lab/src/textveil_lab/checker.py, is one file that imports nothing of textveil.
    """
    from textveil_lab.audit.tables import run_checker, write_statements

    with TemporaryDirectory(prefix="textveil-") as folder:
        path = write_statements(output or Path(folder, "tables.json"))
        follows, said = run_checker([path, *(reports or [])])
    sys.stdout.write(said)
    if not follows:
        raise typer.Exit(WRONG)


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("check-tables", cls=TyperCommand)(check_tables_command)
