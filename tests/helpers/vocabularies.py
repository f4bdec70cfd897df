"""Vocabularies made for tests."""

import numpy as np

from textveil.vocabulary.vocabulary import Vocabulary


def made_vocabulary(size: int, dim: int = 8, seed: int = 7) -> Vocabulary:
    """A small vocabulary of made-up words and Gaussian vectors of norms well above 1."""
    vectors = np.random.default_rng(seed).normal(size=(size, dim)).astype(np.float32) * 2
    return Vocabulary([f"w{chr(97 + i % 26)}{i}" for i in range(size)], vectors, "made")


def lettered_vocabulary(size: int, dim: int = 8, seed: int = 7) -> Vocabulary:
    """The same with words of letters alone, which are single tokens of a text: "waa", "wab" and so on."""
    made = made_vocabulary(size, dim, seed)
    return Vocabulary([f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(size)], made.vectors, "made")
