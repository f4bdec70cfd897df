"""Which words may stand behind a released word: the likeliest by prior and channel, of every output or place."""

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.capabilities import ChannelColumns
from textveil.mechanisms.sampling.output_columns import Columns
from textveil.types import Ids, Integers, Reals, Vectors

NONE = -1  # Stands in place of a candidate where there are fewer


class Candidates(NamedTuple):
    """The words that may stand behind each of several released words, the likeliest first."""

    words: NDArray[np.int32]  # ids, each once in a row, or NONE, int32, shape (places, k)
    log_ratios: Vectors  # ln P(y | x) less the least of the column, nats, float32, shape (places, k)


def likeliest(columns: Columns, log_prior: Reals, frequent: Ids, count: int) -> Candidates:
    """The ``count`` inputs of each column that are most probable under a prior.

    Args:
        log_prior: ln of the prior, shape (n,).
        frequent: the inputs of the greatest prior, ``count`` at least: what is in no column's list is among them.
        count: candidates wanted, <= n.
    """
    size, rows = len(log_prior), len(columns.log_least)
    place = columns.places
    listed = place * size + columns.inputs
    others = (np.arange(rows)[:, None] * size + frequent).reshape(-1)
    others = others[~_among(others, listed)]
    keys = np.concatenate([listed, others])
    ratios = np.concatenate([columns.log_ratios, np.zeros(len(others))]).astype(np.float32)
    scores = log_prior[keys % size] + ratios
    order = np.lexsort((keys, -scores, keys // size))
    starts = np.searchsorted(keys[order] // size, np.arange(rows + 1))
    at = starts[:-1, None] + np.arange(count)
    inside = at < starts[1:, None]
    chosen = order[np.where(inside, at, 0)]
    words = np.where(inside, keys[chosen] % size, NONE).astype(np.int32)
    return Candidates(words, np.where(inside, ratios[chosen], 0).astype(np.float32))


def _among(keys: Integers, rising: Integers) -> NDArray[np.bool_]:
    if len(rising) == 0:
        return np.zeros(len(keys), dtype=np.bool_)
    at = np.minimum(np.searchsorted(rising, keys), len(rising) - 1)
    return rising[at] == keys


class CandidateTable:
    """Candidates of the outputs of a channel, made when an output first appears and kept. Safe for several threads."""

    __slots__ = ("_channel", "_frequent", "_known", "_lock", "_log_prior", "_ratios", "_words", "count")

    def __init__(self, channel: ChannelColumns, prior: Reals, count: int) -> None:
        size = len(prior)
        self.count = min(count, size)
        self._channel = channel
        self._log_prior, self._frequent = log_prior(prior), most_frequent(prior, self.count)
        self._lock = Lock()
        self._known = np.zeros(size, dtype=np.bool_)
        self._words = np.full((size, self.count), NONE, dtype=np.int32)
        self._ratios = np.zeros((size, self.count), dtype=np.float32)

    def of(self, outputs: Ids) -> Candidates:
        """The candidates of each output."""
        with self._lock:
            new = np.unique(outputs[~self._known[outputs]])
            for start in range(0, len(new), 4096):
                part = new[start : start + 4096]
                candidates = likeliest(self._channel.columns(part), self._log_prior, self._frequent, self.count)
                self._words[part], self._ratios[part] = candidates
                self._known[part] = True
        return Candidates(self._words[outputs], self._ratios[outputs])


def log_prior(prior: Reals) -> Reals:
    """Ln of a prior; of words without any, of the smallest float."""
    return np.log(np.maximum(prior, np.finfo(np.float64).tiny))


def most_frequent(prior: Reals, count: int) -> Ids:
    """The words of greatest prior, ties to the lower id."""
    return np.sort(np.argsort(-prior, kind="stable")[:count])
