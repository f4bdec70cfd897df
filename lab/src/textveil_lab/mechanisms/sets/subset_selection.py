"""Subset selection: a random set of words that contains the true word with the largest probability."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, checked_ids
from textveil.numerics.integer_weights import TwoLevelWeights, two_level_weights
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.randomness import resolve
from textveil.registry.options import Option, at_least
from textveil.types import Ids, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import REPRESENTATIONS
from textveil_lab.noise.integer_noise import BoundedLoss

PROOF = "textveil_lab/proofs/subset_selection.md"

_SIZE = Option(
    at_least(1),
    "Words of a set, fewer than the vocabulary has.",
    "S",
    REPRESENTATIONS,
    unset="words / (e^epsilon + 1), rounded, at least 1",
)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class SubsetSelection:
    """P(S | x) proportional to a if x is in S, else b, over all sets S of s words; integers with a / b <= e^epsilon.

    Source: Ye and Barg 2018; Wang et al. 2016; proof: textveil_lab/proofs/subset_selection.md.
    """

    name: ClassVar[str] = "subset-selection"
    vocabulary: Vocabulary
    weights: TwoLevelWeights  # the two integers; ``weights.members`` is s
    guarantee: PureDP

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"epsilon": self.guarantee.epsilon, "subset_size": self.weights.members}

    def privatize_sets(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """Return one set for each id; see ``SetMechanism.privatize_sets``.

        It contains the word with probability s a / (s a + (n - s) b); its other members are a uniform set of the other
        words.
        """
        words, source = checked_ids(ids, self.weights.size), resolve(rng)
        size, members = self.weights.size, self.weights.members
        inside = source.integers(0, self.weights.total, len(words)) < members * self.weights.inside
        out = np.empty((len(words), members), dtype=np.int64)
        for row, (word, kept) in enumerate(zip(words.tolist(), inside.tolist(), strict=True)):
            others = source.choice(size - 1, members - kept, replace=False, shuffle=False)
            others += others >= word
            out[row] = np.append(others, word) if kept else others
        out.sort(axis=1)
        return out

    def probability(self, members: Ids, word_id: int) -> Fraction:
        """Return P(S | word_id) of a set of words, exactly."""
        weight = self.weights.inside if word_id in members else self.weights.outside
        s, n = self.weights.members, self.weights.size
        return Fraction(weight * s, self.weights.total * math.comb(n - 1, s - 1))

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return two words; all pairs are equivalent. See ``capabilities.WorstInputs``."""
        return np.asarray(0), np.asarray(1)

    def worst_profile(self) -> BoundedLoss:
        """Return the profile: the loss is largest if the set holds one word and not the other."""
        size, members = self.weights.size, self.weights.members
        apart = self.weights.probability_inside * (size - members) / (size - 1)
        return BoundedLoss(largest_loss=self.weights.epsilon, log_probability=math.log(apart))

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        here, there = ((released == word).any(axis=1).astype(np.float64) for word in (first, second))
        return (here - there) * self.weights.epsilon


@proved(
    family="sets",
    notion="pure DP",
    proof=PROOF,
    source="Ye and Barg 2018; Wang et al. 2016",
    summary="Releases a set of words for each word; sets that hold it have weight e^epsilon, the others 1.",
)
def subset_selection(
    vocabulary: Vocabulary, *, epsilon: Epsilon, subset_size: Annotated[int, _SIZE] | None = None
) -> SubsetSelection:
    """Subset selection at ``epsilon`` nats for any two words.

    The best ``subset_size`` for counting is words / (e^epsilon + 1).
    """
    size = len(vocabulary)
    best = max(1, min(size - 1, round(size / (math.exp(min(epsilon, 700.0)) + 1))))
    chosen = best if subset_size is None else subset_size
    need(1 <= chosen < size, "subset_size", chosen, f"between 1 and {size - 1}, below the {size} words")
    weights = two_level_weights(size=size, members=chosen, epsilon=epsilon)
    promise = PureDP(epsilon=weights.stated(epsilon), status=status_of(__name__, PROOF), source=PROOF)
    return SubsetSelection(vocabulary, weights, promise)
