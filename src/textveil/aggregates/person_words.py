"""The words of a corpus as numbers, by person: four bytes a word on the disk, so that they are read and split once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.aggregates.request import Records
from textveil.aggregates.spill import Spill, by_person, whole_persons
from textveil.text.tokens import Kind, classify, fold, spelling, split
from textveil.types import Integers, Progress

BREAK: Final = -1
"""Stands where no n-gram may go on: a number, punctuation, the end of a record."""

_PASSED: Final = -2  # white space and hyphens: words on both sides of them are neighbors
_CHUNK: Final = 1 << 20  # words that are held at once, or all of one person's
_SURFACES: Final = 1 << 18  # surfaces of tokens whose numbers are remembered


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
        if len(self) >= _SURFACES:
            self.clear()
        self[surface] = number
        return number


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


@dataclass(frozen=True)
class PersonWords:
    """The words of all records that count, those of each person one after the other.

    Attributes:
        spellings: of words by their numbers: the public ones first, then others in the order of the records.
        labels: names of labels by their numbers: the public ones first; empty if no labels are read.
        words: as in ``Chunk``; all records.
        lengths: of the records, breaks counted; shape (records,), int32.
        record_persons: ascending; shape (records,), int32.
        record_labels: 0 if no labels are read, ``BREAK`` for one outside the public list; shape (records,), int32.
    """

    spellings: list[str]
    labels: list[str]
    words: Spill
    lengths: NDArray[np.int32]
    record_persons: NDArray[np.int32]
    record_labels: NDArray[np.int32]

    @classmethod
    def read(
        cls,
        records: Records,
        public: Sequence[str],
        labels: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> PersonWords:
        """Read and split all records.

        Args:
            public: words of the public list, folded, each once.
            labels: all labels that count, where they are public; None takes those of the records.

        Raises:
            InputError: as ``PersonalRecords.batches``.
        """
        numbers = _Numbers(public)
        names = {name: number for number, name in enumerate(labels or ())}
        words, columns = Spill(np.int32), [np.empty((3, 0), np.int32)]
        for batch in records.batches(progress):
            parts = [_numbered(text, numbers) for text in batch.texts]
            words.append(np.concatenate(parts))
            if labels is None:
                classes = [names.setdefault(name, len(names)) for name in batch.labels]
            else:
                classes = [names.get(name, BREAK) for name in batch.labels]
            sizes = [part.size for part in parts]
            columns.append(np.array([sizes, batch.persons, classes or np.zeros_like(batch.persons)], dtype=np.int32))
        lengths, persons, labelled = np.concatenate(columns, axis=1)
        ordered, order = by_person(words, lengths, persons)
        return cls(list(numbers.words), list(names), ordered, lengths[order], persons[order], labelled[order])

    def chunks(self) -> Iterator[tuple[slice, Chunk]]:
        """All words, in parts that hold every person whole, with their place."""
        for records, place in whole_persons(self.lengths, self.record_persons, _CHUNK):
            lengths = self.lengths[records]
            yield (
                place,
                Chunk(
                    self.words[place],
                    np.repeat(self.record_persons[records].astype(np.int64), lengths),
                    np.repeat(self.record_labels[records].astype(np.int64), lengths),
                ),
            )


def _numbered(text: str, numbers: _Numbers) -> NDArray[np.int32]:
    words = np.array([*(numbers[surface] for surface in split(text)), BREAK], dtype=np.int32)
    return words[words != _PASSED]
