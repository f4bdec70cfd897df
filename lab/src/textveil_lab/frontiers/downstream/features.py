"""Features of documents: the sum of their words' vectors over the root of their number.

With noise at the input of a network, as the public code of some papers adds it: drawn for a batch of documents, often
one vector for all of its words, which leaves the difference of any two of them as it was.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from textveil.aggregates.documents import Documents
from textveil.errors import need
from textveil.randomness import seeded_generator
from textveil.types import Reals, Vectors
from textveil_lab.estimation.word_features import document_features

Disturb: TypeAlias = Callable[[Vectors, np.random.Generator], Vectors | Reals]
"""What becomes of the vectors of a batch's words, shape (tokens, dim) to the same."""


@dataclass(frozen=True, slots=True, eq=False)
class BatchNoise:
    """Noise on the vectors of words, drawn anew for every batch of documents."""

    disturb: Disturb
    batch: int  # documents of one, in their order, >= 1

    def __post_init__(self) -> None:
        need(self.batch >= 1, "batch", self.batch, ">= 1")


def token_vectors(vectors: Vectors, documents: Documents, noise: BatchNoise | None, seed: int) -> Vectors:
    """The vector of every word of the documents, with its noise; float32, shape (tokens, dim).

    Args:
        vectors: of the words, float32, shape (n, dim).
        documents: ids of words.
        noise: None adds nothing.
    """
    tokens = vectors[documents.ids]
    if noise is not None:
        rng, bounds = seeded_generator(seed), documents.bounds
        for first in range(0, len(bounds) - 1, noise.batch):
            part = slice(bounds[first], bounds[min(first + noise.batch, len(bounds) - 1)])
            if part.start < part.stop:
                tokens[part] = noise.disturb(tokens[part], rng)
    return tokens


def features_of(vectors: Vectors, documents: Documents, noise: BatchNoise | None = None, seed: int = 0) -> Vectors:
    """Features of documents, float32, shape (documents, dim); the arguments are those of ``token_vectors``."""
    if noise is None:
        return document_features(vectors, documents.ids, documents.bounds)
    tokens = token_vectors(vectors, documents, noise, seed)
    return document_features(tokens, np.arange(len(tokens)), documents.bounds)
