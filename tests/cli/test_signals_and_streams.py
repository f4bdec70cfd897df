"""Signals, closed streams and readers that go away: nothing is half written, one line is said."""

import os
import signal
import subprocess
import sys
import time

import pytest
from tests.helpers.shared import interruptible


def _process(*arguments: str, **options) -> subprocess.Popen[bytes]:
    return interruptible([sys.executable, "-m", "textveil", *arguments], **options)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "kill"), reason="needs POSIX signals")
@pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_killed_before_its_first_block_leaves_nothing(tmp_path, kill: signal.Signals) -> None:
    out = tmp_path / "out.txt"
    process = _process("sanitize", "-o", str(out), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"words and words\n" * 20_000)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".*/partial")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [path.name for path in tmp_path.iterdir()] == [".out.txt.textveil-job"]
    process.send_signal(kill)
    _, err = process.communicate(timeout=600)
    assert process.returncode != 0
    assert list(tmp_path.iterdir()) == []
    assert b"Traceback" not in err


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_fault(tmp_path) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes(b"words and words and words\n" * 300_000)
    process = _process("sanitize", str(source), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    assert process.wait(timeout=600) == 1
    assert err == b""
    process.stderr.close()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("redirect", ["<&-", ">&-", "> /dev/full"])
def test_closed_and_full_streams_get_one_line(redirect: str) -> None:
    command = f"echo words | {sys.executable} -m textveil sanitize -q {redirect}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1
    assert done.stderr.startswith("textveil: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
