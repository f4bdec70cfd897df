"""``textveil mechanisms``: the catalog, with the true status of every claim and the options of each mechanism."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.cli import options as opt
from textveil.cli.spelling import renamed
from textveil.errors import MissingLab
from textveil.json_text import json_text
from textveil.registry import lab

if TYPE_CHECKING:
    from textveil.catalog import CatalogEntry
    from textveil.registry.options import Option


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
        missing = set(lab.MECHANISMS.split()) - {entry.name for entry in shown}
        if missing:
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
