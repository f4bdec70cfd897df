"""Released texts read back: which of their tokens are words of the vocabulary, and what stands between them.

A release holds words of its vocabulary with capitals where ``text.render`` puts them, numbers, placeholders, and the
marks and spaces of the text, which are public. So a word is read as it is written, else with a small first letter. In a
vocabulary that has both ("Us", "us") the capital one is read, which casing may have made of the other.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from textveil.errors import InputError, need
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, split
from textveil.types import Ids, Integers

GAP: Final = -1
"""Code of a mark or white space that ends no sentence."""
SENTENCE_END: Final = -2
"""Code of a mark or line end after which a sentence begins."""
OTHER: Final = -3
"""Code of a number, a placeholder, or another token that is no word."""
UNKNOWN: Final = -4
"""Code of a word that the vocabulary does not have."""

SENTENCE_ENDS: Final = frozenset(".!?\u2026")
"""Marks after which a sentence begins, wherever they stand; line ends do too."""

_REMEMBERED: Final = 1 << 18
_NAMES: Final = frozenset(text[1:-1] for text in PLACEHOLDERS.values())


class ReleasedTexts(NamedTuple):
    """The tokens of released texts, in a row."""

    surfaces: list[str]  # as they are written; those of one text joined are the text
    codes: Integers  # of each the id of its word, or one of this module's constants, shape (tokens,)
    bounds: Integers  # where each text begins and the last ends, shape (texts + 1,)

    @property
    def words(self) -> Ids:
        """The ids of all words, in order."""
        return self.codes[self.codes >= 0]

    @property
    def word_bounds(self) -> Integers:
        """Where each text's words begin among ``words`` and the last text's end, shape (texts + 1,)."""
        before = np.zeros(len(self.codes) + 1, dtype=np.int64)
        np.cumsum(self.codes >= 0, out=before[1:])
        return before[self.bounds]


class ReleaseReader:
    """Reads released texts in ``words``, ordered by id. Safe to use from several threads at once."""

    __slots__ = ("_codes", "_ids")

    def __init__(self, words: Sequence[str]) -> None:
        self._ids = {word: index for index, word in enumerate(words)}
        self._codes: dict[str, int] = {}

    def read(self, texts: Sequence[str]) -> ReleasedTexts:
        """Return the tokens of texts. Raises ParameterError if one is no str."""
        surfaces: list[str] = []
        bounds = [0]
        for number, text in enumerate(texts, 1):
            need(isinstance(text, str), "texts", f"{type(text).__name__} as number {number}", "strings")
            surfaces += split(text)
            bounds.append(len(surfaces))
        if len(self._codes) > _REMEMBERED:
            self._codes = {}
        known = self._codes
        for surface in set(surfaces).difference(known):
            known[surface] = self._code(surface)
        codes = np.fromiter(map(known.__getitem__, surfaces), np.int64, len(surfaces))
        for place in [place for place, surface in enumerate(surfaces) if surface == "["]:
            name, end = [*surfaces[place + 1 : place + 3], "", ""][:2]
            if name in _NAMES and end == "]":
                codes[place + 1] = OTHER
        return ReleasedTexts(surfaces, codes, np.array(bounds, dtype=np.int64))

    def read_releases(self, texts: Sequence[str], numbers: Sequence[int] | None = None) -> ReleasedTexts:
        """Return the tokens of releases in words of this vocabulary.

        Args:
            numbers: of the documents, for errors; None counts from 1.

        Raises:
            InputError: a text holds a word that the vocabulary does not have.
        """
        released = self.read(texts)
        unknown = released.codes == UNKNOWN
        if unknown.any():
            at = int(np.searchsorted(released.bounds, int(np.argmax(unknown)), side="right")) - 1
            count = int(unknown[released.bounds[at] : released.bounds[at + 1]].sum())
            number = at + 1 if numbers is None else numbers[at]
            raise InputError(
                f"document {number} must be a release in words of this vocabulary; got {count} of other words. "
                "Is it the text that was released, and the vocabulary that it was released with?"
            )
        return released

    def _code(self, surface: str) -> int:
        kind = classify(surface)
        if kind is Kind.WORD:
            index = self._ids.get(surface)
            if index is None:
                index = self._ids.get(surface[0].lower() + surface[1:])
            return UNKNOWN if index is None else index
        if kind is Kind.PUNCTUATION:
            return SENTENCE_END if surface in SENTENCE_ENDS else GAP
        if kind is Kind.SPACE:
            return SENTENCE_END if "\n" in surface or "\r" in surface else GAP
        return OTHER
