"""Neighborhood response: the m nearest words of x get weight e^epsilon, all others weight 1."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.base import checked_ids, checked_word_id
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Epsilon, NeighborhoodSize
from textveil.mechanisms.sampling.neighbor_rows import NeighborRows
from textveil.numerics.integer_weights import TwoLevelWeights, two_level_weights
from textveil.privacy.guarantees import PureDP, Status
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.geometry import mean_neighbor_similarity
from textveil.vocabulary.tables.public import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/neighborhood.md"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Neighborhood:
    """P(y | x) = e^epsilon / T for y in S(x), else 1 / T, with T = m e^epsilon + n - m.

    S(x) is x and the words of greatest cosine with it, m in all. T does not depend on x, so the loss is
    epsilon for any two words whatever the sets are. The weights are integers.
    Proof: privacy/proofs/neighborhood.md.

    Attributes:
        vocabulary: the public words.
        weights: the integers that are sampled; ``weights.members`` is m.
        guarantee: pure DP for any two words.
    """

    vocabulary: Vocabulary
    weights: TwoLevelWeights
    guarantee: PureDP
    _rows: NeighborRows = field(repr=False)

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "neighborhood"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        return {"epsilon": self.guarantee.epsilon, "neighborhood_size": self.weights.members}

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        """See ``capabilities.Tabulated``."""
        return (self._rows.table,)

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``WordMechanism.privatize``."""
        words = checked_ids(ids, len(self.vocabulary))
        uniform, member = self.weights.draw(len(words), resolve(rng))
        raised = (uniform < 0).nonzero()[0]
        uniform[raised] = self._rows.members(words[raised], member[raised])
        return uniform

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        weights = self.weights
        word = checked_word_id(word_id, weights.size)
        row = np.full(weights.size, weights.outside / weights.total)
        everyone = np.arange(weights.members)
        row[self._rows.members(np.full(weights.members, word), everyone)] = weights.inside / weights.total
        return row

    def integer_weights(self, ids: Ids) -> Integers:
        """See ``capabilities.IntegerWeights``."""
        words, size = checked_ids(ids, len(self.vocabulary)), self.weights.members
        members = self._rows.members(np.repeat(words, size), np.tile(np.arange(size), len(words)))
        return self.weights.rows(members.reshape(len(words), size))


def best_neighborhood_size(vocabulary: Vocabulary, epsilon: float) -> int:
    """The m that maximizes the mean cosine between a word and its output, over a public grid of sizes.

    With T(m) the mean over words of the sum of cosines of the m nearest, the mean cosine of the output is
    (T(n) + (e^epsilon - 1) T(m)) / (m e^epsilon + n - m).
    It depends on the public vectors and on epsilon only.
    """
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    sizes, sums = mean_neighbor_similarity(vocabulary)
    gain = math.expm1(min(epsilon, 40.0))
    means = (sums[-1] + gain * sums) / (sizes * (gain + 1) + (len(vocabulary) - sizes))
    return int(sizes[int(np.argmax(means))])


@declared(
    family="channel",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    source=f"{PROOF}; extremal shape: Kairouz, Oh and Viswanath 2014",
    summary="The m nearest words get weight e^epsilon, all others weight 1.",
)
def neighborhood(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    neighborhood_size: NeighborhoodSize | None = None,
) -> Neighborhood:
    """Neighborhood response at ``epsilon`` nats for any two words.

    Args:
        vocabulary: public words and vectors.
        epsilon: nats, finite and > 0.
        neighborhood_size: m, the word itself included; None chooses it by ``best_neighborhood_size``.

    Raises:
        ParameterError: epsilon is not finite and > 0, or m is not between 1 and the number of words.
    """
    if neighborhood_size is None:
        neighborhood_size = best_neighborhood_size(vocabulary, epsilon)
    need(
        1 <= neighborhood_size <= len(vocabulary),
        "neighborhood_size",
        neighborhood_size,
        f"between 1 and the {len(vocabulary)} words of the vocabulary",
    )
    weights = two_level_weights(size=len(vocabulary), members=neighborhood_size, epsilon=epsilon)
    promise = PureDP(epsilon=weights.stated(epsilon), status=Status.PROVED, source=PROOF)
    rows = NeighborRows(vocabulary, weights.members)
    return Neighborhood(vocabulary, weights, promise, rows)
