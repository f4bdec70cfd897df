"""What declarations state, written elsewhere: tables of the docs, lines of the catalog, two files of JSON.

A table stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``, lines of the catalog between such comments of
Python. ``--write`` renews all of it; ``--check`` says what is stale, and exits with 1 if anything is. A long table is
kept in no file: the site has it in place of ``<!-- site: NAME -->``.
"""

import argparse
import inspect
import json
import os
import pkgutil
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import textveil.aggregates
from textveil.aggregates.request import CorpusRequest
from textveil.catalog import MECHANISMS, CatalogEntry, entries
from textveil.cli.mechanism_options import DECLARED, written
from textveil.detection.kinds import KINDS, OWN, STANDS_FOR
from textveil.mechanisms.declaration import entry_of as mechanism_entry_of
from textveil.registry.options import options_of
from textveil.sanitize.policy.choice import PRESETS as POLICIES
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.policy.policy import Action, Policy
from textveil.sanitize.report_pages import IDENTIFIERS, covered
from textveil.surrogates.making import SURROGATE_ENTRIES, make_surrogate
from textveil.surrogates.making import entry_of as surrogate_entry_of

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PINNED, LAB_PINNED = ROOT / "tests/contracts/catalog.json", ROOT / "lab/tests/catalog.json"
PLACE = re.compile(r"(<!-- generated: (?P<name>[a-z -]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)

ON_SITE = re.compile(r"<!-- site: (?P<name>[a-z -]+) -->\n")


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


def guarantee(entry: CatalogEntry) -> str:
    """What a mechanism guarantees, in a few words."""
    return entry.notion if entry.unit.value == "token" else f"{entry.notion} of one {entry.unit.value}"


def mechanisms(name: str) -> str:
    """The mechanisms of a section."""
    rows = [
        (f"`{entry.name}`", guarantee(entry), entry.status.value, entry.summary)
        for entry in entries().values()
        if section(entry) == name
    ]
    return table(("name", "guarantee", "status", "what it does"), rows)


def mechanism_names(name: str) -> str:
    """The mechanisms of a section by guarantee and status, without what they do."""
    names: dict[str, list[str]] = {}
    for entry in entries().values():
        if section(entry) == name:
            names.setdefault(f"{guarantee(entry)}, {entry.status.value}", []).append(f"`{entry.name}`")
    lines = (f"- {what}: {', '.join(of)}" for what, of in names.items())
    wrapped = (textwrap.fill(line, 100, subsequent_indent="  ", break_on_hyphens=False) for line in lines)
    return "\n".join(["", *wrapped, "", ""])


def options() -> str:
    """A row for each option and each default that it has, in groups, in the catalog's order."""
    takers: dict[tuple[str, ...], list[str]] = {}
    for name, entry in entries().items():
        for option in entry.options().values():
            hyphens = option.name.replace("_", "-")
            spelled = f"`--{hyphens}`, `--no-{hyphens}`" if option.can_be_turned_off else f"`--{hyphens}`"
            row = (option.group, spelled, option.wanted, option.default_text or "none", option.help)
            takers.setdefault(row, []).append(f"`{name}`")
    rows = [
        (*row[1:], "all" if len(names) == len(entries()) else ", ".join(names))
        for group in dict.fromkeys(row[0] for row in takers)
        for row, names in takers.items()
        if row[0] == group
    ]
    return table(("option", "values", "default", "what it does", "mechanisms"), rows)


_LONG_FACT: Final = 60
"""Characters from which on a public fact is written out in one row of the surrogates only."""


def surrogates() -> str:
    """A row for each surrogate; long facts that stay public are written out once."""
    rows: list[tuple[str, ...]] = []
    first: dict[str, str] = {}
    for name, entry in SURROGATE_ENTRIES.items():
        surrogate = make_surrogate(name, 1.0 if entry.needs_epsilon else 0.0, entry.sample)
        facts = []
        for fact in [*surrogate.public, *filter(None, [surrogate.equality])]:
            other = first.setdefault(fact, name) if len(fact) > _LONG_FACT else name
            facts.append(fact if other == name else f"{re.split('[:,]', fact)[0]}, as `{other}`")
        epsilon = "above 0" if entry.needs_epsilon else "0 or more" if entry.takes_epsilon else "0"
        rows.append(
            (
                f"`{name}`",
                ", ".join(entry.kinds) or "any",
                epsilon,
                surrogate.counts,
                ", ".join(f"`{option}`" for option in entry.options() if option != "epsilon") or "none",
                "; ".join(facts) or "nothing",
            )
        )
    return table(("name", "kinds", "epsilon", "counts", "options", "stays public"), rows)


def surrogate_options() -> str:
    """A row for each option of each surrogate."""
    rows = [
        (f"`{name}`", f"`{option.name}`", option.wanted, option.default_text or "none", option.help)
        for name, entry in SURROGATE_ENTRIES.items()
        for option in entry.options().values()
    ]
    return table(("surrogate", "option", "values", "default", "what it does"), rows)


def policies() -> str:
    """What each preset with spans does with each kind."""
    presets = {name: policy(name) for name in POLICIES if policy(name).finds_spans}
    rows = ([kind, *(_done(one, kind) for one in presets.values())] for kind in ("word", *KINDS))
    return table(("kind", *(f"`{name}`" for name in presets)), rows)


def kinds() -> str:
    """What is found of each kind."""
    return table(("kind", "what the embedded detector finds"), ((f"`{kind.name}`", kind.finds) for kind in OWN))


def hipaa() -> str:
    """HIPAA's eighteen identifiers, and what two presets do with each."""
    names = ("identifiers", "clinical")
    rules = [policy(name).to_data()["rules"] for name in names]
    rows = (
        (
            one.letters,
            one.name,
            ", ".join(f"`{kind}`" for kind in one.kinds) or "none",
            *(covered(own, one.kinds, finds_spans=True) for own in rules),
            one.watch,
        )
        for one in IDENTIFIERS
    )
    return table(("place", "identifier", "kinds", *(f"`{name}`" for name in names), "what to watch"), rows)


def _done(one: Policy, kind: str) -> str:
    """What a policy does with a kind, in a few words."""
    rule = one.rule(kind)
    if rule is None:
        return f"as {STANDS_FOR[kind]}" if kind in STANDS_FOR else "not looked for"
    if rule.action is not Action.SURROGATE:
        return "kept" if rule.action is Action.KEEP else rule.action.value
    facts = [f"epsilon {rule.epsilon:g}" if rule.epsilon else "", *(f"{k} {v}" for k, v in rule.options.items())]
    return ", ".join([f"`{rule.name}`", *filter(None, facts)])


def field_claims() -> str:
    """The claims of the field by verdict."""
    page = import_module("textveil_lab.audit.field.claims_page")
    return str(page.to_lists(import_module("textveil_lab.audit.field.claims").field_claims()))


def claims_page() -> str:
    """The same as a page that sorts."""
    page = import_module("textveil_lab.audit.field.claims_page")
    return f"{page.to_page(import_module('textveil_lab.audit.field.claims').field_claims())}\n"


SECTIONS: Final = (
    "mechanisms of words",
    "mechanisms within groups",
    "mechanisms by noise",
    "mechanisms of texts",
    "mechanisms of vectors",
    "published mechanisms",
)
"""Sections of the catalog; the first one has its table on the page, the others on the site."""

TABLES: Mapping[str, Callable[[], str]] = {
    **{name: partial(mechanisms, name) for name in SECTIONS},
    **{f"names of {name}": partial(mechanism_names, name) for name in SECTIONS[1:]},
    "options": options,
    "surrogates": surrogates,
    "policies": policies,
    "kinds": kinds,
    "hipaa": hipaa,
    "options of surrogates": surrogate_options,
    "claims of the field": field_claims,
}
"""Every table: its name in the docs, and what it holds."""


def makers(package: str, entry_of: Callable[[Any], Any]) -> dict[str, str]:
    """Where the functions of a package stand that declare something, by the names that they declare."""
    found: dict[str, str] = {}
    for _, module, _ in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        for name, made in vars(import_module(module)).items():
            entry = entry_of(made)
            if entry is not None and made.__module__ == module:
                found[entry.name] = f"{module}:{name}"
    return found


def mechanism_makers() -> dict[str, str]:
    """Those of textveil's own mechanisms."""
    return makers("textveil.mechanisms", mechanism_entry_of)


def surrogate_makers() -> dict[str, str]:
    """Those of surrogates."""
    return makers("textveil.surrogates", surrogate_entry_of)


CATALOGS: Mapping[str, Callable[[], dict[str, str]]] = {
    "src/textveil/catalog.py": mechanism_makers,
    "src/textveil/surrogates/making.py": surrogate_makers,
}
"""Files that hold lines of a catalog, and what they must hold."""


def listed(source: str, targets: Mapping[str, str]) -> str:
    """A file with its catalog's lines as they must be: in the order that they have, new ones behind."""
    head, begin, rest = re.split(r"(?<=\n)( +# generated: [a-z]+\n)", source, maxsplit=1)
    lines, _, tail = rest.partition("        # end\n")
    names = [name for name in re.findall(r'^ +"([a-z-]+)": ', lines, re.MULTILINE) if name in targets]
    names += sorted(targets.keys() - set(names))
    return "".join(
        [head, begin, *(f'        "{name}": "{targets[name]}",\n' for name in names), "        # end\n", tail]
    )


def pinned(mechanisms: Mapping[str, CatalogEntry]) -> str:
    """Notion, status and options of mechanisms, as JSON."""
    lines = []
    for name, entry in mechanisms.items():
        kinds = {key: [option.kind and option.kind.__name__, option.default] for key, option in entry.options().items()}
        options = ",\n".join(f"      {json.dumps(key)}: {json.dumps(value)}" for key, value in kinds.items())
        facts = f'    "notion": {json.dumps(entry.notion)},\n    "status": {json.dumps(entry.status.value)},\n'
        lines.append(f'  {json.dumps(name)}: {{\n{facts}    "options": {{\n{options}\n    }}\n  }}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def aggregates() -> dict[str, Any]:
    """The functions of ``textveil.aggregates`` that take a request and options of their own."""
    found = {}
    for place in pkgutil.iter_modules(textveil.aggregates.__path__, "textveil.aggregates."):
        for name, function in inspect.getmembers(import_module(place.name), inspect.isfunction):
            first = next(iter(inspect.signature(function).parameters), None)
            named = any(option.help for option in options_of(function).values())
            if name[0] != "_" and first == "request" and function.__module__ == place.name and named:
                found[name] = function
    return found


def command_options() -> str:
    """The options of own mechanisms and of aggregates for the command line, as JSON; equal ones stand there once."""
    rows: dict[str, int] = {}
    sections: dict[str, dict[str, Iterable[Any]]] = {
        "mechanisms": {name: entry.options().values() for name, entry in MECHANISMS.items()},
        "functions": {
            name: [option for option in options_of(function).values() if option.help]
            for name, function in {"request": CorpusRequest, **aggregates()}.items()
        },
    }
    text = ""
    for section_name, owners in sections.items():
        lines = (
            f'"{name}": {[rows.setdefault(json.dumps(written(option)), len(rows)) for option in options]}'
            for name, options in owners.items()
        )
        text += f',\n"{section_name}": {{\n' + ",\n".join(lines) + "\n}"
    return '{"options": [\n' + ",\n".join(rows) + f"\n]{text}}}\n"


def renewed(page: str) -> str:
    """A page with its tables as they must be.

    Raises:
        KeyError: there is no table of a name in it.
    """
    return PLACE.sub(lambda place: place[1] + TABLES[place["name"]](), page)


def with_site_tables(page: str) -> str:
    """A page with the tables that only the site has.

    Raises:
        KeyError: there is no table of a name in it.
    """
    return ON_SITE.sub(lambda place: TABLES[place["name"]](), page)


def stale(write: bool = False) -> list[str]:
    """Files that are not as declared, and tables that no page holds.

    Args:
        write: renew those files.
    """
    wanted = {ROOT / path: listed((ROOT / path).read_text(encoding="utf-8"), find()) for path, find in CATALOGS.items()}
    names = set[str]()
    for path in sorted(DOCS.glob("**/*.md")):
        page = path.read_text(encoding="utf-8")
        names.update(place["name"] for pattern in (PLACE, ON_SITE) for place in pattern.finditer(page))
        wanted[path] = renewed(page)
    lab = {name: entry for name, entry in entries().items() if name not in MECHANISMS}
    wanted |= {PINNED: pinned(MECHANISMS), LAB_PINNED: pinned(lab), DECLARED: command_options()}
    wanted[DOCS / "claims.html"] = claims_page()
    found = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if write:
        for path in found:
            path.write_text(wanted[path], encoding="utf-8")
    missing = [f"no page holds the table {name!r}" for name in TABLES if name not in names]
    return [*(str(path.relative_to(ROOT)) for path in found), *missing]


def main() -> None:
    """Renew or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--write", action="store_true", help="renew it")
    way.add_argument("--check", action="store_true", help="say what is stale")
    arguments = parser.parse_args()
    found = stale(write=arguments.write)
    if arguments.write and any(path in found for path in CATALOGS):  # what follows from them needs them anew
        os.execv(sys.executable, [sys.executable, *sys.argv])
    for line in found:
        print(f"{'written' if arguments.write else 'stale'}: {line}")
    if found and arguments.check:
        sys.exit("Run: scripts/docs --write")


if __name__ == "__main__":
    main()
