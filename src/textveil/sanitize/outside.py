"""What stands outside the spans of a text: released as it is, or drawn token by token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, final

import numpy as np

from textveil.sanitize.setting import Protected
from textveil.surrogates.private_map import Replaced
from textveil.text.marks import Marks

_NOTHING: Final[Mapping[str, int]] = {}


class Stretches(NamedTuple):
    """The stretches of one text, released: before, between and behind its spans.

    Attributes:
        texts: one more than there are spans.
        kinds: tokens of each kind in them, where they are drawn.
        mapped: words in them that are outside the vocabulary.
        shown: characters before a span that its surrogate may look at.
    """

    texts: Sequence[str]
    kinds: Mapping[str, int] = _NOTHING
    mapped: int = 0
    shown: int = 0

    def before(self, place: int) -> str:
        """The released characters before a span, by its place; empty where words are drawn."""
        return self.texts[place][-self.shown :] if self.shown else ""


class Outside(Protocol):
    """How the stretches between spans are released."""

    @property
    def marks(self) -> Marks:
        """What is done with their white space and punctuation."""

    @property
    def protected(self) -> tuple[Protected, ...]:
        """What is drawn in them."""

    def plain(self, value: str) -> str:
        """A span's value as its surrogate gets it: with marks in plain form where theirs are."""

    def prepared(self, texts: Sequence[Sequence[str]]) -> Any:
        """The stretches of several texts, ready for their draws."""

    def drawn(self, prepared: Any, rng: np.random.Generator) -> Sequence[Stretches]:
        """The stretches of each text, released."""

    def joined(self, around: Stretches, drawn: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
        """A text of its released stretches and what was drawn for its spans, and where the latter stand."""

    def pieces(self, original: str, released: str, begin: int) -> list[Replaced]:
        """What of a released stretch differs from the original; it begins at ``begin`` of the text."""


@final
class Verbatim:
    """Stretches as they are.

    Args:
        shown: characters before a span that its surrogate may look at.
    """

    marks: Marks = "keep"
    protected: tuple[Protected, ...] = ()

    def __init__(self, shown: int) -> None:
        self._shown = shown

    def plain(self, value: str) -> str:
        """``value``."""
        return value

    def prepared(self, texts: Sequence[Sequence[str]]) -> Sequence[Stretches]:
        """The stretches, which nothing is drawn for."""
        return [Stretches(stretches, shown=self._shown) for stretches in texts]

    def drawn(self, prepared: Sequence[Stretches], rng: np.random.Generator) -> Sequence[Stretches]:
        """``prepared``."""
        return prepared

    def joined(self, around: Stretches, drawn: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
        """See ``Outside``."""
        return joined(around.texts, drawn)

    def pieces(self, original: str, released: str, begin: int) -> list[Replaced]:
        """None: nothing differs."""
        return []


def joined(stretches: Sequence[str], drawn: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The stretches with what was drawn between them, and where each of the latter stands."""
    parts, places, position = [stretches[0]], [], len(stretches[0])
    for value, stretch in zip(drawn, stretches[1:], strict=True):
        places.append((position, position + len(value)))
        position += len(value) + len(stretch)
        parts += [value, stretch]
    return "".join(parts), places
