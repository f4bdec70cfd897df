"""One epsilon and delta of a release about a corpus, shared among its Gaussian noises and its selections.

Values are whole numbers of a public grid, so that noise is drawn by integers alone.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
from scipy.special import log_ndtr, logsumexp

from textveil.errors import ParameterError, need
from textveil.numerics.discrete_noise import LARGEST_SIGMA, DiscreteGaussian
from textveil.privacy.composition import analytic_gaussian_sigma
from textveil.privacy.guarantees import ApproximateDP
from textveil.privacy.proved import status_of_caller
from textveil.privacy.units import Adjacency
from textveil.types import Integers

GRID: Final = 2**12
"""Parts of 1 in which counts are held: fine enough that the integer noise costs as much as continuous noise."""

PROOF: Final = "proofs/discrete_gaussian.md"

_MARGIN: Final = 1e-9  # relative, above the rounding of a tail of the normal distribution


@dataclass(frozen=True)
class GaussianBudget:
    """What a release about a corpus may cost.

    Several noises share it: the squares of sensitivity / sigma add up (``proofs/discrete_gaussian.md``). Each asks for
    a share of their sum, and all shares together are at most 1. Selections take a part of delta (``threshold``).

    Attributes:
        epsilon: nats, finite and > 0.
        delta: in (0, 1), of the whole release.
        selections: part of delta, in [0, 1), that ``threshold`` may spend; noise has the rest.

    Raises:
        ParameterError: one of them is outside.
    """

    epsilon: float
    delta: float
    selections: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        need(0 < self.epsilon < math.inf, "epsilon", self.epsilon, "finite and > 0")
        need(0 < self.delta < 1, "delta", self.delta, "in (0, 1)")
        need(0 <= self.selections < 1, "selections", self.selections, "in [0, 1)")

    @cached_property
    def _sigma(self) -> Fraction:
        rest = float((1 - self.selections) * Fraction(self.delta))
        return Fraction(analytic_gaussian_sigma(self.epsilon, math.nextafter(rest, 0.0), 1.0))

    @property
    def squared_mu(self) -> Fraction:
        """At most this is the sum of the squares of sensitivity / sigma, over all noises together."""
        return 1 / self._sigma**2

    def noise(self, squared_sensitivity: Fraction | int, share: Fraction = Fraction(1)) -> DiscreteGaussian:
        """Noise on a vector of whole numbers that takes this share of the budget.

        Args:
            squared_sensitivity: square of the L2 norm by which one unit can change the vector, in squared units of
                the grid; > 0.
            share: in (0, 1].

        Raises:
            ParameterError: the noise would be too large or too small for its sampler: the grid is too fine or coarse.
        """
        need(0 < share <= 1, "share", share, "in (0, 1]")
        need(squared_sensitivity > 0, "squared_sensitivity", squared_sensitivity, "> 0")
        variance = math.ceil(Fraction(squared_sensitivity) * self._sigma**2 / share) + 9
        sigma = math.isqrt(variance - 1) + 1
        if sigma > LARGEST_SIGMA:
            raise ParameterError(
                f"`epsilon` is too small for noise that is drawn exactly: sigma would be {sigma} units of the grid, "
                f"{LARGEST_SIGMA} at most is possible. Raise it."
            )
        return DiscreteGaussian(sigma=max(sigma, 64))

    def threshold(self, noise: DiscreteGaussian, held: int, items: int, share: Fraction = Fraction(1)) -> int:
        """The least noisy value at which an item outside the public list may be released.

        An item that only the added person has must stay hidden: with ``items`` of them, the probability that any one
        reaches the threshold is at most this share of the selections' part of delta (a union bound).

        Args:
            held: the largest value of an item that one person alone can give it, in units of the grid.
            items: how many items one person can add at most.
            share: of the selections' part of delta, in (0, 1].
        """
        need(items >= 1, "items", items, ">= 1")
        return self.threshold_of(noise, np.full(items, held, dtype=np.int64), share)

    def threshold_of(self, noise: DiscreteGaussian, held: Integers, share: Fraction = Fraction(1)) -> int:
        """``threshold`` where one person gives less to some items than to others.

        Args:
            held: the largest value that one person alone can give to each of its items, at least one; sorted or not.
        """
        need(0 < share <= 1, "share", share, "in (0, 1]")
        delta = float(share * self.selections * Fraction(self.delta))
        need(delta > 0, "selections", self.selections, "> 0, where items are selected")
        wanted = math.log(delta) * (1 + _MARGIN) - _MARGIN
        low, high = int(held.max()), int(held.max()) + 1 + 64 * noise.sigma  # too low, high enough
        while high - low > 1:
            middle = (low + high) // 2
            tails = logsumexp(log_ndtr((held - (middle - 1)) / noise.sigma))
            low, high = (low, middle) if float(tails) <= wanted else (middle, high)
        return high

    def guarantee(self, adjacency: Adjacency, source: str = PROOF) -> ApproximateDP:
        """What the whole release promises: claimed, unless the module that calls this is registered under its proof.

        ``source``: proof of the release.
        """
        return ApproximateDP(
            epsilon=self.epsilon,
            log_delta=math.nextafter(math.log(self.delta), math.inf),
            status=status_of_caller(source),
            source=source,
            adjacency=adjacency,
        )
