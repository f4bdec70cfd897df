"""Content of a run's report, as data that Markdown and page show in the same words and order.

Only this module states settings: the paper's from ``Item.settings``, the run's from its samples
(``StudySetting.samples``) and from the items' results (``ItemOutcome.settings``).

``papers`` lists the papers that can be reproduced, with their items: figures, tables, and items beyond the paper.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

from textveil.errors import UnknownNameError, need
from textveil_lab.papers.setting import ItemOutcome, Reproduced, Sample, StudySetting
from textveil_lab.tables import Cell, shown


class Basis(Enum):
    """Foundation of an item."""

    PAPER = "as in the paper"
    BEYOND = "beyond the paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One figure, table or measurement."""

    name: str  # for users, and the start of its files' names
    title: str  # one line
    basis: Basis  # whether the paper's own definition is followed
    about: str  # subject of the item; no settings, which the report states as the paper's and as those of the run
    target: str  # ``module:function``; the function takes a ``StudySetting`` and gives an ``ItemOutcome``
    # whether there is a figure among what it gives, so that matplotlib is needed; else a chart is a picture of its
    # table, which pages show as text
    draws: bool = True
    texts: tuple[str, ...] = ()  # the corpora without which it cannot be measured, of ``Paper.texts``
    trains: bool = False  # whether networks are trained for it, so that torch is needed
    # the paper's, by name; "not stated" if it states none
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def run(self, setting: StudySetting) -> ItemOutcome:
        module, _, function = self.target.partition(":")
        measure: Callable[[StudySetting], ItemOutcome] = getattr(import_module(module), function)
        return measure(setting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A publication and its items, in the order of the report."""

    name: str  # for users
    title: str  # of the publication
    citation: str  # authors, place, year, identifier
    sources: str  # where its numbers and settings were read, one sentence
    items: tuple[Item, ...]  # every item
    # folders below data/vectors of a shared folder that hold its vocabularies or parts of them
    vocabularies: tuple[str, ...] = ()
    # folders below data/text of a shared folder with its corpora or stand-ins for them
    texts: tuple[str, ...] = ()
    # whether its items consist of long measurements, each kept as soon as it is made
    keeps_cells: bool = False
    notes: tuple[str, ...] = ()  # how to read the numbers; sentences for the head of the report

    def __post_init__(self) -> None:
        names = [item.name for item in self.items]
        need(len(set(names)) == len(names) > 0, "items", len(names), "of distinct names, one or more")

    def chosen(self, names: Sequence[str]) -> tuple[Item, ...]:
        """Return the items of these names, each once, in the paper's order; all if no name is given.

        Raises:
            UnknownNameError: the paper has no such item; the message lists all.
        """
        known = [item.name for item in self.items]
        for name in names:
            if name not in known:
                raise UnknownNameError(f"item of {self.name} must be one of {', '.join(known)}; got {name[:40]!r}.")
        return tuple(item for item in self.items if not names or item.name in names)


_PAPERS: Mapping[str, str] = MappingProxyType(
    {
        "curse": "textveil_lab.papers.curse.items:PAPER",
        "truncated-laplace": "textveil_lab.papers.truncated_laplace.items:PAPER",
    }
)


def papers() -> tuple[Paper, ...]:
    """Return every paper that can be reproduced."""
    return tuple(paper(name) for name in _PAPERS)


def paper(name: str) -> Paper:
    """Return the paper of that name.

    Raises:
        UnknownNameError: there is none; the message lists all.
    """
    if name not in _PAPERS:
        raise UnknownNameError(f"paper must be one of {', '.join(_PAPERS)}; got {name[:40]!r}.")
    module, _, attribute = _PAPERS[name].partition(":")
    found: Paper = getattr(import_module(module), attribute)
    return found


STAMP = "An experiment: draws repeat by their seed, so none of them may be released."
LONGEST = 40  # Rows of a table that a report shows; the files hold all
AT_ONCE = 30  # Comparisons of an item that the page shows open; more are folded
SHORT = 20  # Rows of a table that the page shows open because it is the item itself; a longer one is folded
FEW = 4  # Settings of an item that the page shows open; more are folded
WORDS = "words"  # The setting whose value is the sample that an item drew
Rows: TypeAlias = tuple[tuple[str, ...], list[tuple[str, ...]]]  # The names of a table's columns, and its rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyRun:
    """Results of a run, with its conditions and files."""

    paper: Paper  # whose items they are
    setting: StudySetting  # of the run
    results: Sequence[tuple[Item, ItemOutcome]]  # items with their outcomes, in the paper's order
    files: Mapping[str, Sequence[str]]  # names of the files of each item, by its name
    samples: Mapping[str, Sequence[Sample]]  # words that each item drew, by its name; empty if it draws none
    seconds: Mapping[str, float]  # of each item, by its name
    version: str  # of textveil

    def facts(self) -> dict[str, Any]:
        """Return the run as JSON values: seed, vocabularies, items, settings, findings, comparisons and judgments."""
        return {
            "paper": self.paper.name,
            "citation": self.paper.citation,
            "version": self.version,
            "for_release": False,
            "seed": self.setting.seed,
            "quick": self.setting.quick,
            "origin": self.setting.origin,
            "vocabularies": [
                {"name": one.name, "words": len(one), "dim": one.dim, "digest": one.digest}
                for one in self.setting.vocabularies
            ],
            "items": [self._item(item, outcome) for item, outcome in self.results],
        }

    def _item(self, item: Item, outcome: ItemOutcome) -> dict[str, Any]:
        judged = outcome.judgment
        return {
            "name": item.name,
            "title": item.title,
            "basis": item.basis.value,
            "files": list(self.files[item.name]),
            "samples": [sample._asdict() for sample in self.samples[item.name]],
            "settings": {
                "paper": dict(item.settings),
                "here": {name: list(one) if isinstance(one, tuple) else one for name, one in outcome.settings.items()},
            },
            "findings": list(outcome.findings),
            "comparisons": [
                {"what": one.what, "paper": one.paper, "ours": one.ours, "ways": dict(one.ways), "note": one.note}
                for one in outcome.comparisons
            ],
            "judgment": None if judged is None else {"reproduced": judged.reproduced.value, "why": judged.why},
        }


def conditions(run: StudyRun) -> str:
    """Return seed, version and whether the run was a quick one."""
    quick = " A quick run: small samples and vocabularies, few points." if run.setting.quick else ""
    return f"Seed {run.setting.seed}, textveil {run.version}.{quick}"


def counted(run: StudyRun) -> str:
    """Return the number of the paper's items that were reproduced, in one sentence; empty if none was judged."""
    judged = [outcome.judgment.reproduced for _, outcome in run.results if outcome.judgment is not None]
    if not judged:
        return ""
    parts = [f"{judged.count(one)} {one.value}" for one in Reproduced if one in judged]
    beyond = len(run.results) - len(judged)
    more = f" Beyond the paper: {beyond}." if beyond else ""
    return f"Figures, tables and examples of the paper: {', '.join(parts)}.{more}"


def in_short(run: StudyRun) -> Rows:
    """Return every item with its result: the reason, if it was judged, else its first finding."""
    rows: list[tuple[str, ...]] = []
    for item, outcome in run.results:
        judged = outcome.judgment
        if judged is not None:
            rows.append((f"{item.name}: {item.title}", judged.reproduced.value, judged.why))
        else:
            rows.append((f"{item.name}: {item.title}", item.basis.value, "".join(outcome.findings[:1])))
    return ("item", "outcome", "why, or what was found"), rows


def inputs(run: StudyRun) -> Rows:
    """Return the run's inputs: vocabularies by name, size and digest."""
    rows: list[tuple[str, ...]] = [
        (one.name, f"{len(one):,}", f"{one.dim}", one.digest[:16]) for one in run.setting.vocabularies
    ]
    return ("vocabulary", "words", "dimensions", "SHA-256 begins"), rows


def corpora(run: StudyRun) -> str:
    """Return the available corpora of the study, in one or two sentences; empty for studies of words."""
    named = [name for name in run.paper.texts if name in run.setting.texts]
    missing = [name for name in run.paper.texts if name not in run.setting.texts]
    found = f"Corpora at hand: {', '.join(named)}." if named else ""
    lacking = f"Corpora not at hand: {', '.join(missing)}." if missing else ""
    return f"{found} {lacking}".strip()


def basis(item: Item, outcome: ItemOutcome) -> str:
    """Return the item's basis and result, as the tag of its section."""
    word = item.basis.value if item.basis is not Basis.PAPER or outcome.judgment is None else "from the paper"
    judged = "" if outcome.judgment is None else f": {outcome.judgment.reproduced.value}"
    return f"{word[0].upper()}{word[1:]}{judged}"


def settings(run: StudyRun, item: Item, outcome: ItemOutcome) -> Rows:
    """Return the paper's settings beside the run's; only the run's if the paper has none."""
    here = {name: _setting(one) for name, one in outcome.settings.items()}
    drawn = "; ".join(f"{one.words:,} of the {one.of:,} of {one.vocabulary}" for one in run.samples[item.name])
    if drawn:
        here = {WORDS: drawn, **here}
    names = [*item.settings, *(name for name in here if name not in item.settings)]
    if not item.settings:
        return ("setting", "here"), [(name, here[name]) for name in names]
    return ("setting", "the paper", "here"), [
        (name, item.settings.get(name, ""), here.get(name, "-")) for name in names
    ]


def compared(outcome: ItemOutcome) -> Rows:
    """Return the paper's numbers beside ours, a column for each way of measuring if there are several."""
    ways = list(dict.fromkeys(way for one in outcome.comparisons for way in one.ways))
    plain = any(one.ours for one in outcome.comparisons)
    noted = any(one.note for one in outcome.comparisons)
    head = ["quantity", "the paper", *(["here"] if plain else []), *ways, *(["why they may differ"] if noted else [])]
    rows = []
    for one in outcome.comparisons:
        ours = [*([one.ours] if plain else []), *(one.ways.get(way, "") for way in ways)]
        rows.append((one.what, one.paper, *ours, *([one.note] if noted else [])))
    return tuple(head), rows


def images(run: StudyRun, item: Item, form: str = ".svg") -> list[str]:
    """Return the figures of an item in this form."""
    return [file for file in run.files[item.name] if file.endswith(form)]


def of_table(run: StudyRun, item: Item, key: str) -> list[str]:
    """Return the files of one of an item's tables."""
    stem = f"{item.name}-{key}" if key else item.name
    return [file for file in run.files[item.name] if file in (f"{stem}.csv", f"{stem}.json")]


def _setting(value: Cell | tuple[float, ...]) -> str:
    if not isinstance(value, tuple):
        return shown(value)
    if len(value) <= 5:
        return ", ".join(f"{one:g}" for one in value)
    return f"{min(value):g} to {max(value):g}, {len(value)} values"
