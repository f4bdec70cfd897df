"""Digits by randomized response, one budget shared over the digits of a number."""

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from textveil.errors import need
from textveil.numerics.integer_weights import TwoLevelWeights, flip, two_level_weights
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.randomness import resolve
from textveil.types import Ids, Integers

PROOF = "privacy/proofs/digits.md"
BASE = 10
KEEP_LIMIT = 0.5  # probability above which no digit stays unless somebody asks for it


@lru_cache(maxsize=4096)
def _weights(epsilon: float, keep_limit: float) -> TwoLevelWeights:
    """The integer weights of one digit: of both bounds the stricter one.

    ``epsilon``: nats for the digit, >= 0; ``keep_limit``: bound on the probability that it stays, in [1 / BASE, 1].
    """
    if keep_limit < 1:
        odds = (BASE - 1) * Fraction(keep_limit) / (1 - Fraction(keep_limit))
        epsilon = min(epsilon, math.log(odds))
    # A share too small for a float counts as the least one, for which the integers are equal: the digit is uniform.
    weights = two_level_weights(size=BASE, members=1, epsilon=max(epsilon, math.ulp(0.0)))
    if keep_limit == 1:
        return weights
    # The logarithm may have been rounded up; the integers keep the limit exactly.
    return replace(weights, inside=min(weights.inside, math.floor(odds * weights.outside)))


@dataclass(frozen=True, slots=True)
class DigitResponse:
    """Each of a number's k digits is kept or replaced by randomized response at epsilon / k or less.

    Two numbers of k digits each differ in at most k digits, so the k draws cost at most epsilon together.
    The number of digits is public. Proof: privacy/proofs/digits.md.

    ``keep_limit``: no digit stays with a larger probability, however much of epsilon is then left unspent; in [0.1, 1],
    where 1 is no limit and 0.1 makes every digit uniform. One half is ln 9 nats a digit.
    """

    epsilon: float  # nats for one number, any two numbers with as many digits; finite and > 0
    keep_limit: float = KEEP_LIMIT

    def __post_init__(self) -> None:
        need(0 < self.epsilon < math.inf, "epsilon", self.epsilon, "finite and > 0")
        need(1 / BASE <= self.keep_limit <= 1, "digit_keep_limit", self.keep_limit, f"between {1 / BASE} and 1")

    @property
    def guarantee(self) -> PureDP:
        """Pure DP for one number, however many digits it has."""
        return PureDP(epsilon=self.epsilon, status=status_of(__name__, PROOF), source=PROOF)

    def privatize(self, digits: Ids, lengths: Integers, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each digit.

        ``digits``: the digits of all numbers in a row, each in [0, 10), shape (sum of lengths,); ``lengths``: how many
        of them belong to each number, each >= 1, shape (numbers,).

        Returns:
            The drawn digits, int64, shape (sum of lengths,).
        """
        need(int(np.add.reduce(lengths)) == len(digits), "lengths", "another sum", "the number of digits in total")
        if len(digits) == 0:
            return np.empty(0, dtype=np.int64)
        generator = resolve(rng)
        numbers = sorted(Counter(lengths.tolist()).items())
        if len(numbers) == 1:
            return flip(digits, self._weights(numbers[0][0]), generator)
        order = lengths.repeat(lengths).argsort(kind="stable")  # digits of numbers of one length stand together
        out = np.empty(len(digits), dtype=np.int64)
        stop = 0
        for length, count in numbers:
            here = order[stop : stop + length * count]
            stop += length * count
            out[here] = flip(digits[here], self._weights(length), generator)
        return out

    def unchanged(self, length: int) -> float:
        """The probability that a number of so many digits comes out as it was."""
        weights = self._weights(length)
        return float(weights.inside / weights.total) ** length

    def _weights(self, length: int) -> TwoLevelWeights:
        # epsilon / length in floating point may exceed the share by half an ulp; one step down pays it.
        return _weights(math.nextafter(self.epsilon / length, 0.0), self.keep_limit)
