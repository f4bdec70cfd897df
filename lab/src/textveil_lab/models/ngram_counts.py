"""Counts of pairs and triples of ids in running text."""

from typing import Final, NamedTuple

import numpy as np

from textveil.types import Ids, Integers

_BUFFERED: Final = 1 << 22  # Ids that are gathered before they are counted


class TrigramCounts(NamedTuple):
    """How often words follow one and two ids.

    With n words, a pair (v, w) has the key v n + w and a triple (u, v, w) the key (u (n + 2) + v) n + w, where u and v
    are context ids and w a word; v is a word too in a triple, since a context does not reach past a boundary or a
    word outside the vocabulary.
    """

    size: int
    pairs: Ids  # keys, ascending, shape (p,)
    pair_counts: Integers  # >= 1, shape (p,)
    triples: Ids  # keys, ascending, shape (t,)
    triple_counts: Integers  # >= 1, shape (t,)


class TrigramCounter:
    """Counts as texts come in; memory grows with what is distinct, not with the text."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._waiting: list[Ids] = []
        self._buffered = 0
        self._pairs = self._triples = (np.zeros(0, np.int64), np.zeros(0, np.int64))

    def add(self, ids: Ids) -> None:
        """Count one text or several, each led by a boundary (``ngram_build.TextReader``)."""
        self._waiting.append(ids)
        self._buffered += len(ids)
        if self._buffered >= _BUFFERED:
            self._count()

    def counts(self) -> TrigramCounts:
        """All that was counted so far."""
        self._count()
        return TrigramCounts(self._size, *self._pairs, *self._triples)

    def _count(self) -> None:
        n = self._size
        led = np.concatenate([[n], *self._waiting])
        self._waiting, self._buffered = [], 0
        earlier, latest, word = led[:-2], led[1:-1], led[2:]
        predicted = word < n
        longer = predicted & (latest < n)
        keys = (earlier[longer] * (n + 2) + latest[longer]) * n + word[longer]
        self._triples = _added(self._triples, keys)
        self._pairs = _added(self._pairs, latest[predicted] * n + word[predicted])


def _added(known: tuple[Ids, Integers], keys: Ids) -> tuple[Ids, Integers]:
    new, counts = np.unique(keys, return_counts=True)
    both, places = np.unique(np.concatenate([known[0], new]), return_inverse=True)
    return both, np.bincount(places, np.concatenate([known[1], counts]), len(both)).astype(np.int64)
