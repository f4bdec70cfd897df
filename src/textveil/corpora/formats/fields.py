"""Which fields of a record are sanitized, which are kept; what is not named is dropped."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from textveil.errors import need

_NEAR = 0.75  # similarity (`difflib`) from which a name is offered in place of one that is not there
_LONGEST = 64  # characters of a name that may be offered: longer ones are no names that somebody mistyped


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """Fields by name. A field that is not named never reaches the output.

    Attributes:
        sanitized: their texts are replaced by releases; at least one.
        kept: copied as they are, outside every guarantee.
        read: read for something else (whose record it is), and copied only if they are ``kept`` too.
    """

    sanitized: tuple[str, ...] = ("text",)
    kept: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        need(len(self.sanitized) > 0, "sanitized", "none", "at least one field name")
        names = self.all()
        need(len(set(names)) == len(names), "kept", "a name twice", "names other than those of `sanitized`, each once")

    def all(self) -> tuple[str, ...]:
        """Every field of the output."""
        return self.sanitized + self.kept

    def needed(self) -> tuple[str, ...]:
        """Every field that a record must have, each once."""
        return tuple(dict.fromkeys((*self.all(), *self.read)))


def other_name(name: str, present: Iterable[str]) -> str:
    """What to do about a field that is not there, in a sentence.

    A name that is there is only ever told where it is nearly the one that was asked for: what stands in a first row may
    be no names at all, but a record.
    """
    there = sorted({field for field in present if 0 < len(field) <= _LONGEST and field.isprintable()})
    alike = [field for field in there if _plain(field) == _plain(name)]
    near = alike or difflib.get_close_matches(name, there, n=1, cutoff=_NEAR)
    if near:
        return f"Did you mean {near[0]!r}?"
    if "," in name:
        return "To name several, repeat `sanitized` or `kept` for each."
    return "Name another with `sanitized` or `kept`."


def _plain(name: str) -> str:
    """A name without what people vary: case, spaces, dashes, underscores, a byte order mark."""
    return "".join(character for character in name.casefold() if character not in " -_\ufeff")
