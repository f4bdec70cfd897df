"""Documents on the command line: released in place, restored, shown, and refused in one line."""

import io
import json

import docx

from textveil.documents.apart import Opened

NAME, MAIL = "Zebedee Quillfeather", "zebedee@quillfeather.example.net"


def saved() -> bytes:
    made = docx.Document()
    made.add_paragraph(f"Between Dr. {NAME} ({MAIL}) and the client.")
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def test_a_document_is_released_and_restored(tmp_path, command, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.docx").write_bytes(saved())
    secret = ("--map", "c.map", "--map-key", "c.key")
    code, out, told = command("sanitize", "c.docx", "-o", "released.docx", "--report", "r.json", *secret)
    assert (code, out) == (0, b"") and "checked " in told and "Quillfeather" not in told
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert report["document"]["parts"]["body"] == 1 and report["document"]["checked"]["values_searched"] >= 2
    released = docx.Document("released.docx").paragraphs[0].text
    assert NAME not in released and MAIL not in released and released.endswith("and the client.")
    assert command("restore", "released.docx", "-o", "back.docx", *secret)[0] == 0
    assert docx.Document("back.docx").paragraphs[0].text == f"Between Dr. {NAME} ({MAIL}) and the client."
    code, out, _ = command("detect", "c.docx", "--json")
    assert code == 0 and {span["kind"] for span in json.loads(out)} >= {"person", "email"}


def test_a_file_that_holds_a_value_is_not_written(tmp_path, command, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.docx").write_bytes(saved())
    monkeypatch.setattr("textveil.documents.apart.Apart.opened", lambda self, *given: Opened(*given))  # in this process
    monkeypatch.setattr("textveil.documents.office.Word.written", lambda self: saved())
    code, _, told = command("sanitize", "c.docx", "-o", "released.docx", "--map", "c.map", "--map-key", "c.key")
    assert code == 1 and "kind" in told and told.count("\n") == 1 and "uill" not in told
    assert not (tmp_path / "released.docx").exists() and not (tmp_path / "c.map").exists()


def test_a_document_that_takes_too_long_is_refused(tmp_path, command, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.docx").write_bytes(saved())
    code, _, told = command("sanitize", "c.docx", "-o", "released.docx", "--record-seconds", "0.001")
    assert code == 1 and "within 0.001 s" in told and told.count("\n") == 1
    assert not (tmp_path / "released.docx").exists()


def test_options_that_do_not_fit_are_refused(tmp_path, command, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.docx").write_bytes(saved())
    for arguments in (
        ("c.docx",),
        ("c.docx", "-o", "released.pdf"),
        ("c.docx", "c.docx", "-o", "released.docx"),
        ("c.docx", "-o", "released.docx", "--images", "keep"),
        ("c.docx", "-o", "released.docx", "--resume"),
    ):
        code, _, told = command("sanitize", *arguments)
        assert code == 2 and told.count("\n") == 1
    assert command("sanitize", "c.docm", "-o", "released.docm")[0] == 1


def test_the_review_of_a_document_names_its_original(command, tmp_path, monkeypatch) -> None:
    """And the command runs as it is told."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.eml").write_text("From: a@x.org\nTo: b@x.org\nSubject: Hi\n\nDear John Smith, call me.\n")
    _, _, err = command("sanitize", "in.eml", "-p", "identifiers", "-o", "out.eml")
    line = next(line.strip() for line in err.splitlines() if line.strip().startswith("textveil review"))
    assert line == "textveil review out.eml --policy identifiers --original in.eml"
    assert command(*line.split()[1:])[0] == 0
