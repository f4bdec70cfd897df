"""A table by what it is made from: opened where it is kept, or built whole and kept.

Tables are public: they are computed from a public vocabulary and public parameters alone. They are complete or absent,
never grown with what a text asks for, since which rows are there would tell which words were seen. Whether one is
built may depend on public facts only, such as the size of the input.
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from textveil.environment import CACHE
from textveil.errors import need
from textveil.types import Progress
from textveil.vocabulary.embedded import DATA
from textveil.vocabulary.grid import integer_grid, nested_limit
from textveil.vocabulary.table_files import Arrays, ArrayShape, TableKey, read_table, write_table
from textveil.vocabulary.vocabulary import Vocabulary

Sound = Callable[[Arrays], bool]  # whether arrays are such that a guarantee holds with them, whoever made them


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class OpenTable:
    """A table's arrays, read-only; mapped from a file on disk that is this user's, so that processes share them."""

    arrays: Arrays

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]


class Built(NamedTuple):
    """The result of building: the table, where it is kept (None: in memory only), and then why, in one line."""

    table: OpenTable
    path: Path | None
    problem: str = ""


_OPEN: WeakValueDictionary[str, OpenTable] = WeakValueDictionary()
"""Tables that something in this process holds, by the digests of their keys."""

_LATEST: deque[OpenTable] = deque(maxlen=2)
"""Tables that stay open with nobody holding them, so that what is made next with equal settings finds them checked.

Files are mapped: beside the files' own pages a table costs what is computed from it, some bytes an entry.
"""

_BUILDS: list[str] = []


def close_unused() -> None:
    """Let go of tables that nobody holds; what is made next looks for them in the cache folder again."""
    _LATEST.clear()


def builds() -> int:
    """Number of tables that this process has built: a caller that found none looks again when it grows."""
    return len(_BUILDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTable:
    """The recipe of a table; nothing is read or made before ``opened`` or ``build``.

    ``sound``: asked of every file from the cache folder, beyond its checksum: with arrays that pass it the guarantee
    holds, even if somebody else wrote them; ``expected``: about how long the arrays will be whose length only making
    tells.
    """

    key: TableKey
    describe: str  # for a person: `"the 128 nearest words of 32,698"`
    make: Callable[[Progress | None], Arrays]  # computes the arrays; the same bytes on every machine
    sound: Sound
    shipped: Path | None = None  # a file of the package that may hold it; trusted as the package's code is
    ours_alone: bool = False  # no file that others can write is read, since `sound` cannot tell what a guarantee needs
    expected: Mapping[str, int] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """Length of its file, or about what it will be."""
        return self.key.with_lengths(self.expected).nbytes

    @property
    def path(self) -> Path:
        """The path where it is kept, or will be."""
        return tables_folder() / self.key.file_name

    @property
    def place(self) -> Path | None:
        """The file that is read; None if there is no intact one."""
        opened = self._read()
        return None if opened is None else opened[0]

    def opened(self) -> OpenTable | None:
        """The table, if it is there and intact; a file that is not is left for ``build`` to replace."""
        digest = self.key.digest
        if (table := _OPEN.get(digest)) is None and (opened := self._read()) is not None:
            table = _OPEN[digest] = OpenTable(opened[1])
        if table is not None and not any(latest is table for latest in _LATEST):
            _LATEST.append(table)
        return table

    def _read(self) -> tuple[Path, Arrays] | None:
        if self.shipped is not None and (arrays := read_table(self.shipped, self.key)) is not None:
            return self.shipped, arrays
        kept = read_table(self.path, self.key, ours_alone=self.ours_alone)
        return None if kept is None or not self.sound(kept) else (self.path, kept)

    def build(self, progress: Progress | None = None) -> Built:
        """Make all of it and keep it; if the folder cannot be written, in memory as long as it is held.

        Of two that build at once each writes a whole file, and the later name stands: their bytes are the same.
        """
        built = self.make(progress)
        path: Path | None = None
        problem = ""
        try:
            path = write_table(tables_folder(), self.key, built)
        except OSError as error:
            problem = f"{self.describe} could not be kept on disk ({error.strerror or type(error).__name__})."
        arrays = None if path is None else read_table(path, self.key, ours_alone=self.ours_alone)
        if arrays is None:
            for array in built.values():
                array.flags.writeable = False
            if path is not None:  # removed at once by somebody, or a disk that does not keep what it is given
                path, problem = None, f"{self.describe} could not be read back from disk."
        digest = self.key.digest
        table = _OPEN[digest] = OpenTable(built if arrays is None else arrays)
        _BUILDS.append(digest)
        return Built(table, path, problem)


def tables_folder() -> Path:
    """Return the folder of tables: below the folder that TEXTVEIL_CACHE names, else below the user's cache folder."""
    if named := os.environ.get(CACHE):
        return Path(named) / "tables"
    from platformdirs import user_cache_path  # here: most runs find their table in the package

    return user_cache_path("textveil", appauthor=False) / "tables"


def distinct_rows(rows: NDArray[Any], count: int) -> bool:
    """Tell whether every row of ids is in [0, count) and names no id twice."""
    if rows.size and (int(rows.min()) < 0 or int(rows.max()) >= count):
        return False
    for start in range(0, len(rows), 4096):
        ordered = np.sort(rows[start : start + 4096], axis=1)
        if bool((ordered[:, 1:] == ordered[:, :-1]).any()):
            return False
    return True


KIND: Final = "neighbor-order"
NEIGHBORS: Final = "neighbors"  # the array: ids, shape (n, k), row x begins with x
SHIPPED: Final = DATA / "neighbors.table"
SHIPPED_SIZE: Final = 67
"""Words in a row of the table that comes with the embedded vocabulary: the neighborhood at epsilon 8."""
_BLOCK: Final = 256  # words whose rows are made at once: their scores take 33 MB at 33,000 words
_RULE: Final = "greatest cosine on the integer grid, the word first, ties to the lower id; 1"  # changes when rows do
_SCALES: WeakKeyDictionary[Vocabulary, str] = WeakKeyDictionary()


def neighbor_order(vocabulary: Vocabulary, size: int) -> PublicTable:
    """The table that holds the ``size`` nearest words of every word at least; see ``IntegerGrid.neighborhoods``.

    The lengths of its rows are few, so that few tables serve all sizes: the first m words of a row are the row of
    length m. Rows longer than ``nested_limit`` are not so: their tables have just the length asked for. ``size``:
    between 1 and the number of words.
    """
    n = len(vocabulary)
    need(1 <= size <= n, "size", size, f"between 1 and the {n} words of the vocabulary")
    length = row_length(size, n)
    return PublicTable(
        key=TableKey(
            kind=KIND,
            made_from={"vocabulary": vocabulary.digest, "grid": grid_digest(vocabulary), "rule": _RULE},
            arrays=(ArrayShape(NEIGHBORS, np.min_scalar_type(n - 1).newbyteorder("<").str, (n, length)),),
        ),
        describe=f"the table of the {length:,} nearest words of each of {n:,}",
        make=partial(_made, vocabulary, length),
        sound=partial(_sound, n),
        shipped=SHIPPED if length == SHIPPED_SIZE else None,
    )


def row_length(size: int, words: int) -> int:
    """The length of the rows in which the ``size`` nearest of so many words are kept."""
    limit = nested_limit(words)
    if size > limit:
        return size
    return min(limit, SHIPPED_SIZE if size <= SHIPPED_SIZE else 1 << (size - 1).bit_length())


def _made(vocabulary: Vocabulary, length: int, progress: Progress | None) -> Arrays:
    grid = integer_grid(vocabulary)
    n = grid.size
    rows = np.empty((n, length), dtype=np.min_scalar_type(n - 1))
    for start in range(0, n, _BLOCK):
        ids = np.arange(start, min(start + _BLOCK, n), dtype=np.int64)
        rows[ids] = grid.neighborhoods(ids, length, n)
        if progress is not None:
            progress(start + len(ids), n)
    return {NEIGHBORS: rows}


def _sound(words: int, arrays: Arrays) -> bool:
    """Every row is a set of words: all that the guarantee of neighborhood response asks (its proof, section 1)."""
    return distinct_rows(arrays[NEIGHBORS], words)


def grid_digest(vocabulary: Vocabulary) -> str:
    """Return what the integers of a vocabulary are, beyond its vectors: its own scales, else the grid's rule."""
    if vocabulary.grid is None:
        return "rounded to a power of two a row; 1"
    if (known := _SCALES.get(vocabulary)) is None:
        scales = np.ascontiguousarray(vocabulary.grid.scales, dtype="<f4")
        known = _SCALES[vocabulary] = hashlib.sha256(scales.data).hexdigest()
    return known
