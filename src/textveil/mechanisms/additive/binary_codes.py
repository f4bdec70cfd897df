"""Binary codes of words: on which side of public hyperplanes their vectors lie."""

from __future__ import annotations

import numpy as np

from textveil.mechanisms.additive.random_projection import random_map
from textveil.types import Vectors


def binary_codes(vectors: Vectors, bits: int, seed: int) -> Vectors:
    """Codes of words, entries -1 and 1, float32, shape (n, bits): signs after the mean vector is taken away.

    Two vectors at an angle a differ in a share near a / pi of the bits. The hyperplanes are those of ``random_map``.
    Source: Charikar 2002.

    Args:
        vectors: float32, shape (n, dim).
        bits: >= 1.
        seed: of the public hyperplanes.
    """
    mean = vectors.mean(axis=0, dtype=np.float64)
    sides = (vectors - mean) @ random_map(seed, vectors.shape[1], bits).T
    return np.where(sides >= 0, np.float32(1), np.float32(-1))
