"""Infers the next word of a document from its releases: a hidden Markov filter whose states are words.

Transitions are a public language model, emissions the channel itself. Two memories stand beside the model: words that
the document probably held lately are likely to recur, and so are words near those that were released. All of it is
approximate, which costs quality and never privacy: it looks at outputs and at public facts alone.

Every number of a document comes from elementwise arithmetic and from sums in an order of its own, so it does not
depend, to the last bit, on which documents stand beside it, on threads or on the processor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.raised_rows import NearestInOrder
from textveil.models.language_model import ContinuationModel, boundary_id
from textveil.numerics.base_weights import GrowingWeights, Lent
from textveil.types import Ids, Integers, Reals

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_FIRST: Final = 8  # nearest words that are looked at first: most draws need no more
_WHOLE: Final = 32  # orders of all words that are made at once


class DocumentPlaces:
    """The places at which several documents stand, side by side.

    Args:
        weights: what holds at every place.
        order: the nearest words of each.
        find: where words of documents stand among those that are lent slots, -1 for others; shapes of the words.
    """

    def __init__(self, weights: GrowingWeights, order: NearestInOrder, find: Callable[[Any, Ids], Integers]) -> None:
        self.weights, self._order, self._find = weights, order, find
        self._slots: Integers = np.zeros(1, dtype=np.int64)
        self.lent = weights.lent(*(np.empty(0, dtype=np.int64),) * 3, 0)

    def move(self, lent: Lent) -> None:
        """Go on to the places where these slots are lent."""
        self._slots = np.append(lent.slots, 0)
        self.lent = lent

    def counts(self, documents: Any, words: Ids) -> Integers:
        """Slots of words at the documents' places, lent ones included; shapes of ``words``."""
        lent = self._slots.take(self._find(documents, words), mode="wrap")
        return self.weights.fixed.counts.take(words) + lent

    def gains(self, documents: Any, words: Ids) -> Integers:
        """Return what words may gain there, in units; shapes of ``words``."""
        return self.weights.gains(self.counts(documents, words))

    def draw(self, inputs: Ids, rng: np.random.Generator) -> Ids:
        """An output for the word of each document, shape (documents,)."""
        out, raised = self.weights.draw(self.lent, rng)
        left = (raised >= 0).nonzero()[0]
        for count in (min(_FIRST, self._order.near), *self._order.steps):
            left = self._drawn(out, left, raised, self._order.first(inputs[left], count))
        for start in range(0, len(left), _WHOLE):  # few
            part = left[start : start + _WHOLE]
            self._drawn(out, part, raised, self._order.whole(inputs[part]))
        return out

    def _drawn(self, out: Ids, documents: Ids, raised: Integers, order: Ids) -> Ids:
        """Write the outputs of the documents whose unit lies in these beginnings of their rows; the other documents."""
        reached = np.cumsum(self.gains(documents[:, None], order), axis=1)
        places = (reached <= raised[documents, None]).sum(axis=1)
        done = places < order.shape[1]
        out[documents[done]] = order[done, places[done]]
        return documents[~done]

    def raised(self, inputs: Ids, ranks: NDArray[np.integer[Any]], outputs: Ids) -> Reals:
        """Return P(y | x) / least - 1 for each input: how much more than the least it gives its document's output.

        Args:
            inputs: other words than the output, shape (documents, inputs).
            ranks: at which place of each one's order the output stands, below ``NearestInOrder.near``; 0 for no input,
                whose ratio is 0.
            outputs: one for each document, shape (documents,).
        """
        ahead = ranks.reshape(-1).astype(np.int64)
        which = np.repeat(np.arange(len(ahead)), ahead)
        ends = np.cumsum(ahead)
        columns = np.arange(len(which)) - np.repeat(ends - ahead, ahead)
        some = ahead.nonzero()[0]
        words = self._order.members(inputs.reshape(-1)[which], columns)
        left = np.zeros(ranks.shape, dtype=np.int64)
        if len(some):
            before = np.add.reduceat(self.gains(which // ranks.shape[1], words), (ends - ahead)[some])
            left.reshape(-1)[some] = np.maximum(self.weights.fixed.row_gain - before, 0)
        counts = self.counts(np.arange(len(outputs)), outputs)
        left = np.minimum(left, self.weights.gains(counts)[:, None])
        return left * float(self.weights.fixed.unit) / (counts << self.weights.fixed.shift)[:, None]

    def kept(self, outputs: Ids) -> Reals:
        """The same for the output itself as input, shape (documents,)."""
        counts = self.counts(np.arange(len(outputs)), outputs)
        return self.weights.gains(counts) * float(self.weights.fixed.unit) / (counts << self.weights.fixed.shift)


_DIGITS: Final = 1024.0
"""Probabilities are rounded to 10 binary digits, so that the last digit of a machine's exp hardly ever matters."""

_BITS: Final = 22  # words less likely than 2^-22 are not listed
_BLOCK: Final = 4096  # contexts that are asked for at once


class Listed(NamedTuple):
    """Entries of several lists, one list behind another."""

    lengths: Integers  # of each list
    words: NDArray[np.int32]  # ids, int32
    chances: Reals  # what the list adds to the word's probability, > 0


@dataclass(frozen=True, slots=True, eq=False)
class ContinuationLists:
    """Probability that each context adds to words, beyond what the unigram gives them."""

    unigram: Reals  # probabilities without a context, shape (n,)
    starts: Integers  # where each list begins, shape (contexts,); contexts are the words and the boundary
    words: NDArray[np.int32]  # of all lists, in each by falling power of two of the chance, then by id
    chances: NDArray[np.float64]  # of these words
    within: NDArray[np.int32]  # how many words of a list have a chance of 2^-j at least, shape (contexts, 23)

    def likely(self, contexts: Ids, weights: Reals, least: float) -> Listed:
        """The words of lists whose chance times the list's weight is ``least`` or more, some words nearly so left out.

        ``contexts``: words or the boundary, shape (lists,); ``weights``: what each list is multiplied with, > 0, shape
        (lists,); ``least``: > 0.
        """
        bits = np.clip(np.frexp(weights / least)[1] - 1, -1, _BITS)
        lengths = np.where(bits >= 0, self.within[contexts, bits], 0).astype(np.int64)
        before = np.cumsum(lengths) - lengths
        at = np.repeat(self.starts[contexts] - before, lengths)
        at += np.arange(len(at))
        return Listed(lengths, self.words.take(at), np.repeat(weights, lengths) * self.chances.take(at))


def continuation_lists(model: ContinuationModel) -> ContinuationLists:
    """The lists of a model after one word, and after the boundary."""
    unigram = _rounded(np.exp(model.unigram.astype(np.float64)))
    contexts = model.size + 1
    rows, words, chances = [], [], []
    for start in range(0, contexts, _BLOCK):
        asked = np.arange(start, min(start + _BLOCK, contexts))
        listed = model.continuations(asked[:, None])
        row = np.repeat(asked, np.diff(listed.starts))
        lower = np.repeat(_rounded(listed.rest.astype(np.float64)), np.diff(listed.starts)) * unigram[listed.words]
        chance = _rounded(listed.probabilities.astype(np.float64)) - lower
        kept = (chance >= 2.0**-_BITS).nonzero()[0]
        rows.append(row[kept])
        words.append(listed.words[kept])
        chances.append(chance[kept])
    row, word, chance = np.concatenate(rows), np.concatenate(words), np.concatenate(chances)
    bits = np.clip(1 - np.frexp(chance)[1], 0, _BITS).astype(np.int64)
    order = np.argsort((row * (_BITS + 1) + bits) * model.size + word)
    within = np.bincount(row * (_BITS + 1) + bits, minlength=contexts * (_BITS + 1)).reshape(contexts, -1)
    starts = np.cumsum(within.sum(axis=1)) - within.sum(axis=1)
    return ContinuationLists(
        unigram, starts, word[order].astype(np.int32), chance[order], np.cumsum(within, axis=1).astype(np.int32)
    )


def _rounded(values: Reals) -> Reals:
    mantissas, exponents = np.frexp(np.maximum(values, 2.0**-60))
    return np.ldexp(np.rint(mantissas * _DIGITS) / _DIGITS, exponents)


STATES: Final = 8  # words that are kept as states after each release: the likeliest
SEEN: Final = 0.05
NEAR: Final = 0.05  # parts of the prediction that recur and that are near what was released; the model has the rest
LEAST: Final = 4e-5  # chances below this are not followed one by one
_LEAST_STATE: Final = 1 / 512
_LEAST_REST: Final = 1e-3
_LEAST_SEEN: Final = 0.05
_REMEMBERED: Final = 32  # places that are remembered: two likely words of each
_RELEASED: Final = 12
_AROUND: Final = 40  # content words released last, and how many near each are thought of
_CANDIDATES: Final = 96
_WEIGHED: Final = 24
"""Possible inputs of an output that are looked at, the most frequent ones, and those whose likelihood is computed."""

_FREQUENT: Final = 300  # words that say nothing about their neighborhood: the most frequent ones


class Predicted(NamedTuple):
    """The likely next words of several documents, in an order that is each document's own."""

    documents: Ids  # rising, shape (likely,)
    words: Ids  # each once for a document, shape (likely,)
    chances: Reals  # of these words, > 0, shape (likely,)
    rest: Reals  # every other word w has `rest * unigram[w]`, shape (documents,)


class PossibleInputs(NamedTuple):
    """For every output, other words that can be its input."""

    words: NDArray[np.int32]  # by falling base weight, -1 behind the last, shape (n, width)
    ranks: NDArray[np.int16]  # at which place of that word's order the output stands, shape (n, width)


class FilterTables(NamedTuple):
    """Everything public that the filter reads."""

    lists: ContinuationLists  # of the language model
    inputs: PossibleInputs  # of every output
    around: NDArray[np.int32]  # nearest words of every word, shape (n, around)
    shares: Reals  # how likely each of those is beside the others, sums 1, shape (n, around)
    topical: NDArray[np.bool_]  # words that are remembered and looked around: no names, none of the most frequent
    memorable: NDArray[np.bool_]  # words that can be lent slots


class WordFilter:
    """A filter for documents of one vocabulary; its tables are made when first asked for.

    ``model``: of the same words; ``weights``: of the channel; ``order``: nearest words.
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


class Followed:
    """Beliefs about several documents, the first of which go on longest.

    ``tables``: public; ``boundary``: the state before the first word; ``documents``: how many.
    """

    def __init__(self, tables: FilterTables, boundary: int, documents: int) -> None:
        self._tables, self._size, self._place = tables, len(tables.lists.unigram), 0
        # Where each word of each document stands among those predicted; -1, behind the last, for all others.
        self._at: NDArray[np.int32] = np.full(documents * self._size, -1, dtype=np.int32)
        self._keys: Integers = np.empty(0, dtype=np.int64)
        self._predicted = Predicted(self._keys, self._keys, np.zeros(0), np.zeros(documents))
        # States: whose, which word, how likely; by document, the likeliest first.
        self._documents: Integers = np.arange(documents)
        self._words: Ids = np.full(documents, boundary)
        self._weights: Reals = np.ones(documents)
        self._seen = np.zeros((documents, 2 * _REMEMBERED), dtype=np.int32)
        self._seen_weights = np.zeros((documents, 2 * _REMEMBERED))
        self._released = np.full((documents, _RELEASED), -1, dtype=np.int64)
        self._count = np.zeros(documents, dtype=np.int64)

    def predicted(self, documents: int) -> Predicted:
        """The likely next words of the first ``documents``."""
        lists, kept = self._tables.lists, self._documents < documents
        self._documents, self._words, self._weights = self._documents[kept], self._words[kept], self._weights[kept]
        parts = [(self._documents, *lists.likely(self._words, self._weights * (1 - SEEN - NEAR), LEAST))]
        if self._place:
            parts += [self._recurring(documents), self._nearby(documents)]
        sums = _sums_by_word(documents, self._size, *(np.concatenate(column) for column in zip(*parts, strict=True)))
        lengths, words = np.diff(sums.words.indptr), sums.words.indices.astype(np.int64)
        self._at[self._keys] = -1
        self._keys = np.repeat(self._size * np.arange(documents), lengths)
        self._keys += words
        self._at[self._keys] = np.arange(len(words), dtype=np.int32)
        rest = np.maximum(1 - sums.listed, _LEAST_REST)
        chances = np.repeat(rest, lengths)
        chances *= lists.unigram.take(words)
        chances += sums.words.data
        self._predicted = Predicted(np.repeat(np.arange(documents), lengths), words, chances, rest)
        return self._predicted

    def find(self, documents: Any, words: Ids) -> Integers:
        """Return the positions of documents' words among those predicted, -1 for others; shapes of ``words``."""
        return self._at.take(documents * self._size + words)

    def released(self, outputs: Ids, places: DocumentPlaces) -> None:
        """Learn what the first documents released at these places."""
        every = np.arange(len(outputs))[:, None]
        inputs, chances, ratios = self._likely_inputs(outputs, places)
        joint = chances * ratios
        scale = 1 + np.cumsum(joint, axis=1)[:, -1]  # what every word has at least, and what these have beyond it
        posterior = (chances + joint) / scale[:, None]
        # Listed words that are no such inputs keep their chance.
        listed = self._predicted
        others = np.append(listed.chances >= _LEAST_STATE, False)
        others[self.find(every, inputs)[chances > 0]] = False
        at = others.nonzero()[0]
        plain = listed.chances[at] / scale[listed.documents[at]]
        at, plain = at[plain >= _LEAST_STATE], plain[plain >= _LEAST_STATE]
        some = (posterior >= _LEAST_STATE).nonzero()
        self._believe(
            np.concatenate([some[0], listed.documents[at]]),
            np.concatenate([inputs[some], listed.words[at]]),
            np.concatenate([posterior[some], plain]),
        )
        self._remember(outputs, inputs, posterior)
        self._place += 1

    def _likely_inputs(self, outputs: Ids, places: DocumentPlaces) -> tuple[Ids, Reals, Reals]:
        """For each output itself and its likeliest other inputs: how likely they were, and by what ratio they raise it.

        Words that stand there for want of others have chance 0.
        """
        inputs = self._tables.inputs
        every, fixed = np.arange(len(outputs))[:, None], places.weights.fixed
        words, ranks = inputs.words[outputs].astype(np.int64), inputs.ranks[outputs]
        none = (words < 0) | (places.gains(every, words) >= fixed.row_gain)
        words[none], ranks[none] = 0, 0
        chances = np.where(none, 0.0, self.chance(every, words))
        if words.shape[1] > _WEIGHED:
            best = np.argpartition(-chances, _WEIGHED - 1, axis=1)[:, :_WEIGHED]
            words, ranks, chances = (np.take_along_axis(table, best, 1) for table in (words, ranks, chances))
        ratios = places.raised(words, ranks, outputs)
        return (
            np.hstack([outputs[:, None], words]),
            np.hstack([self.chance(every, outputs[:, None]), chances]),
            np.hstack([places.kept(outputs)[:, None], ratios]),
        )

    def chance(self, documents: Ids, words: Ids) -> Reals:
        listed, at = self._predicted, self.find(documents, words)
        rest = listed.rest[documents] * self._tables.lists.unigram.take(words)
        return np.where(at < 0, rest, listed.chances.take(at, mode="wrap")) if len(listed.chances) else rest

    def _believe(self, documents: Ids, words: Ids, weights: Reals) -> None:
        order = np.lexsort((words, -weights, documents))
        whose = documents[order]
        kept = order[np.arange(len(whose)) - np.searchsorted(whose, whose) < STATES]
        self._documents, self._words, self._weights = documents[kept], words[kept], weights[kept]

    def _remember(self, outputs: Ids, inputs: Ids, posterior: Reals) -> None:
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

    def _recurring(self, documents: int) -> tuple[Ids, Integers, NDArray[np.int32], Reals]:
        weights = self._seen_weights[:documents]
        some = weights.nonzero()
        chances = weights[some] * (SEEN / min(self._place, _REMEMBERED))
        return np.arange(documents), (weights > 0).sum(axis=1), self._seen[some], chances

    def _nearby(self, documents: int) -> tuple[Ids, Integers, NDArray[np.int32], Reals]:
        whose, at = (self._released[:documents] >= 0).nonzero()
        words = self._released[whose, at]
        part = NEAR / np.minimum(self._count[whose], _RELEASED)
        around, shares = self._tables.around[words], self._tables.shares[words] * part[:, None]
        return whose, np.full(len(words), around.shape[1]), around.reshape(-1), shares.reshape(-1)


class _Sums(NamedTuple):
    words: csr_array  # sums, one row for each document
    listed: Reals  # all that lists say of a document, shape (documents,)


def _sums_by_word(
    documents: int, size: int, whose: Ids, lengths: Integers, words: NDArray[np.int32], chances: Reals
) -> _Sums:
    from scipy.sparse import csr_array  # the default mechanism does without it

    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    lists = csr_array((chances, words, ends), shape=(len(lengths), size))
    order = np.argsort(whose, kind="stable").astype(np.int32)
    starts = np.searchsorted(whose[order], np.arange(documents + 1)).astype(np.int32)
    of_documents = csr_array((np.ones(len(order)), order, starts), shape=(documents, len(lengths)))
    listed = np.bincount(np.repeat(whose, lengths), weights=chances, minlength=documents).astype(np.float64)
    return _Sums(of_documents @ lists, listed)


def _filter_tables(model: ContinuationModel, weights: GrowingWeights, order: NearestInOrder) -> FilterTables:
    lists = continuation_lists(model)
    size = model.size
    memorable = weights.room > 0
    frequent = np.argsort(-lists.unigram, kind="stable")[: min(_FREQUENT, size // 2)]
    topical = memorable.copy()
    topical[frequent] = False
    around = order.first(np.arange(size), min(_AROUND + 1, order.near))[:, 1:].astype(np.int32)
    shares = np.sqrt(lists.unigram[around])
    shares /= np.cumsum(shares, axis=1)[:, -1:]
    return FilterTables(lists, _inputs(weights, order), around, shares, topical, memorable)


def _inputs(weights: GrowingWeights, order: NearestInOrder) -> PossibleInputs:
    """The inputs of every output: those whose row would reach it if nothing were lent; more slots end rows earlier."""
    fixed = weights.fixed
    size, near = fixed.size, order.near
    by_weight = np.argsort(-fixed.counts, kind="stable")
    rows_before = []
    for start in range(0, size, 4096):
        words = by_weight[start : start + 4096]
        outputs = order.first(words, near)
        gains = fixed.gains[outputs]
        reached = np.cumsum(gains, axis=1) - gains < fixed.row_gain
        reached[:, 0] = False
        row, rank = reached.nonzero()
        rows_before.append(np.stack([outputs[row, rank], words[row], rank]))
    outputs, inputs, ranks = np.concatenate(rows_before, axis=1)
    sorted_ = np.argsort(outputs.astype(np.min_scalar_type(size)), kind="stable")  # integers on 16 bits: by counting
    outputs, inputs, ranks = outputs[sorted_], inputs[sorted_], ranks[sorted_]
    column = np.arange(len(outputs)) - np.searchsorted(outputs, outputs)
    kept = (column < _CANDIDATES).nonzero()[0]
    width = int(column[kept].max(initial=0)) + 1
    known: NDArray[np.int32] = np.full((size, width), -1, dtype=np.int32)
    places: NDArray[np.int16] = np.zeros((size, width), dtype=np.int16)
    known[outputs[kept], column[kept]] = inputs[kept]
    places[outputs[kept], column[kept]] = ranks[kept]
    return PossibleInputs(known, places)
