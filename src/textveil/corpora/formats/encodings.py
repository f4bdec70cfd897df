"""Inputs in other encodings than UTF-8, which are read as UTF-8."""

import codecs
import io
from typing import Any, BinaryIO, Final

from textveil.corpora.formats.records import read
from textveil.errors import InputError, need

_BYTES: Final = 2**16
_ESCAPING: Final = frozenset(("idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7"))
"""Codecs of Python's that write characters by others."""


def checked_encoding(name: str | None) -> str | None:
    """The name of an encoding as Python has it; None for UTF-8, which needs none.

    Raises:
        ParameterError: there is none of that name.
    """
    if name is None:
        return None
    try:
        found = codecs.lookup(name)
        known = bool(getattr(found, "_is_text_encoding", True)) and found.name not in _ESCAPING
    except (LookupError, ValueError):
        known = False
    need(known, "encoding", "another", "one of text, such as cp1252, utf-16 or latin-1")
    return None if found.name == "utf-8" else found.name


def recoded(stream: BinaryIO, encoding: str | None) -> BinaryIO:
    """The stream in UTF-8; itself where ``encoding`` is None."""
    return stream if encoding is None else io.BufferedReader(_Recoded(stream, encoding), _BYTES)


class _Recoded(io.RawIOBase):
    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._read = getattr(stream, "read1", stream.read)
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._encoding = encoding
        self._held = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._held and not self._ended:
            self._held = self._next()
        piece, self._held = self._held[: len(buffer)], self._held[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def _next(self) -> bytes:
        data = read(self._read, _BYTES)
        self._ended = not data
        try:
            return self._decoder.decode(data, final=not data).encode("utf-8")
        except UnicodeError:  # whose error holds the bytes
            pass
        raise InputError(f"the input must be {self._encoding}, as `encoding` says; a byte of it is not.")
