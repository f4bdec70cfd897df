"""Integer weights of the next token: near a private distribution, within a bounded ratio of a public one."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from textveil.errors import need
from textveil.types import Integers, Reals

Blend = Literal["tokenwise", "mixture"]
_TOP = 1 << 40  # about the total of a row
_ROUNDS = 60  # halvings of the scale at which a projection has its total


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionWeights:
    """Weights w(y) with e^-beta b(y) <= w(y) <= e^beta b(y) and the total of the public weights b.

    ``tokenwise`` takes the private distribution, scaled and cut to these bounds token by token; ``mixture`` is (1 -
    lambda) b + lambda r, r the private distribution, with the largest lambda that keeps them. Several groups of spans
    each have such weights, which are added. Proof: textveil_lab/proofs/fusion.md.
    """

    beta: float  # nats by which a weight may differ from the public one; finite and > 0
    blend: Blend  # "tokenwise" or "mixture"

    def __post_init__(self) -> None:
        need(0 < self.beta < math.inf, "beta", self.beta, "finite and > 0")

    @property
    def epsilon(self) -> float:
        """Largest loss of one draw, for any values of all groups: 2 beta, in nats."""
        return 2 * self.beta

    def row(self, logits: Reals) -> Integers:
        """Return the integers of one draw, int64, shape (size,).

        Args:
            logits: without the spans, then with each group; shape (1 + groups, size). Without groups the draw is
                public.
        """
        public = np.maximum(1, np.floor(_TOP * softmax(logits[0]))).astype(np.int64)
        if len(logits) == 1:
            return public
        total = int(public.sum())
        # Products by factors that are a little nearer to 1 stay on the right side of the true bounds.
        # Where e^-beta is 0 in floating point, 1 is the smallest: a token of weight 0 would be impossible.
        least = np.maximum(1, np.ceil(public * (math.exp(-self.beta) * (1 + 2.0**-48)))).astype(np.int64)
        most = np.floor(public * min(math.exp(min(self.beta, 40.0)) * (1 - 2.0**-48), 2.0**60 / total)).astype(np.int64)
        least, most = np.minimum(least, public), np.maximum(most, public)
        return np.sum([self._one(public, least, most, softmax(private), total) for private in logits[1:]], axis=0)

    def _one(self, public: Integers, least: Integers, most: Integers, private: Reals, total: int) -> Integers:
        blended = self._mixed(public, least, most, private * total) if self.blend == "mixture" else None
        wanted = _projected(least, most, private, total) if blended is None else blended
        weights = np.clip(np.floor(wanted).astype(np.int64), least, most)
        return _filled(weights, least, most, total)

    @staticmethod
    def _mixed(public: Integers, least: Integers, most: Integers, private: Reals) -> Reals:
        step = private - public
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step > 0, (most - public) / step, np.where(step < 0, (least - public) / step, np.inf))
        mixed: Reals = public + min(1.0, float(room.min())) * step
        return mixed


def softmax(logits: Reals) -> Reals:
    """Return probabilities of logits; NaN counts as the smallest logit."""
    finite = np.nan_to_num(logits, nan=-1e30, posinf=1e30, neginf=-1e30)
    powers = np.exp(finite - finite.max())
    shares: Reals = powers / powers.sum()
    return shares


def _projected(least: Integers, most: Integers, private: Reals, total: int) -> Reals:
    low, high = -1000.0, 1000.0
    logs = np.log(np.maximum(private, 1e-300))
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if np.clip(np.exp(np.minimum(logs + middle, 50.0)), least, most).sum() > total:
            high = middle
        else:
            low = middle
    blend: Reals = np.clip(np.exp(np.minimum(logs + low, 50.0)), least, most)
    return blend


def _filled(weights: Integers, least: Integers, most: Integers, total: int) -> Integers:
    lacking = total - int(weights.sum())
    room = most - weights if lacking > 0 else weights - least
    before = np.concatenate([[0], np.cumsum(room)[:-1]])
    moved = np.clip(abs(lacking) - before, 0, room)
    return weights + moved if lacking > 0 else weights - moved
