"""A record is a document or several, with the way back to the bytes of its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol, final

from textveil.errors import InputError, need

MAX_DOCUMENT_BYTES = 16 * 2**20
"""Largest record that is read unless told otherwise."""


_LOOKS_LIKE = (
    (b"\x1f\x8b", "It looks compressed: zcat FILE | textveil sanitize"),
    (b"\x28\xb5\x2f\xfd", "It looks compressed: zstdcat FILE | textveil sanitize"),
    (b"\xff\xfe", "It looks like UTF-16: iconv -f utf-16 -t utf-8"),
    (b"\xfe\xff", "It looks like UTF-16: iconv -f utf-16 -t utf-8"),
    (b"PK\x03\x04", "It looks like an archive or an office document: extract its text first"),
)
"""First bytes that tell what a file is instead."""


@final
@dataclass(frozen=True, slots=True)
class Record:
    """One record of a corpus.

    Attributes:
        texts: the private texts in it, one for each field that is sanitized.
        assemble: makes the output's bytes from as many released texts.
    """

    texts: tuple[str, ...]
    assemble: Callable[[Sequence[str]], bytes]


class CorpusFormat(Protocol):
    """Reads records from a binary stream."""

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        """Records in order; a record is read only when it is asked for."""

    def header(self) -> bytes:
        """What stands before the first record in the output; asked for after the first record was read."""


def checked_size(max_document_bytes: int) -> int:
    """A limit on the bytes of a record, >= 1."""
    need(1 <= max_document_bytes <= 2**40, "max_document_bytes", max_document_bytes, "between 1 and 2^40")
    return max_document_bytes


def lines(stream: BinaryIO, limit: int, unit: str = "line") -> Iterator[tuple[int, str]]:
    """Numbered lines with their line ends, decoded; a byte order mark before the first is dropped.

    Raises:
        InputError: a line is longer than ``limit`` bytes, is not UTF-8 or holds a NUL.
    """
    number = 0
    while raw := read(stream.readline, limit + 1):
        number += 1
        if len(raw) > limit:
            raise InputError(f"{unit} {number} must have at most {limit} bytes; got more. Raise --max-document-bytes.")
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        yield number, decoded(raw, f"{unit} {number}")


def read(method: Callable[[int], bytes], size: int) -> bytes:
    """Bytes from an input stream.

    Raises:
        InputError: the operating system cannot read them.
    """
    try:
        return method(size)
    except OSError as error:
        reason = error.strerror
    raise InputError(f"the input could not be read further: {reason}.")


def decoded(raw: bytes, where: str) -> str:
    """UTF-8 text without NUL characters.

    Raises:
        InputError: it is something else; says where, never what.
    """
    text = None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = error.start + 1
    if text is None:  # raised out here: the decoder's error holds the bytes, and a context would keep it
        hint = next((hint for start, hint in _LOOKS_LIKE if raw.startswith(start)), "Convert the input first")
        raise InputError(f"{where} must be UTF-8; byte {place} of it is not. {hint}.")
    if "\0" in text:
        raise InputError(f"{where} must be text; got a NUL character. Is this a binary file?")
    return text


def encoded(text: str) -> bytes:
    """UTF-8 bytes of a released text; released texts hold no lone surrogates."""
    return text.encode("utf-8")
