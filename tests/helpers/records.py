"""Labelled records of persons, in memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from textveil.aggregates.request import Batch
from textveil.privacy.units import ONE_PERSON_MORE, Adjacency
from textveil.types import Progress


@dataclass
class MemoryRecords:
    """Records in memory."""

    persons: list[int]
    texts: list[str]
    labels: list[str]
    adjacency: Adjacency = ONE_PERSON_MORE
    names: tuple[str, ...] = ()
    limit: int | None = None
    labelled: bool = True

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        yield Batch(np.array(self.persons, dtype=np.int64), self.texts, self.labels)


SECRET = "Xylophonia"
"""A word that no message may hold."""

WORDS = [f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(40)]


def lines(count: int, start: int = 0) -> str:
    """Documents of one to five words, a line each."""
    return "".join(" ".join(WORDS[: number % 5 + 1]) + "\n" for number in range(start, start + count))


def shape(raw: bytes) -> list[int]:
    """The words of each line."""
    return [len(line.split()) for line in raw.decode().splitlines()]
