"""Tables of the docs that the declarations state: mechanisms, their options, surrogates.

A table stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``. ``--write`` renews all tables; ``--check``
says which are stale, and exits with 1 where any is.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from textveil.catalog import MECHANISMS, CatalogEntry
from textveil.surrogates.making import SURROGATE_ENTRIES, make_surrogate

DOCS = Path(__file__).resolve().parents[1] / "docs"
PLACE = re.compile(r"(<!-- generated: (?P<name>[a-z -]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table between empty lines."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, *rows)]
    return "\n".join(["", lines[0], "|" + "---|" * len(head), *lines[1:], "", ""])


def section(entry: CatalogEntry) -> str:
    """The table that a mechanism is in."""
    if entry.name.endswith("-published"):
        return "published mechanisms"
    if entry.family in ("vectors", "sets"):
        return "mechanisms of vectors"
    if entry.family == "document":
        return "mechanisms of texts"
    if entry.adjacency.shared:
        return "mechanisms within groups"
    return "mechanisms by noise" if entry.family == "perturb and project" else "mechanisms of words"


def mechanisms(name: str) -> str:
    """The mechanisms of a section."""
    rows = [
        (
            f"`{entry.name}`",
            entry.notion if entry.unit.value == "token" else f"{entry.notion} of one {entry.unit.value}",
            entry.status.value,
            entry.summary,
        )
        for entry in MECHANISMS.values()
        if section(entry) == name
    ]
    return table(("name", "guarantee", "status", "what it does"), rows)


def options() -> str:
    """A row for each option and each default that it has, in groups, in the catalog's order."""
    takers: dict[tuple[str, ...], list[str]] = {}
    for name, entry in MECHANISMS.items():
        for option in entry.options().values():
            hyphens = option.name.replace("_", "-")
            spelled = f"`--{hyphens}`, `--no-{hyphens}`" if option.can_be_turned_off else f"`--{hyphens}`"
            row = (option.group, spelled, option.wanted, option.default_text or "none", option.help)
            takers.setdefault(row, []).append(f"`{name}`")
    rows = [
        (*row[1:], "all" if len(names) == len(MECHANISMS) else ", ".join(names))
        for group in dict.fromkeys(row[0] for row in takers)
        for row, names in takers.items()
        if row[0] == group
    ]
    return table(("option", "values", "default", "what it does", "mechanisms"), rows)


def surrogates() -> str:
    """A row for each surrogate."""
    rows = []
    for name, entry in SURROGATE_ENTRIES.items():
        surrogate = make_surrogate(name, 1.0 if entry.needs_epsilon else 0.0, entry.sample)
        epsilon = "above 0" if entry.needs_epsilon else "0 or more" if entry.takes_epsilon else "0"
        rows.append(
            (
                f"`{name}`",
                ", ".join(entry.kinds) or "any",
                epsilon,
                surrogate.counts,
                ", ".join(f"`{option}`" for option in entry.options() if option != "epsilon") or "none",
                "; ".join([*surrogate.public, *filter(None, [surrogate.equality])]) or "nothing",
                f"[{Path(entry.proof).stem}](../src/textveil/{entry.proof})",
            )
        )
    return table(("name", "kinds", "epsilon", "counts", "options", "stays public", "proof"), rows)


def surrogate_options() -> str:
    """A row for each option of each surrogate."""
    rows = [
        (f"`{name}`", f"`{option.name}`", option.wanted, option.default_text or "none", option.help)
        for name, entry in SURROGATE_ENTRIES.items()
        for option in entry.options().values()
    ]
    return table(("surrogate", "option", "values", "default", "what it does"), rows)


TABLES: Mapping[str, Callable[[], str]] = {
    **{
        name: partial(mechanisms, name)
        for name in (
            "mechanisms of words",
            "mechanisms within groups",
            "mechanisms by noise",
            "mechanisms of texts",
            "mechanisms of vectors",
            "published mechanisms",
        )
    },
    "options": options,
    "surrogates": surrogates,
    "options of surrogates": surrogate_options,
}
"""Every table: its name in the docs, and what it holds."""


def renewed(page: str) -> str:
    """A page with its tables as they must be.

    Raises:
        KeyError: there is no table of a name in it.
    """
    return PLACE.sub(lambda place: place[1] + TABLES[place["name"]](), page)


def stale(write: bool = False) -> list[str]:
    """Pages whose tables are not as declared, and tables that no page holds.

    Args:
        write: renew those pages.
    """
    found, names = [], set[str]()
    for path in sorted(DOCS.glob("**/*.md")):
        page = path.read_text(encoding="utf-8")
        names.update(place["name"] for place in PLACE.finditer(page))
        if (now := renewed(page)) != page:
            found.append(f"docs/{path.relative_to(DOCS)}")
            if write:
                path.write_text(now, encoding="utf-8")
    return [*found, *(f"no page holds the table {name!r}" for name in TABLES if name not in names)]


def main() -> None:
    """Renew or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--write", action="store_true", help="renew the tables")
    way.add_argument("--check", action="store_true", help="say which are stale")
    arguments = parser.parse_args()
    found = stale(write=arguments.write)
    for line in found:
        print(f"{'written' if arguments.write else 'stale'}: {line}")
    if found and arguments.check:
        sys.exit("Run: scripts/docs --write")


if __name__ == "__main__":
    main()
