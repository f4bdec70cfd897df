"""When a run builds the public tables that its mechanism reads, before its workers start.

The decision reads public facts only: the size of the input, which anybody who sees the file sees, and the size of
the vocabulary. That a table is there tells no more than that.
"""

import shutil
from collections.abc import Callable, Iterable
from typing import Final

from textveil.mechanisms.kinds import Mechanism, SequenceMechanism, Tabulated, WordMechanism
from textveil.types import Progress
from textveil.vocabulary.tables.public import OpenTable, PublicTable, tables_folder

MOST_BYTES: Final = 256 * 2**20  # Larger tables are built when they are asked for by name, ``textveil tables build``
_WORD_BYTES: Final = 6  # bytes of running text for a word, with the space after it
_HEAPS: Final = 30.0
"""A text of N words has about 30 sqrt(N) different ones (Heaps' law; 21 to 31 in AG News and Wikipedia, up to 6 MB)."""


def pays(input_bytes: int, words: int) -> bool:
    """Tell if so long a text would ask for half the rows of a table or more: they are made as fast in the table."""
    return _HEAPS * (input_bytes / _WORD_BYTES) ** 0.5 >= words / 2


def provided_tables(
    mechanism: Mechanism, input_bytes: int | None, tell: Callable[[str], None], progress: Progress | None = None
) -> list[OpenTable]:
    """The tables of a mechanism, those built that are missing and pay; hold them as long as they are to be used.

    Where one cannot be kept nothing is built, and a line is told: processes then make rows as words appear.

    Args:
        input_bytes: size of the input as it lies on the disk; None if it is not known: then nothing is built.
        tell: called with one line, at most.
    """
    if not isinstance(mechanism, WordMechanism | SequenceMechanism) or not isinstance(mechanism, Tabulated):
        return []
    building = input_bytes is not None and pays(input_bytes, len(mechanism.vocabulary))
    return provided(mechanism.tables, building, tell, progress)


def provided(
    tables: Iterable[PublicTable], building: bool, tell: Callable[[str], None], progress: Progress | None
) -> list[OpenTable]:
    """Hold tables; if ``building``, those that are missing are built."""
    held: list[OpenTable] = []
    for table in tables:
        open_table = table.opened()
        if open_table is None and building:
            if table.nbytes > MOST_BYTES:
                continue
            problem = _no_room(table.nbytes)
            if not problem:
                open_table, _, problem = table.build(progress)
            if problem:
                tell(f"{problem} Rows are made as words appear. Set TEXTVEIL_CACHE to a folder with room.")
        if open_table is not None:
            held.append(open_table)
    return held


def _no_room(size: int) -> str:
    """Why a table of so many bytes cannot be kept, known before it is made; empty if nothing speaks against it."""
    folder = tables_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink(missing_ok=True)
        if shutil.disk_usage(folder).free < 2 * size:
            return f"A table of {size:,} bytes does not fit in the cache folder."
    except OSError as error:
        return f"The cache folder cannot be written ({error.strerror or type(error).__name__})."
    return ""
