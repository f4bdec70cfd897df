"""Integer weights of the next token from a model's logits: between two integers, whatever the logits are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from textveil.errors import need
from textveil.numerics.integer_weights import exp_minus_half_ceiling, log_ratio_up
from textveil.types import Integers, Reals

_BITS = 61
"""Rows of weights sum to at most 2^61."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TokenWeights:
    """Weight max(floor, floor(top exp((clip(l, min_logit, max_logit) - max_logit) / temperature))) of logit l.

    The exponential mechanism on clipped logits, in integers: every weight is at least ``floor`` and at most ``top``, so
    a draw costs at most 2 ln(top / floor), whatever a model says. Proof: privacy/proofs/clipped_sampling.md.

    Attributes:
        size: tokens n.
        min_logit: lower logits count as this one.
        max_logit: higher ones as this one.
        temperature: > 0.
        top: the largest weight.
        floor: the smallest, >= 1.
    """

    size: int
    min_logit: float
    max_logit: float
    temperature: float
    top: int
    floor: int

    def __post_init__(self) -> None:
        need(1 <= self.floor <= self.top, "floor", self.floor, f"between 1 and {self.top}")
        need(self.size * self.top <= 1 << _BITS, "top", self.top, f"at most 2^{_BITS} / {self.size}")

    @property
    def epsilon(self) -> float:
        """Nats that one draw costs at most, rounded up."""
        return 2 * log_ratio_up(self.top, self.floor)

    def rows(self, logits: Reals) -> Integers:
        """The very integers that are drawn, int64, shape (rows, size); what is no number counts as ``min_logit``."""
        clipped = np.clip(np.where(np.isnan(logits), self.min_logit, logits), self.min_logit, self.max_logit)
        weights = np.exp((clipped - self.max_logit) / self.temperature) * float(self.top)
        return np.clip(weights.astype(np.int64), self.floor, self.top)


def token_weights(
    *, size: int, min_logit: float, max_logit: float, epsilon: float | None = None, temperature: float | None = None
) -> TokenWeights:
    """The weights at ``epsilon`` nats for a token, or at a temperature: of 2 (max_logit - min_logit) / epsilon.

    Where integers cannot span the range of weights, those below 1 are raised to 1, and less is spent.

    Args:
        size: tokens, >= 2.
        min_logit: finite.
        max_logit: finite, above ``min_logit``.
        epsilon: nats of one draw; finite and > 0.
        temperature: in place of epsilon; finite and > 0.

    Raises:
        ParameterError: an argument is outside its domain.
    """
    spread = max_logit - min_logit
    need(math.isfinite(spread) and spread > 0, "max_logit", max_logit, f"finite and above min_logit, {min_logit:g}")
    if epsilon is None:
        assert temperature is not None
        epsilon = 2 * spread / temperature
    else:
        temperature = 2 * spread / epsilon
    top = 1 << (_BITS - math.ceil(math.log2(max(2, size))))
    return TokenWeights(
        size=size,
        min_logit=min_logit,
        max_logit=max_logit,
        temperature=temperature,
        top=top,
        floor=exp_minus_half_ceiling(epsilon, top),
    )
