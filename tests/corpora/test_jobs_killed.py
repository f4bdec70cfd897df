"""Jobs killed at any moment go on to exactly one release of every document.

Run as a script, this file is what is killed: ``FOLDER STEP,STEP,...;...`` (one after another, forks die at the
STEP-th of the system calls that matter) or ``FOLDER processes`` (two processes, killed from outside).
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.runs import run_of

from textveil.corpora.corpus_run import Run
from textveil.corpora.formats.json_records import JsonLines
from textveil.corpora.formats.records import FieldChoice
from textveil.corpora.processes import Processes
from textveil.mechanisms.randomized_response import randomized_response
from textveil.vocabulary.vocabulary import Vocabulary

DOCUMENTS = 120
WORDS = [f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(60)]
CALLS = ("fsync", "replace", "unlink", "mkdir", "rmdir", "ftruncate")


def corpus(folder: Path) -> Path:
    """Lines whose documents are all of one word and differ in length: which document a release is of can be told."""
    path = folder / "in.jsonl"
    lines = [json.dumps({"id": number, "text": " ".join(["waa"] * (number % 7 + 20))}) for number in range(DOCUMENTS)]
    path.write_text("\n".join(lines) + "\n")
    return path


def made_run(folder: Path, **changes: Any) -> Run:
    vocabulary = Vocabulary(WORDS, np.random.default_rng(5).normal(size=(len(WORDS), 4)), "made")
    options: dict[str, Any] = {
        "mechanism": randomized_response(vocabulary, epsilon=0.1),
        "corpus_format": JsonLines(choice=FieldChoice(("text",), ("id",))),
        "inputs": (str(folder / "in.jsonl"),),
        "engine": Processes(1),
        "block_bytes": 300,
        "sync_seconds": 0.0,
    }
    return run_of(**{**options, **changes})


def job_folder(folder: Path) -> Path:
    return folder / ".out.jsonl.textveil-job"


def ledger(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (job_folder(folder) / "ledger.jsonl").read_bytes().splitlines()]


def check_finished(folder: Path) -> bytes:
    """One release of every document, in order; the ledger's totals are the report's."""
    out = (folder / "out.jsonl").read_bytes()
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["id"] for record in records] == list(range(DOCUMENTS))
    assert [len(record["text"].split()) for record in records] == [number % 7 + 20 for number in range(DOCUMENTS)]
    report = json.loads((folder / "report.json").read_text())
    lines = ledger(folder)
    blocks = [line for line in lines if "block" in line]
    assert [line["block"] for line in blocks] == list(range(len(blocks)))
    assert len(blocks) > 30
    assert sum(line["documents"] for line in blocks) == report["documents"] == DOCUMENTS
    assert sum(line["kinds"]["word"] for line in blocks) == report["tokens"]["word"]
    assert blocks[-1]["output"] == len(out)
    (end,) = [line for line in lines if "end" in line]
    assert end["documents"] == DOCUMENTS
    assert end["guarantee"] == report["guarantee"]
    assert "finished" in lines[-1]
    assert sorted(path.name for path in job_folder(folder).iterdir()) == ["ledger.jsonl"]
    visible = [path.name for path in folder.iterdir() if not path.name.startswith(".textveil-")]
    assert sorted(visible) == [".out.jsonl.textveil-job", "in.jsonl", "out.jsonl", "report.json"]
    return out


def committed(folder: Path) -> bytes:
    """What the job has promised so far."""
    try:
        partial = (job_folder(folder) / "partial").read_bytes()
        lines = ledger(folder)
    except (FileNotFoundError, ValueError):
        return b""
    ends = [line["output"] for line in lines if "block" in line]
    return partial[: ends[-1]] if ends else b""


def go_on(folder: Path) -> None:
    made_run(folder).to_file(folder / "out.jsonl", folder / "report.json", resume=True)


def die_at(step: int, work: Callable[[], object]) -> int:
    """Fork; the child dies before its ``step``-th call, or behind its ``-step``-th, unless it is done. Its status."""
    at, after = abs(step), step < 0
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    calls = 0

    def deadly(real: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == at and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = real(*arguments, **options)
            if calls == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    for name in CALLS:
        setattr(os, name, deadly(getattr(os, name)))
    work()
    os._exit(0)


def _script(folder: Path, how: str) -> None:
    if how == "processes":
        made_run(folder, engine=Processes(2)).to_file(folder / "out.jsonl", folder / "report.json", resume=True)
        return
    for case, text in enumerate(how.split(";")):
        one = folder / f"case{case}"
        one.mkdir()
        corpus(one)
        _killed_again_and_again(one, [int(step) for step in text.split(",")])
        check_finished(one)


def _killed_again_and_again(folder: Path, steps: list[int]) -> None:
    kept = b""
    for step in steps:
        status = die_at(step, lambda: go_on(folder))
        assert status in (0, signal.SIGKILL), status
        if status == 0:
            break
        now = committed(folder)
        assert not now or now.startswith(kept), "committed bytes changed"
        kept = now or kept
    go_on(folder)
    assert (folder / "out.jsonl").read_bytes().startswith(kept)


def python_of(script: str, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """A process that runs one of these files."""
    path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen([sys.executable, script, *arguments], stderr=subprocess.PIPE, env=environment, **options)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
@pytest.mark.parametrize(
    "cases",
    [
        ["1,-1,2,-2,3,-3,4,-4,5,-5,6,-6,7,-7,8,9,10", "12,-11,8,-8,7,6,-5,4,3,-2,1", "30,-7,41,-2,3,-5,50,-12,60"],
        [f"{sign * last},{2 - last % 5}" for last in range(104, 117) for sign in (1, -1)],
    ],
    ids=["at the beginning and on the way", "at the end"],
)
def test_a_job_killed_at_any_call_comes_to_one_release_of_each_document(tmp_path, cases: list[str]) -> None:
    """A whole run has 116 calls that matter; kills before and behind each are tried at both ends, and some between."""
    done = python_of(__file__, str(tmp_path), ";".join(cases))
    _, err = done.communicate(timeout=600)
    assert done.returncode == 0, err.decode()


def test_a_finished_job_says_so_and_releases_nothing(tmp_path) -> None:
    corpus(tmp_path)
    made_run(tmp_path, sync_seconds=9.0).to_file(tmp_path / "out.jsonl", tmp_path / "report.json", resume=True)
    out = check_finished(tmp_path)
    before = (tmp_path / "report.json").stat().st_mtime_ns
    again = made_run(tmp_path).to_file(tmp_path / "out.jsonl", tmp_path / "report.json", resume=True)
    assert again.already
    assert (tmp_path / "out.jsonl").read_bytes() == out
    assert (tmp_path / "report.json").stat().st_mtime_ns == before


def test_a_ledger_and_an_output_torn_anywhere_come_to_the_same_bytes(tmp_path) -> None:
    """All resumed runs of one secret give the same output; a torn line is a block to be done again."""
    corpus(tmp_path)
    half = tmp_path / "half"
    half.mkdir()

    class Enough(Exception):
        pass

    def stop(position: int, total: int | None, words: int) -> None:
        if words > 1000:
            raise Enough

    with pytest.raises(Enough):
        made_run(tmp_path, progress=stop).to_file(half / "out.jsonl", half / "report.json", resume=True)
    lines = (job_folder(half) / "ledger.jsonl").read_bytes()
    partial = (job_folder(half) / "partial").read_bytes()
    outs = set()
    for number, cut in enumerate([*range(lines.index(b"\n") + 1, len(lines), len(lines) // 9), len(lines)]):
        torn = tmp_path / f"torn{number}"
        shutil.copytree(half, torn)
        (job_folder(torn) / "ledger.jsonl").write_bytes(lines[:cut])
        kept = partial + b"never committed" if number % 2 else partial[: len(partial) * (10 - number) // 10]
        (job_folder(torn) / "partial").write_bytes(kept)
        made_run(tmp_path, sync_seconds=9.0).to_file(torn / "out.jsonl", torn / "report.json", resume=True)
        outs.add((torn / "out.jsonl").read_bytes())
        blocks = [line["block"] for line in ledger(torn) if "block" in line]
        assert blocks == list(range(len(blocks)))
    assert len(outs) == 1
    assert outs.pop().startswith(partial)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs SIGKILL")
def test_two_processes_killed_from_outside_at_some_moment(tmp_path) -> None:
    corpus(tmp_path)
    kept = b""
    for delay in (0.0, 0.05):
        process = python_of(__file__, str(tmp_path), "processes")
        deadline = time.monotonic() + 60
        while process.poll() is None and len(committed(tmp_path)) <= len(kept) and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(delay)
        process.kill()
        # Ends only when the workers, which hold the same pipe, have ended too.
        process.communicate(timeout=600)
        now = committed(tmp_path)
        assert now.startswith(kept)
        kept = now or kept
    made_run(tmp_path).to_file(tmp_path / "out.jsonl", tmp_path / "report.json", resume=True)
    assert check_finished(tmp_path).startswith(kept)


if __name__ == "__main__":
    _script(Path(sys.argv[1]), sys.argv[2])
