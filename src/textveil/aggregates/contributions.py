"""How far one person counts: the values that a person gives to items have a bounded L2 norm, in whole numbers.

Proof: ``privacy/proofs/corpus_counts.md``.
"""

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from textveil.aggregates.budget import GRID
from textveil.errors import need
from textveil.types import Integers

ITEMS_AT_MOST: Final = 64
"""Items of one person that count, at most, as a multiple of those that count in full."""

SIZE_WEIGHT: Final = GRID // 2
"""What a person adds at most to the sum of sizes, and to that of what is left of them."""

_LARGE: Final = 4  # size above which persons weigh alike there, as a multiple of the items that count in full
_SCALE_BITS: Final = 20


class Values(NamedTuple):
    """What persons give to items.

    Attributes:
        keys: of items; a key stands once for each person who has it. Shape (pairs,).
        values: units of the grid, as many.
        size: sum of the persons' numbers of items, in parts of ``SIZE_WEIGHT``: at most that for each.
        left: the same, each times the part of the person's items that is left after the bound.
    """

    keys: Integers
    values: Integers
    size: int
    left: int


@dataclass(frozen=True)
class ContributionBound:
    """Bounds what one person gives to all items together.

    A person's item has the value ``weight * min(times, repeats)``. Where the squares of a person's values sum up to
    more than ``items``, all of them are scaled down alike. Of more than ``64 * items`` items, so many are chosen at
    random first.

    Attributes:
        items: whole, >= 1: items of weight 1 that count in full.
        repeats: how often one item of a person counts at most, >= 1.

    Raises:
        ParameterError: one of them is outside.
    """

    items: int
    repeats: int = 1

    def __post_init__(self) -> None:
        need(1 <= self.items <= 2**16, "items", self.items, "between 1 and 65536")
        need(1 <= self.repeats <= 2**6, "repeats", self.repeats, "between 1 and 64")

    @property
    def most(self) -> int:
        """Items of one person that count at most."""
        return ITEMS_AT_MOST * self.items

    @property
    def squared_sensitivity(self) -> int:
        """Of all sums of values, of sizes and of what is left of them, in squared units of the grid."""
        return self.items * GRID**2 + 2 * SIZE_WEIGHT**2

    def held(self) -> Integers:
        """What one person can give to items: at most ``held()[j]`` to the one with the (j + 1)-th largest value."""
        each = [math.isqrt(self.items * GRID**2 // (rank + 1)) for rank in range(self.most)]
        return np.minimum(np.array(each, dtype=np.int64), self.repeats * GRID)

    def values(self, persons: Integers, keys: Integers, weights: Integers, rng: np.random.Generator) -> Values:
        """Bound the values of all items of some persons.

        Args:
            persons: of each occurrence of an item, in any order; shape (n,).
            keys: of its item, >= 0; shape (n,).
            weights: of its item, in units of the grid, from 1 to ``GRID``; shape (n,).
            rng: chooses among the items of those who have too many.
        """
        order = np.lexsort((keys, persons))
        persons, keys, weights = persons[order], keys[order], weights[order]
        first = np.flatnonzero(_changes(persons) | _changes(keys))
        times = np.minimum(np.diff(first, append=keys.size), self.repeats)
        persons, keys, plain = persons[first], keys[first], weights[first] * times
        starts = np.flatnonzero(_changes(persons))
        if not starts.size:
            return Values(keys, plain, 0, 0)
        before = np.diff(starts, append=keys.size)
        kept = self._chosen(starts, keys.size, rng)
        persons, keys, plain = persons[kept], keys[kept], plain[kept]
        starts = np.flatnonzero(_changes(persons))
        norms, room = np.add.reduceat(plain**2, starts), self.items * GRID**2
        scales = np.full(norms.size, 1 << _SCALE_BITS, dtype=np.int64)
        for person in np.flatnonzero(norms > room):  # values shrink by this, in 2^-20, rounded down
            scales[person] = math.isqrt((room << 2 * _SCALE_BITS) // int(norms[person]))
        after = np.diff(starts, append=keys.size)
        size = SIZE_WEIGHT * np.minimum(before, _LARGE * self.items) // (_LARGE * self.items)
        left = (size * scales >> _SCALE_BITS) * after // before
        scaled = plain * np.repeat(scales, after) >> _SCALE_BITS
        return Values(keys, scaled, int(size.sum()), int(left.sum()))

    def _chosen(self, starts: Integers, pairs: int, rng: np.random.Generator) -> Integers:
        """The pairs that count: all of a person's, or as many as may be at random."""
        counts = np.diff(starts, append=pairs)
        kept = np.ones(pairs, dtype=bool)
        for person in np.flatnonzero(counts > self.most):
            dropped = rng.permutation(int(counts[person]))[self.most :]
            kept[starts[person] + dropped] = False
        return np.flatnonzero(kept)


def _changes(values: Integers) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.append(np.ones(min(values.size, 1), dtype=bool), values[1:] != values[:-1])
