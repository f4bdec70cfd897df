"""What turns a text into a code of a fixed number of coordinates, and a code into a text."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from textveil.types import Integers, Reals


class TextCoder(Protocol):
    """An encoder of whole texts with its decoder, both public functions.

    What is written depends on the codes alone, so that a text written of noisy codes tells no more than they do.
    """

    @property
    def dim(self) -> int:
        """Coordinates of every code."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What reports say of it: JSON values, its name and the digest of its files among them."""

    @property
    def length(self) -> int:
        """Number of pieces of a text, tokens or words, its code is made of at most; the rest of a longer one is cut."""

    @property
    def pieces(self) -> str:
        """What they are called: "tokens" or "words"."""

    def sizes(self, texts: Sequence[str]) -> Integers:
        """Return how many pieces each text has, shape (texts,)."""

    def encode(self, texts: Sequence[str]) -> Reals:
        """The code of each text, whatever it holds, float64, shape (texts, dim); not bounded yet."""

    def write(self, codes: Reals) -> list[str]:
        """A text for each code, shape (texts, dim)."""
