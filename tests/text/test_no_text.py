"""What is a file and no text is refused on every road; digests and code are not."""

import base64
import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest

import textveil as tv
from textveil.errors import InputError
from textveil.text.no_text import what_it_begins, what_it_is

CLIENT = "Maria Gonzalez"


def docx() -> bytes:
    """An office document: a zip file with a name in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", f"<w:t>{CLIENT} {bytes(range(256)).hex()}</w:t>" * 9)
    return buffer.getvalue()


def mail(*, nested: bool = False, encoding: str | None = None) -> bytes:
    """A mail with a document attached to it, or to a mail that is attached to it."""
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "the contract", "a@example.org", "b@example.org"
    message.set_content("Please find the contract attached.\n", cte=encoding)
    message.add_attachment(docx(), maintype="application", subtype="octet-stream", filename="contract.docx")
    if nested:
        outer = EmailMessage()
        outer["Subject"], outer["From"] = "Fwd: the contract", "c@example.org"
        outer.set_content("See below.\n")
        outer.add_attachment(message)
        message = outer
    return message.as_bytes()


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("lead", ["", "> ", "Forwarded, see:\n\n"])
def test_mail_with_attachment_is_refused(nested: bool, end: bytes, lead: str) -> None:
    text = mail(nested=nested).replace(b"\n", end).decode()
    text = "".join(f"{lead}{line}" for line in text.splitlines(keepends=True)) if lead == "> " else lead + text
    for sanitizer in (tv.Sanitizer("prompts"), tv.Sanitizer("identifiers"), tv.Sanitizer("common-words")):
        with pytest.raises(InputError, match=r"document 2 must be text; got a mail with \w+ parts\. Save") as caught:
            sanitizer.batch(["fine", text])
        assert "\n" not in str(caught.value) and "Gonzalez" not in str(caught.value)


def test_plain_mail_is_text() -> None:
    message = EmailMessage()
    message["From"], message["To"] = "a@example.org", "b@example.org"
    message.set_content("Nothing is attached.\n")
    assert not what_it_is(message.as_string()) and not what_it_begins(message.as_bytes())


BEGINNINGS = {
    "zip": b"PK\x03\x04\x14\x00\x06\x00",
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
    "doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0",
    "rtf": b"{\\rtf1\\ansi Maria}",
    "gzip": b"\x1f\x8b\x08\0\0",
    "zstd": b"\x28\xb5\x2f\xfd\x04\0",
    "xz": b"\xfd7zXZ\0\0",
    "7z": b"7z\xbc\xaf\x27\x1c\0\4",
    "rar": b"Rar!\x1a\x07\x01\0",
    "png": b"\x89PNG\r\n\x1a\n\0\0\0",
    "jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "gif": b"GIF89a\x01\0\x01\0",
    "tiff": b"II*\0\x08\0",
    "sqlite": b"SQLite format 3\0\x10\0",
    "parquet": b"PAR1\x15\x04\x15",
    "elf": b"\x7fELF\x02\x01\x01\0",
    "exe": b"MZ\x90\0\x03\0",
    "bytes": bytes(range(256)),
}


@pytest.mark.parametrize("name", BEGINNINGS)
def test_known_files_are_refused(name: str) -> None:
    start = BEGINNINGS[name].ljust(99, b" ")
    assert what_it_begins(start) and what_it_is(start.decode("latin-1"))


@pytest.mark.parametrize(
    "text",
    ["", "PK fire is a move.", "MZ was his initials.", "GIF89a is a format.", "%PDF-1.4 is old.", "RIFF and raff",
     "BZh?", "ID3 tags", "Größe über Öl", "Привет, мир. " * 30, "你好世界。" * 40, "\0\1", "\x1b[31mred\x1b[0m" * 30,
     "Content-Type: multipart/form-data; boundary=X is a header.", "Content-Transfer-Encoding: base64 is a header.\n",
     "d41d8cd98f00b204e9800998ecf8427e\n" * 30],
)  # fmt: skip
def test_texts_are_none_of_them(text: str) -> None:
    assert not what_it_is(text) and not what_it_begins(text.encode())


def test_text_that_is_base64_alone_is_refused() -> None:
    data = base64.b64encode(docx()).decode()
    lines = base64.encodebytes(docx()).decode()
    for text in (data, lines, f"data:application/zip;base64,{data}"):
        assert what_it_is(text) == "base64 or hexadecimal digits alone"
    assert not what_it_is(data[:200])


def test_texts_of_base64_that_reads_as_text_are_text() -> None:
    assert not what_it_is(base64.b64encode(b"Our client called about the contract. " * 30).decode())


def test_the_head_of_a_file_is_looked_at(tmp_path: Path) -> None:
    from textveil.corpora.formats.text_lines import pieces

    with pytest.raises(InputError, match="the input must be text; got a mail with encoded parts"):
        list(pieces(io.BytesIO(mail()), 2**20))
    with pytest.raises(InputError, match="got base64"):
        list(pieces(io.BytesIO(base64.encodebytes(docx())), 2**20))
