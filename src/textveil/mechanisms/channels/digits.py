"""Digits by randomized response, one budget shared over the digits of a number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.channels.randomized_response import flip
from textveil.numerics.integer_weights import TwoLevelWeights, two_level_weights
from textveil.privacy.guarantees import PureDP, Status
from textveil.randomness import resolve
from textveil.types import Ids, Integers

PROOF = "privacy/proofs/digits.md"

BASE = 10


@lru_cache(maxsize=4096)
def _weights(epsilon: float) -> TwoLevelWeights:
    if epsilon == 0:  # a share too small for a float: every digit is uniform
        return TwoLevelWeights(size=BASE, members=1, inside=1, shift=0)
    return two_level_weights(size=BASE, members=1, epsilon=epsilon)


@final
@dataclass(frozen=True, slots=True)
class DigitResponse:
    """Each of a number's k digits is kept or replaced by randomized response at epsilon / k.

    Two numbers of k digits each differ in at most k digits, so the k draws cost at most epsilon together.
    The number of digits is public. Proof: privacy/proofs/digits.md.

    Attributes:
        epsilon: nats for one number, any two numbers with as many digits; finite and > 0.
    """

    epsilon: float

    def __post_init__(self) -> None:
        need(0 < self.epsilon < math.inf, "epsilon", self.epsilon, "finite and > 0")

    @property
    def guarantee(self) -> PureDP:
        """Pure DP for one number."""
        return PureDP(epsilon=self.epsilon, status=Status.PROVED, source=PROOF)

    def privatize(self, digits: Ids, lengths: Integers, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each digit.

        Args:
            digits: the digits of all numbers in a row, each in [0, 10), shape (sum of lengths,).
            lengths: how many of them belong to each number, each >= 1, shape (numbers,).
            rng: None draws from the operating system's randomness.

        Returns:
            The drawn digits, int64, shape (sum of lengths,).
        """
        need(int(lengths.sum()) == len(digits), "lengths", "another sum", "the number of digits in total")
        generator = resolve(rng)
        out = np.empty(len(digits), dtype=np.int64)
        length_of_digit = np.repeat(lengths, lengths)
        for length in np.unique(lengths).tolist():
            here = np.flatnonzero(length_of_digit == length)
            # epsilon / length in floating point may exceed the share by half an ulp; one step down pays it.
            share = math.nextafter(self.epsilon / length, 0.0)
            out[here] = flip(digits[here], _weights(share), generator)
        return out
