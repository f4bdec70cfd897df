"""Jobs whose folder, output or ledger is taken away or changed: nothing is lost without a word."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.runs import run_of
from tests.helpers.shared import needs_lab

from textveil.corpora import job as jobs
from textveil.corpora.block_worker import InProcess
from textveil.corpora.corpus_run import Run
from textveil.corpora.formats.records import PIECE_BYTES
from textveil.corpora.formats.text_lines import PlainText
from textveil.corpora.job_ledger import JobFolder
from textveil.errors import InputError, OutputError, ParameterError
from textveil.mechanisms.randomized_response import randomized_response
from textveil.vocabulary.vocabulary import Vocabulary

WORDS = [f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(60)]
VOCABULARY = Vocabulary(WORDS, np.random.default_rng(5).normal(size=(len(WORDS), 4)), "made")


def made(folder: Path, name: str = "in.txt", **changes: Any) -> Run:
    path = folder / name
    if not path.exists():
        path.write_text("".join(f"waa {WORDS[number]}\n" for number in range(40)))
    options: dict[str, Any] = {
        "mechanism": randomized_response(VOCABULARY, epsilon=0.1),
        "corpus_format": PlainText(),
        "inputs": (str(path),),
        "engine": InProcess(),
        "block_bytes": 40,
        "sync_seconds": 0.0,
    }
    return run_of(**{**options, **changes})


def state(folder: Path) -> Path:
    return folder / ".out.txt.textveil-job"


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("sync", [0.0, 99.0])
def test_a_folder_that_is_deleted_while_the_job_runs_is_no_success(tmp_path, anew: bool, sync: float) -> None:
    def deleted(bytes_read: int, total: int | None, words: int) -> None:
        if words == 40:
            shutil.rmtree(state(tmp_path))
            if anew:
                state(tmp_path).mkdir(mode=0o700)
                (state(tmp_path) / "ledger.jsonl").touch(mode=0o600)

    run = made(tmp_path, progress=deleted, sync_seconds=sync)
    with pytest.raises(OutputError, match=r"it was removed or replaced\. Nothing stands") as caught:
        run.to_file(tmp_path / "out.txt", tmp_path / "r.json")
    assert "goes on" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.glob("[a-z]*")) == ["in.txt"]
    assert state(tmp_path).exists() == anew  # another run's is left alone


def test_a_partial_output_that_is_gone_is_no_success(tmp_path) -> None:
    def deleted(bytes_read: int, total: int | None, words: int) -> None:
        (state(tmp_path) / "partial").unlink(missing_ok=True)

    with pytest.raises(OutputError, match="removed or replaced"):
        made(tmp_path, progress=deleted, sync_seconds=99.0).to_file(tmp_path / "out.txt")


def test_the_lock_is_held_until_the_folder_is_gone(tmp_path, monkeypatch) -> None:
    """Another run that came in between lost its files."""
    pytest.importorskip("fcntl")
    seen = []

    def removed(self: JobFolder) -> None:
        with pytest.raises(ParameterError, match="under way"):
            JobFolder(self.output).opened()
        real(self)
        seen.append(self.path.exists())

    real = JobFolder.removed
    monkeypatch.setattr(JobFolder, "removed", removed)
    made(tmp_path).to_file(tmp_path / "out.txt")
    (tmp_path / "bad").write_bytes(b"\xff")
    with pytest.raises(InputError):
        made(tmp_path, "bad").to_file(tmp_path / "out.txt")
    assert seen == [False, False]


def test_a_lock_on_a_file_that_was_removed_counts_for_nothing(tmp_path, monkeypatch) -> None:
    """The ledger goes between opening and locking it, as a run that ends does."""
    from textveil.corpora import job_ledger as job_folder

    real, times = job_folder._locked, []

    def locked(stream: Any) -> bool:
        times.append(1)
        if len(times) == 1:
            shutil.rmtree(state(tmp_path))
        return real(stream)

    monkeypatch.setattr(job_folder, "_locked", locked)
    folder = JobFolder(tmp_path / "out.txt")
    with folder.opened() as ledger:
        assert folder.holds(ledger)
    assert len(times) == 2


def test_closing_twice_leaves_another_run_alone(tmp_path, monkeypatch) -> None:
    (tmp_path / "bad").write_bytes(b"\xff")
    others = []

    def hint(self: jobs.Job) -> str:
        others.append(JobFolder(self.folder.output).opened())
        return ""

    monkeypatch.setattr(jobs.Job, "hint", hint)
    with pytest.raises(InputError):
        made(tmp_path, "bad").to_file(tmp_path / "out.txt")
    assert JobFolder(tmp_path / "out.txt").holds(others[0])
    others[0].close()


@pytest.mark.parametrize("change", ["gone", "changed", "longer"])
def test_a_finished_job_looks_at_its_output(tmp_path, change: str) -> None:
    out, report = tmp_path / "out.txt", tmp_path / "r.json"
    made(tmp_path).to_file(out, report, resume=True)
    text = report.read_text()
    report.unlink()
    assert made(tmp_path).to_file(out, report, resume=True).already
    assert report.read_text() == text
    raw = out.read_bytes()
    out.unlink() if change == "gone" else out.write_bytes(raw[::-1] if change == "changed" else raw + b"x")
    with pytest.raises(ParameterError, match=r"is gone or was changed. Delete the hidden folder .out.txt.textveil-job"):
        made(tmp_path).to_file(out, report, resume=True)


@pytest.mark.parametrize("change", ["nothing", "gone"])
def test_a_job_that_died_behind_the_name_of_its_output(tmp_path, monkeypatch, change: str) -> None:
    class Death(BaseException):
        pass

    def die(folder: Path) -> None:
        if folder == tmp_path:
            raise Death

    out = tmp_path / "out.txt"
    with monkeypatch.context() as patch, pytest.raises(Death):
        patch.setattr(jobs, "sync_folder", die)
        made(tmp_path).to_file(out)
    raw = out.read_bytes()
    if change == "gone":
        out.unlink()
        with pytest.raises(OutputError, match="it is gone, or was changed"):
            made(tmp_path).to_file(out, resume=True)
        return
    made(tmp_path).to_file(out, resume=True)
    assert out.read_bytes() == raw


DAMAGE = {
    "a key is missing": lambda lines: [lines[0], {**lines[1], "documents": None}, *lines[2:]],
    "blocks out of order": lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
    "no beginning": lambda lines: lines[1:],
    "a beginning without settings": lambda lines: [{"begin": 1}, *lines[1:]],
    "two beginnings": lambda lines: [lines[0], *lines],
    "another line": lambda lines: [*lines[:2], {"note": 1}, *lines[2:]],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_ledger_gets_one_line(tmp_path, damage: str) -> None:
    made(tmp_path).to_file(tmp_path / "out.txt", resume=True)
    ledger = state(tmp_path) / "ledger.jsonl"
    lines = DAMAGE[damage]([json.loads(line) for line in ledger.read_text().splitlines()])
    ledger.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for resume in (True, False):
        with pytest.raises(OutputError, match=r"line \d is not. Delete the hidden folder .out.txt.textveil-job"):
            made(tmp_path).to_file(tmp_path / "out.txt", resume=resume)
    assert ledger.exists()


@needs_lab
def test_what_a_number_costs_is_part_of_the_settings_without_a_guarantee_too(tmp_path) -> None:
    from textveil_lab.mechanisms.published.truncated_laplace import truncated_laplace_published

    published = truncated_laplace_published(VOCABULARY, epsilon=1.0)
    one, other = (
        made(tmp_path, mechanism=published, allow_refuted=True, number_epsilon=number).setting.digest()
        for number in (1.0, 50.0)
    )
    assert one != other


def test_a_stream_gets_pieces_of_one_size_whatever_the_blocks(tmp_path) -> None:
    class Watched(io.BytesIO):
        sizes: list[int]

        def write(self, data: Any) -> int:
            self.sizes.append(len(data))
            return super().write(data)

    (tmp_path / "in.txt").write_text((" ".join(WORDS) + "\n") * 900)
    stream = Watched()
    stream.sizes = []
    made(tmp_path, block_bytes=9000).to_stream(stream)
    assert len(stream.sizes) >= 3
    assert set(stream.sizes[:-1]) == {PIECE_BYTES}
    assert stream.getvalue().count(b"\n") == 900
