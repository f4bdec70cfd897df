"""Files appear whole or not at all; a process uses the processors that it may."""

import os
import stat
from pathlib import Path

import pytest

from textveil import environment
from textveil.environment import cores, shared_among
from textveil.errors import InputError, OutputError
from textveil.whole_files import atomic_writers


def test_a_finished_block_gives_the_file_its_name(tmp_path) -> None:
    path = tmp_path / "out.txt"
    with atomic_writers([path]) as [stream]:
        stream.write(b"all")
        assert not path.exists()
    assert path.read_bytes() == b"all"
    assert [one.name for one in tmp_path.iterdir()] == ["out.txt"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("error", [InputError("line 2"), KeyboardInterrupt(), SystemExit(143), OSError(28, "No space")])
def test_an_error_leaves_what_was_there(tmp_path, error: BaseException) -> None:
    path = tmp_path / "out.txt"
    path.write_bytes(b"old")
    expected = OutputError if type(error) is OSError else type(error)
    with pytest.raises(expected), atomic_writers([path]) as [stream]:
        stream.write(b"half")
        raise error
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["out.txt"]


def test_permissions_of_a_replaced_file_are_kept(tmp_path) -> None:
    path = tmp_path / "out.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with atomic_writers([path]) as [stream]:
        stream.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path) -> None:
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with atomic_writers([link]) as [stream]:
        stream.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_device_is_written_and_not_replaced() -> None:
    with atomic_writers([Path(os.devnull)]) as [stream]:
        stream.write(b"gone")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_missing_folder_and_a_folder_are_refused(tmp_path) -> None:
    with pytest.raises(OutputError, match="must exist and be writable"), atomic_writers([tmp_path / "no" / "out.txt"]):
        pass
    with pytest.raises(OutputError, match="got a folder"), atomic_writers([tmp_path]):
        pass


def test_several_files_appear_together_or_not_at_all(tmp_path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"old")
    with pytest.raises(OutputError), atomic_writers([one, Path("/dev/full")]) as [first, second]:
        first.write(b"new")
        second.write(b"report")
    assert one.read_bytes() == b"old"
    with pytest.raises(OutputError), atomic_writers([one, tmp_path / "no" / "two"]):
        pass
    with atomic_writers([one, two]) as [first, second]:
        first.write(b"new")
        second.write(b"report")
    assert (one.read_bytes(), two.read_bytes()) == (b"new", b"report")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_a_reader_that_went_away_is_not_an_error_of_the_file(tmp_path) -> None:
    with pytest.raises(BrokenPipeError), atomic_writers([tmp_path / "out"]):
        raise BrokenPipeError(32, "Broken pipe")
    assert list(tmp_path.iterdir()) == []


BOTH = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")


@pytest.mark.parametrize(("processes", "threads"), [(1, cores()), (2, max(1, cores() // 2)), (10**6, 1)])
def test_each_process_takes_its_part_of_the_threads(
    monkeypatch: pytest.MonkeyPatch, processes: int, threads: int
) -> None:
    for name in BOTH:
        monkeypatch.delenv(name, raising=False)
    with shared_among(processes):
        assert [os.environ[name] for name in BOTH] == [str(threads)] * 2
    assert not set(BOTH) & set(os.environ)


def test_a_number_that_was_chosen_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BOTH[0], "7")
    monkeypatch.delenv(BOTH[1], raising=False)
    with pytest.raises(RuntimeError), shared_among(10**6):
        assert (os.environ[BOTH[0]], os.environ[BOTH[1]]) == ("7", "1")
        raise RuntimeError
    assert os.environ[BOTH[0]] == "7" and BOTH[1] not in os.environ


@pytest.mark.parametrize(
    ("quota", "held", "used"),
    [("150000 100000", 64, 2), ("50000 100000", 64, 1), ("6400000 100000", 4, 4), ("max 100000", 8, 8), ("", 8, 8)],
)
def test_a_container_takes_no_more_processors_than_its_quota_fills(
    monkeypatch: pytest.MonkeyPatch, tmp_path, quota: str, held: int, used: int
) -> None:
    (tmp_path / "cpu.max").write_text(quota)
    monkeypatch.setattr(environment, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(held)), raising=False)
    assert cores() == used


@pytest.mark.parametrize(
    ("listed", "may"),
    [
        ("model name : X\nflags\t\t: fpu avx2 avx512bw\n", False),
        ("flags\t\t: fpu avx2 avx_vnni\n", True),
        ("flags\t\t: avx512_vnni amx_int8\n", True),
        ("Features\t: fp asimd\n", False),
        ("Features\t: fp asimd asimddp\n", True),
        ("cpu\t\t: POWER9\n", True),
        (None, True),
    ],
)
def test_8_bit_products_are_ruled_out_only_where_the_listed_features_lack_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path, listed: str | None, may: bool
) -> None:
    file = tmp_path / "cpuinfo"
    if listed is not None:
        file.write_text(listed, encoding="ascii")
    monkeypatch.setattr(environment, "_FEATURES", file)
    assert environment.may_multiply_bytes() == may
