"""Inputs by pattern, by first bytes and from pipes; outputs by their ending; every fault by its own line."""

import gzip
import io
import os
import random
import resource
import subprocess
import sys
import threading
import tracemalloc
import zlib
from pathlib import Path

import pytest

from textveil.corpora.sources import compressing, expanded, opened
from textveil.errors import InputError, MissingExtra, OutputError

DATA = b"".join(b"line %d of the corpus\n" % number for number in range(20_000))


def zstd(data: bytes) -> bytes:
    arrow = pytest.importorskip("pyarrow", reason="zstd is read through pyarrow: the extra `arrow`")
    return arrow.Codec("zstd").compress(data, asbytes=True)


def read(path: Path, size: int = -1) -> bytes:
    with opened(str(path)) as (stream, _, _):
        return stream.read(size)


def written(folder: Path, data: bytes) -> Path:
    path = folder / "input"
    path.write_bytes(data)
    return path


# Names and patterns.


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.txt", "a.txt", "Z.txt", "in/c.txt", "in/deep/d.txt", ".hidden.txt", "x[1].txt", "e.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"text\n")
    (tmp_path / "folder.txt").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_patterns_are_sorted_in_the_order_given(tree: Path) -> None:
    assert expanded(["e.jsonl", "[ab].txt"]) == ["e.jsonl", "a.txt", "b.txt"]
    assert expanded(["*.txt"]) == ["Z.txt", "a.txt", "b.txt", "x[1].txt"]
    assert expanded(["in/**/*.txt"]) == ["in/c.txt", "in/deep/d.txt"]


def test_a_name_that_exists_is_no_pattern(tree: Path) -> None:
    assert expanded(["x[1].txt"]) == ["x[1].txt"]


def test_standard_input_is_a_dash(tree: Path) -> None:
    assert expanded(["-", "a.txt"]) == ["-", "a.txt"]


@pytest.mark.parametrize(
    ("patterns", "said"),
    [
        (["a.txt", "*.md"], "input 2 must match a file; nothing matches"),
        (["absent.txt"], r"input 1 \(absent.txt\) must be a readable file; got No such file"),
        (["Maria has 2 cats."], "input 1 must be a readable file; got No such file"),
        (["in"], "input 1 must be a readable file; got a folder"),
        (["a.txt", "*.txt"], "input 2 must name other files .* released twice"),
        (["a.txt", "./in/../a.txt"], "input 2 .* a file twice"),
        (["-", "-"], "input 2 .* a file twice"),
    ],
)
def test_bad_patterns_are_named_by_their_position(tree: Path, patterns: list[str], said: str) -> None:
    """And by a file's plain name: anything else may be a text that somebody forgot to put into a file."""
    with pytest.raises(InputError, match=said) as caught:
        expanded(patterns)
    assert "Maria" not in str(caught.value)
    assert "*.md" not in str(caught.value)


def test_a_link_to_a_file_is_that_file(tree: Path) -> None:
    (tree / "link.txt").symlink_to("a.txt")
    with pytest.raises(InputError, match="a file twice"):
        expanded(["a.txt", "link.txt"])


# Reading.


def cases() -> list:
    half = len(DATA) // 2
    return [
        pytest.param(lambda: DATA, id="plain"),
        pytest.param(lambda: gzip.compress(DATA), id="gzip"),
        pytest.param(lambda: gzip.compress(DATA[:half]) + gzip.compress(DATA[half:]), id="gzip members"),
        pytest.param(lambda: gzip.compress(DATA[:half]) + gzip.compress(b"") + gzip.compress(DATA[half:]), id="empty"),
        pytest.param(lambda: gzip.compress(DATA) + bytes(1000), id="gzip padded"),
        pytest.param(lambda: gzip.compress(DATA) + bytes(2**19), id="gzip padded long"),
        pytest.param(lambda: zstd(DATA), id="zstd"),
        pytest.param(lambda: zstd(DATA[:half]) + zstd(DATA[half:]), id="zstd frames"),
        pytest.param(lambda: b"\x53\x2a\x4d\x18\x02\0\0\0ab" + zstd(DATA), id="zstd skippable"),
    ]


@pytest.mark.parametrize("data", cases())
def test_inputs_are_told_by_their_first_bytes(tmp_path: Path, data) -> None:
    made = data()
    path = written(tmp_path, made)
    assert read(path) == DATA
    with opened(str(path)) as (stream, size, position):
        assert size == len(made)
        first = stream.readline()
        assert first == b"line 0 of the corpus\n"
        assert 0 < position() <= len(made)
        assert first + b"".join(stream) == DATA
        assert position() == len(made)


@pytest.mark.parametrize("data", cases())
def test_pipes_are_told_by_their_first_bytes(tmp_path: Path, data) -> None:
    """Even when the first bytes come one by one."""
    made = data()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as sink:
            for index in range(5):
                sink.write(made[index : index + 1])
            rest = memoryview(made)[5:]
            while rest:
                rest = rest[sink.write(rest) :]

    writer = threading.Thread(target=write)
    writer.start()
    with opened(str(pipe)) as (stream, size, position):
        assert size is None
        assert stream.read() == DATA
        assert position() == len(made)
    writer.join()


def test_a_slow_pipe_hands_over_what_it_has(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    seen = threading.Event()

    def write() -> None:
        with pipe.open("wb", buffering=0) as sink:
            sink.write(b"the first line\n")
            assert seen.wait(20)
            sink.write(b"the second\n")

    writer = threading.Thread(target=write)
    writer.start()
    with opened(str(pipe)) as (stream, _, _):
        assert stream.readline() == b"the first line\n"
        seen.set()
        assert stream.read() == b"the second\n"
    writer.join()


def test_standard_input_is_read_and_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(gzip.compress(DATA)))
    monkeypatch.setattr(sys, "stdin", stdin)
    with opened("-") as (stream, size, _):
        assert stream.read() == DATA
        assert size is None
    assert not stdin.buffer.closed


def test_a_plain_file_can_be_sought(tmp_path: Path) -> None:
    with opened(str(written(tmp_path, DATA))) as (stream, _, _):
        stream.seek(-7, os.SEEK_END)
        assert stream.read() == DATA[-7:]


@pytest.mark.parametrize("data", [b"", b"x", b"\x1f", b"\x28\xb5"])
def test_short_files_are_plain(tmp_path: Path, data: bytes) -> None:
    assert read(written(tmp_path, data)) == data


# Faults.


@pytest.mark.parametrize("seed", range(20))
def test_gzip_cut_anywhere_is_refused_after_what_was_whole(tmp_path: Path, seed: int) -> None:
    """Every cut inside a member is seen, also one inside its last eight bytes; so is one between header bytes."""
    made = gzip.compress(DATA) + gzip.compress(b"second\n")
    bound = len(gzip.compress(DATA))
    cut = [1, 2, 9, 11, bound - 8, bound - 1, bound + 1, bound + 9, len(made) - 1]
    length = cut[seed] if seed < len(cut) else random.Random(seed).randrange(3, len(made) - 1)
    if length in (1, bound):
        length += 1
    path = written(tmp_path, made[:length])
    got = bytearray()
    with opened(str(path)) as (stream, _, _), pytest.raises(InputError, match="gzip member") as caught:
        while piece := stream.read(1000):
            got += piece
    assert (DATA + b"second\n").startswith(bytes(got))
    assert "line" not in str(caught.value)
    if length != bound + 1:  # one byte of a header cannot be told from other bytes
        assert "ends in the middle of a gzip member" in str(caught.value)


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        (b"SECRET garbage", "other bytes follow one"),
        (bytes(10) + b"SECRET", "other bytes follow one"),
        (b"\x1f\x8bSECRET", "it is damaged"),
    ],
)
def test_bytes_after_gzip_are_refused(tmp_path: Path, tail: bytes, said: str) -> None:
    path = written(tmp_path, gzip.compress(DATA) + tail)
    with pytest.raises(InputError, match=said) as caught:
        read(path)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_damaged_gzip_checksum_is_refused(tmp_path: Path) -> None:
    made = bytearray(gzip.compress(DATA))
    made[-6] ^= 1
    with pytest.raises(InputError, match="it is damaged"):
        read(written(tmp_path, bytes(made)))


def test_damaged_zstd_is_refused(tmp_path: Path) -> None:
    made = zstd(DATA)
    for data, said in (
        (made[:-1], "middle of a zstd frame"),
        (made[:5], "middle of a zstd frame"),
        (made + made[: len(made) // 2], "middle of a zstd frame"),
        (made + b"SECRET", "must be sound zstd"),
        (made[:9] + bytes(8) + made[17:], "must be sound zstd"),
    ):
        with pytest.raises(InputError, match=said) as caught:
            read(written(tmp_path, data))
        assert "SECRET" not in str(caught.value)


def test_a_large_zstd_window_is_refused(tmp_path: Path) -> None:
    """A frame header that asks for 2 GiB of memory (RFC 8878, §3.1.1.1.2: exponent 21)."""
    zstd(b"")
    header = b"\x28\xb5\x2f\xfd\x00" + bytes([21 << 3]) + b"\x09\x00\x00A"
    with pytest.raises(InputError, match="window of at most 128 MiB"):
        read(written(tmp_path, header))


def test_zstd_without_arrow_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = written(tmp_path, b"\x28\xb5\x2f\xfd" + b"anything")
    with pytest.raises(MissingExtra, match=r"pip install 'textveil\[arrow\]'"):
        read(path)
    with pytest.raises(MissingExtra, match=r"textveil\[arrow\]"):
        compressing(io.BytesIO(), "released.txt.zst")


def test_an_unreadable_input_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be a readable file; got No such file"), opened(str(tmp_path / "no")):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_a_bomb_is_read_in_constant_memory(tmp_path: Path, pack: str) -> None:
    """256 MiB of zeros from less than 300 kB; the peak stays under 16 MiB (the mutant that inflates at once: 256)."""
    zeros = bytes(2**20)
    if pack == "gzip":
        packer = zlib.compressobj(wbits=31)
        made = b"".join(packer.compress(zeros) for _ in range(256)) + packer.flush()
    else:
        made = zstd(bytes(2**28))
    path = written(tmp_path, made)
    assert len(made) < 300_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    total = 0
    with opened(str(path)) as (stream, _, _):
        while piece := stream.read(2**16):
            total += len(piece)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert total == 2**28
    assert peak < 2**24
    assert grown < 2**15  # KiB


# Writing.


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz", "out.TXT.GZ", "out.txt.zst", None])
def test_outputs_are_compressed_by_their_ending(tmp_path: Path, name: str | None) -> None:
    if name is not None and name.lower().endswith("zst"):
        zstd(b"")
    sink = io.BytesIO()
    writer = compressing(sink, name)
    pieces = [DATA[:100], DATA[100:5000], b"", DATA[5000:]]
    ends = [0]
    for piece in pieces:
        assert writer.write(piece) == len(piece)
        writer.flush_frame()
        ends.append(len(sink.getvalue()))
    made = sink.getvalue()
    assert read(written(tmp_path, made)) == DATA
    if name in (None, "out.txt"):
        assert made == DATA
    else:
        assert len(made) < len(DATA) / 2
    # Whole frames up to every flush: cut there and continued, it is the same file.
    for count, end in enumerate(ends[1:], start=1):
        assert read(written(tmp_path, made[:end])) == b"".join(pieces[:count])


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_frames_are_functions_of_the_data(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No time, no name: a block that is written again is the same bytes."""
    if ending == "zst":
        zstd(b"")
    made = []
    for name, now in (("a", 1.0), ("b", 2.0e9)):
        monkeypatch.setattr("time.time", lambda now=now: now)
        sink = io.BytesIO()
        writer = compressing(sink, f"{name}.{ending}")
        writer.write(DATA)
        writer.flush_frame()
        made.append(sink.getvalue())
    assert made[0] == made[1]


def test_a_frame_is_bounded(tmp_path: Path) -> None:
    sink = io.BytesIO()
    writer = compressing(sink, "out.gz")
    data = DATA * 25
    writer.write(data)
    assert len(sink.getvalue()) > 0
    writer.flush_frame()
    assert read(written(tmp_path, sink.getvalue())) == data


def test_gzip_and_zstd_read_what_is_written(tmp_path: Path) -> None:
    """The system's own gzip agrees."""
    sink = io.BytesIO()
    writer = compressing(sink, "out.gz")
    for index in range(0, len(DATA), 100_000):
        writer.write(DATA[index : index + 100_000])
        writer.flush_frame()
    path = tmp_path / "out.gz"
    path.write_bytes(sink.getvalue())
    assert gzip.decompress(sink.getvalue()) == DATA
    try:
        done = subprocess.run(["gzip", "-dc", str(path)], capture_output=True, check=True)
    except FileNotFoundError:
        pytest.skip("needs the program gzip")
    assert done.stdout == DATA


def test_a_sink_that_takes_little_gets_everything_and_one_that_takes_nothing_is_an_error() -> None:
    class Narrow(io.RawIOBase):
        def __init__(self, most: int) -> None:
            self.most, self.got = most, b""

        def write(self, data) -> int:
            self.got += bytes(data[: self.most])
            return min(self.most, len(data))

    narrow = Narrow(7)
    compressing(narrow, None).write(DATA[:100])
    assert narrow.got == DATA[:100]
    with pytest.raises(OutputError, match="takes no more bytes"):
        compressing(Narrow(0), None).write(DATA)
