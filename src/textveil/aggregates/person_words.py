"""The words of a corpus as numbers, by person: four bytes a word, so that they are read and split once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from textveil.aggregates.records import PersonalRecords
from textveil.text.spelling import fold, spelling
from textveil.text.tokens import Kind, classify, split
from textveil.types import Integers, Progress

BREAK: Final = -1
"""Stands where no n-gram may go on: a number, punctuation, the end of a record."""

_PASSED: Final = -2
"""White space and hyphens: words on both sides of them are neighbors."""

_CHUNK: Final = 1 << 20
"""Words that are held at once beside their numbers, and all of one person's."""


@final
class _Numbers(dict[str, int]):
    """Numbers of tokens by their surface: of words from 0, the public ones first."""

    def __init__(self, public: Sequence[str]) -> None:
        super().__init__()
        self.words = {word: number for number, word in enumerate(public)}

    def __missing__(self, surface: str) -> int:
        kind = classify(surface)
        if kind in (Kind.WORD, Kind.SCRIPT):
            # Some letters are spelled with spaces (U+FDFA), which part the words of an n-gram.
            word = fold(surface) if kind is Kind.WORD else spelling(surface).replace(" ", "")
            number = self.words.setdefault(word, len(self.words)) if word else BREAK
        else:
            number = _PASSED if kind is Kind.SPACE or surface == "-" else BREAK
        self[surface] = number
        return number


@final
class Chunk(NamedTuple):
    """All words of some persons.

    Attributes:
        words: numbers of words, or ``BREAK``; a break ends each record. Shape (n,), int32.
        persons: number of each word's person, ascending; shape (n,).
        labels: number of each word's label; shape (n,).
    """

    words: NDArray[np.int32]
    persons: Integers
    labels: Integers


@final
@dataclass(frozen=True)
class PersonWords:
    """The words of all records that count, those of each person one after the other.

    Attributes:
        spellings: of words by their numbers: the public ones first, then others in the order of the records.
        labels: names of labels by their numbers: the public ones first; empty where no labels are read.
        words: as in ``Chunk``; all records.
        lengths: of the records, breaks counted; shape (records,).
        record_persons: ascending; shape (records,).
        record_labels: shape (records,); 0 where no labels are read, ``BREAK`` for one outside the public list.
    """

    spellings: list[str]
    labels: list[str]
    words: NDArray[np.int32]
    lengths: Integers
    record_persons: Integers
    record_labels: Integers

    @classmethod
    def read(
        cls,
        records: PersonalRecords,
        public: Sequence[str],
        labels: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> PersonWords:
        """Read and split all records.

        Args:
            records: of the corpus.
            public: words of the public list, folded, each once.
            labels: all labels that count, where they are public; None takes those of the records.
            progress: as ``PersonalRecords.batches`` takes it.

        Raises:
            InputError: as ``PersonalRecords.batches``.
        """
        numbers = _Numbers(public)
        names = {name: number for number, name in enumerate(labels or ())}
        parts, lengths, persons, classes = [], [], [], []
        for batch in records.batches(progress):
            for text in batch.texts:
                ids = [numbers[surface] for surface in split(text)]
                ids.append(BREAK)
                part = np.array(ids, dtype=np.int32)
                part = part[part != _PASSED]
                parts.append(part)
                lengths.append(part.size)
            persons.append(batch.persons)
            if labels is None:
                classes += [names.setdefault(name, len(names)) for name in batch.labels]
            else:
                classes += [names.get(name, BREAK) for name in batch.labels]
        owners = np.concatenate([np.empty(0, np.int64), *persons])
        order = np.argsort(owners, kind="stable")
        labelled = np.array(classes, dtype=np.int64) if classes else np.zeros(owners.size, np.int64)
        return cls(
            list(numbers.words),
            list(names),
            np.concatenate([np.empty(0, np.int32), *(parts[record] for record in order)]),
            np.array(lengths, dtype=np.int64)[order],
            owners[order],
            labelled[order],
        )

    def chunks(self) -> Iterator[tuple[slice, Chunk]]:
        """All words, in parts that hold every person whole, with their place."""
        if not self.lengths.size:
            return
        ends = np.cumsum(self.lengths)
        last = np.append(np.flatnonzero(np.diff(self.record_persons)), self.lengths.size - 1)  # record of each person
        record, start = 0, 0
        while record < self.lengths.size:
            fitting = last[(ends[last] - start <= _CHUNK) & (last >= record)]
            stop = int(fitting[-1] if fitting.size else last[np.searchsorted(last, record)]) + 1
            end, lengths = int(ends[stop - 1]), self.lengths[record:stop]
            yield (
                slice(start, end),
                Chunk(
                    self.words[start:end],
                    np.repeat(self.record_persons[record:stop], lengths),
                    np.repeat(self.record_labels[record:stop], lengths),
                ),
            )
            record, start = stop, end
