"""A mechanism's entry of the catalog, declared at the function that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

from textveil.privacy.guarantees import Status
from textveil.privacy.units import ONE_TOKEN, Adjacency, Unit
from textveil.registry.options import Option, documented, options_of
from textveil.registry.table import file_of, note_maker

if TYPE_CHECKING:
    from textveil.mechanisms.kinds import Mechanism

P = ParamSpec("P")
M = TypeVar("M")
_ENTRY = "__textveil_entry__"
_WITHIN: Final[WeakKeyDictionary[Callable[..., Any], Callable[..., Any]]] = WeakKeyDictionary()
"""The functions that ``declared`` decorated, by what it made of them: ``__wrapped__`` could be set by anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """One mechanism of the catalog.

    ``proof``: the proof, or the page that refutes the claim: a path below textveil, or one that begins with the package
    that ``target`` is in; ``shown_at``: options at which its line holds, if that is not so at epsilon 1; a refuted
    claim fails there.
    """

    name: str  # what users write
    target: str  # `module:function`; the function takes a vocabulary and keyword options
    family: str  # `"channel"`, `"perturb and project"`, `"sequence"`, `"document"`, `"vectors"` or `"sets"`
    notion: str  # the guarantee's notion, `"pure DP"`, `"approximate DP"`, `"metric DP"` or `"none"`
    status: Status  # how far its guarantee can be trusted
    proof: str
    source: str  # the publication, with its section
    summary: str  # one line
    instead: str = ""  # for a refuted mechanism, the name of the valid one
    adjacency: Adjacency = ONE_TOKEN  # which two inputs its guarantee compares
    needs: str = ""  # what must be given beside a vocabulary, in words: "a model on disk (extra transformers)"
    shown_at: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def unit(self) -> Unit:
        """The difference between two adjacent inputs."""
        return self.adjacency.unit

    @property
    def words_alone(self) -> bool:
        """True if it draws a word for each word alone; else for sequences, documents or vectors, or it draws sets."""
        return self.family not in ("sequence", "document", "vectors", "sets")

    @property
    def draws_text(self) -> bool:
        """True if what it releases is text, so that a sanitizer can be made of it."""
        return self.family not in ("vectors", "sets")

    def constructor(self) -> Callable[..., Mechanism]:
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module), attribute)

    @property
    def module(self) -> str:
        return self.target.partition(":")[0]

    def proof_file(self) -> Path | None:
        """The proof's path, or None if there is no such file."""
        return file_of(self.module, self.proof)

    def takes(self, epsilon: float) -> bool:
        """Tell whether it can be made for this epsilon; also if it has no such option."""
        option = self.options().get("epsilon")
        return option is None or option.domain.holds(epsilon)

    def options(self) -> Mapping[str, Option]:
        """The constructor's parameters, by name."""
        return options_of(self.constructor())


def declared(*, name: str = "", **facts: Any) -> Callable[[Callable[P, M]], Callable[P, M]]:
    """Declare the decorated function as the constructor of a mechanism: see ``CatalogEntry`` for the facts.

    The function takes a vocabulary and keyword-only options. Every option is checked by its declaration, and turned
    into its type, before the function is called; its docstring gets a line for each, and one for the source. What it
    returns is known as made by it (``registry.table.note_maker``).
    Nothing is registered: a catalog line, or an entry point of the group ``textveil.mechanisms``, names the function.

    ``name``: what users write, by default the function's name with hyphens.
    """

    def decorate(make: Callable[P, M]) -> Callable[P, M]:
        @wraps(make)
        def checked(*args: P.args, **kwargs: P.kwargs) -> M:
            options = options_of(make)
            given = {key: options[key].checked(value) if key in options else value for key, value in kwargs.items()}
            mechanism = make(*args, **cast(Any, given))
            note_maker(mechanism, checked)
            return mechanism

        entry = CatalogEntry(
            name=name or make.__name__.replace("_", "-"), target=f"{make.__module__}:{make.__qualname__}", **facts
        )
        checked.__doc__, checked.__dict__[_ENTRY] = _with_source(documented(make), entry), entry
        _WITHIN[checked] = make
        return checked

    return decorate


def proved(**facts: Any) -> Callable[[Callable[P, M]], Callable[P, M]]:
    """``declared`` with a guarantee that ``proof`` proves."""
    return declared(status=Status.PROVED, **facts)


def refuted(**facts: Any) -> Callable[[Callable[P, M]], Callable[P, M]]:
    """``declared`` with a claim that ``proof`` refutes."""
    return declared(status=Status.REFUTED, **facts)


def _with_source(docstring: str | None, entry: CatalogEntry) -> str | None:
    if not docstring or "Source:" in docstring:
        return docstring
    kind = "refutation" if entry.status is Status.REFUTED else "proof"
    shown = entry.source if entry.proof in entry.source else f"{entry.source}; {kind}: {entry.proof}"
    return docstring.replace("\n\nArgs:", f"\n\nSource: {shown}.\n\nArgs:", 1)


def maker_within(constructor: Callable[..., Any]) -> Callable[..., Any]:
    """The function that ``declared`` decorated; the constructor itself if it was not used."""
    return _WITHIN.get(constructor, constructor)


def entry_of(constructor: object) -> CatalogEntry | None:
    """Return what ``declared`` stated of a constructor, or None if it was not used."""
    entry = getattr(constructor, "__dict__", {}).get(_ENTRY)
    return entry if isinstance(entry, CatalogEntry) else None
