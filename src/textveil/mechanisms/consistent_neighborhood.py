"""Neighborhood response that replaces alike what recurs: words that a document's release holds already weigh more."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, NeighborhoodSize, checked_bounds, checked_ids
from textveil.mechanisms.raised_rows import NeighborRows, best_neighborhood_size
from textveil.numerics.integer_weights import TwoLevelWeights, two_level_weights
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.randomness import resolve
from textveil.registry.options import NEIGHBORHOODS, Option, at_least
from textveil.types import Ids, Integers
from textveil.vocabulary.tables.public import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/sequence.md"
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

    At a place of a document, let c(y) = 1 + copies where y is among the last ``recent`` different words that the
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
    proof=PROOF,
    source=f"{PROOF}; neighborhoods: privacy/proofs/neighborhood.md",
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
    promise = PureDP(epsilon=weights.stated(epsilon), status=status_of(__name__, PROOF), source=PROOF)
    return ConsistentNeighborhood(vocabulary, weights, recent, copies, promise, NeighborRows(vocabulary, chosen))
