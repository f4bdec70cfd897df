"""Columns of any channel that draws by integers: its own if it offers them, else made from all its rows."""

import math
from typing import Final

import numpy as np

from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.kinds import (
    Described,
    IntegerWeights,
    Mechanism,
    SequenceMechanism,
    WordMechanism,
    checked_ids,
)
from textveil.mechanisms.raised_table import gathered
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.capabilities import ChannelColumns, SequenceColumns
from textveil_lab.mechanisms.product_columns import own_columns, sequence_columns
from textveil_lab.mechanisms.sampling.output_columns import Columns

LISTED: Final = 256  # inputs listed for an output, the likeliest, if the channel tells all inputs apart
_BLOCK_WEIGHTS: Final = 1 << 23  # weights that are made at once: 64 MB
_SLACK: Final = 1e-12
"""Relative tolerance: equal probabilities from rows of different totals may differ in the last digits."""


def columns_of(
    mechanism: Described | ChannelColumns | SequenceColumns, progress: Progress | None = None
) -> ChannelColumns:
    """Return the source of a mechanism's columns; keep it, since making them from all rows happens once.

    All rows take n^2 weights: for 33,000 words some 75 s of one core and 0.9 GB.

    Raises:
        UnsupportedGuarantee: it offers neither columns nor integer weights.
    """
    own = own_columns(mechanism)
    if own is not None:
        return own
    if isinstance(mechanism, IntegerWeights):
        return made_columns(mechanism, progress)
    raise _no_columns(mechanism)


def need_columns(mechanism: Mechanism) -> WordMechanism | SequenceMechanism:
    """Return ``mechanism`` if its outputs can be read back: by ``columns_of``, or as a sequence with columns.

    Raises:
        UnsupportedGuarantee: its outputs cannot be read back.
    """
    if isinstance(mechanism, WordMechanism | SequenceMechanism) and (
        isinstance(mechanism, IntegerWeights)
        or own_columns(mechanism) is not None
        or sequence_columns(mechanism) is not None
    ):
        return mechanism
    raise _no_columns(mechanism)


def _no_columns(mechanism: object) -> UnsupportedGuarantee:
    name = mechanism.name if isinstance(mechanism, WordMechanism | SequenceMechanism) else type(mechanism).__name__
    return UnsupportedGuarantee(
        f"what an output says about its input is known for channels alone; got {name}, which offers no columns. "
        "Choose neighborhood, or another channel that `textveil mechanisms` lists."
    )


class MadeColumns:
    """Columns of a channel, from all its rows.

    Args:
        vocabulary: inputs and outputs.
        table: a column for each word.
    """

    def __init__(self, vocabulary: Vocabulary, table: Columns) -> None:
        self.vocabulary = vocabulary
        self._table = table

    def columns(self, outputs: Ids) -> Columns:
        words = checked_ids(outputs, len(self.vocabulary))
        table = self._table
        starts, at = gathered(table.starts, words)
        return Columns(starts, table.inputs[at], table.log_ratios[at], table.log_least[words], table.complete)


def made_columns(channel: IntegerWeights, progress: Progress | None = None, listed: int = LISTED) -> MadeColumns:
    """Return the columns of a channel from its integers: at most the ``listed`` likeliest inputs of each output."""
    size = len(channel.vocabulary)
    block = max(1, _BLOCK_WEIGHTS // size)
    least, sums = np.full(size, math.inf), np.zeros(size)
    likeliest = np.empty((size, 0))
    whose = np.empty((size, 0), dtype=np.int64)
    for start in range(0, size, block):
        words = np.arange(start, min(start + block, size))
        weights = channel.integer_weights(words)
        chances = (weights / weights.sum(axis=1, keepdims=True)).T
        np.minimum(least, chances.min(axis=1), out=least)
        sums += chances.sum(axis=1)
        likeliest, whose = _likeliest(
            np.hstack([likeliest, chances]), np.hstack([whose, np.broadcast_to(words, chances.shape)]), listed
        )
        if progress is not None:
            progress(int(words[-1]) + 1, size)
    return MadeColumns(channel.vocabulary, _listed(likeliest, whose, least, sums))


def _likeliest(chances: Reals, whose: Integers, listed: int) -> tuple[Reals, Integers]:
    if chances.shape[1] <= listed:
        return chances, whose
    kept = np.argpartition(-chances, listed - 1, axis=1)[:, :listed]
    return np.take_along_axis(chances, kept, 1), np.take_along_axis(whose, kept, 1)


def _listed(likeliest: Reals, whose: Integers, least: Reals, sums: Reals) -> Columns:
    size, listed = likeliest.shape
    floor, complete = least, True
    if listed < size:
        smallest = likeliest.min(axis=1)
        cut = smallest > least * (1 + _SLACK)
        complete = not cut.any()
        others = np.maximum(sums - likeliest.sum(axis=1), 0) / (size - listed)
        floor = np.where(cut, np.clip(others, least, smallest), least)
    order = np.argsort(whose, axis=1)
    likeliest, whose = np.take_along_axis(likeliest, order, 1), np.take_along_axis(whose, order, 1)
    above = likeliest > floor[:, None] * (1 + _SLACK)
    starts = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(above.sum(axis=1), out=starts[1:])
    with np.errstate(divide="ignore"):
        logs = np.log(floor)
    # Where no other input gives the output at all, ratios are to the smallest number there is.
    logs = np.where(floor > 0, logs, math.log(np.finfo(np.float64).tiny))
    return Columns(starts, whose[above], np.log(likeliest[above]) - np.repeat(logs, np.diff(starts)), logs, complete)
