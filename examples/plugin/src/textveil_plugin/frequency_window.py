"""A channel: the words that are about as frequent as x get weight e^epsilon, all others weight 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, final

import numpy as np

import textveil as tv
from textveil.errors import need
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.kinds import Epsilon, checked_ids, checked_word_id
from textveil.numerics.integer_weights import TwoLevelWeights, two_level_weights
from textveil.randomness import resolve
from textveil.registry.options import NEIGHBORHOODS, Option, at_least
from textveil.types import Ids, Integers, Reals

PROOF = "textveil_plugin/proofs/frequency_window.md"


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class FrequencyWindow:
    """P(y | x) = e^epsilon / T for y in W(x), else 1 / T, with T = m e^epsilon + n - m.

    W(x) is a window of m words around x in the order of the vocabulary, which is by frequency: the output is about
    as frequent as the input, whatever either means. Proof: proofs/frequency_window.md.

    Attributes:
        vocabulary: the public words, the most frequent first.
        weights: the two integers that are sampled; ``weights.members`` is m.
        guarantee: pure DP for any two words.
    """

    vocabulary: tv.Vocabulary
    weights: TwoLevelWeights
    guarantee: tv.PureDP

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "frequency-window"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        return {"epsilon": self.guarantee.epsilon, "window": self.weights.members}

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; shape (batch,) to (batch,)."""
        words = checked_ids(ids, len(self.vocabulary))
        uniform, member = self.weights.draw(len(words), resolve(rng))
        return np.where(uniform < 0, self._first(words) + member, uniform)

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        weights = self.integer_weights(np.array([checked_word_id(word_id, len(self.vocabulary))]))[0]
        return weights / float(weights.sum())

    def integer_weights(self, ids: Ids) -> Integers:
        """The weights that draws use, shape (batch, n): with them an audit of the channel is exact."""
        first = self._first(checked_ids(ids, len(self.vocabulary)))
        return self.weights.rows(first[:, None] + np.arange(self.weights.members))

    def _first(self, words: Ids) -> Ids:
        """The first word of each window: m / 2 before the word, but never past an end of the vocabulary."""
        return np.clip(words - self.weights.members // 2, 0, len(self.vocabulary) - self.weights.members)


WINDOW = Option(
    domain=at_least(1),
    help="Words of about the same frequency that get the larger weight, the word itself included.",
    metavar="M",
    group=NEIGHBORHOODS,
)


@declared(
    family="channel",
    notion="pure DP",
    status=tv.Status.PROVED,
    proof=PROOF,
    source="textveil_plugin",
    summary="The m words of nearest frequency get weight e^epsilon, all others weight 1.",
)
def frequency_window(
    vocabulary: tv.Vocabulary, *, epsilon: Epsilon, window: Annotated[int, WINDOW] = 10
) -> FrequencyWindow:
    """The channel at ``epsilon`` nats for any two words.

    Args:
        vocabulary: public words, the most frequent first.
        epsilon: nats, finite and > 0.
        window: m, at most the number of words.

    Raises:
        ParameterError: an option is outside its domain.
    """
    size = len(vocabulary)
    need(window <= size, "window", window, f"at most {size}, the words of the vocabulary")
    weights = two_level_weights(size=size, members=window, epsilon=epsilon)
    promise = tv.PureDP(epsilon=weights.stated(epsilon), status=tv.Status.PROVED, source=PROOF)
    return FrequencyWindow(vocabulary, weights, promise)
