"""Processes that are started share the processors, and a choice of the user's stands."""

import os

import pytest

from textveil import processors
from textveil.processors import cores, shared_among

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
    monkeypatch.setattr(processors, "_QUOTA", tmp_path / "cpu.max")
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
    monkeypatch.setattr(processors, "_FEATURES", file)
    assert processors.may_multiply_bytes() == may
