"""Neighborhood response: a word and its nearest are raised by at most e^epsilon over public base weights."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np

from textveil.errors import need
from textveil.mechanisms.contextual_neighborhood import ContextualNeighborhood, reading_releases
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, NeighborhoodSize, Prior, checked_ids, checked_word_id
from textveil.mechanisms.raised_rows import ByCosine, NeighborRows, NestedOrder
from textveil.mechanisms.raised_rows import best_neighborhood_size as best_neighborhood_size
from textveil.mechanisms.raised_table import ExcessRows
from textveil.mechanisms.weight_shares import capped_shares, weight_choice
from textveil.numerics.base_weights import BaseWeights
from textveil.numerics.base_weights import base_weights as integer_base_weights
from textveil.numerics.integer_weights import TwoLevelWeights, stated_epsilon, two_level_weights
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of, status_under
from textveil.randomness import resolve
from textveil.registry.options import FRACTION, NEIGHBORHOODS, Domain, Option, interval, named
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.facts import WordFrequencies, word_frequencies
from textveil.vocabulary.tables.public import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary

WEIGHTED_PROOF = "privacy/proofs/weighted_neighborhood.md"


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class WeightedNeighborhood:
    """P(y | x) = w(x, y) / T with b(y) <= w(x, y) <= b(y) e^epsilon, the same total T for every x.

    Starting from x and going on by falling cosine, words are raised from b(y) to at most b(y) e^epsilon until what
    every row adds is spent; the last one takes what is left. The loss is epsilon for any two words, whatever the base
    weights and the order are. All weights are integers. Proof: privacy/proofs/weighted_neighborhood.md.
    """

    name: ClassVar[str] = "neighborhood"
    vocabulary: Vocabulary
    weights: BaseWeights
    guarantee: PureDP
    parameters: Mapping[str, Any]
    rows: ExcessRows = field(repr=False)

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        return self.rows.tables

    @property
    def base_mass(self) -> float:
        return self.weights.base_mass

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        words = checked_ids(ids, len(self.vocabulary))
        out, above, raised = self.weights.draw(len(words), resolve(rng))
        out[above] = self.rows.drawn(words[above], raised)
        return out

    def integer_weights(self, ids: Ids) -> Integers:
        """See ``capabilities.IntegerWeights``; every row has the same sum."""
        words = checked_ids(ids, len(self.vocabulary))
        distinct, places = np.unique(words, return_inverse=True)
        out = np.tile(self.weights.base, (len(distinct), 1))
        for entries in self.rows.entries_of(distinct):
            out[distinct.searchsorted(entries.inputs), entries.outputs] += entries.gains * self.weights.unit
        return out if np.array_equal(distinct, words) else out[places]

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        word = checked_word_id(word_id, len(self.vocabulary))
        return self.integer_weights(np.array([word]))[0] / float(self.weights.total)


def weighted_neighborhood(
    vocabulary: Vocabulary,
    weights: BaseWeights,
    *,
    epsilon: float,
    parameters: Mapping[str, Any],
    order: NestedOrder | None = None,
    proof: str = WEIGHTED_PROOF,
) -> WeightedNeighborhood:
    """The mechanism with these weights; less than ``epsilon`` is stated where the weights spend less.

    Words are raised by falling cosine, or in the ``order`` that is given.
    """
    promise = PureDP(epsilon=stated_epsilon(weights.epsilon, epsilon), status=status_under(proof), source=proof)
    public = {"epsilon": promise.epsilon, **parameters}
    order = ByCosine(vocabulary) if order is None else order
    rows = ExcessRows(vocabulary, weights, order=order)
    return WeightedNeighborhood(vocabulary, weights, promise, public, rows)


PROOF = "privacy/proofs/neighborhood.md"


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Neighborhood:
    """P(y | x) = e^epsilon / T for y in S(x), else 1 / T, with T = m e^epsilon + n - m.

    S(x) is x and the words of greatest cosine with it, m in all. T does not depend on x, so the loss is
    epsilon for any two words whatever the sets are. The weights are integers.
    Proof: privacy/proofs/neighborhood.md.
    """

    name: ClassVar[str] = "neighborhood"
    vocabulary: Vocabulary
    weights: TwoLevelWeights  # the integers that are sampled; `weights.members` is m
    guarantee: PureDP
    rows: NeighborRows = field(repr=False)

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"epsilon": self.guarantee.epsilon, "base_weights": "flat", "neighborhood_size": self.weights.members}

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        return (self.rows.table,)

    @property
    def base_mass(self) -> float:
        return self.weights.base_mass

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        words = checked_ids(ids, len(self.vocabulary))
        uniform, member = self.weights.draw(len(words), resolve(rng))
        raised = (uniform < 0).nonzero()[0]
        uniform[raised] = self.rows.members(words[raised], member[raised])
        return uniform

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        weights = self.weights
        word = checked_word_id(word_id, weights.size)
        row = np.full(weights.size, weights.outside / weights.total)
        everyone = np.arange(weights.members)
        row[self.rows.members(np.full(weights.members, word), everyone)] = weights.inside / weights.total
        return row

    def integer_weights(self, ids: Ids) -> Integers:
        words, size = checked_ids(ids, len(self.vocabulary)), self.weights.members
        members = self.rows.members(np.repeat(words, size), np.tile(np.arange(size), len(words)))
        return self.weights.rows(members.reshape(len(words), size))


_BASE = Option(
    named("frequency", "flat"),
    "What words weigh before any is raised: a power of their public frequency, or all the same.",
    "NAME",
    NEIGHBORHOODS,
    unset="frequency, or flat where neighborhood_size is given",
)
_ALPHA = Option(
    Domain(
        "a multiple of 1/4 between 0 and 2",
        lambda value: 0 <= value <= 2 and float(4 * value).is_integer(),
        outside=(-0.25, 0.3, 2.25, math.nan),
    ),
    "Base weights grow with frequency to this power.",
    "A",
    NEIGHBORHOODS,
    unset="chosen for the vocabulary and epsilon",
)
_MASS = Option(
    FRACTION,
    "Probability of a draw by the base weights alone, which says nothing about the word.",
    "Q",
    NEIGHBORHOODS,
    unset="chosen for the vocabulary and epsilon",
)
_CONTEXT = Option(
    named("none", "released"),
    "What base weights follow beside frequency: nothing, or what a language model reads in earlier outputs.",
    "NAME",
    NEIGHBORHOODS,
    unset="none; released for a whole file",
)
_CONTEXT_WEIGHT = Option(
    interval("between 0 and 1,024", 0, 1024),
    "With context: how much weight the predicted words of a place get in all, the fixed weights being 1.",
    "C",
    NEIGHBORHOODS,
    unset="chosen for epsilon",
)


@proved(
    family="channel",
    notion="pure DP",
    proof=WEIGHTED_PROOF,
    source=f"{WEIGHTED_PROOF}; extremal shape: Kairouz, Oh and Viswanath 2014",
    summary="Raises a word and its nearest over public base weights by at most e^epsilon, every row by one sum.",
)
def neighborhood(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    neighborhood_size: NeighborhoodSize | None = None,
    base_weights: Annotated[str, _BASE] | None = None,
    prior: Prior | None = None,
    alpha: Annotated[float, _ALPHA] | None = None,
    base_mass: Annotated[float, _MASS] | None = None,
    context: Annotated[str, _CONTEXT] | None = None,
    context_weight: Annotated[float, _CONTEXT_WEIGHT] | None = None,
    progress: Progress | None = None,
) -> Neighborhood | WeightedNeighborhood | ContextualNeighborhood:
    """Neighborhood response at ``epsilon`` nats for any two words.

    ``base_mass`` is more than e^-epsilon; ``best_neighborhood_size`` and ``sampling.weight_shares`` choose what is
    not given.

    Raises:
        ParameterError: an option is outside its domain, or does not go with another.
        InputError: the file of word counts cannot be read.
    """
    if context == "released":
        need(neighborhood_size is None, "neighborhood_size", neighborhood_size, "None with context", "Leave it out.")
        need(base_weights != "flat", "base_weights", base_weights, "frequency with context", "Leave it out.")
        frequencies = word_frequencies(vocabulary, prior)
        return reading_releases(
            vocabulary, frequencies, epsilon=epsilon, alpha=alpha, base_mass=base_mass, context_weight=context_weight
        )
    need(context_weight is None, "context_weight", context_weight, "None without context", "Leave it out.")
    weighting = {"prior": prior, "alpha": alpha, "base_mass": base_mass}
    flat = base_weights == "flat" or (base_weights is None and neighborhood_size is not None)
    if not flat:
        need(neighborhood_size is None, "neighborhood_size", neighborhood_size, "None", "It needs flat base_weights.")
        return _weighted(vocabulary, epsilon, prior, alpha, base_mass, progress)
    for name, value in weighting.items():
        need(value is None, name, value, "None with flat base weights", "Leave it out.")
    if neighborhood_size is None:
        neighborhood_size = best_neighborhood_size(vocabulary, epsilon)
    wanted = f"between 1 and the {len(vocabulary)} words of the vocabulary"
    need(1 <= neighborhood_size <= len(vocabulary), "neighborhood_size", neighborhood_size, wanted)
    weights = two_level_weights(size=len(vocabulary), members=neighborhood_size, epsilon=epsilon)
    promise = PureDP(epsilon=weights.stated(epsilon), status=status_of(__name__, PROOF), source=PROOF)
    rows = NeighborRows(vocabulary, weights.members)
    return Neighborhood(vocabulary, weights, promise, rows)


def _weighted(
    vocabulary: Vocabulary,
    epsilon: float,
    prior: str | None,
    alpha: float | None,
    base_mass: float | None,
    progress: Progress | None,
) -> WeightedNeighborhood:
    frequencies = word_frequencies(vocabulary, prior)
    if alpha is None or base_mass is None:
        choice = weight_choice(vocabulary, frequencies, epsilon, progress)
        alpha = choice.alpha if alpha is None else alpha
        base_mass = choice.base_mass if base_mass is None else base_mass
    need(base_mass > math.exp(-epsilon), "base_mass", base_mass, f"more than e^-epsilon = {math.exp(-epsilon):.3g}")
    weights = _weights(frequencies.counts.tobytes(), frequencies.names.tobytes(), alpha, epsilon, base_mass)
    parameters = {
        "base_weights": "frequency",
        "prior": frequencies.source,
        "alpha": alpha,
        "base_mass": base_mass,
        "weights_digest": weights.digest[:16],
    }
    return weighted_neighborhood(vocabulary, weights, epsilon=epsilon, parameters=parameters)


@lru_cache(maxsize=4)
def _weights(counts: bytes, names: bytes, alpha: float, epsilon: float, base_mass: float) -> BaseWeights:
    """The integers, made once for mechanisms of equal settings: of public counts alone."""
    frequencies = WordFrequencies(np.frombuffer(counts, np.int64), np.frombuffer(names, np.bool_), "as it was")
    shares = capped_shares(frequencies, alpha=alpha, epsilon=epsilon, base_mass=base_mass)
    return integer_base_weights(shares, epsilon=epsilon, base_mass=base_mass)
