"""Numbers of records in memory that does not grow with their texts: beyond a limit they are in a file without a name.

The file is in the folder for temporary files. It has no name, or loses it at once: other users but the
administrator cannot open it. The system frees it when this process ends, however that happens; it is not encrypted.
"""

import contextlib
import tempfile
import weakref
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from textveil.errors import OutputError
from textveil.types import Integers

_IN_MEMORY: Final = 1 << 26  # bytes that are held in memory before a file is made
_COPIED: Final = 1 << 20  # numbers that are held at once while they are put in another order


class Spill:
    """Numbers in a row, added at the end and read by slices."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed with this object
        self.size = 0
        weakref.finalize(self, _closed, self._file)

    def append(self, numbers: NDArray[Any]) -> None:
        """Add numbers, in the order of their rows.

        Raises:
            OutputError: the folder for temporary files is full, or cannot be written.
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

    def __getitem__(self, place: slice) -> NDArray[Any]:
        """A copy of the numbers between two places, in a row."""
        start, stop, _ = place.indices(self.size)
        self._file.seek(start * self.dtype.itemsize)
        return np.frombuffer(self._file.read((stop - start) * self.dtype.itemsize), self.dtype)


def _closed(file: Any) -> None:
    with contextlib.suppress(OSError):  # a full disk, which was told before
        file.close()


def by_person(numbers: Spill, lengths: NDArray[Any], persons: NDArray[Any]) -> tuple[Spill, Integers]:
    """Put the records of each person one after the other, in their order.

    Args:
        lengths: how many numbers each record has.

    Returns:
        The numbers in that order, and the places that the records had.
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

    A part has at most ``most`` numbers, or one person.

    Args:
        persons: of each record, ascending.
    """
    last = np.append(np.flatnonzero(np.diff(persons)), persons.size - 1) if persons.size else persons
    ends = np.cumsum(lengths, dtype=np.int64)[last]
    person = record = start = 0
    while person < last.size:
        person = max(int(np.searchsorted(ends, start + most, side="right")), person + 1)
        stop, end = int(last[person - 1]) + 1, int(ends[person - 1])
        yield slice(record, stop), slice(start, end)
        record, start = stop, end
