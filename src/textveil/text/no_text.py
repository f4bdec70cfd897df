"""Refuses files that are no text: mails with encoded parts, archives, office documents, images, base64 alone.

Detectors read letters; what a file holds in another form would pass them unchanged. Texts within a text in base64,
in hexadecimal digits or as quoted-printable are decoded if possible, and else count as unreadable. Up to 128
hexadecimal digits and short base64 that decode to no text (digests, keys, marks) are ignored.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from textveil.text.patterns import lazy_regex

LONG_BASE64: Final = 256  # characters from which on base64 that stands for no text is taken for a file
_LONG_HEX: Final = 2 * LONG_BASE64
_HEX_KINDS: Final = 8  # different digits of long hexadecimal ones: a line of one letter is none
_SHORT: Final = 7
_SURE_BYTES: Final = 12  # bytes from which on random ones can hardly all be printed: one time in 100,000
_SURE: Final = 24  # the same where many of them are beyond ASCII
_LINE = r"[A-Za-z0-9+/]{40,100}+\r?\n[ \t>]{0,8}+"
# Base64, in lines too.
_RUN: Final = lazy_regex(
    rf"(?<![A-Za-z0-9+/_-])(?:(?:{_LINE})++(?:[A-Za-z0-9+/]{{1,100}}+={{0,2}}(?=\s|[\"'<\\]|\Z))?"
    rf"|[A-Za-z0-9+/_-]{{{_SHORT},}}+={{0,2}})"
)

_PIECE: Final = lazy_regex(rf"[A-Za-z0-9]{{{_SHORT},}}+={{0,2}}")
_MIXED: Final = lazy_regex(r"[A-Z=](?:(?<=[a-z0-9][A-Z])|(?<==)\Z)")  # what base64 of a text has and a word has not
_HEX: Final = lazy_regex(
    r"(?:(?<![0-9A-Za-z])(?:0x)?|(?<=\\x))("
    r"(?:[0-9a-fA-F]{2}){5,}+[0-9a-fA-F]?+|[0-9a-fA-F]{2}(?:[ :][0-9a-fA-F]{2}){4,1000}+"
    r"|[0-9a-fA-F]{4}(?: [0-9a-fA-F]{4}){3,600}+"
    r")(?![0-9A-Za-z])"
)
_SHAPES: Final = bytes(
    ord("h" if chr(code) in "0123456789abcdefABCDEF" else " " if chr(code) in " :" else ".") for code in range(256)
)
_SHAPES_OF_HEX: Final = (b"h" * 10, b" ".join([b"hh"] * 5), b" ".join([b"hhhh"] * 4))
"""One of them is what the shortest of the forms above is written like."""
_SPACE: Final = re.compile(r"[\s>:]+")
_WORD: Final = lazy_regex(r"[^\W\d_]{3}")
_DATA: Final = lazy_regex(r"data:[\w.+/-]{0,100}(?:;[\w.=+-]{0,60}){0,4};base64,\Z")
_BEFORE: Final = 400  # characters before a run in which a data URI may begin
_BINARY: Final = (
    b"PK\x03\x04", b"%PDF", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x89PNG",
    b"\xff\xd8\xff", b"GIF8", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"SQLite format", b"PAR1",
)  # fmt: skip
_MAGIC_CHARACTERS: Final = 24  # characters from which on first bytes tell a file: fewer hold none
_DIGEST: Final = 128  # hexadecimal digits of the longest digest


class Encoded(NamedTuple):
    """The characters ``text[start:end]`` stand for ``plain``; None if it cannot be read."""

    start: int
    end: int
    plain: str | None


def encoded_runs(text: str) -> Iterator[Encoded]:
    """Yield what is written in base64 or in hexadecimal digits, in time that is linear in the text's length."""
    for match in _RUN.finditer(text) if "=" in text or _MIXED.search(text) else ():
        run = match[0].rstrip()
        if not run[1:].islower() and _MIXED.search(run):  # no word
            yield from _of_base64(text, match.start(), run)
    shape = text.encode("ascii", "replace").translate(_SHAPES)
    for match in _HEX.finditer(text) if any(map(shape.__contains__, _SHAPES_OF_HEX)) else ():
        digits = _SPACE.sub("", match[1])
        raw = bytes.fromhex(digits[: len(digits) // 2 * 2])
        plain = as_text(raw)
        if plain is not None and len(digits) < match.end(1) - match.start(1) and _WORD.search(plain) is None:
            continue  # numbers of two digits, apart: they stand for digits and marks
        if plain is not None:
            yield Encoded(*match.span(1), plain)
        elif len(digits) > _DIGEST and (
            raw.startswith(_BINARY) or (len(digits) > _LONG_HEX and len(set(digits)) >= _HEX_KINDS)
        ):
            yield Encoded(*match.span(1), None)


def is_encoded_alone(text: str) -> bool:
    """Return whether a text is long, and almost all of it is encoded and decodes to no text."""
    if len(text) < LONG_BASE64:
        return False
    head = text[: 4 * LONG_BASE64]
    if len(head.split()) > len(head) // 40 + 1:
        return False  # words
    held = sum(run.end - run.start for run in encoded_runs(text) if run.plain is None)
    return held >= LONG_BASE64 and 10 * held > 9 * len(text.strip())


def _of_base64(text: str, start: int, run: str) -> Iterator[Encoded]:
    raw = _bytes(run)
    plain = as_text(raw)
    end = start + len(run)
    if plain is not None:
        yield Encoded(start, end, plain)
        return
    uri = _DATA.search(text[max(0, start - _BEFORE) : start]) is not None
    # No line of marks and no row of words has letters of both cases and digits.
    head, tests = run[:LONG_BASE64], (str.islower, str.isupper, str.isdigit)
    long = len(run) >= LONG_BASE64 and all(any(map(test, head)) for test in tests)
    if uri or long or (len(run) >= _MAGIC_CHARACTERS and raw.startswith(_BINARY)):
        yield Encoded(start, end, None)
        return
    for piece in _PIECE.finditer(run):  # a part of a path, or behind a name
        plain = as_text(_bytes(piece[0])) if _MIXED.search(piece[0]) and piece[0] != run else None
        if plain is not None:
            yield Encoded(start + piece.start(), start + piece.end(), plain)


def _bytes(run: str) -> bytes:
    """Return what base64 stands for, as far as it goes; nothing if it is none."""
    data = _SPACE.sub("", run).rstrip("=").replace("-", "+").replace("_", "/")
    data = data[: len(data) - (len(data) % 4 == 1)]
    try:
        return base64.b64decode(data + "=" * (-len(data) % 4), validate=True)
    except binascii.Error:
        return b""


def as_text(raw: bytes) -> str | None:
    """Return bytes as the text that they are in UTF-8, UTF-16 or Windows-1252; None if they are hardly one."""
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        tries: tuple[str, ...] = ("utf-16",)
    elif len(raw) >= 2 * _SHORT and len(raw) % 2 == 0 and not (any(raw[1::2]) and any(raw[::2])):
        tries = ("utf-16-be",) if any(raw[1::2]) else ("utf-16-le",)
    else:
        tries, raw = ("utf-8", "cp1252"), raw.rstrip(b"\0")
    for encoding in tries:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if not text.isprintable() and not all(character.isprintable() or character in "\t\r\n" for character in text):
            return None
        foreign = sum(character > "\x7f" for character in text)
        # a short word has letters and spaces alone, but for a few marks: random bytes are no such UTF-8.
        word = all(character.isalpha() or character in " ,.'-" for character in text)
        if 8 * foreign > len(text) and (encoding == "cp1252" or (len(raw) < _SURE and not word)):
            return None
        letters = sum(character.isalpha() or character == " " for character in text)
        sure = len(raw) >= _SURE_BYTES or (10 * letters >= 7 * len(text) and _WORD.search(text) is not None)
        return text if sure else None
    return None


LOOKED_AT: Final = 2**16  # characters at the start of a text in which the head of a mail is looked for
ADVICE: Final = "Save its text, and that of its attachments, as text first."  # what to do with what is refused

# How files begin, byte by byte, and what they are.
_MAGIC: Final = tuple(
    (magic, name)
    for name, magics in {
        "an archive or office document": ("PK\x03\x04", "PK\x05\x06"),
        "an office document": ("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",),
        "a PDF file": ("%PDF-",),
        "an RTF document": ("{\\rtf",),
        "a compressed file": ("\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd7zXZ\0"),
        "an archive": ("7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07"),
        "an image": ("\x89PNG\r\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "II*\0", "MM\0*"),
        "a sound or image file": ("RIFF",),
        "a sound file": ("OggS", "ID3"),
        "a database": ("SQLite format 3\0",),
        "a parquet file": ("PAR1",),
        "an Arrow file": ("ARROW1",),
        "an HDF file": ("\x89HDF\r\n",),
        "a program": ("\x7fELF", "MZ", "\0asm"),
    }.items()
    for magic in magics
)
_ENCODED: Final = "base64 or hexadecimal digits alone"
_SHORTEST: Final = 64  # characters that each file has
_HEAD: Final = 128  # characters among which one that no text has shows that printable first letters are a file's
_TEXT_HEADS: Final = frozenset(("{\\rtf",))  # what no text begins with, though all of it is printable
_CONTROL: Final = lazy_regex(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROLS: Final = 16
_SHARE: Final = 20  # a text of which so many characters, and more than one in so many, are control characters is none
_MARKED: Final = lazy_regex(r"[Cc][Oo][Nn][Tt][Ee][Nn][Tt]-[Tt]")
# A part of a mail in base64, with some of what it holds.
_ENCODING: Final = re.compile(
    r"^[> \t]{0,8}Content-Transfer-Encoding:[ \t]{0,8}\"?base64\b[^\n]{0,200}\n(?:[^\n]{1,1000}\n){0,40}?"
    r"[> \t]{0,8}\r?\n(?:[> \t]{0,8}\r?\n){0,4}[> \t]{0,8}[A-Za-z0-9+/]{8,}={0,2}[ \t]*(?:\r?$|\Z)",
    re.IGNORECASE | re.MULTILINE,
)

_MULTIPART: Final = re.compile(r"^[> \t]{0,8}Content-Type:[ \t]{0,8}multipart/", re.IGNORECASE | re.MULTILINE)
_BOUNDARY: Final = re.compile(r"boundary[ \t]?=[ \t]?\"?([^\"\s;]{1,200})", re.IGNORECASE)
_PART: Final = re.compile(r"^[> \t]{0,8}--(\S{1,200})", re.MULTILINE)
_HEADER: Final = 1000  # characters of a header line, with those that go on with it
_HEAD_LINES: Final = lazy_regex(r"\A(?:From [^\n]{1,300}\n)?(?:[A-Za-z][A-Za-z0-9-]{0,60}:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_HEAD_ENCODED: Final = re.compile(
    r"^Content-(?:Transfer-Encoding:[ \t]{0,8}\"?(?:base64|quoted-printable)\"?[ \t]{0,8}(?:;|\r?$)"
    r"|Type:[ \t]{0,8}multipart/)",
    re.IGNORECASE | re.MULTILINE,
)


def what_it_is(text: str) -> str:
    """Return what a text made from bytes is instead, as the end of "got ..."; empty if it is a text."""
    return _file(text) or _mail(text) or (_ENCODED if is_encoded_alone(text) else "")


def what_it_begins(start: bytes) -> str:
    """Return the same for a file, given its first bytes."""
    text = start[:LOOKED_AT].removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    if found := _file(text):
        return found
    if (head := _HEAD_LINES.match(text)) and _HEAD_ENCODED.search(head[0]):
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
    if _MARKED.search(text) is None:
        return ""
    if _ENCODING.search(text):
        return "a mail with encoded parts"
    heads = [_BOUNDARY.search(text, parts.end(), parts.end() + _HEADER) for parts in _MULTIPART.finditer(text)]
    boundaries = {boundary[1] for boundary in heads if boundary}
    if boundaries and any(part[1] in boundaries for part in _PART.finditer(text)):
        return "a mail with several parts"
    return ""
