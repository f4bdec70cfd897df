"""Numbers and settings of the paper: its Tables 1 and 2, its constants, and the grids of its artifact.

Source: Asghar, Carpentier, Zhao and Kaafar 2026 (arXiv 2411.13784), and where the paper states no grid the notebooks of
the authors' artifact (github.com/r-carpentier/dx-privacy-curse).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

CLOSE = 100  # Ranks 1 to 100 around a word are its close neighbors; what is farther is distant

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
    """A row of the paper's Table 2: means over 5,000 words, in units of distance, and its published vectors."""

    words: int  # of the whole vocabulary, as in Table 1
    half_first: float  # the right side of equation 18, the original word against its first neighbor
    second: float  # of equation 19, the first neighbor against the second
    far: float  # of equation 19, the first neighbor against the 101st
    file: str  # the published file that holds the whole vocabulary


TABLE_2: Mapping[str, TableTwo] = MappingProxyType(
    {
        "GloVe-Twitter 25d": TableTwo(1_193_514, 1.078, 0.132, 0.692, "glove.twitter.27B.25d.txt"),
        "GloVe-Twitter 50d": TableTwo(1_193_514, 1.571, 0.169, 0.747, "glove.twitter.27B.50d.txt"),
        "GloVe-Twitter 100d": TableTwo(1_193_514, 2.166, 0.197, 0.764, "glove.twitter.27B.100d.txt"),
        "GloVe-Twitter 200d": TableTwo(1_193_514, 2.708, 0.220, 0.683, "glove.twitter.27B.200d.txt"),
        "GloVe-Wiki 50d": TableTwo(400_000, 1.369, 0.172, 0.757, "glove.6B.50d.txt"),
        "GloVe-Wiki 100d": TableTwo(400_000, 1.403, 0.152, 0.616, "glove.6B.100d.txt"),
        "GloVe-Wiki 200d": TableTwo(400_000, 2.15, 0.243, 0.823, "glove.6B.200d.txt"),
        "GloVe-Wiki 300d": TableTwo(400_000, 2.896, 0.282, 0.999, "glove.6B.300d.txt"),
        "word2vec 300d": TableTwo(3_000_000, 0.763, 0.058, 0.253, "GoogleNews-vectors-negative300.bin"),
        "fastText 300d": TableTwo(2_519_370, 1.493, 0.239, 0.912, "wiki.en.vec"),
    }
)
"""All ten rows of Table 2."""

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
