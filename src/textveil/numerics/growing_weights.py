"""Integer base weights that grow at some places of a document: words are lent more slots there, each a public number.

At every place the base weights are ``(slots + lent slots) << shift``, and every row hands out the same gain. So each
place has a channel as in ``base_weights``, with a total of its own that depends on what was lent, never on the input.
Proof: ``privacy/proofs/contextual.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.numerics.base_weights import BaseWeights, fitted_weights, slots
from textveil.numerics.integer_weights import log_ratio_up
from textveil.types import Flags, Ids, Integers, Reals


class Lent(NamedTuple):
    """Slots lent to words at one place of each of several documents."""

    documents: Ids  # whose place it is, rising, shape (lent,)
    words: Ids  # each once for a document, shape (lent,)
    slots: Integers  # >= 0, shape (lent,)
    ends: Integers  # slots lent up to and with each, over all documents in this order, shape (lent,)
    sums: Integers  # slots lent in each document, shape (documents,)


@dataclass(frozen=True, eq=False, kw_only=True)
class GrowingWeights:
    """Base weights of every place, and what may be lent.

    Attributes:
        fixed: the base weights where nothing is lent; its gains, ``row_gain``, ``shift`` and ``unit`` hold everywhere.
        room: slots that may be lent to each word, >= 0, so that a row can still raise the word whole; shape (n,).
    """

    fixed: BaseWeights
    each: int  # units of gain that one slot allows, >= 1
    room: Integers
    growth: int  # slots that may be lent at one place in all

    def __post_init__(self) -> None:
        need(self.room.shape == self.fixed.counts.shape, "room", f"shape {self.room.shape}", "one for each word")
        need(bool(np.all(self.room >= 0)), "room", "a negative one", ">= 0")
        need(self.each >= 1 and self.growth >= 0, "each, growth", (self.each, self.growth), ">= 1 and >= 0")
        same = np.minimum(self.fixed.counts * self.each, self.fixed.row_gain)
        need(bool(np.array_equal(same, self.fixed.gains)), "gains", "others", "slots times each, cut at row_gain")
        most = self.fixed.total + (self.growth << self.fixed.shift)
        need(most < 2**62, "growth", self.growth, "so small that totals stay below 2^62")

    @property
    def epsilon(self) -> float:
        """The largest ln((base + gain) / base) at any place, rounded up to a float."""
        slot = 1 << self.fixed.shift
        return log_ratio_up(slot + self.each * self.fixed.unit, slot)

    def lent(self, documents: Ids, words: Ids, wanted: Integers, count: int) -> Lent:
        """Lend ``wanted`` slots to words of places, never more than there is room for.

        Args:
            documents: rising, shape (wanted,).
            words: each once for a document, shape (wanted,).
            wanted: slots, >= 0, shape (wanted,); of one document together ``growth`` at most.
            count: number of documents.
        """
        given = np.minimum(wanted, self.room.take(words))
        ends = np.cumsum(given)
        edges = np.concatenate([[0], ends])[np.searchsorted(documents, np.arange(count + 1))]
        sums = np.diff(edges)
        need(int(sums.max(initial=0)) <= self.growth, "wanted", int(sums.max(initial=0)), f"at most {self.growth}")
        return Lent(documents, words, given, ends, sums)

    def at(self, words: Ids, slots: Integers) -> BaseWeights:
        """The base weights of a place where these slots are lent to these distinct words."""
        counts = self.fixed.counts.copy()
        counts[words] += slots
        gains = self.gains(counts)
        fixed = self.fixed
        return BaseWeights(counts=counts, shift=fixed.shift, gains=gains, row_gain=fixed.row_gain, unit=fixed.unit)

    def gains(self, counts: Integers) -> Integers:
        """What words with so many slots may gain, in units."""
        return np.minimum(counts * self.each, self.fixed.row_gain)

    def draw(self, lent: Lent, rng: np.random.Generator) -> tuple[Integers, Integers]:
        """One uniform integer below the total of each document's place.

        Returns:
            ``word``: the output of a base draw, else -1; and ``raised``: a unit in [0, row_gain) where the draw fell
            into what is added, else -1; both of shape (documents,).
        """
        fixed = self.fixed
        base = fixed.base_total + (lent.sums << fixed.shift)
        drawn = rng.integers(0, base + fixed.row_gain * fixed.unit, dtype=np.int64)
        raised = np.where(drawn >= base, (drawn - base) // fixed.unit, -1)
        slot = drawn >> fixed.shift
        word = np.full(len(drawn), -1, dtype=np.int64)
        whole = len(fixed.word_of_slot)
        own = ((raised < 0) & (slot < whole)).nonzero()[0]
        word[own] = fixed.word_of_slot[slot[own]]
        more = ((raised < 0) & (slot >= whole)).nonzero()[0]
        before = np.cumsum(lent.sums) - lent.sums
        word[more] = lent.words[np.searchsorted(lent.ends, before[more] + slot[more] - whole, side="right")]
        return word, raised

    def log_least(self, lent: Lent, counts: Integers) -> Reals:
        """Logarithm of what every input at least gives a word with so many slots, shape (documents,)."""
        total = self.fixed.total + (lent.sums << self.fixed.shift)
        least: NDArray[np.float64] = np.log((counts << self.fixed.shift) / total)
        return least


def growing_weights(
    shares: Reals, *, epsilon: float, base_mass: float, growth: float, never: Flags | None = None
) -> GrowingWeights:
    """Base weights in proportion to ``shares``, to which ``growth`` times their sum may be lent.

    Args:
        shares: finite and > 0, shape (n,), n >= 2.
        epsilon: nats, finite and > 0.
        base_mass: probability of a base draw where nothing is lent, in (0, 1), more than e^-epsilon.
        growth: finite and >= 0.
        never: words that are lent nothing, shape (n,); None is no word.

    Raises:
        ParameterError: an argument is outside its domain.
    """
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    need(0 <= growth <= 1024, "growth", growth, "between 0 and 1,024")
    least = math.exp(-min(epsilon, 40.0))
    need(least < base_mass < 1, "base_mass", base_mass, f"between e^-epsilon = {least:.3g} and 1")
    counts = slots(np.asarray(shares, dtype=np.float64))
    whole = int(counts.sum())
    fitted = fitted_weights(whole, epsilon, base_mass, growth)
    need(fitted.each >= 1, "epsilon", epsilon, "large enough to raise a weight by one part in 2^30")
    gains = fitted.gains(counts)
    row_gain = min(fitted.row_gain, sum(gains.tolist()))
    gains = np.minimum(gains, row_gain)
    fixed = BaseWeights(counts=counts, shift=fitted.shift, gains=gains, row_gain=row_gain, unit=fitted.unit)
    room = np.maximum(row_gain // fitted.each - counts, 0)
    if never is not None:
        room[never] = 0
    return GrowingWeights(fixed=fixed, each=fitted.each, room=room, growth=math.floor(growth * whole))
