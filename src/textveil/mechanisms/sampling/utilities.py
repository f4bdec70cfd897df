"""How useful an output is to an input: cosine, centered cosine, neighbor rank, or a user's own table or function.

A utility is public: it is computed from a public vocabulary, or given by the user from public data. It decides which
channel is best and in which order rows raise words; guarantees hold for any.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InputError, need
from textveil.mechanisms.sampling.raised_rows import ByCosine, NestedOrder
from textveil.types import Ids, Vectors
from textveil.vocabulary.grid import by_falling_score, integer_grid
from textveil.vocabulary.tables.neighbor_order import grid_digest
from textveil.vocabulary.tables.public import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary

RANKED: Final = 1024  # neighbors that count under the utility of ranks
NAMES: Final = ("cosine", "content", "centered", "rank")
"""Utilities with a name: ``content`` is cosine, each word counted by its information, -log of its probability."""

Function: TypeAlias = Callable[[Ids], NDArray[Any]]
"""Of ids, shape (batch,), to utilities with every word, shape (batch, n)."""


class _Kind(Enum):
    COSINE, RANK, OWN = "cosine", "rank", "own"


@final
@dataclass(frozen=True, eq=False)
class Utility:
    """u(x, y), with the order in which it raises words.

    Attributes:
        name: for reports.
        digest: of all that decides it, for keys of what is computed from it.
        order: words by falling utility.
        kind: how scores of the order become utilities.
        weighs_information: whether an input counts by its information, beside its probability.
    """

    name: str
    digest: str
    order: NestedOrder
    kind: _Kind
    weighs_information: bool = False
    _factors: NDArray[np.float32] = field(default_factory=lambda: np.ones(0, np.float32), repr=False)

    @property
    def size(self) -> int:
        """Number of words."""
        return self.order.size

    @property
    def own(self) -> bool:
        """Whether it is a user's own numbers."""
        return self.kind is _Kind.OWN

    def rows(self, ids: Ids) -> NDArray[np.float32]:
        """u(x, y) for these x and every y, finite float32, shape (batch, n).

        Raises:
            ParameterError: a user's function gives another shape or a number that is not finite.
        """
        scores = self.order.scores(ids, self.size)
        if self.kind is _Kind.OWN:
            return scores
        if self.kind is _Kind.COSINE:  # scores lack what all of a row have in common
            itself = np.arange(len(ids)), ids
            scores[itself] = 0  # not infinity, of which a zero vector's factor, 0, would make no number
            cosines = np.minimum(scores * self._factors[ids, None], np.float32(1))
            cosines[itself] = 1
            return cosines
        nearest = by_falling_score(scores, min(RANKED, self.size))
        out = np.zeros(scores.shape, dtype=np.float32)
        values = 1 / np.log2(2 + np.arange(nearest.shape[1]))
        np.put_along_axis(out, nearest, np.broadcast_to(values.astype(np.float32), nearest.shape), axis=1)
        return out


@final
@dataclass(frozen=True, eq=False)
class ByValue:
    """Words by falling value of a table or a function, ties to the lower id.

    Attributes:
        size: number of words n.
        values: of ids to utilities; or a table, shape (n, n).
    """

    size: int
    values: Function | NDArray[np.float32]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all values."""
        mixed = hashlib.sha256()
        for start in range(0, self.size, 256):
            ids = np.arange(start, min(start + 256, self.size), dtype=np.int64)
            mixed.update(np.ascontiguousarray(self.scores(ids, self.size), dtype="<f4").data)
        return mixed.hexdigest()

    @property
    def rule(self) -> str:
        return f"falling utility {self.digest}, ties to the lower id, until row_gain is spent; 1"

    def scores(self, words: Ids, wanted: int) -> NDArray[np.float32]:
        if isinstance(self.values, np.ndarray):
            return self.values[words]
        given = np.asarray(self.values(words))
        shape = (len(words), self.size)
        need(given.shape == shape, "utility", f"shape {given.shape}", f"{shape}, a number for every two words")
        return _finite(given)

    def neighbors(self, size: int) -> PublicTable | None:
        return None


def utility_of(vocabulary: Vocabulary, given: str | NDArray[Any] | Function) -> Utility:
    """The utility of that name, file, table or function.

    Args:
        vocabulary: public words and vectors.
        given: ``"cosine"``; ``"content"``; ``"centered"``, the cosine after the mean of all unit vectors is taken from
            each; ``"rank"``, 1 / log2(1 + r) for the r-th nearest word by cosine (the word itself is the first), 0
            beyond the 1,024th; the path of a ``.npy`` file; a table of shape (n, n), whose rows are inputs; a function
            of ids to rows of such a table, the same whenever it is called.

    Raises:
        ParameterError: a table has another shape, or holds what is not finite.
        InputError: the file cannot be read.
    """
    if isinstance(given, str) and given in NAMES:
        if given == "centered":
            vocabulary = centered(vocabulary)
        digest = f"{given} of {grid_digest(vocabulary)}, {vocabulary.digest}"
        kind = _Kind.RANK if given == "rank" else _Kind.COSINE
        factors = integer_grid(vocabulary).inverse_lengths.astype(np.float32)
        return Utility(given, digest, ByCosine(vocabulary), kind, given == "content", factors)
    if isinstance(given, str):
        given = _read(Path(given))
    if not callable(given):
        need(isinstance(given, np.ndarray), "utility", type(given).__name__, "a name, a file, an array or a function")
        need(given.dtype.kind in "fiub", "utility", f"dtype {given.dtype}", "real numbers")
        shape = (len(vocabulary), len(vocabulary))
        need(given.shape == shape, "utility", f"shape {given.shape}", f"{shape}, a row and a column for every word")
        given = _finite(given)
    order = ByValue(len(vocabulary), given)
    return Utility(f"own, {order.digest[:16]}", order.digest, order, _Kind.OWN)


def _finite(given: NDArray[Any]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        values = given.astype(np.float32)
    need(bool(np.isfinite(values).all()), "utility", "a number that is not", "finite in float32 for every two words")
    return values


def _read(path: Path) -> NDArray[Any]:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        kind = type(error).__name__
        raise InputError(f"the utility must be a readable .npy file of numbers; got {kind}. Check its path.") from None


_UNIT_BITS: Final = 40


def centered(vocabulary: Vocabulary) -> Vocabulary:
    """The same words; vectors are unit vectors minus the mean of all of them, by sums that do not depend on order."""
    grid = integer_grid(vocabulary)
    lengths = np.where(grid.lengths > 0, grid.lengths, 1.0)
    sums = np.zeros(grid.values.shape[1], dtype=np.int64)
    for start in range(0, grid.size, 4096):
        sums += _unit(grid.values, grid.scales / lengths, slice(start, start + 4096)).sum(axis=0)
    mean = sums / (grid.size * 2.0**_UNIT_BITS)
    moved: Vectors = np.empty(grid.values.shape, dtype=np.float32)
    for start in range(0, grid.size, 4096):
        part = slice(start, start + 4096)
        moved[part] = _unit(grid.values, grid.scales / lengths, part) * 2.0**-_UNIT_BITS - mean
    return Vocabulary(vocabulary.words, moved, f"{vocabulary.name}, centered", copy=False)


def _unit(values: NDArray[Any], factors: NDArray[np.float64], part: slice) -> NDArray[np.int64]:
    return np.rint(values[part].astype(np.float64) * factors[part, None] * 2.0**_UNIT_BITS).astype(np.int64)
