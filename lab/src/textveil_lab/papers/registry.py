"""Papers that can be reproduced, and their items: figures, tables, and what goes beyond the paper."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from types import MappingProxyType

from textveil.errors import UnknownNameError, need
from textveil_lab.papers.setting import ItemOutcome, StudySetting


class Basis(Enum):
    """What an item rests on."""

    PAPER = "as in the paper"
    BEYOND = "beyond the paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One figure, table or measurement."""

    name: str  # what users write, and the start of its files' names
    title: str  # one line
    basis: Basis  # whether the paper's own definition is followed
    about: str  # what the item shows; no settings, which the report states as the paper's and as those of the run
    target: str  # ``module:function``; the function takes a ``StudySetting`` and gives an ``ItemOutcome``
    # whether there is a figure among what it gives, so that matplotlib is needed; else a chart is a picture of its
    # table, which pages show as text
    draws: bool = True
    texts: tuple[str, ...] = ()  # the corpora without which it cannot be measured, of ``Paper.texts``
    trains: bool = False  # whether networks are trained for it, so that torch is needed
    # the paper's, by name; "not stated" where it states none
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def run(self, setting: StudySetting) -> ItemOutcome:
        """Measure it."""
        module, _, function = self.target.partition(":")
        measure: Callable[[StudySetting], ItemOutcome] = getattr(import_module(module), function)
        return measure(setting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A publication and its items, in the order of the report."""

    name: str  # what users write
    title: str  # of the publication
    citation: str  # authors, place, year, identifier
    sources: str  # where its numbers and settings were read, one sentence
    items: tuple[Item, ...]  # every item
    # folders below data/vectors of a shared folder that hold its vocabularies or parts of them
    vocabularies: tuple[str, ...] = ()
    # folders below data/text of a shared folder that hold its corpora or stand-ins for them
    texts: tuple[str, ...] = ()
    # whether its items are made of measurements that take long, each kept as soon as it is made
    keeps_cells: bool = False
    notes: tuple[str, ...] = ()  # how to read the numbers; sentences for the head of the report

    def __post_init__(self) -> None:
        names = [item.name for item in self.items]
        need(len(set(names)) == len(names) > 0, "items", len(names), "of distinct names, one or more")

    def chosen(self, names: Sequence[str]) -> tuple[Item, ...]:
        """The items of these names, each once, in the paper's order; all of them where none is named.

        Raises:
            UnknownNameError: the paper has no such item; the list is printed.
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
    """Every paper that can be reproduced."""
    return tuple(paper(name) for name in _PAPERS)


def paper(name: str) -> Paper:
    """The paper of that name.

    Raises:
        UnknownNameError: there is none; the list is printed.
    """
    if name not in _PAPERS:
        raise UnknownNameError(f"paper must be one of {', '.join(_PAPERS)}; got {name[:40]!r}.")
    module, _, attribute = _PAPERS[name].partition(":")
    found: Paper = getattr(import_module(module), attribute)
    return found
