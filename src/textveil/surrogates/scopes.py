"""Scopes, in each of which one value has one surrogate: a text, a conversation, all texts of a person, a corpus.

Within a scope a surrogate asks for the place of a value in a public pool, under a label (the pool's name). Two scopes
share nothing. Proof: privacy/proofs/pseudonyms.md.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Protocol

import numpy as np

from textveil.errors import ParameterError
from textveil.randomness import derived_generator
from textveil.surrogates.mentions import KnownSurrogate, compared_form

KEY_BYTES: Final = 32  # length of the secret of a ``KeyedScope``
TAKEN: Final = ", taken"
"""The end of labels under which a caller remembers what any value has, so that no other gets it."""


class Scope(Protocol):
    """One value, one place in a pool."""

    @property
    def remembers(self) -> bool:
        """True if what was drawn is known later, so that a draw may also look at what stood around the value."""

    def place(self, label: str, value: str, size: int, rng: np.random.Generator) -> int:
        """The place in a pool of ``size`` entries that ``value`` has under ``label``, in [0, size)."""

    def generator(self, label: str, value: str, rng: np.random.Generator) -> np.random.Generator:
        """Return randomness for what ``value`` becomes under ``label``, if it is no place in a pool.

        In a keyed scope it is the same for the same value; elsewhere it is ``rng``, and the caller remembers what it
        drew.
        """

    def remembered(self, label: str) -> dict[str, str]:
        """Return what the caller drew under ``label`` in this scope: surrogates by value, for it to read and fill."""


class MemoryScope:
    """Remembers what it gave: a uniform random injection of values into each pool, begun anew once used up.

    The number of values in a scope is public, and to refuse would lose the text.
    """

    remembers = True

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], int] = {}
        self._used: dict[str, set[int]] = {}
        self._drawn: dict[str, dict[str, str]] = {}
        self._taken: dict[str, dict[str, str]] = {}

    def apart(self) -> MemoryScope:
        """A new scope of other values: none has an equal here, and what one of them has is taken for all of both."""
        scope = MemoryScope()
        scope._used, scope._taken = self._used, self._taken
        return scope

    def place(self, label: str, value: str, size: int, rng: np.random.Generator) -> int:
        known = self._places.get((label, value))
        if known is not None:
            return known
        used = self._used.setdefault(label, set())
        if len(used) >= size:
            used.clear()
        while (place := int(rng.integers(size))) in used:
            pass
        used.add(place)
        self._places[label, value] = place
        return place

    def to_data(self, known: MemoryScope | None = None) -> dict[str, Any]:
        """Return its memory as private JSON data for ``read``; ``known``: only what that scope does not remember."""
        known = MemoryScope() if known is None else known
        places = islice(reversed(self._places.items()), len(self._places) - len(known._places))
        used = {label: (now, known._used.get(label, set())) for label, now in self._used.items()}
        drawn = {label: (now, known.remembered(label)) for label, now in (self._drawn | self._taken).items()}
        return {
            "places": [[label, value, place] for (label, value), place in places][::-1],
            "begun": [label for label, (now, before) in used.items() if not before <= now],
            "used": {
                label: sorted(now - before if before <= now else now)
                for label, (now, before) in used.items()
                if now != before
            },
            "drawn": {
                label: new
                for label, (now, before) in drawn.items()
                if (new := {value: there for value, there in now.items() if before.get(value) != there})
            },
        }

    def read(self, data: Mapping[str, Any]) -> None:
        """Remember what ``to_data`` had, beside what it remembers."""
        self._places |= {(label, value): place for label, value, place in data["places"]}
        for label in data.get("begun", ()):  # of an earlier version: without
            self._used[label] = set()
        for label, used in data["used"].items():
            self._used.setdefault(label, set()).update(used)
        for label, drawn in data["drawn"].items():
            self.remembered(label).update(drawn)

    @property
    def values(self) -> int:
        """Number of values that it remembers, each once for each of its labels."""
        return len(self._places) + sum(map(len, self._drawn.values()))

    def generator(self, label: str, value: str, rng: np.random.Generator) -> np.random.Generator:
        return rng

    def remembered(self, label: str) -> dict[str, str]:
        return (self._taken if label.endswith(TAKEN) else self._drawn).setdefault(label, {})


class ApartScope:
    """Scope of a text that others may have written in part: no value in it is joined to an equal one elsewhere.

    ``echoes`` are, by kind and by folded original, surrogates that stand here too: whoever wrote them knows that they
    do. With ``by_mention`` nothing in the text has an equal in it either.
    """

    remembers = True

    def __init__(
        self,
        scope: MemoryScope,
        echoes: Mapping[str, Mapping[str, KnownSurrogate]] = MappingProxyType({}),
        *,
        by_mention: bool = False,
    ) -> None:
        self._scope = scope
        self._echoes = echoes
        self.by_mention = by_mention
        own = scope.apart()
        self.place, self.generator, self.remembered = own.place, own.generator, own.remembered

    def mention(self) -> ApartScope:
        return ApartScope(self._scope)

    def echo(self, kind: str, value: str) -> str | None:
        """Return the surrogate that a value has elsewhere, as the value is written."""
        known = self._echoes.get(kind, {}).get(compared_form(value))
        return None if known is None else known.original(value)


class KindScope:
    """A scope as one kind of spans sees it: what other kinds draw shows nowhere, whatever surrogate they have."""

    def __init__(self, scope: Scope, kind: str) -> None:
        self._scope = scope
        self._kind = kind
        self.remembers = scope.remembers

    def of(self, kind: str) -> KindScope:
        """Return the scope as another kind sees it, for values that are parts of that kind's too."""
        return KindScope(self._scope, kind)

    def place(self, label: str, value: str, size: int, rng: np.random.Generator) -> int:
        return self._scope.place(f"{self._kind}: {label}", value, size, rng)

    def generator(self, label: str, value: str, rng: np.random.Generator) -> np.random.Generator:
        return self._scope.generator(f"{self._kind}: {label}", value, rng)

    def remembered(self, label: str) -> dict[str, str]:
        return self._scope.remembered(f"{self._kind}: {label}")


def beside(scope: Scope, kind: str) -> Scope:
    """Return the scope of another kind of the same text; a scope that knows no kinds is that of all."""
    return scope.of(kind) if isinstance(scope, KindScope) else scope


class KeyedScope:
    """Computes places from 32 secret bytes: the same in every process that holds them, and without memory.

    A place is HMAC-SHA256 of label and value under the secret, so places of different values are independent and
    uniform for whoever does not hold it, and two values may share one. Whoever holds it can test guesses of a value.
    """

    remembers = False

    def __init__(self, secret: bytes) -> None:
        if len(secret) != KEY_BYTES:
            raise ParameterError(f"secret must be {KEY_BYTES} bytes long; got {len(secret)}.")
        self._secret = secret

    def place(self, label: str, value: str, size: int, rng: np.random.Generator) -> int:
        """See ``Scope``; 256 bits modulo ``size`` are uniform up to 2^-200 for every pool there can be."""
        return int.from_bytes(self._digest(label, value), "big") % size

    def generator(self, label: str, value: str, rng: np.random.Generator) -> np.random.Generator:
        return derived_generator(self._digest(label, value), b"surrogate")

    def remembered(self, label: str) -> dict[str, str]:
        """Return an empty dictionary: everything is computed again."""
        return {}

    def _digest(self, label: str, value: str) -> bytes:
        data = label.encode("utf-8") + b"\0" + value.encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, data, hashlib.sha256).digest()
