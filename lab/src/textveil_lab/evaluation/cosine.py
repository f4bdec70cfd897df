"""Mean cosine of a release's words with those of its text, by public vectors."""

from typing import Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import checked_ids
from textveil.types import Ids
from textveil.vocabulary.vocabulary import Vocabulary

_ROWS: Final = 1 << 14


def mean_cosine(vocabulary: Vocabulary, before: Ids, after: Ids) -> float:
    """Return the mean cosine, position by position, of the vectors of two word sequences; in [-1, 1].

    Equal words have cosine 1, whatever their vector; a zero vector has cosine 0 with any other word.

    Args:
        before: ids in [0, n), at least one, shape (places,).
        after: ids in [0, n), shape (places,).

    Raises:
        ParameterError: no words, different lengths, or an id outside the vocabulary.
    """
    first, second = checked_ids(before, len(vocabulary)), checked_ids(after, len(vocabulary))
    need(len(first) > 0, "before", "no ids", "one at least")
    need(len(second) == len(first), "after", f"{len(second)} ids", f"as many as before, {len(first)}")
    total = 0.0
    for start in range(0, len(first), _ROWS):
        here, there = first[start : start + _ROWS], second[start : start + _ROWS]
        one, other = (vocabulary.vectors[ids].astype(np.float64) for ids in (here, there))
        product = np.einsum("ij,ij->i", one, other)
        lengths = np.sqrt(np.einsum("ij,ij->i", one, one) * np.einsum("ij,ij->i", other, other))
        cosines = np.divide(product, lengths, out=np.zeros_like(product), where=lengths > 0)
        total += float(np.where(here == there, 1.0, np.clip(cosines, -1, 1)).sum())
    return total / len(first)
