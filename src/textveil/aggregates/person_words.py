"""The words of a corpus as numbers, by person, so that texts are read and split once.

Numbers beyond a limit are in a file in the folder for temporary files. It has no name, or loses it at once: other users
but the administrator cannot open it. The system frees it when this process ends; it is not encrypted.
"""

from __future__ import annotations

import contextlib
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from textveil.aggregates.request import Batch
from textveil.errors import OutputError
from textveil.text.tokens import Kind, classify, fold, spelling, split
from textveil.types import Integers

_IN_MEMORY: Final = 1 << 24  # bytes that are held in memory before a file is made
_COPIED: Final = 1 << 20  # numbers that are held at once while they are put in another order
_DOCUMENTS: Final = 1024  # that are held at once, or all of one person's


class Spill:
    """Numbers in a row, added at the end and read by slices."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed with this object
        self.size = 0
        weakref.finalize(self, _closed, self._file)

    def append(self, numbers: NDArray[Any]) -> None:
        """Add numbers, in the order of their rows.

        Raises OutputError: the folder for temporary files is full, or cannot be written.
        """
        try:
            self._file.seek(0, 2)
            self._file.write(np.ascontiguousarray(numbers, self.dtype).tobytes())
            self._file.flush()
        except OSError as error:
            raise OutputError(
                f"the folder for temporary files must have room for the corpus; got {error.strerror}. Set TMPDIR to "
                "another one."
            ) from None
        self.size += numbers.size

    def __reduce__(self) -> tuple[Any, ...]:
        return _spilled, (self[:],)

    def __getitem__(self, place: slice) -> NDArray[Any]:
        start, stop, _ = place.indices(self.size)
        self._file.seek(start * self.dtype.itemsize)
        return np.frombuffer(self._file.read((stop - start) * self.dtype.itemsize), self.dtype)


def _spilled(numbers: NDArray[Any]) -> Spill:
    spill = Spill(numbers.dtype)
    spill.append(numbers)
    return spill


def _closed(file: Any) -> None:
    with contextlib.suppress(OSError):  # a full disk, which was told before
        file.close()


def by_person(numbers: Spill, lengths: NDArray[Any], persons: NDArray[Any]) -> tuple[Spill, Integers]:
    """Put the records of each person one after the other, in their order.

    ``lengths``: how many numbers each record has. Returns the numbers in that order, and the places that the records
    had.
    """
    if (persons[1:] >= persons[:-1]).all():
        return numbers, np.arange(persons.size)
    order = np.argsort(persons, kind="stable")
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    ordered, waiting, size = Spill(numbers.dtype), list[NDArray[Any]](), 0
    for record in order:
        waiting.append(numbers[starts[record] : starts[record] + lengths[record]])
        size += waiting[-1].size
        if size >= _COPIED:
            ordered.append(np.concatenate(waiting))
            waiting, size = [], 0
    if waiting:
        ordered.append(np.concatenate(waiting))
    return ordered, order


def whole_persons(lengths: NDArray[Any], persons: NDArray[Any], most: int) -> Iterator[tuple[slice, slice]]:
    """Yield places of records, and of their numbers, in parts that hold every person whole.

    A part has at most ``most`` numbers, or one person. ``persons``: of each record, ascending.
    """
    last = np.append(np.flatnonzero(np.diff(persons)), persons.size - 1) if persons.size else persons
    ends = np.cumsum(lengths, dtype=np.int64)[last]
    person = record = start = 0
    while person < last.size:
        person = max(int(np.searchsorted(ends, start + most, side="right")), person + 1)
        stop, end = int(last[person - 1]) + 1, int(ends[person - 1])
        yield slice(record, stop), slice(start, end)
        record, start = stop, end


class PersonVectors(NamedTuple):
    """Documents of some persons."""

    persons: Integers  # number of each document's person, shape (count,)
    vectors: NDArray[np.integer[Any]]  # with an L2 norm of at most a bound, whole, shape (count, dim)
    labels: Integers  # number of each document's label, shape (count,)
    counts: sparse.csr_array | None = None  # how often each word stands in each, shape (count, words)


class GatheredVectors:
    """Documents by person, on the disk: two bytes a coordinate, eight a word of each. Every person comes whole."""

    def __init__(self, parts: Iterable[PersonVectors], dim: int) -> None:
        vectors, values, ids = Spill(np.int16), Spill(np.int32), Spill(np.int32)
        columns = [np.empty((3, 0), np.int32)]
        self._dim, self._words = dim, 0
        for part in parts:
            vectors.append(part.vectors)
            sizes = np.zeros_like(part.persons)
            if part.counts is not None:
                values.append(part.counts.data)
                ids.append(part.counts.indices)
                sizes, self._words = np.diff(part.counts.indptr), part.counts.shape[1]
            columns.append(np.array([part.persons, part.labels, sizes], dtype=np.int32))
        persons, labels, sizes = np.concatenate(columns, axis=1)
        self._vectors, order = by_person(vectors, np.full(persons.size, dim), persons)
        self._values, self._ids = (by_person(held, sizes, persons)[0] for held in (values, ids))
        self._persons, self._labels = persons[order], labels[order]
        self._ends = np.append(0, np.cumsum(sizes[order], dtype=np.int64))

    @property
    def documents(self) -> Integers:
        """Number of documents each person has; one at least."""
        return np.unique(self._persons, return_counts=True)[1]

    def __iter__(self) -> Iterator[PersonVectors]:
        lengths = np.full(self._persons.size, self._dim)
        for records, numbers in whole_persons(lengths, self._persons, _DOCUMENTS * self._dim):
            counts, ends = None, self._ends[records.start : records.stop + 1]
            if self._words:
                place = slice(int(ends[0]), int(ends[-1]))
                held = (self._values[place].astype(np.int64), self._ids[place], ends - ends[0])
                counts = sparse.csr_array(held, shape=(len(ends) - 1, self._words))
            vectors = self._vectors[numbers].reshape(-1, self._dim)
            yield PersonVectors(self._persons[records], vectors, self._labels[records], counts)


BREAK: Final = -1  # stands where no n-gram may go on: a number, punctuation, the end of a record

_PASSED: Final = -2  # white space and hyphens: words on both sides of them are neighbors
_CHUNK: Final = 1 << 20  # words that are held at once, or all of one person's
_SURFACES: Final = 1 << 18  # surfaces of tokens whose numbers are remembered


class _Numbers(dict[str, int]):
    """Numbers of tokens by their surface: of words from 0, the public ones first."""

    def __init__(self, public: Sequence[str]) -> None:
        super().__init__()
        self.words = {word: number for number, word in enumerate(public)}

    def __missing__(self, surface: str) -> int:
        if (kind := classify(surface)) in (Kind.WORD, Kind.SCRIPT):
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
    """All words of some persons."""

    words: NDArray[np.int32]  # numbers of words, or ``BREAK``; a break ends each record. Shape (n,), int32
    persons: Integers  # number of each word's person, ascending; shape (n,)
    labels: Integers  # number of each word's label; shape (n,)


@dataclass(frozen=True)
class PersonWords:
    """The words of all records that count, those of each person one after the other."""

    spellings: list[str]  # of words by their numbers: the public ones first, then others in the order of the records
    labels: list[str]  # names of labels by their numbers: the public ones first; empty if no labels are read
    words: Spill  # as in ``Chunk``; all records
    lengths: NDArray[np.int32]  # of the records, breaks counted; shape (records,), int32
    record_persons: NDArray[np.int32]  # ascending; shape (records,), int32
    # 0 if no labels are read, ``BREAK`` for one outside the public list; shape (records,), int32
    record_labels: NDArray[np.int32]

    @classmethod
    def read(cls, batches: Iterable[Batch], public: Sequence[str], labels: Sequence[str] | None = None) -> PersonWords:
        """Read and split all records.

        Args:
            batches: records; of each person, all.
            public: words of the public list, folded, each once.
            labels: all labels that count, if they are public; None takes those of the records.

        Raises InputError: as ``PersonalRecords.batches``.
        """
        numbers = _Numbers(public)
        names = {name: number for number, name in enumerate(labels or ())}
        words, columns = Spill(np.int32), [np.empty((3, 0), np.int32)]
        for batch in batches:
            rows = ([*(numbers[surface] for surface in split(text)), BREAK] for text in batch.texts)
            parts = [part[part != _PASSED] for part in (np.array(row, dtype=np.int32) for row in rows)]
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

    def renumbered(self, spellings: list[str], labels: list[str]) -> PersonWords:
        """Return the same records by other numbers of words and labels: places in these lists, which hold them all."""
        if (spellings, labels) == (self.spellings, self.labels):
            return self
        words, classes = (
            np.array([*map({name: place for place, name in enumerate(after)}.__getitem__, before), BREAK], np.int32)
            for after, before in ((spellings, self.spellings), (labels, self.labels))
        )
        ordered = Spill(np.int32)
        for start in range(0, self.words.size, _COPIED):
            ordered.append(words[self.words[start : start + _COPIED]])
        record_labels = classes[self.record_labels] if labels else self.record_labels
        return replace(self, spellings=spellings, labels=labels, words=ordered, record_labels=record_labels)

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
