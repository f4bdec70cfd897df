"""Words that share their vector with an earlier word: at distance 0 neither ranks nor directions between them exist."""

import hashlib

import numpy as np

from textveil.types import Ids, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

_ROWS = 4096  # Rows that are copied at once: tables of millions of words are checked in their own memory


def later_twins(vectors: Vectors) -> Ids:
    """Ids of the rows that equal an earlier one, in increasing order; -0.0 equals 0.0.

    Rows are compared by digests of 128 bits.
    """
    seen: set[bytes] = set()
    later: list[int] = []
    for start in range(0, len(vectors), _ROWS):
        block = np.ascontiguousarray(vectors[start : start + _ROWS]) + 0.0  # -0.0 becomes 0.0
        for row, values in enumerate(block):
            digest = hashlib.blake2b(values.tobytes(), digest_size=16).digest()
            if digest in seen:
                later.append(start + row)
            seen.add(digest)
    return np.array(later, dtype=np.int64)


def without_twins(vocabulary: Vocabulary) -> tuple[Vocabulary, int]:
    """The vocabulary without words whose vector an earlier word has, and how many they were; itself where none are."""
    later = later_twins(vocabulary.vectors)
    if not len(later):
        return vocabulary, 0
    kept = np.ones(len(vocabulary), dtype=np.bool_)
    kept[later] = False
    words = [word for word, stays in zip(vocabulary.words, kept, strict=True) if stays]
    return Vocabulary(words, vocabulary.vectors[kept], vocabulary.name), len(later)
