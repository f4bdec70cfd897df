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
        domain=POSITIVE,
        help="Privacy loss in nats of one vector, for any two vectors.",
        metavar="E",
        group=GUARANTEE,
        unset=f"{DEFAULT_EPSILON:g}",
    ),
]
VectorDelta: TypeAlias = Annotated[
    float,
    Option(
        domain=FRACTION,
        help="Delta of one vector: with one the noise is Gaussian.",
        metavar="D",
        group=GUARANTEE,
        unset="none: Laplace noise, pure DP",
    ),
]
VectorDim: TypeAlias = Annotated[
    int,
    Option(
        domain=at_least(1),
        help="Numbers of a vector, k in the papers.",
        metavar="K",
        group=REPRESENTATIONS,
        unset="that of the vocabulary's vectors",
    ),
]
Lowest: TypeAlias = Annotated[
    float,
    Option(
        domain=FINITE,
        help="Smaller numbers are raised to this; it becomes 0.",
        metavar="A",
        group=REPRESENTATIONS,
    ),
]
Highest: TypeAlias = Annotated[
    float,
    Option(
        domain=FINITE,
        help="Larger numbers are lowered to this; it becomes 1.",
        metavar="B",
        group=REPRESENTATIONS,
    ),
]


def dim_of(vocabulary: Vocabulary, vector_dim: int | None) -> int:
    """What was asked for, or the dimension of the vocabulary's vectors."""
    return vocabulary.dim if vector_dim is None else vector_dim
