"""k-ary randomized response over the words of a vocabulary."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import checked_ids, checked_word_id
from textveil.mechanisms.parameters import Epsilon
from textveil.mechanisms.sampling.output_columns import Columns, OverBase, RaisedEntries
from textveil.numerics.integer_weights import TwoLevelWeights, flip, two_level_weights
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/randomized_response.md"


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class RandomizedResponse:
    """P(y | x) = e^epsilon / (e^epsilon + n - 1) for y = x, else 1 / (e^epsilon + n - 1).

    The weights are integers, so the loss is the logarithm of their ratio and no more. Source: Kairouz, Oh
    and Viswanath 2014, section 2; proof: privacy/proofs/randomized_response.md.
    """

    name: ClassVar[str] = "randomized-response"
    vocabulary: Vocabulary
    weights: TwoLevelWeights
    guarantee: PureDP

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"epsilon": self.guarantee.epsilon}

    @property
    def base_mass(self) -> float:
        return self.weights.base_mass

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return flip(checked_ids(ids, len(self.vocabulary)), self.weights, resolve(rng))

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        row = np.full(self.weights.size, self.weights.outside / self.weights.total)
        row[checked_word_id(word_id, self.weights.size)] = self.weights.inside / self.weights.total
        return row

    def integer_weights(self, ids: Ids) -> Integers:
        return self.weights.rows(checked_ids(ids, len(self.vocabulary))[:, None])

    def over_base(self) -> OverBase:
        weights, words = self.weights, np.arange(self.weights.size)
        extra = weights.inside - weights.outside
        entries = iter([RaisedEntries(words, words, np.ones_like(words))] if extra else [])
        return OverBase(np.full(weights.size, weights.outside), extra, entries)

    def columns(self, outputs: Ids) -> Columns:
        weights = self.weights
        words = checked_ids(outputs, weights.size)
        ratios = np.full(len(words), math.log(weights.inside / weights.outside))
        least = np.full(len(words), math.log(weights.outside / weights.total))
        return Columns(np.arange(len(words) + 1), words, ratios, least)


@proved(
    family="channel",
    notion="pure DP",
    proof=PROOF,
    source="Warner 1965; Kairouz, Oh and Viswanath 2014, section 2",
    summary="Keeps the word with weight e^epsilon, else any other with weight 1.",
)
def randomized_response(vocabulary: Vocabulary, *, epsilon: Epsilon) -> RandomizedResponse:
    """Randomized response at ``epsilon`` nats for any two words."""
    weights = two_level_weights(size=len(vocabulary), members=1, epsilon=epsilon)
    promise = PureDP(epsilon=weights.stated(epsilon), status=status_of(__name__, PROOF), source=PROOF)
    return RandomizedResponse(vocabulary, weights, promise)
