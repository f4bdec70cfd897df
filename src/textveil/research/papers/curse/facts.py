"""Numbers and settings that the paper or its artifact prints, each with where it was read.

The paper's full text could not be read here. Its settings and numbers are from the authors' artifact
(github.com/r-carpentier/dx-privacy-curse: README, ARTIFACT-APPENDIX and notebooks), its abstract, and public summaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

CLOSE = 100
"""Ranks 1 to 100 around a word are its close neighbors; what is farther is distant."""

SUBSETS = (
    "glove-6b-300d-pool-4612",
    "glove-6b-50d-10000",
    "glove-twitter-25d-11925",
    "word2vec-googlenews-300d-13598",
    "fasttext-cc-300d-2000",
)
"""Public subsets of the paper's vocabularies, folders below data/vectors."""

SUBSET_NOTE = (
    "Where a subset stands for a whole table, two things differ. Fewer words compete for the noisy vector, so the "
    "original word wins at a smaller epsilon. And a word's neighbors are other words, because some near ones are "
    "missing: rare words, misspellings and phrases of a whole table lie close together, frequent words do not."
)


class TableTwo(NamedTuple):
    """A row of the paper's Table 2: means over 5,000 words, in units of distance.

    ``half_first`` is the right side of equation 18, the others of equation 19; None where it was not read.
    ``source``: "artifact" for constants of its notebooks, "rerun" for what a notebook printed in another run.
    """

    words: int
    half_first: float | None
    second: float | None
    far: float | None
    source: str


TABLE_2: Mapping[str, TableTwo] = MappingProxyType(
    {
        "GloVe-Twitter 25d": TableTwo(1_193_513, 1.078, 0.132, 0.692, "artifact"),
        "GloVe-Twitter 50d": TableTwo(1_193_513, 1.571, 0.169, 0.747, "artifact"),
        "GloVe-Twitter 100d": TableTwo(1_193_513, 2.166, 0.197, 0.764, "artifact"),
        "GloVe-Twitter 200d": TableTwo(1_193_513, 2.708, 0.220, 0.683, "artifact"),
        "GloVe-Wiki 50d": TableTwo(400_000, 1.369, 0.172, 0.757, "artifact"),
        "GloVe-Wiki 100d": TableTwo(400_000, 1.403, 0.152, 0.616, "artifact"),
        "GloVe-Wiki 200d": TableTwo(400_000, 2.15, 0.243, 0.823, "artifact"),
        "GloVe-Wiki 300d": TableTwo(400_000, 2.896, 0.282, 0.999, "artifact"),
        "word2vec 300d": TableTwo(3_000_000, 0.763, 0.058, 0.255, "summary; third number: rerun"),
        "fastText 300d": TableTwo(2_519_370, 1.495, 0.237, 0.912, "rerun"),
    }
)
"""Table 2. GloVe: constants of the artifact's notebooks. word2vec: two numbers from public summaries, the third from a
notebook's rerun. fastText: all three from a rerun; the printed ones were not read."""

FIX_CONSTANT: Mapping[str, float] = MappingProxyType({"GloVe-Wiki 300d": 0.04, "word2vec 300d": 0.007})
"""c of the fix, chosen by hand in the paper."""


class Grids(NamedTuple):
    """Epsilons (nats per unit of distance) of the artifact as first, last and step; None where it measures none."""

    noise: tuple[float, float, float] | None
    fix: tuple[float, float, float] | None
    exponential: tuple[float, float, float] | None


GRIDS: Mapping[str, Grids] = MappingProxyType(
    {
        "GloVe-Wiki 300d": Grids((1, 30, 1), (1, 70, 1), (0.5, 6.0, 0.1)),
        "word2vec 300d": Grids((1, 200, 1), (1, 301, 5), (1, 40, 1)),
        "fastText 300d": Grids((1, 50, 1), None, (0.5, 10, 0.5)),
    }
)


def paper_name(vocabulary_name: str, dim: int) -> str | None:
    """The paper's vocabulary that one of this name and dimension is, or is a subset of; None where none is.

    fastText's Common Crawl vectors are none of them: the paper's were trained on Wikipedia.
    """
    name = vocabulary_name.lower()
    for mark, family in (
        ("twitter", "GloVe-Twitter"),
        ("6b", "GloVe-Wiki"),
        ("word2vec", "word2vec"),
        ("googlenews", "word2vec"),
        ("wiki.en", "fastText"),
    ):
        known = f"{family} {dim}d"
        if mark in name and known in TABLE_2:
            return known
    return None
