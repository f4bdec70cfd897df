"""Released texts as sentences of positions, with the candidates of channel and language for each.

The options say how thoroughly the original is searched for, and by what measure.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.models.language_model import boundary_id, other_id
from textveil.privacy.guarantees import Guarantee
from textveil.types import Flags, Ids, Integers, Reals, Vectors
from textveil_lab.decoding.lattice import (
    NONE,
    Candidates,
    CandidateTable,
    ColumnRatios,
    Continued,
    Sentences,
    Successors,
    Trellis,
    likeliest,
    log_prior,
    most_frequent,
)
from textveil_lab.mechanisms.capabilities import ChannelColumns, SequenceColumns
from textveil_lab.mechanisms.sampling.output_columns import Columns
from textveil_lab.vocabulary.documents import GAP, SENTENCE_END, ReleasedTexts

Choice: TypeAlias = Literal["words", "text", "cosine"]
"""Criterion: each word most probable by itself, the text as a whole, or each word of largest expected cosine."""


_CHOICES: Final[tuple[str, ...]] = get_args(Choice)


_MOST: Final = 0.8


_PER_EPSILON: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderOptions:
    """Options of the search; docs/decoding.md measures the defaults."""

    # ``"words"`` is the most probable word at each place, all else summed over; ``"text"`` the most probable sentence
    # as a whole; ``"cosine"`` the candidate of greatest expected cosine with the original
    choose: Choice = "words"
    candidates: int = 24
    # more of them that the language model proposes at each place, where it can name the words it expects
    proposals: int = 8
    width: int = 16  # states of a sentence that go on from a word
    # share of the model's log probabilities, beside all of the channel's; what is left of it goes to those of the
    # prior. None is 0.1 for each nat of the mechanism's epsilon, 0.8 at most: the less the released words around a word
    # say, the less their context is trusted.
    model_weight: float | None = None
    # whether to look twice, the second time with the word frequencies that the first look found in the texts that are
    # decoded together: half a million characters, or a block of a file. Takes twice as long.
    adapt: bool = False

    def __post_init__(self) -> None:
        need(self.choose in _CHOICES, "choose", repr(self.choose), "'words', 'text' or 'cosine'")
        need(self.candidates >= 1, "candidates", self.candidates, "an integer >= 1")
        need(self.proposals >= 0, "proposals", self.proposals, "an integer >= 0")
        need(self.width >= 1, "width", self.width, "an integer >= 1")
        weight = self.model_weight
        need(weight is None or 0 <= weight <= 1, "model_weight", weight, "between 0 and 1, or None")

    def weight_for(self, guarantee: Guarantee) -> float:
        if self.model_weight is not None:
            return self.model_weight
        epsilon = guarantee.approximate().epsilon if guarantee.promises else math.inf
        return min(_MOST, _PER_EPSILON * epsilon)


class Layout(NamedTuple):
    """Positions of released texts, in a row."""

    ids: Ids  # the released word, or the id of contexts for what is none, shape (places,)
    is_word: Flags  # places at which there is a word to be found, shape (places,)
    bounds: Integers  # where each sentence begins and the last one ends, shape (sentences + 1,)

    def groups(self, side_by_side: int) -> Iterator[Sentences]:
        lengths = np.diff(self.bounds)
        order = np.argsort(-lengths, kind="stable")
        order = order[lengths[order] > 0]
        for start in range(0, len(order), side_by_side):
            part = order[start : start + side_by_side]
            yield Sentences(self.bounds[:-1][part], lengths[part])


def laid_out(read: ReleasedTexts, size: int, *, by_sentence: bool) -> Layout:
    """Return the positions of texts.

    Args:
        by_sentence: whether each sentence is decoded by itself; else each text, with boundaries inside it.
    """
    codes = read.codes
    ends = codes == SENTENCE_END
    # Of several ends in a row, as in "...", one is left.
    last_end = ends & ~np.append(ends[1:], False)
    last_end[read.bounds[1:-1] - 1] |= ends[read.bounds[1:-1] - 1]
    kept = (codes != GAP) & (~ends if by_sentence else ~ends | last_end)
    before = np.zeros(len(codes) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    word_codes = codes[kept]
    ids = np.where(word_codes >= 0, word_codes, np.where(word_codes == SENTENCE_END, boundary_id(size), other_id(size)))
    bounds = before[read.bounds]
    if by_sentence:
        bounds = np.unique(np.concatenate([bounds, before[1:][ends]]))
    return Layout(ids, word_codes >= 0, bounds)


_PRIOR_COUNT: Final = 1e4
"""Weight of the prior, in words of running text, against the frequencies in the texts themselves."""


class Evidence:
    """Candidates of positions, from the columns of a channel or of a sequence mechanism. Threads may share it.

    Args:
        prior: of words, with sum 1, shape (n,).
        follows: successors of each word by the language model; None if it names none.
        model_weight: share of the model's log probabilities; the rest goes to the prior.
    """

    def __init__(
        self,
        source: ChannelColumns | SequenceColumns,
        prior: Reals,
        follows: Successors | None,
        options: DecoderOptions,
        model_weight: float,
    ) -> None:
        self._source, self._follows, self._proposals = source, follows, options.proposals
        self._weight = model_weight
        self._size = len(prior)
        count = min(options.candidates, self._size)
        self._count, self._log_prior, self._frequent = count, log_prior(prior), most_frequent(prior, count)
        self._share = ((1 - model_weight) * self._log_prior).astype(np.float32)
        self._table = None if isinstance(source, SequenceColumns) else CandidateTable(source, prior, count)

    def places(self, layout: Layout, read: ReleasedTexts, lean: Vectors | None = None) -> Trellis:
        """Return the candidates of every position with their scores; a position without a word has only its own id.

        Args:
            lean: nats added to each word's score, from ``lean``; None: none.
        """
        share = self._share if lean is None else self._share + lean
        rows, columns, which = self._of_words(read)
        shape = (len(layout.ids), self._count)
        words, ratios = np.full(shape, NONE, dtype=np.int32), np.zeros(shape, dtype=np.float32)
        words[:, 0] = layout.ids
        words[layout.is_word] = rows.words
        ratios[layout.is_word] = rows.log_ratios + share[rows.words]
        proposals = None
        if self._follows is not None:
            of_place = np.zeros(len(layout.ids), dtype=np.int64)
            of_place[layout.is_word] = which
            proposals = Continued(self._follows, columns, of_place, share, self._proposals, self._weight)
        return Trellis(Candidates(words, ratios), ~layout.is_word, proposals)

    def lean(self, words: NDArray[np.int32], chances: Vectors) -> Vectors:
        """Return how much likelier each word is in these texts than by the prior, nats, float32, shape (n,).

        Expected counts are joined with ``_PRIOR_COUNT`` words of the prior, so that few texts change little.

        Args:
            words: candidates of every released word, or NONE.
            chances: their probabilities.
        """
        there = words != NONE
        counts = np.bincount(words[there], chances[there], minlength=self._size)
        prior = np.exp(self._log_prior)
        seen = (counts + _PRIOR_COUNT * prior) / (counts.sum() + _PRIOR_COUNT)
        return (np.log(np.maximum(seen, np.finfo(np.float64).tiny)) - self._log_prior).astype(np.float32)

    def log_ratios(self, read: ReleasedTexts, words: NDArray[np.int32]) -> Vectors:
        """Return ln P(released | word) less the column's minimum, for words (released words, k) or NONE."""
        if isinstance(self._source, SequenceColumns):
            columns = self._source.columns_of_documents(read.words, read.word_bounds)
            return ColumnRatios(columns, self._size)(np.arange(len(words)), words)
        outputs, which = np.unique(read.words, return_inverse=True)
        return ColumnRatios(self._source.columns(outputs), self._size)(which, words)

    def _of_words(self, read: ReleasedTexts) -> tuple[Candidates, Columns, Integers]:
        words = read.words
        if isinstance(self._source, SequenceColumns):
            columns = self._source.columns_of_documents(words, read.word_bounds)
            return likeliest(columns, self._log_prior, self._frequent, self._count), columns, np.arange(len(words))
        assert self._table is not None
        outputs, which = np.unique(words, return_inverse=True)
        # Without proposals nothing reads the columns, and the table remembers candidates.
        columns = self._source.columns(outputs if self._follows is not None else outputs[:0])
        return self._table.of(words), columns, which
