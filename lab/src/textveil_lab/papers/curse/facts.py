"""Numbers and settings of the paper: Tables 1 and 2, constants, and the grids of its artifact.

Source: Asghar, Carpentier, Zhao and Kaafar 2026 (arXiv 2411.13784), and for grids that the paper does not state, the
notebooks of the authors' artifact (github.com/r-carpentier/dx-privacy-curse).

The epsilons of rank profiles are the paper's if it has them, else fitted to the vocabulary.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.neighbors import neighbor_distances

CLOSE = 100  # Ranks 1 to 100 around a word are its close neighbors; farther ones are distant

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
    """Row of the paper's Table 2: means over 5,000 words, in units of distance, and its published vectors."""

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
"""Constant c of the fix, chosen by hand in the paper."""


class Grids(NamedTuple):
    """Epsilons (nats per unit of distance) of the artifact as first, last and step; None if it measures none."""

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
    """Return the paper's vocabulary with this name and dimension, or whose subset it is; None if there is none.

    fastText's Common Crawl vectors do not count: the paper's were trained on Wikipedia.
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


POINTS = 24


FIX_POINTS = 16  # Most points of a curve, without the fix and with it (whose draws take longer); the paper has more


_SAMPLED = 200  # Evenly spaced words whose nearest neighbor sets the scale of a fitted grid


def noise_grid(vocabulary: Vocabulary, *, fixed: bool = False) -> tuple[float, ...]:
    """Return epsilons in nats per unit of distance for spherical Laplace noise, without and with the fix.

    If the paper has no grid, they go up to 1.4 times (3 times with the fix) the rate at which the largest of n noisy
    dot products, about sqrt(2 dim ln n) / rate, is half the distance to the nearest neighbor.
    """
    known = GRIDS.get(paper_name(vocabulary.name, vocabulary.dim) or "")
    printed = None if known is None else known.fix if fixed else known.noise
    if printed is not None:
        return _thin(printed, FIX_POINTS if fixed else POINTS)
    turning = math.sqrt(2 * vocabulary.dim * math.log(len(vocabulary))) / (_first_distance(vocabulary) / 2)
    return _fitted(turning * (3.0 if fixed else 1.4))


def exponential_grid(vocabulary: Vocabulary) -> tuple[float, ...]:
    """Return epsilons in nats per unit of distance for the exponential mechanism.

    If the paper has no grid, they go up to 1.6 times the epsilon at which n words at the nearest neighbor's distance
    together have the weight of the word itself, 2 ln n / distance.
    """
    known = GRIDS.get(paper_name(vocabulary.name, vocabulary.dim) or "")
    if known is not None and known.exponential is not None:
        return _thin(known.exponential, POINTS)
    return _fitted(1.6 * 2 * math.log(len(vocabulary)) / _first_distance(vocabulary))


def _thin(printed: tuple[float, float, float], points: int) -> tuple[float, ...]:
    first, last, step = printed
    count = round((last - first) / step) + 1
    # More points if epsilon is small: a subset of a vocabulary keeps the word at a smaller epsilon than the whole.
    spaced = np.arange(count) if count <= points else (count - 1) * np.linspace(0, 1, points) ** 1.5
    steps = np.unique(spaced.round())
    return tuple(round(float(first + step * one), 6) for one in steps)


def _fitted(last: float) -> tuple[float, ...]:
    return tuple(float(f"{last * (index + 1) / FIX_POINTS:.3g}") for index in range(FIX_POINTS))


def _first_distance(vocabulary: Vocabulary) -> float:
    count = min(_SAMPLED, len(vocabulary))
    words = np.arange(count, dtype=np.int64) * len(vocabulary) // count
    return float(neighbor_distances(vocabulary, words, [1]).mean())
