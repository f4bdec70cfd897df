"""``textveil audit-package``: tests another package's claims, in an environment of its own."""

import sys
from typing import Annotated

import typer
from typer.core import TyperCommand

from textveil.cli import options as opt
from textveil.cli.mechanism_options import renamed
from textveil.json_text import json_text

CHANGED = 4  # Exit code if a replay shows another verdict than its row states


def audit_package_command(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The package as pip knows it.  [default: list all]")
    ] = None,
    only: Annotated[list[str] | None, typer.Argument(metavar="[CLAIM]...", help="IDs of claims.")] = None,
    python: Annotated[
        str | None, opt.option("PATH", "Interpreter that has the package.  [default: pip makes an environment]", None)
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """Test a package's claims: quotation, verdict, witness; exit code 4 if a verdict has changed.

    The package is not imported here: scripts test it in another process. The default downloads it by pip.
    """
    from textveil.cli.progress import counting
    from textveil_lab.audit.field.claims import adapted_claims
    from textveil_lab.audit.field.packages import audit_package, packages

    if name is None:
        listed = {one: [claim.id for claim in adapted_claims() if claim.package == one] for one in packages()}
        lines = "".join(f"{one}: {', '.join(ids)}\n" for one, ids in listed.items())
        sys.stdout.write(json_text(listed) if as_json else lines)
        return
    with counting("auditing", "claims") as progress, renamed(name="NAME", only="CLAIM"):
        rows = audit_package(name, only or [], python=python, progress=progress)
    if as_json:
        sys.stdout.write(json_text({"rows": [row.to_data() for row in rows]}))
    else:
        for row in rows:
            claim = row.claim
            facts = {"claim": claim.claim, "place": claim.place, "unit": claim.unit, "found": claim.found}
            facts |= {"why": claim.why, "reading": claim.reading, "repair": claim.repair, "cost": claim.cost}
            sys.stdout.write(f"{claim.id} ({claim.package} {row.version}): {row.shown}\n")
            sys.stdout.writelines(f"  {key}: {value}\n" for key, value in facts.items() if value)
            sys.stdout.write(f"  witness: python {claim.witness}\n")
    if not all(row.agrees for row in rows):
        sys.stderr.write("textveil: a replay shows another verdict than its row; the row must be mended\n")
        raise typer.Exit(CHANGED)


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("audit-package", cls=TyperCommand)(audit_package_command)
