"""What columns of a record are for, beside those that are sanitized or kept: whose record it is, what is a name."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from textveil.errors import ParameterError
from textveil.json_text import json_data
from textveil.sanitize.setting import Setting
from textveil.surrogates.scopes import KEY_BYTES, KeyedScope, MemoryScope, Scope

PERSON_BYTES = 16
"""Length of what stands for a person in memory and in ledgers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordColumns:
    """Names of columns that are read, and released only where they are kept too.

    Attributes:
        unit: whose record it is, for what one person's records cost together; None: nobody asks.
        scope: whose record it is, for surrogates: one value has one in all records of a person. None is what the
            policy says.
        known: columns whose value is a span wherever it stands in the record's texts, each with its kind.
    """

    unit: str | None = None
    scope: str | None = None
    known: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        names = [name for name, _ in self.known]
        if len(set(names)) != len(names):
            raise ParameterError("`known` must name a column once; got one twice.")

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, each once."""
        single = [name for name in (self.unit, self.scope) if name is not None]
        return tuple(dict.fromkeys([*single, *(name for name, _ in self.known)]))

    def to_data(self) -> dict[str, Any]:
        """JSON data: what is asked for."""
        data = {"unit": self.unit, "scope_column": self.scope, "known": dict(self.known)}
        return {name: value for name, value in data.items() if value}

    def check(self, setting: Setting) -> None:
        """Refuse columns that the sanitizer has no use for. Raises ParameterError: there are some."""
        policy = setting.policy
        if (self.scope or self.known) and (policy is None or not policy.finds_spans):
            raise ParameterError("`scope_column` and `known` need a `policy` that finds spans; got none.")
        if self.scope and policy is not None and policy.data["scope"] not in ("document", "conversation"):
            raise ParameterError(
                "`scope_column` needs a `policy` with the scope document or conversation, which it widens; got "
                f"{policy.data['scope']}."
            )
        kinds = () if policy is None else policy.kinds
        if missing := next((kind for _, kind in self.known if kind not in kinds), None):
            raise ParameterError(f"`known` needs a `policy` with a rule for the kind {missing!r}; there is none.")

    def scopes(self, secret: bytes, beside: Mapping[str, Sequence[str | None]]) -> list[Scope]:
        """For each record where one value has one surrogate; a record whose column is null is by itself."""
        named = () if self.scope is None else beside[self.scope]
        return [MemoryScope() if value is None else KeyedScope(_digest(b"scope", secret, value)) for value in named]

    def values(self, place: int, beside: Mapping[str, Sequence[str | None]]) -> list[tuple[str, str]]:
        """The values of the record at a place that are spans in its texts, each with its kind."""
        cells = [(beside[name][place], kind) for name, kind in self.known]
        return [(part, kind) for value, kind in cells if value is not None for part in _values(value)]


NO_COLUMNS: Final = RecordColumns()
"""Nothing is read beside what is sanitized or kept."""


def known_columns(pairs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Columns and kinds from as many ``COLUMN=KIND``. Raises ParameterError: one is written otherwise."""
    columns = []
    for pair in pairs:
        name, between, kind = pair.rpartition("=")
        if not (name and between and kind):
            raise ParameterError("`known` must be written COLUMN=KIND, such as patient=person; got another form.")
        columns.append((name, kind))
    return tuple(columns)


def _values(written: str) -> list[str]:
    if not written.lstrip().startswith(("[", "{")):
        return [written]
    try:
        held = json_data(written, nesting=len(written))
    except ValueError:  # a text that only looks so
        return [written]
    values, open_ones = [written], [held]
    while open_ones:
        held_value = open_ones.pop()
        if isinstance(held_value, dict):
            open_ones += held_value.values()
        elif isinstance(held_value, list):
            open_ones += held_value
        elif held_value is not None and not isinstance(held_value, bool):
            values.append(str(held_value))
    return values


def person(secret: bytes, value: str | None) -> bytes:
    """What stands for the person whom a column names: the same in all processes of a job, another in another job.

    A keyed digest (BLAKE2b): whoever does not hold the secret, which goes when the job ends, cannot test a guess.

    Args:
        value: of the column; None is null, and all such records are taken for one person's.
    """
    return _digest(b"person", secret, value)[:PERSON_BYTES]


def _digest(label: bytes, secret: bytes, value: str | None) -> bytes:
    mixed = hashlib.blake2b(key=secret, digest_size=KEY_BYTES, person=b"textveil " + label)
    mixed.update(b"" if value is None else b"=" + value.encode("utf-8", "surrogatepass"))
    return mixed.digest()
