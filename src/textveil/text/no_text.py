"""What is a file and no text: mails with encoded parts, archives, office documents, images, base64 alone.

Detectors read letters. What a file holds in another form would pass them as it is, so it is refused.
"""

from __future__ import annotations

import re
from typing import Final

from textveil.text.encoded import is_encoded_alone
from textveil.text.patterns import lazy_regex

LOOKED_AT: Final = 2**16
"""Characters at the start of a text in which the head of a mail is looked for."""

ADVICE: Final = "Save its text, and that of its attachments, as text first."
"""What to do with what is refused."""

_MAGIC: Final = (
    ("PK\x03\x04", "an archive or office document"),
    ("PK\x05\x06", "an archive or office document"),
    ("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"),
    ("%PDF-", "a PDF file"),
    ("{\\rtf", "an RTF document"),
    ("\x1f\x8b", "a compressed file"),
    ("\x28\xb5\x2f\xfd", "a compressed file"),
    ("BZh", "a compressed file"),
    ("\xfd7zXZ\0", "a compressed file"),
    ("7z\xbc\xaf\x27\x1c", "an archive"),
    ("Rar!\x1a\x07", "an archive"),
    ("\x89PNG\r\n", "an image"),
    ("\xff\xd8\xff", "an image"),
    ("GIF87a", "an image"),
    ("GIF89a", "an image"),
    ("II*\0", "an image"),
    ("MM\0*", "an image"),
    ("RIFF", "a sound or image file"),
    ("OggS", "a sound file"),
    ("ID3", "a sound file"),
    ("SQLite format 3\0", "a database"),
    ("PAR1", "a parquet file"),
    ("ARROW1", "an Arrow file"),
    ("\x89HDF\r\n", "an HDF file"),
    ("\x7fELF", "a program"),
    ("MZ", "a program"),
    ("\0asm", "a program"),
)
"""How files begin, byte by byte, and what they are."""

_ENCODED: Final = "base64 or hexadecimal digits alone"

_SHORTEST: Final = 64
"""Characters that each file has."""

_HEAD: Final = 128
"""Characters among which one that no text has shows that printable first letters are a file's."""

_TEXT_HEADS: Final = frozenset(("{\\rtf",))
"""What no text begins with, though all of it is printable."""

_CONTROL: Final = lazy_regex(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROLS: Final = 16
_SHARE: Final = 20
"""A text of which so many characters, and more than one in so many, are control characters is none."""

_MARKED: Final = lazy_regex(r"[Cc][Oo][Nn][Tt][Ee][Nn][Tt]-[Tt]")
_ENCODING: Final = re.compile(
    r"^[> \t]{0,8}Content-Transfer-Encoding:[ \t]{0,8}\"?base64\b[^\n]{0,200}\n(?:[^\n]{1,1000}\n){0,40}?"
    r"[> \t]{0,8}\r?\n(?:[> \t]{0,8}\r?\n){0,4}[> \t]{0,8}[A-Za-z0-9+/]{8,}={0,2}[ \t]*(?:\r?$|\Z)",
    re.IGNORECASE | re.MULTILINE,
)
"""A part of a mail in base64, with some of what it holds."""

_MULTIPART: Final = re.compile(r"^[> \t]{0,8}Content-Type:[ \t]{0,8}multipart/", re.IGNORECASE | re.MULTILINE)
_BOUNDARY: Final = re.compile(r"boundary[ \t]?=[ \t]?\"?([^\"\s;]{1,200})", re.IGNORECASE)
_PART: Final = re.compile(r"^[> \t]{0,8}--(\S{1,200})", re.MULTILINE)
_HEADER: Final = 1000
"""Characters of a header line, with those that go on with it."""

_HEAD_LINES: Final = lazy_regex(r"\A(?:From [^\n]{1,300}\n)?(?:[A-Za-z][A-Za-z0-9-]{0,60}:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_HEAD_ENCODED: Final = re.compile(
    r"^Content-(?:Transfer-Encoding:[ \t]{0,8}\"?(?:base64|quoted-printable)\"?[ \t]{0,8}(?:;|\r?$)"
    r"|Type:[ \t]{0,8}multipart/)",
    re.IGNORECASE | re.MULTILINE,
)


def what_it_is(text: str) -> str:
    """What a text is instead, as the end of "got ..."; empty where it is one.

    Args:
        text: any string; where it was made from bytes, Latin-1 or UTF-8.
    """
    return _file(text) or _mail(text) or (_ENCODED if is_encoded_alone(text) else "")


def what_it_begins(start: bytes) -> str:
    """The same of a file, given its first bytes."""
    text = start[:LOOKED_AT].removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    found = _file(text)
    if found:
        return found
    head = _HEAD_LINES.match(text)
    if head and _HEAD_ENCODED.search(head[0]):
        return "a mail with encoded parts"
    return _ENCODED if is_encoded_alone(text) else ""


def _file(text: str) -> str:
    if len(text) < _SHORTEST:
        return ""
    for magic, name in _MAGIC:
        if text.startswith(magic):
            head = text[:_HEAD]
            if magic in _TEXT_HEADS or _CONTROL.search(head) or (magic == "%PDF-" and not head.isascii()):
                return name
    if _CONTROL.search(text) is not None:
        count = sum(1 for _ in _CONTROL.finditer(text))
        if count >= _MOST_CONTROLS and count * _SHARE > len(text):
            return "binary data"
    return ""


def _mail(text: str) -> str:
    """Whether parts of a mail are encoded in it, wherever it begins."""
    if _MARKED.search(text) is None:
        return ""
    if _ENCODING.search(text):
        return "a mail with encoded parts"
    heads = [_BOUNDARY.search(text, parts.end(), parts.end() + _HEADER) for parts in _MULTIPART.finditer(text)]
    boundaries = {boundary[1] for boundary in heads if boundary}
    if boundaries and any(part[1] in boundaries for part in _PART.finditer(text)):
        return "a mail with several parts"
    return ""
