"""``textveil sanitize --receipt`` and ``textveil verify``, as users run them."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.test_receipts import OTHER, facts_of, signed

Command = Callable[..., tuple[int, bytes, str]]
NOTE = "Mrs. Gonzalez, MRN 4471298: admitted 27/02/2015.\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a text."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "en")
    Path("note.txt").write_text(NOTE)
    return tmp_path


RECEIPT = ("--receipt", "r.json", "--receipt-key", "key")


@pytest.fixture
def key(command: Command) -> str:
    """The public key of a receipt ``r.json`` of ``out.txt``."""
    code, _, err = command("sanitize", "note.txt", "-p", "clinical", "-o", "out.txt", *RECEIPT)
    assert code == 0
    public = json.loads(Path("r.json").read_bytes())["key"]
    assert f"receipt   r.json; --key\n          {public}\n" in err
    return public


def test_a_receipt_is_verified_with_a_trusted_key(command: Command, key: str) -> None:
    code, out, _ = command("verify", "r.json", "out.txt", "--key", key)
    assert code == 0 and b"origin    signed by the key that you gave" in out and b"integrity only" not in out
    assert b"states    Values that were found: hidden" in out
    told = json.loads(command("verify", "r.json", "out.txt", "--key", key, "--json")[1])
    assert told["verified"] == "integrity and origin" and told["receipt"]["released"]["what"] == "file"


def test_without_a_trusted_key_only_integrity_is_shown_and_said(command: Command, key: str) -> None:
    code, out, _ = command("verify", "r.json", "out.txt")
    assert code == 0 and b"integrity only, not origin: anybody may have signed it" in out and b"origin    " not in out
    assert json.loads(command("verify", "r.json", "out.txt", "--json")[1])["verified"] == "integrity only"


@pytest.mark.parametrize(("name", "step"), [("r.json", 131), ("out.txt", 1)])  # test_receipts.py flips all of a receipt
def test_a_changed_byte_of_the_receipt_or_the_file_is_refused(command: Command, key: str, name: str, step: int) -> None:
    original = Path(name).read_bytes()
    for place in range(0, len(original), step):
        Path(name).write_bytes(original[:place] + bytes([original[place] ^ 1]) + original[place + 1 :])
        code, out, err = command("verify", "r.json", "out.txt", "--key", key)
        assert (code, out) == (1, b"") and err.count("\n") == 1, place
    Path(name).write_bytes(original)
    assert command("verify", "r.json", "out.txt", "--key", key)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("r.json", "note.txt"), 1, "FILE must be what the receipt names"),
        (("note.txt", "out.txt"), 1, "RECEIPT must be JSON whose `type` is one of"),
        (("missing", "out.txt"), 1, "RECEIPT must be a readable file; got No such file"),
        (("r.json", "missing"), 1, "FILE must be a readable file or folder"),
        (("r.json", "out.txt", "--key", "0" * 64), 1, "another signed it"),
        (("r.json", "out.txt", "--key", "clinical"), 2, "--key must be a public key"),
    ],
)  # fmt: skip
def test_what_does_not_hold_has_an_exit_code_and_a_line(
    command: Command, key: str, arguments: tuple[str, ...], code: int, told: str
) -> None:
    done, out, err = command("verify", *arguments)
    assert (done, out) == (code, b"") and told in err and err.count("\n") == 1


def test_what_steers_a_terminal_is_not_printed(command: Command, key: str) -> None:
    facts = {**facts_of(Path("r.json").read_bytes()), "statement": ["\x1b[2Jorigin\n\rorigin    trusted\x9b2J"]}
    Path("r.json").write_bytes(signed(facts, OTHER))
    code, out, _ = command("verify", "r.json", "out.txt")
    assert code == 0 and b"states    ?[2Jorigin??origin    trusted?2J" in out and b"\x1b" not in out


def test_a_receipt_of_seeded_draws_says_that_they_are_not_for_release(command: Command) -> None:
    assert command("sanitize", "note.txt", "-p", "clinical", "-o", "out.txt", *RECEIPT, "--seed", "1")[0] == 0
    code, out, _ = command("verify", "r.json", "out.txt")
    assert code == 0 and b"CHECK     not for release: its draws came from a seed" in out


def test_a_folder_has_a_receipt(command: Command, tmp_path: Path) -> None:
    Path("notes").mkdir()
    for name in ("a.txt", "b.txt"):
        Path("notes", name).write_text(NOTE)
    assert command("sanitize", "notes", "-p", "clinical", "-o", "out/", *RECEIPT)[0] == 0
    assert command("verify", "r.json", "out")[0] == 0
    Path("out/b.txt").write_text(NOTE)
    assert command("verify", "r.json", "out")[0] == 1


def test_a_document_has_a_receipt(command: Command) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph(NOTE)
    document.save("note.docx")
    assert command("sanitize", "note.docx", "-o", "out.docx", *RECEIPT)[0] == 0
    assert command("verify", "r.json", "out.docx")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (RECEIPT[:2], "--receipt must be given together with --receipt-key"),
        (RECEIPT[2:], "--receipt must be given together with --receipt-key"),
        (RECEIPT, "--receipt must be left out where --output is no file"),
        (("-o", "-", *RECEIPT), "--receipt must be left out where --output is no file"),
        (("-o", "r.json", *RECEIPT), "--receipt must be a file of its own"),
        (("-o", "out.txt", "--receipt", "note.txt", "--receipt-key", "key"), "--receipt must be a file of its own"),
        (("-o", "out.txt", "--receipt", "r.json", "--receipt-key", "r.json"), "--receipt must be a file of its own"),
        (("-o", "out.txt", "--receipt", "r.json", "--report", "./r.json", "--receipt-key", "k"), "a file of its own"),
    ],
)  # fmt: skip
def test_a_receipt_that_cannot_be_is_refused_before_anything_is_read(
    command: Command, arguments: tuple[str, ...], told: str
) -> None:
    code, _, err = command("sanitize", "note.txt", "-p", "clinical", *arguments)
    assert code == 2 and told in err
    assert [*Path().iterdir()] == [Path("note.txt")] and Path("note.txt").read_text() == NOTE


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_the_key_is_for_its_owner_alone(command: Command, key: str) -> None:
    assert stat.S_IMODE(Path("key").stat().st_mode) == 0o600
    Path("key").chmod(0o644)
    code, _, err = command("sanitize", "note.txt", "-p", "clinical", "-o", "out.txt", *RECEIPT)
    assert code == 2 and "--receipt-key must be a file that only you can open" in err
