"""``textveil sanitize FOLDER -o OUT/`` with documents in it: each is released whole or refused with a line."""

import io
import json
import zipfile
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pytest

from textveil.corpora import job
from textveil.documents.apart import Opened, text_of

NAME, MAIL = "Zebedee Quollfeather", "zebedee@quollfeather.example.net"


def word(text: str) -> bytes:
    made, out = docx.Document(), io.BytesIO()
    made.add_paragraph(text)
    made.save(out)
    return out.getvalue()


def sheet(*rows: list[object]) -> bytes:
    made, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        made.active.append(row)
    made.save(out)
    return out.getvalue()


def mail(text: str) -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = f"{NAME} <{MAIL}>", "Terms"
    message.set_content(text)
    return message.as_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    files = {
        "a.docx": word(f"Dr. {NAME} came, and {NAME} left."),
        "deep/b.xlsx": sheet(["Name", "Visits"], [NAME, 3]),
        "deep/c.eml": mail(f"Dear {NAME},\nall is well.\n"),
    }
    for name, data in files.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_bytes(data)
    return made


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def text_in(path: Path) -> str:
    return text_of(path.name, path.read_bytes())


def test_each_document_is_released_in_place_in_one_job_with_one_certificate(command, folder, tmp_path) -> None:
    out, report = tmp_path / "out", tmp_path / "r.json"
    code, _, told = command("sanitize", folder, "-o", out, "--report", report, "--workers", "1")
    assert code == 0 and "checked " in told and "uoll" not in told, told
    assert names(out) == ["a.docx", "deep/b.xlsx", "deep/c.eml"]
    assert not any(b"uollfeather" in path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert all("uoll" not in text_in(out / name) for name in names(out))
    assert " came, and " in text_in(out / "a.docx") and "all is well." in text_in(out / "deep/c.eml")
    data = json.loads(report.read_text("utf-8"))
    assert data["documents"] == 3 and data["policy"]["name"] == "identifiers"
    certificate = data["document"]
    assert certificate["parts"]["text of a message"] == 1 and certificate["parts"]["body"] == 2
    assert certificate["checked"]["readers"] == ["textveil.documents.strings"]
    assert certificate["checked"]["values_searched"] >= 4


def test_documents_beside_texts_and_tables_under_one_policy(command, folder, tmp_path) -> None:
    (folder / "note.txt").write_text(f"{NAME} came.\n")
    (folder / "table.csv").write_text(f"text\n{NAME} came\n")
    run = ("sanitize", folder, "-o", tmp_path / "out", "--policy", "identifiers", "-q", "--workers", "1")
    assert command(*run)[0] == 0
    assert names(tmp_path / "out") == ["a.docx", "deep/b.xlsx", "deep/c.eml", "note.txt", "table.csv"]
    assert "uoll" not in (tmp_path / "out/note.txt").read_text()


def test_without_a_policy_documents_beside_texts_are_refused_with_a_line(command, folder, tmp_path) -> None:
    (folder / "note.txt").write_text("so it was\n")
    code, _, told = command("sanitize", folder, "-o", tmp_path / "out", "-q", "--workers", "1")
    assert code == 1 and told.count("needs a --policy that finds spans") == 3
    assert len(names(tmp_path / "out")) == 1


def test_what_cannot_be_read_or_fails_its_check_is_named_and_the_rest_released(
    command, folder, tmp_path, monkeypatch
) -> None:
    others = {
        "bomb.docx": _bomb(),
        "broken.pdf": b"%PDF-1.4",
        "macros.docm": word("x"),
        "old.doc": b"\xd0\xcf\x11\xe0",
        "slides.pptx": b"PK",
    }
    for name, data in others.items():
        (folder / name).write_bytes(data)
    held = word(f"Dr. {NAME} came, and {NAME} left.")
    monkeypatch.setattr("textveil.documents.apart.Apart.opened", lambda self, *given: Opened(*given))  # in this process
    monkeypatch.setattr("textveil.documents.office.Word.written", lambda self: held)
    code, _, told = command("sanitize", folder, "-o", tmp_path / "out", "-q", "--workers", "1")
    skipped = [line.split(": ")[1] for line in told.splitlines() if line.startswith("skipped: ")]
    assert (code, skipped) == (1, sorted([*others, "a.docx"]))
    assert "a.docx: the written document holds" in told and "uoll" not in told
    assert names(tmp_path / "out") == ["deep/b.xlsx", "deep/c.eml"]
    code, _, told = command("sanitize", folder, "-o", tmp_path / "two", "-q", "--on-error", "stop", "--workers", "1")
    assert code == 1 and not (tmp_path / "two").exists()


def _bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b" " * (2**28 + 1))
    return out.getvalue()


def test_a_document_over_the_limit_is_refused_unread(command, folder, tmp_path) -> None:
    code, _, told = command(
        "sanitize", folder, "-o", tmp_path / "out", "-q", "--max-document-bytes", "9000", "--workers", "1"
    )
    assert code == 1 and "a.docx: the file must have at most 9000 bytes" in told
    assert names(tmp_path / "out") == ["deep/b.xlsx", "deep/c.eml"]


def test_a_document_that_takes_too_long_is_left_out_and_named(command, folder, tmp_path) -> None:
    out = tmp_path / "out"
    code, _, told = command("sanitize", folder, "-o", out, "-q", "--record-seconds", "0.001", "--workers", "1")
    assert code == 1 and "a.docx: a document must be read within 0.001 s" in told and not out.exists()


@pytest.mark.parametrize(("scope", "same"), [((), False), (("--scope", "corpus"), True)])
def test_one_value_has_one_surrogate_in_all_files_if_the_scope_is_the_corpus(
    command, folder, tmp_path, scope, same
) -> None:
    """By chance two of three draws from a pool are equal: below 1 in 10,000 for the pool of names."""
    (folder / "d.docx").write_bytes(word(f"{NAME} wrote again."))
    assert command("sanitize", folder, "-o", tmp_path / "out", "-q", "--workers", "1", *scope)[0] == 0
    first = text_in(tmp_path / "out/a.docx").strip().removeprefix("Dr. ").split(" came")[0]
    again = text_in(tmp_path / "out/d.docx").strip().split(" wrote")[0]
    assert (first == again) is same


def test_a_scope_needs_a_policy_that_finds_spans(command, folder, tmp_path) -> None:
    (tmp_path / "a.txt").write_text("so it was\n")
    for options in ((), ("--policy", "all-words"), ("--policy", "identifiers", "--scope", "world")):
        wanted = options if "--scope" in options else (*options, "--scope", "corpus")
        code, _, told = command("sanitize", tmp_path / "a.txt", "-o", tmp_path / "b.txt", *wanted)
        assert code == 2 and told.count("\n") == 1 and "scope" in told, told


def test_an_interrupted_job_goes_on_behind_the_documents_that_are_there(command, folder, tmp_path, monkeypatch) -> None:
    (folder / "z.docx").write_bytes(b"no archive")
    out, report = tmp_path / "out", tmp_path / "r.json"
    monkeypatch.setattr(job, "SYNC_SECONDS", 0)
    code, _, told = command("sanitize", folder, "-o", out, "--report", report, "--on-error", "stop", "--workers", "1")
    assert code == 1 and "3 documents are kept" in told and not out.exists()
    (folder / "z.docx").write_bytes(b"no archiv2")
    run = ("sanitize", folder, "-o", out, "--report", report, "--resume", "--workers", "1")
    monkeypatch.setattr("textveil.documents.office.Word.written", lambda self: 1 / 0)  # nothing is written again
    code, _, told = command(*run)
    assert code == 1 and "skipped: z.docx" in told
    assert names(out) == ["a.docx", "deep/b.xlsx", "deep/c.eml"]
    assert json.loads(report.read_text("utf-8"))["document"]["parts"]["body"] == 2
    code, _, told = command(*run)
    assert code == 0 and "was finished before" in told
