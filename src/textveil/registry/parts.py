"""What an object is made of, as far as it is not to change: so that a change in place can be told.

Followed are the object's own attributes, and below them the fields of frozen dataclasses, what functions are bound to
and close over, and short tuples, lists and mappings. Not followed are other objects: they keep what was computed, and
change as they work; that they are the same objects, with the methods of their class, is all that is asked of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import Enum
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import repeat
from types import FunctionType, MappingProxyType, MethodType
from typing import Any, Final, TypeAlias

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
    """The fields of a frozen dataclass; none of another."""
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    return tuple([field.name for field in dataclasses.fields(kind)]) if frozen else ()


def _inner(part: Any) -> Iterable[tuple[object, Any]]:
    """The parts of a part that is not to change."""
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
