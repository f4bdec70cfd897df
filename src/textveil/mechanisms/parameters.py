"""Options that several mechanisms declare in one way, and what several constructors make of them."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from textveil.mechanisms.options import (
    DEFAULT_EPSILON,
    GUARANTEE,
    NEIGHBORHOODS,
    POSITIVE,
    Option,
    at_least,
    file_or_named,
)
from textveil.vocabulary.frequencies import FLAT, ZIPF

_USUAL = f"{DEFAULT_EPSILON:g}"

Epsilon: TypeAlias = Annotated[
    float, Option(POSITIVE, "Privacy loss in nats of one token, for any two words.", "E", GUARANTEE, unset=_USUAL)
]
GroupEpsilon: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE,
        "Privacy loss in nats of one token, for any two words of one public group alone.",
        "E",
        GUARANTEE,
        unset=_USUAL,
    ),
]
NeighborhoodSize: TypeAlias = Annotated[
    int,
    Option(
        at_least(1),
        "Words that have the larger weight, the word itself included.",
        "M",
        NEIGHBORHOODS,
        unset="chosen for the vocabulary and epsilon",
    ),
]
Prior: TypeAlias = Annotated[
    str,
    Option(
        file_or_named(f"{FLAT}, {ZIPF} or a file of word counts", FLAT, ZIPF),
        "Public word frequencies instead of the embedded ones: flat, zipf (by the "
        "order of the words), or a file with a word and its count on each line.",
        "NAME|FILE",
        NEIGHBORHOODS,
        unset="the embedded frequencies, or Zipf by the order of the words",
    ),
]
