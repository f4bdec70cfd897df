"""What the releases of a document say about its next word: a hidden Markov filter whose states are words.

Transitions are a public language model, emissions the channel itself. Two memories stand beside the model: words that
the document probably held lately are likely to recur, and so are words near those that were released. All of it is
approximate, which costs quality and never privacy: it looks at outputs and at public facts alone.

Every number of a document comes from elementwise arithmetic and from sums in an order of its own, so it does not
depend, to the last bit, on which documents stand beside it, on threads or on the processor.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.nearest_in_order import NearestInOrder
from textveil.mechanisms.sequence.continuation_lists import ContinuationLists, continuation_lists
from textveil.mechanisms.sequence.places import DocumentPlaces
from textveil.models.base import ContinuationModel, boundary_id
from textveil.numerics.growing_weights import GrowingWeights
from textveil.types import Ids, Integers, Reals

STATES: Final = 8
"""Words that are kept as states after each release: the likeliest."""

SEEN: Final = 0.05
NEAR: Final = 0.05
"""Parts of the prediction that recur and that are near what was released; the model has the rest."""

LEAST: Final = 4e-5
"""Chances below this are not followed one by one."""

_LEAST_STATE: Final = 1 / 512
_LEAST_REST: Final = 1e-3
_LEAST_SEEN: Final = 0.05
_REMEMBERED: Final = 32
"""Places that are remembered: two likely words of each."""

_RELEASED: Final = 12
_AROUND: Final = 40
"""Content words released last, and how many near each are thought of."""

_CANDIDATES: Final = 96
_WEIGHED: Final = 24
"""Possible inputs of an output that are looked at, the most frequent ones, and those whose likelihood is computed."""

_FREQUENT: Final = 300
"""Words that say nothing about their neighborhood: the most frequent ones."""


class Predicted(NamedTuple):
    """The likely next words of several documents.

    Attributes:
        documents: rising, shape (likely,).
        words: each once for a document, shape (likely,).
        chances: of these words, > 0, shape (likely,).
        rest: every other word w has ``rest * unigram[w]``, shape (documents,).
    """

    documents: Ids
    words: Ids
    chances: Reals
    rest: Reals


class PossibleInputs(NamedTuple):
    """For every output, other words that can be its input.

    Attributes:
        words: by falling base weight, -1 behind the last, shape (n, width).
        ranks: at which place of that word's order the output stands, shape (n, width).
    """

    words: NDArray[np.int32]
    ranks: NDArray[np.int16]


class FilterTables(NamedTuple):
    """Everything public that the filter reads.

    Attributes:
        lists: of the language model.
        inputs: of every output.
        around: nearest words of every word, shape (n, around).
        shares: how likely each of those is beside the others, sums 1, shape (n, around).
        topical: words that are remembered and looked around: no names, none of the most frequent.
        memorable: words that can be lent slots.
    """

    lists: ContinuationLists
    inputs: PossibleInputs
    around: Ids
    shares: Reals
    topical: NDArray[np.bool_]
    memorable: NDArray[np.bool_]


@final
class WordFilter:
    """A filter for documents of one vocabulary; its tables are made when first asked for.

    Args:
        model: of the same words.
        weights: of the channel.
        order: nearest words.
    """

    def __init__(self, model: ContinuationModel, weights: GrowingWeights, order: NearestInOrder) -> None:
        self.model, self.weights, self.order = model, weights, order
        self._tables: FilterTables | None = None
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return WordFilter, (self.model, self.weights, self.order)

    @property
    def tables(self) -> FilterTables:
        """The tables; some seconds when first asked for."""
        with self._lock:
            if self._tables is None:
                self._tables = _filter_tables(self.model, self.weights, self.order)
            return self._tables

    def follow(self, documents: int) -> Followed:
        """Begin with so many documents, nothing released yet."""
        return Followed(self.tables, boundary_id(self.model.size), documents)


@final
class Followed:
    """What is believed of several documents, the first of which go on longest.

    Args:
        tables: public.
        boundary: the state before the first word.
        documents: how many.
    """

    def __init__(self, tables: FilterTables, boundary: int, documents: int) -> None:
        size = len(tables.lists.unigram)
        self._tables, self._size, self._place = tables, size, 0
        self._chances = np.zeros(documents * size)
        self._last: NDArray[np.int32] = np.zeros(documents * size, dtype=np.int32)
        self._keys: Integers = np.empty(0, dtype=np.int64)
        self._listed = self._rest = np.zeros(documents)
        # States: whose, which word, how likely; by document, the likeliest first.
        self._documents: Integers = np.arange(documents)
        self._words: Ids = np.full(documents, boundary)
        self._weights: Reals = np.ones(documents)
        self._seen = np.zeros((documents, 2 * _REMEMBERED), dtype=np.int64)
        self._seen_weights = np.zeros((documents, 2 * _REMEMBERED))
        self._released = np.full((documents, _RELEASED), -1, dtype=np.int64)
        self._count = np.zeros(documents, dtype=np.int64)

    def predicted(self, documents: int) -> Predicted:
        """The likely next words of the first ``documents``."""
        lists, kept = self._tables.lists, self._documents < documents
        self._documents, self._words, self._weights = self._documents[kept], self._words[kept], self._weights[kept]
        listed = lists.likely(self._words, self._weights * (1 - SEEN - NEAR), LEAST)
        parts = [(self._documents[listed.lists], listed.words, listed.chances)]
        if self._place:
            parts += [self._recurring(documents), self._nearby(documents)]
        whose, words, chances = (np.concatenate(column) for column in zip(*parts, strict=True))
        self._rest = np.maximum(1 - np.bincount(whose, weights=chances, minlength=documents), _LEAST_REST)
        keys = whose * self._size + words
        np.add.at(self._chances, keys, chances)
        # Each word of a document once: where it was written last.
        number = np.arange(len(keys))
        self._last[keys] = number
        once = (self._last[keys] == number).nonzero()[0]
        once = once[np.argsort(whose[once].astype(np.int16), kind="stable")]
        self._keys, whose, words = keys[once], whose[once], words[once]
        self._listed = self._chances[self._keys] + self._rest[whose] * lists.unigram[words]
        return Predicted(whose, words, self._listed, self._rest)

    def chances(self, words: Ids) -> Reals:
        """How likely one word of each of the first documents is at its next place, after ``predicted``."""
        return self._chance(np.arange(len(words)), words)

    def released(self, outputs: Ids, places: DocumentPlaces) -> None:
        """Learn what the first documents released at these places."""
        every = np.arange(len(outputs))[:, None]
        inputs, chances, ratios = self._likely_inputs(outputs, places)
        joint = chances * ratios
        scale = 1 + np.cumsum(joint, axis=1)[:, -1]  # what every word has at least, and what these have beyond it
        posterior = (chances + joint) / scale[:, None]
        # Listed words that are no such inputs keep their chance.
        self._chances[(every * self._size + inputs)[chances > 0]] = 0
        whose = self._keys // self._size
        plain = self._listed / scale[whose]
        others = ((plain >= _LEAST_STATE) & (self._chances[self._keys] > 0)).nonzero()[0]
        some = (posterior >= _LEAST_STATE).nonzero()
        self._believe(
            np.concatenate([some[0], whose[others]]),
            np.concatenate([inputs[some], self._keys[others] % self._size]),
            np.concatenate([posterior[some], plain[others]]),
        )
        self._chances[self._keys] = 0
        self._remember(outputs, inputs, posterior)
        self._place += 1

    def _likely_inputs(self, outputs: Ids, places: DocumentPlaces) -> tuple[Ids, Reals, Reals]:
        """For each output itself and its likeliest other inputs: how likely they were, and by what ratio they raise it.

        Words that stand there for want of others have chance 0.
        """
        inputs = self._tables.inputs
        every, fixed = np.arange(len(outputs))[:, None], places.weights.fixed
        words, ranks = inputs.words[outputs].astype(np.int64), inputs.ranks[outputs].astype(np.int64)
        none = (words < 0) | (places.gains(every, words) >= fixed.row_gain)
        words[none] = 0
        chances = np.where(none, 0.0, self._chance(every, words))
        if words.shape[1] > _WEIGHED:
            best = np.argpartition(-chances, _WEIGHED - 1, axis=1)[:, :_WEIGHED]
            words, ranks, chances = (np.take_along_axis(table, best, 1) for table in (words, ranks, chances))
        ratios = places.raised(words, np.maximum(ranks, 1), outputs)
        return (
            np.hstack([outputs[:, None], words]),
            np.hstack([self._chance(every, outputs[:, None]), chances]),
            np.hstack([places.kept(outputs)[:, None], ratios]),
        )

    def _chance(self, documents: Ids, words: Ids) -> Reals:
        """How likely words were at this place, shape as ``words``."""
        return self._chances[documents * self._size + words] + self._rest[documents] * self._tables.lists.unigram[words]

    def _believe(self, documents: Ids, words: Ids, weights: Reals) -> None:
        """Keep the likeliest words of each document as its states."""
        order = np.lexsort((words, -weights, documents))
        whose = documents[order]
        kept = order[np.arange(len(whose)) - np.searchsorted(whose, whose) < STATES]
        self._documents, self._words, self._weights = documents[kept], words[kept], weights[kept]

    def _remember(self, outputs: Ids, inputs: Ids, posterior: Reals) -> None:
        """Keep two likely words of this place, and the output where it says something about others."""
        documents, tables = len(outputs), self._tables
        best = np.argsort(-posterior, axis=1, kind="stable")[:, :2]
        words, weights = np.take_along_axis(inputs, best, 1), np.take_along_axis(posterior, best, 1)
        at = 2 * (self._place % _REMEMBERED)
        width = words.shape[1]
        self._seen[:documents, at : at + width] = words
        self._seen_weights[:documents, at : at + width] = np.where(
            tables.memorable[words] & (weights >= _LEAST_SEEN), weights, 0
        )
        telling = tables.topical[outputs].nonzero()[0]
        self._released[telling, self._count[telling] % _RELEASED] = outputs[telling]
        self._count[telling] += 1

    def _recurring(self, documents: int) -> tuple[Ids, Ids, Reals]:
        """Words that the documents probably held lately."""
        weights = self._seen_weights[:documents]
        whose, at = weights.nonzero()
        return whose, self._seen[whose, at], weights[whose, at] * (SEEN / min(self._place, _REMEMBERED))

    def _nearby(self, documents: int) -> tuple[Ids, Ids, Reals]:
        """Words near those that the documents released lately."""
        whose, at = (self._released[:documents] >= 0).nonzero()
        words = self._released[whose, at]
        part = NEAR / np.minimum(self._count[whose], _RELEASED)
        around, shares = self._tables.around[words], self._tables.shares[words] * part[:, None]
        return np.repeat(whose, around.shape[1]), around.reshape(-1), shares.reshape(-1)


def _filter_tables(model: ContinuationModel, weights: GrowingWeights, order: NearestInOrder) -> FilterTables:
    lists = continuation_lists(model)
    size = model.size
    memorable = weights.room > 0
    frequent = np.argsort(-lists.unigram, kind="stable")[: min(_FREQUENT, size // 2)]
    topical = memorable.copy()
    topical[frequent] = False
    around = order.first(np.arange(size), min(_AROUND + 1, order.near))[:, 1:]
    shares = np.sqrt(lists.unigram[around])
    shares /= np.cumsum(shares, axis=1)[:, -1:]
    return FilterTables(lists, _inputs(weights, order), around, shares, topical, memorable)


def _inputs(weights: GrowingWeights, order: NearestInOrder) -> PossibleInputs:
    """The inputs of every output: those whose row would reach it if nothing were lent; more slots end rows earlier."""
    fixed = weights.fixed
    size, near = fixed.size, order.near
    by_weight = np.empty(size, dtype=np.int64)
    by_weight[np.argsort(-fixed.counts, kind="stable")] = np.arange(size)
    rows_before = []
    for start in range(0, size, 4096):
        words = np.arange(start, min(start + 4096, size))
        outputs = order.first(words, near)
        gains = fixed.gains[outputs]
        reached = np.cumsum(gains, axis=1) - gains < fixed.row_gain
        reached[:, 0] = False
        row, rank = reached.nonzero()
        rows_before.append(np.stack([outputs[row, rank], words[row], rank]))
    outputs, inputs, ranks = np.concatenate(rows_before, axis=1)
    sorted_ = np.argsort(outputs * size + by_weight[inputs])
    outputs, inputs, ranks = outputs[sorted_], inputs[sorted_], ranks[sorted_]
    column = np.arange(len(outputs)) - np.searchsorted(outputs, outputs)
    kept = (column < _CANDIDATES).nonzero()[0]
    width = int(column[kept].max(initial=0)) + 1
    known: NDArray[np.int32] = np.full((size, width), -1, dtype=np.int32)
    places: NDArray[np.int16] = np.zeros((size, width), dtype=np.int16)
    known[outputs[kept], column[kept]] = inputs[kept]
    places[outputs[kept], column[kept]] = ranks[kept]
    return PossibleInputs(known, places)
