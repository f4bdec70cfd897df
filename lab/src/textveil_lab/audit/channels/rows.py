"""Rows of a finite channel in blocks: from a table of floats, or from a channel's integer weights."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from textveil.catalog import from_catalog
from textveil.errors import ParameterError, need
from textveil.mechanisms.kinds import Channel, IntegerWeights
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals
from textveil_lab.mechanisms.product_columns import over_base
from textveil_lab.mechanisms.sampling.output_columns import OverBase

SUM_TOLERANCE = 1e-9  # How far the sum of a row of floats may be from 1
BLOCK_BYTES = 1 << 24  # Size of a block of rows: 200 rows at 10,000 words
COMPARED = 64  # Random inputs whose entries are compared with the channel's rows: which ones, no channel can know
_TOTAL_LIMIT = 2.0**62


@runtime_checkable
class RowSource(Protocol):
    """Finite channel: row x holds P(y | x)."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of inputs n and of outputs k."""

    def rows(self, start: int, stop: int) -> Reals:
        """Return rows ``start`` to ``stop`` - 1, shape (stop - start, k): entries >= 0, each row's sum 1 to 1e-9."""


@dataclass(frozen=True, slots=True, eq=False)
class MatrixRows:
    """Table of probabilities, neither copied nor normalized.

    Raises:
        ParameterError: the shape is wrong, a value is NaN or negative, or a row's sum is not 1.
    """

    table: Reals  # shape (n, k), n >= 2, k >= 1

    def __post_init__(self) -> None:
        shape = np.shape(self.table)
        need(len(shape) == 2 and shape[0] >= 2 and shape[1] >= 1, "rows", f"shape {shape}", "of shape (n, k), n >= 2")
        for start, stop in blocks(self.shape):
            checked(self.table[start:stop], start)

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.table.shape[0]), int(self.table.shape[1])

    def rows(self, start: int, stop: int) -> Reals:
        return self.table[start:stop]


@dataclass(frozen=True, slots=True, eq=False)
class ChannelRows:
    """Rows that a channel states by ``probabilities``, checked as they are made."""

    channel: Channel

    @property
    def shape(self) -> tuple[int, int]:
        size = len(self.channel.vocabulary)
        return size, size

    def rows(self, start: int, stop: int) -> Reals:
        block = [np.asarray(self.channel.probabilities(word), dtype=np.float64) for word in range(start, stop)]
        for row in block:
            need(row.shape == self.shape[1:], "rows", f"a row of shape {row.shape}", f"of {self.shape[1]} outputs")
        return checked(np.stack(block), start)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class IntegerRows:
    """Channel with integer weights: P(y | x) = w(x, y) / sum over y of w(x, y)."""

    shape: tuple[int, int]
    make: Callable[[Ids], Integers]  # from ids of shape (batch,) to their weights, int64, shape (batch, k)
    # the same weights as a base and entries, if a channel of the catalog states them so
    over_base: Callable[[], OverBase] | None = None
    # inputs whose entries are compared with their rows
    compared: Ids = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def weights(self, start: int, stop: int) -> tuple[Integers, Integers]:
        """Return the weights of rows ``start`` to ``stop`` - 1, shape (batch, k), and their sums, shape (batch,).

        Raises:
            ParameterError: a weight that is not an integer >= 0, or a sum that is 0 or not below 2^62.
        """
        raw = np.asarray(self.make(np.arange(start, stop)))
        need(raw.dtype.kind in "iu", "weights", f"dtype {raw.dtype}", "integers")
        need(raw.shape == (stop - start, self.shape[1]), "weights", f"shape {raw.shape}", "one row for each id")
        need(bool((raw >= 0).all()), "weights", "a negative one", ">= 0")
        largest = float(raw.sum(axis=1, dtype=np.float64).max())
        need(largest < _TOTAL_LIMIT, "weights", f"a row with sum {largest:.3g}", "of sums below 2^62")
        weights = raw.astype(np.int64, copy=False)
        totals = weights.sum(axis=1)
        need(bool((totals > 0).all()), "weights", "a row of zeros", "positive somewhere in every row")
        return weights, totals

    def rows(self, start: int, stop: int) -> Reals:
        """Return probabilities, each within three roundings (2^-51) of its true value."""
        weights, totals = self.weights(start, stop)
        return weights / totals[:, None].astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class CheckedRows:
    """Source of rows by somebody else: every block is checked as it is made."""

    source: RowSource

    @property
    def shape(self) -> tuple[int, int]:
        return self.source.shape

    def rows(self, start: int, stop: int) -> Reals:
        try:
            block = np.asarray(self.source.rows(start, stop), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"rows must be numbers; got {type(error).__name__} where a block was read.") from None
        wanted = (stop - start, self.shape[1])
        need(block.shape == wanted, "rows", f"a block of shape {block.shape}", f"of shape {wanted}")
        return checked(block, start)


Rows: TypeAlias = RowSource | Channel | IntegerWeights | ArrayLike
"""Inputs of the exact audits: a source of rows, a channel, or a table of probabilities."""


def source_of(rows: Rows, rng: np.random.Generator | None = None) -> RowSource:
    """Return ``rows`` as a source; that of a channel with integer weights gives the integers.

    Entries over a base replace the rows only if the catalog made the channel: its code is textveil's own and proved to
    state them. Random rows are still compared. All rows of any other channel are made.

    Args:
        rng: chooses the rows that are compared; None is the operating system's randomness.

    Raises:
        ParameterError: neither a source, nor a channel, nor a table of probabilities; or integer weights that
            contradict the probabilities that the channel states.
    """
    if isinstance(rows, IntegerWeights):
        size = len(rows.vocabulary)
        own = from_catalog(rows)
        stated = over_base(rows) if own else None
        some = np.sort(resolve(rng).choice(size, min(size, COMPARED), replace=False))
        source = IntegerRows((size, size), rows.integer_weights, stated, some)
        return _agreeing(source, rows, some if own else np.arange(size)) if isinstance(rows, Channel) else source
    if isinstance(rows, Channel):
        return ChannelRows(rows)
    if isinstance(rows, IntegerRows | MatrixRows | ChannelRows | CheckedRows):
        return rows
    if isinstance(rows, RowSource) and not isinstance(rows, np.ndarray):
        shape = tuple(rows.shape)
        need(len(shape) == 2 and shape[0] >= 2 and shape[1] >= 1, "rows", f"shape {shape}", "of shape (n, k), n >= 2")
        return CheckedRows(rows)
    try:
        table = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"rows must be a channel or a table of probabilities; got {type(rows).__name__}. "
            "Use a sampled audit for a mechanism that states no probabilities."
        ) from None
    return MatrixRows(table)


def blocks(shape: tuple[int, int], budget: int = BLOCK_BYTES) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows that hold at most ``budget`` bytes of float64, at least one row each."""
    step = max(1, budget // (8 * shape[1]))
    return ((start, min(start + step, shape[0])) for start in range(0, shape[0], step))


def checked(block: Reals, first: int) -> Reals:
    """Return ``block`` if every row is a probability distribution; ``first``: number of its first row, for errors."""
    with np.errstate(invalid="ignore"):  # infinities of both signs: refused below
        sums = block.sum(axis=1)
    for bad, what in (
        (np.isnan(block).any(axis=1), "NaN"),
        ((block < 0).any(axis=1), "a negative value"),
        (~(np.abs(sums - 1.0) <= SUM_TOLERANCE), "a sum other than 1"),
    ):
        if bad.any():
            index = int(np.flatnonzero(bad)[0])
            shown = f" ({sums[index]:.12g})" if "sum" in what else ""
            raise ParameterError(
                f"rows must be probabilities that add to 1 within {SUM_TOLERANCE:g}; got {what}{shown} "
                f"in row {first + index}."
            )
    return block


def _agreeing(source: IntegerRows, channel: Channel, words: Ids) -> IntegerRows:
    for word in words.tolist():
        stated = channel.probabilities(word)
        if not np.allclose(source.rows(word, word + 1)[0], stated, rtol=1e-12, atol=0.0):
            raise ParameterError(f"rows must be those that the channel states; got other weights in row {word}.")
    return source
