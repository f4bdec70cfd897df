"""Released texts as sentences of places: what is to be found, what is fixed, and where sentences end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from textveil.decoding.lattice import Sentences
from textveil.models.language_model import boundary_id, other_id
from textveil.text.released import GAP, SENTENCE_END, ReleasedTexts
from textveil.types import Flags, Ids, Integers


class Layout(NamedTuple):
    """The places of released texts, in a row.

    Attributes:
        ids: the released word, or the id of contexts for what is none, shape (places,).
        is_word: places at which there is a word to be found, shape (places,).
        bounds: where each sentence begins and the last one ends, shape (sentences + 1,).
    """

    ids: Ids
    is_word: Flags
    bounds: Integers

    def groups(self, side_by_side: int) -> Iterator[Sentences]:
        """The sentences, in groups of about one length, each the longest first."""
        lengths = np.diff(self.bounds)
        order = np.argsort(-lengths, kind="stable")
        order = order[lengths[order] > 0]
        for start in range(0, len(order), side_by_side):
            part = order[start : start + side_by_side]
            yield Sentences(self.bounds[:-1][part], lengths[part])


def laid_out(read: ReleasedTexts, size: int, *, by_sentence: bool) -> Layout:
    """The places of texts.

    Args:
        by_sentence: whether each sentence stands alone; else each text does, with boundaries inside it.
    """
    codes = read.codes
    ends = codes == SENTENCE_END
    # Of several ends in a row, as in "...", one is left.
    last_end = ends & ~np.append(ends[1:], False)
    last_end[read.bounds[1:-1] - 1] |= ends[read.bounds[1:-1] - 1]
    kept = (codes != GAP) & (~ends if by_sentence else ~ends | last_end)
    before = np.zeros(len(codes) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    word_codes = codes[kept]
    ids = np.where(word_codes >= 0, word_codes, np.where(word_codes == SENTENCE_END, boundary_id(size), other_id(size)))
    bounds = before[read.bounds]
    if by_sentence:
        bounds = np.unique(np.concatenate([bounds, before[1:][ends]]))
    return Layout(ids, word_codes >= 0, bounds)
