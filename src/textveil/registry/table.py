"""Tables of what is made by name: textveil's own, and what installed packages add by entry points.

A table is generic in its entries: mechanisms, surrogates and detectors each have one. Its own entries are modules and
attributes, imported when they are asked for; those of other packages are the entry points of a group. The package
``textveil-lab`` registers as any other does: its names are known here only to say how to install it.
"""

from __future__ import annotations

import copy
import copyreg
import dataclasses
import difflib
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import lru_cache, partial
from hashlib import blake2b
from importlib import import_module
from itertools import repeat
from pathlib import Path
from types import FunctionType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from textveil.errors import MissingExtra, MissingLab, ParameterError, UnknownNameError, need

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


class Named(Protocol):
    """An entry of a table."""

    @property
    def name(self) -> str:
        """Name as users write it."""


def entry_points(group: str) -> EntryPoints:
    """Return the entry points of a group."""
    from importlib import metadata  # a twentieth of a second, which textveil's own entries do not need

    return metadata.entry_points(group=group)


def loaded(point: EntryPoint) -> Any:
    """Load the object behind an entry point. Raises MissingExtra; ParameterError: it cannot be imported."""
    try:
        return point.load()
    except MissingExtra:
        raise
    except Exception as error:
        raise ParameterError(
            f"entry point {point.name} must load; got {type(error).__name__}. Upgrade or remove its package."
        ) from error


E = TypeVar("E", bound=Named)


class Table(Mapping[str, E], Generic[E]):
    """Entries by name; as a mapping it holds textveil's own alone."""

    def __init__(
        self,
        noun: str,
        group: str,
        targets: Mapping[str, str],
        read: Callable[[str, Any], E | None],
        wanted: str,
        see: str = "",
    ) -> None:
        """A table.

        Args:
            noun: what an entry makes, for messages.
            group: of entry points.
            targets: ``module:attribute`` by name.
            read: the entry of an object, which stands in a table or entry point under that name; None if it is none.
            wanted: what an entry point must be.
            see: a command that lists the names; without one, messages do.
        """
        self.group = group
        self._noun, self._targets, self._read, self._wanted, self._see = noun, dict(targets), read, wanted, see

    def __getitem__(self, name: str) -> E:
        module, _, attribute = self._targets[name].partition(":")
        if (entry := self._read(name, getattr(import_module(module), attribute))) is None or entry.name != name:
            raise LookupError(f"{self._targets[name]} does not declare the {self._noun} {name}")
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)

    def __contains__(self, name: object) -> bool:
        return name in self._targets

    def others(self) -> dict[str, E]:
        """Return the entries of other packages, by name.

        Raises ParameterError: one cannot be loaded or is no entry, or a name is taken.
        """
        return self._entries(lambda point: True)

    def named(self, name: str) -> dict[str, E]:
        """The entries of other packages whose entry points have that name; the others are not imported."""
        return self._entries(lambda point: point.name == name)

    def _entries(self, wanted: Callable[[EntryPoint], bool]) -> dict[str, E]:
        entries: dict[str, E] = {}
        for point in sorted(filter(wanted, entry_points(group=self.group)), key=lambda point: point.name):
            product = loaded(point)
            if (entry := self._read(point.name, product)) is None:
                raise ParameterError(f"entry point {point.name} must be {self._wanted}; got {type(product).__name__}.")
            new = entry.name not in self and entry.name not in entries
            need(new, f"{self._noun} name", entry.name, "new to the catalog", "Rename it.")
            entries[entry.name] = entry
        return entries

    def installed(self) -> dict[str, E]:
        """Return every entry, by name; textveil's own first. Raises ParameterError: as ``others``."""
        return {**self, **self.others()}

    def find(self, name: str) -> E:
        """Return the entry of that name; other packages are asked for names that are not textveil's own.

        Raises UnknownNameError: there is none; the nearest name is suggested; ParameterError: as ``others``.
        """
        if name in self._targets:
            return self[name]
        others = self.named(name) or self.others()
        if name not in others:
            names = [*self, *others]
            (close,) = difflib.get_close_matches(str(name), names, n=1, cutoff=0.0)
            wanted = "one of the catalog" if self._see else f"one of {', '.join(names)}"
            hint = f"Did you mean {close!r}?" + (f" See: {self._see}" if self._see else "")
            need(False, self._noun, repr(str(name)[:60]), wanted, hint, kind=UnknownNameError)
        return others[name]


class _Made(NamedTuple):
    get: Callable[[], object]  # gives the object, None once it is gone
    maker: Callable[..., Any]
    parts: Parts  # what it was made of then
    guarantee: object  # a copy of its guarantee then


_MADE: Final[dict[int, _Made]] = {}  # by the number of an object


def file_of(module: str, path: str) -> Path | None:
    """Return a file of the package that ``module`` (full name) is in; None if there is none.

    ``path`` lies below the package and may begin with the package's name.
    """
    package = module.partition(".")[0]
    home = getattr(import_module(package), "__file__", None)
    if home is None or not path or Path(path).is_absolute() or ".." in Path(path).parts:
        return None
    file = Path(home).parent / path.removeprefix(f"{package}/")
    return file if file.is_file() else None


def note_maker(instance: object, maker: Callable[..., Any]) -> None:
    """Remember which function made an object; a copy or a pickle of it remembers it too, a changed copy does not.

    Objects of a class with slots and without ``weakref_slot`` stay in memory as long as the process lives.
    """
    kind, number = type(instance), id(instance)
    if kind.__module__ == "builtins":
        return
    get: Callable[[], object]
    try:
        get = weakref.ref(instance, lambda _: _MADE.pop(number, None))
    except TypeError:
        get = lambda: instance  # noqa: E731
    _MADE[number] = _Made(get, maker, parts_of(instance), copy.copy(getattr(instance, "guarantee", None)))
    if kind not in copyreg.dispatch_table:
        copyreg.pickle(kind, _reduced)


def maker_of(instance: object) -> Callable[..., Any] | None:
    """Return the function that made this very object, if one was noted and nobody changed the object since."""
    if (made := _MADE.get(id(instance))) is None or made.get() is not instance:
        return None
    same = made.parts.items() <= parts_of(instance).items()
    return made.maker if same and getattr(instance, "guarantee", None) == made.guarantee else None


def _reduced(instance: Any) -> Any:
    """Pickle an object whose maker was noted: its own reduction, and the maker by name."""
    plain, maker = instance.__reduce_ex__(4), maker_of(instance)
    if maker is None or isinstance(plain, str) or any(part is not None for part in plain[3:]):
        return plain
    module, name = maker.__module__, maker.__qualname__
    named: object = getattr(sys.modules.get(module), name, None)
    # Another object may have the name: functools.wraps copies it.
    return (_remade, (plain[:3], f"{module}:{name}")) if named is maker else plain


def _remade(plain: tuple[Any, ...], target: str) -> Any:
    """Make the object again, as ``pickle`` does, and note its maker if it can be imported."""
    make, arguments, *states = plain
    product = make(*arguments)
    for state in states:
        if hasattr(product, "__setstate__"):
            product.__setstate__(state)
        else:
            for part in state if isinstance(state, tuple) else (state,):
                for name, value in (part or {}).items():
                    object.__setattr__(product, name, value)
    module, _, name = target.partition(":")
    if (maker := getattr(import_module(module), name, None)) is not None:
        note_maker(product, maker)
    return product


_LONG: Final = 256  # entries of a collection that are looked at one by one, at most
_LARGE: Final = 2**22  # bytes of an array that is read, at most; one above that is only kept from being written
_PLAIN: Final = (int, float, complex, str, bytes, type(None), Enum)
_FOLLOWED: Final = (FunctionType, MethodType, partial, tuple, list, dict, MappingProxyType)
Parts: TypeAlias = Mapping[str, object]  # what each part was, by the way to it


def parts_of(instance: Any) -> Parts:
    """Return the parts of an object as they are now. Arrays among them cannot be written from then on."""
    import numpy as np  # not needed by whoever makes nothing

    own = getattr(instance, "__dict__", None) or ()
    found: dict[str, object] = {"": (type(instance), _methods_of_its_own(instance) if own else ())}
    seen = {id(instance)}
    waiting: list[tuple[str, Any, tuple[str, ...]]] = [("", instance, (*own, *_slots_of(type(instance))))]  # type: ignore[arg-type]
    while waiting:
        path, whole, names = waiting.pop()
        parts: Iterable[tuple[object, Any]]
        if names or whole is instance:
            parts = zip(names, map(getattr, repeat(whole), names, repeat(None)), strict=True)
        else:
            parts = enumerate(whole[:_LONG]) if isinstance(whole, tuple | list) else _inner(whole)
        for name, part in parts:
            way = f"{path}.{name}"
            # The number of an object that is gone may be the next one's: plain values count as they are, and of
            # functions the code too.
            if isinstance(part, _PLAIN):
                found[way] = type(part), part
                continue
            if isinstance(part, np.ndarray):
                part.flags.writeable = False
                read = part.nbytes <= _LARGE and not part.dtype.hasobject
                found[way] = id(part), blake2b(part.tobytes()).digest() if read else b""
                continue
            found[way] = id(part), type(part), _methods_of_its_own(part) if getattr(part, "__dict__", None) else ()
            if id(part) in seen:
                continue
            seen.add(id(part))
            fields = _fields_of(type(part))  # type: ignore[arg-type]
            if fields or isinstance(part, _FOLLOWED):
                waiting.append((way, part, fields))
    return found


def _methods_of_its_own(instance: object) -> tuple[str, ...]:
    own, kind = getattr(instance, "__dict__", None), type(instance)
    names = list(own) if type(own) is dict else []
    return tuple([name for name in names if isinstance(getattr(kind, name, None), FunctionType)]) if names else ()


@lru_cache(maxsize=256)
def _slots_of(kind: type) -> tuple[str, ...]:
    slots = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    return tuple([name for names in slots for name in names if name[:2] != "__"])


@lru_cache(maxsize=256)
def _fields_of(kind: type) -> tuple[str, ...]:
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    return tuple([field.name for field in dataclasses.fields(kind)]) if frozen else ()


def _inner(part: Any) -> Iterable[tuple[object, Any]]:
    if isinstance(part, FunctionType):
        parts = [("code", part.__code__), ("defaults", part.__defaults__), ("named defaults", part.__kwdefaults__)]
        for number, cell in enumerate(part.__closure__ or ()):
            with suppress(ValueError):  # not set yet
                parts.append((f"closed over {number}", cell.cell_contents))
        return parts
    if isinstance(part, MethodType):
        return ("function", part.__func__), ("self", part.__self__)
    if isinstance(part, partial):
        return ("function", part.func), ("arguments", part.args), ("keywords", part.keywords)
    if not part or len(part) > _LONG:
        return ()
    return [(name, entry) for name, entry in list(part.items()) if isinstance(name, str)]


FUNCTIONS: Final = "textveil.functions"
"""Entry points of functions that ``textveil`` offers under their names: ``textveil.audit``."""

LAB_COMMANDS: Final = """
audit audit-field audit-gateway audit-package check-tables decode estimate frontier reproduce rewrite tune
"""
LAB_MECHANISMS: Final = """
optimal exponential metric-exponential tem tgm santext santext-plus elastic privic hyperbolic-exponential same-tag
custext custext-plus diffractor keywords sense-laplace earth-mover dp-prompt dp-paraphrase dp-fusion dp-bart dp-rewrite
adept subset-selection text-to-vectors unary-encoding optimized-unary-encoding dpnr cape geng optimal-noise
spherical-laplace cmp cmp-approximate mahalanobis vickrey brr rapt word-budgets hyperbolic-laplace pte gaussian
gaussian-classical laplace truncated-laplace dpnr-published cape-published ome-published dptext-published
dp-bart-published adept-published mahalanobis-published vickrey-published dp-prompt-published
truncated-laplace-published gaussian-classical-published tgm-published tem-published custext-published
scored-budgets-published rantext-published diffractor-published
"""
"""Commands and mechanisms of ``textveil-lab``, with spaces between them."""


def lab_function(name: str) -> Any:
    """Return the function that an installed package offers under a name.

    Raises MissingLab: no package does; ParameterError: it cannot be loaded.
    """
    for point in entry_points(group=FUNCTIONS):
        if point.name == name:
            return loaded(point)
    raise MissingLab(f"`textveil.{name}`")
