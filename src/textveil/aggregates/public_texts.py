"""Texts that are public: what synthetic text is chosen from, and what themes are shown by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.aggregates.features import PublicFeatures
from textveil.corpora.files.sources import expanded
from textveil.corpora.formats.choice import FormatChoice
from textveil.corpora.texts import released_blocks
from textveil.errors import InputError
from textveil.models.language_model import ContinuationModel, boundary_id
from textveil.text.render import with_capitals
from textveil.types import Ids, Progress, Reals

NORM: Final = 2**12
"""Norm of the vectors of public texts, in whole numbers of 16 bits."""

_BLOCK: Final = 4096

LENGTH: Final = 25
"""Words of a text that the language model writes: it predicts no ends of sentences."""

_SIDE_BY_SIDE: Final = 2**14


def read_pool(pattern: str, progress: Progress | None = None) -> list[str]:
    """The texts of a pool, each once, in their order: lines of a text file, or the field ``text`` of records.

    Raises:
        InputError: the pool cannot be read, or it has no text.
    """
    inputs = tuple(expanded([pattern]))
    blocks = released_blocks(FormatChoice().reader(inputs), inputs, progress)
    texts = list(dict.fromkeys(stripped for block in blocks for text in block.texts if (stripped := text.strip())))
    if not texts:
        raise InputError("the public pool must hold texts; it is empty. Name another pool.")
    return texts


def written_pool(
    model: ContinuationModel, words: Sequence[str], number: int, progress: Progress | None = None
) -> list[str]:
    """About so many different texts that a public language model writes: the same ones each time.

    They have the words of public text, and sense for three words at a time.

    Args:
        model: public.
        progress: called with words written and in all.
    """
    rng = np.random.default_rng(0)  # of public facts alone
    common = np.cumsum(np.exp(model.unigram.astype(np.float64)))
    before, texts = model.order - 1, dict[str, None]()
    for first in range(0, number, _SIDE_BY_SIDE):
        rows = np.full((min(_SIDE_BY_SIDE, number - first), before + LENGTH), boundary_id(model.size))
        for at in range(before, before + LENGTH):
            rows[:, at] = _next_words(model, rows[:, at - before : at], common, rng)
            if progress is not None:
                progress(first * LENGTH + len(rows) * (at - before + 1), number * LENGTH)
        for row in rows[:, before:].tolist():
            texts[with_capitals(" ".join(words[word] for word in row)) + "."] = None
    return list(texts)


def _next_words(model: ContinuationModel, contexts: Ids, common: Reals, rng: np.random.Generator) -> Ids:
    different, which = np.unique(contexts, axis=0, return_inverse=True)
    starts, listed, chances, _ = model.continuations(different)
    sums = np.concatenate([[0.0], np.cumsum(chances, dtype=np.float64)])
    wanted = sums[starts[which]] + rng.random(len(contexts))
    words = np.searchsorted(common[:-1], rng.random(len(contexts)) * common[-1], side="right")
    inside = wanted < sums[starts[which + 1]]
    words[inside] = listed[np.searchsorted(sums[1:], wanted[inside], side="right")]
    return words


class PoolVectors(NamedTuple):
    """Vectors of public texts.

    Attributes:
        rows: with an L2 norm of at most ``NORM``, int16, shape (texts, dim).
    """

    rows: NDArray[np.int16]

    @classmethod
    def of(cls, texts: Sequence[str], features: PublicFeatures, progress: Progress | None = None) -> PoolVectors:
        """Read texts.

        Args:
            progress: called with texts read and in all.
        """
        rows = np.empty((len(texts), features.dim), dtype=np.int16)
        for first in range(0, len(texts), _BLOCK):
            part = texts[first : first + _BLOCK]
            rows[first : first + len(part)] = features.vectors(part, NORM)
            if progress is not None:
                progress(first + len(part), len(texts))
        return cls(rows)

    def blocks(self) -> Iterator[Reals]:
        """The vectors with norm 1, float32, some rows at a time."""
        for first in range(0, len(self.rows), _BLOCK):
            yield self.rows[first : first + _BLOCK].astype(np.float32) / NORM

    def second_moment(self) -> Reals:
        """Mean of the products of coordinates, shape (dim, dim)."""
        return np.asarray(sum(block.T @ block for block in self.blocks()), dtype=np.float64) / len(self.rows)

    def scores(self, weights: Reals) -> Reals:
        """Products with columns of weights, shape (texts, columns)."""
        return np.concatenate([block @ weights.astype(np.float32) for block in self.blocks()])
