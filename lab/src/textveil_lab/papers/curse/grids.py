"""The epsilons at which rank profiles are taken: the paper's where it has them, else fitted to the vocabulary."""

import math

import numpy as np

from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.neighbors import neighbor_distances
from textveil_lab.papers.curse.facts import GRIDS, paper_name

POINTS = 24
FIX_POINTS = 16  # Most points of a curve, without the fix and with it (whose draws take longer); the paper has more
_SAMPLED = 200  # Evenly spaced words whose nearest neighbor sets the scale of a fitted grid


def noise_grid(vocabulary: Vocabulary, *, fixed: bool = False) -> tuple[float, ...]:
    """Nats per unit of distance for spherical Laplace noise, without and with the fix.

    Where the paper has no grid: up to 1.4 times (3 times with the fix) the rate at which the largest of n noisy
    dot products, about sqrt(2 dim ln n) / rate, is half the distance to the nearest neighbor.
    """
    known = GRIDS.get(paper_name(vocabulary.name, vocabulary.dim) or "")
    printed = None if known is None else known.fix if fixed else known.noise
    if printed is not None:
        return _thin(printed, FIX_POINTS if fixed else POINTS)
    turning = math.sqrt(2 * vocabulary.dim * math.log(len(vocabulary))) / (_first_distance(vocabulary) / 2)
    return _fitted(turning * (3.0 if fixed else 1.4))


def exponential_grid(vocabulary: Vocabulary) -> tuple[float, ...]:
    """Nats per unit of distance for the exponential mechanism.

    Where the paper has no grid: up to 1.6 times the epsilon at which n words at the nearest neighbor's distance
    together weigh as much as the word itself, 2 ln n / distance.
    """
    known = GRIDS.get(paper_name(vocabulary.name, vocabulary.dim) or "")
    if known is not None and known.exponential is not None:
        return _thin(known.exponential, POINTS)
    return _fitted(1.6 * 2 * math.log(len(vocabulary)) / _first_distance(vocabulary))


def _thin(printed: tuple[float, float, float], points: int) -> tuple[float, ...]:
    first, last, step = printed
    count = round((last - first) / step) + 1
    # More points where epsilon is small: a subset of a vocabulary keeps the word at a smaller epsilon than the whole.
    spaced = np.arange(count) if count <= points else (count - 1) * np.linspace(0, 1, points) ** 1.5
    steps = np.unique(spaced.round())
    return tuple(round(float(first + step * one), 6) for one in steps)


def _fitted(last: float) -> tuple[float, ...]:
    return tuple(float(f"{last * (index + 1) / FIX_POINTS:.3g}") for index in range(FIX_POINTS))


def _first_distance(vocabulary: Vocabulary) -> float:
    count = min(_SAMPLED, len(vocabulary))
    words = np.arange(count, dtype=np.int64) * len(vocabulary) // count
    return float(neighbor_distances(vocabulary, words, [1]).mean())
