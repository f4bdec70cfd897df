"""What a language model lists after each single word, the likeliest words first, so that the unlikely are not read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from textveil.models.language_model import ContinuationModel
from textveil.types import Ids, Integers, Reals

_DIGITS: Final = 1024.0
"""Probabilities are rounded to 10 binary digits, so that the last digit of a machine's exp hardly ever matters."""

_BITS: Final = 22
"""Words less likely than 2^-22 are not listed."""

_BLOCK: Final = 4096
"""Contexts that are asked for at once."""


class Listed(NamedTuple):
    """Entries of several lists, one list behind another.

    Attributes:
        lengths: of each list.
        words: ids, int32.
        chances: what the list adds to the word's probability, > 0.
    """

    lengths: Integers
    words: NDArray[np.int32]
    chances: Reals


@final
@dataclass(frozen=True, slots=True, eq=False)
class ContinuationLists:
    """What each context adds to the probability of words beyond what the unigram gives them.

    Attributes:
        unigram: probabilities without a context, shape (n,).
        starts: where each list begins, shape (contexts,); contexts are the words and the boundary.
        words: of all lists, in each by falling power of two of the chance, then by id.
        chances: of these words.
        within: how many words of a list have a chance of 2^-j at least, shape (contexts, 23).
    """

    unigram: Reals
    starts: Integers
    words: NDArray[np.int32]
    chances: NDArray[np.float64]
    within: NDArray[np.int32]

    def likely(self, contexts: Ids, weights: Reals, least: float) -> Listed:
        """The words of lists whose chance times the list's weight is ``least`` or more, some words nearly so left out.

        Args:
            contexts: words or the boundary, shape (lists,).
            weights: what each list is multiplied with, > 0, shape (lists,).
            least: > 0.
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
