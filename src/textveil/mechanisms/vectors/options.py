"""Options that mechanisms of vectors declare in one way."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from textveil.mechanisms.options import DEFAULT_EPSILON, FINITE, FRACTION, GUARANTEE, POSITIVE, Option, at_least
from textveil.vocabulary.vocabulary import Vocabulary

REPRESENTATIONS: Final = "Representations of texts"
"""The heading under which help lists what only mechanisms of vectors take."""

VectorEpsilon: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE,
        "Privacy loss in nats of one vector, for any two vectors.",
        "E",
        GUARANTEE,
        unset=f"{DEFAULT_EPSILON:g}",
    ),
]
VectorDelta: TypeAlias = Annotated[
    float,
    Option(
        FRACTION,
        "Delta of one vector: with one the noise is Gaussian.",
        "D",
        GUARANTEE,
        unset="none: Laplace noise, pure DP",
    ),
]
VectorDim: TypeAlias = Annotated[
    int,
    Option(
        at_least(1),
        "Numbers of a vector, k in the papers.",
        "K",
        REPRESENTATIONS,
        unset="that of the vocabulary's vectors",
    ),
]
Lowest: TypeAlias = Annotated[
    float, Option(FINITE, "Smaller numbers are raised to this; it becomes 0.", "A", REPRESENTATIONS)
]
Highest: TypeAlias = Annotated[
    float, Option(FINITE, "Larger numbers are lowered to this; it becomes 1.", "B", REPRESENTATIONS)
]


def dim_of(vocabulary: Vocabulary, vector_dim: int | None) -> int:
    """What was asked for, or the dimension of the vocabulary's vectors."""
    return vocabulary.dim if vector_dim is None else vector_dim
