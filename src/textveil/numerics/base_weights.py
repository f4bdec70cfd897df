"""Integer base weights of a channel and what epsilon lets them be raised to.

A row of such a channel gives output y a weight between ``base(y)`` and ``base(y) e^epsilon``, and every row has
the same total. So the ratio of any two probabilities of one output is a ratio of these integers.
Proof: ``privacy/proofs/weighted_neighborhood.md``.
"""

import hashlib
import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.numerics.integer_weights import exp_floor, log_ratio_up
from textveil.types import Flags, Ids, Integers, Reals

_TOTAL_BITS = 53  # totals stay below 2^53: a 64-bit draw is then rejected with probability below 2^-11
_LEAST_UNITS = 2048  # what a row adds is at least this many units: so fine is the last raised word's share
_LARGEST_EPSILON = 40.0  # above it every weight that fits is cut anyway; exp would only grow
SLOT_BITS = 20
"""Base weights are integers with sum 2^20: a table of 2 MB tells the word of a base draw; more for more words."""


def slots(shares: Reals, each: int = 16) -> Integers:
    """Integers >= 1 in proportion to ``shares``, with a sum that is a power of two; int64, shape (n,).

    Every word gets one slot, and the rest go by largest remainder, ties to the lower id. The sum is at least 2^20 and
    at least ``each`` slots for each word. ``shares``: finite and > 0, shape (n,); ``each``: mean number of slots of a
    word at least, >= 2.
    """
    size = len(shares)
    need(bool(np.all(np.isfinite(shares)) and np.all(shares > 0)), "shares", "one that is not", "finite and > 0")
    whole = 1 << max(SLOT_BITS, math.ceil(math.log2(each * size)))
    exact = shares / math.fsum(shares.tolist()) * (whole - size)
    counts = np.floor(exact).astype(np.int64)
    left = whole - size - int(counts.sum())
    if left < 0:  # the sum of shares was rounded: take from the largest
        counts[np.argsort(-counts, kind="stable")[:-left]] -= 1
    elif left > 0:
        order = np.argsort(-(exact - counts), kind="stable")
        counts += np.bincount(order[np.arange(left) % size], minlength=size)
    return counts + 1


@dataclass(frozen=True, eq=False, kw_only=True)
class BaseWeights:
    """Integer base weights, what each may gain, and what every row adds in all.

    ``gains``: what a row may add to the base weight of each word at most, in units, >= 0; int64, shape (n,). Raises
    ParameterError: the numbers do not fit together.
    """

    counts: Integers  # slots of every word, >= 1; int64, shape (n,)
    shift: int  # base weights are `counts << shift`
    gains: Integers = field(repr=False)
    row_gain: int  # what every row adds in all, in units, 0 < row_gain <= sum of `gains`
    unit: int = 1  # weight of one unit of gain, >= 1

    def __post_init__(self) -> None:
        need(bool(np.all(self.counts >= 1)), "counts", "one below 1", ">= 1")
        need(self.gains.shape == self.counts.shape, "gains", f"shape {self.gains.shape}", "one for each word")
        need(bool(np.all(self.gains >= 0)), "gains", "a negative one", ">= 0")
        need(self.unit >= 1, "unit", self.unit, ">= 1")
        most = sum(self.gains.tolist())
        need(0 < self.row_gain <= most, "row_gain", self.row_gain, f"between 1 and the sum of gains, {most}")
        need(self.total < 2**62, "total", self.total, "below 2^62")

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the table of slots, which a copy makes again.
        return _again, (self.counts, self.shift, self.gains, self.row_gain, self.unit)

    @property
    def size(self) -> int:
        return len(self.counts)

    @cached_property
    def base_total(self) -> int:
        return int(self.counts.sum()) << self.shift

    @cached_property
    def total(self) -> int:
        """Sum of a row, the same for every input."""
        return self.base_total + self.row_gain * self.unit

    @property
    def base_mass(self) -> float:
        """Probability that a draw is a base draw, which says nothing about the input."""
        return self.base_total / self.total

    @property
    def base(self) -> Integers:
        """The base weights, int64, shape (n,)."""
        return self.counts << self.shift

    @property
    def digest(self) -> str:
        """SHA-256 of all the integers."""
        head = f"{self.shift} {self.row_gain} {self.unit}\n".encode()
        return hashlib.sha256(head + self.counts.tobytes() + self.gains.tobytes()).hexdigest()

    @cached_property
    def epsilon(self) -> float:
        """The largest ln((base + gain) / base), rounded up to a float: what a draw really costs at most."""
        pairs = np.unique(np.stack([self.counts, self.gains], axis=1), axis=0).tolist()
        count, gain = max(pairs, key=lambda pair: Fraction(pair[1], pair[0]))
        return log_ratio_up((count << self.shift) + gain * self.unit, count << self.shift)

    @cached_property
    def word_of_slot(self) -> NDArray[Any]:
        """The word that owns each slot, in order of id; the smallest unsigned type, read-only."""
        kind = np.min_scalar_type(self.size - 1)
        table = np.repeat(np.arange(self.size).astype(kind), self.counts)
        table.flags.writeable = False
        return table

    def draw(self, count: int, rng: np.random.Generator) -> tuple[Integers, Integers, Integers]:
        """One uniform integer below the total for each draw, split into the two parts of a row.

        Returns:
            ``word``: the output of a base draw, shape (count,); ``above``: which draws fell into what is added, so that
            their ``word`` means nothing; and ``raised``: a unit in [0, row_gain) for each of these.
        """
        drawn = rng.integers(0, self.total, size=count, dtype=np.int64)
        slot = drawn >> self.shift
        owner = self.word_of_slot
        above = (slot >= len(owner)).nonzero()[0]
        return owner.take(slot, mode="clip").astype(np.int64), above, (drawn[above] - self.base_total) // self.unit


def _again(counts: Integers, shift: int, gains: Integers, row_gain: int, unit: int) -> BaseWeights:
    return BaseWeights(counts=counts, shift=shift, gains=gains, row_gain=row_gain, unit=unit)


def base_weights(shares: Reals, *, epsilon: float, base_mass: float, slots_each: int = 16) -> BaseWeights:
    """Base weights in proportion to ``shares``, raised by at most e^epsilon, such that base draws have ``base_mass``.

    Every slot may be raised by the same integer, the floor of 2^shift (e^epsilon - 1): so what a row adds is a number
    of slots, or of equal parts of slots if a row raises few.

    Args:
        shares: finite and > 0, shape (n,), n >= 2.
        epsilon: nats, finite and > 0.
        base_mass: Q, in (0, 1): probability of a base draw, before rounding.
        slots_each: see ``slots``; more if many words should have nearly nothing.

    Raises ParameterError: an argument is outside its domain, or Q leaves more than e^epsilon can add to all words: Q
    must be above e^-epsilon.
    """
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    need(len(shares) >= 2, "shares", len(shares), "at least two")
    least = math.exp(-min(epsilon, _LARGEST_EPSILON))
    need(least < base_mass < 1, "base_mass", base_mass, f"between e^-epsilon = {least:.3g} and 1")
    counts = slots(np.asarray(shares, dtype=np.float64), slots_each)
    fitted = fitted_weights(int(counts.sum()), epsilon, base_mass)
    gains = fitted.gains(counts)
    row_gain = min(fitted.row_gain, sum(gains.tolist()))
    need(row_gain > 0, "epsilon", epsilon, "large enough to raise a weight by one part in 2^30")
    return BaseWeights(counts=counts, shift=fitted.shift, gains=gains, row_gain=row_gain, unit=fitted.unit)


class Fitted(NamedTuple):
    """Weights of slots, and the gains that they may have."""

    shift: int  # a slot weighs 2^shift
    unit: int  # weight of a unit of gain
    each: int  # units that one slot may gain
    row_gain: int  # units that a row hands out

    def gains(self, counts: Integers) -> Integers:
        """Return what words with these slots may gain, in whole units; clipping at what a row adds lowers the loss."""
        if self.each == 0:
            return np.zeros_like(counts)
        return np.where(counts > self.row_gain // self.each, self.row_gain, counts * self.each)


def fitted_weights(whole: int, epsilon: float, base_mass: float, growth: float = 0.0) -> Fitted:
    """Weights that fit ``whole`` slots, of base mass Q, and ``growth`` times as many more."""
    sum_bits = whole.bit_length() - 1
    room = math.log2(base_mass) - math.log2(1 + growth * base_mass)
    shift = max(0, math.floor(_TOTAL_BITS - 1 - sum_bits + room))
    wanted = int((1 << (sum_bits + shift)) * ((1 - base_mass) / base_mass))
    per_slot = exp_floor(min(epsilon, _LARGEST_EPSILON), 1 << shift) - (1 << shift)
    parts = max(0, (_LEAST_UNITS * per_slot // max(1, wanted)).bit_length())
    unit = max(1, per_slot >> parts)
    return Fitted(shift, unit, per_slot // unit, max(1, wanted // unit))


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

    ``fixed``: the base weights if nothing is lent; its gains, ``row_gain``, ``shift`` and ``unit`` hold everywhere;
    ``room``: slots that may be lent to each word, >= 0, so that a row can still raise the word whole; shape (n,).
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
        """Return what words with so many slots may gain, in units."""
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


def growing_weights(
    shares: Reals, *, epsilon: float, base_mass: float, growth: float, never: Flags | None = None
) -> GrowingWeights:
    """Base weights in proportion to ``shares``, to which ``growth`` times their sum may be lent.

    Args:
        shares: finite and > 0, shape (n,), n >= 2.
        epsilon: nats, finite and > 0.
        base_mass: probability of a base draw if nothing is lent, in (0, 1), more than e^-epsilon.
        growth: finite and >= 0.
        never: words that are lent nothing, shape (n,); None is no word.

    Raises ParameterError: an argument is outside its domain.
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
