"""Texts as the ids that language models see: words, boundaries, and everything else as one id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, final

import numpy as np

from textveil.models.language_model import boundary_id, other_id
from textveil.text.codes import GOES_ON, TextCodes
from textveil.text.tokens import Kind
from textveil.types import Ids

SENTENCE_ENDS: Final = frozenset(".!?\n")
"""Marks that end a sentence; all other marks and white space are skipped."""

_SKIPPED: Final = (GOES_ON, int(Kind.SPACE), int(Kind.PUNCTUATION))


class ReadTexts(NamedTuple):
    """Texts in a row.

    Attributes:
        ids: context ids of all, each text led by a boundary, int64, shape (total,).
        bounds: where each text begins and the last one ends, int64, shape (texts + 1,).
    """

    ids: Ids
    bounds: Ids


@final
class TextReader:
    """Reads texts as context ids, cut into tokens as releases are.

    Args:
        words: the vocabulary's; a word that is not among them is read as anything else is.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._size = len(words)
        self._codes = TextCodes(words)

    def __call__(self, texts: Iterable[str]) -> ReadTexts:
        """The ids of texts; each begins with a boundary."""
        codes, bounds = self._codes.encode(texts)
        kinds = self._codes.legend.kinds[codes]
        ends = self._sentence_ends(codes) & (kinds != GOES_ON)  # no point within a number
        words = codes < self._size
        kept = ends | ~np.isin(kinds, _SKIPPED)
        ids = np.full(len(codes), other_id(self._size))
        ids[words] = codes[words]
        ids[ends] = boundary_id(self._size)
        places = np.concatenate([[0], np.cumsum(kept)])[bounds]
        led = np.insert(ids[kept], places[:-1], boundary_id(self._size))
        return ReadTexts(led, places + np.arange(len(places)))

    def _sentence_ends(self, codes: Ids) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which codes are marks that end a sentence."""
        written = self._codes.legend.written
        marks = [code for code in np.unique(codes[codes >= 2 * self._size]).tolist() if written[code] in SENTENCE_ENDS]
        return np.isin(codes, marks)
