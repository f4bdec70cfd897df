"""Options of releases about a whole corpus: the signatures of the library and the command line share them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from textveil.mechanisms.options import FRACTION, GUARANTEE, POSITIVE, Option, at_least, interval, named

Epsilon: TypeAlias = Annotated[float, Option(POSITIVE, "Nats, for all that one person wrote.", "E", GUARANTEE)]
Delta: TypeAlias = Annotated[
    float,
    Option(FRACTION, "Chance at which epsilon does not hold; far below 1 / number of persons.", "D", GUARANTEE),
]
Labels: TypeAlias = Annotated[
    Sequence[str],
    Option(help="All labels that there can be, where they are public. Else they are selected.", metavar="A,B,..."),
]
Ngrams: TypeAlias = Annotated[int, Option(interval("1 to 4", 1, 4), "Count runs of up to N words: 1 to 4.", "N")]
ItemsPerPerson: TypeAlias = Annotated[
    int,
    Option(at_least(1), "Distinct items of one person that count in full; of a person with more, all shrink.", "K"),
]
Repeats: TypeAlias = Annotated[int, Option(at_least(1), "How often one item of a person counts at most.", "N")]
PublicWords: TypeAlias = Annotated[
    str,
    Option(
        help="Public words, one a line; `none`: all words are selected.",
        metavar="FILE",
        unset="the embedded vocabulary",
    ),
]
Method: TypeAlias = Annotated[
    str,
    Option(
        named("regression", "naive-bayes"),
        "`regression` on vectors of texts, or `naive-bayes`: counts of words by label.",
        "M",
    ),
]
Documents: TypeAlias = Annotated[int, Option(at_least(1), "Write exactly so many texts.", "N")]
