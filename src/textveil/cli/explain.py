"""``explain`` shows what words become; ``mechanisms``, ``policies`` and ``tables`` list what there is."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import MechanismCommand, make, renamed
from textveil.cli.progress import counting
from textveil.errors import MissingLab, OutputError, ParameterError
from textveil.json_text import json_text
from textveil.registry.table import LAB_MECHANISMS, lab_function

if TYPE_CHECKING:
    from textveil.catalog import CatalogEntry
    from textveil.registry.options import Option


@opt.grouped
def explain_command(
    context: typer.Context,
    *,
    mechanism: opt.MechanismName = "neighborhood",
    word: str | None = opt.value("W", "The word to explain.  [default: an average over all]"),
    top: int = opt.value("K", "Likeliest outputs to list.", default=10),
    samples: int = opt.value("N", "Draws, for mechanisms whose distribution is not a finite table.", default=20_000),
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Show what one word becomes: its likeliest outputs, and how often it stays or stays close.

    Of what releases vectors or sets: how well the two inputs that differ most are told apart.
    """
    from textveil.mechanisms.kinds import Channel, SetMechanism, VectorMechanism
    from textveil.randomness import seeded_generator
    from textveil.sanitize.explanation import explain

    words = vocabulary.load()
    chosen = make(context, mechanism, words)
    if seed is not None and isinstance(chosen, Channel):
        raise ParameterError(
            f"--seed is for distributions that are sampled; the distribution of {chosen.name} is exact. Leave it out."
        )
    rng = None if seed is None else seeded_generator(seed)
    if isinstance(chosen, VectorMechanism | SetMechanism):
        if word is not None:
            raise ParameterError(f"--word must be left out: {chosen.name} releases no words.")
        explanation = lab_function("explain_release")(chosen, samples=samples, rng=rng)
    else:
        explanation = explain(chosen, word, top=top, samples=samples, rng=rng)
    opt.show(explanation.to_data(), [explanation.summary()], as_json=as_json)


def policies_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME|FILE]", help="One policy, as TOML to start from.  [default: list all]"),
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """List the policies that come with textveil, or print one."""
    from textveil.sanitize.policy.choice import PRESETS, policy, policy_text

    with renamed(policy="NAME"):
        shown = [policy(each) for each in (PRESETS if name is None else (name,))]
        text = "" if name is None else policy_text(name)
    width = max(len(each.name) for each in shown)
    lines = [f"{each.name:<{width}}  {each.describes}" for each in shown] if name is None else [text.removesuffix("\n")]
    opt.show([{**each.to_data(), "digest": each.digest} for each in shown], lines, as_json=as_json)


def mechanisms_command(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One mechanism, with its options.  [default: all]")
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """List the mechanisms with the status of their guarantees, or one with its options."""
    from textveil.catalog import entries, entry

    with renamed(mechanism="NAME"):  # an argument here, not the option --mechanism
        shown = list(entries().values()) if name is None else [entry(name)]
    if as_json:
        sys.stdout.write(json_text([_data(entry) for entry in shown]))
    elif name is None:
        columns = [("NAME", "GUARANTEE", "STATUS", "WHAT IT DOES")]
        _write(columns + [(entry.name, entry.notion, entry.status.shown, entry.summary) for entry in shown])
        if missing := set(LAB_MECHANISMS.split()) - {entry.name for entry in shown}:
            sys.stderr.write(f"{len(missing)} more mechanisms: {MissingLab('the rest of the catalog')}\n")
    else:
        (chosen,) = shown
        facts = {
            "mechanism": chosen.name,
            "guarantee": f"{chosen.notion} [{chosen.status.shown}]",
            "family": chosen.family,
        }
        facts |= {"unit": chosen.unit.value, "adjacency": chosen.adjacency.text, "needs": chosen.needs}
        facts |= {"source": chosen.source, "proof": chosen.proof, "instead": chosen.instead}
        _write([(key, value) for key, value in facts.items() if value])
        sys.stdout.write(f"\n{chosen.summary}\n\n")
        columns = [("OPTION", "VALUES", "DEFAULT", "WHAT IT DOES")]
        rows = [(key, each.wanted, each.default_text or "-", each.help) for key, each in chosen.options().items()]
        _write(columns + rows)


def _write(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
        sys.stdout.write("  ".join([*cells, row[-1]]).rstrip() + "\n")


def _data(entry: CatalogEntry) -> dict[str, Any]:
    options = entry.options()
    return {
        "name": entry.name,
        "family": entry.family,
        "guarantee": entry.notion,
        "notion": entry.notion,
        "unit": entry.unit.value,
        "adjacency": entry.adjacency.text,
        "needs": entry.needs or None,
        "status": entry.status.value,
        "proof": entry.proof,
        "source": entry.source,
        "summary": entry.summary,
        "options": list(options),
        "declarations": [_declaration(option) for option in options.values()],
        "instead": entry.instead or None,
    }


def _declaration(option: Option) -> dict[str, Any]:
    plain = option.default is None or isinstance(option.default, float | int | str)
    return {
        "name": option.name,
        "type": None if option.kind is None else option.kind.__name__,
        "values": option.wanted,
        "default": option.default if plain else str(option.default),
        "without_it": option.default_text or None,
        "help": option.help,
        "group": option.group,
    }


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
    from textveil.mechanisms.kinds import Tabulated

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
    lines = [f"{'built' if row['built'] else 'there'}  {row['bytes']:,} bytes  {row['path']}" for row in rows]
    opt.show(rows, lines, as_json=as_json)


def _size(path: Path | None) -> int:
    return 0 if path is None else path.stat().st_size


@tables_app.command("list")
def list_command(as_json: opt.AsJson = False) -> None:
    """List the tables in the cache folder, each checked as a whole."""
    from textveil.vocabulary.public_tables import tables_folder
    from textveil.vocabulary.table_files import table_files

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
    from textveil.vocabulary.public_tables import tables_folder
    from textveil.vocabulary.table_files import clear_tables

    try:
        files, freed = clear_tables(tables_folder())
    except OSError as error:
        raise OutputError(f"the tables could not be removed: {error.strerror or type(error).__name__}.") from None
    if as_json:
        sys.stdout.write(json.dumps({"removed": files, "bytes": freed}) + "\n")
        return
    sys.stdout.write(f"removed {files} {'file' if files == 1 else 'files'}, {freed:,} bytes\n")
