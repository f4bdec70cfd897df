"""``textveil sanitize`` as a job: what it goes on with after whatever death, and what it refuses."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.helpers.records import WORDS, lines, shape
from tests.helpers.shared import interruptible


@pytest.mark.slow
def test_a_job_goes_on_only_with_the_same_options_and_inputs(textveil, command, small, tmp_path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(lines(60_000).encode() + b"\xff\n" + lines(140_000).encode())
    assert textveil(source, "-o", out)[0] == 1
    job = tmp_path / ".out.txt.textveil-job"
    assert job.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in job.iterdir()} == {0o600}
    changes = {("--seed", "1"): "seed", ("--number-epsilon", "3"): "number epsilon"}
    for change, named in changes.items():
        code, _, err = textveil(source, "-o", out, "--resume", *change)
        assert code == 2
        assert f"--resume needs the options with which the job began; these differ now: {named}. Delete the" in err
    other = ("2" if option == "1" else option for option in small)  # as --epsilon stands there
    code, _, err = command("sanitize", *other, source, "-o", out, "--resume")
    assert (code, "these differ now: epsilon. Delete the" in err) == (2, True)
    raw = source.read_bytes()
    source.write_bytes(raw + b"more\n")
    code, _, err = textveil(source, "-o", out, "--resume")
    assert (code, "the inputs with which the job began" in err) == (2, True)
    source.write_bytes(raw.replace(b"waa", b"wab", 1))
    before = (job / "ledger.jsonl").read_bytes()
    code, _, err = textveil(source, "-o", out, "--resume", "--workers", 1)
    assert (job / "ledger.jsonl").read_bytes() == before
    assert (code, "its first records are other ones now" in err) == (2, True)
    assert "goes on" not in err
    source.write_bytes(raw)
    code, _, err = textveil(source, "-o", out, "--resume", "--on-error", "skip")
    assert (code, "An input may have changed since the job began" in err) == (1, True)
    assert shape(out.read_bytes()) == shape(lines(200_000).encode())
    assert sorted(path.name for path in job.iterdir()) == ["ledger.jsonl"]
    code, _, err = textveil(source, "-o", out, "--resume", "--on-error", "skip")
    assert code == 0
    assert "was finished before; nothing was released now" in err
    code, _, err = textveil(source, "-o", out, "--resume", "--number-epsilon", "3")
    assert (code, "which is finished; these differ now: number epsilon. Name another" in err) == (2, True)
    source.write_bytes(raw + b"more\n")
    code, _, err = textveil(source, "-o", out, "--resume")
    assert (code, "the inputs with which the job began" in err) == (2, True)
    code, _, err = textveil(source, "-o", out, "--on-error", "skip")  # a new job, and a new release
    assert (code, job.exists()) == (1, False)


@pytest.mark.slow
def test_an_input_that_changed_behind_what_is_committed_is_told(textveil, tmp_path) -> None:
    """Of the same name and size, and the same up to the last committed block: only the time of writing tells."""
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(lines(200_000).encode() + b"\xff\n")
    assert textveil(source, "-o", out)[0] == 1
    assert (tmp_path / ".out.txt.textveil-job").exists()
    source.write_bytes(lines(200_000).encode() + b"a\n")
    code, _, err = textveil(source, "-o", out, "--resume")
    assert (code, out.read_bytes().count(b"\n")) == (0, 200_001)
    assert "released as it is now, where it was not released before" in err
    source.write_bytes(lines(200_000).encode() + b"b\n")
    code, _, err = textveil(source, "-o", out, "--resume", "-q")
    assert (code, "what is new in it was not released" in " ".join(err.split())) == (0, True)


@pytest.mark.slow
def test_an_input_that_is_as_it_was_is_not_told(textveil, tmp_path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(lines(200_000).encode() + b"\xff\n")
    assert textveil(source, "-o", out)[0] == 1
    for _ in range(2):
        assert "may have changed" not in textveil(source, "-o", out, "--resume", "--on-error", "skip")[2]


def test_reports_are_files_of_their_own_and_made_again(textveil, tmp_path) -> None:
    source, out, report, sender = (tmp_path / name for name in ("in.txt", "out.txt", "r.json", "s.json"))
    source.write_text(lines(5) + "xqzvbnmq\n")
    options = (source, "-o", out, "--report", report, "--sender-report", sender, "--resume")
    assert textveil(*options)[0] == 0
    texts = report.read_text(), sender.read_text()
    assert json.loads(texts[1])["unknown_words_mapped"] == 1
    assert json.loads(texts[1])["setting_digest"] == json.loads(texts[0])["setting_digest"]
    assert not {"unknown", "sender", "mapped", "skipped"} & set(json.loads(texts[0]))
    for path in (report, sender):
        path.unlink()
    assert textveil(*options)[0] == 0
    assert (report.read_text(), sender.read_text()) == texts
    assert _mode(sender) == 0o600 != _mode(report)
    sender.chmod(0o644)  # as earlier versions wrote it
    assert textveil(*options)[0] == 0 and _mode(sender) == 0o600
    code, _, err = textveil(source, "--report", report, "--sender-report", report)
    assert (code, "the input, --output and every report must be different files" in err) == (2, True)
    (tmp_path / "o").mkdir()
    streamed = tmp_path / "o/s.json"
    assert textveil(source, "--sender-report", streamed)[0] == 0 and _mode(streamed) == 0o600  # without a job
    assert json.loads((tmp_path / "o/s.json").read_text())["skipped"] == {"count": 0, "first": []}


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def _process(small: tuple[str, ...], *arguments: str, **options) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "textveil", "sanitize", *small, *arguments]
    return interruptible(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, **options)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_a_job_from_a_pipe_goes_on_when_the_same_bytes_come_again(textveil, small, tmp_path, kill) -> None:
    out = tmp_path / "out.txt"
    raw = (" ".join(WORDS) + "\n").encode() * 120_000  # some blocks
    process = _process(small, "-o", str(out))
    assert process.stdin is not None
    ledger = tmp_path / ".out.txt.textveil-job/ledger.jsonl"
    for start in range(0, len(raw), 300_000):  # until blocks are committed, about a second after they were released
        if ledger.exists() and b'"output"' in ledger.read_bytes().splitlines()[-1]:
            break
        process.stdin.write(raw[start : start + 300_000])
        process.stdin.flush()
        time.sleep(0.2)
    process.send_signal(kill)
    process.stdin.close()
    process.stdin = None
    _, err = process.communicate(timeout=600)
    assert process.returncode != 0
    assert b"Traceback" not in err
    if kill == signal.SIGINT:
        assert process.returncode == 130
        assert b"--resume goes on behind them" in err
    kept = (ledger.parent / "partial").read_bytes()[: json.loads(ledger.read_bytes().splitlines()[-1])["output"]]
    assert kept
    code, _, err = textveil("-o", out, "--resume", stdin=raw[::-1])
    assert code == 2
    code, _, err = textveil("-o", out, "--resume", stdin=raw)
    assert code == 0, err
    assert out.read_bytes().startswith(kept)
    assert shape(out.read_bytes()) == shape(raw)


def _little_room() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (900_000, 900_000))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
def test_a_full_disk_loses_nothing_that_was_written(textveil, small, tmp_path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text(lines(100_000))
    process = _process(small, str(source), "-o", str(out), preexec_fn=_little_room)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 1
    assert err.count(b"\n") == 1, err
    assert b"the output could not be written: File too large" in err
    assert b"--resume goes on behind them" in err
    kept = (Path(f"{tmp_path}/.out.txt.textveil-job") / "partial").read_bytes()
    code, _, err = textveil(source, "-o", out, "--resume")
    assert code == 0, err
    assert out.read_bytes().startswith(kept[:250_000])
    assert shape(out.read_bytes()) == shape(lines(100_000).encode())


def test_two_runs_of_one_job_at_once_are_refused(textveil, tmp_path) -> None:
    fcntl = pytest.importorskip("fcntl")
    job = tmp_path / ".out.txt.textveil-job"
    job.mkdir(mode=0o700)
    with (job / "ledger.jsonl").open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        code, _, err = textveil("-o", tmp_path / "out.txt", stdin=b"waa")
    assert code == 2
    assert "under way" in err


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_a_job_folder_that_others_can_open_is_refused(textveil, tmp_path) -> None:
    job = tmp_path / ".out.txt.textveil-job"
    job.mkdir()
    job.chmod(0o755)
    code, _, err = textveil("-o", tmp_path / "out.txt", stdin=b"waa")
    assert code == 2
    assert "only you can open" in err
