"""Draws along public lists of words: a list and a place near the word's own in it, by integers.

Two laws of the place: two-sided geometric steps that stop at the ends, or weights that fall up to a distance gamma
and are one and the same beyond. Proof: ``privacy/proofs/diffractor.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, final

import numpy as np

from textveil.mechanisms.sampling.level_weights import LevelWeights
from textveil.numerics.geometric_steps import GeometricSteps
from textveil.types import Ids, Integers

_ROWS = 1 << 14


class ListDraws(Protocol):
    """Rows of integer weights over words, by places in lists."""

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """One draw for each id."""

    def weights(self, ids: Ids) -> Integers:
        """The integers that draws use, int64, shape (batch, n)."""


def places_of(lists: Ids) -> Integers:
    """The place of every word in every list, shape (lists, n)."""
    places = np.empty_like(lists)
    np.put_along_axis(places, lists, np.arange(lists.shape[1])[None, :], axis=1)
    return places


@final
@dataclass(frozen=True, slots=True, eq=False)
class GeometricDraws:
    """A list, each alike, and from the word's place in it a geometric step.

    Attributes:
        lists: word ids, shape (lists, n).
        steps: the law of steps.
        places: the place of every word in every list, shape (lists, n).
    """

    lists: Ids
    steps: GeometricSteps
    places: Integers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", places_of(self.lists))

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """See ``ListDraws.draw``."""
        which = rng.integers(0, len(self.lists), size=len(ids))
        out: Ids = self.lists[which, self.steps.draw(self.places[which, ids], rng)]
        return out

    def weights(self, ids: Ids) -> Integers:
        """See ``ListDraws.weights``; a row sums to the number of lists times the total of steps."""
        out = np.zeros((len(ids), self.lists.shape[1]), dtype=np.int64)
        for order, places in zip(self.lists, self.places, strict=True):
            out[:, order] += self.steps.rows(places[ids])
        return out


@final
@dataclass(frozen=True, slots=True, eq=False)
class TruncatedDraws:
    """A list and a place in it together, with the weight of their distance to the word's own place there.

    Attributes:
        lists: word ids, shape (lists, n).
        levels: weights by distance, 0 first; the last is that of all places from gamma on.
    """

    lists: Ids
    levels: LevelWeights
    _places: Integers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", places_of(self.lists))

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """See ``ListDraws.draw``."""
        out = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), _ROWS):
            out[start : start + _ROWS] = self._drawn(ids[start : start + _ROWS], rng)
        return out

    def weights(self, ids: Ids) -> Integers:
        """See ``ListDraws.weights``."""
        base = len(self.lists) << self.levels.shift
        out = np.full((len(ids), self.lists.shape[1]), base, dtype=np.int64)
        words, extra = self._near(ids)
        rows = np.broadcast_to(np.arange(len(ids))[:, None], words.shape)
        np.add.at(out, (rows, words), extra)
        return out

    def _drawn(self, ids: Ids, rng: np.random.Generator) -> Ids:
        words, extra = self._near(ids)
        sums = extra.cumsum(axis=1)
        each = len(self.lists) << self.levels.shift
        common = each * self.lists.shape[1]
        drawn = rng.integers(0, common + sums[:, -1], dtype=np.int64)
        column = (sums <= (drawn - common)[:, None]).sum(axis=1)
        near = np.take_along_axis(words, np.minimum(column, words.shape[1] - 1)[:, None], axis=1)[:, 0]
        out: Ids = np.where(drawn < common, drawn // each, near)
        return out

    def _near(self, ids: Ids) -> tuple[Ids, Integers]:
        """Words closer than gamma in each list and how much they weigh beyond the last level, shape (batch, near).

        Where a list ends, a word weighs nothing.
        """
        more = np.array(self.levels.weights[:-1], dtype=np.int64) - self.levels.weights[-1]
        steps = np.arange(1 - len(more), len(more))
        size = self.lists.shape[1]
        words, extra = [], []
        for order, places in zip(self.lists, self._places, strict=True):
            reached = places[ids][:, None] + steps
            inside = (reached >= 0) & (reached < size)
            words.append(order[np.clip(reached, 0, size - 1)])
            extra.append(np.where(inside, more[np.abs(steps)], 0))
        return np.concatenate(words, axis=1), np.concatenate(extra, axis=1)


def distance_counts(size: int, lists: Ids, gamma: int) -> Integers:
    """How many places of all lists are at each distance from each word, those from gamma on together.

    Returns:
        Shape (n, gamma + 1); a row sums to n times the number of lists.
    """
    places = places_of(lists)
    out = np.zeros((size, gamma + 1), dtype=np.int64)
    out[:, 0] = len(lists)
    for apart in range(1, gamma):
        out[:, apart] = ((places >= apart).astype(np.int64) + (places + apart < size)).sum(axis=0)
    out[:, gamma] = len(lists) * size - out[:, :gamma].sum(axis=1)
    return out
