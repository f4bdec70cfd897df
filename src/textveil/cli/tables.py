"""``textveil tables``: the public tables that mechanisms read, built, listed and cleared."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import MechanismCommand, make
from textveil.errors import OutputError, ParameterError
from textveil.json_text import json_text

tables_app = typer.Typer(
    no_args_is_help=True, help="Build, list or clear the public tables in the cache folder.", rich_markup_mode=None
)


@tables_app.command("build", cls=MechanismCommand)
@opt.grouped
def build_command(
    context: typer.Context,
    *,
    mechanism: opt.MechanismName = "neighborhood",
    vocabulary: opt.VocabularyOptions,
    as_json: opt.AsJson = False,
) -> None:
    """Build the tables of a mechanism with these options, unless they are there."""
    from textveil.cli.progress import counting
    from textveil.mechanisms.capabilities import Tabulated

    chosen = make(context, mechanism, vocabulary.load())
    if not isinstance(chosen, Tabulated):
        raise ParameterError(f"--mechanism must be one that reads tables; got {chosen.name}. Try neighborhood.")
    rows = []
    for table in chosen.tables:
        if table.opened() is not None:
            rows.append({"kind": table.key.kind, "bytes": _size(table.place), "path": str(table.place), "built": False})
            continue
        with counting("building", "words") as progress:
            built = table.build(progress)
        if built.path is None:
            raise OutputError(f"{built.problem} Set TEXTVEIL_CACHE to a folder with room.")
        rows.append({"kind": table.key.kind, "bytes": _size(built.path), "path": str(built.path), "built": True})
    if as_json:
        sys.stdout.write(json_text(rows))
        return
    for row in rows:
        sys.stdout.write(f"{'built' if row['built'] else 'there'}  {row['bytes']:,} bytes  {row['path']}\n")


def _size(path: Path | None) -> int:
    return 0 if path is None else path.stat().st_size


@tables_app.command("list")
def list_command(as_json: opt.AsJson = False) -> None:
    """List the tables in the cache folder, each checked as a whole."""
    from textveil.vocabulary.tables.files import table_files
    from textveil.vocabulary.tables.public import tables_folder

    folder = tables_folder()
    tables = table_files(folder)
    if as_json:
        rows = [
            {
                "name": table.name,
                "bytes": table.nbytes,
                "kind": table.kind,
                "made_from": table.made_from,
                "arrays": [array._asdict() for array in table.arrays],
                "intact": table.intact,
            }
            for table in tables
        ]
        sys.stdout.write(json_text({"folder": str(folder), "tables": rows}))
        return
    sys.stdout.write(f"{folder}\n")
    if not tables:
        sys.stdout.write("no tables; what comes with the package is not listed\n")
    for table in tables:
        shapes = ", ".join(" x ".join(f"{size:,}" for size in array.shape) for array in table.arrays)
        state = f"{table.kind}, {shapes}" if table.intact else "not intact: it will be built again when it is needed"
        sys.stdout.write(f"{table.nbytes:>14,} bytes  {table.name}  {state}\n")


@tables_app.command("clear")
def clear_command(as_json: opt.AsJson = False) -> None:
    """Remove all tables from the cache folder; what comes with the package stays."""
    from textveil.vocabulary.tables.files import clear_tables
    from textveil.vocabulary.tables.public import tables_folder

    try:
        files, freed = clear_tables(tables_folder())
    except OSError as error:
        raise OutputError(f"the tables could not be removed: {error.strerror or type(error).__name__}.") from None
    if as_json:
        sys.stdout.write(json.dumps({"removed": files, "bytes": freed}) + "\n")
        return
    sys.stdout.write(f"removed {files} {'file' if files == 1 else 'files'}, {freed:,} bytes\n")
