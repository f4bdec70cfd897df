"""Shared by formats of a corpus: protocols, fields that are chosen, encodings, limits, and pieces of output."""

from __future__ import annotations

import codecs
import difflib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, BinaryIO, Final, NamedTuple, Protocol, runtime_checkable

from textveil.documents.model import Certificate
from textveil.errors import InputError, MissingExtra, need
from textveil.surrogates.map_file import PrivateMap
from textveil.text.no_text import ADVICE, what_it_is


def arrow(module: str = "pyarrow") -> Any:
    """The package pyarrow, or a module of it by its full name. Raises MissingExtra: it is not installed."""
    with MissingExtra("pyarrow", "arrow"):
        return import_module(module)


_NEAR = 0.75  # similarity (`difflib`) from which a name is offered in place of one that is not there
_LONGEST = 64  # characters of a name that may be offered: longer ones are no names that somebody mistyped


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """Fields by name. A field that is not named never reaches the output."""

    sanitized: tuple[str, ...] = ("text",)  # their texts are replaced by releases; at least one
    kept: tuple[str, ...] = ()  # copied as they are, outside every guarantee
    read: tuple[str, ...] = ()  # read for something else (whose record it is), and copied only if they are ``kept`` too

    def __post_init__(self) -> None:
        need(len(self.sanitized) > 0, "sanitized", "none", "at least one field name")
        names = self.all()
        need(len(set(names)) == len(names), "kept", "a name twice", "names other than those of `sanitized`, each once")

    def all(self) -> tuple[str, ...]:
        """Every field of the output."""
        return self.sanitized + self.kept

    def needed(self) -> tuple[str, ...]:
        """Every field that a record must have, each once."""
        return tuple(dict.fromkeys((*self.all(), *self.read)))


def other_name(name: str, present: Iterable[str]) -> str:
    """Return a sentence on what to do about a field that is not there.

    A name that is there is only ever told if it is nearly the one that was asked for: what stands in a first row may
    be no names at all, but a record.
    """
    there = sorted({field for field in present if 0 < len(field) <= _LONGEST and field.isprintable()})
    alike = [field for field in there if _plain(field) == _plain(name)]
    near = alike or difflib.get_close_matches(name, there, n=1, cutoff=_NEAR)
    if near:
        return f"Did you mean {near[0]!r}?"
    if "," in name:
        return "To name several, repeat `sanitized` or `kept` for each."
    return "Name another with `sanitized` or `kept`."


def _plain(name: str) -> str:
    """A name without what people vary: case, spaces, dashes, underscores, a byte order mark."""
    return "".join(character for character in name.casefold() if character not in " -_\ufeff")


MAX_DOCUMENT_BYTES = 16 * 2**20  # largest record that is read unless told otherwise


@dataclass(frozen=True, slots=True)
class Cut:
    """Records in a row, cut from a stream."""

    payload: bytes  # their bytes, in the format's own way; all that ``records`` needs but for ``first``
    first: int  # number of the first one in the stream, from 1
    count: int  # how many (for text formats: lines, blank ones included)
    fault: str = ""  # why these records cannot be had; the payload is empty then. Cutting goes on behind them


class RecordError(NamedTuple):
    """One record that cannot be read: its number in the input, and one line that says why and quotes nothing."""

    number: int
    reason: str


class Rewritten(NamedTuple):
    """A document that was written anew, and what was found when it was checked."""

    data: bytes
    certificate: Certificate


class Part(NamedTuple):
    """Facts that a format knows of one of its texts."""

    # of the value that the text is, behind ``start``; empty for free text, in which values are to be found
    kind: str = ""
    start: int = 0  # characters before the value: a public word of the format's own
    owner: str = ""  # whose scope it is in: one value of an owner has one surrogate, wherever it stands
    spans: tuple[tuple[int, int], ...] = ()  # of several values of the kind in one text, in place of ``start``
    known: tuple[tuple[str, str], ...] = ()  # of free text: values that are found in it too, with their kinds


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a payload."""

    # for each good record the private texts in it, one for each sanitized field that has a text. A record with none (a
    # null) is copied and counts as no document
    texts: Sequence[Sequence[str]]
    faults: Sequence[RecordError]
    # output bytes from as many releases, in the shape of ``texts``; of a record that is None, nothing
    joined: Callable[[Sequence[Sequence[str] | None]], bytes]
    numbers: Sequence[int]  # of the good records in their input
    head: bytes = b""  # what stands once before the first record of the whole output (CSV's header row)
    nulls: int = 0  # how many sanitized fields of good records have no text
    # of each field that is ``read``, its value in every good record as text; None if it is null
    beside: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    # of a document, in place of ``joined``: the output from what was replaced in each text, in the shape of ``texts``
    rewritten: Callable[[Sequence[Sequence[PrivateMap]]], Rewritten] | None = None
    # in the shape of ``texts``, of a format that knows what its fields are; None of others
    parts: Sequence[Sequence[Part]] | None = None

    def without(self, left: Mapping[int, str], fields: int) -> Records:
        """The same, if some of the good records are faults too.

        ``left``: by their place among the good ones, why; ``fields``: that are sanitized of each record.
        """
        places = [place for place in range(len(self.texts)) if place not in left]

        def joined(released: Sequence[Sequence[str] | None]) -> bytes:
            fresh = dict(zip(places, released, strict=True))
            return self.joined([fresh.get(place) for place in range(len(self.texts))])

        return Records(
            texts=[self.texts[place] for place in places],
            faults=sorted([*self.faults, *(RecordError(self.numbers[place], why) for place, why in left.items())]),
            joined=joined,
            numbers=[self.numbers[place] for place in places],
            head=self.head,
            nulls=self.nulls - sum(fields - len(self.texts[place]) for place in left),
            beside={name: [values[place] for place in places] for name, values in self.beside.items()},
            rewritten=self.rewritten if places else None,
            parts=None if self.parts is None else [self.parts[place] for place in places],
        )


class CorpusFormat(Protocol):
    """A frozen, picklable dataclass; ``repr`` names every option of it and is part of a job's settings."""

    @property
    def choice(self) -> FieldChoice | None:
        """The fields that are sanitized and kept; None if records have no fields."""

    @property
    def unit(self) -> str:
        """Return a record's name in messages, by its number."""

    def cut(self, stream: BinaryIO, size: int) -> Iterator[Cut]:
        """Records of one input in pieces of about ``size`` bytes, whole records each; parses no more than it must.

        Runs in the parent. Memory is bounded by the largest record that is allowed, whatever the stream holds. Raises
        InputError: the rest of the stream cannot be had; whole records before were handed on.
        """

    def records(self, payload: bytes, first: int) -> Records:
        """The records of a payload; ``first`` is the number of its first record. Runs in the worker."""


@runtime_checkable
class Structured(Protocol):
    """A format that knows what its fields are: its records have ``parts``."""

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of values of its fields, each of which the policy must draw."""

    @property
    def public(self) -> tuple[str, ...]:
        """The public parts of a record, for reports."""


class Sink(Protocol):
    """Takes the data of block after block, in order."""

    def write(self, data: bytes) -> None:
        """Add one block's data."""

    def close(self) -> None:
        """Write what ends the file; the stream below stays open."""


@runtime_checkable
class Assembled(Protocol):
    """A format whose output is no concatenation of blocks' data. A job then keeps the data and assembles them last."""

    def sink(self, stream: BinaryIO) -> Sink:
        """The output file on a stream that need not be seekable; of a compressed output it can only be written to."""


def checked_size(max_document_bytes: int) -> int:
    """A limit on the bytes of a record, >= 1."""
    need(1 <= max_document_bytes <= 2**40, "max_document_bytes", max_document_bytes, "between 1 and 2^40")
    return max_document_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedText:
    """A format of text in an encoding, whose records have a limit."""

    max_document_bytes: int = MAX_DOCUMENT_BYTES
    encoding: str | None = None

    def __post_init__(self) -> None:
        checked_size(self.max_document_bytes)


def too_large(where: str, limit: int) -> str:
    """The reason for which a record is refused unread."""
    return f"{where} must have at most {limit} bytes; got more. Raise `max_document_bytes`."


def read(method: Callable[[int], bytes], size: int) -> bytes:
    """Bytes from an input stream. Raises InputError: the operating system cannot read them."""
    try:
        return method(size)
    except InputError:
        raise
    except OSError as error:
        reason = error.strerror
    raise InputError(f"the input could not be read further: {reason}.")


LIKELY: Final = "It looks like Windows-1252, as Excel writes it: give `encoding=cp1252`."
"""Advice for input that is not UTF-8: most of it has this encoding."""


def decoded(raw: bytes, where: str, limit: int) -> str:
    """UTF-8 text of at most ``limit`` bytes, without NUL characters.

    Raises InputError: it is something else; says where, never what.
    """
    if len(raw) > limit:
        raise InputError(too_large(where, limit))
    text = None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        index = error.start + 1
    if text is None:  # raised out here: the decoder's error holds the bytes, and a context would keep it
        raise InputError(f"{where} must be UTF-8; byte {index} of it is not. {LIKELY}")
    if "\0" in text:
        raise InputError(f"{where} must be text; got a NUL character. Is this a binary file?")
    return text


def text_in(raw: bytes, where: str, limit: int) -> str:
    """The same, if it is all of a text that is sanitized: no mail with encoded parts, and no other file.

    Raises InputError: as ``decoded``; or it is such.
    """
    text = decoded(raw, where, limit)
    need_text(text, where)
    return text


def need_text(text: str, where: str) -> None:
    """Refuse what is no text though it is written in characters (``text.no_text``).

    Raises InputError: it is such; says where and what it is.
    """
    if instead := what_it_is(text):
        raise InputError(f"{where} must be text; got {instead}. {ADVICE}")


def encoded(text: str) -> bytes:
    """UTF-8 bytes of a released text; released texts hold no lone surrogates."""
    return text.encode("utf-8")


_BYTES: Final = 2**16

_ESCAPING: Final = frozenset(("idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7"))
"""Codecs of Python's that write characters by others."""


def checked_encoding(name: str | None) -> str | None:
    """The name of an encoding as Python has it; None for UTF-8, which needs none.

    Raises ParameterError: there is none of that name.
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


_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16's, which begins it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, None),
)
"""Byte order marks, each with the encoding that it tells for sure; None is UTF-8."""


def recoded(stream: BinaryIO, encoding: str | None) -> BinaryIO:
    """The stream in UTF-8, read in the encoding of its byte order mark, else in ``encoding``; None is UTF-8.

    Raises InputError: it is UTF-16 without a mark; or it is UTF-8, and ``encoding`` would read each letter as several.
    """
    start = _start(stream)
    if (mark := next((mark for mark in _MARKS if start.startswith(mark[0])), None)) is not None:
        encoding = mark[1]
    elif encoding is None and (likely := _unmarked(start)):
        raise InputError(f"the input must be UTF-8; it looks like UTF-16: give `encoding={likely}`.")
    elif encoding is not None and _reads_bytes(encoding) and _is_utf_8(start):
        raise InputError(f"the input must be {encoding}, as `encoding` says; it is UTF-8. Leave `encoding` out.")
    return stream if encoding is None else io.BufferedReader(_Recoded(stream, encoding), _BYTES)


def _start(stream: BinaryIO) -> bytes:
    """The first bytes of a stream, which stay in it; of a stream that can neither be sought nor looked at, none."""
    if stream.seekable():
        place = stream.tell()
        start = read(stream.read, _BYTES)
        stream.seek(place)
        return start
    peek = getattr(stream, "peek", None)
    return b"" if peek is None else read(peek, _BYTES)[:_BYTES]


def _unmarked(start: bytes) -> str:
    """The UTF-16 that a text without a mark is, by the zero bytes of its ASCII letters; empty if it is none."""
    half = len(start) // 2
    zeros = [start[place : 2 * half : 2].count(0) for place in (0, 1)]
    for zero, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        if half > 1 and 4 * zeros[zero] > 3 * half and not zeros[1 - zero]:
            return name
    return ""


def _reads_bytes(encoding: str) -> bool:
    """Tell whether each byte of a letter of UTF-8 would be a letter."""
    try:
        return len("é".encode().decode(encoding)) > 1
    except UnicodeError:
        return False


def _is_utf_8(start: bytes) -> bool:
    """Tell whether bytes that may end within a letter hold a whole one beyond ASCII, and nothing else than UTF-8."""
    try:
        return not codecs.getincrementaldecoder("utf-8")().decode(start).isascii()
    except UnicodeDecodeError:
        return False


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


PIECE_BYTES = 2**16  # released bytes of a piece


class Pieces:
    """Writes to a stream in pieces of ``PIECE_BYTES``; only the last one is shorter.

    A block has about as many bytes of input as any other. Handed on by itself it would tell the reader of a pipe how
    many documents these are, and so how long the private words in them.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._held = bytearray()

    def write(self, data: bytes) -> None:
        """Take bytes; hand on what makes whole pieces."""
        self._held += data
        start = 0
        while len(self._held) - start >= PIECE_BYTES:
            self._handed(bytes(self._held[start : start + PIECE_BYTES]))
            start += PIECE_BYTES
        del self._held[:start]

    def close(self) -> None:
        """Hand on the rest; the stream stays open."""
        if self._held:
            self._handed(bytes(self._held))
            self._held.clear()
        self._stream.flush()

    def _handed(self, piece: bytes) -> None:
        self._stream.write(piece)
        self._stream.flush()
