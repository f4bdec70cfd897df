"""The lists of the package faker, as tools read them: one place that knows how its providers hold them."""

import pkgutil
from collections.abc import Collection, Iterable, Iterator
from importlib import import_module


def entries(
    provider: str, names: Iterable[str], locales: Iterable[str] | None = None, *, part: int = -1
) -> Iterator[str]:
    """Every entry of some lists, locale by locale; a name in two lists comes twice.

    Args:
        provider: a package of faker's providers: "person".
        names: of attributes of its provider classes: "first_names".
        locales: which to read; None reads all.
        part: which to take of an entry that is a tuple: a code and a name, as a rule.
    """
    package = import_module(f"faker.providers.{provider}")
    wanted = list(names)
    kept = None if locales is None else frozenset(locales)
    for module in pkgutil.iter_modules(package.__path__):
        if kept is None or module.name in kept:
            found = vars(import_module(f"{package.__name__}.{module.name}").Provider)
            for name in wanted:
                held = found.get(name, ())
                if isinstance(held, Collection):  # elsewhere it is a method or a property
                    yield from (str(entry if isinstance(entry, str) else entry[part]) for entry in held)
