"""Neighborhood response: a word and its nearest are raised by at most e^epsilon over public base weights.

``consistent_neighborhood`` replaces alike what recurs: words that a document's release holds already weigh more.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.contextual_neighborhood import ContextualNeighborhood, reading_releases
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, NeighborhoodSize, Prior, checked_bounds, checked_ids, checked_word_id
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
from textveil.registry.options import FRACTION, NEIGHBORHOODS, Domain, Option, at_least, interval, named
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.facts import WordFrequencies, word_frequencies
from textveil.vocabulary.public_tables import PublicTable
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
    """The mechanism with these weights; less than ``epsilon`` is stated if the weights spend less.

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


SEQUENCE_PROOF = "privacy/proofs/sequence.md"
_SIDE_BY_SIDE = 1024  # documents that are drawn together: the rows of a step take 4 MB at 67 words a row
_NONE = -1


class Recent:
    """The last different words that several documents released."""

    def __init__(self, documents: int, size: int) -> None:
        self.words = np.full((documents, size), _NONE, dtype=np.int64)
        self.seen = np.zeros(documents, dtype=np.int64)

    @property
    def held(self) -> Integers:
        """Number of words that each document remembers, shape (documents,)."""
        return np.minimum(self.seen, self.words.shape[1])

    def add(self, released: Ids) -> None:
        """Remember one more released word of each of the first documents; the oldest is forgotten for it."""
        count, size = len(released), self.words.shape[1]
        new = np.flatnonzero(~(self.words[:count] == released[:, None]).any(axis=1))
        self.words[new, self.seen[new] % size] = released[new]
        self.seen[new] += 1


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class ConsistentNeighborhood:
    """Neighborhood response on a list in which each of the last words released stands ``copies`` more times.

    At a place of a document, let c(y) = 1 + copies if y is among the last ``recent`` different words that the
    document released, else 1. Every word y has weight c(y) b. The row of x raises m copies of words from b to a:
    those of x first, then of its neighbors released lately, then of its other neighbors, each by id; of the last
    word perhaps some copies. So every row has the total b sum of c + m (a - b), every weight lies in [c(y) b, c(y)
    a], and the loss is ln(a / b) for any two words, given the outputs before. Proof: privacy/proofs/sequence.md.

    A word that recurs is likely to be replaced by what replaced it before. The price: words of the release are
    likelier everywhere in it, all together by at most copies * recent / (n + copies * recent) of a row's common
    part.
    """

    name: ClassVar[str] = "consistent-neighborhood"
    vocabulary: Vocabulary
    weights: TwoLevelWeights  # the two integers a and b, for rows of m copies raised among at most n + copies * recent
    recent: int  # words that are remembered, >= 1
    copies: int  # how many more times a remembered word stands in the list, >= 1
    guarantee: PureDP
    rows: NeighborRows = field(repr=False)

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {
            "epsilon": self.guarantee.epsilon,
            "neighborhood_size": self.weights.members,
            "recent": self.recent,
            "copies": self.copies,
        }

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        return (self.rows.table,)

    def privatize_documents(self, ids: Ids, bounds: Integers, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``SequenceMechanism.privatize_documents``."""
        words = checked_ids(ids, len(self.vocabulary))
        edges = checked_bounds(bounds, len(words))
        generator = resolve(rng)
        out = np.empty(len(words), dtype=np.int64)
        lengths = np.diff(edges)
        longest_first = np.argsort(-lengths, kind="stable")
        for first in range(0, len(lengths), _SIDE_BY_SIDE):
            documents = longest_first[first : first + _SIDE_BY_SIDE]
            starts, sizes = edges[:-1][documents], lengths[documents]
            recent = Recent(len(documents), self.recent)
            for place in range(int(sizes[0])):
                at = starts[: np.count_nonzero(sizes > place)] + place
                out[at] = self._drawn(words[at], recent, generator)
                recent.add(out[at])
        return out

    def integer_weights_after(self, past: Ids, ids: Ids) -> Integers:
        words = checked_ids(ids, len(self.vocabulary))
        recent = Recent(1, self.recent)
        for released in checked_ids(past, len(self.vocabulary)):
            recent.add(np.array([released]))
        weights = self.weights
        out = np.full((len(words), len(self.vocabulary)), weights.outside, dtype=np.int64)
        held = recent.words[0, : recent.held[0]]
        out[:, held] += self.copies * weights.outside
        members, ends = self.raised(words, np.repeat(recent.words, len(words), axis=0))
        raised = np.diff(np.minimum(ends, weights.members), prepend=0, axis=1)
        np.put_along_axis(
            out, members, np.take_along_axis(out, members, 1) + raised * (weights.inside - weights.outside), 1
        )
        return out

    def _drawn(self, words: Ids, recent: Recent, rng: np.random.Generator) -> Ids:
        """The next word of each of the first documents: one uniform integer below the row's total each."""
        size, weights = len(self.vocabulary), self.weights
        extra = weights.inside - weights.outside
        listed = size + self.copies * recent.held[: len(words)]
        uniform = rng.integers(0, (listed << weights.shift) + weights.members * extra, dtype=np.int64)
        out = uniform >> weights.shift
        copied = np.flatnonzero((out >= size) & (out < listed))
        out[copied] = recent.words[copied, (out[copied] - size) // self.copies]
        raised = np.flatnonzero(uniform >= listed << weights.shift)
        if len(raised):
            copy = (uniform[raised] - (listed[raised] << weights.shift)) // extra
            members, ends = self.raised(words[raised], recent.words[raised])
            out[raised] = members[np.arange(len(raised)), (ends <= copy[:, None]).sum(axis=1)]
        return out

    def raised(self, words: Ids, recent: Ids) -> tuple[Ids, Integers]:
        """The words whose copies are raised, in order, and how many copies are raised up to each; shapes (batch, m).

        The first m copies are: ends above m are cut there.
        """
        size, count = len(self.vocabulary), self.weights.members
        every = np.tile(np.arange(count), len(words))
        members = self.rows.members(np.repeat(words, count), every).reshape(len(words), count)
        rows = size * np.arange(len(words))[:, None]
        lately: NDArray[np.bool_] = np.isin(members + rows, (recent + rows)[recent != _NONE])
        rank = np.where(members == words[:, None], 0, np.where(lately, 1, 2))
        order = np.argsort(members + size * rank, axis=1)
        ends = np.cumsum(1 + self.copies * np.take_along_axis(lately, order, 1), axis=1)
        return np.take_along_axis(members, order, 1), ends


@proved(
    family="sequence",
    notion="pure DP",
    proof=SEQUENCE_PROOF,
    source=f"{SEQUENCE_PROOF}; neighborhoods: privacy/proofs/neighborhood.md",
    summary="Neighborhood response; words released before in the document weigh more.",
)
def consistent_neighborhood(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    neighborhood_size: NeighborhoodSize | None = None,
    recent: Annotated[
        int, Option(at_least(1), "How many of the last released words of a document weigh more.", "N", NEIGHBORHOODS)
    ] = 32,
    copies: Annotated[int, Option(at_least(1), "How many more times such a word is listed.", "N", NEIGHBORHOODS)] = 64,
) -> ConsistentNeighborhood:
    """Neighborhood response that favors words released before, at ``epsilon`` nats for any two words at one place.

    ``best_neighborhood_size`` chooses what is not given.

    Raises:
        ParameterError: an option is outside its domain, or the weights do not fit.
    """
    chosen = best_neighborhood_size(vocabulary, epsilon) if neighborhood_size is None else int(neighborhood_size)
    size = len(vocabulary)
    need(1 <= chosen <= size, "neighborhood_size", chosen, f"between 1 and the {size} words of the vocabulary")
    need(recent * copies <= 2**40, "recent times copies", recent * copies, "at most 2^40")
    weights = two_level_weights(size=size + copies * recent, members=chosen, epsilon=epsilon)
    promise = PureDP(epsilon=weights.stated(epsilon), status=status_of(__name__, SEQUENCE_PROOF), source=SEQUENCE_PROOF)
    return ConsistentNeighborhood(vocabulary, weights, recent, copies, promise, NeighborRows(vocabulary, chosen))
