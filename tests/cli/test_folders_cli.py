"""``textveil sanitize FOLDER -o OUT/``: a release for each file, all of them or none."""

import gzip
import json
from pathlib import Path

import pytest

NAME = "Maria Gonzalez"
POLICY = ("-p", "identifiers", "-q")
FILES = {
    "a.txt": f"{NAME} came.\nShe left.\n".encode(),
    "ward 7/b.csv": f"id;text\r\n1;{NAME}, seen\r\n".encode(),
    "ward 7/c.jsonl.gz": gzip.compress(json.dumps({"text": f"{NAME} is ill"}).encode() + b"\n"),
    "ward 7/deep/d.json": json.dumps([{"text": f"{NAME} is ill"}, {"text": None}]).encode(),
    "ward 7/unicode.txt": f"{NAME} is ill".encode("utf-16"),
    ".hidden/e.txt": b"never read",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    _write(folder, FILES)
    return folder


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, raw in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(raw)


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_each_file_has_a_release_under_its_name_in_its_format(command, notes: Path, tmp_path: Path) -> None:
    out, report = tmp_path / "out", tmp_path / "r.json"
    code, _, err = command("sanitize", notes, *POLICY, "-o", out, "--report", report, "--workers", 2)
    assert code == 0, err
    assert _names(out) == sorted(name for name in FILES if not name.startswith("."))
    assert (out / "a.txt").read_text().endswith(" came.\nShe left.\n")
    assert (out / "ward 7/b.csv").read_text().splitlines()[0] == '"text"'
    assert json.loads(gzip.decompress((out / "ward 7/c.jsonl.gz").read_bytes()))["text"].endswith(" is ill")
    assert [each["text"] is None for each in json.loads((out / "ward 7/deep/d.json").read_text())] == [False, True]
    assert (out / "ward 7/unicode.txt").read_text(encoding="utf-8").endswith(" is ill")
    for path in out.rglob("*"):
        raw = path.read_bytes() if path.is_file() else b""
        assert b"Gonzalez" not in (gzip.decompress(raw) if path.suffix == ".gz" else raw)
    assert json.loads(report.read_text())["documents"] == 6
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes", "out", "r.json"]


def test_what_cannot_be_read_is_named_left_out_and_an_exit_code(command, notes: Path, tmp_path: Path) -> None:
    others = {
        "scan.pdf": b"%PDF-1.4",
        "ansi.txt": "first line\nMüller\n".encode("cp1252"),
        "picture.dat": b"\x89PNG\0",
        "broken.csv": b"note\none\n",
    }
    _write(notes, others)
    code, _, err = command("sanitize", notes, *POLICY, "-o", tmp_path / "out")
    skipped = [line.split(": ")[1] for line in err.splitlines() if line.startswith("skipped: ")]
    assert (code, skipped) == (1, sorted(others))
    assert "ansi.txt: the file must be UTF-8; it is not. It looks like Windows-1252" in err
    assert not {Path(name).name for name in _names(tmp_path / "out")} & set(others)


def test_names_that_tell_what_is_hidden_are_numbers(command, notes: Path, tmp_path: Path) -> None:
    _write(notes, {f"{NAME}.txt": b"one", f"ward 7/{NAME}/note 1.txt": b"two", "patient_4711.txt": b"three"})
    sender = tmp_path / "s.json"
    code, _, err = command("sanitize", notes, *POLICY, "-o", tmp_path / "out", "--sender-report", sender)
    assert code == 0, err
    found = _names(tmp_path / "out")
    assert not any("Gonzalez" in name or "4711" in name for name in found) and "ward 7/0001/note 1.txt" in found
    assert "names     3 files called by number" in err and "Gonzalez" not in err
    told = json.loads(sender.read_text())["names"]
    assert told["ward 7/0001/note 1.txt"] == f"ward 7/{NAME}/note 1.txt" and len(told) == 3


def test_all_names_are_numbers_where_all_words_are_drawn(textveil, tmp_path: Path) -> None:
    _write(tmp_path / "in", {"waa.txt": b"waa", "b/wab.txt": b"wab"})
    assert textveil(tmp_path / "in", "-o", tmp_path / "out", "-q")[0] == 0
    assert _names(tmp_path / "out") == ["0001/0003.txt", "0002.txt"]


def test_several_files_and_a_folder_that_is_named_as_one(command, notes: Path, tmp_path: Path) -> None:
    pattern, out = tmp_path / "notes" / "*.txt", tmp_path / "out"
    code, _, err = command("sanitize", pattern, notes / "ward 7" / "b.csv", *POLICY, "-o", f"{out}/")
    assert code == 0, err
    assert _names(out) == ["a.txt", "b.csv"]
    _write(notes, {"again/a.txt": b"one"})
    code, _, err = command("sanitize", notes / "a.txt", notes / "again" / "a.txt", *POLICY, "-o", f"{tmp_path}/two/")
    assert code == 1 and "a file of a name that an earlier one has" in err


def test_a_link_to_a_file_is_no_second_release(command, notes: Path, tmp_path: Path) -> None:
    (notes / "link.txt").symlink_to(notes / "a.txt")
    (notes / "loop").symlink_to(notes)
    assert command("sanitize", notes, *POLICY, "-o", tmp_path / "out")[0] == 0
    assert "link.txt" not in _names(tmp_path / "out") and not (tmp_path / "out" / "loop").exists()


REFUSED = {
    "an output within": (("notes", "-o", "notes/out"), 2, "must not lie in a folder that is read"),
    "no output": (("notes",), 1, "got a folder. Name a folder for its releases with --output"),
    "an output with files": (("notes", "-o", "full"), 2, "must be a new or an empty folder"),
    "a map": (("notes", "-o", "out", "--map", "m", "--map-key", "k"), 2, "--map must be left out"),
    "another format": (("notes", "-o", "out", "--output-format", "csv"), 2, "--output-format must be left out"),
    "standard input": (("-", "-o", "out/"), 2, "must be a file where standard input is read"),
    "an empty folder": (("empty", "-o", "out"), 1, "a folder with files; got none"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_told_in_a_line(command, notes: Path, tmp_path: Path, monkeypatch, case: str) -> None:
    monkeypatch.chdir(tmp_path)
    _write(tmp_path / "full", {"x.txt": b"x"})
    (tmp_path / "empty").mkdir()
    arguments, expected, message = REFUSED[case]
    code, out, err = command("sanitize", *arguments, "-p", "identifiers")
    assert (code, out, err.count("\n")) == (expected, b"", 1) and message in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "full", "notes"]


def test_a_job_of_a_folder_stops_whole_and_goes_on(command, notes: Path, tmp_path: Path) -> None:
    _write(notes, {"z.txt": b"\xff\xff"})
    out = tmp_path / "out"
    run = ("sanitize", notes, *POLICY, "-o", out)
    code, _, err = command(*run, "--on-error", "stop")
    assert code == 1 and not out.exists() and "documents are kept: --resume goes on" in err
    code, _, err = command(*run)
    assert code == 2 and "has an unfinished job" in err and not out.exists()
    code, _, err = command(*run, "--resume")
    assert code == 1 and "skipped: z.txt" in err
    before = {name: (out / name).read_bytes() for name in _names(out)}
    code, _, err = command(*run, "--resume")
    assert code == 0 and "was finished before; nothing was released now" in err
    assert before == {name: (out / name).read_bytes() for name in _names(out)} and len(before) == 5
    (out / "a.txt").write_text("changed")
    assert command(*run, "--resume")[0] == 2
    _write(notes, {"new.txt": b"new"})
    code, _, err = command(*run, "--resume")
    assert code == 2 and "these differ now: inputs" in err


@pytest.fixture
def letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    names = {f"letters/{number}.txt": f"{NAME} came.\nShe left {number}.\n".encode() for number in range(4)}
    _write(tmp_path, names)
    return tmp_path / "letters"


def test_the_summary_of_a_folder_says_that_a_line_is_a_text_and_names_its_review(command, letters: Path) -> None:
    code, _, err = command("sanitize", "letters", "-p", "identifiers", "-o", "out")
    assert code == 0
    assert err.splitlines()[0] == "8 texts -> out/   (a line is a text; with --whole-file a file is one)"
    assert "textveil review out --policy identifiers --original letters\n" in err
    code, _, err = command("review", "out", "--policy", "identifiers", "--original", "letters")
    assert code == 0 and "8 documents -> review.html" in err
    code, _, err = command("sanitize", "letters", "-p", "identifiers", "-o", "whole", "--whole-file")
    assert code == 0 and err.splitlines()[0] == "4 texts -> whole/"


def test_the_summary_of_many_inputs_does_not_list_them(command, letters: Path) -> None:
    _, _, err = command("sanitize", *sorted(letters.iterdir()), "-p", "identifiers", "-o", "out.txt")
    assert "--original INPUT" in err and "(--original for each of 4 inputs)" in " ".join(err.split())


def test_a_document_that_is_not_there_is_named(command, tmp_path: Path) -> None:
    code, _, err = command("sanitize", tmp_path / "absent.docx", "-o", tmp_path / "out.docx")
    assert (code, err) == (
        1,
        "textveil: input 1 (absent.docx) must be a readable file; got No such file or directory.\n",
    )
