"""``textveil review`` of a release from which something was left out, and of a folder."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., tuple[int, bytes, str]]
NAME = "Maria Gonzalez"
POLICY = ("--policy", "identifiers", "--seed", 1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with notes of which some cannot be read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "en")
    files = {
        "notes/a.txt": f"{NAME} came.\nShe left.\n".encode(),
        "notes/b.txt": "Müller\n".encode("cp1252"),
        "notes/c.dat": b"\x89PNG\0",
        "notes/ward/d.jsonl": b'{"text": "one"}\n{"text": 7}\n{"text": "three"}\n',
        "notes/ward/e.txt": b"The end.\n",
    }
    for name, raw in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(raw)
    return tmp_path


def originals(page: str = "review.html") -> list[str]:
    """The originals that the page holds."""
    data: Any = json.loads(re.findall(r"id='data'>(.*?)</script>", Path(page).read_text())[0])
    texts = []
    for _, stretches in data["documents"]:
        texts.append("".join(piece if isinstance(piece, str) else piece[0] for piece in stretches))
    return texts


def test_what_was_left_out_of_a_folder_is_told_and_the_rest_reviewed(command: Command) -> None:
    code, _, err = command("sanitize", "notes", *POLICY, "-o", "out", "--sender-report", "s.json")
    assert code == 1 and "review out --policy identifiers --original notes --sender-report s.json" in " ".join(
        err.split()
    )
    review = ("review", "out", "--original", "notes")
    code, _, err = command(*review)
    assert code == 1 and "input 4, line 2: the field 'text' must be a string" in err  # which nothing says was left out
    code, _, err = command(*review, "--sender-report", "s.json")
    assert code == 0 and "left out  2 files, 1 record: without a release, so not in the review\n" in err
    assert originals() == [f"{NAME} came.", "She left.", "one", "three", "The end."]


def test_files_without_a_release_need_no_report(command: Command) -> None:
    Path("notes/ward/d.jsonl").unlink()
    assert command("sanitize", "notes", *POLICY, "-o", "out")[0] == 1
    code, _, err = command("review", "out", "--original", "notes")
    assert code == 0 and "left out  2 files: without" in err
    assert originals() == [f"{NAME} came.", "She left.", "The end."]


def test_files_called_by_number_are_told_apart_by_the_report_for_the_sender(command: Command) -> None:
    Path("notes/ward/d.jsonl").rename(f"notes/{NAME}.jsonl")
    assert command("sanitize", "notes", *POLICY, "-o", "out", "--sender-report", "s.json")[0] == 1
    code, _, err = command("review", "out", "--original", "notes")
    assert code == 1 and "got 1 of other names" in err and "Gonzalez" not in err
    assert command("review", "out", "--original", "notes", "--sender-report", "s.json")[0] == 0
    assert sorted(originals()) == sorted([f"{NAME} came.", "She left.", "one", "three", "The end."])


def test_records_left_out_of_a_file_are_told_by_the_report_for_the_sender(command: Command) -> None:
    sanitize = ("sanitize", "notes/ward/d.jsonl", *POLICY, "-o", "out.jsonl", "--on-error", "skip")
    assert command(*sanitize, "--sender-report", "s.json")[0] == 1
    code, _, err = command("review", "out.jsonl", "--original", "notes/ward/d.jsonl", "--sender-report", "s.json")
    assert code == 0 and "left out  1 record:" in err
    assert originals() == ["one", "three"]
    Path("s.json").write_text("{}")
    code, _, err = command("review", "out.jsonl", "--original", "notes/ward/d.jsonl", "--sender-report", "s.json")
    assert code == 2 and "--sender-report must be the report for the sender" in err and err.count("\n") == 1
