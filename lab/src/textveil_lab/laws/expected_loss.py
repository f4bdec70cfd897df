"""Squared loss of a candidate word under noise: closer words win on average and may lose in a draw.

The nearest word to w + eta is the one of smallest loss ||w + eta - x||^2. Two identities hold for any noise eta.

*Gap.* For candidates a and b, with u = (b - a) / ||b - a||,

    ||w + eta - b||^2 - ||w + eta - a||^2 = ||w - b||^2 - ||w - a||^2 - 2 ||b - a|| <eta, u>.

*Proof.* Expand both squares about w: the terms ||eta||^2 cancel and -2 <eta, b - w> + 2 <eta, a - w> = -2 <eta, b - a>.

*Expectation.* If E eta = 0, then E ||w + eta - x||^2 = ||w - x||^2 + E ||eta||^2, so the order of the expected losses
is the order of the distances, whatever the noise. *Proof.* Expand; the cross term has mean zero. For spherical
Laplace noise E ||eta||^2 = dim (dim + 1) / rate^2, the second moment of ``NoiseLength``.

So no word is preferred wrongly in expectation. A draw goes wrong if the gap's spread, 2 ||b - a|| sqrt(dim + 1) / rate,
is large compared with its mean. As Z is symmetric about 0, a draw prefers a to b with probability above 1/2 iff a is
the closer word. Both are theorem 1 of section 6 of Asghar, Carpentier, Zhao and Kaafar 2026 (arXiv 2411.13784), stated
there without the term that all words share; the proofs here are ours.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import need
from textveil.types import Reals
from textveil_lab.laws.conditions import Triple, neighbor_threshold, overtaking_probability, triple
from textveil_lab.laws.noise_components import as_reals
from textveil_lab.noise.distribution import as_points, check_parameters


def expected_noise_loss(dim: int, rate: float) -> float:
    """Return E ||eta||^2 = dim (dim + 1) / rate^2: the part of the expected loss that is the same for every word."""
    check_parameters(dim, rate=rate)
    return dim / rate * ((dim + 1) / rate)


def expected_loss(distance: ArrayLike, dim: int, rate: float) -> Reals:
    """Return E ||w + eta - x||^2 = distance^2 + dim (dim + 1) / rate^2, in squared units of distance.

    Args:
        distance: ||w - x||_2, each finite and >= 0; any shape.
        rate: nats per unit of distance, finite and > 0.
    """
    distances = as_reals(distance, "distance")
    need(bool(((distances >= 0) & (distances < np.inf)).all()), "distance", "an entry outside", "finite and >= 0")
    return distances * distances + expected_noise_loss(dim, rate)


@dataclass(frozen=True, slots=True)
class LossGap:
    """Loss of a second word minus loss of a first: 2 between (threshold - Z), Z the noisy dot product.

    Raises:
        ParameterError: a parameter is outside its domain, or the two candidates are duplicates.
    """

    distances: Triple  # of the word to the two candidates, and between them; ``triple`` makes it from vectors
    dim: int  # dimension of the vectors, >= 1
    rate: float  # nats per unit of distance, finite and > 0

    def __post_init__(self) -> None:
        check_parameters(self.dim, rate=self.rate)
        neighbor_threshold(*self.distances)

    @property
    def threshold(self) -> float:
        """Right side of equation 19, in units of distance."""
        return float(neighbor_threshold(*self.distances))

    @property
    def mean(self) -> float:
        """E gap = ||w - b||^2 - ||w - a||^2: positive if the first word is the closer one."""
        first, second, _ = self.distances
        return (second - first) * (second + first)

    @property
    def standard_deviation(self) -> float:
        """Standard deviation 2 ||b - a|| sqrt(dim + 1) / rate."""
        return 2 * self.distances.between * math.sqrt(self.dim + 1) / self.rate

    @property
    def reversal_probability(self) -> float:
        """P(gap < 0): the second word is nearer to the noisy vector."""
        return float(overtaking_probability(self.threshold, self.dim, self.rate))


def squared_losses(noisy: ArrayLike, candidates: ArrayLike) -> Reals:
    """Return ||r - x||^2 for noisy vectors r and candidates x; shapes (batch, dim), (words, dim) to (batch, words).

    It uses differences, not the expanded square: tests compare the conditions below with it.

    Raises:
        ParameterError: the shapes do not fit.
    """
    words = np.asarray(candidates, dtype=np.float64)
    need(words.ndim == 2, "candidates", f"shape {words.shape}", "of shape (words, dim)")
    points = as_points(noisy, words.shape[1])
    losses: Reals = np.stack([np.square(points - word).sum(axis=1) for word in words], axis=1)
    return losses


def original_stays(word: ArrayLike, other: ArrayLike, noise: ArrayLike) -> NDArray[np.bool_]:
    """Tell whether w + eta is at least as near to w as to ``other``: <eta, other - w> <= ||other - w||^2 / 2.

    Source: equation 18.

    Args:
        word: shape (dim,).
        other: shape (dim,), different from ``word``.
        noise: shape (batch, dim).

    Returns:
        Shape (batch,).

    Raises:
        ParameterError: the shapes do not fit, or the two words are duplicates.
    """
    return first_stays(word, word, other, noise)


def first_stays(word: ArrayLike, first: ArrayLike, second: ArrayLike, noise: ArrayLike) -> NDArray[np.bool_]:
    """Tell whether w + eta is at least as near to ``first`` as to ``second``: <eta, u> <= threshold (equation 19).

    Args:
        word: shape (dim,).
        first: shape (dim,).
        second: shape (dim,), different from ``first``.
        noise: shape (batch, dim).

    Returns:
        Shape (batch,).

    Raises:
        ParameterError: the shapes do not fit, or the two candidates are duplicates.
    """
    distances = triple(word, first, second)
    direction = (np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)) / distances.between
    products: NDArray[Any] = as_points(noise, len(direction)) @ direction
    return products <= neighbor_threshold(*distances)
