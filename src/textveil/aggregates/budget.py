"""One epsilon and delta of a release about a corpus, and how far one person counts in it.

Gaussian noises and selections share the budget. Values are whole numbers of a public grid, so that noise is drawn by
integers alone; what a person gives to items has a bounded L2 norm. Proof: ``privacy/proofs/corpus_counts.md``.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from scipy.special import log_ndtr, logsumexp

from textveil.errors import ParameterError, need
from textveil.numerics.discrete_noise import LARGEST_SIGMA, DiscreteGaussian
from textveil.privacy.accountant import GaussianPart
from textveil.privacy.composition import analytic_gaussian_sigma
from textveil.privacy.guarantees import ApproximateDP
from textveil.privacy.proved import status_of_caller
from textveil.privacy.units import Adjacency
from textveil.randomness import derived_generator
from textveil.types import Integers

GRID: Final = 2**12
"""Parts of 1 in which counts are held: fine enough that the integer noise costs as much as continuous noise."""

PROOF: Final = "proofs/discrete_gaussian.md"
_MARGIN: Final = 1e-9  # relative, above the rounding of a tail of the normal distribution


@dataclass(frozen=True)
class GaussianBudget:
    """The budget of a release about a corpus.

    Several noises share it: the squares of sensitivity / sigma add up (``proofs/discrete_gaussian.md``). Each asks for
    a share of their sum, and all shares together are at most 1. Selections take a part of delta (``threshold``). Raises
    ParameterError: one of them is outside.
    """

    epsilon: float  # nats, finite and > 0
    delta: float  # in (0, 1), of the whole release
    selections: Fraction = Fraction(0)  # part of delta, in [0, 1), that ``threshold`` may spend; noise has the rest

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

    @property
    def part(self) -> GaussianPart:
        """The facts of the whole release for a ledger, beside its guarantee."""
        failure = self.selections * Fraction(self.delta)
        log_failure = math.nextafter(math.log(failure), math.inf) if failure else -math.inf
        return GaussianPart(self.squared_mu, log_failure)

    def noise(self, squared_sensitivity: Fraction | int, share: Fraction = Fraction(1)) -> DiscreteGaussian:
        """Noise on a vector of whole numbers that takes this share of the budget.

        Args:
            squared_sensitivity: square of the L2 norm by which one unit can change the vector, in squared units of the
                grid; > 0.
            share: in (0, 1].

        Raises ParameterError: the noise would be too large or too small for its sampler: the grid is too fine or
        coarse.
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

        ``held``: the largest value of an item that one person alone can give it, in units of the grid; ``items``: how
        many items one person can add at most.
        """
        need(items >= 1, "items", items, ">= 1")
        return self.threshold_of(noise, np.full(items, held, dtype=np.int64), share)

    def threshold_of(self, noise: DiscreteGaussian, held: Integers, share: Fraction = Fraction(1)) -> int:
        """``threshold`` if one person gives less to some items than to others.

        ``held``: the largest value that one person alone can give to each of its items, at least one; sorted or not.
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
        """The guarantee of the whole release: claimed, unless the module that calls this is registered under its proof.

        ``source``: proof of the release.
        """
        return ApproximateDP(
            epsilon=self.epsilon,
            log_delta=math.nextafter(math.log(self.delta), math.inf),
            status=status_of_caller(source),
            source=source,
            adjacency=adjacency,
        )


ITEMS_AT_MOST: Final = 64  # Items of one person that count, at most, as a multiple of those that count in full
SIZE_WEIGHT: Final = GRID // 2  # What a person adds at most to a sum of sizes, and to that of what is left of them
_SIZES: Final = np.array([4, 8, 16, 32, ITEMS_AT_MOST])
"""Largest size of a person in each group, as multiples of the items that count in full; the last has all larger ones.

A person adds to the sums of one group alone, so that many groups cost what one does.
"""

_SCALE_BITS: Final = 20


class Values(NamedTuple):
    """Values that persons give to items."""

    keys: Integers  # of items; a key stands once for each person who has it. Shape (pairs,)
    values: Integers  # units of the grid, as many
    # sums of the persons' sizes by group, as parts of the group's largest in units of 1 / ``SIZE_WEIGHT``: a size is
    # the sum of a person's values before the bound
    sizes: Integers
    left: Integers  # the same, each times the part of the person's values that is left after the bound


@dataclass(frozen=True)
class ContributionBound:
    """Bounds what one person gives to all items together.

    A person's item has the value ``weight * min(times, repeats)``. If the squares of a person's values sum up to
    more than ``items``, all of them are scaled down alike. Of more than ``64 * items`` items, so many are chosen at
    random first. Raises ParameterError: one of them is outside.
    """

    items: int  # whole, >= 1: items of weight 1 that count in full
    repeats: int = 1  # how often one item of a person counts at most, >= 1

    def __post_init__(self) -> None:
        need(1 <= self.items <= 2**16, "items", self.items, "between 1 and 65536")
        need(1 <= self.repeats <= 2**6, "repeats", self.repeats, "between 1 and 64")

    @property
    def most(self) -> int:
        """Items of one person that count at most."""
        return ITEMS_AT_MOST * self.items

    @property
    def sizes(self) -> Integers:
        """The largest size of a person in each group, in units of the grid."""
        return _SIZES * self.items * GRID

    @property
    def squared_values(self) -> int:
        """Squared sensitivity of all sums of values, in squared units of the grid."""
        return self.items * GRID**2

    @property
    def squared_sensitivity(self) -> int:
        """Variance of the sums of values, of sizes and of remainders, in squared units of the grid."""
        return self.squared_values + 2 * SIZE_WEIGHT**2

    def held(self) -> Integers:
        """The most that one person can give: ``held()[j]`` to the item with the (j + 1)-th largest value."""
        each = [math.isqrt(self.items * GRID**2 // (rank + 1)) for rank in range(self.most)]
        return np.minimum(np.array(each, dtype=np.int64), self.repeats * GRID)

    def values(self, persons: Integers, keys: Integers, weights: Integers, coins: bytes) -> Values:
        """Bound the values of all items of some persons.

        Args:
            persons: of each occurrence of an item, in any order; shape (n,).
            keys: of its item, >= 0; shape (n,).
            weights: of its item, in units of the grid, from 1 to ``GRID``; shape (n,).
            coins: ``SECRET_BYTES`` random ones, by which items of those who have too many are chosen: the same for the
                same items.
        """
        order = np.lexsort((keys, persons))
        persons, keys, weights = persons[order], keys[order], weights[order]
        first = np.flatnonzero(_changes(persons) | _changes(keys))
        times = np.minimum(np.diff(first, append=keys.size), self.repeats)
        persons, keys, plain = persons[first], keys[first], weights[first] * times
        starts = np.flatnonzero(_changes(persons))
        if not starts.size:
            return Values(keys, plain, np.zeros(_SIZES.size, np.int64), np.zeros(_SIZES.size, np.int64))
        before = np.add.reduceat(plain, starts)
        kept = self._chosen(starts, keys, coins)
        persons, keys, plain = persons[kept], keys[kept], plain[kept]
        starts = np.flatnonzero(_changes(persons))
        norms, room = np.add.reduceat(plain**2, starts), self.items * GRID**2
        scales = np.full(norms.size, 1 << _SCALE_BITS, dtype=np.int64)
        for person in np.flatnonzero(norms > room):  # values shrink by this, in 2^-20, rounded down
            scales[person] = math.isqrt((room << 2 * _SCALE_BITS) // int(norms[person]))
        after = np.add.reduceat(plain, starts)
        largest = self.sizes
        group = np.minimum(np.searchsorted(largest, before), largest.size - 1)
        size = SIZE_WEIGHT * np.minimum(before, largest[group]) // largest[group]
        left = (size * scales >> _SCALE_BITS) * after // before
        scaled = plain * np.repeat(scales, np.diff(starts, append=keys.size)) >> _SCALE_BITS
        by_group = (np.bincount(group, sums, largest.size).astype(np.int64) for sums in (size, left))
        return Values(keys, scaled, *by_group)

    def _chosen(self, starts: Integers, keys: Integers, coins: bytes) -> Integers:
        """The pairs that count: all of a person's, or as many as may be at random."""
        counts = np.diff(starts, append=keys.size)
        kept = np.ones(keys.size, dtype=bool)
        for person in np.flatnonzero(counts > self.most):
            own = slice(starts[person], starts[person] + counts[person])
            rng = derived_generator(coins, b"items", keys[own].astype("<i8").tobytes())
            kept[starts[person] + rng.permutation(int(counts[person]))[self.most :]] = False
        return np.flatnonzero(kept)


def _changes(values: Integers) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.append(np.ones(min(values.size, 1), dtype=bool), values[1:] != values[:-1])
