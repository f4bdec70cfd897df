"""The Protocol of language models: probabilities of the words of a public vocabulary, given words near them.

Contexts are rows of ids. With n words, 0 .. n - 1 are the words; n is the boundary: the beginning of a text, the end
of a sentence, and what pads a context that begins earlier than its text; n + 1 is everything else: a number, a
placeholder, a word that the vocabulary does not have. Marks that end no sentence are skipped: no id stands for them.
Only words are predicted, and their probabilities after one context sum to 1.
"""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from textveil.errors import need
from textveil.types import Ids, Vectors


def boundary_id(size: int) -> int:
    """The id that stands in contexts for the beginning of a text and the end of a sentence."""
    return size


def other_id(size: int) -> int:
    """The id that stands in contexts for whatever is no word of the vocabulary: numbers, placeholders, other words."""
    return size + 1


class Continuations(NamedTuple):
    """The words that a model lists after each of some contexts, and what it says of all others.

    P(w | context i) is ``probabilities[j]`` where ``words[j] == w`` for some j in [starts[i], starts[i + 1]), and
    ``rest[i]`` * P(w) for every other word, P(w) as in ``unigram``.
    """

    starts: Ids  # where each context's words begin and the last one's end, int64, shape (batch + 1,)
    words: Ids  # ids, each once at most within a context and in no order, int64, shape (listed,)
    probabilities: Vectors  # in (0, 1], float32, shape (listed,)
    rest: Vectors  # >= 0, float32, shape (batch,)


class ModelOfWords(Protocol):
    """Predicts words of one vocabulary."""

    @property
    def name(self) -> str:
        """Its name in reports."""

    @property
    def digest(self) -> str:
        """SHA-256 of all that its numbers depend on."""

    @property
    def size(self) -> int:
        """Words n of its vocabulary."""


@runtime_checkable
class LanguageModel(ModelOfWords, Protocol):
    """Predicts a word from the ones before it."""

    @property
    def order(self) -> int:
        """One more than the earlier ids that it looks at, >= 1."""

    def log_probabilities(self, contexts: Ids, words: Ids) -> Vectors:
        """Natural logarithms of P(word | context), float32, shape (batch, k).

        ``contexts``: ids in [0, n + 2), the latest last, shape (batch, order - 1); ``words``: ids in [0, n), shape
        (batch, k). Raises ParameterError: another shape, or an id outside its range.
        """


@runtime_checkable
class ContinuationModel(LanguageModel, Protocol):
    """A language model that can name the words it expects."""

    @property
    def unigram(self) -> Vectors:
        """Natural logarithms of P(word) without a context, float32, shape (n,)."""

    def continuations(self, contexts: Ids) -> Continuations:
        """The words listed after contexts of any one length from 1 to ``order`` - 1, shape (batch, length).

        A shorter context gives the prediction from it alone, sooner. Raises ParameterError: another shape, or an id
        outside [0, n + 2).
        """


def check_contexts(contexts: Ids, columns: int, size: int, name: str = "contexts") -> None:
    """See that ``contexts`` are rows of ``columns`` context ids.

    Raises ParameterError: another shape, or an id outside [0, size + 2).
    """
    fits = contexts.ndim == 2 and contexts.shape[1] == columns
    need(fits, name, f"shape {contexts.shape}", f"of shape (batch, {columns})")
    _check_range(contexts, size + 2, name)


def check_words(words: Ids, batch: int, size: int) -> None:
    """See that ``words`` are rows of word ids, one row for each context.

    Raises ParameterError: another shape, or an id outside [0, size).
    """
    need(words.ndim == 2 and len(words) == batch, "words", f"shape {words.shape}", f"of shape ({batch}, k)")
    _check_range(words, size, "words")


def _check_range(ids: Ids, end: int, name: str) -> None:
    need(ids.dtype.kind in "iu", name, f"dtype {ids.dtype}", "whole numbers")
    fine = ids.size == 0 or (int(np.min(ids)) >= 0 and int(np.max(ids)) < end)
    need(fine, name, "one outside it", f"ids in [0, {end})")
