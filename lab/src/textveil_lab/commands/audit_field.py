"""``textveil audit-field``: claims of libraries and papers tested, as one table."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand

from textveil.cli import options as opt
from textveil.cli.mechanism_options import renamed
from textveil.json_text import json_text


def audit_field_command(
    only: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Rows.  [default: all that can be run here]")
    ] = None,
    output: Annotated[
        Path | None, opt.option("DIR", "Folder for the table as HTML, Markdown, CSV and JSON.", None, "--output", "-o")
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """Test claims of libraries and papers: verdict, witness, cost of a repair; exit code 0."""
    from textveil.cli.progress import counting
    from textveil_lab.audit.field.field_audit import audit_field
    from textveil_lab.audit.field.report import STEM, save_field, to_markdown

    with counting("auditing", "claims") as progress, renamed(only="NAME"):
        table = audit_field(only or [], progress=progress)
    outputs = opt.Outputs(None if output is None else output / f"{STEM}.html")
    if output is not None:
        for path in save_field(table, output):
            sys.stderr.write(f"textveil: wrote {path}\n")
    sys.stdout.write(json_text(table.to_data()) if as_json else to_markdown(table))
    outputs.tell()


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("audit-field", cls=TyperCommand)(audit_field_command)
