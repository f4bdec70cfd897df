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
from textveil.types import Progress, Reals

NORM: Final = 2**12
"""Norm of the vectors of public texts, in whole numbers of 16 bits."""

_BLOCK: Final = 4096


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
            texts: at least one.
            features: how they are read.
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
