"""Small public vocabularies for the mechanisms of mldp-text, in the container that its package takes.

The mechanisms are used as version 0.1.2 ships them, with exact search (``use_faiss=False``) and the vocabulary
given; a few words make their distributions cheap to sample. Distances are Euclidean, of the vectors of each adapter.
"""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Points = dict[str, tuple[float, ...]]


def distance(points: Points, first: str, second: str) -> float:
    """Euclidean distance of two words."""
    return math.dist(points[first], points[second])


def diameter(points: Points) -> float:
    """The greatest distance of two words."""
    return max(distance(points, *pair) for pair in itertools.combinations(points, 2))


def made(name: str, points: Points, epsilon: float, **options: Any) -> Callable[[list[str]], list[str]]:
    """A mechanism of mldp-text over ``points``, as a function from words to words."""
    from mldp_text import get_mechanism

    models: Any = importlib.import_module("gensim.models")
    dim = len(next(iter(points.values())))
    vectors = models.KeyedVectors(dim)
    vectors.add_vectors(list(points), np.array(list(points.values()), dtype=np.float32))
    mechanism = get_mechanism(
        name, epsilon=epsilon, embedding_matrix=vectors, dim=dim, use_faiss=False, vocab=set(points), **options
    )
    return lambda words: [str(mechanism.replace_word(word)) for word in words]
