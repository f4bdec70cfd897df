"""Interface of coders: from a text to a code of a fixed number of coordinates, and from a code to a text."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from textveil.types import Integers, Reals


class TextCoder(Protocol):
    """Encoder of whole texts with its decoder, both public functions.

    The written text depends on the codes alone, so a text written from noisy codes reveals no more than they do.
    """

    @property
    def dim(self) -> int:
        """Number of coordinates of every code."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """JSON values for reports, including the name and the digest of the files."""

    @property
    def length(self) -> int:
        """Largest number of pieces (tokens or words) of a text in its code; the rest of a longer text is cut."""

    @property
    def pieces(self) -> str:
        """Name of the pieces: "tokens" or "words"."""

    def sizes(self, texts: Sequence[str]) -> Integers:
        """Return the number of pieces of each text, shape (texts,)."""

    def encode(self, texts: Sequence[str]) -> Reals:
        """Return the code of each text, any text, float64, shape (texts, dim); not bounded yet."""

    def write(self, codes: Reals) -> list[str]:
        """Return a text for each code; codes have shape (texts, dim)."""
