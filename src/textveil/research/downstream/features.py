"""Features of documents: the sum of their words' vectors over the root of their number.

With noise at the input of a network, as the public code of some papers adds it: one vector for all words of all
documents of a batch. It is no guarantee for anything, since the difference of two documents of a batch is untouched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from textveil.errors import need
from textveil.estimation.documents import Documents
from textveil.estimation.word_features import document_features
from textveil.randomness import seeded_generator
from textveil.types import Vectors


class Noise(Protocol):
    """Random vectors."""

    def sample(self, count: int, rng: np.random.Generator | None = None) -> Any:
        """Fresh vectors, one a row; shape (count, dim)."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class BatchNoise:
    """One noise vector for all words of a batch of documents.

    Attributes:
        noise: what the vectors are drawn from.
        batch: documents that share one, in their order, >= 1.
    """

    noise: Noise
    batch: int

    def __post_init__(self) -> None:
        need(self.batch >= 1, "batch", self.batch, ">= 1")

    def of(self, documents: int, rng: np.random.Generator) -> Vectors:
        """The vector of each document, float32, shape (documents, dim)."""
        drawn = np.asarray(self.noise.sample(-(-documents // self.batch), rng), dtype=np.float32)
        return np.repeat(drawn, self.batch, axis=0)[:documents]


def features_of(vectors: Vectors, documents: Documents, noise: BatchNoise | None = None, seed: int = 0) -> Vectors:
    """Features of documents, float32, shape (documents, dim).

    Args:
        vectors: of the words, float32, shape (n, dim).
        documents: ids of words.
        noise: added to the vector of every word; None adds nothing.
        seed: of the noise.
    """
    sums = document_features(vectors, documents.ids, documents.bounds)
    if noise is not None:
        roots = np.sqrt(np.diff(documents.bounds)).astype(np.float32)
        sums += noise.of(len(roots), seeded_generator(seed)) * roots[:, None]
    return sums
