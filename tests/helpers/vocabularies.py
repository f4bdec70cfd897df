"""Vocabularies made for tests."""

from __future__ import annotations

import numpy as np

from textveil.vocabulary.vocabulary import Vocabulary


def made_vocabulary(size: int, dim: int = 8, seed: int = 7) -> Vocabulary:
    """A small vocabulary of made-up words and Gaussian vectors of norms well above 1."""
    vectors = np.random.default_rng(seed).normal(size=(size, dim)).astype(np.float32) * 2
    return Vocabulary([f"w{chr(97 + i % 26)}{i}" for i in range(size)], vectors, "made")
