"""Randomized response over common words and a blank: whether a word is common is hidden as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import checked_ids
from textveil.numerics.integer_weights import TwoLevelWeights, flip, two_level_weights
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.randomness import resolve
from textveil.types import Ids

PROOF: Final = "privacy/proofs/common_words.md"


@dataclass(frozen=True, eq=False)
class CommonWordResponse:
    """Every word is one of K common words or the blank, and stays with weight e^epsilon, else is any other with 1.

    So the guarantee holds for any two words, common or not. Proof: privacy/proofs/common_words.md.
    """

    words: tuple[str, ...] = field(repr=False)  # the common words; the blank's id follows theirs
    epsilon: float  # nats for one word, finite and > 0
    name: str = field(default="randomized-response", init=False)

    def __post_init__(self) -> None:
        need(len(self.words) > 0, "words", "none", "one or more")
        self.weights  # noqa: B018 - refuses an epsilon that is none

    @property
    def size(self) -> int:
        """Outputs of a draw."""
        return len(self.words) + 1

    @property
    def weights(self) -> TwoLevelWeights:
        """The two integers that are sampled."""
        return two_level_weights(size=self.size, members=1, epsilon=self.epsilon)

    @property
    def guarantee(self) -> PureDP:
        """Pure DP for any two words."""
        return PureDP(epsilon=self.weights.stated(self.epsilon), status=status_of(__name__, PROOF), source=PROOF)

    def others(self, words: Sequence[str]) -> list[tuple[int, bool]]:
        """The blank, for words that are not common."""
        return [(len(self.words), False)] * len(words)

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return flip(checked_ids(ids, self.size), self.weights, resolve(rng))
