"""In which order a word raises the others: nested, so that a longer row begins with the shorter one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.tables.neighbor_order import neighbor_order
from textveil.vocabulary.tables.public import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary


class NestedOrder(Protocol):
    """Words are raised by falling score, ties to the lower id.

    Scores are a function of the two words and of public data, whatever else is asked for beside them. Guarantees hold
    for any order; that a row is one row, and the same wherever it is made, rests on this.
    """

    @property
    def size(self) -> int:
        """Number of words."""

    @property
    def rule(self) -> str:
        """What tells it from other orders of the same vocabulary, for the keys of tables."""

    def scores(self, words: Ids, wanted: int) -> NDArray[Any]:
        """Of every word for these, no NaN, shape (batch, n); ``wanted`` rows will be asked for in all."""

    def neighbors(self, size: int) -> PublicTable | None:
        """The table of at least the first ``size`` words of every order, if there is such a table."""


@runtime_checkable
class ReadByColumns(NestedOrder, Protocol):
    """An order whose scores are had as cheaply for one output and all words as for one word and all outputs."""

    def scores_in(self, columns: Ids, wanted: int) -> NDArray[Any]:
        """What ``scores`` of all words hold in these columns, bit for bit, shape (batch, n)."""

    def scores_of_pairs(self, columns: Ids) -> NDArray[Any]:
        """What ``scores`` of all words hold in one column each, bit for bit; both shapes (n,)."""


@final
@dataclass(frozen=True, slots=True)
class ByCosine:
    """The word itself, then the others by falling cosine on the integer grid.

    Attributes:
        vocabulary: public words and vectors.
    """

    vocabulary: Vocabulary

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.vocabulary)

    @property
    def rule(self) -> str:
        """See ``NestedOrder``."""
        return "greatest cosine on the integer grid, the word first, ties to the lower id, until row_gain is spent; 1"

    def scores(self, words: Ids, wanted: int) -> NDArray[np.float32]:
        """See ``NestedOrder``."""
        return integer_grid(self.vocabulary).cosines(words, wanted)

    def scores_in(self, columns: Ids, wanted: int) -> NDArray[np.float32]:
        """See ``ReadByColumns``."""
        return integer_grid(self.vocabulary).cosines_with(columns, wanted)

    def scores_of_pairs(self, columns: Ids) -> NDArray[np.float32]:
        """See ``ReadByColumns``."""
        return integer_grid(self.vocabulary).cosines_of_pairs(columns)

    def neighbors(self, size: int) -> PublicTable:
        """See ``NestedOrder``."""
        return neighbor_order(self.vocabulary, size)
