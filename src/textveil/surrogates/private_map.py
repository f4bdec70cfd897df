"""What was replaced in one release, for whoever may put it back: private, never part of a release."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from textveil.cuts import replaced


class Replaced(NamedTuple):
    """A piece of a released text that differs from the original, or is a surrogate that happens to equal it."""

    start: int  # its first character in the released text, from 0
    end: int  # one past its last; equal to ``start`` where something was dropped
    original: str  # the private characters that stood there
    kind: str  # the span's kind; empty if it is no span (a word that was drawn, a mark in plain form)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateMap:
    """How to get from one release back to its text; holds private text, so it prints as nothing but its size."""

    released: str = field(repr=False)
    # every piece of it that does not stand in the original as it is, by ``start``, none overlapping
    replaced: tuple[Replaced, ...] = field(repr=False)

    def original(self) -> str:
        """Return the text that was released, character for character."""
        return replaced(self.released, [(piece.start, piece.end, piece.original) for piece in self.replaced])

    def __repr__(self) -> str:
        return f"PrivateMap({len(self.replaced)} pieces)"
