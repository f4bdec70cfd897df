"""Bounds of codes: what every code is brought into before noise is added, and how far apart two codes can then be."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from textveil.errors import need
from textveil.types import Reals
from textveil_lab.mechanisms.parameters import outward


class CodeBound(Protocol):
    """A set of codes, and a map into it that is defined for every code."""

    @property
    def widest(self) -> float:
        """No coordinate of two codes differs by more."""

    def __call__(self, codes: Reals) -> Reals:
        """A code of the set for each code, float64, shape (batch, dim); what is no number counts as 0."""

    def reach(self, dim: int, norm: int) -> float:
        """No two codes of ``dim`` coordinates are farther apart in the L1 or L2 norm: the sensitivity, rounded up."""


@dataclass(frozen=True, slots=True)
class ClampedValues:
    """Every coordinate in [-limit, limit]: two codes are at most 2 limit dim apart in L1, 2 limit sqrt(dim) in L2.

    Source: Igamberdiev and Habernal 2023 (DP-BART), theorem 1.
    """

    limit: float  # finite and > 0

    def __post_init__(self) -> None:
        need(0 < self.limit < math.inf, "limit", self.limit, "finite and > 0")

    @property
    def widest(self) -> float:
        return outward(2 * self.limit)

    def __call__(self, codes: Reals) -> Reals:
        return np.clip(_numbers(codes), -self.limit, self.limit)

    def reach(self, dim: int, norm: int) -> float:
        return outward(2 * self.limit * (dim if norm == 1 else math.sqrt(dim)))


@dataclass(frozen=True, slots=True)
class ClippedNorm:
    """Longer codes shortened to the norm ``limit``.

    Two codes of L1 norm at most C are at most 2C apart in both norms; of L2 norm at most C, 2C in L2 and 2C sqrt(dim)
    in L1. Source: Habernal 2021, theorem 3.3 and corollary 3.4.
    """

    order: int  # 1 or 2, the norm
    limit: float  # C, finite and > 0

    def __post_init__(self) -> None:
        need(self.order in (1, 2), "order", self.order, "1 or 2")
        need(0 < self.limit < math.inf, "limit", self.limit, "finite and > 0")

    @property
    def widest(self) -> float:
        return outward(2 * self.limit)

    def __call__(self, codes: Reals) -> Reals:
        known = _numbers(codes)
        norms = np.linalg.norm(known, ord=self.order, axis=1, keepdims=True)
        return known * (self.limit / np.maximum(norms, self.limit))

    def reach(self, dim: int, norm: int) -> float:
        spread = math.sqrt(dim) if self.order == 2 and norm == 1 else 1.0
        return outward(2 * self.limit * spread)


def _numbers(codes: Reals) -> Reals:
    """Finite numbers as they are, all else as 0: a text of which a model makes no number is not told apart by it."""
    return np.nan_to_num(np.asarray(codes, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
