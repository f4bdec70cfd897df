"""Public tables: whole or absent, checked when opened, bit for bit what is computed, never telling of a text."""

import errno
import hashlib
import json
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest
from tests.helpers.processor import needs_kernel
from tests.helpers.shared import needs_lab
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.mechanisms.kinds import Tabulated
from textveil.mechanisms.neighborhood import neighborhood
from textveil.mechanisms.raised_rows import NeighborRows
from textveil.randomness import seeded_generator
from textveil.vocabulary import public_tables as public
from textveil.vocabulary import table_files as files
from textveil.vocabulary.embedded import provenance
from textveil.vocabulary.grid import IntegerGrid, integer_grid, nested_limit
from textveil.vocabulary.public_tables import (
    NEIGHBORS,
    SHIPPED,
    SHIPPED_SIZE,
    builds,
    neighbor_order,
    row_length,
    tables_folder,
)
from textveil.vocabulary.table_files import (
    ArrayShape,
    TableKey,
    clear_tables,
    read_table,
    table_files,
    write_table,
)
from textveil.vocabulary.vocabulary import Vocabulary

KEY = TableKey(
    kind="made-up",
    made_from={"digest": "abc", "clip": 1.5, "rule": 1, "other": None},
    arrays=(ArrayShape("odd", "|u1", (3, 7)), ArrayShape("wide", "<i8", (5,)), ArrayShape("none", "<u2", (0, 4))),
)
ARRAYS = {
    "odd": np.arange(21, dtype=np.uint8).reshape(3, 7),
    "wide": np.array([1, -2, 2**62, 0, 7]),
    "none": np.empty((0, 4), dtype=np.uint16),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A cache folder of the test's own, and no table that an earlier test opened."""
    monkeypatch.setattr(public, "_OPEN", WeakValueDictionary())
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path / "cache"))
    assert tables_folder() == tmp_path / "cache" / "tables"
    return tables_folder()


def test_arrays_come_back_read_only_and_nothing_else_is_there(tmp_path: Path) -> None:
    path = write_table(tmp_path, KEY, ARRAYS)
    assert [one.name for one in tmp_path.iterdir()] == [KEY.file_name] == [path.name]
    assert path.stat().st_size == KEY.nbytes
    found = read_table(path, KEY)
    assert found is not None and found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
        with pytest.raises(ValueError, match="read-only"):
            found[name][...] = 0


def test_any_change_of_a_byte_or_the_length_is_noticed(tmp_path: Path) -> None:
    path = write_table(tmp_path, KEY, ARRAYS)
    whole = path.read_bytes()
    header = len(whole[:4096].rstrip())
    for index in [*range(header + 2), 4095, *range(4096, len(whole))]:
        path.write_bytes(whole[:index] + bytes([whole[index] ^ 1]) + whole[index + 1 :])
        assert read_table(path, KEY) is None, index
    for other in (b"", whole[:100], whole[:-1], whole + b"\0", whole[:4096]):
        path.write_bytes(other)
        assert read_table(path, KEY) is None
    path.write_bytes(whole)
    assert read_table(path, KEY) is not None


@pytest.mark.parametrize(
    "other",
    [
        {"kind": "other"},
        {"made_from": {**KEY.made_from, "digest": "abd"}},
        {"made_from": {**KEY.made_from, "clip": 1.5000000000000002}},
        {"arrays": (*KEY.arrays[1:], KEY.arrays[0])},
        {"arrays": (ArrayShape("odd", "|u1", (7, 3)), *KEY.arrays[1:])},
        {"arrays": (ArrayShape("odd", "|i1", (3, 7)), *KEY.arrays[1:])},
    ],
)
def test_a_table_made_from_anything_else_is_another(tmp_path: Path, other) -> None:
    key = TableKey(**{"kind": KEY.kind, "made_from": KEY.made_from, "arrays": KEY.arrays, **other})
    assert key.digest != KEY.digest and key.file_name != KEY.file_name
    assert read_table(write_table(tmp_path, KEY, ARRAYS), key) is None


def test_another_format_of_the_file_is_another_table(tmp_path: Path, monkeypatch) -> None:
    path = write_table(tmp_path, KEY, ARRAYS)
    name = KEY.file_name
    monkeypatch.setattr(files, "FORMAT", files.FORMAT + 1)
    assert KEY.file_name != name and read_table(path, KEY) is None


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    path = write_table(tmp_path, KEY, ARRAYS)
    assert read_table(tmp_path, KEY) is None
    assert read_table(tmp_path / "absent", KEY) is None
    if hasattr(os, "O_NOFOLLOW"):
        link = tmp_path / "link"
        link.symlink_to(path)
        assert read_table(link, KEY) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_under_the_name_of_a_table_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / KEY.file_name)
    opening = threading.Thread(target=read_table, args=(tmp_path / KEY.file_name, KEY), daemon=True)
    opening.start()
    opening.join(timeout=600)
    assert not opening.is_alive()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners of files")
@pytest.mark.parametrize("whose", ["another user's", "writable by the group", "writable by all"])
def test_a_file_that_others_can_write_is_used_as_it_was_checked(tmp_path: Path, monkeypatch, whose: str) -> None:
    path = write_table(tmp_path, KEY, ARRAYS)
    if whose == "another user's":
        if os.geteuid() == 0:
            os.chown(path, 12345, -1)
        else:
            monkeypatch.setattr(os, "geteuid", lambda: 12345)
    else:
        path.chmod(0o664 if whose == "writable by the group" else 0o646)
    found = read_table(path, KEY)
    assert found is not None
    with path.open("r+b") as stream:  # in place, as who has the file open can at any time
        stream.seek(4096)
        stream.write(b"\xff" * (KEY.nbytes - 4096))
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)


def test_arrays_must_be_as_the_key_says(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="arrays must be"):
        write_table(tmp_path, KEY, {"odd": ARRAYS["odd"]})
    with pytest.raises(ParameterError, match="wide must be shape"):
        write_table(tmp_path, KEY, {**ARRAYS, "wide": ARRAYS["wide"][:4]})
    with pytest.raises(ParameterError, match="little-endian"):
        TableKey(kind="made-up", made_from={}, arrays=(ArrayShape("odd", ">i4", (3,)),))
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_table(tmp_path, KEY, ARRAYS)
    assert list(tmp_path.iterdir()) == []


_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.vocabulary.test_tables import ARRAYS, KEY
from textveil.vocabulary import public_tables as public, table_files as files
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
files.write_table(Path(sys.argv[1]), KEY, ARRAYS)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_builder_that_is_killed_leaves_nothing_under_the_name(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    ended = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], env=environment, check=False)
    assert ended.returncode == -9
    assert table_files(tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 1
    assert clear_tables(tmp_path)[0] == 1
    assert list(tmp_path.iterdir()) == []


def test_tables_are_listed_with_what_they_were_made_from_and_cleared(tmp_path: Path) -> None:
    assert table_files(tmp_path / "absent") == [] and clear_tables(tmp_path / "absent") == (0, 0)
    path = write_table(tmp_path, KEY, ARRAYS)
    (tmp_path / "damaged.table").write_bytes(path.read_bytes()[:-1])
    (tmp_path / "nonsense.table").write_bytes(b"[1]".ljust(5000))
    (tmp_path / "deep.table").write_bytes(b"[" * 5000)
    (tmp_path / "mine.txt").write_text("stays")
    listed = {one.name: one for one in table_files(tmp_path)}
    assert listed[KEY.file_name].intact and listed[KEY.file_name].made_from == KEY.made_from
    assert not listed["damaged.table"].intact and listed["damaged.table"].kind == "made-up"
    for name in ("nonsense.table", "deep.table"):
        assert not listed[name].intact and listed[name].made_from is None
    assert clear_tables(tmp_path) == (4, sum(one.nbytes for one in listed.values()))
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]


def test_the_folder_is_the_users_unless_it_is_named(monkeypatch) -> None:
    monkeypatch.delenv("TEXTVEIL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert "textveil" in str(tables_folder())
    monkeypatch.setenv("TEXTVEIL_CACHE", "")
    assert "textveil" in str(tables_folder())


# The order of neighbors


def _channel(vocabulary: Vocabulary, size: int = 9):
    return neighborhood(vocabulary, epsilon=4.0, neighborhood_size=size)


@pytest.mark.parametrize("size", [1, 5, 10, 11, 300, 700])
def test_rows_of_a_table_are_the_computed_rows_in_their_order(folder: Path, size: int) -> None:
    """Short rows are beginnings of the table's; rows past the limit have a table of their own length."""
    vocabulary = made_vocabulary(700, dim=20, seed=5)
    assert nested_limit(700) == 10
    table = neighbor_order(vocabulary, size)
    built = table.build()
    assert built.path == table.path and built.problem == ""
    rows = built.table[NEIGHBORS]
    assert rows.shape == (700, row_length(size, 700)) == (700, max(size, 10))
    assert rows.dtype == np.uint16
    np.testing.assert_array_equal(rows[:, :size], integer_grid(vocabulary).neighborhoods(np.arange(700), size))


@pytest.mark.parametrize("size", [9, 300])
def test_draws_are_the_same_with_a_table_and_without(folder: Path, size: int) -> None:
    vocabulary = made_vocabulary(700, dim=20, seed=5)
    ids = np.random.default_rng(1).integers(0, 700, 3000)
    without = _channel(vocabulary, size)
    drawn = without.privatize(ids, seeded_generator(3))
    assert len(without.rows._rows.kept) > 100
    assert not folder.exists(), "rows that a text asked for must not reach the disk"
    built = without.tables[0].build()
    made = _channel(vocabulary, size)
    for channel in (made, pickle.loads(pickle.dumps(made))):
        assert isinstance(channel, Tabulated)
        np.testing.assert_array_equal(channel.privatize(ids, seeded_generator(3)), drawn)
        np.testing.assert_array_equal(channel.probabilities(5), without.probabilities(5))
        assert channel.rows._open is not None and len(channel.rows._rows.kept) == 0
    assert built.path is not None
    without.privatize(ids)
    assert without.rows._open is built.table, "a channel that found no table finds one that was built since"


def test_a_damaged_table_is_taken_for_absent_and_built_again(folder: Path) -> None:
    vocabulary = made_vocabulary(300, dim=10, seed=2)
    table = neighbor_order(vocabulary, 4)
    path = table.build().path
    assert path is not None
    data = bytearray(path.read_bytes())
    data[5000] ^= 1
    path.write_bytes(data)
    assert table.opened() is None
    assert _channel(vocabulary, 4).privatize(np.arange(300)).shape == (300,)
    table.build()
    assert table.opened() is not None


@pytest.mark.parametrize("row", [[7, 7, 3, 4], [7, 3, 4, 300]])
def test_rows_that_are_no_sets_of_words_are_refused_whoever_wrote_them(folder: Path, row: list[int]) -> None:
    """A word that stands twice in S(x) would be drawn with twice the raised weight: more than epsilon."""
    vocabulary = made_vocabulary(300, dim=10, seed=2)
    table = neighbor_order(vocabulary, 4)
    made = dict(table.make(None))
    rows = made[NEIGHBORS].copy()
    rows[7] = row
    write_table(folder, table.key, {NEIGHBORS: rows})
    assert read_table(table.path, table.key) is not None
    assert table.opened() is None
    write_table(folder, table.key, made)
    assert table.opened() is not None


def test_a_folder_that_cannot_be_written_costs_memory_and_one_line(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path / "file"))
    vocabulary = made_vocabulary(300, dim=10, seed=2)
    channel = _channel(vocabulary, 4)
    (table,) = channel.tables
    built = table.build()
    assert built.path is None
    assert "could not be kept on disk" in built.problem and "\n" not in built.problem
    assert table.opened() is built.table  # as long as it is held
    with pytest.raises(ValueError, match="read-only"):
        built.table[NEIGHBORS][0, 0] = 1
    channel.privatize(np.arange(300))
    assert channel.rows._open is built.table


def test_builders_at_once_leave_one_whole_table(folder: Path) -> None:
    vocabulary = made_vocabulary(300, dim=10, seed=2)
    table = neighbor_order(vocabulary, 4)
    seen, done = [], threading.Event()

    def reader() -> None:
        while not done.is_set():
            there = table.path.exists()
            seen.append(read_table(table.path, table.key) is not None or not there)

    watching = threading.Thread(target=reader)
    watching.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            built = list(pool.map(lambda _: table.build().path, range(12)))
    finally:
        done.set()
        watching.join()
    assert set(built) == {table.path}
    assert [one.name for one in folder.iterdir()] == [table.key.file_name]
    assert seen and all(seen)


def test_tables_tell_vocabularies_and_grids_apart() -> None:
    """Vectors that are stored as integers and the same numbers as floats are on different grids."""
    values = np.random.default_rng(3).integers(-127, 128, size=(300, 8)).astype(np.int8)
    scales = np.full(300, 0.125, dtype=np.float32)
    words = [f"w{index}" for index in range(300)]
    stored = Vocabulary(words, grid=(values, scales))
    floats = Vocabulary(words, stored.vectors)
    assert stored.digest == floats.digest
    keys = {neighbor_order(one, 4).key.digest for one in (stored, floats, made_vocabulary(300, dim=8))}
    assert len(keys) == 3
    assert neighbor_order(stored, 3).key == neighbor_order(Vocabulary(words, grid=(values, scales)), 2).key


@needs_lab
def test_lists_of_word_metrics_are_the_same_with_a_table_and_without(folder: Path, monkeypatch) -> None:
    from textveil_lab.vocabulary.metrics.neighbor_graph import neighbor_lists

    vocabulary = made_vocabulary(300, dim=10, seed=2)
    without = neighbor_lists(vocabulary, 6)
    built = neighbor_order(vocabulary, 6).build()
    monkeypatch.setattr(IntegerGrid, "neighborhoods", None)
    np.testing.assert_array_equal(neighbor_lists(vocabulary, 6), without)
    assert built.path is not None


# The table in the package


def test_the_shipped_table_is_that_of_flat_weights_at_epsilon_8(embedded: Vocabulary) -> None:
    channel = neighborhood(embedded, epsilon=8.0, base_weights="flat")
    assert channel.weights.members == SHIPPED_SIZE
    assert channel.tables[0].shipped == SHIPPED
    assert SHIPPED.stat().st_size == channel.tables[0].key.nbytes < 10_000_000
    assert hashlib.sha256(SHIPPED.read_bytes()).hexdigest() == provenance()["tables"][SHIPPED.name]
    table = channel.tables[0].opened()
    assert table is not None and channel.tables[0].sound(table.arrays)
    channel.privatize(np.arange(100))
    assert channel.rows._open is table and len(channel.rows._rows.kept) == 0


def test_the_shipped_rows_are_the_computed_ones(embedded: Vocabulary, rng) -> None:
    ids = rng.choice(len(embedded), 400, replace=False)
    table = neighbor_order(embedded, SHIPPED_SIZE).opened()
    assert table is not None
    np.testing.assert_array_equal(table[NEIGHBORS][ids], integer_grid(embedded).neighborhoods(ids, SHIPPED_SIZE))
    computed = NeighborRows(embedded, 20)
    computed._looked = builds()
    members = computed.members(np.repeat(ids, 20), np.tile(np.arange(20), 400))
    np.testing.assert_array_equal(table[NEIGHBORS][ids, :20].reshape(-1), members)


_KERNEL = """
import json, numpy as np
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.public_tables import NEIGHBORS, SHIPPED_SIZE, neighbor_order
vocabulary = load_vocabulary()
ids = np.arange(0, len(vocabulary), 97)
rows = integer_grid(vocabulary).neighborhoods(ids, SHIPPED_SIZE)
print(json.dumps(np.array_equal(rows, neighbor_order(vocabulary, SHIPPED_SIZE).opened()[NEIGHBORS][ids])))
"""


@pytest.mark.parametrize("kernel", ["Haswell", "SkylakeX", "Prescott"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_shipped_rows_are_those_of_every_blas_kernel(kernel: str, threads: str) -> None:
    needs_kernel(kernel)
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": threads}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    told = subprocess.run(
        [sys.executable, "-c", _KERNEL], env=environment, capture_output=True, text=True, check=True, timeout=600
    )
    assert json.loads(told.stdout) is True
