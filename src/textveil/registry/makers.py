"""Files of the package that a module is in, and which function made an object."""

from __future__ import annotations

import copyreg
import weakref
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_MADE: Final[dict[int, tuple[Callable[[], object], Callable[..., Any]]]] = {}
"""By the number of an object: how to get at it, and the function that made it."""


def file_of(module: str, path: str) -> Path | None:
    """A file of the package that a module is in; None where there is none.

    Args:
        module: by its full name.
        path: below the package; it may begin with the package's name.
    """
    package = module.partition(".")[0]
    home = getattr(import_module(package), "__file__", None)
    if home is None or not path or Path(path).is_absolute() or ".." in Path(path).parts:
        return None
    file = Path(home).parent / path.removeprefix(f"{package}/")
    return file if file.is_file() else None


def note_maker(made: object, maker: Callable[..., Any]) -> None:
    """Remember which function made an object; a copy or a pickle of it remembers it too, a changed copy does not.

    Objects of a class with slots and without ``weakref_slot`` stay in memory as long as the process lives.
    """
    kind, number = type(made), id(made)
    if kind.__module__ == "builtins":
        return
    try:
        _MADE[number] = weakref.ref(made, lambda _: _MADE.pop(number, None)), maker
    except TypeError:
        _MADE[number] = (lambda: made), maker
    if kind not in copyreg.dispatch_table:
        copyreg.pickle(kind, _reduced)


def maker_of(made: object) -> Callable[..., Any] | None:
    """The function that made this very object, as far as one was noted."""
    get, maker = _MADE.get(id(made), (None, None))
    return maker if get is not None and get() is made else None


def _reduced(made: Any) -> Any:
    """What pickles an object whose maker was noted: its own reduction, and the maker by name."""
    plain, maker = made.__reduce_ex__(4), maker_of(made)
    if maker is None or isinstance(plain, str) or any(part is not None for part in plain[3:]):
        return plain
    return _remade, (plain[:3], f"{maker.__module__}:{maker.__qualname__}")


def _remade(plain: tuple[Any, ...], target: str) -> Any:
    """The object again, as ``pickle`` makes it, and its maker noted where it can be imported."""
    make, arguments, *states = plain
    made = make(*arguments)
    for state in states:
        if hasattr(made, "__setstate__"):
            made.__setstate__(state)
        else:
            for part in state if isinstance(state, tuple) else (state,):
                for name, value in (part or {}).items():
                    object.__setattr__(made, name, value)
    module, _, name = target.partition(":")
    maker = getattr(import_module(module), name, None)
    if maker is not None:
        note_maker(made, maker)
    return made
