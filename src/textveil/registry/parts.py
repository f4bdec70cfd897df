"""What an object is made of, as far as it is not to change: so that a change in place can be told.

Followed are the object's own attributes, and below them the fields of frozen dataclasses, what functions are bound to
and close over, and short tuples, lists and mappings. Not followed are other objects: they keep what was computed, and
change as they work; that they are the same objects, with the methods of their class, is all that is asked of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import partial
from hashlib import blake2b
from types import FunctionType, MappingProxyType, MethodType
from typing import Any, Final, TypeAlias

_LONG: Final = 256
"""Entries of a collection that are looked at one by one, at most."""

_LARGE: Final = 2**22
"""Bytes of an array that is read, at most; one above that is only kept from being written."""

_PLAIN: Final = (int, float, complex, str, bytes, type(None), Enum)

Parts: TypeAlias = Mapping[str, object]
"""What each part was, by the way to it."""


def parts_of(instance: object) -> Parts:
    """Return the parts of an object now. Arrays among them cannot be written from then on."""
    found: dict[str, object] = {"": (type(instance), _methods_of_its_own(instance))}
    seen = {id(instance)}
    waiting = [("", _attributes(instance))]
    while waiting:
        path, parts = waiting.pop()
        for name, part in parts:
            way = f"{path}.{name}"
            found[way] = _mark(part)
            if not isinstance(part, _PLAIN) and id(part) not in seen:
                seen.add(id(part))
                waiting.append((way, _inner(part)))
    return found


def _mark(part: object) -> object:
    """Return what tells a part from another in its place.

    The number of an object alone would not: one that is gone may leave it to the next. So plain values count as they
    are, and of functions the code too.
    """
    if isinstance(part, _PLAIN):
        return type(part), part
    import numpy as np  # not needed by whoever makes nothing

    if isinstance(part, np.ndarray):
        part.flags.writeable = False
        return id(part), blake2b(part.tobytes()).digest() if part.nbytes <= _LARGE and not part.dtype.hasobject else b""
    return id(part), type(part), _methods_of_its_own(part)


def _methods_of_its_own(instance: object) -> tuple[str, ...]:
    own, kind = getattr(instance, "__dict__", None), type(instance)
    names = list(own) if type(own) is dict else []
    return tuple(name for name in names if isinstance(getattr(kind, name, None), FunctionType))


def _attributes(instance: object) -> Iterator[tuple[str, object]]:
    slots = (name for kind in type(instance).__mro__ for name in vars(kind).get("__slots__", ()) if name[:2] != "__")
    for name in (*getattr(instance, "__dict__", {}), *slots):
        if hasattr(instance, name):
            yield name, getattr(instance, name)


def _inner(part: Any) -> Iterator[tuple[str, object]]:
    if isinstance(part, FunctionType):
        yield from (("code", part.__code__), ("defaults", part.__defaults__), ("named defaults", part.__kwdefaults__))
        for number, cell in enumerate(part.__closure__ or ()):
            try:
                yield f"closed over {number}", cell.cell_contents
            except ValueError:  # not set yet
                continue
    elif isinstance(part, MethodType):
        yield from (("function", part.__func__), ("self", part.__self__))
    elif isinstance(part, partial):
        yield from (("function", part.func), ("arguments", part.args), ("keywords", part.keywords))
    elif isinstance(part, tuple | list):
        yield from ((str(number), entry) for number, entry in enumerate(part[:_LONG]))
    elif isinstance(part, dict | MappingProxyType):
        if len(part) <= _LONG:
            yield from ((name, entry) for name, entry in list(part.items()) if isinstance(name, str))
    elif not isinstance(part, type) and getattr(getattr(part, "__dataclass_params__", None), "frozen", False):
        names = (each.name for each in dataclasses.fields(part))
        yield from ((name, getattr(part, name)) for name in names if hasattr(part, name))
