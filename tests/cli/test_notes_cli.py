"""A note that is sanitized by itself, with the defaults that are meant for it."""

import io
import json
import zipfile
from email.message import EmailMessage

import pytest


def test_a_note_is_drawn_with_context(command, tmp_path) -> None:
    report = tmp_path / "r.json"
    code, _, _ = command("sanitize", "--whole-file", "--report", report, stdin=b"one\ntwo\n")
    data = json.loads(report.read_text())
    assert (code, data["documents"]) == (0, 1)
    assert data["mechanism"]["parameters"]["context"] == "released"


@pytest.mark.parametrize(
    "options", [(), ("--whole-file", "--context", "none"), ("--whole-file", "--base-weights", "flat")]
)
def test_only_a_note_is_drawn_with_context(command, tmp_path, options) -> None:
    report = tmp_path / "r.json"
    code, _, _ = command("sanitize", *options, "--report", report, stdin=b"one\ntwo\n")
    assert code == 0
    assert "context" not in json.loads(report.read_text())["mechanism"]["parameters"]


def _mail() -> EmailMessage:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", "<w:t>Maria Gonzalez</w:t>" * 99)
    message = EmailMessage()
    message["From"], message["Subject"] = "ana@example.org", "the contract"
    message.set_content("The contract is attached.\n")
    message.add_attachment(buffer.getvalue(), maintype="application", subtype="zip", filename="contract.docx")
    return message


@pytest.mark.parametrize("options", [(), ("--whole-file",)])
@pytest.mark.parametrize("policy", ["prompts", "clinical", "identifiers", "common-words"])
def test_a_mail_with_an_attachment_is_refused_as_text(command, tmp_path, options, policy: str) -> None:
    mail, out = tmp_path / "mail.txt", tmp_path / "out.txt"
    mail.write_bytes(_mail().as_bytes())
    code, printed, err = command("sanitize", mail, "-p", policy, "-o", out, *options)
    assert (code, printed, out.exists()) == (1, b"", False)
    assert err.splitlines()[0].startswith("textveil: the input must be text; got a mail with encoded parts.")


def test_a_mail_in_a_record_is_refused_by_its_number(command, tmp_path) -> None:
    records, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    texts = ["Nothing here.", _mail().as_string(), "Nor here."]
    records.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    code, _, err = command("sanitize", records, "-p", "prompts", "-o", out, "--on-error", "skip")
    assert code == 1 and "skipped: line 2 must be text; got a mail with encoded parts." in err
    assert [json.loads(line)["text"] for line in out.read_text().splitlines()] == ["Nothing here.", "Nor here."]
